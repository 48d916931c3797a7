package ws

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"edged/audio/opus"
	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
	"edged/realtime"
)

// say sends a listening period of n frames.
func (p *peer) say(f wire.Format, seq uint32, n int) {
	p.t.Helper()
	payload := tone(p.t, f)
	p.send(wire.Listen{State: wire.ListenStart, Mode: wire.ModeManual})
	for i := range n {
		frame := wire.Frame{Seq: seq + uint32(i), Timestamp: uint32(i * f.Samples()), Payload: payload}
		if i == 0 {
			frame.Flags |= wire.FlagBOS
		}
		if i == n-1 {
			frame.Flags |= wire.FlagEOS
		}
		p.frame(frame)
	}
	p.send(wire.Listen{State: wire.ListenStop})
}

// reply collects a reply up to its end and checks its order.
func (p *peer) reply(f wire.Format) (turn uint32, text string, frames []wire.Frame) {
	p.t.Helper()
	var ended bool
	for {
		switch m := p.next().(type) {
		case wire.ReplyBegin:
			turn = m.Turn
		case wire.ReplyText:
			if m.Turn != turn {
				p.t.Errorf("text of turn %d in the reply of turn %d", m.Turn, turn)
			}
			text += m.Text
		case wire.Frame:
			i := len(frames)
			if turn == 0 || ended || m.Flags.Has(wire.FlagBOS) != (i == 0) || len(m.Payload) > 0 && m.Timestamp != uint32(i*f.Samples()) {
				p.t.Errorf("frame %d of turn %d: flags %d, timestamp %d", i, turn, m.Flags, m.Timestamp)
			}
			ended = m.Flags.Has(wire.FlagEOS)
			m.Payload = slices.Clone(m.Payload)
			frames = append(frames, m)
		case wire.ReplyEnd:
			if m.Turn != turn || !ended && len(frames) > 0 {
				p.t.Errorf("end of turn %d in the reply of turn %d, EOS seen: %v", m.Turn, turn, ended)
			}
			return turn, text, frames
		case wire.Failure:
			p.t.Fatalf("error in the reply: %+v", m)
		}
	}
}

// TestConversation: three turns over a real socket, in every pairing of formats.
func TestConversation(t *testing.T) {
	r := newRig(t, edge.Config{Handler: parrot}, Config{}, false)
	defer r.stop()
	formats := []wire.Format{opus60, opus20, pcm20, wireFormat(wire.CodecPCM, 48000, 60), wireFormat(wire.CodecOpus, 24000, 40)}
	for i, up := range formats {
		down := formats[(i+2)%len(formats)]
		t.Run(fmt.Sprintf("%v %d up, %v %d down", up.Codec, up.SampleRate, down.Codec, down.SampleRate), func(t *testing.T) {
			p := r.connect(helloOf(fmt.Sprint("lamp", i), up, down))
			defer p.drop()
			p.t = t
			var seq, down0 uint32
			for turn := uint32(1); turn <= 3; turn++ {
				p.say(up, seq, 5)
				seq += 5
				got, text, frames := p.reply(down)
				if got != turn || text != "You said 5 things." && text != "You said 6 things." {
					t.Errorf("turn %d, %q; want turn %d", got, text, turn)
				}
				said := 5 * up.FrameMS
				if want := (said + down.FrameMS - 1) / down.FrameMS; uint32(len(frames)) != want {
					t.Errorf("%d frames for %d ms", len(frames), said)
				}
				for _, f := range frames {
					if f.Seq != down0 {
						t.Fatalf("frame number %d, want %d: numbers go on across turns", f.Seq, down0)
					}
					down0++
				}
				p.send(wire.Played{Turn: turn, Samples: uint32(said) * down.SampleRate / 1000})
			}
			p.send(wire.Bye{Reason: "good night"})
			if status, failure := p.closed(); status != websocket.StatusNormalClosure || failure != nil {
				t.Errorf("after the bye: closed with %d, %+v", status, failure)
			}
		})
	}
}

