package turn

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"edged/audio/vad"
	"edged/realtime"
)

func TestWindowIsThatOfTheNetwork(t *testing.T) {
	if WindowSamples != vad.WindowSamples || rate != vad.SampleRate {
		t.Fatal("the windows are not those that audio/vad judges")
	}
	var _ SpeechDetector = (*vad.Detector)(nil)
	var _ SpeechDetector = (*vad.Gate)(nil)
}

// silenceEnds is a script's silence that ends an utterance under the defaults.
const silenceEnds = "..................." // 19 windows, 608 ms

// TestUtteranceAudio: every sample says where it is, so that what is lost,
// doubled or moved shows. The microphone begins at 1000 ms.
func TestUtteranceAudio(t *testing.T) {
	const ms = 16 // samples
	tests := []struct {
		name    string
		label   string
		config  Config
		windows string
		want    []utterance // samples given as first and count below
		from    []int       // first sample of each
		count   []int
	}{
		{
			name: "pre-roll, speech and the silence that ends it", label: labelAuto,
			windows: strings.Repeat(".", 20) + "SSSSS" + silenceEnds + "....",
			want:    []utterance{{onset: 1000 + 640, stop: 1000 + 800, first: 1000 + 340}},
			from:    []int{640*ms - 300*ms}, count: []int{300*ms + 24*512},
		},
		{
			name: "speech right at the start has what pre-roll there is", label: labelAuto,
			windows: ".SSS" + silenceEnds,
			want:    []utterance{{onset: 1032, stop: 1128, first: 1000}},
			from:    []int{0}, count: []int{23 * 512},
		},
		{
			name: "no pre-roll when none is wanted", label: labelAuto, config: Config{PreRoll: -1},
			windows: "....SSS" + silenceEnds,
			want:    []utterance{{onset: 1128, stop: 1224, first: 1128}},
			from:    []int{4 * 512}, count: []int{22 * 512},
		},
		{
			name: "the next utterance has no sample of the one before", label: labelAuto,
			windows: "SSS" + silenceEnds + "..SSS" + silenceEnds,
			want: []utterance{
				{onset: 1000, stop: 1096, first: 1000},
				{onset: 1000 + 24*32, stop: 1000 + 27*32, first: 1000 + 22*32},
			},
			from: []int{0, 22 * 512}, count: []int{22 * 512, 24 * 512},
		},
		{
			name: "a monologue is cut without losing a sample", label: labelAuto,
			config:  Config{MaxUtterance: 480 * time.Millisecond},
			windows: strings.Repeat("S", 20) + silenceEnds,
			want: []utterance{
				{onset: 1000, stop: 1480, first: 1000},
				{onset: 1480, stop: 1640, first: 1480},
			},
			from: []int{0, 15 * 512}, count: []int{15 * 512, 15 * 512},
		},
		{
			name: "a quiet user says nothing", label: labelAuto, windows: strings.Repeat(".", 100),
		},
		{
			name: "push to talk: from the first speech to the end, whatever the pauses", label: LabelManual,
			windows: strings.Repeat(".", 12) + "S" + silenceEnds + "SS" + silenceEnds + "..",
			want:    []utterance{{onset: 1000 + 12*32, stop: 1000 + 34*32, first: 1000 + 84}},
			from:    []int{84 * ms}, count: []int{55*512 - 84*ms},
		},
		{
			name: "listening that ends in the middle of speech ends the utterance", label: labelAuto,
			windows: "..SSSS",
			want:    []utterance{{onset: 1064, stop: 1192, first: 1000}},
			from:    []int{0}, count: []int{6 * 512},
		},
		{
			name: "speech too short when listening ends was none", label: labelAuto, windows: "..SS",
		},
		{
			name: "an unknown mode listens like an automatic one", label: "listen.somehow",
			windows: "SSS" + silenceEnds,
			want:    []utterance{{onset: 1000, stop: 1096, first: 1000}},
			from:    []int{0}, count: []int{22 * 512},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			begin, end := listenStart("mic/1", test.label, 1000), listenStop("mic/1", 9999)
			in := &feed{chunks: []*realtime.MessageChunk{begin}}
			const packet = 20 * ms
			total := len(test.windows) * WindowSamples
			for at := 0; at < total; at += packet {
				in.chunks = append(in.chunks, sound("mic/1", int64(1000+at/ms), ramp(at, min(packet, total-at))))
			}
			in.chunks = append(in.chunks, end)

			got, passed, err := utterances(t, New(in, &script{windows: test.windows}, test.config))
			if err != io.EOF {
				t.Errorf("ends with %v, want the end of the input", err)
			}
			if len(passed) != 2 || passed[0] != begin || passed[1] != end {
				t.Errorf("%d chunks passed, want the beginning and the end of listening as they came", len(passed))
			}
			if len(got) != len(test.want) {
				t.Fatalf("%d utterances, want %d", len(got), len(test.want))
			}
			for i, u := range got {
				want := test.want[i]
				if u.onset != want.onset || u.stop != want.stop || u.first != want.first || u.label != test.label {
					t.Errorf("utterance %d: label %q, audio from %d, speech from %d to %d ms; want %q, %d, %d to %d",
						i+1, u.label, u.first, u.onset, u.stop, test.label, want.first, want.onset, want.stop)
				}
				if !slices.Equal(u.samples, ramp(test.from[i], test.count[i])) {
					t.Errorf("utterance %d has %d samples from %d on, want %d from %d on, each once and in order",
						i+1, len(u.samples), u.samples[0], test.count[i], test.from[i])
				}
			}
		})
	}
}

