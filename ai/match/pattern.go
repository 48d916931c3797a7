package match

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SyntaxError says what is wrong with a pattern and where.
type SyntaxError struct {
	// Rule is the name of the rule, or the fragment's as "<name>".
	Rule string
	// Pattern is the pattern's source.
	Pattern string
	// Column counts characters from 1.
	Column int
	Reason string
}

// Error names the place and the reason.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("match: rule %s: column %d of %q: %s", e.Rule, e.Column, e.Pattern, e.Reason)
}

// Limits that keep a pattern from blowing up.
const (
	maxPatternBytes = 4096
	maxNesting      = 32
	maxStates       = 4096
)

// node is a part of a parsed pattern.
type node interface{}

type (
	wordNode string
	slotNode struct {
		name string
		typ  *slotType
		// column is where the slot stands in its source.
		column int
	}
	gapNode   struct{}
	seqNode   []node
	altNode   []node
	maybeNode struct{ inner node }
)

// parser turns the source of one pattern into a node.
type parser struct {
	rule      string
	source    string
	runes     []rune
	pos       int
	loose     bool
	depth     int
	types     map[string]*slotType
	fragments map[string]string
	// open are the fragments being expanded, to find circles.
	open []string
	// size counts nodes over all fragments, against fragments that multiply.
	size *int
}

func parsePattern(rule, source string, loose bool, types map[string]*slotType, fragments map[string]string) (node, error) {
	size := 0
	p := &parser{rule: rule, source: source, loose: loose, types: types, fragments: fragments, size: &size}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	if _, err := p.slotNames(root, nil); err != nil {
		return nil, err
	}
	if matchesNothing(root) {
		return nil, p.fail(0, "the pattern matches an utterance without words; make one word of it required")
	}
	return root, nil
}

func (p *parser) parse() (node, error) {
	if len(p.source) > maxPatternBytes {
		return nil, p.fail(0, fmt.Sprintf("longer than %d bytes", maxPatternBytes))
	}
	if !utf8.ValidString(p.source) {
		return nil, p.fail(0, "not valid UTF-8")
	}
	p.runes = []rune(p.source)
	root, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.runes) {
		return nil, p.fail(p.pos, fmt.Sprintf("%q closes nothing", p.runes[p.pos]))
	}
	return root, nil
}

func (p *parser) fail(pos int, reason string) error {
	return &SyntaxError{Rule: p.rule, Pattern: p.source, Column: pos + 1, Reason: reason}
}

// alternatives parses sequences with bars between them, up to a closing sign or
// the end.
func (p *parser) alternatives() (node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.fail(p.pos, fmt.Sprintf("more than %d groups inside each other", maxNesting))
	}
	defer func() { p.depth-- }()
	var alt altNode
	for {
		start := p.pos
		seq, err := p.sequence()
		if err != nil {
			return nil, err
		}
		if len(seq) == 0 {
			return nil, p.fail(start, "a word is missing here; write [x] for a part that may be left out")
		}
		alt = append(alt, seq)
		if p.pos == len(p.runes) || p.runes[p.pos] != '|' {
			break
		}
		p.pos++
	}
	if len(alt) == 1 {
		return alt[0], nil
	}
	return alt, nil
}

func (p *parser) sequence() (seqNode, error) {
	var seq seqNode
	for p.pos < len(p.runes) {
		r := p.runes[p.pos]
		if unicode.IsSpace(r) {
			p.pos++
			continue
		}
		if strings.ContainsRune("|)]", r) {
			break
		}
		if *p.size++; *p.size > maxStates {
			return nil, p.fail(p.pos, fmt.Sprintf("more than %d parts, fragments included", maxStates))
		}
		n, err := p.item(r)
		if err != nil {
			return nil, err
		}
		seq = append(seq, n)
	}
	return seq, nil
}

func (p *parser) item(r rune) (node, error) {
	switch r {
	case '(':
		return p.group(')')
	case '[':
		inner, err := p.group(']')
		if err != nil {
			return nil, err
		}
		return maybeNode{inner}, nil
	case '{':
		return p.slot()
	case '<':
		return p.fragment()
	case '.':
		return p.gap()
	}
	if isLetter(r) || r == '\'' {
		return p.word()
	}
	if isDigit(r) {
		return nil, p.fail(p.pos, "digits in a pattern; write the number as words or use a slot")
	}
	return nil, p.fail(p.pos, fmt.Sprintf("%q has no meaning here", r))
}

func (p *parser) group(closing rune) (node, error) {
	open := p.pos
	p.pos++
	inner, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.pos == len(p.runes) || p.runes[p.pos] != closing {
		return nil, p.fail(open, fmt.Sprintf("%q is not closed by %q", p.runes[open], closing))
	}
	p.pos++
	return inner, nil
}

