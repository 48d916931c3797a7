package edge

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
	"edged/realtime"
)

// TestStalledSynthesiser: the end of a word does not wait for the next sentence;
// the silence that is put in counts for the device and not for the session.
func TestStalledSynthesiser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		r.play(1, begin(), text("One. "))
		r.play(1, speech(16000, 100*ms)...) // a packet and 40 ms
		time.Sleep(2 * time.Second)         // the model thinks
		r.play(1, text("Two."))
		r.play(1, speech(16000, 120*ms)...)
		r.play(1, end())
		time.Sleep(time.Second)
		synctest.Wait()
		want := []string{
			"begin 1", `text 1@0s "One. "`, "audio@0 begin", "audio@60",
			`text 1@120ms "Two."`, "audio@120", "audio@180 end", "end 1@240ms",
		}
		written := r.transport.written()
		if got := story(written, 16000); !slices.Equal(got, want) {
			t.Errorf("written\n %q, want\n %q", got, want)
		}
		packets := r.transport.packets()
		if gap := packets[1].at.Sub(packets[0].at); gap > 60*ms {
			t.Errorf("the end of the first sentence came %v after its beginning: the device ran dry inside a word", gap)
		}
		// The device counts 240 ms, the session played 220.
		played := func(samples uint32) time.Duration {
			r.events()
			r.do(func(in *Inlet) error { in.Played(1, samples); return nil })
			for _, e := range r.events() {
				if p, ok := e.(dialog.Played); ok {
					return p.Offset
				}
			}
			return -1
		}
		for _, tt := range []struct {
			samples uint32
			want    time.Duration
		}{{800, 50 * ms}, {1600, 100 * ms}, {1760, 100 * ms}, {1920, 100 * ms}, {2080, 110 * ms}, {3840, 220 * ms}} {
			if got := played(tt.samples); got != tt.want {
				t.Errorf("%d samples of the device are %v of the reply, want %v", tt.samples, got, tt.want)
			}
		}
		if n := r.leg.Stats().Pacer.Underruns; n != 1 {
			t.Errorf("%d underruns counted, want 1", n)
		}
	})
}

// TestAcknowledgements: what the device claims is checked before it is believed.
func TestAcknowledgements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		ack := func(turn dialog.Turn, samples uint32) []dialog.Uplink {
			r.events()
			r.do(func(in *Inlet) error { in.Played(turn, samples); return nil })
			return slices.DeleteFunc(r.events(), func(e dialog.Uplink) bool { _, is := e.(dialog.Played); return !is })
		}
		at := func(turn dialog.Turn, d time.Duration) []dialog.Uplink {
			return []dialog.Uplink{dialog.Played{Position: dialog.Position{Turn: turn, Offset: d}}}
		}
		r.play(4, begin())
		r.play(4, speech(16000, 120*ms)...)
		synctest.Wait() // one packet is written
		tests := []struct {
			name    string
			turn    dialog.Turn
			samples uint32
			want    []dialog.Uplink
		}{
			{"half a packet", 4, 480, at(4, 30*ms)},
			{"the same again", 4, 480, nil},
			{"less than before", 4, 100, nil},
			{"more than was sent", 4, 1 << 30, at(4, 60*ms)},
			{"of a turn that was never played", 3, 100, nil},
			{"of a turn to come", 5, 100, nil},
			{"of no turn", 0, 100, nil},
		}
		for _, tt := range tests {
			if got := ack(tt.turn, tt.samples); !slices.Equal(got, tt.want) {
				t.Errorf("%s: told %v, want %v", tt.name, got, tt.want)
			}
		}
		drops := r.leg.Stats().Drops
		if drops[DropStaleAck] != 3 || drops[DropExcessAck] != 1 {
			t.Errorf("counted %v, want 3 stale and 1 excessive", drops)
		}
		// The reply before the present one is still remembered: its last sound may
		// leave the speaker after the next one was begun.
		r.play(4, end())
		time.Sleep(time.Second)
		r.play(5, begin())
		r.play(5, speech(16000, 60*ms)...)
		synctest.Wait()
		if got := ack(4, 1920); !slices.Equal(got, at(4, 120*ms)) {
			t.Errorf("the last acknowledgement of the reply before: %v, want %v", got, at(4, 120*ms))
		}
	})
}

// TestUrgentOvertakes: events of the session do not wait behind reply audio.
func TestUrgentOvertakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		r.play(1, begin(), text("a"))
		r.play(1, speech(16000, 300*ms)...)
		synctest.Wait()
		if err := r.leg.Send(dialog.ToolCall{Call: "c", Name: "volume"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		written := story(r.transport.written(), 16000)
		want := []string{"begin 1", `text 1@0s "a"`, "audio@0 begin", "dialog.ToolCall"}
		if !slices.Equal(written, want) {
			t.Errorf("written %q, want %q: the call leaves before audio that waits", written, want)
		}
	})
}

