package pausing

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"edged/audio/pcm"
	"edged/internal/recordings"
)

// TestSplits: tuning and measuring share neither a text nor a voice.
func TestSplits(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Sentences(recordings.Tuning) {
		seen[strings.Join(s.Words, " ")] = true
	}
	for _, voice := range Voices(recordings.Tuning) {
		seen[voice] = true
	}
	for _, s := range Sentences(recordings.HeldOut) {
		if text := strings.Join(s.Words, " "); seen[text] {
			t.Errorf("%q is in both splits", text)
		}
	}
	for _, voice := range Voices(recordings.HeldOut) {
		if seen[voice] {
			t.Errorf("voice %s is in both splits", voice)
		}
	}
}

func TestSentences(t *testing.T) {
	for _, split := range []recordings.Split{recordings.Tuning, recordings.HeldOut} {
		commands := 0
		all := Sentences(split)
		for _, s := range all {
			if s.Command {
				commands++
			}
			if len(s.Places) == 0 {
				t.Errorf("%s: %q has no place to stop", split, s.Words)
			}
			for _, place := range s.Places {
				if place < 1 || place >= len(s.Words) {
					t.Errorf("%s: %q has a place to stop after word %d", split, s.Words, place)
				}
			}
		}
		if len(all) < 50 || commands < 40 || commands == len(all) {
			t.Errorf("%s: %d sentences, %d of them commands: want 50, 40 of them commands", split, len(all), commands)
		}
	}
}

// TestScripts: drawn by seed, with pauses of each length from 300 to 1200 ms,
// three in four where people think.
func TestScripts(t *testing.T) {
	const n = 1000
	scripts := Scripts(recordings.Tuning, n, 1)
	if !reflect.DeepEqual(scripts, Scripts(recordings.Tuning, n, 1)) {
		t.Error("the same seed draws other scripts")
	}
	if reflect.DeepEqual(scripts, Scripts(recordings.Tuning, n, 2)) {
		t.Error("another seed draws the same scripts")
	}
	lengths, likely := map[time.Duration]int{}, 0
	for _, s := range scripts {
		lengths[s.Pause.Length]++
		if s.Pause.Likely {
			likely++
		}
	}
	for length := 300 * time.Millisecond; length <= 1200*time.Millisecond; length += 100 * time.Millisecond {
		if lengths[length] < n/20 {
			t.Errorf("%d of %d pauses last %v", lengths[length], n, length)
		}
		delete(lengths, length)
	}
	if len(lengths) > 0 || likely < 700 || likely > 800 {
		t.Errorf("pauses of other lengths: %v; %d of %d where people think", lengths, likely, n)
	}
}

// TestSpeak: the speech is loud where the truth says, and there is the room only
// before it, in the pause and behind it.
func TestSpeak(t *testing.T) {
	var speaker Speaker
	for _, script := range Scripts(recordings.Tuning, 12, 3) {
		u, err := speaker.Speak(t.Context(), script)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s: %q stopping after %d", u.Voice, u.Words, u.Pause.After)
		if !(0 < u.Onset && u.Onset < u.Stop && u.Stop < u.Resume && u.Resume < u.Offset && u.Offset < len(u.PCM)) {
			t.Fatalf("%s: places %d %d %d %d of %d", name, u.Onset, u.Stop, u.Resume, u.Offset, len(u.PCM))
		}
		if pause := recordings.Rate.Duration(u.Resume - u.Stop); pause < u.Pause.Length || pause > u.Pause.Length+150*time.Millisecond {
			t.Errorf("%s: a pause of %v, want %v", name, pause, u.Pause.Length)
		}
		for _, quiet := range [][]int16{u.PCM[:u.Onset], u.PCM[u.Stop+800 : u.Resume-800], u.PCM[u.Offset+800:]} {
			if level := pcm.Level(quiet); level < quietRoom-2 || level > loudRoom+12 {
				t.Errorf("%s: %.1f dBFS where nobody speaks, want a room of %v to %v", name, level, quietRoom, loudRoom)
			}
		}
		for _, loud := range [][]int16{u.PCM[u.Onset:u.Stop], u.PCM[u.Resume:u.Offset]} {
			if level := pcm.Level(loud); level < speechLevel-12 {
				t.Errorf("%s: %.1f dBFS of speech, want about %v", name, level, speechLevel)
			}
		}
	}
}

// TestEverySentenceIsSpokenAsWritten: the words of the text are those of the
// engine, so that a pause stands where it should.
func TestEverySentenceIsSpokenAsWritten(t *testing.T) {
	var speaker Speaker
	for _, split := range []recordings.Split{recordings.Tuning, recordings.HeldOut} {
		for i, s := range Sentences(split) {
			_, err := speaker.Speak(t.Context(), Script{
				Sentence: s, Voice: Voices(split)[i%2], Pause: Pause{After: 1, Length: 300 * time.Millisecond},
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}
