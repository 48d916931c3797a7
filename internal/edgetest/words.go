package edgetest

import "time"

// Word is a word of a reply and where in its sound it lies.
type Word struct {
	Text      string
	At, Until time.Duration
}

// HeardWords divides the words of a reply, in their order, at what the speaker has
// played: a word counts as heard once all of its sound has left.
func HeardWords(words []Word, played time.Duration) (heard, unheard []Word) {
	for n, w := range words {
		if w.Until > played {
			return words[:n:n], words[n:]
		}
	}
	return words, nil
}
