package doctor_test

import (
	"testing"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/doctor"
	"edged/internal/edgetest"
)

// Each stage is judged by its own time, not by when it was reached, and in a word.
func TestStagesAreJudged(t *testing.T) {
	at := func(ms ...uint32) *wire.Timing {
		return &wire.Timing{Turn: 1, Endpoint: &ms[0], ASRFinal: &ms[1], FirstToken: &ms[2], FirstAudio: &ms[3], FirstPacket: &ms[4]}
	}
	for _, tt := range []struct {
		name   string
		timing *wire.Timing
		level  doctor.Level
		says   string
		fix    string
	}{
		{"quick", at(400, 450, 460, 500, 502), doctor.OK, "answer 502 ms: good", ""},
		{"late end", at(1600, 1650, 1660, 1700, 1702), doctor.Warning, "endpoint 1600 ms: slow", "complete_silence"},
		{"longer silence", at(900, 950, 960, 1000, 1002), doctor.OK, "endpoint 900 ms: fair", ""},
		{"slow recogniser", at(400, 1500, 1510, 1600, 1602), doctor.Warning, "recognition 1100 ms: slow", "models.asr"},
		{"slow model", at(400, 450, 2600, 2700, 2702), doctor.Warning, "model 2150 ms: slow", "profiles.default.generator"},
		{"fair model", at(400, 450, 1450, 1500, 1502), doctor.OK, "model 1000 ms: fair", ""},
		{"slow voice", at(400, 450, 460, 1600, 1602), doctor.Warning, "voice 1140 ms: slow", "profiles.default.tts"},
		{"slow sending", at(400, 450, 460, 500, 800), doctor.Warning, "sending 300 ms: slow", "ps -e"},
		{"all a bit slow", at(1400, 2300, 2310, 2500, 2520), doctor.Warning, "answer 2520 ms: slow", "which of the stages"},
		{"not all reached", &wire.Timing{Turn: 1, Endpoint: new(uint32)}, doctor.OK, "endpoint 0 ms", ""},
		{"none", nil, doctor.Skipped, "no times", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := doctor.Stages(edgetest.Answer{Timing: tt.timing, Seen: edgetest.Seen{FirstPacket: 100 * time.Millisecond}})
			actionable(t, found)
			wantFix(t, want(t, found, tt.level, tt.says), tt.fix)
		})
	}
}
