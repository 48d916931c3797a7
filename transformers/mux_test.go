package transformers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"edged/realtime"
)

// named is a Transformer and Generator that reports who was asked for what.
type named string

func (n named) Transform(_ context.Context, pattern string, _ realtime.Stream) (realtime.Stream, error) {
	return nil, errors.New(string(n) + " asked for " + pattern)
}

func (n named) GenerateStream(_ context.Context, pattern string, _ ModelContext) (realtime.Stream, error) {
	return nil, errors.New(string(n) + " asked for " + pattern)
}

func (n named) Invoke(_ context.Context, pattern string, _ ModelContext, _ *FuncTool) (realtime.Usage, *FuncCall, error) {
	return realtime.Usage{GeneratedTokens: 1}, nil, errors.New(string(n) + " asked for " + pattern)
}

func TestG62ChosenByPattern(t *testing.T) {
	for _, test := range []struct {
		name       string
		registered []string
		asked      string
		want       string // "" is none
	}{
		{"exact", []string{"asr/local", "asr/cloud"}, "asr/local", "asr/local"},
		{"one segment", []string{"asr"}, "asr", "asr"},
		{"a longer name is another", []string{"asr"}, "asr/local", ""},
		{"a shorter name is another", []string{"asr/local"}, "asr", ""},
		{"+ is one segment", []string{"asr/+"}, "asr/local", "asr/+"},
		{"+ is not none", []string{"asr/+"}, "asr", ""},
		{"+ is not an empty one", []string{"asr/+"}, "asr/", ""},
		{"+ is not two", []string{"asr/+"}, "asr/a/b", ""},
		{"+ in the middle", []string{"tts/+/slow"}, "tts/rms/slow", "tts/+/slow"},
		{"# is any rest", []string{"chat/#"}, "chat/a/b/c", "chat/#"},
		{"# is none as well", []string{"chat/#"}, "chat", "chat/#"},
		{"# alone is everything", []string{"#"}, "a/b", "#"},
		{"exact before + before #", []string{"a/#", "a/+", "a/b"}, "a/b", "a/b"},
		{"+ before #", []string{"a/#", "a/+"}, "a/b", "a/+"},
		{"earlier segments weigh more", []string{"+/b/c", "a/#"}, "a/b/c", "a/#"},
		{"a dead end is left again", []string{"a/b/x", "a/+/c", "#"}, "a/b/c", "a/+/c"},
		{"and again", []string{"a/b/x", "a/+/y", "#"}, "a/b/c", "#"},
		{"the exact parent before its #", []string{"a/#", "a"}, "a", "a"},
		{"a parent by # before +", []string{"+", "a/#"}, "a", "a/#"},
		{"the query plays no part", []string{"asr/local"}, "asr/local?language=en&partials=true", "asr/local"},
		{"nor a slash in it", []string{"asr/+"}, "asr/local?path=/a/b", "asr/+"},
		{"wildcards asked for are plain names", []string{"asr/local"}, "asr/+", ""},
		{"nothing registered", nil, "asr", ""},
		{"empty name", []string{"a"}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var mux Mux
			var generators GeneratorMux
			for _, pattern := range test.registered {
				if err := errors.Join(mux.Handle(pattern, named(pattern)), generators.Handle(pattern, named(pattern))); err != nil {
					t.Fatal(err)
				}
			}
			_, transformErr := mux.Transform(t.Context(), test.asked, nil)
			_, generateErr := generators.GenerateStream(t.Context(), test.asked, nil)
			_, _, invokeErr := generators.Invoke(t.Context(), test.asked, nil, nil)
			for call, err := range map[string]error{"Transform": transformErr, "GenerateStream": generateErr, "Invoke": invokeErr} {
				if test.want == "" {
					var unknown *PatternError
					if !errors.As(err, &unknown) || !errors.Is(err, ErrUnknownPattern) || unknown.Pattern != test.asked || !strings.Contains(err.Error(), fmt.Sprintf("%q", test.asked)) {
						t.Errorf("%s = %v, want a PatternError that names %q", call, err, test.asked)
					}
					continue
				}
				if want := test.want + " asked for " + test.asked; err == nil || err.Error() != want {
					t.Errorf("%s reached %v, want %q: the pattern is passed on whole", call, err, want)
				}
			}
		})
	}
}

// A Transformer maps a Stream to a Stream and keeps route, role, label and
// boundaries, also when it is reached through a mux.
func TestG61StreamToStream(t *testing.T) {
	upper := TransformerFunc(func(ctx context.Context, _ string, input realtime.Stream) (realtime.Stream, error) {
		return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
			defer input.Close()
			for {
				chunk, err := input.Next()
				if err != nil {
					return err
				}
				changed := *chunk
				changed.Part = realtime.Text(strings.ToUpper(string(chunk.Part.(realtime.Text))))
				if err := out.Add(ctx, &changed); err != nil {
					return err
				}
			}
		}), nil
	})
	var mux Mux
	if err := mux.Handle("upper", upper); err != nil {
		t.Fatal(err)
	}
	ctrl := realtime.StreamCtrl{StreamID: "r", Label: realtime.LabelTranscript, BeginOfStream: true, EndOfStream: true, Timestamp: 7, Error: "noisy"}
	input := realtime.NewStreamBuilder(1)
	if err := input.Add(t.Context(), &realtime.MessageChunk{Role: realtime.RoleUser, Name: "ann", Part: realtime.Text("hi"), Ctrl: &ctrl}); err != nil {
		t.Fatal(err)
	}
	input.Finish(&realtime.State{Status: realtime.StatusTruncated})
	output, err := mux.Transform(t.Context(), "upper", input.Stream())
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	chunk, err := output.Next()
	if err != nil || chunk.Role != realtime.RoleUser || chunk.Name != "ann" || *chunk.Ctrl != ctrl || chunk.Part != realtime.Text("HI") {
		t.Errorf("chunk = %+v, %v, want only its text changed", chunk, err)
	}
	var state *realtime.State
	if _, err := output.Next(); !errors.As(err, &state) || state.Status != realtime.StatusTruncated {
		t.Errorf("end = %v, want the State of the input", err)
	}
	if err := input.Add(t.Context(), chunk); !errors.Is(err, realtime.ErrStreamClosed) {
		t.Errorf("input is still open: %v", err)
	}
}

