package session

import (
	"slices"
	"strings"
)

// afterWakeWord strips the wake word, if there is one, off the beginning of a
// transcript; cut tells that it was there. A recogniser hears it when the device
// records from before its own decision.
func afterWakeWord(text, phrase string) (rest string, cut bool) {
	wake := plainWords(phrase)
	if len(wake) == 0 {
		return text, false
	}
	fields := strings.Fields(text)
	for n := 1; n <= len(fields); n++ {
		said := plainWords(strings.Join(fields[:n], " "))
		if len(said) > len(wake) {
			break
		}
		if slices.Equal(said, wake) {
			return strings.TrimSpace(strings.TrimLeft(strings.Join(fields[n:], " "), " ,.!?-")), true
		}
	}
	return text, false
}