// TestOrder: in a conversation of two listening periods, the boundaries of the
// microphone stand where they belong among those of the utterances.
func TestOrder(t *testing.T) {
	foreign := &realtime.MessageChunk{Role: realtime.RoleUser, Part: realtime.Text("typed"), Ctrl: &realtime.StreamCtrl{StreamID: "chat"}}
	in := &feed{chunks: []*realtime.MessageChunk{
		listenStart("mic/1", labelAuto, 1),
		sound("mic/1", 1, ramp(0, 4*WindowSamples)), // .SSS
		foreign,
		listenStop("mic/1", 200), // in the utterance
		sound("mic/1", 200, ramp(0, 4*WindowSamples)), // a straggler after the end
		listenStart("mic/2", LabelManual, 5000),
		sound("mic/2", 5000, ramp(0, 2*WindowSamples)), // .S
		listenStart("mic/3", LabelManual, 6000),        // without an end of mic/2
		listenStop("mic/2", 6000),                      // which comes now, too late to mean anything
		sound("mic/3", 6000, ramp(0, 2*WindowSamples)), // S.
		{Role: realtime.RoleUser},                      // no Ctrl at all (G01)
		listenStop("mic/3", 6100),
	}}
	var got []string
	s := &script{windows: ".SSS" + ".S" + "S."}
	d := New(in, s, Config{})
	for {
		chunk, err := d.Next()
		if err != nil {
			break
		}
		switch {
		case chunk.IsBeginOfStream():
			got = append(got, "begin "+chunk.Route())
		case chunk.IsEndOfStream():
			got = append(got, "end "+chunk.Route())
		case chunk.Route() != "":
			got = append(got, chunk.Route())
		default:
			got = append(got, "unrouted")
		}
	}
	want := []string{
		"begin mic/1", "begin utterance/1", "utterance/1", "chat", "end utterance/1", "end mic/1",
		"begin mic/2", "begin utterance/2", "utterance/2", "end utterance/2",
		"begin mic/3", "end mic/2", "begin utterance/3", "utterance/3", "utterance/3", "unrouted", "end utterance/3", "end mic/3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	if s.resets != 3 {
		t.Errorf("the speech detector was reset %d times, want once for each listening period", s.resets)
	}
	if at := d.Position(); at != 6064*time.Millisecond {
		t.Errorf("heard up to %v, want 6.064s", at)
	}
}