// TestAbortOnTheWire: nothing of the turn arrives after its flush, and the next
// question is answered (F13).
func TestAbortOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, edge.Config{Handler: parrot}, Config{}, true)
		defer r.stop()
		p := r.connect(helloOf("lamp", pcm20, pcm60))
		defer p.drop()
		seq := uint32(0)
		for turn := uint32(1); turn <= 10; turn++ {
			p.say(pcm20, seq, 100)
			seq += 100
			frames := 0
			for frames < 4 { // in the middle of the reply
				if _, ok := p.next().(wire.Frame); ok {
					frames++
				}
			}
			p.send(wire.Abort{Turn: turn, Reason: "button"})
			for {
				if f, ok := p.next().(wire.Flush); ok {
					if f.Turn != turn || f.Cause != wire.CauseAbort {
						t.Errorf("flush %+v, want turn %d because of the abort", f, turn)
					}
					break
				}
			}
			// What follows belongs to the next turn only: a pong proves that
			// nothing was on its way.
			time.Sleep(5 * time.Second)
			p.send(wire.Ping{ID: turn})
			if m, ok := p.next().(wire.Pong); !ok || m.ID != turn {
				t.Fatalf("after the flush of turn %d came %+v", turn, m)
			}
		}
	})
}

// TestDownlinkMessages: every event has its message.
func TestDownlinkMessages(t *testing.T) {
	zero, nine := uint32(0), uint32(9)
	tests := []struct {
		event dialog.Downlink
		want  wire.Message
	}{
		{dialog.SpeechStarted{At: 320 * ms}, wire.Speech{State: wire.SpeechStarted, AtMS: 320}},
		{dialog.SpeechStopped{At: 2180 * ms}, wire.Speech{State: wire.SpeechStopped, AtMS: 2180}},
		{dialog.Transcript{Turn: 1, Text: "what time"}, wire.Transcript{Turn: 1, Text: "what time"}},
		{dialog.Transcript{Turn: 1, Text: strings.Repeat("ä", 3000), Final: true}, wire.Transcript{Turn: 1, Text: strings.Repeat("ä", 2048), Final: true}},
		{dialog.ToolCall{Call: "c1", Name: "set_volume", Arguments: json.RawMessage(`{"level":30}`)}, wire.ToolCall{ID: "c1", Name: "set_volume", Arguments: json.RawMessage(`{"level":30}`)}},
		{dialog.Timing{Turn: 2, Endpoint: 0, ASRFinal: 9 * ms, FirstToken: -1, FirstAudio: -1, FirstPacket: -1}, wire.Timing{Turn: 2, Endpoint: &zero, ASRFinal: &nine}},
		{dialog.Failure{Code: dialog.ErrorTTS, Message: "no voice"}, wire.Failure{Code: wire.CodeTTS, Message: "no voice"}},
		{dialog.Failure{Code: dialog.ErrorASR, Message: "bad \xff bytes"}, wire.Failure{Code: wire.CodeASR, Message: "bad \uFFFD bytes"}},
	}
	legs := make(chan *edge.Leg, 1)
	r := newRig(t, edge.Config{Handler: func(ctx context.Context, leg *edge.Leg) error { legs <- leg; return waits(ctx, leg) }}, Config{}, false)
	defer r.stop()
	p := r.connect(helloOf("lamp", opus60, opus60))
	defer p.drop()
	leg := <-legs
	for _, tt := range tests {
		if err := leg.Send(tt.event); err != nil {
			t.Fatal(err)
		}
		got := p.next()
		if fmt.Sprint(asJSON(t, got)) != fmt.Sprint(asJSON(t, tt.want)) {
			t.Errorf("%T arrives as %s, want %s", tt.event, asJSON(t, got), asJSON(t, tt.want))
		}
	}
	// Long text is split between characters, its pieces add up.
	long := strings.Repeat("grün ", 2000)
	for _, c := range []*realtime.MessageChunk{{Part: realtime.Text(long)}, {Ctrl: &realtime.StreamCtrl{EndOfStream: true}}} {
		if err := leg.Play(t.Context(), 1, c); err != nil {
			t.Fatal(err)
		}
	}
	if _, text, _ := p.reply(opus60); text != long {
		t.Errorf("%d bytes of reply text arrived, want %d unchanged", len(text), len(long))
	}
	// A call that does not fit is answered at once instead of timing out.
	big := json.RawMessage(`{"x":"` + strings.Repeat("x", wire.MaxToolData) + `"}`)
	if err := leg.Send(dialog.ToolCall{Call: "c2", Name: "set_volume", Arguments: big}); err != nil {
		t.Fatal(err)
	}
	for e := range leg.Events() {
		if result, ok := e.(dialog.ToolResult); ok {
			if result.Call != "c2" || !strings.Contains(result.Error, "could not be sent") {
				t.Errorf("result %+v", result)
			}
			break
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	m, ok := v.(wire.Message)
	if !ok {
		return fmt.Sprintf("%+v", v)
	}
	b, err := wire.AppendMessage(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestUplinkMessages: every message of the device has its event.
func TestUplinkMessages(t *testing.T) {
	events := make(chan dialog.Uplink, 16)
	r := newRig(t, edge.Config{Handler: func(ctx context.Context, leg *edge.Leg) error {
		if err := leg.Play(ctx, 1, &realtime.MessageChunk{Part: &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: make([]byte, 1920)}}); err != nil {
			return err
		}
		for e := range leg.Events() {
			events <- e
		}
		return nil
	}}, Config{}, false)
	defer r.stop()
	p := r.connect(helloOf("lamp", opus60, pcm60))
	defer p.drop()
	if sent, ok := (<-events).(dialog.Sent); !ok || sent.Offset != 60*ms {
		t.Errorf("sent %+v, want 60 ms", sent)
	}
	tests := []struct {
		send wire.Message
		want dialog.Uplink
	}{
		{wire.Played{Turn: 1, Samples: 480}, dialog.Played{Position: dialog.Position{Turn: 1, Offset: 30 * ms}}},
		{wire.Abort{Turn: 3, Reason: "button"}, dialog.Abort{Turn: 3, Reason: "button"}},
		{wire.Abort{}, dialog.Abort{}},
		{wire.Wake{Phrase: "hello lamp", AudioMS: 720}, dialog.Wake{Phrase: "hello lamp"}},
		{wire.Wake{}, dialog.Wake{}},
		{wire.ToolResult{ID: "c1", Content: "42"}, dialog.ToolResult{Call: "c1", Content: "42"}},
		{wire.ToolResult{ID: "c1", Error: "no"}, dialog.ToolResult{Call: "c1", Error: "no"}},
	}
	for _, tt := range tests {
		p.send(tt.send)
		if got := <-events; got != tt.want {
			t.Errorf("%+v arrives as %+v, want %+v", tt.send, got, tt.want)
		}
	}
}

// TestErrorCodes: dialog and wire speak of the same codes and causes.
func TestErrorCodes(t *testing.T) {
	codes := map[dialog.ErrorCode]wire.ErrorCode{
		dialog.ErrorMalformed: wire.CodeMalformed, dialog.ErrorProtocol: wire.CodeProtocol, dialog.ErrorVersion: wire.CodeVersion,
		dialog.ErrorTooLarge: wire.CodeTooLarge, dialog.ErrorAudio: wire.CodeAudio, dialog.ErrorUnauthorized: wire.CodeUnauthorized,
		dialog.ErrorTimeout: wire.CodeTimeout, dialog.ErrorBusy: wire.CodeBusy, dialog.ErrorReplaced: wire.CodeReplaced,
		dialog.ErrorShutdown: wire.CodeShutdown, dialog.ErrorASR: wire.CodeASR, dialog.ErrorGenerate: wire.CodeGenerate,
		dialog.ErrorTTS: wire.CodeTTS, dialog.ErrorInternal: wire.CodeInternal,
	}
	for d, w := range codes {
		if string(d) != string(w) {
			t.Errorf("dialog says %q where the wire says %q", d, w)
		}
	}
	causes := map[dialog.Cause]wire.Cause{
		dialog.CauseAbort: wire.CauseAbort, dialog.CauseListen: wire.CauseListen,
		dialog.CauseSpeech: wire.CauseSpeech, dialog.CauseWake: wire.CauseWake,
		dialog.CauseError: wire.CauseError, dialog.CauseShutdown: wire.CauseShutdown,
	}
	for d, w := range causes {
		if string(d) != string(w) {
			t.Errorf("dialog says %q where the wire says %q", d, w)
		}
	}
	modes := map[dialog.Mode]wire.ListenMode{dialog.ModeAuto: wire.ModeAuto, dialog.ModeManual: wire.ModeManual, dialog.ModeRealtime: wire.ModeRealtime}
	for d, w := range modes {
		if string(d) != string(w) {
			t.Errorf("dialog says %q where the wire says %q", d, w)
		}
	}
	if opus.MaxPacket > wire.MaxOpusPayload {
		t.Errorf("the encoder may write %d bytes, a frame takes %d", opus.MaxPacket, wire.MaxOpusPayload)
	}
}
