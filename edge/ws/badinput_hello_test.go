package ws

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// edited is a hello whose text was changed at one place.
func edited(t *testing.T, was, is string) []byte {
	t.Helper()
	hello := asJSON(t, helloOf("lamp", opus60, opus60))
	if strings.Count(hello, was) == 0 {
		t.Fatalf("%s has no %s", hello, was)
	}
	return []byte(strings.Replace(hello, was, is, 1))
}

// "Bad input", the hello: who says a wrong one is told which member is at fault,
// and is closed with the code of the fault; no session begins.
func TestBadHello(t *testing.T) {
	many := make([]string, wire.MaxTools+1)
	for i := range many {
		many[i] = fmt.Sprintf(`{"name":"t%d"}`, i)
	}
	device := func(is string) []byte { return edited(t, `"device":"lamp"`, is) }
	buffer := func(is string) []byte { return edited(t, `"buffer_ms":2400`, `"buffer_ms":`+is) }
	tools := func(is string) []byte { return edited(t, `"buffer_ms"`, `"tools":`+is+`,"buffer_ms"`) }
	resume := func(is string) []byte { return edited(t, `"buffer_ms"`, `"resume":`+is+`,"buffer_ms"`) }
	tests := []struct {
		name string
		sent []byte
		code wire.ErrorCode
		says string
	}{
		{"an empty message", nil, wire.CodeMalformed, "broken JSON"},
		{"half of it", device(`"device":"lamp"`)[:100], wire.CodeMalformed, "broken JSON"},
		{"a byte order mark", append([]byte("\xef\xbb\xbf"), device(`"device":"lamp"`)...), wire.CodeMalformed, "broken JSON"},
		{"a list of hellos", []byte(`[{"type":"hello"}]`), wire.CodeMalformed, "JSON object"},
		{"nothing but its type", []byte(`{"type":"hello"}`), wire.CodeMalformed, "protocol: missing"},
		{"no protocol", edited(t, `"protocol":"edged.v1",`, ``), wire.CodeMalformed, "protocol: missing"},
		{"no device", device(`"x":1`), wire.CodeMalformed, "device: missing"},
		{"no audio", edited(t, `"audio"`, `"sound"`), wire.CodeMalformed, "audio: missing"},
		{"no format up", edited(t, `"up"`, `"upward"`), wire.CodeMalformed, "audio.up: missing"},
		{"no frame length", edited(t, `"frame_ms"`, `"frame"`), wire.CodeMalformed, "frame_ms: missing"},
		{"a device that is a number", device(`"device":17`), wire.CodeMalformed, "device: \\\"17\\\", want a string"},
		{"an empty device", device(`"device":""`), wire.CodeMalformed, "device: empty"},
		{"a device of 10 kB", device(`"device":"` + strings.Repeat("d", 10_000) + `"`), wire.CodeTooLarge, "device: 10000 bytes, at most 64"},
		{"a device of control characters", device(`"device":"a\u0000\u001b[2J\r\n"`), wire.CodeMalformed, "device: "},
		{"raw control characters", device("\"device\":\"a\x00\x1b\""), wire.CodeMalformed, "broken JSON"},
		{"a device with a space", device(`"device":"my lamp"`), wire.CodeMalformed, "printable ASCII"},
		{"a device in another script", device(`"device":"лампа"`), wire.CodeMalformed, "printable ASCII"},
		{"a device that is not UTF-8", device("\"device\":\"la\xffmp\""), wire.CodeMalformed, "not UTF-8"},
		{"half a surrogate for a device", device(`"device":"\ud800"`), wire.CodeMalformed, "printable ASCII"},
		{"a codec that is a number", edited(t, `"codec":"opus"`, `"codec":1`), wire.CodeMalformed, "audio.up.codec"},
		{"two channels", edited(t, `"channels":1`, `"channels":2`), wire.CodeMalformed, "audio.up.channels: 2"},
		{"no channel", edited(t, `"channels":1`, `"channels":0`), wire.CodeMalformed, "audio.up.channels: 0"},
		{"a rate of 1e999", edited(t, `"sample_rate":16000`, `"sample_rate":1e999`), wire.CodeMalformed, "audio.up.sample_rate"},
		{"a rate that is no number", edited(t, `"sample_rate":16000`, `"sample_rate":NaN`), wire.CodeMalformed, "broken JSON"},
		{"a frame of a fraction", edited(t, `"frame_ms":60`, `"frame_ms":59.5`), wire.CodeMalformed, "audio.up.frame_ms"},
		{"a queue of ten minutes and a millisecond", buffer("600001"), wire.CodeTooLarge, "buffer_ms: 600001, at most 600000"},
		{"a queue beyond 32 bits", buffer("4294967296"), wire.CodeMalformed, "buffer_ms"},
		{"a negative queue", buffer("-1"), wire.CodeMalformed, "buffer_ms"},
		{"a queue in words", buffer(`"lots"`), wire.CodeMalformed, "buffer_ms"},
		{"capabilities that are a list", edited(t, `"capabilities":{`, `"capabilities":["ack"],"x":{`), wire.CodeMalformed, "capabilities"},
		{"a token above 4 KiB", device(`"device":"lamp","token":"` + strings.Repeat("t", wire.MaxToken+1) + `"`), wire.CodeTooLarge, "token: 4097 bytes"},
		{"too many tools", tools(`[` + strings.Join(many, ",") + `]`), wire.CodeTooLarge, "tools: 33 tools, at most 32"},
		{"tools that are an object", tools(`{"name":"a"}`), wire.CodeMalformed, "tools: "},
		{"a tool without a name", tools(`[{}]`), wire.CodeMalformed, "tools[0].name: missing"},
		{"a tool twice", tools(`[{"name":"a"},{"name":"a"}]`), wire.CodeMalformed, "tools[1].name"},
		{"a tool whose schema is text", tools(`[{"name":"a","parameters":"{}"}]`), wire.CodeMalformed, "tools[0].parameters"},
		{"a tool whose schema is cut", tools(`[{"name":"a","parameters":{"type":]}]`), wire.CodeMalformed, "broken JSON"},
		{"a tool whose schema is too large", tools(`[{"name":"a","parameters":{"x":"` + strings.Repeat("x", wire.MaxToolSchema) + `"}}]`), wire.CodeTooLarge, "tools[0].parameters"},
		{"a resume without a session", resume(`{}`), wire.CodeMalformed, "resume.session: missing"},
		{"a resume of 2^40 samples", resume(`{"session":"s","turn":1,"samples":1099511627776}`), wire.CodeMalformed, "resume.samples"},
	}
	var log notices
	r := newRig(t, edge.Config{Handler: waits, Log: log.logger()}, Config{}, false)
	defer r.stop()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, _, err := r.dial("")
			if err != nil {
				t.Fatal(err)
			}
			defer p.drop()
			p.t = t
			before, code := log.count("connection turned away"), dialog.ErrorCode(tt.code)
			counted := r.server.Totals().Refused[code]
			p.raw(websocket.MessageText, tt.sent)
			status, failure := p.closed()
			says := strings.ReplaceAll(tt.says, `\"`, `"`)
			if int(status) != tt.code.CloseCode() || failure == nil || failure.Code != tt.code || !failure.Fatal || !strings.Contains(failure.Message, says) {
				t.Errorf("closed with %d, told %+v; want a fatal %s that says %q", status, failure, tt.code, says)
			}
			if n := log.count("connection turned away") - before; n != 1 {
				t.Errorf("%d lines of the log tell of it, want 1", n)
			}
			if n := r.server.Totals().Refused[code] - counted; n != 1 {
				t.Errorf("counted %d times as %s, want once", n, code)
			}
			if n := r.server.Sessions(); n != 0 {
				t.Errorf("%d sessions began", n)
			}
		})
	}
}

