package tts_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"edged/realtime"
	"edged/transformers/tts"
)

// timedEngine speaks each word, split at hyphens as real engines do, for 100 ms
// and tells so, in lower case. say, if set, is what it makes of a word.
type timedEngine struct {
	say map[string]string
}

func (*timedEngine) SampleRate() int { return 16000 }

func (e *timedEngine) Synthesize(ctx context.Context, text string, sink func([]int16) error) error {
	_, err := e.SynthesizeWords(ctx, text, sink)
	return err
}

func (e *timedEngine) SynthesizeWords(_ context.Context, text string, sink func([]int16) error) ([]tts.SpokenWord, error) {
	var words []tts.SpokenWord
	for word := range strings.FieldsSeq(strings.NewReplacer("-", " ", ",", " ", ".", " ", "!", " ", "(", " ", ")", " ").Replace(strings.ToLower(text))) {
		if as, ok := e.say[word]; ok {
			word = as
		}
		for said := range strings.FieldsSeq(word) {
			words = append(words, tts.SpokenWord{Text: said, Start: len(words) * 1600, End: (len(words) + 1) * 1600})
		}
	}
	return words, sink(make([]int16, len(words)*1600))
}

// timed speaks a text of one segment and returns its words as "text start-end" in
// tenths of a second.
func timed(t *testing.T, engine tts.Synthesizer, text string) []string {
	t.Helper()
	chunks, _ := collect(t, transform(t, newTransformer(t, engine, tts.Config{}), source(nil, model("r", text))))
	var lines []string
	for _, c := range chunks {
		blob, ok := c.Part.(*realtime.Blob)
		if !ok || blob.MIMEType != tts.WordsMIME {
			continue
		}
		words, err := tts.ParseWords(blob)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, w := range words {
			lines = append(lines, fmt.Sprintf("%s %.4g-%.4g", text[w.Start:w.End], w.At.Seconds()*10, w.Until.Seconds()*10))
		}
	}
	return lines
}

// Spoken words lead back to the bytes that were written, also where what is said
// differs from what is written.
func TestWordsLeadBackToWhatWasWritten(t *testing.T) {
	tests := []struct {
		name, text string
		say        map[string]string
		want       []string
	}{
		{"as written", "It is well-known, sir.", nil, []string{"It 0-1", "is 1-2", "well-known, 2-4", "sir. 4-5"}},
		{"number", "I have 105 eggs", nil, []string{"I 0-1", "have 1-2", "105 2-5", "eggs 5-6"}},
		{"money and sentence mark", "Pay $5.50, sir!", nil, []string{"Pay 0-1", "$5.50, 1-6", "sir! 6-7"}},
		// "five kilometers" is said for "5 km": the two share its time by their bytes.
		{"unit of its own", "Run 5 km now", nil, []string{"Run 0-1", "5 1-1.5", "km 2-3", "now 3-4"}},
		{"emphasis and emoji", "It **is** so 😀 good", nil, []string{"It 0-1", "**is** 1-2", "so 2-3", "good 3-4"}},
		{"link", "See [the docs](http://a.b/c) now", nil, []string{"See 0-1", "[the 1-2", "docs](http://a.b/c) 2-3", "now 3-4"}},
		{"address", "At example.com, ok", nil, []string{"At 0-1", "example.com, 1-4", "ok 4-5"}},
		{"the engine expands", "Ask Dr. Who now", map[string]string{"dr": "doctor"}, []string{"Ask 0-1", "Dr. 1-2", "Who 2-3", "now 3-4"}},
		{"the engine spells", "The USA won", map[string]string{"usa": "u s a"}, []string{"The 0-1", "USA 1-4", "won 4-5"}},
		{"the engine says more", "A MB is big", map[string]string{"mb": "mega byte"}, []string{"A 0-1", "MB 1-3", "is 3-4", "big 4-5"}},
		{"the engine leaves a word out", "One xyz two", map[string]string{"xyz": ""}, []string{"One 0-1", "xyz 1-1", "two 1-2"}},
		{"a word twice", "no Mr. no no", map[string]string{"mr": "mister"}, []string{"no 0-1", "Mr. 1-2", "no 2-3", "no 3-4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := timed(t, &timedEngine{say: tt.say}, tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("%q\n got %q\nwant %q", tt.text, got, tt.want)
			}
		})
	}
}

