package rejection

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"edged/audio"
	"edged/audio/pcm"
	"edged/audio/resample"
	"edged/audio/wav"
	"edged/internal/recordings"
	"edged/transformers/tts/flite"
)

// Order is one text that a synthetic speaker is to say.
type Order struct {
	Speaker Speaker
	Said    string
}

// Studio makes speech of texts and keeps it.
type Studio struct {
	// Dir is where the speech is kept, and the environment of the voices that are Python packages.
	Dir string

	voices map[string]*flite.Voice
}

// Record makes sure that the speech of all orders is there, so that an engine that
// takes long to start does so once.
func (s *Studio) Record(ctx context.Context, orders []Order) error {
	if err := os.MkdirAll(filepath.Join(s.Dir, "speech"), 0o755); err != nil {
		return err
	}
	var packaged []Order
	for _, o := range orders {
		if _, err := os.Stat(s.path(o)); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		var err error
		switch o.Speaker.Engine {
		case "flite":
			err = s.flite(ctx, o)
		case "festival":
			err = s.festival(ctx, o)
		case "hibari", "piper", "pico":
			packaged = append(packaged, o)
		default:
			err = errors.New("the engine is not known")
		}
		if err != nil {
			return fmt.Errorf("rejection: %s (%s) says %q: %w", o.Speaker.Name, o.Speaker.Engine, o.Said, err)
		}
	}
	if len(packaged) == 0 {
		return nil
	}
	return s.packaged(ctx, packaged)
}

// Speech returns the samples of an order that Record has recorded: from the first
// sample of speech to the last, nearly.
func (s *Studio) Speech(o Order) ([]int16, error) {
	samples, err := readWAV(s.path(o))
	if err != nil {
		return nil, err
	}
	return trim(samples), nil
}

// path is where the speech of an order is kept.
func (s *Studio) path(o Order) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %.3f\n%s", o.Speaker.Engine, o.Speaker.Voice, o.Speaker.Warp, o.Said))
	return filepath.Join(s.Dir, "speech", o.Speaker.Name+"-"+hex.EncodeToString(sum[:8])+".wav")
}

// written is a text as one would write it, for the sake of the melody.
func written(said string) string {
	mark := "."
	switch first, _, _ := strings.Cut(said, " "); first {
	case "what", "what's", "when", "when's", "how", "who", "is", "are", "was", "do", "does", "did", "can", "could", "which", "where", "why", "have":
		mark = "?"
	}
	runes := []rune(said)
	runes[0] = unicode.ToUpper(runes[0])
	return strings.ReplaceAll(string(runes), " i ", " I ") + mark
}

func (s *Studio) flite(ctx context.Context, o Order) error {
	key := fmt.Sprintf("%s %.3f", o.Speaker.Voice, o.Speaker.Warp)
	voice := s.voices[key]
	if voice == nil {
		var err error
		if voice, err = flite.New(flite.Config{Voice: o.Speaker.Voice, Stretch: o.Speaker.Warp, Lead: -1}); err != nil {
			return err
		}
		if s.voices == nil {
			s.voices = map[string]*flite.Voice{}
		}
		s.voices[key] = voice
	}
	flite.Seed(1)
	var speech []int16
	err := voice.Synthesize(ctx, written(o.Said), func(block []int16) error {
		speech = append(speech, block...)
		return nil
	})
	if err != nil {
		return err
	}
	return s.keep(o, speech, recordings.Rate)
}

// festivalScript has a diphone voice say a text more slowly by a factor.
const festivalScript = `(voice_%s_diphone)
(Parameter.set 'Duration_Stretch %.3f)
(utt.save.wave (utt.synth (Utterance Text "%s")) "%s" 'riff)
`

