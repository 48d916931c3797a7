package transformers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

var (
	// ErrUnknownPattern: nothing is registered for the requested name.
	ErrUnknownPattern = errors.New("nothing is registered for it")
	// ErrDuplicatePattern: the pattern was registered before.
	ErrDuplicatePattern = errors.New("it is registered already")
	// ErrInvalidPattern: the pattern cannot be registered.
	ErrInvalidPattern = errors.New("invalid")
)

// PatternError says what is wrong with a pattern. It matches one of the
// sentinels ErrUnknownPattern, ErrDuplicatePattern and ErrInvalidPattern.
type PatternError struct {
	Pattern string
	// Err is one of the sentinels, or wraps it.
	Err error
	// Known are the registered patterns when Pattern is unknown.
	Known []string
}

// Error names the pattern, what is wrong with it, and what there is instead.
func (e *PatternError) Error() string {
	text := fmt.Sprintf("transformers: pattern %q: %v", e.Pattern, e.Err)
	const shown = 8
	if n := len(e.Known); n > shown {
		text += fmt.Sprintf(" (known: %s and %d more)", strings.Join(e.Known[:shown], ", "), n-shown)
	} else if n > 0 {
		text += fmt.Sprintf(" (known: %s)", strings.Join(e.Known, ", "))
	}
	return text
}

// Unwrap returns Err.
func (e *PatternError) Unwrap() error { return e.Err }

// patterns maps patterns to values in a trie over their segments.
type patterns[T any] struct {
	mu   sync.RWMutex
	root patternNode[T]
	keys []string // sorted
}

type patternNode[T any] struct {
	exact map[string]*patternNode[T]
	one   *patternNode[T] // "+"
	rest  *patternNode[T] // "#"
	value *T              // nil unless a pattern ends here
}

func (p *patterns[T]) add(pattern string, value T) error {
	segments := strings.Split(pattern, "/")
	if err := checkSegments(segments); err != nil {
		return &PatternError{Pattern: pattern, Err: err}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := &p.root
	for _, segment := range segments {
		n = n.child(segment)
	}
	if n.value != nil {
		return &PatternError{Pattern: pattern, Err: ErrDuplicatePattern}
	}
	n.value = &value
	at, _ := slices.BinarySearch(p.keys, pattern)
	p.keys = slices.Insert(p.keys, at, pattern)
	return nil
}

func checkSegments(segments []string) error {
	for i, segment := range segments {
		switch {
		case segment == "":
			return fmt.Errorf("%w: empty segment", ErrInvalidPattern)
		case segment == "#" && i < len(segments)-1:
			return fmt.Errorf("%w: # is for the last segment only", ErrInvalidPattern)
		case len(segment) > 1 && strings.ContainsAny(segment, "+#"):
			return fmt.Errorf("%w: + and # stand for whole segments", ErrInvalidPattern)
		case strings.Contains(segment, "?"):
			return fmt.Errorf("%w: what follows a ? belongs to a request", ErrInvalidPattern)
		}
	}
	return nil
}

// child returns the node below n for segment, making it if need be.
func (n *patternNode[T]) child(segment string) *patternNode[T] {
	var at **patternNode[T]
	switch segment {
	case "+":
		at = &n.one
	case "#":
		at = &n.rest
	default:
		if n.exact == nil {
			n.exact = map[string]*patternNode[T]{}
		}
		if n.exact[segment] == nil {
			n.exact[segment] = &patternNode[T]{}
		}
		return n.exact[segment]
	}
	if *at == nil {
		*at = &patternNode[T]{}
	}
	return *at
}

// find returns the value for the requested name, whose query is ignored.
func (p *patterns[T]) find(name string) (T, error) {
	path, _, _ := strings.Cut(name, "?")
	p.mu.RLock()
	defer p.mu.RUnlock()
	if v := p.root.match(path, false); v != nil {
		return *v, nil
	}
	var none T
	return none, &PatternError{Pattern: name, Err: ErrUnknownPattern, Known: slices.Clone(p.keys)}
}

// match looks below n for the rest of a path; atEnd tells the end of the path
// from an empty segment. It visits no node twice.
func (n *patternNode[T]) match(path string, atEnd bool) *T {
	if n == nil {
		return nil
	}
	if atEnd {
		if n.value == nil && n.rest != nil { // "a/#" is also "a"
			return n.rest.value
		}
		return n.value
	}
	segment, below, more := strings.Cut(path, "/")
	if v := n.exact[segment].match(below, !more); v != nil {
		return v
	}
	if segment != "" {
		if v := n.one.match(below, !more); v != nil {
			return v
		}
	}
	if n.rest != nil {
		return n.rest.value
	}
	return nil
}

func (p *patterns[T]) all() []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.Clone(p.keys)
}
