package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func ms(n uint32) *uint32 { return &n }

var (
	opus16 = Format{Codec: CodecOpus, SampleRate: 16000, Channels: 1, FrameMS: 60}
	pcm24  = Format{Codec: CodecPCM, SampleRate: 24000, Channels: 1, FrameMS: 20}
)

// messageCases feed decoding, encoding and the fuzz corpus.
var messageCases = []struct {
	name string
	from Direction
	json string
	want Message
}{
	{"hello of a bare device", FromDevice,
		`{"type":"hello","protocol":"edged.v1","device":"24:0a:c4:00:01:10","audio":{"up":{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":60},"down":{"codec":"pcm","sample_rate":24000,"channels":1,"frame_ms":20}}}`,
		DeviceHello{Protocol: "edged.v1", Device: "24:0a:c4:00:01:10", Audio: Audio{Up: opus16, Down: pcm24}}},
	{"hello of a full device", FromDevice,
		`{"type":"hello","protocol":"edged.v1","device":"lamp-1","token":"t","model":"lamp","firmware":"1.2","audio":{"up":{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":60},"down":{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":60}},"buffer_ms":2400,"capabilities":{"full_duplex":true,"aec":true,"flush":true,"ack":true},"tools":[{"name":"set_volume","description":"Sets <it>.","parameters":{"type":"object"}},{"name":"get_volume"}]}`,
		DeviceHello{Protocol: "edged.v1", Device: "lamp-1", Token: "t", Model: "lamp", Firmware: "1.2",
			Audio: Audio{Up: opus16, Down: opus16}, BufferMS: 2400,
			Capabilities: Capabilities{FullDuplex: true, AEC: true, Flush: true, Ack: true},
			Tools: []Tool{{Name: "set_volume", Description: "Sets <it>.", Parameters: json.RawMessage(`{"type":"object"}`)},
				{Name: "get_volume"}}}},
	{"hello of the server", FromServer,
		`{"type":"hello","protocol":"edged.v1","session":"s-1","device":"lamp-1","audio":{"up":{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":60},"down":{"codec":"pcm","sample_rate":24000,"channels":1,"frame_ms":20}},"lead_ms":240,"ping_ms":20000,"limits":{"control_bytes":16384,"payload_bytes":5760,"idle_ms":60000}}`,
		ServerHello{Protocol: "edged.v1", Session: "s-1", Device: "lamp-1", Audio: Audio{Up: opus16, Down: pcm24},
			LeadMS: 240, PingMS: 20000, Limits: Limits{ControlBytes: 16384, PayloadBytes: 5760, IdleMS: 60000}}},
	{"hello of a server with all limits", FromServer,
		`{"type":"hello","protocol":"edged.v1","session":"s-1","device":"lamp-1","audio":{"up":{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":60},"down":{"codec":"pcm","sample_rate":24000,"channels":1,"frame_ms":20}},"lead_ms":240,"limits":{"control_bytes":16384,"payload_bytes":5760,"idle_ms":60000,"control_per_second":50,"audio_percent":400}}`,
		ServerHello{Protocol: "edged.v1", Session: "s-1", Device: "lamp-1", Audio: Audio{Up: opus16, Down: pcm24}, LeadMS: 240,
			Limits: Limits{ControlBytes: 16384, PayloadBytes: 5760, IdleMS: 60000, ControlPerSecond: 50, AudioPercent: 400}}},
	{"hello of a device that comes back", FromDevice,
		`{"type":"hello","protocol":"edged.v1","device":"lamp-1","audio":{"up":{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":60},"down":{"codec":"pcm","sample_rate":24000,"channels":1,"frame_ms":20}},"capabilities":{"ack":true,"hold":true},"resume":{"session":"s-1","turn":3,"samples":48000}}`,
		DeviceHello{Protocol: "edged.v1", Device: "lamp-1", Audio: Audio{Up: opus16, Down: pcm24}, Capabilities: Capabilities{Ack: true, Hold: true},
			Resume: &Resume{Session: "s-1", Turn: 3, Samples: 48000}}},
	{"hello of a device that comes back with nothing", FromDevice,
		`{"type":"hello","protocol":"edged.v1","device":"lamp-1","audio":{"up":{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":60},"down":{"codec":"pcm","sample_rate":24000,"channels":1,"frame_ms":20}},"resume":{"session":"s-1"}}`,
		DeviceHello{Protocol: "edged.v1", Device: "lamp-1", Audio: Audio{Up: opus16, Down: pcm24}, Resume: &Resume{Session: "s-1"}}},
	{"hello of a server that goes on", FromServer,
		`{"type":"hello","protocol":"edged.v1","session":"s-1","device":"lamp-1","audio":{"up":{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":60},"down":{"codec":"pcm","sample_rate":24000,"channels":1,"frame_ms":20}},"lead_ms":240,"resumed":{"turn":3,"answering":true}}`,
		ServerHello{Protocol: "edged.v1", Session: "s-1", Device: "lamp-1", Audio: Audio{Up: opus16, Down: pcm24}, LeadMS: 240,
			Resumed: &Resumed{Turn: 3, Answering: true}}},
	{"listen for good", FromDevice, `{"type":"listen","state":"start","mode":"realtime"}`, Listen{State: ListenStart, Mode: ModeRealtime}},
	{"wake word", FromDevice, `{"type":"wake","phrase":"hello lamp","audio_ms":720}`, Wake{Phrase: "hello lamp", AudioMS: 720}},
	{"some wake word", FromDevice, `{"type":"wake"}`, Wake{}},
	{"reply goes on", FromServer, `{"type":"reply_begin","turn":3,"resumed":true}`, ReplyBegin{Turn: 3, Resumed: true}},
	{"hold", FromServer, `{"type":"hold","turn":3,"samples":31680}`, Hold{Turn: 3, Samples: 31680}},
	{"release", FromServer, `{"type":"release","turn":3}`, Release{Turn: 3}},
	{"listen start", FromDevice, `{"type":"listen","state":"start","mode":"auto"}`, Listen{State: ListenStart, Mode: ModeAuto}},
	{"listen stop", FromDevice, `{"type":"listen","state":"stop"}`, Listen{State: ListenStop}},
	{"speech started", FromServer, `{"type":"speech","state":"started","at_ms":320}`, Speech{State: SpeechStarted, AtMS: 320}},
	{"speech stopped at the very beginning", FromServer, `{"type":"speech","state":"stopped","at_ms":0}`, Speech{State: SpeechStopped}},
	{"partial", FromServer, `{"type":"transcript","turn":1,"text":"what is","final":false}`, Transcript{Turn: 1, Text: "what is"}},
	{"nothing understood", FromServer, `{"type":"transcript","turn":0,"text":"","final":true}`, Transcript{Final: true}},
	{"reply begin", FromServer, `{"type":"reply_begin","turn":4294967295}`, ReplyBegin{Turn: 1<<32 - 1}},
	{"reply text", FromServer, `{"type":"reply_text","turn":1,"text":"5 < 6 & ü 好 \"x\"\n","at_ms":1250}`, ReplyText{Turn: 1, Text: "5 < 6 & ü 好 \"x\"\n", AtMS: 1250}},
	{"reply end", FromServer, `{"type":"reply_end","turn":1,"duration_ms":3120}`, ReplyEnd{Turn: 1, DurationMS: 3120}},
	{"flush", FromServer, `{"type":"flush","turn":3,"cause":"abort"}`, Flush{Turn: 3, Cause: CauseAbort}},
	{"flush of nothing, cause of a later version", FromServer, `{"type":"flush","turn":0,"cause":"moon_phase"}`, Flush{Cause: "moon_phase"}},
	{"flush, talked over", FromServer, `{"type":"flush","turn":3,"cause":"speech"}`, Flush{Turn: 3, Cause: CauseSpeech}},
	{"flush, wake word", FromServer, `{"type":"flush","turn":3,"cause":"wake"}`, Flush{Turn: 3, Cause: CauseWake}},
	{"hold at the very beginning", FromServer, `{"type":"hold","turn":3,"samples":0}`, Hold{Turn: 3}},
	{"longest wake word", FromDevice, `{"type":"wake","audio_ms":5000}`, Wake{AudioMS: MaxWakeAudio}},
	{"hello of a server that goes on, at rest", FromServer,
		`{"type":"hello","protocol":"edged.v1","session":"s-1","device":"lamp-1","audio":{"up":{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":60},"down":{"codec":"pcm","sample_rate":24000,"channels":1,"frame_ms":20}},"lead_ms":240,"resumed":{"turn":0,"answering":false}}`,
		ServerHello{Protocol: "edged.v1", Session: "s-1", Device: "lamp-1", Audio: Audio{Up: opus16, Down: pcm24}, LeadMS: 240, Resumed: &Resumed{}}},
	{"played", FromDevice, `{"type":"played","turn":3,"samples":48000}`, Played{Turn: 3, Samples: 48000}},
	{"abort of anything", FromDevice, `{"type":"abort"}`, Abort{}},
	{"abort of one turn", FromDevice, `{"type":"abort","turn":2,"reason":"button"}`, Abort{Turn: 2, Reason: "button"}},
	{"tool call", FromServer, `{"type":"tool_call","id":"c1","name":"set_volume","arguments":{"level":30}}`,
		ToolCall{ID: "c1", Name: "set_volume", Arguments: json.RawMessage(`{"level":30}`)}},
	{"tool call without arguments", FromServer, `{"type":"tool_call","id":"c2","name":"get_volume"}`, ToolCall{ID: "c2", Name: "get_volume"}},
	{"tool result", FromDevice, `{"type":"tool_result","id":"c1","content":"{\"level\":30}"}`, ToolResult{ID: "c1", Content: `{"level":30}`}},
	{"tool failure", FromDevice, `{"type":"tool_result","id":"c1","content":"","error":"speaker is off"}`, ToolResult{ID: "c1", Error: "speaker is off"}},
	{"timing of a whole turn", FromServer, `{"type":"timing","turn":1,"endpoint_ms":400,"asr_final_ms":490,"first_token_ms":0,"first_audio_ms":503,"first_packet_ms":505}`,
		Timing{Turn: 1, Endpoint: ms(400), ASRFinal: ms(490), FirstToken: ms(0), FirstAudio: ms(503), FirstPacket: ms(505)}},
	{"timing of a turn without a question", FromServer, `{"type":"timing","turn":2,"first_audio_ms":3,"first_packet_ms":5}`,
		Timing{Turn: 2, FirstAudio: ms(3), FirstPacket: ms(5)}},
	{"error", FromServer, `{"type":"error","code":"bad_audio","message":"Ogg page instead of an Opus packet","fatal":false}`,
		Failure{Code: CodeAudio, Message: "Ogg page instead of an Opus packet"}},
	{"fatal error", FromServer, `{"type":"error","code":"busy","message":"full","fatal":true,"retry_after_ms":5000}`,
		Failure{Code: CodeBusy, Message: "full", Fatal: true, RetryAfterMS: 5000}},
	{"ping", FromServer, `{"type":"ping","id":9}`, Ping{ID: 9}},
	{"pong", FromDevice, `{"type":"pong","id":9}`, Pong{ID: 9}},
	{"bye", FromDevice, `{"type":"bye"}`, Bye{}},
	{"bye with a reason", FromServer, `{"type":"bye","reason":"end of the day"}`, Bye{Reason: "end of the day"}},
}