// TestFlushTells what got how far, and an estimate where the device does not say.
func TestFlushTells(t *testing.T) {
	tests := []struct {
		name  string
		after time.Duration
		ack   uint32
		flush dialog.Turn
		want  dialog.Progress
	}{
		{"by the device's count", 500 * ms, 4800, 1, dialog.Progress{Turn: 1, Sent: 720 * ms, Played: 300 * ms, Acknowledged: true}},
		{"by the pace", 500 * ms, 0, 1, dialog.Progress{Turn: 1, Sent: 720 * ms, Played: 500 * ms}},
		{"after the end", 5 * time.Second, 0, 1, dialog.Progress{Turn: 1, Sent: 1000 * ms, Played: 1000 * ms}},
		{"another turn", 500 * ms, 4800, 2, dialog.Progress{Turn: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
				defer r.close()
				go func() {
					_ = r.leg.Play(r.ctx, 1, begin())
					for _, c := range speech(16000, time.Second) {
						_ = r.leg.Play(r.ctx, 1, c)
					}
					_ = r.leg.Play(r.ctx, 1, end())
				}()
				time.Sleep(tt.after)
				synctest.Wait()
				if tt.ack > 0 {
					r.do(func(in *Inlet) error { in.Played(1, tt.ack); return nil })
				}
				got, err := r.leg.Flush(t.Context(), tt.flush, dialog.CauseAbort)
				if err != nil || got != tt.want {
					t.Errorf("progress %+v, %v; want %+v", got, err, tt.want)
				}
				written := r.transport.written()
				if last := written[len(written)-1]; last.control != Control(Flush{tt.flush, dialog.CauseAbort}) {
					t.Errorf("the last thing written is %+v, want the flush", last)
				}
			})
		})
	}
}

// TestFlushBeforeAudio is F11 and F18: a flush is written in every phase, and
// nothing of the turn is sent later.
func TestFlushBeforeAudio(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		for _, turn := range []dialog.Turn{0, 1} {
			if got, err := r.leg.Flush(t.Context(), turn, dialog.CauseAbort); err != nil || got != (dialog.Progress{Turn: turn}) {
				t.Errorf("flush of turn %d: %+v, %v", turn, got, err)
			}
		}
		for _, c := range []*realtime.MessageChunk{begin(), text("late"), speech(16000, 20*ms)[0], end()} {
			if err := r.leg.Play(t.Context(), 1, c); !errors.Is(err, ErrFlushed) {
				t.Errorf("a late chunk got %v, want ErrFlushed", err)
			}
		}
		r.play(2, begin(), text("next"), end())
		synctest.Wait()
		want := []string{"flush 0 abort", "flush 1 abort", "begin 2", `text 2@0s "next"`, "end 2@0s"}
		if got := story(r.transport.written(), 16000); !slices.Equal(got, want) {
			t.Errorf("written %q, want %q", got, want)
		}
	})
}

// TestReplyAfterFlush: the device's queue is empty, so the next reply begins at
// once and not behind what was thrown away.
func TestReplyAfterFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		r.play(1, begin())
		r.play(1, speech(16000, 600*ms)...)
		if _, err := r.leg.Flush(t.Context(), 1, dialog.CauseListen); err != nil {
			t.Fatal(err)
		}
		asked := time.Now()
		r.play(2, begin())
		r.play(2, speech(16000, 60*ms)...)
		r.play(2, end())
		synctest.Wait()
		packets := r.transport.packets()
		if last := packets[len(packets)-1]; !last.at.Equal(asked) || !last.packet.Begin {
			t.Errorf("the last packet is %+v, written %v after the reply was there; want the reply's first one at once", story(packets[len(packets)-1:], 16000), last.at.Sub(asked))
		}
	})
}

// TestFlushOfAnOlderTurn leaves the present one alone.
func TestFlushOfAnOlderTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		r.play(2, begin())
		r.play(2, speech(16000, 300*ms)...)
		if _, err := r.leg.Flush(t.Context(), 1, dialog.CauseAbort); err != nil {
			t.Fatal(err)
		}
		r.play(2, end())
		time.Sleep(time.Second)
		synctest.Wait()
		written := story(r.transport.written(), 16000)
		if n := len(r.transport.packets()); n != 5 || !strings.HasPrefix(written[len(written)-1], "end 2") {
			t.Errorf("%d packets, then %q: turn 2 was not flushed", n, written[len(written)-1])
		}
	})
}