// "Bad input" that is none: what a hello may have in it besides, and what the server
// makes of it.
func TestOddHello(t *testing.T) {
	tests := []struct {
		name string
		sent []byte
		want func(dialog.Hello) bool
	}{
		{"unknown members", edited(t, `"device"`, `"colour":{"r":[1,2]},"device"`),
			func(h dialog.Hello) bool { return h.Device == "lamp" }},
		{"a member twice: the last counts", edited(t, `"device":"lamp"`, `"device":17,"device":"lamp"`),
			func(h dialog.Hello) bool { return h.Device == "lamp" }},
		{"a member in capitals is another one", edited(t, `"device"`, `"Device":17,"device"`),
			func(h dialog.Hello) bool { return h.Device == "lamp" }},
		{"null members", edited(t, `"buffer_ms":2400`, `"buffer_ms":null,"tools":null,"resume":null,"model":null`),
			func(h dialog.Hello) bool {
				return h.Capabilities.QueueCap == 0 && h.Resume == nil && len(h.Tools) == 0
			}},
		{"a queue of ten minutes", edited(t, `"buffer_ms":2400`, `"buffer_ms":600000`),
			func(h dialog.Hello) bool { return h.Capabilities.Lead == edge.MaxLead }},
		{"a session that is not there", edited(t, `"buffer_ms"`, `"resume":{"session":"gone","turn":4,"samples":9},"buffer_ms"`),
			func(h dialog.Hello) bool { return h.Resume == nil && h.Session != "gone" }},
		{"nesting of 2,000", edited(t, `"device"`, `"x":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`,"device"`),
			func(h dialog.Hello) bool { return h.Device == "lamp" }},
		{"a tool with a schema that means nothing", edited(t, `"buffer_ms"`, `"tools":[{"name":"a","parameters":{"type":"colour"}}],"buffer_ms"`),
			func(h dialog.Hello) bool { return len(h.Tools) == 1 && json.Valid(h.Tools[0].Parameters) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			legs := make(chan *edge.Leg, 1)
			r := newRig(t, edge.Config{
				Resume:  func(dialog.Hello) (dialog.Resumed, bool) { return dialog.Resumed{}, false },
				Handler: func(ctx context.Context, leg *edge.Leg) error { legs <- leg; return waits(ctx, leg) },
			}, Config{}, false)
			defer r.stop()
			p, _, err := r.dial("")
			if err != nil {
				t.Fatal(err)
			}
			defer p.drop()
			p.raw(websocket.MessageText, tt.sent)
			if hello, ok := p.next().(wire.ServerHello); !ok || hello.Resumed != nil {
				t.Fatalf("answered %+v, want the hello of a new session", hello)
			}
			if h := (<-legs).Hello(); !tt.want(h) {
				t.Errorf("taken for %+v", h)
			}
			p.alive()
		})
	}
}
