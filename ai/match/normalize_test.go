package match_test

import (
	"strings"
	"testing"

	"edged/ai/match"
)

func TestNormalize(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"case and punctuation", "Hello, World! (Really?)", "hello world really"},
		{"contraction", "What's up? I'm fine, don't worry.", "what is up i am fine do not worry"},
		{"curly apostrophe", "it’s five o’clock", "it is five o'clock"},
		{"possessive stays whole", "today's date", "today's date"},
		{"no apostrophe at all", "whats the time", "what is the time"},
		{"hyphenated number", "twenty-one", "twenty one"},
		{"sum in signs", "7+5", "7 plus 5"},
		{"difference in signs", "9-4 and 9 - 4", "9 minus 4 and 9 minus 4"},
		{"negative number", "-5 degrees", "minus 5 degrees"},
		{"hyphen in a name", "covid-19", "covid 19"},
		{"product in signs", "3x4 and 3 × 4 and 3*4", "3 times 4 and 3 times 4 and 3 times 4"},
		{"x elsewhere", "x marks the spot", "x marks the spot"},
		{"quotient in signs", "12 / 4 and 12÷4", "12 divided by 4 and 12 divided by 4"},
		{"fraction", "3/4 of 18", "3/4 of 18"},
		{"percent", "15% of 80", "15 percent of 80"},
		{"power", "5² and √9", "5 squared and square root of 9"},
		{"thousands", "1,234,567 and 1,2", "1234567 and 1 2"},
		{"decimal", "3.50.", "3.50"},
		{"decimal without a whole", ".5", "0.5"},
		{"unit glued on", "5km 72°F 10kg", "5 km 72 degrees fahrenheit 10 kg"},
		{"speed", "90km/h", "90 kilometers per hour"},
		{"ordinal", "the 3rd and 21st", "the 3rd and 21st"},
		{"die", "a d20", "a d 20"},
		{"other scripts", "Привет, МИР! 今天", "привет мир 今天"},
		{"nothing", " \t\n.,!? ", ""},
		{"invalid UTF-8", "a\xffb", "a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(match.Normalize(tt.text), " "); got != tt.want {
				t.Errorf("%q became %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// TestNormalizeTwice: normal form is a fixed point, so that patterns and words
// that were normalised before compare equal.
func TestNormalizeTwice(t *testing.T) {
	for _, text := range []string{"What's 7x8?", "-3.5°C, I'd say", "twenty-one/2 it's", "12:30 o'clock 1/2"} {
		once := strings.Join(match.Normalize(text), " ")
		if twice := strings.Join(match.Normalize(once), " "); twice != once {
			t.Errorf("%q became %q and then %q", text, once, twice)
		}
	}
}
