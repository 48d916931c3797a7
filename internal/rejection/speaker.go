package rejection

import (
	_ "embed"
	"fmt"
	"strings"

	"edged/internal/recordings"
)

// Kind says what a speaker is.
type Kind string

const (
	// Synthetic is a voice of a speech synthesiser.
	Synthetic Kind = "synthetic"
	// Pseudo is such a voice made smaller or larger. It is no further person.
	Pseudo Kind = "pseudo"
	// Human is a person, recorded by somebody else for something else.
	Human Kind = "human"
	// Spliced is a person whose words, each recorded alone, are put together.
	Spliced Kind = "human, spliced"
	// Machine is no speaker: music and noises.
	Machine Kind = "machine"
)

// Speaker is somebody who says texts.
type Speaker struct {
	Name  string
	Split recordings.Split
	Kind  Kind
	// Engine is what makes the speech, Voice the engine's name for the voice.
	Engine, Voice string
	// Warp is the factor on pitch and formants.
	Warp float64
}

//go:embed speakers.txt
var speakerList string

// Speakers returns those of a split and a kind, in the order of the list.
func Speakers(split recordings.Split, kind Kind) ([]Speaker, error) {
	var all []Speaker
	for number, line := range strings.Split(speakerList, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var s Speaker
		n, err := fmt.Sscan(line, &s.Name, &s.Split, &s.Kind, &s.Engine, &s.Voice, &s.Warp)
		if err != nil || n != 6 || s.Warp <= 0 {
			return nil, fmt.Errorf("rejection: speakers, line %d: %q: want name, split, kind, engine, voice and warp: %w", number+1, line, err)
		}
		if s.Split == split && s.Kind == kind {
			all = append(all, s)
		}
	}
	return all, nil
}
