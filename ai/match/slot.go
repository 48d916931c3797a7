package match

// span is one way to read a slot: the words from some position up to end, and
// the value they stand for.
type span struct {
	end   int
	value any
}

// slotType is a kind of value that a slot can hold.
type slotType struct {
	name string
	// read returns all the ways to read a value that begins at words[at], in a
	// fixed order. It is nil for rest, which the matcher handles itself.
	read func(words []string, at int) []span
	// grammar are the JSGF rules that the type needs, its own (named like the
	// type) among them.
	grammar []grammarRule
}

// restType is the name of the type of free text.
const restType = "rest"

// builtinTypes returns the slot types that every Set has.
func builtinTypes() map[string]*slotType {
	types := map[string]*slotType{}
	for _, t := range []*slotType{
		{name: "number", read: readNumber, grammar: numberGrammar()},
		{name: "count", read: readCount, grammar: countGrammar()},
		{name: "ordinal", read: readOrdinal, grammar: ordinalGrammar()},
		{name: "duration", read: readDuration, grammar: durationGrammar()},
		listType("unit", unitPhrases()),
		listType("weekday", weekdayPhrases()),
		listType("month", monthPhrases()),
		{name: restType},
	} {
		types[t.name] = t
	}
	return types
}

// phrase is one spelling of a value in a list.
type phrase struct {
	words []string
	value any
	// spoken is false for spellings that only occur in writing ("km").
	spoken bool
}

// listType returns a slot type that holds one of phrases.
func listType(name string, phrases []phrase) *slotType {
	byFirst := map[string][]phrase{}
	rule := grammarRule{name: name}
	for _, p := range phrases {
		byFirst[p.words[0]] = append(byFirst[p.words[0]], p)
		if p.spoken {
			rule.alternatives = append(rule.alternatives, p.words)
		}
	}
	read := func(words []string, at int) []span {
		var spans []span
		for _, p := range byFirst[words[at]] {
			if hasPrefix(words[at:], p.words) {
				spans = append(spans, span{at + len(p.words), p.value})
			}
		}
		return spans
	}
	return &slotType{name: name, read: read, grammar: []grammarRule{rule}}
}

func hasPrefix(words, prefix []string) bool {
	if len(words) < len(prefix) {
		return false
	}
	for i, w := range prefix {
		if words[i] != w {
			return false
		}
	}
	return true
}

// wordAt returns words[at], or "" beyond the end.
func wordAt(words []string, at int) string {
	if at < len(words) {
		return words[at]
	}
	return ""
}