func TestG62Registration(t *testing.T) {
	for _, test := range []struct {
		pattern string
		want    error
	}{
		{"asr/local", ErrDuplicatePattern},
		{"tts/+", ErrDuplicatePattern},
		{"chat/#", ErrDuplicatePattern},
		{"asr/+", nil},
		{"asr", nil},
		{"", ErrInvalidPattern},
		{"/asr", ErrInvalidPattern},
		{"asr/", ErrInvalidPattern},
		{"asr//local", ErrInvalidPattern},
		{"asr/#/x", ErrInvalidPattern},
		{"asr/lo+", ErrInvalidPattern},
		{"asr/#x", ErrInvalidPattern},
		{"asr?language=en", ErrInvalidPattern},
	} {
		t.Run(test.pattern, func(t *testing.T) {
			var mux Mux
			for _, pattern := range []string{"tts/+", "asr/local", "chat/#"} {
				if err := mux.Handle(pattern, named(pattern)); err != nil {
					t.Fatal(err)
				}
			}
			err := mux.Handle(test.pattern, named("second"))
			if test.want == nil {
				if err != nil {
					t.Errorf("Handle = %v, want it registered", err)
				}
				return
			}
			var refused *PatternError
			if !errors.As(err, &refused) || !errors.Is(err, test.want) || refused.Pattern != test.pattern || !strings.Contains(err.Error(), fmt.Sprintf("%q", test.pattern)) {
				t.Errorf("Handle = %v, want %v naming the pattern", err, test.want)
			}
			if got := mux.Patterns(); !slices.Equal(got, []string{"asr/local", "chat/#", "tts/+"}) {
				t.Errorf("patterns = %v, want what was there before", got)
			}
			if _, err := mux.Transform(t.Context(), "tts/rms", nil); err.Error() != "tts/+ asked for tts/rms" {
				t.Errorf("the first registration no longer answers: %v", err)
			}
		})
	}
}

func TestUnknownPatternTellsWhatThereIs(t *testing.T) {
	var mux Mux
	for i := range 20 {
		if err := mux.Handle(fmt.Sprintf("asr/%02d", i), named("x")); err != nil {
			t.Fatal(err)
		}
	}
	_, err := mux.Transform(t.Context(), "asr/local", nil)
	if want := `transformers: pattern "asr/local": nothing is registered for it (known: asr/00, asr/01, asr/02, asr/03, asr/04, asr/05, asr/06, asr/07 and 12 more)`; err.Error() != want {
		t.Errorf("error = %s\nwant    %s", err, want)
	}
}

func TestMuxIsConcurrent(t *testing.T) {
	var mux Mux
	var working sync.WaitGroup
	for g := range 4 {
		working.Go(func() {
			for i := range 200 {
				pattern := fmt.Sprintf("%d/%d", g, i)
				if err := mux.Handle(pattern, named(pattern)); err != nil {
					t.Error(err)
				}
				if _, err := mux.Transform(context.Background(), pattern, nil); err.Error() != pattern+" asked for "+pattern {
					t.Error(err)
				}
				_, _ = mux.Transform(context.Background(), fmt.Sprintf("%d/%d", g+1, i), nil)
			}
		})
	}
	working.Wait()
	if n := len(mux.Patterns()); n != 800 {
		t.Errorf("%d patterns are registered, want 800", n)
	}
}

func FuzzPatterns(f *testing.F) {
	f.Add("a/+/c", "a/b/c")
	f.Add("a/#", "a?b")
	f.Add("#", "//")
	f.Add("+", "")
	f.Fuzz(func(t *testing.T, pattern, asked string) {
		var mux Mux
		if err := mux.Handle(pattern, named("x")); err != nil {
			if !errors.Is(err, ErrInvalidPattern) {
				t.Fatalf("Handle(%q) = %v", pattern, err)
			}
			return
		}
		_, err := mux.Transform(context.Background(), asked, nil)
		path, _, _ := strings.Cut(asked, "?")
		if found := !errors.Is(err, ErrUnknownPattern); found != matches(strings.Split(pattern, "/"), strings.Split(path, "/")) {
			t.Errorf("pattern %q, name %q: found = %v", pattern, asked, found)
		}
	})
}

// matches is the definition of a match, written a second time and naively.
func matches(pattern, name []string) bool {
	switch {
	case len(pattern) == 1 && pattern[0] == "#":
		return true
	case len(pattern) == 0 || len(name) == 0:
		return len(pattern) == len(name)
	case pattern[0] != name[0] && (pattern[0] != "+" || name[0] == ""):
		return false
	}
	return matches(pattern[1:], name[1:])
}