func TestMessage(t *testing.T) {
	for _, tc := range messageCases {
		t.Run(tc.name, func(t *testing.T) {
			got, err := DecodeMessage(tc.from, []byte(tc.json))
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("DecodeMessage = %+v, %v; want %+v", got, err, tc.want)
			}
			out, err := AppendMessage([]byte("kept"), tc.want)
			if err != nil || string(out) != "kept"+tc.json {
				t.Errorf("AppendMessage = %s, %v; want the prefix and %s", out, err, tc.json)
			}
		})
	}
}

// Every kind is either in the table above or not defined.
func TestEveryKindIsTested(t *testing.T) {
	seen := map[Kind]bool{}
	for _, tc := range messageCases {
		seen[tc.want.Kind()] = true
	}
	for _, kind := range []Kind{KindHello, KindListen, KindWake, KindSpeech, KindTranscript, KindReplyBegin, KindReplyText, KindReplyEnd,
		KindHold, KindRelease, KindFlush, KindPlayed, KindAbort, KindToolCall, KindToolResult, KindTiming, KindError, KindPing, KindPong, KindBye} {
		if !seen[kind] {
			t.Errorf("no test case for %q", kind)
		}
	}
}

func TestTolerantDecoding(t *testing.T) {
	tests := []struct {
		name string
		from Direction
		json string
		want Message
	}{
		{"unknown members, also nested", FromDevice, ` { "x":[{"type":1}], "state":"stop" , "type":"listen"}` + "\n", Listen{State: ListenStop}},
		{"null is absent", FromDevice, `{"type":"abort","turn":null,"reason":null}`, Abort{}},
		{"member names are case-sensitive", FromDevice, `{"type":"abort","Turn":"no number","TURN":7}`, Abort{}},
		{"channels default to one", FromDevice,
			`{"type":"hello","protocol":"edged.v1","device":"d","audio":{"up":{"codec":"opus","sample_rate":16000,"frame_ms":60},"down":{"codec":"pcm","sample_rate":24000,"frame_ms":20,"later":true}},"capabilities":{"later":true}}`,
			DeviceHello{Protocol: "edged.v1", Device: "d", Audio: Audio{Up: opus16, Down: pcm24}}},
		{"another protocol is the server's to judge", FromDevice,
			`{"type":"hello","protocol":"edged.v9","device":"d","audio":{"up":{"codec":"opus","sample_rate":16000,"frame_ms":60},"down":{"codec":"pcm","sample_rate":24000,"frame_ms":20}}}`,
			DeviceHello{Protocol: "edged.v9", Device: "d", Audio: Audio{Up: opus16, Down: pcm24}}},
		{"error code of a later version", FromServer, `{"type":"error","code":"moon_phase","message":"","fatal":false}`, Failure{Code: "moon_phase"}},
		{"escaped text", FromServer, `{"type":"reply_text","turn":1,"text":"\u00fc\ud83d\ude00","at_ms":0}`, ReplyText{Turn: 1, Text: "ü😀"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, err := DecodeMessage(tc.from, []byte(tc.json))
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("DecodeMessage = %+v, %v; want %+v", got, err, tc.want)
			}
		})
	}
}

