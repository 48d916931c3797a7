package rules

import "testing"

// Understands is false where the model would say that it does not know or did not
// hear, and for nothing else.
func TestUnderstands(t *testing.T) {
	m := New(Config{Name: "Edged"})
	for text, want := range map[string]bool{
		"what time is it": true, "Set a timer for five minutes": true, "hey edged": true, "thank you": true,
		"who won the election": false, "": false, "...": false, "play some jazz": false,
		"five minutes": false, // an answer to a question that nobody asked
	} {
		if got := m.Understands(text); got != want {
			t.Errorf("Understands(%q) = %v, want %v", text, got, want)
		}
	}
}
