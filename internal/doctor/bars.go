package doctor

import (
	"fmt"
	"math"
	"time"

	"edged/internal/edgetest"
)

// stages holds the times of the answer against the bars.
func stages(a edgetest.Answer) []Finding {
	if a.Timing == nil {
		return []Finding{skippedf("the server sent no times")}
	}
	t := a.Timing
	reached := []*uint32{new(uint32), t.Endpoint, t.ASRFinal, t.FirstToken, t.FirstAudio, t.FirstPacket}
	var found []Finding
	for i, b := range bars {
		if begin, end := reached[i], reached[i+1]; begin != nil && end != nil {
			found = append(found, b.judge(time.Duration(int64(*end)-int64(*begin))*time.Millisecond))
		}
	}
	if t.FirstPacket != nil {
		// The server does not see the network, and the device not where in its question
		// the last word ended.
		found = append(found, wholeBar.judge(max(time.Duration(*t.FirstPacket)*time.Millisecond, a.Seen.FirstPacket)))
	}
	return found
}

// bar is what a stage is held against.
type bar struct {
	stage, does string
	good, slow  time.Duration
	fix         Fix
}

// Bars by stage, each from where the stage before was reached. The good ones add up
// to what a person takes to be an attentive listener: a user who gets no answer
// within about a second begins to wonder whether he was heard. Endpointing is mostly
// the silence that it is configured to wait for: 320 ms after a complete sentence,
// 1400 ms at most by default.
var bars = []bar{
	{"endpoint", "the end of speech was noticed", 600 * time.Millisecond, 1500 * time.Millisecond,
		Fix{Text: "wait for less silence", Key: "profiles.default.endpointing.complete_silence: 320ms"}},
	{"recognition", "the question was understood", 150 * time.Millisecond, time.Second,
		Fix{Text: "give it more processor, or have fewer decoders", Key: "models.asr"}},
	{"model", "the model began to answer", 300 * time.Millisecond, 2 * time.Second,
		Fix{Text: "take a faster model", Key: "profiles.default.generator"}},
	{"voice", "the voice began to speak", 200 * time.Millisecond, time.Second,
		Fix{Text: "give it more processor, or take another voice", Key: "profiles.default.tts"}},
	{"sending", "the first packet went out", 50 * time.Millisecond, 250 * time.Millisecond,
		Fix{Text: "see what else runs on this machine", Command: "ps -e --sort=-pcpu -o pcpu,args | head"}},
}

var wholeBar = bar{"answer", "after the last word the user hears the first sound", time.Second, 2500 * time.Millisecond,
	Fix{Text: "see which of the stages above is slow; if none is, the network is"}}

func (b bar) judge(took time.Duration) Finding {
	ms := math.Round(float64(took) / float64(time.Millisecond))
	measure := &Measure{Name: b.stage, MS: ms, GoodMS: float64(b.good / time.Millisecond), SlowMS: float64(b.slow / time.Millisecond)}
	text := fmt.Sprintf("%s %.0f ms", b.stage, ms)
	var f Finding
	switch {
	case took <= b.good:
		f = okf("%s: good (%s; up to %.0f ms is)", text, b.does, measure.GoodMS)
	case took <= b.slow:
		f = okf("%s: fair (%s; up to %.0f ms is good, above %.0f ms slow)", text, b.does, measure.GoodMS, measure.SlowMS)
	default:
		f = warningf("%s: slow (%s; up to %.0f ms is good)", text, b.does, measure.GoodMS).because("users wait, and begin to speak again", b.fix)
	}
	f.Measure = measure
	return f
}
