package turn

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestEndpointer walks the decisions window by window. In the scripts 'S' is a
// window of speech, 's' one between the thresholds and '.' one of silence; "|"
// does nothing and only groups. Windows count from 0, each lasts 32 ms.
func TestEndpointer(t *testing.T) {
	silence := func(n int) string { return strings.Repeat(".", n) }
	speech := func(n int) string { return strings.Repeat("S", n) }
	tests := []struct {
		name    string
		config  Config
		manual  bool
		windows string
		want    string // "begin@window of decision(onset)" and "end@window(end of last speech)"
	}{
		{name: "nothing", windows: silence(100)},
		{name: "the defaults: 96 ms of speech begin it, 600 ms of silence (19 windows) end it",
			windows: "..SSS|" + silence(25), want: "begin@4(2) end@23(5)"},
		{name: "one window less of speech is none", windows: "..SS." + silence(30)},
		{name: "one window less of silence is a pause (F20)",
			windows: "SSS" + silence(18) + "S" + silence(30), want: "begin@2(0) end@40(22)"},
		{name: "noises add up to nothing", windows: "SS.SS.SS.SS." + silence(30)},
		{name: "the onset is that of the speech that lasted", windows: "SS.SSS" + silence(30), want: "begin@5(3) end@24(6)"},
		{name: "below the upper threshold nothing begins", windows: "ssssssssss" + silence(30)},
		{name: "above the lower threshold speech goes on", windows: "Sss" + silence(30), want: "begin@2(0) end@21(3)"},
		{name: "between the thresholds speech goes on for ever",
			windows: "SSS" + strings.Repeat("s", 50) + silence(30), want: "begin@2(0) end@71(53)"},
		{name: "between the thresholds silence goes on", windows: "SSS." + strings.Repeat("s", 30), want: "begin@2(0) end@21(3)"},
		{name: "other durations are rounded up to windows",
			config:  Config{MinSpeech: 100 * time.Millisecond, MinSilence: 65 * time.Millisecond},
			windows: "SSSS...SSSSS", want: "begin@3(0) end@6(4) begin@10(7)"},
		{name: "none of either", config: Config{MinSpeech: -1, MinSilence: -1},
			windows: ".S.SS.", want: "begin@1(1) end@2(2) begin@3(3) end@5(5)"},
		{name: "a hold for slow speakers bridges 1200 ms (F20)", config: Config{MinSilence: 1300 * time.Millisecond},
			windows: "SSS" + silence(37) + "SSS" + silence(50), want: "begin@2(0) end@83(43)"},
		{name: "a bound in the middle of speech: the next begins at once",
			config: Config{MaxUtterance: 320 * time.Millisecond}, windows: speech(13) + silence(10),
			want: "begin@2(0) end@9(10) begin@12(10) end@19(13)"},
		{name: "the bound counts from the onset and ends pauses too",
			config: Config{MaxUtterance: 320 * time.Millisecond}, windows: ".SSS" + silence(10), want: "begin@3(1) end@10(4)"},
		{name: "no bound", config: Config{MaxUtterance: -1}, windows: speech(2000), want: "begin@2(0)"},
		{name: "manual: the first speech begins it and no silence ends it", manual: true,
			windows: "..S" + silence(300), want: "begin@2(2)"},
		{name: "manual: the bound holds", manual: true, config: Config{MaxUtterance: 320 * time.Millisecond},
			windows: "S" + silence(20), want: "begin@0(0) end@9(1)"},
		{name: "other thresholds", config: Config{OnThreshold: 0.3, OffThreshold: 0.2},
			windows: "sss" + silence(30), want: "begin@2(0) end@21(3)"},
		{name: "the lower threshold is never above the upper", config: Config{OnThreshold: 0.3},
			windows: "sss" + silence(30), want: "begin@2(0) end@21(3)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := newEndpointer(test.config.withDefaults())
			e.listen(test.manual)
			var got []string
			for i, c := range strings.ReplaceAll(test.windows, "|", "") {
				start := int64(i) * WindowSamples
				switch e.window(probability(byte(c)), start, start+WindowSamples) {
				case begins:
					got = append(got, fmt.Sprintf("begin@%d(%d)", i, e.onset/WindowSamples))
				case ends:
					got = append(got, fmt.Sprintf("end@%d(%d)", i, e.lastSpeech/WindowSamples))
				}
			}
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("windows %s:\n got %s\nwant %s", test.windows, s, test.want)
			}
		})
	}
}

func TestFreeze(t *testing.T) {
	e := newEndpointer(Config{}.withDefaults())
	e.listen(false)
	window := func(c byte) verdict { return e.window(probability(c), 0, WindowSamples) }
	window('S')
	window('S')
	e.freeze()
	if window('s') != nothing || window('S') != nothing || window('S') != nothing {
		t.Error("speech before the freeze counts towards an utterance after it")
	}
	if window('S') != begins {
		t.Fatal("three windows of speech after the freeze begin no utterance")
	}
	for range 10 {
		window('.')
	}
	e.freeze()
	for i := range 8 {
		if window('.') != nothing {
			t.Fatalf("the utterance ends %d windows of silence early: the freeze counts as silence", 8-i)
		}
	}
	if window('.') != ends {
		t.Error("19 windows of silence around a freeze do not end the utterance: the freeze makes silence forgotten")
	}
}