// F50 and "Bad input": malformed JSON, wrong types, missing members and
// overlong values are refused with the member that is at fault.
func TestDecodeMessageRefuses(t *testing.T) {
	hello := func(up string) string {
		return `{"type":"hello","protocol":"edged.v1","device":"d","audio":{"up":` + up +
			`,"down":{"codec":"opus","sample_rate":16000,"frame_ms":60}}}`
	}
	tools := func(items string) string {
		return hello(`{"codec":"opus","sample_rate":16000,"frame_ms":60}`)[:len(hello(`{"codec":"opus","sample_rate":16000,"frame_ms":60}`))-1] +
			`,"tools":[` + items + `]}`
	}
	var many []string
	for i := range MaxTools + 1 {
		many = append(many, fmt.Sprintf(`{"name":"t%d"}`, i))
	}
	tests := []struct {
		name  string
		from  Direction
		json  string
		want  error
		field string
	}{
		{"empty", FromDevice, ``, ErrMalformed, ""},
		{"binary for text", FromDevice, "\x01\x10\x01\x00", ErrMalformed, ""},
		{"cut", FromDevice, `{"type":"abort","tu`, ErrMalformed, ""},
		{"two values", FromDevice, `{"type":"abort"}{}`, ErrMalformed, ""},
		{"array", FromDevice, `[]`, ErrMalformed, ""},
		{"null", FromDevice, `null`, ErrMalformed, ""},
		{"not UTF-8", FromDevice, "{\"type\":\"abort\",\"reason\":\"\xff\"}", ErrMalformed, ""},
		{"above 16 KiB", FromDevice, `{"type":"abort","x":"` + strings.Repeat("a", MaxControl) + `"}`, ErrTooLarge, ""},
		{"no type", FromDevice, `{"state":"stop"}`, ErrMalformed, "type"},
		{"type is a number", FromDevice, `{"type":1}`, ErrMalformed, "type"},
		{"unknown type", FromDevice, `{"type":"dance"}`, ErrUnknownMessage, "type"},
		{"type in capitals is another type", FromDevice, `{"type":"Abort"}`, ErrUnknownMessage, "type"},
		{"server's message from a device", FromDevice, `{"type":"flush","turn":1,"cause":"abort"}`, ErrDirection, "type"},
		{"device's message from a server", FromServer, `{"type":"played","turn":1,"samples":0}`, ErrDirection, "type"},
		{"state missing", FromDevice, `{"type":"listen"}`, ErrMalformed, "state"},
		{"state unknown", FromDevice, `{"type":"listen","state":"pause"}`, ErrMalformed, "state"},
		{"mode missing on start", FromDevice, `{"type":"listen","state":"start"}`, ErrMalformed, "mode"},
		{"mode unknown", FromDevice, `{"type":"listen","state":"start","mode":"sometimes"}`, ErrMalformed, "mode"},
		{"wake word of a minute", FromDevice, `{"type":"wake","audio_ms":60000}`, ErrTooLarge, "audio_ms"},
		{"wake phrase too long", FromDevice, `{"type":"wake","phrase":"` + strings.Repeat("w", MaxLabel+1) + `"}`, ErrTooLarge, "phrase"},
		{"hold of no turn", FromServer, `{"type":"hold","turn":0,"samples":1}`, ErrMalformed, "turn"},
		{"hold nowhere", FromServer, `{"type":"hold","turn":1}`, ErrMalformed, "samples"},
		{"hold as a fraction", FromServer, `{"type":"hold","turn":1,"samples":0.5}`, ErrMalformed, "samples"},
		{"release of no turn", FromServer, `{"type":"release"}`, ErrMalformed, "turn"},
		{"hold from a device", FromDevice, `{"type":"hold","turn":1,"samples":0}`, ErrDirection, "type"},
		{"wake from a server", FromServer, `{"type":"wake"}`, ErrDirection, "type"},
		{"wake word that takes negative time", FromDevice, `{"type":"wake","audio_ms":-1}`, ErrMalformed, "audio_ms"},
		{"wake phrase is a list", FromDevice, `{"type":"wake","phrase":["hello"]}`, ErrMalformed, "phrase"},
		{"resumed as text", FromServer, `{"type":"reply_begin","turn":1,"resumed":"yes"}`, ErrMalformed, "resumed"},
		{"resume of a session with a space", FromDevice, tools(``)[:len(tools(``))-1] + `,"resume":{"session":"a b"}}`, ErrMalformed, "resume.session"},
		{"resume of negative samples", FromDevice, tools(``)[:len(tools(``))-1] + `,"resume":{"session":"s","turn":1,"samples":-1}}`, ErrMalformed, "resume.samples"},
		{"hold is no truth value", FromDevice, tools(``)[:len(tools(``))-1] + `,"capabilities":{"hold":1}}`, ErrMalformed, "capabilities.hold"},
		{"release from a device", FromDevice, `{"type":"release","turn":1}`, ErrDirection, "type"},
		{"resume without a session", FromDevice, tools(``)[:len(tools(``))-1] + `,"resume":{"turn":1}}`, ErrMalformed, "resume.session"},
		{"resume is text", FromDevice, tools(``)[:len(tools(``))-1] + `,"resume":"s-1"}`, ErrMalformed, "resume"},
		{"number as text", FromDevice, `{"type":"played","turn":"1","samples":0}`, ErrMalformed, "turn"},
		{"fraction", FromDevice, `{"type":"played","turn":1,"samples":0.5}`, ErrMalformed, "samples"},
		{"negative", FromDevice, `{"type":"played","turn":1,"samples":-1}`, ErrMalformed, "samples"},
		{"above 32 bits", FromDevice, `{"type":"played","turn":4294967296,"samples":0}`, ErrMalformed, "turn"},
		{"turn 0 played", FromDevice, `{"type":"played","turn":0,"samples":1}`, ErrMalformed, "turn"},
		{"turn null", FromServer, `{"type":"reply_begin","turn":null}`, ErrMalformed, "turn"},
		{"final as a number", FromServer, `{"type":"transcript","turn":1,"text":"","final":1}`, ErrMalformed, "final"},
		{"overlong reason", FromDevice, `{"type":"abort","reason":"` + strings.Repeat("r", MaxLabel+1) + `"}`, ErrTooLarge, "reason"},
		{"overlong text", FromServer, `{"type":"reply_text","turn":1,"at_ms":0,"text":"` + strings.Repeat("r", MaxText+1) + `"}`, ErrTooLarge, "text"},
		{"arguments are a list", FromServer, `{"type":"tool_call","id":"c","name":"n","arguments":[1]}`, ErrMalformed, "arguments"},
		{"call id with a space", FromDevice, `{"type":"tool_result","id":"a b","content":""}`, ErrMalformed, "id"},
		{"call id empty", FromDevice, `{"type":"tool_result","id":"","content":""}`, ErrMalformed, "id"},
		{"overlong content", FromDevice, `{"type":"tool_result","id":"a","content":"` + strings.Repeat("c", MaxToolData+1) + `"}`, ErrTooLarge, "content"},
		{"device missing", FromDevice, `{"type":"hello","protocol":"edged.v1","audio":{}}`, ErrMalformed, "device"},
		{"audio is text", FromDevice, `{"type":"hello","protocol":"edged.v1","device":"d","audio":"opus"}`, ErrMalformed, "audio"},
		{"codec unknown", FromDevice, hello(`{"codec":"mp3","sample_rate":16000,"frame_ms":60}`), ErrMalformed, "audio.up.codec"},
		{"rate unknown", FromDevice, hello(`{"codec":"pcm","sample_rate":44100,"frame_ms":60}`), ErrMalformed, "audio.up.sample_rate"},
		{"stereo", FromDevice, hello(`{"codec":"pcm","sample_rate":16000,"channels":2,"frame_ms":60}`), ErrMalformed, "audio.up.channels"},
		{"ptime 30 ms", FromDevice, hello(`{"codec":"opus","sample_rate":16000,"frame_ms":30}`), ErrMalformed, "audio.up.frame_ms"},
		{"up is a list", FromDevice, hello(`[]`), ErrMalformed, "audio.up"},
		{"too many tools", FromDevice, tools(strings.Join(many, ",")), ErrTooLarge, "tools"},
		{"tool without a name", FromDevice, tools(`{"name":"a"},{"description":"x"}`), ErrMalformed, "tools[1].name"},
		{"tool is null", FromDevice, tools(`null`), ErrMalformed, "tools[0].name"},
		{"tool twice", FromDevice, tools(`{"name":"a"},{"name":"a"}`), ErrMalformed, "tools[1].name"},
		{"tool name with a dot", FromDevice, tools(`{"name":"a.b"}`), ErrMalformed, "tools[0].name"},
		{"tool schema is a number", FromDevice, tools(`{"name":"a","parameters":7}`), ErrMalformed, "tools[0].parameters"},
		{"nesting bomb", FromDevice, `{"type":"abort","x":` + strings.Repeat("[", 8000) + strings.Repeat("]", 8000) + `,"turn":-1}`, ErrMalformed, "turn"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, err := DecodeMessage(tc.from, []byte(tc.json))
			var fault *Error
			if got != nil || !errors.Is(err, tc.want) || !errors.As(err, &fault) {
				t.Fatalf("DecodeMessage = %v, %v; want an *Error matching %q", got, err, tc.want)
			}
			if fault.Field != tc.field {
				t.Errorf("%q blames member %q, want %q", err, fault.Field, tc.field)
			}
			if len(err.Error()) > 300 {
				t.Errorf("error text of %d bytes: input must not flood the log", len(err.Error()))
			}
		})
	}
}