// TestPreRollStaysInItsListeningPeriod: what was said into a microphone that
// then closed is not part of what is said into it minutes later.
func TestPreRollStaysInItsListeningPeriod(t *testing.T) {
	in := &feed{chunks: []*realtime.MessageChunk{
		listenStart("mic/1", LabelManual, 1), sound("mic/1", 1, ramp(1, 8*WindowSamples)), listenStop("mic/1", 257),
		listenStart("mic/2", LabelManual, 300), sound("mic/2", 300, ramp(9000, WindowSamples)), listenStop("mic/2", 332),
	}}
	got, _, _ := utterances(t, New(in, &script{windows: "........S"}, Config{}))
	if len(got) != 1 || !slices.Equal(got[0].samples, ramp(9000, WindowSamples)) {
		t.Fatalf("%+v, want one utterance with exactly the audio of mic/2", got)
	}
}

// TestGaps: a gap is neither speech nor silence (F20), stands in the utterance at
// its place, and the samples around it are all there.
func TestGaps(t *testing.T) {
	const lost = 500 * time.Millisecond
	const long = 90 * time.Second
	tests := []struct {
		name string
		// parts are windows of a script, or gaps of that length.
		parts       []any
		onset, stop int64
		gaps        []time.Duration
		windows     int // of audio in the utterance
		resets      int // beyond the one at the start
	}{
		{"in the silence: it does not end it", []any{"SSS", strings.Repeat(".", 18), lost, "S", silenceEnds},
			1, 1 + 22*32 + 500, []time.Duration{lost}, 41, 0},
		{"in the silence: it does not prolong it", []any{"SSS", strings.Repeat(".", 18), lost, "."},
			1, 1 + 3*32, []time.Duration{lost}, 22, 0},
		{"many gaps longer than the silence wanted", []any{"SSS", ".", lost, ".", lost, ".", lost, "S", silenceEnds},
			1, 1 + 7*32 + 1500, []time.Duration{lost, lost, lost}, 26, 0},
		{"in the speech that begins: it neither counts nor breaks it", []any{"SS", lost, "S", silenceEnds},
			1, 1 + 3*32 + 500, []time.Duration{lost}, 22, 0},
		{"of a second exactly it is bridged", []any{"SS", time.Second, "S", silenceEnds},
			1, 1 + 3*32 + 1000, []time.Duration{time.Second}, 22, 0},
		{"a long one breaks speech that begins, and is no pre-roll", []any{"SS", long, "S", ".", "SSS", silenceEnds},
			1 + 90000 + 4*32, 1 + 90000 + 7*32, nil, 24, 1},
		{"a long one leaves the utterance open and the silence where it was",
			[]any{"SSS", strings.Repeat(".", 18), long, "."}, 1, 1 + 3*32, []time.Duration{long}, 22, 1},
		{"speech after a long one goes on with the same utterance", []any{"SSS", "....", long, "S", silenceEnds},
			1, 1 + 8*32 + 90000, []time.Duration{long}, 27, 1},
		{"a short one is part of the pre-roll", []any{"..", 40 * time.Millisecond, ".", "SSS", silenceEnds},
			1 + 3*32 + 40, 1 + 6*32 + 40, []time.Duration{40 * time.Millisecond}, 25, 0},
		{"none of no length, or less", []any{"S", time.Duration(0), "SS", -time.Hour, silenceEnds},
			1, 1 + 3*32, []time.Duration{-time.Hour}, 22, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &script{}
			in := &feed{chunks: []*realtime.MessageChunk{listenStart("mic/1", labelAuto, 1)}}
			at := 0 // samples
			for _, part := range test.parts {
				switch p := part.(type) {
				case string:
					s.windows += p
					in.chunks = append(in.chunks, sound("mic/1", 0, ramp(at, len(p)*WindowSamples)))
					at += len(p) * WindowSamples
				case time.Duration:
					in.chunks = append(in.chunks, hole("mic/1", p))
				}
			}
			d := New(in, s, Config{})
			got, _, _ := utterances(t, d)
			if len(got) != 1 {
				t.Fatalf("%d utterances, want 1", len(got))
			}
			u := got[0]
			if u.onset != test.onset || u.stop != test.stop {
				t.Errorf("speech from %d to %d ms, want %d to %d", u.onset, u.stop, test.onset, test.stop)
			}
			if !slices.Equal(u.gaps, test.gaps) {
				t.Errorf("gaps %v in the utterance, want %v", u.gaps, test.gaps)
			}
			if n := test.windows * WindowSamples; !slices.Equal(u.samples, ramp(at-n, n)) {
				t.Errorf("%d samples from %d on, want %d from %d on", len(u.samples), u.samples[0], n, at-n)
			}
			if s.resets-1 != test.resets {
				t.Errorf("%d resets of the speech detector at gaps, want %d", s.resets-1, test.resets)
			}
		})
	}
}

