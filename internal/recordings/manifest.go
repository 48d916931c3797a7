package recordings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"edged/audio"
	"edged/audio/wav"
)

// Rate is the sample rate of every recording. All are mono, 16 bits.
const Rate = audio.Rate16k

// ManifestFile is the name of the manifest beside the recordings.
const ManifestFile = "manifest.json"

// Version is the version of the manifest's schema that this package reads.
const Version = 1

var (
	// ErrManifest is matched by the error for a manifest that is not valid.
	ErrManifest = errors.New("recordings: bad manifest")
	// ErrChanged is matched by the error for a recording that is not the one
	// that the manifest describes.
	ErrChanged = errors.New("recordings: not as in the manifest")
)

// Split says what a recording may be used for. The splits share neither a
// speaker nor a text.
type Split string

const (
	// Tuning recordings may be looked at to choose a threshold or a wording.
	Tuning Split = "tuning"
	// HeldOut recordings only measure what was chosen without them.
	HeldOut Split = "held-out"
)

// Decline is the Intent of a question that the offline assistant cannot answer
// and should say so.
const Decline = "decline"

// Recording is one spoken question.
type Recording struct {
	// File is the name within the directory of the manifest.
	File string `json:"file"`
	// Text is what is said, as one would write it.
	Text string `json:"text"`
	// Intent names what is asked for: "time", "timer.set", ... or Decline.
	Intent string `json:"intent"`
	// ReplyWords is what a right spoken answer must hold, where that is known
	// beforehand: of every inner list at least one. Words are as spoken, lower
	// case, without punctuation ("thirty six"). Empty if any answer to the
	// intent will do.
	ReplyWords [][]string `json:"reply_words,omitempty"`
	// Speaker names the voice ("rms") or the person.
	Speaker string `json:"speaker"`
	// Source is how the speech came about: "flite", "festival" or "human".
	Source string `json:"source"`
	Split  Split  `json:"split"`
	// Onset is the first sample of speech, Offset the one after the last.
	Onset  int `json:"onset"`
	Offset int `json:"offset"`
	// Samples is the length of the file.
	Samples int `json:"samples"`
	// SHA256 is that of the file, in hexadecimal digits.
	SHA256 string `json:"sha256"`

	// Path is where the file is, set by Load.
	Path string `json:"-"`
}

// Manifest is the content of ManifestFile.
type Manifest struct {
	Version    int         `json:"version"`
	Recordings []Recording `json:"recordings"`
}

// Load reads and checks the manifest in dir. It does not open the recordings.
// The error matches ErrManifest, or is that of the file system.
func Load(dir string) ([]Recording, error) {
	data, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		return nil, fmt.Errorf("recordings: load: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var m Manifest
	if err := decoder.Decode(&m); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrManifest, filepath.Join(dir, ManifestFile), err)
	}
	if m.Version != Version {
		return nil, fmt.Errorf("%w: version %d, this program reads %d", ErrManifest, m.Version, Version)
	}
	if err := check(m.Recordings); err != nil {
		return nil, err
	}
	for i := range m.Recordings {
		m.Recordings[i].Path = filepath.Join(dir, m.Recordings[i].File)
	}
	return m.Recordings, nil
}

// check finds the first entry that contradicts itself or another one.
func check(all []Recording) error {
	files := map[string]bool{}
	speakers, texts := map[string]Split{}, map[string]Split{}
	for _, r := range all {
		fault := ""
		switch {
		case r.File == "" || r.File != filepath.Base(r.File):
			fault = "file must be a plain name"
		case files[r.File]:
			fault = "file is listed twice"
		case r.Text == "" || r.Intent == "" || r.Speaker == "" || r.Source == "":
			fault = "text, intent, speaker and source must be given"
		case r.Split != Tuning && r.Split != HeldOut:
			fault = fmt.Sprintf("split %q is neither %q nor %q", r.Split, Tuning, HeldOut)
		case r.Onset <= 0 || r.Onset >= r.Offset || r.Offset >= r.Samples:
			fault = fmt.Sprintf("speech %d..%d is not inside a recording of %d samples", r.Onset, r.Offset, r.Samples)
		case speakers[r.Speaker] != "" && speakers[r.Speaker] != r.Split:
			fault = fmt.Sprintf("speaker %s is in both splits", r.Speaker)
		case texts[spoken(r.Text)] != "" && texts[spoken(r.Text)] != r.Split:
			fault = fmt.Sprintf("text %q is in both splits", r.Text)
		}
		if fault != "" {
			return fmt.Errorf("%w: %q: %s", ErrManifest, r.File, fault)
		}
		files[r.File] = true
		speakers[r.Speaker], texts[spoken(r.Text)] = r.Split, r.Split
	}
	return nil
}

// spoken reduces a text to its words, so that spelling does not make two.
func spoken(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '\'')
	}), " ")
}

// Speech returns when the speech begins and ends, from the start of the file.
func (r Recording) Speech() (onset, offset time.Duration) {
	return Rate.Duration(r.Onset), Rate.Duration(r.Offset)
}

// PCM reads the recording: 16 kHz mono samples. The error matches ErrChanged if
// the file is another than the manifest describes, or is that of reading it.
func (r Recording) PCM() ([]int16, error) {
	data, err := os.ReadFile(r.Path)
	if err != nil {
		return nil, fmt.Errorf("recordings: read: %w", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != r.SHA256 {
		return nil, fmt.Errorf("%w: %s: SHA-256 is %x, not %s", ErrChanged, r.Path, sum, r.SHA256)
	}
	info, samples, err := wav.ReadAll(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("recordings: %s: %w", r.Path, err)
	}
	if info.Rate != Rate || info.Channels != 1 || len(samples) != r.Samples {
		return nil, fmt.Errorf("%w: %s: %d samples of %d channels at %v, not %d of one at %v",
			ErrChanged, r.Path, len(samples), info.Channels, info.Rate, r.Samples, Rate)
	}
	return samples, nil
}