// Whatever is written and however the engine reads it: the words are in order, do
// not overlap, and every written one is there.
func TestEveryWordGetsAPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	parts := []string{"go", "Dr.", "5", "km", "$3.50", "May", "3rd,", "2026", "😀", "**so**", "it's", "e-mail", "a@b.de", "1/2", "&", "x=1", "你好", "\xff", "\n", "well-known", "<b>", "(yes)"}
	say := map[string]string{"dr": "doctor", "go": "g o", "so": "", "yes": "no no no"}
	for range 500 {
		var text strings.Builder
		for range 1 + rng.IntN(12) {
			text.WriteString(parts[rng.IntN(len(parts))] + " ")
		}
		for _, segment := range segment(text.String()) {
			got := timed(t, &timedEngine{say: say}, segment)
			count := 0
			for word := range strings.FieldsSeq(segment) {
				if strings.ContainsAny(word, "abcdefghijklmnopqrstuvwxyzADEM0123456789") {
					count++
				} else if word == "你好" {
					count += 2
				}
			}
			if len(got) > 0 && len(got) != count {
				t.Fatalf("%q has %d words, %d got a place: %q", segment, count, len(got), got)
			}
		}
	}
}

func TestParseWords(t *testing.T) {
	tests := []struct{ name, mimeType, data string }{
		{"another kind of blob", "audio/pcm;rate=16000", "[]"},
		{"no JSON", tts.WordsMIME, "{"},
		{"backwards in the text", tts.WordsMIME, `[{"start":3,"end":5,"at":0,"until":1},{"start":0,"end":2,"at":1,"until":2}]`},
		{"backwards in the audio", tts.WordsMIME, `[{"start":0,"end":2,"at":5,"until":9},{"start":3,"end":5,"at":4,"until":9}]`},
		{"empty word", tts.WordsMIME, `[{"start":2,"end":2,"at":0,"until":1}]`},
	}
	for _, tt := range tests {
		if words, err := tts.ParseWords(&realtime.Blob{MIMEType: tt.mimeType, Data: []byte(tt.data)}); err == nil {
			t.Errorf("%s: %+v, want an error", tt.name, words)
		}
	}
	words, err := tts.ParseWords(&realtime.Blob{MIMEType: tts.WordsMIME, Data: []byte(`[{"start":0,"end":2,"at":1000000,"until":2000000}]`)})
	if want := (tts.Word{Start: 0, End: 2, At: time.Millisecond, Until: 2 * time.Millisecond}); err != nil || len(words) != 1 || words[0] != want {
		t.Errorf("%+v, %v, want %+v", words, err, want)
	}
}

// What is said is in the language of the Config; what is shown stays as written.
func TestLanguage(t *testing.T) {
	for language, want := range map[string]string{"": "five eggs", "de": "fünf eggs", "es-MX": "cinco eggs", "fr": "cinq eggs", "zh": "五 eggs", "ja": "五 eggs"} {
		transformer := newTransformer(t, &fakeEngine{}, tts.Config{Language: language})
		chunks, _ := collect(t, transform(t, transformer, source(nil, model("r", "5 eggs"))))
		if text, ok := chunks[0].Part.(realtime.Text); !ok || text != "5 eggs" {
			t.Errorf("%s: the text is %q, want what was written", language, text)
		}
		said := ""
		for _, c := range chunks[1:] {
			if blob, ok := c.Part.(*realtime.Blob); ok {
				said += heard(blob.Data)
			}
		}
		if said != want {
			t.Errorf("%s: %q is said, want %q", language, said, want)
		}
	}
	if _, err := tts.New(&fakeEngine{}, tts.Config{Language: "tlh"}); !errors.Is(err, tts.ErrLanguage) || !strings.Contains(err.Error(), "tlh") {
		t.Errorf("Klingon: %v, want ErrLanguage that names it", err)
	}
}

// F30, F31: thoughts, code and pictures are in the text of the reply and make no
// sound. A thought bears a label of its own.
func TestWhatIsNotSpoken(t *testing.T) {
	chunks, _ := collect(t, transform(t, newTransformer(t, &fakeEngine{}, tts.Config{}),
		source(nil, model("r", "<thi"), model("r", "nk>No. Yes.</th"), model("r", "ink>Run **this** 👍:\n```go\nx := 1\n```\nDone"), model("r", ". 😀"))))
	want := []string{
		`r text "<think>No. Yes.</think>"`,
		`r text "Run **this** 👍:\n"`, `r audio "Run this :\n"`,
		"r text \"```go\\n\"", `r text "x := 1\n"`, "r text \"```\\n\"",
		`r text "Done. "`, `r audio "Done. "`, `r text "😀"`, `r  E`,
	}
	if got := script(chunks); !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	for i, c := range chunks {
		if label := c.Ctrl.Label; (label == tts.LabelThought) != (i == 0) || i > 0 && label != realtime.LabelAssistant {
			t.Errorf("chunk %d has the label %q", i, label)
		}
	}
}
