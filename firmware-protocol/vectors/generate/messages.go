package main

import "strings"

// messageExpect is what stands beside the text of a message.
type messageExpect struct {
	About string `json:"about"`
	// From is who sends it: "device" or "server".
	From string `json:"from"`
	// Result is "accept" or the reason of the refusal.
	Result string `json:"result"`
	// Canonical: the reference encoder produces exactly this text.
	Canonical bool `json:"canonical"`
	// SameAs names the canonical vector that means the same.
	SameAs string `json:"same_as,omitempty"`
	// Member is the member at fault.
	Member string `json:"member,omitempty"`
}

type messageVector struct {
	name, text string
	messageExpect
}

const (
	device = "device"
	server = "server"
)

func say(from, about string) messageExpect {
	return messageExpect{About: about, From: from, Result: "accept", Canonical: true}
}

func means(from, same, about string) messageExpect {
	return messageExpect{About: about, From: from, Result: "accept", SameAs: same}
}

func refuse(from, result, member, about string) messageExpect {
	return messageExpect{About: about, From: from, Result: result, Member: member}
}

const (
	opus16k60 = `{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":60}`
	opus24k20 = `{"codec":"opus","sample_rate":24000,"channels":1,"frame_ms":20}`
	pcm16k20  = `{"codec":"pcm","sample_rate":16000,"channels":1,"frame_ms":20}`
)

func audio(up, down string) string { return `"audio":{"up":` + up + `,"down":` + down + `}` }

func deviceHello(rest string) string {
	return `{"type":"hello","protocol":"edged.v1","device":"lamp-1",` + rest + `}`
}