// enclosed returns the text up to closing and moves behind it.
func (p *parser) enclosed(closing rune) (string, error) {
	open := p.pos
	for p.pos++; p.pos < len(p.runes); p.pos++ {
		if p.runes[p.pos] == closing {
			text := string(p.runes[open+1 : p.pos])
			p.pos++
			return text, nil
		}
	}
	return "", p.fail(open, fmt.Sprintf("%q is not closed by %q", p.runes[open], closing))
}

func (p *parser) slot() (node, error) {
	open := p.pos
	text, err := p.enclosed('}')
	if err != nil {
		return nil, err
	}
	name, typeName, typed := strings.Cut(text, ":")
	if !typed {
		typeName = name
	}
	if !isIdentifier(name) {
		return nil, p.fail(open, fmt.Sprintf("slot name %q: want lower-case letters, digits and _", name))
	}
	typ, ok := p.types[typeName]
	if !ok {
		return nil, p.fail(open, fmt.Sprintf("slot type %q is unknown", typeName))
	}
	if typ.name == restType && !p.loose {
		return nil, p.fail(open, "free text cannot be part of a grammar; put this pattern among the Loose ones")
	}
	return slotNode{name, typ, open}, nil
}

func isIdentifier(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

func (p *parser) fragment() (node, error) {
	open := p.pos
	name, err := p.enclosed('>')
	if err != nil {
		return nil, err
	}
	source, ok := p.fragments[name]
	if !ok {
		return nil, p.fail(open, fmt.Sprintf("fragment <%s> is not defined", name))
	}
	if slices.Contains(p.open, name) {
		return nil, p.fail(open, fmt.Sprintf("fragment <%s> contains itself", name))
	}
	if len(p.open) >= maxNesting {
		return nil, p.fail(open, fmt.Sprintf("more than %d fragments inside each other", maxNesting))
	}
	inner := *p
	inner.rule, inner.source, inner.pos, inner.depth = "<"+name+">", source, 0, 0
	inner.open = append(slices.Clone(p.open), name)
	root, err := inner.parse()
	return placed(root, open), err
}

// placed returns n with all its slots at column, where the fragment that they
// come from is used.
func placed(n node, column int) node {
	switch n := n.(type) {
	case slotNode:
		n.column = column
		return n
	case seqNode:
		for i, part := range n {
			n[i] = placed(part, column)
		}
	case altNode:
		for i, branch := range n {
			n[i] = placed(branch, column)
		}
	case maybeNode:
		return maybeNode{placed(n.inner, column)}
	}
	return n
}

func (p *parser) gap() (node, error) {
	start := p.pos
	for p.pos < len(p.runes) && p.runes[p.pos] == '.' {
		p.pos++
	}
	if p.pos-start != 3 {
		return nil, p.fail(start, "want three points for a gap")
	}
	if !p.loose {
		return nil, p.fail(start, "a gap cannot be part of a grammar; put this pattern among the Loose ones")
	}
	return gapNode{}, nil
}

func (p *parser) word() (node, error) {
	start := p.pos
	for p.pos < len(p.runes) && (isLetter(p.runes[p.pos]) || p.runes[p.pos] == '\'') {
		p.pos++
	}
	word := string(p.runes[start:p.pos])
	if normal := Normalize(word); !slices.Equal(normal, []string{word}) {
		return nil, p.fail(start, fmt.Sprintf("%q is never heard like this; write %q", word, strings.Join(normal, " ")))
	}
	return wordNode(word), nil
}

// slotNames returns the names of the slots in n and refuses one that could be
// filled twice in one utterance.
func (p *parser) slotNames(n node, before []string) ([]string, error) {
	switch n := n.(type) {
	case slotNode:
		if slices.Contains(before, n.name) {
			return nil, p.fail(n.column, fmt.Sprintf("slot name %q stands twice in one sequence", n.name))
		}
		return append(slices.Clone(before), n.name), nil
	case seqNode:
		var err error
		for _, part := range n {
			if before, err = p.slotNames(part, before); err != nil {
				return nil, err
			}
		}
	case altNode:
		all := before
		for _, branch := range n {
			names, err := p.slotNames(branch, before)
			if err != nil {
				return nil, err
			}
			all = append(slices.Clone(all), names[len(before):]...)
		}
		return all, nil
	case maybeNode:
		return p.slotNames(n.inner, before)
	}
	return before, nil
}

// matchesNothing reports whether n accepts an empty utterance.
func matchesNothing(n node) bool {
	switch n := n.(type) {
	case maybeNode, gapNode:
		return true
	case seqNode:
		for _, part := range n {
			if !matchesNothing(part) {
				return false
			}
		}
		return true
	case altNode:
		return slices.ContainsFunc(n, matchesNothing)
	}
	return false
}