// TestGapInsideAWindow: the samples before and after a short gap make one window,
// those before a long one are never judged, and none is lost.
func TestGapInsideAWindow(t *testing.T) {
	for _, length := range []time.Duration{100 * time.Millisecond, 2 * time.Second} {
		s := &script{windows: "SSSS"}
		in := &feed{chunks: []*realtime.MessageChunk{
			listenStart("mic/1", LabelManual, 1),
			sound("mic/1", 0, ramp(0, 600)), // one window and 88 samples
			hole("mic/1", length),
			sound("mic/1", 0, ramp(600, 424+512)),
		}}
		got, _, _ := utterances(t, New(in, s, Config{}))
		if len(got) != 1 || !slices.Equal(got[0].samples, ramp(0, 600+424+512)) {
			t.Fatalf("gap of %v: %+v, want one utterance with every sample", length, got)
		}
		judged, stop := 3, int64(1+96+length.Milliseconds())
		if length > longGap {
			judged, stop = 2, int64(1+(600+512)/16+length.Milliseconds())
		}
		if s.heard != judged || got[0].stop != stop {
			t.Errorf("gap of %v: %d windows judged, speech until %d ms; want %d and %d", length, s.heard, got[0].stop, judged, stop)
		}
	}
}

// TestOddBytes: a chunk may end inside a sample; no sample is shifted by it (F07).
func TestOddBytes(t *testing.T) {
	whole := sound("mic/1", 1, ramp(0, 4*WindowSamples)).Part.(*realtime.Blob).Data
	in := &feed{chunks: []*realtime.MessageChunk{listenStart("mic/1", LabelManual, 1)}}
	for cut := range slices.Chunk(whole, 333) {
		in.chunks = append(in.chunks, &realtime.MessageChunk{
			Role: realtime.RoleUser,
			Part: &realtime.Blob{MIMEType: micMIME, Data: bytes.Clone(cut)},
			Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"},
		})
	}
	got, _, _ := utterances(t, New(in, &script{windows: ".S.."}, Config{}))
	if len(got) != 1 || !slices.Equal(got[0].samples, ramp(0, 4*WindowSamples)) {
		t.Fatal("samples were shifted or lost where a chunk ends inside one")
	}
}

