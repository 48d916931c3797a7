package tts

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"edged/realtime"
	"edged/transformers/tts/speakable"
)

// FuzzAlignWords: whatever an engine says that it spoke of a text, the written
// words get places that are read back as sent, in order, within the text and
// within the sound, and cut no character in two.
//
// Each byte is what became of the next word that the engine was given: spoken,
// left out, split, joined to the one before, or something else said for it.
func FuzzAlignWords(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string, language uint8, program []byte) {
		if len(text) > 400 || !utf8.ValidString(text) || len(program) > 100 {
			return // segments are valid and short
		}
		const rate = 16000
		said := speakable.Language(language % 6).Speak(text)
		given := strings.Fields(strings.ToLower(said.Spoken))
		var spoken []SpokenWord
		at := 0
		say := func(word string, length int) {
			spoken = append(spoken, SpokenWord{word, at, at + length})
			at += length + length%7
		}
		for i, b := range program {
			word := "and"
			if i < len(given) {
				word = given[i]
			}
			length := int(b>>3) * 400
			switch half := len(word) / 2; b & 7 {
			case 0, 1, 2, 3:
				say(strings.Trim(word, ".,!?"), length)
			case 4: // left out
			case 5:
				say(word[:half], length/2)
				say(word[half:], length/2)
			case 6:
				if n := len(spoken); n > 0 {
					spoken[n-1].Text += word
				}
			default:
				say("\xffsomething else", length)
			}
		}
		words := alignWords(text, said, spoken, rate)
		if again := alignWords(text, said, spoken, rate); !reflect.DeepEqual(again, words) {
			t.Fatalf("twice the same gives %v and %v", words, again)
		}
		if len(spoken) == 0 && words != nil {
			t.Fatalf("nothing was spoken, but %v", words)
		}
		data, err := json.Marshal(words)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := ParseWords(&realtime.Blob{MIMEType: WordsMIME, Data: data})
		if err != nil || len(sent) != len(words) {
			t.Fatalf("%s is read as %v, %v", data, sent, err)
		}
		for _, w := range words {
			if w.End > len(text) || w.Until > time.Duration(at)*time.Second/rate || w.At < 0 {
				t.Fatalf("%+v in a text of %d bytes and a sound of %d samples", w, len(text), at)
			}
			if !utf8.ValidString(text[w.Start:w.End]) {
				t.Fatalf("%+v cuts a character of %q", w, text)
			}
		}
	})
}

// FuzzParseWords: what is read from a blob is in order, or refused.
func FuzzParseWords(f *testing.F) {
	f.Fuzz(func(t *testing.T, mime string, data []byte) {
		words, err := ParseWords(&realtime.Blob{MIMEType: mime, Data: data})
		if err != nil {
			if words != nil {
				t.Fatalf("refused, but %v", words)
			}
			return
		}
		if realtime.CanonicalMIME(mime) != WordsMIME {
			t.Fatalf("words of type %q", mime)
		}
		last := Word{}
		for _, w := range words {
			if w.Start < last.End || w.End <= w.Start || w.At < last.Until || w.Until < w.At {
				t.Fatalf("%+v after %+v", w, last)
			}
			last = w
		}
		again, err := json.Marshal(words)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := ParseWords(&realtime.Blob{MIMEType: WordsMIME, Data: again}); err != nil || !reflect.DeepEqual(twice, words) {
			t.Fatalf("%s is read as %v, then as %v, %v", again, words, twice, err)
		}
	})
}
