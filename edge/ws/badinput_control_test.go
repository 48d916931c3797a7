package ws

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
	"edged/realtime"
)

// "Bad input" in text messages, beyond what TestBadInput sends: each is told with
// the member at fault and counted, and the session goes on.
func TestBadControl(t *testing.T) {
	nested := strings.Repeat("[", 8000) + strings.Repeat("]", 8000)
	tests := []struct {
		name, sent string
		code       wire.ErrorCode // empty: nothing is wrong with it
		says       string
	}{
		{"text that is not UTF-8", "{\"type\":\"abort\",\"reason\":\"\xc3\x28\"}", wire.CodeMalformed, "not UTF-8"},
		{"not a number", `{"type":"played","turn":1,"samples":NaN}`, wire.CodeMalformed, "broken JSON"},
		{"infinity", `{"type":"played","turn":1,"samples":Infinity}`, wire.CodeMalformed, "broken JSON"},
		{"1e999", `{"type":"played","turn":1,"samples":1e999}`, wire.CodeMalformed, "samples: "},
		{"a whole number with an exponent", `{"type":"played","turn":1,"samples":1e3}`, wire.CodeMalformed, "samples: "},
		{"a fraction", `{"type":"played","turn":1,"samples":0.5}`, wire.CodeMalformed, "samples: "},
		{"a negative turn", `{"type":"abort","turn":-1}`, wire.CodeMalformed, "turn: "},
		{"2^32", `{"type":"abort","turn":4294967296}`, wire.CodeMalformed, "turn: "},
		{"a number of 1,000 digits", `{"type":"ping","id":` + strings.Repeat("9", 1000) + `}`, wire.CodeMalformed, "id: "},
		{"a type of 10 kB", `{"type":"` + strings.Repeat("x", 10_000) + `"}`, "", ""},
		{"an empty type", `{"type":""}`, "", ""},
		{"no type", `{"state":"start"}`, wire.CodeMalformed, "type: missing"},
		{"a nested type", `{"type":` + nested + `}`, wire.CodeMalformed, "type: "},
		{"nesting beside what is known", `{"type":"pong","id":1,"x":` + nested + `}`, "", ""},
		{"nesting that never ends", `{"type":"pong","x":` + strings.Repeat("[", 16_000), wire.CodeMalformed, "broken JSON"},
		{"two objects", `{"type":"pong","id":1}{"type":"pong","id":2}`, wire.CodeMalformed, "broken JSON"},
		{"a comment", `{"type":"pong","id":1} // hello`, wire.CodeMalformed, "broken JSON"},
		{"a member twice: the last counts", `{"type":"pong","id":"x","id":1}`, "", ""},
		{"a listening period of another kind", `{"type":"listen","state":"start","mode":"always"}`, wire.CodeMalformed, "auto manual realtime"},
		{"a state that is none", `{"type":"listen","state":"pause"}`, wire.CodeMalformed, "start stop"},
		{"a wake word of an hour", `{"type":"wake","audio_ms":3600000}`, wire.CodeTooLarge, "at most 5000"},
		{"a turn 0 that was played", `{"type":"played","turn":0,"samples":1}`, wire.CodeMalformed, "numbered from 1"},
		{"a result without a call", `{"type":"tool_result","content":"x"}`, wire.CodeMalformed, "id: missing"},
		{"a result of a call with a space", `{"type":"tool_result","id":"a b","content":"x"}`, wire.CodeMalformed, "id: "},
		{"a result above 8 KiB", `{"type":"tool_result","id":"c1","content":"` + strings.Repeat("x", wire.MaxToolData+1) + `"}`, wire.CodeTooLarge, "content: 8193 bytes"},
		{"a result that is an object", `{"type":"tool_result","id":"c1","content":{"level":1}}`, wire.CodeMalformed, "content: "},
		{"an error above 512 bytes", `{"type":"tool_result","id":"c1","error":"` + strings.Repeat("x", wire.MaxErrorText+1) + `"}`, wire.CodeTooLarge, "error: 513 bytes"},
		{"a reply of the device's own", `{"type":"reply_begin","turn":1}`, wire.CodeProtocol, "reply_begin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			legs := make(chan *edge.Leg, 1)
			r := newRig(t, edge.Config{Handler: func(ctx context.Context, leg *edge.Leg) error { legs <- leg; return waits(ctx, leg) }}, Config{}, false)
			defer r.stop()
			p := r.connect(helloOf("lamp", opus60, opus60))
			defer p.drop()
			leg := <-legs
			p.raw(websocket.MessageText, []byte(tt.sent))
			if tt.code != "" {
				failure, ok := p.next().(wire.Failure)
				if !ok || failure.Code != tt.code || failure.Fatal || !strings.Contains(failure.Message, tt.says) {
					t.Errorf("told %+v, want a %s that is not fatal and says %q", failure, tt.code, tt.says)
				}
			}
			p.alive()
			want := map[dialog.ErrorCode]uint64{}
			if tt.code != "" {
				want[dialog.ErrorCode(tt.code)] = 1
			}
			if got := leg.Stats().Faults; !maps.Equal(got, want) {
				t.Errorf("counted %v, want %v", got, want)
			}
		})
	}
}

