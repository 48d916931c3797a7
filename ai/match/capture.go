package match

import (
	"math/big"
	"strings"
	"time"
)

// Match is how a Set understood an utterance. Its accessors return false (or an
// empty text) for a slot that the pattern does not have or that was left out.
type Match struct {
	// Rule is the name of the rule that won.
	Rule string
	// Words is the utterance as it was compared: in normal form and, where that
	// explained it better, without the politeness around it.
	Words []string

	cost     cost
	captures map[string]capture
}

type capture struct {
	text  string
	value any
}

func newMatch(rule string, words []string, p *program, end thread) *Match {
	m := &Match{Rule: rule, Words: words, cost: end.cost, captures: map[string]capture{}}
	for f := end.slots; f != nil; f = f.before {
		m.captures[p.slots[f.slot].name] = capture{strings.Join(words[f.start:f.end], " "), f.value}
	}
	return m
}

// FreeWords is how many words fell into free text and gaps: 0 means that every
// word was expected.
func (m *Match) FreeWords() int { return m.cost.free }

// Has reports whether the slot was filled.
func (m *Match) Has(slot string) bool {
	_, ok := m.captures[slot]
	return ok
}

// Text returns the words that filled the slot.
func (m *Match) Text(slot string) string { return m.captures[slot].text }

// Number returns the value of a number or count slot. It is exact and the
// caller's to change.
func (m *Match) Number(slot string) (*big.Rat, bool) {
	v, ok := m.captures[slot].value.(*big.Rat)
	if !ok {
		return nil, false
	}
	return new(big.Rat).Set(v), true
}

// Int returns the value of a number, count or ordinal slot as an int. It is
// false for a fraction and for a number of more than nine digits.
func (m *Match) Int(slot string) (int, bool) {
	switch v := m.captures[slot].value.(type) {
	case int:
		return v, true
	case *big.Rat:
		limit := big.NewRat(1e9, 1)
		if v.IsInt() && new(big.Rat).Abs(v).Cmp(limit) < 0 {
			return int(v.Num().Int64()), true
		}
	}
	return 0, false
}

// Duration returns the value of a duration slot.
func (m *Match) Duration(slot string) (time.Duration, bool) {
	v, ok := m.captures[slot].value.(time.Duration)
	return v, ok
}

// Unit returns the value of a unit slot.
func (m *Match) Unit(slot string) (Unit, bool) {
	v, ok := m.captures[slot].value.(Unit)
	return v, ok
}

// Weekday returns the value of a weekday slot.
func (m *Match) Weekday(slot string) (time.Weekday, bool) {
	v, ok := m.captures[slot].value.(time.Weekday)
	return v, ok
}

// Month returns the value of a month slot.
func (m *Match) Month(slot string) (time.Month, bool) {
	v, ok := m.captures[slot].value.(time.Month)
	return v, ok
}

// Term returns the value of the term that filled a slot of one of Config.Lists.
func (m *Match) Term(slot string) (string, bool) {
	v, ok := m.captures[slot].value.(string)
	return v, ok
}
