package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/ai"
)

// kitchen calls the timers as a model does.
type kitchen struct {
	t     *testing.T
	tools []ai.Tool
}

func (k kitchen) call(name, arguments string) (string, error) {
	return ai.Invoke(context.Background(), k.tools, ai.ToolCall{Name: name, Arguments: arguments})
}

func (k kitchen) must(name, arguments string) string {
	k.t.Helper()
	out, err := k.call(name, arguments)
	if err != nil {
		k.t.Fatal(err)
	}
	return out
}

func TestTimersAsTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timers := newTimers()
		tools, err := timers.tools()
		if err != nil {
			t.Fatal(err)
		}
		k := kitchen{t, tools}

		k.must("set_timer", `{"seconds":300,"label":"tea"}`)
		k.must("set_timer", `{"seconds":60}`)
		time.Sleep(20 * time.Second)
		var list timerList
		if err := json.Unmarshal([]byte(k.must("list_timers", "")), &list); err != nil {
			t.Fatal(err)
		}
		// The next one due comes first.
		if len(list.Timers) != 2 || list.Timers[0].Remaining != 40 || list.Timers[1].Label != "tea" || list.Timers[1].Remaining != 280 {
			t.Errorf("timers %+v", list.Timers)
		}
		if _, err := k.call("cancel_timer", "{}"); err == nil || !strings.Contains(err.Error(), "label") {
			t.Errorf("cancelling one of two without a label: %v, want to be asked which", err)
		}
		if out := k.must("cancel_timer", `{"label":"TEA"}`); out != `{"cancelled":1}` {
			t.Errorf("cancel by label: %s", out)
		}
		time.Sleep(40 * time.Second)
		if got := timers.expire(time.Now()); len(got) != 1 || got[0] != "Your 1 minute timer is done." {
			t.Errorf("due after a minute: %q", got)
		}
		if out := k.must("cancel_timer", `{"all":true}`); out != `{"cancelled":0}` {
			t.Errorf("cancel all of none: %s", out)
		}
	})
}

func TestTimerBounds(t *testing.T) {
	timers := newTimers()
	tools, err := timers.tools()
	if err != nil {
		t.Fatal(err)
	}
	k := kitchen{t, tools}
	for _, bad := range []string{`{}`, `{"seconds":0}`, `{"seconds":-5}`, `{"seconds":1e12}`, `{"seconds":"ten"}`, `[1]`, `{`} {
		if out, err := k.call("set_timer", bad); err == nil {
			t.Errorf("set_timer %s gave %s", bad, out)
		}
	}
	for range maxTimers {
		k.must("set_timer", `{"seconds":5}`)
	}
	if _, err := k.call("set_timer", `{"seconds":5}`); err == nil || !strings.Contains(err.Error(), fmt.Sprint(maxTimers)) {
		t.Errorf("one timer too many: %v", err)
	}
}

func TestSpokenDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		90 * time.Second: "1 minute 30 second", 2 * time.Hour: "2 hour", 25 * time.Second: "25 second",
		time.Hour + time.Minute + time.Second: "1 hour 1 minute 1 second",
	} {
		if got := spokenDuration(d); got != want {
			t.Errorf("%v is spoken %q, want %q", d, got, want)
		}
	}
}