// TestTimestamps: media time is that of the chunks. Rounding and the lack of
// Timestamps do not matter, a lasting difference is followed, and the position
// never goes back (F51).
func TestTimestamps(t *testing.T) {
	tests := []struct {
		name        string
		begin       int64
		stamps      [4]int64 // of one window each: "SSS."
		onset, stop int64
		position    time.Duration
	}{
		{"as they should be", 5000, [4]int64{5000, 5032, 5064, 5096}, 5000, 5096, 5128 * time.Millisecond},
		{"none at all", 0, [4]int64{}, 1, 96, 128 * time.Millisecond},
		{"only later", 0, [4]int64{0, 0, 764, 0}, 700, 796, 828 * time.Millisecond},
		{"jitter of a few milliseconds is none", 5000, [4]int64{5003, 5031, 5070, 5090}, 5000, 5096, 5128 * time.Millisecond},
		{"a clock that is found to be ahead", 5000, [4]int64{5000, 5032, 5064, 6096}, 5000, 6096, 6128 * time.Millisecond},
		{"and one that falls back", 5000, [4]int64{5000, 5032, 5064, 1096}, 5000, 1096, 5096 * time.Millisecond},
		{"negative", -7, [4]int64{-1, -2, -3, -4}, 1, 96, 128 * time.Millisecond},
		{"absurd", 1 << 62, [4]int64{1 << 62, 1 << 62, 1 << 62, 1 << 62}, 1, 96, 128 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := &feed{chunks: []*realtime.MessageChunk{listenStart("mic/1", labelAuto, test.begin)}}
			for i, stamp := range test.stamps {
				in.chunks = append(in.chunks, sound("mic/1", stamp, ramp(i*WindowSamples, WindowSamples)))
			}
			d := New(in, &script{windows: "SSS."}, Config{})
			var onset, stop int64
			for {
				chunk, err := d.Next()
				if err != nil {
					break
				}
				if chunk.Route() != "mic/1" && chunk.IsBeginOfStream() {
					onset = chunk.Ctrl.Timestamp
				}
				if chunk.IsEndOfStream() {
					stop = chunk.Ctrl.Timestamp
				}
			}
			if onset != test.onset || stop != test.stop || d.Position() != test.position {
				t.Errorf("speech from %d to %d ms, heard up to %v; want %d to %d, %v",
					onset, stop, d.Position(), test.onset, test.stop, test.position)
			}
		})
	}
}

// TestBoundariesOnAudio: the beginning and end of the audio channel that ride on
// chunks with data are not swallowed with the data (G03, G05, G09, G12, G32).
func TestBoundariesOnAudio(t *testing.T) {
	first := sound("mic/1", 1, ramp(0, WindowSamples))
	first.Ctrl.BeginOfStream, first.Ctrl.Label = true, LabelManual
	last := sound("mic/1", 33, ramp(WindowSamples, WindowSamples))
	last.Ctrl.EndOfStream, last.Ctrl.Error = true, "cable"
	in := &feed{chunks: []*realtime.MessageChunk{first, last, sound("mic/1", 65, ramp(0, WindowSamples))}}
	got, passed, _ := utterances(t, New(in, &script{windows: "SSS"}, Config{}))
	if len(got) != 1 || !slices.Equal(got[0].samples, ramp(0, 2*WindowSamples)) || got[0].failure != "" {
		t.Fatalf("%+v, want one utterance with both windows and no failure of its own", got)
	}
	if len(passed) != 2 || !passed[0].IsBeginOfStream() || passed[0].IsEndOfStream() ||
		passed[1].IsBeginOfStream() || !passed[1].IsEndOfStream() {
		t.Fatalf("%d chunks passed, want the beginning and the end of the channel", len(passed))
	}
	for _, chunk := range passed {
		blob, ok := chunk.Part.(*realtime.Blob)
		if !ok || blob.MIMEType != micMIME || len(blob.Data) != 0 || chunk.Route() != "mic/1" {
			t.Errorf("boundary %+v, want one of the audio channel of mic/1, without its audio", chunk)
		}
	}
	if passed[0].Ctrl.Label != LabelManual || passed[1].Ctrl.Error != "cable" {
		t.Error("label and error of the boundaries got lost")
	}
}

