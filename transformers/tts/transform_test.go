package tts_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"edged/internal/engine"
	"edged/realtime"
	"edged/transformers"
	"edged/transformers/tts"
)

var (
	_ transformers.Transformer = (*tts.Transformer)(nil)
	_ tts.Gate                 = (*engine.Gate)(nil)
)

func TestTransform(t *testing.T) {
	call := func(route, name string) *realtime.MessageChunk {
		return &realtime.MessageChunk{Role: realtime.RoleModel, ToolCall: &realtime.ToolCall{ID: "1", Name: name},
			Ctrl: &realtime.StreamCtrl{StreamID: route}}
	}
	user := &realtime.MessageChunk{Role: realtime.RoleUser, Part: realtime.Text("Who?"),
		Ctrl: &realtime.StreamCtrl{StreamID: "r", Label: realtime.LabelTranscript}}
	native := &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text("heard you."),
		Ctrl: &realtime.StreamCtrl{StreamID: "r", Label: realtime.LabelTranscript}}
	withCall := model("r", "Done. ")
	withCall.ToolCall = &realtime.ToolCall{ID: "2", Name: "lamp"}
	faulty := ending(control("r"))
	faulty.Ctrl.Error = "model broke"
	tests := []struct {
		name string
		in   []*realtime.MessageChunk
		want []string
	}{
		{"sentence by sentence", []*realtime.MessageChunk{model("r", "Hi. How"), model("r", " are"), model("r", " you?")},
			[]string{`r text "Hi. "`, `r audio "Hi. "`, `r text "How are you?"`, `r audio "How are you?"`, `r  E`}},
		{"the route's own end is kept (G32)", []*realtime.MessageChunk{beginning(control("r")), model("r", "Hi."), ending(control("r"))},
			[]string{`r  B`, `r text "Hi."`, `r audio "Hi."`, `r  E`}},
		{"the error of the route is kept (G32)", []*realtime.MessageChunk{model("r", "Hi."), faulty},
			[]string{`r text "Hi."`, `r audio "Hi."`, `r  E error: model broke`}},
		// G05, G29: the text channel ends only when nothing more is said in it,
		// and the audio channel with it, so the route is complete without more.
		{"the end of the text channel", []*realtime.MessageChunk{beginning(model("r", "Hi. ")), ending(model("r", "Bye"))},
			[]string{`r text "Hi. " B`, `r audio "Hi. "`, `r text "Bye"`, `r audio "Bye"`, `r audio "" E`, `r text "" E`, `r  E`}},
		{"a whole channel in one chunk (G12)", []*realtime.MessageChunk{beginning(ending(model("r", "Hi.")))},
			[]string{`r text "Hi." B`, `r audio "Hi."`, `r audio "" E`, `r text "" E`, `r  E`}},
		{"an empty channel", []*realtime.MessageChunk{beginning(model("r", "")), ending(model("r", ""))},
			[]string{`r text "" B E`, `r  E`}},
		{"space has no sound", []*realtime.MessageChunk{model("r", "Hi.\n"), model("r", "\n... "), ending(control("r"))},
			[]string{`r text "Hi.\n"`, `r audio "Hi.\n"`, `r text "\n... "`, `r  E`}},
		{"a tool call waits for the text before it", []*realtime.MessageChunk{model("r", "Let me "), model("r", "look"), call("r", "search"), model("r", "Found.")},
			[]string{`r text "Let me look"`, `r audio "Let me look"`, `r call search`, `r text "Found."`, `r audio "Found."`, `r  E`}},
		{"text and tool call in one chunk", []*realtime.MessageChunk{withCall},
			[]string{`r text "Done. "`, `r audio "Done. "`, `r call lamp`, `r  E`}},
		{"other people's text passes at once and unspoken", []*realtime.MessageChunk{model("r", "I am"), user, native, model("r", " it.")},
			[]string{`r text "Who?"`, `r text "heard you."`, `r text "I am it."`, `r audio "I am it."`, `r  E`}},
		{"two routes (G17)", []*realtime.MessageChunk{model("a", "One"), model("b", "Two. "), model("a", " and."), ending(control("a")), model("b", "End")},
			[]string{`b text "Two. "`, `b audio "Two. "`, `a text "One and."`, `a audio "One and."`, `a  E`, `b text "End"`, `b audio "End"`, `b  E`}},
		{"no Ctrl (G01)", []*realtime.MessageChunk{{Role: realtime.RoleModel, Part: realtime.Text("Hi.")}},
			[]string{` text "Hi."`, ` audio "Hi."`, `  E`}},
		{"a blob of text is text (G25)", []*realtime.MessageChunk{{Role: realtime.RoleModel, Part: &realtime.Blob{MIMEType: "text/plain; charset=utf-8", Data: []byte("Hi.")},
			Ctrl: &realtime.StreamCtrl{StreamID: "r"}}},
			[]string{`r text "Hi."`, `r audio "Hi."`, `r  E`}},
		{"begun again", []*realtime.MessageChunk{model("r", "One"), beginning(control("r")), model("r", "Two")},
			[]string{`r text "One"`, `r audio "One"`, `r  B`, `r text "Two"`, `r audio "Two"`, `r  E`}},
		{"nothing", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			chunks, end := collect(t, transform(t, newTransformer(t, &fakeEngine{}, tts.Config{}), source(nil, tt.in...)))
			if end != io.EOF {
				t.Errorf("end = %v, want io.EOF as the input", end)
			}
			if got := script(chunks); !slices.Equal(got, tt.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
			}
		})
	}
}

