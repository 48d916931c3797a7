package rejection

import (
	"testing"

	"edged/internal/recordings"
)

// TestSplitsShareNoSpeaker: neither a speaker nor the voice that one is made of.
func TestSplitsShareNoSpeaker(t *testing.T) {
	voices, names := map[string]recordings.Split{}, map[string]bool{}
	for _, split := range []recordings.Split{recordings.Tuning, recordings.HeldOut} {
		for _, kind := range []Kind{Synthetic, Pseudo, Human} {
			speakers, err := Speakers(split, kind)
			if err != nil || len(speakers) == 0 {
				t.Fatalf("%s, %s: %d speakers, %v", split, kind, len(speakers), err)
			}
			for _, s := range speakers {
				voice := s.Engine + " " + s.Voice
				if other, ok := voices[voice]; ok && other != split || names[s.Name] {
					t.Errorf("%s: %s is in both splits, or the name is taken", s.Name, voice)
				}
				voices[voice], names[s.Name] = split, true
				if (s.Warp != 1) != (kind == Pseudo) {
					t.Errorf("%s is %s, and its warp %v", s.Name, kind, s.Warp)
				}
			}
		}
	}
}