var messages = []messageVector{
	{"hello-device-smallest", deviceHello(audio(pcm16k20, opus24k20)),
		say(device, "The least that a device says.")},
	{"hello-device-full", `{"type":"hello","protocol":"edged.v1","device":"24:0a:c4:00:01:10","token":"not-a-real-token","model":"lamp","firmware":"1.2.0",` +
		audio(opus16k60, opus16k60) + `,"buffer_ms":2400,"capabilities":{"full_duplex":true,"aec":true,"flush":true,"ack":true},` +
		`"tools":[{"name":"set_volume","description":"Sets the volume of the speaker.","parameters":{"type":"object","properties":{"level":{"type":"integer","minimum":0,"maximum":100}},"required":["level"]}},{"name":"get_volume"}]}`,
		say(device, "Everything that a device can say in its hello.")},
	{"hello-device-defaults", deviceHello(`"audio":{"up":{"codec":"pcm","sample_rate":16000,"frame_ms":20},"down":{"codec":"opus","sample_rate":24000,"channels":null,"frame_ms":20}},"buffer_ms":0,"capabilities":{},"tools":[],"later":{"nested":[1,2]}`),
		means(device, "hello-device-smallest", "Absent and null channels are 1; unknown members are ignored.")},
	{"hello-server", `{"type":"hello","protocol":"edged.v1","session":"9f2c4e","device":"lamp-1",` + audio(pcm16k20, opus24k20) +
		`,"lead_ms":200,"ping_ms":20000,"limits":{"control_bytes":16384,"payload_bytes":5760,"idle_ms":60000}}`,
		say(server, "The server's answer.")},
	{"listen-start-auto", `{"type":"listen","state":"start","mode":"auto"}`, say(device, "The server ends the utterance.")},
	{"listen-start-manual", `{"type":"listen","state":"start","mode":"manual"}`, say(device, "The button is down.")},
	{"hello-device-resume", deviceHello(audio(pcm16k20, opus24k20) + `,"capabilities":{"flush":true,"ack":true,"hold":true},"resume":{"session":"9f2c4e","turn":3,"samples":48000}`),
		say(device, "A device that can hold a reply comes back to its session; 48000 samples of the reply of turn 3 have left its speaker.")},
	{"hello-device-resume-nothing", deviceHello(audio(pcm16k20, opus24k20) + `,"resume":{"session":"9f2c4e"}`),
		say(device, "It comes back and held no reply.")},
	{"hello-server-resumed", `{"type":"hello","protocol":"edged.v1","session":"9f2c4e","device":"lamp-1",` + audio(pcm16k20, opus24k20) +
		`,"lead_ms":200,"resumed":{"turn":3,"answering":true}}`,
		say(server, "The session goes on: the rest of the reply of turn 3 follows.")},
	{"listen-start-realtime", `{"type":"listen","state":"start","mode":"realtime"}`, say(device, "The microphone stays open.")},
	{"wake", `{"type":"wake","phrase":"hello lamp","audio_ms":720}`, say(device, "The wake word, which is the first 720 ms of the listening period.")},
	{"wake-untold", `{"type":"wake"}`, say(device, "Some wake word.")},
	{"hold", `{"type":"hold","turn":3,"samples":31680}`, say(server, "Pause the reply behind sample 31680.")},
	{"release", `{"type":"release","turn":3}`, say(server, "Go on.")},
	{"reply-begin-resumed", `{"type":"reply_begin","turn":3,"resumed":true}`, say(server, "The rest of the reply of turn 3.")},
	{"hello-server-resumed-at-rest", `{"type":"hello","protocol":"edged.v1","session":"9f2c4e","device":"lamp-1",` + audio(pcm16k20, opus24k20) +
		`,"lead_ms":200,"resumed":{"turn":3,"answering":false}}`,
		say(server, "The session goes on, and nothing is going on in it.")},
	{"hello-server-limits", `{"type":"hello","protocol":"edged.v1","session":"9f2c4e","device":"lamp-1",` + audio(pcm16k20, opus24k20) +
		`,"lead_ms":200,"ping_ms":20000,"limits":{"control_bytes":16384,"payload_bytes":5760,"idle_ms":60000,"control_per_second":50,"audio_percent":400}}`,
		say(server, "All limits that a server states.")},
	{"error-too-fast", `{"type":"error","code":"too_fast","message":"more than 50 control messages a second","fatal":false}`,
		say(server, "The device sends too fast; the connection is read more slowly.")},
	{"hello-device-resume-null", deviceHello(audio(pcm16k20, opus24k20) + `,"resume":null`),
		means(device, "hello-device-smallest", "null: nothing to come back to.")},
	{"reply-begin-null", `{"type":"reply_begin","resumed":null,"turn":1}`, means(server, "reply-begin", "null: from the beginning.")},
	{"wake-null", `{"type":"wake","audio_ms":null,"phrase":null}`, means(device, "wake-untold", "null is the same as absent.")},
	{"wake-longest", `{"type":"wake","audio_ms":5000}`, say(device, "The longest wake word.")},
	{"hold-at-once", `{"type":"hold","turn":3,"samples":0}`, say(server, "Pause before the first sample, or at once.")},
	{"flush-speech", `{"type":"flush","turn":3,"cause":"speech"}`, say(server, "The user talked over the reply.")},
	{"flush-wake", `{"type":"flush","turn":3,"cause":"wake"}`, say(server, "The wake word was spoken.")},
	{"reject-hold-no-samples", `{"type":"hold","turn":3}`, refuse(server, "malformed", "samples", "Where?")},
	{"reject-hold-turn-0", `{"type":"hold","turn":0,"samples":1}`, refuse(server, "malformed", "turn", "Turns are numbered from 1.")},
	{"reject-release-from-device", `{"type":"release","turn":3}`, refuse(device, "direction", "type", "Only the server holds and releases.")},
	{"reject-resumed-no-answering", `{"type":"hello","protocol":"edged.v1","session":"9f2c4e","device":"lamp-1",` + audio(pcm16k20, opus24k20) +
		`,"lead_ms":200,"resumed":{"turn":3}}`,
		refuse(server, "malformed", "resumed.answering", "Both members are always there.")},
	{"reject-wake-long", `{"type":"wake","audio_ms":5001}`, refuse(device, "too_large", "audio_ms", "5001 ms, one too many.")},
	{"reject-resume-no-session", deviceHello(audio(pcm16k20, opus24k20) + `,"resume":{"turn":3}`),
		refuse(device, "malformed", "resume.session", "Which session?")},
	{"listen-stop", `{"type":"listen","state":"stop"}`, say(device, "The button is up.")},
	{"listen-spaced", "\r\n{ \"mode\" : \"auto\",\t\"state\" : \"st\\u0061rt\", \"Type\":7, \"type\":\"listen\" }\n",
		means(device, "listen-start-auto", "White space, order, escapes and a member whose name differs in case.")},
	{"speech-started", `{"type":"speech","state":"started","at_ms":320}`, say(server, "The user began to speak.")},
	{"speech-stopped", `{"type":"speech","state":"stopped","at_ms":2180}`, say(server, "The user has finished.")},
	{"transcript-partial", `{"type":"transcript","turn":1,"text":"what time","final":false}`, say(server, "Understood so far.")},
	{"transcript-final", `{"type":"transcript","turn":1,"text":"what time is it","final":true}`, say(server, "Understood.")},
	{"transcript-nothing", `{"type":"transcript","turn":0,"text":"","final":true}`, say(server, "Nothing was understood and no turn comes of it.")},
	{"reply-begin", `{"type":"reply_begin","turn":1}`, say(server, "The reply of turn 1 begins.")},
	{"reply-text", `{"type":"reply_text","turn":1,"text":"It is \"half past nine\" & <warm>: 21 °C. 好\n","at_ms":1240}`,
		say(server, "Text with what JSON must escape (quote, newline) and what it need not (&, <, non-ASCII).")},
	{"reply-text-escaped", `{"type":"reply_text","turn":1,"text":"It is \u0022half past nine\u0022 \u0026 \u003cwarm\u003e: 21 \u00b0C. \u597d\u000a","at_ms":1240}`,
		means(server, "reply-text", "The same text in escapes.")},
	{"reply-end", `{"type":"reply_end","turn":1,"duration_ms":3120}`, say(server, "All of the reply was sent.")},
	{"flush-abort", `{"type":"flush","turn":2,"cause":"abort"}`, say(server, "The answer to an abort of turn 2.")},
	{"flush-nothing", `{"type":"flush","turn":0,"cause":"abort"}`, say(server, "The answer to an abort when there was no turn.")},
	{"flush-later-cause", `{"type":"flush","turn":3,"cause":"from_a_later_version"}`, say(server, "An unknown cause is no reason to keep playing.")},
	{"played", `{"type":"played","turn":1,"samples":48000}`, say(device, "48000 samples of the reply have left the speaker.")},
	{"played-largest", `{"type":"played","turn":4294967295,"samples":4294967295}`, say(device, "The largest numbers.")},
	{"abort", `{"type":"abort"}`, say(device, "Stop whatever is going on.")},
	{"abort-null", `{"type":"abort","turn":null,"reason":null}`, means(device, "abort", "null is the same as absent.")},
	{"abort-turn", `{"type":"abort","turn":2,"reason":"button"}`, say(device, "Stop turn 2.")},
	{"tool-call", `{"type":"tool_call","id":"c1","name":"set_volume","arguments":{"level":30}}`, say(server, "Run a tool of the device.")},
	{"tool-call-bare", `{"type":"tool_call","id":"c2","name":"get_volume"}`, say(server, "A tool without arguments.")},
	{"tool-result", `{"type":"tool_result","id":"c1","content":"{\"level\":30}"}`, say(device, "It worked.")},
	{"tool-result-error", `{"type":"tool_result","id":"c1","content":"","error":"level 300 is above 100"}`, say(device, "It did not.")},
	{"timing-full", `{"type":"timing","turn":1,"endpoint_ms":412,"asr_final_ms":498,"first_token_ms":498,"first_audio_ms":511,"first_packet_ms":513}`,
		say(server, "All stages were reached.")},
	{"timing-partly", `{"type":"timing","turn":2,"first_audio_ms":0,"first_packet_ms":2}`, say(server, "Two stages were reached, one of them at once.")},
	{"timing-null", `{"type":"timing","turn":2,"endpoint_ms":null,"first_audio_ms":0,"first_packet_ms":2}`, means(server, "timing-partly", "null: not reached.")},
	{"error", `{"type":"error","code":"bad_audio","message":"Ogg page instead of an Opus packet","fatal":false}`, say(server, "The session goes on.")},
	{"error-fatal", `{"type":"error","code":"busy","message":"500 sessions are open","fatal":true,"retry_after_ms":5000}`, say(server, "The server closes with 4012.")},
	{"error-later-code", `{"type":"error","code":"from_a_later_version","message":"","fatal":false}`, say(server, "An unknown code is treated as internal.")},
	{"ping", `{"type":"ping","id":7}`, say(server, "Answer with pong 7.")},
	{"pong", `{"type":"pong","id":7}`, say(device, "The answer to ping 7.")},
	{"bye", `{"type":"bye"}`, say(device, "The end.")},
	{"bye-reason", `{"type":"bye","reason":"going to sleep"}`, say(device, "The end, with a reason.")},

	{"skip-unknown-type", `{"type":"from_a_later_version","state":7}`, refuse(device, "unknown_message", "type", "Skipped and counted.")},
	{"reject-empty", ``, refuse(device, "malformed", "", "An empty message.")},
	{"reject-cut", `{"type":"abort"`, refuse(device, "malformed", "", "Cut JSON.")},
	{"reject-array", `[{"type":"abort"}]`, refuse(device, "malformed", "", "Not an object.")},
	{"reject-two-objects", `{"type":"abort"}{"type":"bye"}`, refuse(device, "malformed", "", "A message holds exactly one object.")},
	{"reject-not-utf8", "{\"type\":\"abort\",\"reason\":\"\xc3\x28\"}", refuse(device, "malformed", "", "Broken UTF-8.")},
	{"reject-no-type", `{"state":"stop"}`, refuse(device, "malformed", "type", "No type.")},
	{"reject-wrong-direction", `{"type":"reply_begin","turn":1}`, refuse(device, "direction", "type", "Only the server begins replies.")},
	{"reject-listen-state", `{"type":"listen","state":"pause"}`, refuse(device, "malformed", "state", "Neither start nor stop.")},
	{"reject-listen-no-mode", `{"type":"listen","state":"start"}`, refuse(device, "malformed", "mode", "A start says its mode.")},
	{"reject-turn-text", `{"type":"played","turn":"1","samples":0}`, refuse(device, "malformed", "turn", "A number in quotes.")},
	{"reject-turn-0", `{"type":"played","turn":0,"samples":0}`, refuse(device, "malformed", "turn", "Turns are numbered from 1.")},
	{"reject-samples-negative", `{"type":"played","turn":1,"samples":-1}`, refuse(device, "malformed", "samples", "Below 0.")},
	{"reject-samples-fraction", `{"type":"played","turn":1,"samples":1.5}`, refuse(device, "malformed", "samples", "Not an integer.")},
	{"reject-samples-33-bits", `{"type":"played","turn":1,"samples":4294967296}`, refuse(device, "malformed", "samples", "Above 32 bits.")},
	{"reject-codec", deviceHello(audio(`{"codec":"ogg","sample_rate":16000,"channels":1,"frame_ms":60}`, opus16k60)),
		refuse(device, "malformed", "audio.up.codec", "Neither opus nor pcm.")},
	{"reject-frame-30ms", deviceHello(audio(opus16k60, `{"codec":"opus","sample_rate":16000,"channels":1,"frame_ms":30}`)),
		refuse(device, "malformed", "audio.down.frame_ms", "Frames of 30 ms are not defined.")},
	{"reject-tool-name", deviceHello(audio(opus16k60, opus16k60) + `,"tools":[{"name":"set volume"}]`),
		refuse(device, "malformed", "tools[0].name", "A space in the name of a tool.")},
	{"reject-reason-long", `{"type":"bye","reason":"` + strings.Repeat("z", 129) + `"}`, refuse(device, "too_large", "reason", "129 bytes, one too many.")},
	{"reject-message-long", `{"type":"abort","x":"` + strings.Repeat("x", 16362) + `"}`, refuse(device, "too_large", "", "16385 bytes, one too many.")},
}
