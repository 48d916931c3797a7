package speakable_test

import (
	"strings"
	"testing"

	"edged/transformers/tts/speakable"
)

// row is a text and what a speaker of the language says for it.
type row struct{ name, text, want string }

func speaks(t *testing.T, tag string, rows []row) {
	t.Helper()
	language, ok := speakable.Parse(tag)
	if !ok || language.String() != tag {
		t.Fatalf("Parse(%q) = %v, %t", tag, language, ok)
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := language.Speak(r.text)
			if got.Spoken != r.want {
				t.Errorf("%s: %q\n is spoken %q\n     want %q", tag, r.text, got.Spoken, r.want)
			}
			checkMap(t, r.text, got)
		})
	}
}

// checkMap demands that the pieces cover text and speech without holes, in order.
func checkMap(t *testing.T, text string, got speakable.Text) {
	t.Helper()
	source, spoken := 0, 0
	for _, p := range got.Pieces {
		if p.Start != source || p.End <= p.Start || p.At != spoken || p.Until < p.At {
			t.Fatalf("%q: piece %+v does not follow byte %d of the text, %d of the speech", text, p, source, spoken)
		}
		if p.Same && text[p.Start:p.End] != got.Spoken[p.At:p.Until] && strings.TrimSuffix(got.Spoken[p.At:p.Until], " ") != text[p.Start:p.End] {
			t.Fatalf("%q: piece %+v is said %q, not as it is written", text, p, got.Spoken[p.At:p.Until])
		}
		source, spoken = p.End, p.Until
	}
	if source != len(text) || spoken != len(got.Spoken) {
		t.Fatalf("%q: pieces end at %d of %d, %d of %d", text, source, len(text), spoken, len(got.Spoken))
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		tag  string
		want speakable.Language
		ok   bool
	}{
		{"", speakable.English, true}, {"en-GB", speakable.English, true}, {"DE", speakable.German, true}, {"es_MX", speakable.Spanish, true},
		{"fr", speakable.French, true}, {"zh-Hans-CN", speakable.Chinese, true}, {"ja", speakable.Japanese, true},
		{"vi", speakable.English, false}, {"english", speakable.English, false},
	}
	for _, tt := range tests {
		if got, ok := speakable.Parse(tt.tag); got != tt.want || ok != tt.ok {
			t.Errorf("Parse(%q) = %v, %t, want %v, %t", tt.tag, got, ok, tt.want, tt.ok)
		}
	}
}

// Each piece of the map leads back to the bytes it was made of.
func TestMapLeadsBack(t *testing.T) {
	const text = "Pay **$5.50** by May 3rd, 2026 😀 at example.com."
	got := speakable.English.Speak(text)
	want := []string{"$5.50=five dollars and fifty cents", "May 3rd, 2026=May third, twenty twenty-six", "😀=", "example.com=example dot com"}
	var have []string
	for _, p := range got.Pieces {
		if !p.Same && strings.Trim(text[p.Start:p.End], "*") != "" {
			have = append(have, text[p.Start:p.End]+"="+strings.TrimSpace(got.Spoken[p.At:p.Until]))
		}
	}
	if strings.Join(have, "|") != strings.Join(want, "|") {
		t.Errorf("pieces\n got %q\nwant %q", have, want)
	}
	checkMap(t, text, got)
}

func FuzzSpeak(f *testing.F) {
	for _, seed := range []string{"", "Hello world", "3.5.2026 um 7:30 Uhr", "$5.50 [a](b) <b> </b", "\xff\xe4\xbd", "1/2 1/0 99:99 2026-13-40",
		"２０２６年5月3日", "+49 (0)30 123-456", "XIV MMXXVI X.", "5\u202f000,50 €", "####### ```\n|-|", "👨‍👩‍👧1️⃣", "😀a1b2🇩🇪", "..1..2..3-4-5"} {
		for l := range 6 {
			f.Add(seed, uint8(l))
		}
	}
	f.Fuzz(func(t *testing.T, text string, language uint8) {
		l := speakable.Language(language % 7) // 6 is none of them
		got := l.Speak(text)
		checkMap(t, text, got)
		// What consists of letters and spaces is not changed, so twice is as once.
		letters := strings.Map(func(r rune) rune {
			if r < 'a' || r > 'z' {
				return ' '
			}
			return r
		}, got.Spoken)
		if again := l.Speak(letters); again.Spoken != letters {
			t.Fatalf("%q became %q", letters, again.Spoken)
		}
	})
}

// Plain words are left alone, so speaking them again changes nothing.
func TestPlainWordsStay(t *testing.T) {
	texts := map[speakable.Language]string{
		speakable.English:  "Well, the quick (brown) fox -- isn't it? -- jumps; \"yes\", he said: go!",
		speakable.German:   "„Schöne Grüße“, sagte sie; aber: wann?",
		speakable.Spanish:  "¿Qué tal? ¡Muy bien, gracias!",
		speakable.French:   "« Ça va ? » demanda-t-il ; oui, c'est l'été.",
		speakable.Chinese:  "你好，世界。“是吗？”他说……",
		speakable.Japanese: "こんにちは、「世界」。カタカナもあるよ！",
	}
	for language, text := range texts {
		if got := language.Speak(text); got.Spoken != text {
			t.Errorf("%v: %q became %q", language, text, got.Spoken)
		}
	}
}
