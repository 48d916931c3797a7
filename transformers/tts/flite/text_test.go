package flite

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSpeakable(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain text stays as it is", "It's 7:30 pm, isn't it?", "It's 7:30 pm, isn't it?"},
		{"accents are stripped", "Café, naïve, Dvořák", "Cafe, naive, Dvorak"},
		{"letters without a decomposition", "Ørsted, Straße, Łódź", "Orsted, Strasse, Lodz"},
		{"typographic quotes", "It’s “fine”", `It's "fine"`},
		{"an em dash is a pause", "yes — no", "yes ,  no"},
		{"an en dash keeps a range", "5–7", "5-7"},
		{"degrees", "72°F", "72 degrees F"},
		{"a fraction after a number", "2½ cups", "2 1/2 cups"},
		{"markup makes no sound", "**bold** `code` # x", "  bold    code    x"},
		{"emoji vanish", "Hi 👋!", "Hi  !"},
		{"NUL would end a C string", "a\x00b", "a b"},
		{"invalid UTF-8", "a\xff\xfeb", "a b"},
		{"nothing to say: punctuation", "... !?", ""},
		{"nothing to say: foreign script", "你好", ""},
		{"nothing to say: empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := speakable(tt.text); got != tt.want {
				t.Errorf("speakable(%q) = %q, want %q: flite reads printable ASCII only", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzSpeakable(f *testing.F) {
	for _, s := range []string{"", "a", "\x00", "½", "Ünïcödé", "\xff", "👩‍👩‍👧 x", strings.Repeat("ﷺ", 10)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := speakable(text)
		for _, r := range got {
			if r < ' ' || r > '~' {
				t.Fatalf("speakable(%q) holds %q: C code would see a byte that is no character of its own", text, r)
			}
		}
		if !utf8.ValidString(got) {
			t.Fatalf("speakable(%q) is not valid UTF-8", text)
		}
	})
}
