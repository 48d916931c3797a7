package digest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"edged/session/log"
)

// Errors of Book.Session.
var (
	// ErrUnknown: no such session is kept.
	ErrUnknown = errors.New("digest: no such session")
	// ErrAmbiguous: several sessions begin like that.
	ErrAmbiguous = errors.New("digest: several sessions begin like that")
)

// BookConfig bounds a Book.
type BookConfig struct {
	// Sessions is how many are kept at most. Default 500. Beyond it, the one
	// that ended first is given up, else the one that was silent for longest.
	Sessions int
	// Turns is how many turns are kept of each. Default 100.
	Turns int
}

// Book follows all sessions of a server.
type Book struct {
	cfg BookConfig

	mu      sync.Mutex
	stories map[string]*Story
}

// NewBook returns an empty book.
func NewBook(cfg BookConfig) *Book {
	if cfg.Sessions <= 0 {
		cfg.Sessions = 500
	}
	if cfg.Turns <= 0 {
		cfg.Turns = 100
	}
	return &Book{cfg: cfg, stories: make(map[string]*Story)}
}

// Add applies the next record of the log.
func (b *Book) Add(rec log.Record) {
	if rec.Session == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.stories[rec.Session]
	if s == nil {
		if len(b.stories) >= b.cfg.Sessions {
			b.giveUpOne()
		}
		s = NewStory(b.cfg.Turns)
		b.stories[rec.Session] = s
	}
	s.Add(rec)
}

func (b *Book) giveUpOne() {
	var worst *Story
	for _, s := range b.stories {
		if worst == nil || lessWanted(s, worst) {
			worst = s
		}
	}
	delete(b.stories, worst.session.Session)
}

// lessWanted reports whether a is given up before b.
func lessWanted(a, b *Story) bool {
	if aEnded, bEnded := a.session.State == Ended, b.session.State == Ended; aEnded != bEnded {
		return aEnded
	}
	if byTime := a.session.Last.Compare(b.session.Last); byTime != 0 {
		return byTime < 0
	}
	return a.session.Session < b.session.Session
}

// Sessions returns the sessions of a device, of all for "", the ones that are
// not over before the others and the latest first.
func (b *Book) Sessions(device string) []Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]Session, 0, len(b.stories))
	for _, s := range b.stories {
		if device == "" || s.session.Device == device {
			all = append(all, s.Session())
		}
	}
	slices.SortFunc(all, func(x, y Session) int {
		if xEnded, yEnded := x.State == Ended, y.State == Ended; xEnded != yEnded {
			if yEnded {
				return -1
			}
			return 1
		}
		if byTime := y.Last.Compare(x.Last); byTime != 0 {
			return byTime
		}
		return strings.Compare(x.Session, y.Session)
	})
	return all
}

// Session returns the session whose identifier is id, or the only one that
// begins with it. The error matches ErrUnknown or ErrAmbiguous.
func (b *Book) Session(id string) (Detail, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.stories[id]; s != nil {
		return s.Detail(), nil
	}
	var found *Story
	for name, s := range b.stories {
		if id == "" || !strings.HasPrefix(name, id) {
			continue
		}
		if found != nil {
			return Detail{}, fmt.Errorf("%w: %.40q", ErrAmbiguous, id)
		}
		found = s
	}
	if found == nil {
		return Detail{}, fmt.Errorf("%w: %.40q", ErrUnknown, id)
	}
	return found.Detail(), nil
}
