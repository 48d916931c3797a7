package rules

import "testing"

func TestNarrates(t *testing.T) {
	for text, want := range map[string]bool{
		"they lived in a story book":                  true,
		"We were joking around all night.":            true,
		"There was a coin on the table":               true,
		"it was a long day":                           true,
		"it was nice talking to you":                  false, // to the assistant
		"i was wondering about the time":              false,
		"we need a timer for ten minutes":             false,
		"there are three apples how many is half":     false,
		"tell me a story":                             false,
		"another joke":                                false,
		"he had six eggs what is that times two":      false,
		"the first of may":                            false,
		"":                                            false,
		"hey":                                         false, // begins like "he"
		"there":                                       false,
		"what is it was a question":                   false,
		"they say it is late what does the clock say": false,
	} {
		if got := narrates(text); got != want {
			t.Errorf("narrates(%q) = %v, want %v", text, got, want)
		}
	}
}

// What is told and not asked is not answered, though the words are there.
func TestNarrationIsDeclined(t *testing.T) {
	m := New(Config{})
	for _, text := range []string{
		"they lived in a story book", "she knows every joke", "we rolled the dice all evening", "there was a coin on the table",
	} {
		if m.Understands(text) {
			t.Errorf("%q is answered", text)
		}
	}
}