// What passes through is the very chunk that came in.
func TestOtherChunksAreNotTouched(t *testing.T) {
	in := []*realtime.MessageChunk{
		{Role: realtime.RoleUser, Part: &realtime.Blob{MIMEType: "audio/PCM;rate=16000", Data: []byte{1, 2}}, Ctrl: &realtime.StreamCtrl{StreamID: "mic/1", Timestamp: 7}},
		{Role: realtime.RoleModel, ToolCall: &realtime.ToolCall{ID: "c"}},
		{Role: realtime.RoleModel, Part: &realtime.Gap{MIMEType: "audio/opus", Duration: time.Second}},
		{Role: realtime.RoleTool, Part: realtime.Text("21 degrees.")},
		ending(control("mic/1")),
	}
	got, _ := collect(t, transform(t, newTransformer(t, &fakeEngine{}, tts.Config{}), source(nil, in...)))
	if !slices.Equal(got, in) {
		t.Errorf("got %v, want the same chunks", script(got))
	}
}

func TestAudioChunks(t *testing.T) {
	tests := []struct {
		rate     int
		mimeType string
		most     int // samples: at most 100 ms
	}{
		{8000, "audio/pcm;rate=8000", 800},
		{16000, "audio/pcm;rate=16000", 1600},
		{22050, "audio/pcm;rate=22050", 2205},
		{24000, "audio/pcm;rate=24000", 2400},
		{48000, "audio/pcm;rate=48000", 4800},
	}
	const text = "It is a quarter past nine in the morning, sir. And the sun is out at last."
	for _, tt := range tests {
		t.Run(tt.mimeType, func(t *testing.T) {
			engine := &fakeEngine{rate: tt.rate}
			in := model("reply/7", text)
			in.Name = "butler"
			chunks, _ := collect(t, transform(t, newTransformer(t, engine, tts.Config{}), source(nil, in)))
			samples, said, written := 0, "", ""
			for _, c := range chunks {
				if c.Role != realtime.RoleModel || c.Name != "butler" || c.Ctrl.StreamID != "reply/7" || c.Ctrl.Label != realtime.LabelAssistant {
					t.Errorf("chunk %+v %+v does not say whose it is", c, c.Ctrl)
				}
				if c.Part == nil {
					continue
				}
				if want := 1 + int64(samples)*1000/int64(tt.rate); c.Ctrl.Timestamp != want {
					t.Errorf("timestamp %d after %d samples, want %d", c.Ctrl.Timestamp, samples, want)
				}
				switch part := c.Part.(type) {
				case realtime.Text:
					written += string(part)
				case *realtime.Blob:
					n := len(part.Data) / 2
					if part.MIMEType != tt.mimeType || n == 0 || n > tt.most || cap(part.Data) != len(part.Data) {
						t.Errorf("audio %s of %d samples (capacity %d bytes), want %s, 1 to %d, no room to append", part.MIMEType, n, cap(part.Data), tt.mimeType, tt.most)
					}
					said += string(part.Data)
					samples += n
				}
			}
			if written != text || heard([]byte(said)) != text {
				t.Errorf("written %q\nheard %q\nwant %q", written, heard([]byte(said)), text)
			}
		})
	}
}