func TestOtherThingsPass(t *testing.T) {
	chunks := []*realtime.MessageChunk{
		{Role: realtime.RoleUser, Part: realtime.Text("on the microphone's route"), Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"}},
		{Role: realtime.RoleUser, Part: &realtime.Blob{MIMEType: "image/png"}, Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"}},
		{Role: realtime.RoleUser, Part: &realtime.Blob{MIMEType: "audio/opus"}, Ctrl: &realtime.StreamCtrl{StreamID: "file/1"}},
		{Role: realtime.RoleUser, Part: (*realtime.Blob)(nil), Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"}},
		{Role: realtime.RoleUser, Part: (*realtime.Gap)(nil), Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"}},
		{Role: realtime.RoleModel, ToolCall: &realtime.ToolCall{ID: "1"}, Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"}},
		{Role: realtime.RoleUser},
	}
	_, passed, err := utterances(t, New(&feed{chunks: slices.Clone(chunks)}, &script{}, Config{}))
	if err != io.EOF || !slices.Equal(passed, chunks) {
		t.Errorf("%d of %d chunks passed unchanged, then %v", len(passed), len(chunks), err)
	}
}

func TestFormat(t *testing.T) {
	for _, mimeType := range []string{
		"audio/pcm;rate=8000", "audio/pcm;rate=16000;channels=2", "audio/pcm", "audio/opus", "Audio/OGG; codecs=opus",
	} {
		in := &feed{chunks: []*realtime.MessageChunk{
			listenStart("mic/1", LabelManual, 1), sound("mic/1", 1, ramp(0, WindowSamples)),
			{Part: &realtime.Blob{MIMEType: mimeType, Data: make([]byte, 64)}, Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"}},
		}}
		d := New(in, &script{windows: "S"}, Config{})
		got, _, err := utterances(t, d)
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), mimeType) {
			t.Errorf("%s: error %v, want one that matches ErrFormat and names the type", mimeType, err)
		}
		if len(got) != 1 || !strings.Contains(got[0].failure, mimeType) {
			t.Errorf("%s: the open utterance does not say why it ended", mimeType)
		}
		if !errors.Is(in.closed, ErrFormat) {
			t.Errorf("%s: the microphone was closed with %v, it must know why", mimeType, in.closed)
		}
		if _, again := d.Next(); again != err {
			t.Errorf("%s: then %v, want the same error for ever", mimeType, again)
		}
	}
	same := &feed{chunks: []*realtime.MessageChunk{
		{Part: &realtime.Blob{MIMEType: `Audio/PCM ; channels=1; rate="16000"`}, Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"}},
	}}
	if _, err := New(same, &script{}, Config{}).Next(); err != io.EOF {
		t.Errorf("another spelling of the right type: %v", err)
	}
}

// TestEndOfInput: whatever ends the microphone ends the open utterance first, and
// a failure is told on it.
func TestEndOfInput(t *testing.T) {
	broken := errors.New("connection lost")
	done := &realtime.State{Status: realtime.StatusDone}
	for _, test := range []struct {
		end     error
		failure string
	}{{io.EOF, ""}, {done, ""}, {broken, "connection lost"}} {
		in := &feed{end: test.end, chunks: []*realtime.MessageChunk{
			listenStart("mic/1", LabelManual, 1), sound("mic/1", 1, ramp(0, WindowSamples)),
		}}
		d := New(in, &script{windows: "S"}, Config{})
		got, _, err := utterances(t, d)
		if len(got) != 1 || !got[0].ended || got[0].failure != test.failure {
			t.Errorf("%v: %+v, want an utterance that ends with failure %q", test.end, got, test.failure)
		}
		if _, again := d.Next(); err != test.end || again != test.end {
			t.Errorf("ends with %v and then %v, want %v for ever", err, again, test.end)
		}
	}
}

func TestCloseDropsWhatWasFound(t *testing.T) {
	cause := errors.New("enough")
	chunks := []*realtime.MessageChunk{listenStart("mic/1", LabelManual, 1), sound("mic/1", 1, ramp(0, WindowSamples))}
	in := &feed{chunks: slices.Clone(chunks), end: cause}
	d := New(in, &script{windows: "S"}, Config{})
	for range 2 { // the beginnings of listening and of the utterance; its audio waits
		if _, err := d.Next(); err != nil {
			t.Fatal(err)
		}
	}
	_ = d.CloseWithError(cause)
	_ = d.Close()
	if in.closed != cause {
		t.Errorf("the input was closed with %v, want the cause", in.closed)
	}
	if chunk, err := d.Next(); err != cause {
		t.Errorf("after closing: %+v, %v; want the end of the input at once", chunk, err)
	}
}
