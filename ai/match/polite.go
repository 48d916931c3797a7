package match

import "strings"

// What people say around a request without meaning anything by it. Normalize
// keeps these words; Set.Match looks at an utterance with and without them, so
// that "hey" alone can still be a greeting and "can you hear me" a question.
var (
	// leads are dropped from the beginning, again and again.
	leads = phraseList("hey", "hi", "hello", "okay", "ok", "alright", "all right", "so", "well", "and", "now",
		"oh", "yes", "yeah", "please", "just", "quickly", "quick question", "excuse me", "sorry", "go ahead and",
		"could you", "can you", "would you", "will you", "could we", "can we", "can i ask you to", "can you go ahead and",
		"could you please", "would you mind", "do you mind", "would you be able to", "are you able to",
		"i want you to", "i need you to", "i would like you to", "i would love you to", "i was wondering",
		"i wonder", "let us", "you know", "listen", "good morning", "good afternoon", "good evening",
		"would you kindly", "kindly", "be so kind and", "if you could", "can we please", "for me", "thanks", "great",
		"computer", "robot", "assistant", "ai", "alexa", "siri", "google")
	// tails are dropped from the end.
	tails = phraseList("please", "thanks", "thank you", "thanks a lot", "thank you very much", "for me", "now",
		"right now", "okay", "ok", "would you", "will you", "could you", "can you", "for me please", "if you can",
		"if you could", "if you do not mind", "real quick", "quickly", "then", "again please", "buddy", "my friend", "mate", "computer", "robot", "assistant", "ai",
		"alexa", "siri", "google")
	// noises are dropped everywhere.
	noises = map[string]bool{
		"um": true, "uh": true, "uhm": true, "er": true, "erm": true, "hm": true, "hmm": true, "mhm": true, "ah": true,
		"umm": true, "uhh": true, "please": true,
	}
)

// spokenLeads and spokenTails are the polite words that a grammar allows around
// every command. They are few, since each one is also a chance to mishear.
var (
	spokenLeads = []string{"hey", "okay", "please", "could you", "can you"}
	spokenTails = []string{"please", "thank you"}
)

func phraseList(phrases ...string) [][]string {
	list := make([][]string, len(phrases))
	for i, p := range phrases {
		list[i] = strings.Fields(p)
	}
	return list
}

// withoutNoise returns words without hesitations, or words itself when nothing
// else is left of them.
func withoutNoise(words []string) []string {
	var kept []string
	for _, w := range words {
		if !noises[w] {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return words
	}
	return kept
}

// withoutLeads returns words without the first, the first two, ... polite
// phrases at the beginning: what remains of "hey can you hear me" after the
// first may mean something. At least one word stays.
func withoutLeads(words []string) [][]string {
	var all [][]string
	for {
		n := longestPrefix(words, leads)
		if n == 0 || n == len(words) {
			return all
		}
		words = words[n:]
		all = append(all, words)
	}
}

// withoutTails is withoutLeads for the end.
func withoutTails(words []string) [][]string {
	var all [][]string
	for {
		n := longestSuffix(words, tails)
		if n == 0 || n == len(words) {
			return all
		}
		words = words[:len(words)-n]
		all = append(all, words)
	}
}

func longestPrefix(words []string, phrases [][]string) int {
	best := 0
	for _, p := range phrases {
		if len(p) > best && hasPrefix(words, p) {
			best = len(p)
		}
	}
	return best
}

func longestSuffix(words []string, phrases [][]string) int {
	best := 0
	for _, p := range phrases {
		if len(p) > best && len(p) <= len(words) && hasPrefix(words[len(words)-len(p):], p) {
			best = len(p)
		}
	}
	return best
}