func TestAppendMessageRefuses(t *testing.T) {
	var large DeviceHello
	large.Protocol, large.Device, large.Audio = Protocol, "d", Audio{Up: opus16, Down: opus16}
	for i := range 8 {
		large.Tools = append(large.Tools, Tool{Name: fmt.Sprint("t", i),
			Parameters: json.RawMessage(`{"x":"` + strings.Repeat("y", 4000) + `"}`)})
	}
	tests := []struct {
		name string
		m    Message
		want error
	}{
		{"zero hello", DeviceHello{}, ErrMalformed},
		{"whole message too large", large, ErrTooLarge},
		{"turn 0", ReplyBegin{}, ErrMalformed},
		{"broken schema", ToolCall{ID: "a", Name: "n", Arguments: json.RawMessage(`{`)}, ErrMalformed},
		{"empty schema", ToolCall{ID: "a", Name: "n", Arguments: json.RawMessage{}}, ErrMalformed},
		{"text not UTF-8", ReplyText{Turn: 1, Text: "\xff"}, ErrMalformed},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			out, err := AppendMessage([]byte("kept"), tc.m)
			if !errors.Is(err, tc.want) || string(out) != "kept" {
				t.Errorf("AppendMessage = %.60q, %v; want the prefix alone and %q", out, err, tc.want)
			}
		})
	}
}