func (s *Studio) festival(ctx context.Context, o Order) error {
	dir, err := os.MkdirTemp("", "rejection-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, script := filepath.Join(dir, "speech.wav"), filepath.Join(dir, "say.scm")
	program := fmt.Sprintf(festivalScript, o.Speaker.Voice, o.Speaker.Warp, written(o.Said), file)
	if err := os.WriteFile(script, []byte(program), 0o600); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "festival", "-b", script).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s; to install it, run: apt-get install festival festvox-kdlpc16k", err, bytes.TrimSpace(out))
	}
	samples, err := readWAV(file)
	if err != nil {
		return err
	}
	return s.keep(o, samples, recordings.Rate)
}

// packaged has the voices of the Python environment speak, all in one go.
func (s *Studio) packaged(ctx context.Context, orders []Order) error {
	python, script, err := s.environment(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "rejection-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	type line struct {
		Voice   string  `json:"voice"`
		Text    string  `json:"text"`
		Stretch float64 `json:"stretch"`
		File    string  `json:"file"`
	}
	var lines bytes.Buffer
	file := func(i int) string { return filepath.Join(dir, fmt.Sprint(i, ".wav")) }
	for i, o := range orders {
		if err := json.NewEncoder(&lines).Encode(line{o.Speaker.Voice, written(o.Said), o.Speaker.Warp, file(i)}); err != nil {
			return err
		}
	}
	speak := exec.CommandContext(ctx, python, script)
	speak.Stdin = &lines
	if out, err := speak.CombinedOutput(); err != nil {
		return fmt.Errorf("rejection: the voices of Python packages: %w: %s", err, bytes.TrimSpace(out))
	}
	for i, o := range orders {
		info, samples, err := openWAV(file(i))
		if err != nil {
			return err
		}
		if err := s.keep(o, samples, info.Rate); err != nil {
			return err
		}
	}
	return nil
}

// keep writes speech at the rate of recordings. Spoken more slowly by the
// speaker's warp before, it is played faster by the same: only pitch and formants
// change.
func (s *Studio) keep(o Order, samples []int16, rate audio.SampleRate) error {
	from := audio.SampleRate(math.Round(float64(rate) * o.Speaker.Warp))
	samples, err := resample.Whole(samples, from, recordings.Rate)
	if err != nil {
		return err
	}
	if pcm.Peak(samples) == 0 {
		return errors.New("nothing was said")
	}
	return writeWAV(s.path(o), samples)
}

func readWAV(path string) ([]int16, error) {
	info, samples, err := openWAV(path)
	if err == nil && info.Rate != recordings.Rate {
		err = fmt.Errorf("rejection: %s: %v, want %v", path, info.Rate, recordings.Rate)
	}
	return samples, err
}

func openWAV(path string) (wav.Info, []int16, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return wav.Info{}, nil, err
	}
	info, samples, err := wav.ReadAll(bytes.NewReader(data))
	if err == nil && info.Channels != 1 {
		err = errors.New("it is not mono")
	}
	if err != nil {
		return info, nil, fmt.Errorf("rejection: %s: %w", path, err)
	}
	return info, samples, nil
}

// writeWAV writes the file at once or not at all, since others may be reading it.
func writeWAV(path string, samples []int16) error {
	f, err := os.CreateTemp(filepath.Dir(path), "new-*.wav")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	w, err := wav.NewWriter(f, recordings.Rate, 1)
	if err == nil {
		err = errors.Join(w.Write(samples), w.Close())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// trim cuts off what is before and behind the speech, but for a margin: windows of
// 10 ms that are much weaker than the loudest one.
func trim(samples []int16) []int16 {
	const window, margin, weaker = 160, 640, 42.0
	loudest := math.Inf(-1)
	for at := 0; at+window <= len(samples); at += window {
		loudest = max(loudest, pcm.Level(samples[at:at+window]))
	}
	first, last := -1, 0
	for at := 0; at+window <= len(samples); at += window {
		if pcm.Level(samples[at:at+window]) > loudest-weaker {
			if first < 0 {
				first = at
			}
			last = at + window
		}
	}
	if first < 0 {
		return samples
	}
	return samples[max(0, first-margin):min(len(samples), last+margin)]
}