// "Bad input" that is well formed and comes at the wrong time: what the device gets,
// what the session is told and what is counted.
func TestOutOfOrder(t *testing.T) {
	second := &realtime.MessageChunk{Part: &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: make([]byte, 32000)}}
	end := &realtime.MessageChunk{Ctrl: &realtime.StreamCtrl{EndOfStream: true}}
	start := wire.Listen{State: wire.ListenStart, Mode: wire.ModeAuto}
	stop := wire.Listen{State: wire.ListenStop}
	tests := []struct {
		name  string
		reply bool // a reply of one second has been played to turn 1
		send  []wire.Message
		gets  []string // but pongs
		told  []string // the session, but what was sent
		drops map[edge.DropReason]uint64
	}{
		{name: "a stop without a start", send: []wire.Message{stop, stop}},
		{name: "a start in a period", send: []wire.Message{start, start, stop}},
		{name: "realtime of a device that cannot", send: []wire.Message{wire.Listen{State: wire.ListenStart, Mode: wire.ModeRealtime}},
			gets: []string{"error protocol"}, told: []string{"dialog.Fault"}},
		{name: "an acknowledgement before any reply", send: []wire.Message{wire.Played{Turn: 1, Samples: 100}},
			drops: map[edge.DropReason]uint64{edge.DropStaleAck: 1}},
		{name: "an acknowledgement of a future turn", reply: true, send: []wire.Message{wire.Played{Turn: 2, Samples: 100}, wire.Played{Turn: 4294967295, Samples: 4294967295}},
			drops: map[edge.DropReason]uint64{edge.DropStaleAck: 2}},
		{name: "an acknowledgement beyond what was sent", reply: true, send: []wire.Message{wire.Played{Turn: 1, Samples: 4294967295}},
			told: []string{"dialog.Played 1@1s"}, drops: map[edge.DropReason]uint64{edge.DropExcessAck: 1}},
		{name: "an acknowledgement that goes back", reply: true, send: []wire.Message{wire.Played{Turn: 1, Samples: 9600}, wire.Played{Turn: 1, Samples: 4800}, wire.Played{Turn: 1, Samples: 9600}},
			told: []string{"dialog.Played 1@600ms"}},
		{name: "an abort of nothing", send: []wire.Message{wire.Abort{}}, told: []string{"dialog.Abort"}},
		{name: "an abort of a future turn", reply: true, send: []wire.Message{wire.Abort{Turn: 7}}, told: []string{"dialog.Abort"}},
		{name: "a result that nobody asked for", send: []wire.Message{wire.ToolResult{ID: "never", Content: "1"}}, told: []string{"dialog.ToolResult"}},
		{name: "pongs that nobody asked for", send: []wire.Message{wire.Pong{ID: 3}, wire.Pong{ID: 4294967295}}},
		{name: "two wake words", send: []wire.Message{wire.Wake{Phrase: "hello"}, wire.Wake{AudioMS: 5000}}, told: []string{"dialog.Wake", "dialog.Wake"}},
		{name: "a hello in the middle", send: []wire.Message{helloOf("other", pcm20, pcm20)},
			gets: []string{"error protocol"}, told: []string{"dialog.Fault"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				legs, told := make(chan *edge.Leg, 1), make(chan dialog.Uplink, 64)
				r := newRig(t, edge.Config{Handler: func(ctx context.Context, leg *edge.Leg) error {
					if tt.reply {
						for _, c := range []*realtime.MessageChunk{second, end} {
							if err := leg.Play(ctx, 1, c); err != nil {
								return err
							}
						}
					}
					legs <- leg
					for e := range leg.Events() {
						told <- e
					}
					return nil
				}}, Config{}, true)
				defer r.stop()
				p := r.connect(helloOf("lamp", pcm20, pcm20))
				defer p.drop()
				p.t = t
				if tt.reply {
					if turn, _, frames := p.reply(pcm20); turn != 1 || len(frames) != 50 {
						t.Fatalf("turn %d came in %d frames, want a second of turn 1", turn, len(frames))
					}
				}
				leg := <-legs
				for _, m := range tt.send {
					p.send(m)
				}
				p.send(wire.Ping{ID: 5})
				var gets []string
				for {
					m := p.next()
					if _, pong := m.(wire.Pong); pong {
						break
					}
					if f, failure := m.(wire.Failure); failure && !f.Fatal {
						gets = append(gets, "error "+string(f.Code))
						continue
					}
					gets = append(gets, fmt.Sprintf("%T", m))
				}
				if !slices.Equal(gets, tt.gets) {
					t.Errorf("the device gets %q, want %q", gets, tt.gets)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if got := happened(told); !slices.Equal(got, tt.told) {
					t.Errorf("the session is told %q, want %q", got, tt.told)
				}
				if got := leg.Stats().Drops; !maps.Equal(got, tt.drops) {
					t.Errorf("counted %v, want %v", got, tt.drops)
				}
			})
		})
	}
}

// happened describes the events that wait, without those of sending.
func happened(told <-chan dialog.Uplink) (names []string) {
	for {
		select {
		case e := <-told:
			switch e := e.(type) {
			case dialog.Sent, dialog.Delivered:
			case dialog.Played:
				names = append(names, "dialog.Played "+e.String())
			default:
				names = append(names, fmt.Sprintf("%T", e))
			}
		default:
			return names
		}
	}
}