func TestCodeOf(t *testing.T) {
	tests := []struct {
		err  error
		code ErrorCode
		ok   bool
	}{
		{fault(ErrTruncated, 0, "", ""), CodeMalformed, true},
		{fault(ErrMalformed, 0, "", ""), CodeMalformed, true},
		{fault(ErrVersion, 0, "", ""), CodeVersion, true},
		{fault(ErrTooLarge, 0, "", ""), CodeTooLarge, true},
		{fmt.Errorf("reading: %w", fault(ErrDirection, 0, "", "")), CodeProtocol, true},
		{fault(ErrUnknownType, 0, "", ""), "", false},
		{fault(ErrUnknownMessage, 0, "", ""), "", false},
		{errors.New("else"), "", false},
		{nil, "", false},
	}
	for _, tc := range tests {
		if code, ok := CodeOf(tc.err); code != tc.code || ok != tc.ok {
			t.Errorf("CodeOf(%v) = %q, %v; want %q, %v", tc.err, code, ok, tc.code, tc.ok)
		}
	}
}

// Close codes are in the private range and tell the fatal errors apart.
func TestCloseCodes(t *testing.T) {
	seen := map[int]ErrorCode{}
	for _, code := range []ErrorCode{CodeMalformed, CodeProtocol, CodeVersion, CodeTooLarge, CodeTooFast, CodeAudio, CodeUnauthorized,
		CodeTimeout, CodeBusy, CodeReplaced, CodeShutdown, CodeInternal} {
		n := code.CloseCode()
		if n < 4000 || n > 4999 {
			t.Errorf("%q closes with %d, want the private range 4000-4999", code, n)
		}
		if other, dup := seen[n]; dup {
			t.Errorf("%q and %q both close with %d", code, other, n)
		}
		seen[n] = code
	}
	if got := ErrorCode("moon_phase").CloseCode(); got != CloseInternal {
		t.Errorf("unknown code closes with %d, want %d", got, CloseInternal)
	}
}
