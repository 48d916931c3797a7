package digest

import (
	"testing"

	"edged/dialog"
	"edged/session/log"
)

// A story that is followed for days does not grow.
func TestStoryKeepsTheLastTurns(t *testing.T) {
	s := NewStory(3)
	for turn := range 1000 {
		s.Add(log.Record{Session: "s", Turn: dialog.Turn(1 + turn), Event: log.GenFirstToken{MS: 1}})
	}
	d := s.Detail()
	if len(d.Story) != 3 || d.Story[0].Turn != 998 || s.Session().Turns != 1000 {
		t.Errorf("%d turns are kept of %d, want 998 to 1000: %+v", len(d.Story), s.Session().Turns, d.Story)
	}
}