func TestEndsOfTheInput(t *testing.T) {
	broken := errors.New("model went away")
	state := &realtime.State{Status: realtime.StatusTruncated, Usage: realtime.Usage{GeneratedTokens: 9}}
	tests := []struct {
		name string
		end  error
		last string
	}{
		{"a State is handed on after the rest was said", state, `r  E`},
		{"a failure leaves the unfinished sentence unsaid", broken, `r audio "One. "`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			chunks, end := collect(t, transform(t, newTransformer(t, &fakeEngine{}, tts.Config{}), source(tt.end, model("r", "One. Tw"))))
			if end != tt.end {
				t.Errorf("end = %v, want %v", end, tt.end)
			}
			if lines := script(chunks); lines[len(lines)-1] != tt.last {
				t.Errorf("got %q, want %s last", lines, tt.last)
			}
		})
	}
}

func TestFailureOfASegmentEndsItsRoute(t *testing.T) {
	engine := &fakeEngine{before: func(_ context.Context, text string, block int) error {
		if strings.Contains(text, "bad") && block == 2 {
			return errors.New("engine broke")
		}
		if strings.Contains(text, "panic") {
			panic("engine lost its mind")
		}
		return nil
	}}
	in := []*realtime.MessageChunk{
		model("a", "Good. bad! More."), model("a", " Even more."), {Role: realtime.RoleModel, ToolCall: &realtime.ToolCall{Name: "x"}, Ctrl: &realtime.StreamCtrl{StreamID: "a"}},
		ending(control("a")), model("b", "Fine."), beginning(control("a")), model("a", "Again."), ending(control("a")), ending(model("c", "panic")),
	}
	want := []string{
		`a text "Good. "`, `a audio "Good. "`, `a text "bad! "`, `a audio "ba"`, `a  E error: engine broke`,
		`a  B`, `a text "Again."`, `a audio "Again."`, `a  E`,
		`c text "panic"`, `c  E error: realtime: producer panicked: engine lost its mind`,
		`b text "Fine."`, `b audio "Fine."`, `b  E`,
	}
	chunks, end := collect(t, transform(t, newTransformer(t, engine, tts.Config{}), source(nil, in...)))
	if end != io.EOF {
		t.Errorf("end = %v: the failure of a route does not end the stream (G10)", end)
	}
	if got := script(chunks); !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestTooMuchAudio(t *testing.T) {
	transformer := newTransformer(t, &fakeEngine{}, tts.Config{MaxAudio: 50 * time.Millisecond})
	chunks, _ := collect(t, transform(t, transformer, source(nil, model("r", "Seven!"))))
	want := []string{`r text "Seven!"`, `r audio "Seven"`, `r  E error: tts: segment too long: more than 800 samples`}
	if got := script(chunks); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBadEngine(t *testing.T) {
	for _, rate := range []int{-1, 4000, 96000} {
		if _, err := tts.New(&fakeEngine{rate: rate}, tts.Config{}); !errors.Is(err, tts.ErrSampleRate) {
			t.Errorf("engine at %d Hz: %v, want ErrSampleRate", rate, err)
		}
	}
}
