package recordings_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"edged/audio/pcm"
	"edged/internal/recordings"
)

const dir = "../../testdata/audio"

func load(t *testing.T) []recordings.Recording {
	t.Helper()
	all, err := recordings.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What the end-to-end tests rely on: enough questions in enough voices, every
// file as listed, at the rate and in the pauses that they assume.
func TestRecordings(t *testing.T) {
	all := load(t)
	speakers := map[string]int{}
	size := int64(0)
	for _, r := range all {
		t.Run(r.File, func(t *testing.T) {
			speakers[r.Speaker]++
			samples, err := r.PCM()
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(r.Path)
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
			onset, offset := r.Speech()
			if onset < 300*time.Millisecond || onset > 700*time.Millisecond {
				t.Errorf("speech begins after %v, want 300 to 700 ms of room before it", onset)
			}
			if spoken := offset - onset; spoken < 300*time.Millisecond || spoken > 4*time.Second {
				t.Errorf("the question lasts %v, want a short one", spoken)
			}
			if tail := recordings.Rate.Duration(len(samples) - r.Offset); tail < time.Second {
				t.Errorf("%v of room behind the speech, want a second: an endpointer waits for it", tail)
			}
		})
	}
	if len(all) < 24 || len(speakers) < 4 {
		t.Errorf("%d recordings of %d speakers, want 24 of 4 or more", len(all), len(speakers))
	}
	if size > 4e6 {
		t.Errorf("%d bytes of recordings, want at most 4 MB in the repository", size)
	}
	for speaker, n := range speakers {
		if n < 3 {
			t.Errorf("speaker %s has %d recordings, too few to say anything about a voice", speaker, n)
		}
	}
}

// Onset and offset come from the engine's segment times. The energy of the
// samples must agree. It reaches over the speech by no more than the 40 ms of
// the engine's pauses that are kept; it may begin 100 ms late after a weak h and
// be gone 200 ms early before a weak final f.
func TestSpeechIsWhereTheManifestSays(t *testing.T) {
	const window = 160 // 10 ms
	const kept, weakFirst, weakLast = 4 * window, 10 * window, 20 * window
	for _, r := range load(t) {
		samples, err := r.PCM()
		if err != nil {
			t.Fatal(err)
		}
		speech := pcm.Level(samples[r.Onset:r.Offset])
		// A window is loud within 26 dB of the speech, which weak consonants
		// reach, and the noise, 43 dB below, does not.
		first, last := -1, -1
		for i := 0; i+window <= len(samples); i += window {
			if pcm.Level(samples[i:i+window]) > speech-26 {
				if first < 0 {
					first = i
				}
				last = i + window
			}
		}
		if first < r.Onset-kept || first > r.Onset+weakFirst {
			t.Errorf("%s: first loud window at %d, manifest says speech begins at %d", r.File, first, r.Onset)
		}
		if last > r.Offset+kept+window || last < r.Offset-weakLast {
			t.Errorf("%s: last loud window ends at %d, manifest says speech ends at %d", r.File, last, r.Offset)
		}
		if noise := pcm.Level(samples[r.Offset+kept:]); r.Source != "human" && (noise > -60 || noise < -72) {
			t.Errorf("%s: the room has %.1f dBFS, want about -66: no hiss and no digital silence", r.File, noise)
		}
	}
}

// Whatever is tuned must not have been seen in what measures it, and both sides
// must ask for much the same.
func TestSplits(t *testing.T) {
	intents := map[recordings.Split][]string{}
	speakers := map[recordings.Split][]string{}
	for _, r := range load(t) {
		intents[r.Split] = append(intents[r.Split], r.Intent)
		speakers[r.Split] = append(speakers[r.Split], r.Speaker)
	}
	for _, split := range []recordings.Split{recordings.Tuning, recordings.HeldOut} {
		for _, intent := range []string{"time", "day", "timer.set", "timer.list", "timer.cancel", "sum", "unit", "coin", "joke", "talk", "help", recordings.Decline} {
			if !slices.Contains(intents[split], intent) {
				t.Errorf("no %s recording asks for %s", split, intent)
			}
		}
	}
	for _, speaker := range speakers[recordings.Tuning] {
		if slices.Contains(speakers[recordings.HeldOut], speaker) {
			t.Errorf("speaker %s is in both splits", speaker)
		}
	}
}

func TestReplyWordsAreAsSpoken(t *testing.T) {
	for _, r := range load(t) {
		for _, group := range r.ReplyWords {
			if len(group) == 0 {
				t.Errorf("%s: an empty group can never be heard", r.File)
			}
			for _, words := range group {
				if words == "" || strings.Trim(words, "abcdefghijklmnopqrstuvwxyz '") != "" {
					t.Errorf("%s: %q is not what a recogniser writes: small letters and spaces", r.File, words)
				}
			}
		}
	}
}

// entry is a valid entry of a manifest, changed by the test.
const entry = `{"file":"%s","text":"%s","intent":"time","speaker":"%s","source":"flite","split":"%s","onset":%d,"offset":20,"samples":30,"sha256":"00"}`

func TestBadManifest(t *testing.T) {
	good := fmt.Sprintf(entry, "a.wav", "What time is it?", "rms", "tuning", 10)
	tests := []struct{ name, manifest, want string }{
		{"no JSON", `{`, "unexpected EOF"},
		{"another version", `{"version":2,"recordings":[]}`, "version 2"},
		{"unknown field", `{"version":1,"recordings":[{"colour":"red"}]}`, "colour"},
		{"a path as file", list(fmt.Sprintf(entry, "../a.wav", "x", "rms", "tuning", 10)), "plain name"},
		{"a file twice", list(good, good), "twice"},
		{"unknown split", list(fmt.Sprintf(entry, "a.wav", "x", "rms", "training", 10)), "training"},
		{"no speech", list(fmt.Sprintf(entry, "a.wav", "x", "rms", "tuning", 20)), "20..20"},
		{"no speaker", list(fmt.Sprintf(entry, "a.wav", "x", "", "tuning", 10)), "speaker"},
		{"a speaker in both splits", list(good, fmt.Sprintf(entry, "b.wav", "y", "rms", "held-out", 10)), "speaker rms"},
		{"a text in both splits", list(good, fmt.Sprintf(entry, "b.wav", "what time is it", "slt", "held-out", 10)), "both splits"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, recordings.ManifestFile), []byte(tt.manifest), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := recordings.Load(dir)
			if !errors.Is(err, recordings.ErrManifest) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want ErrManifest that mentions %q", err, tt.want)
			}
		})
	}
	if _, err := recordings.Load(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no manifest: %v, want os.ErrNotExist", err)
	}
}

func list(entries ...string) string {
	return `{"version":1,"recordings":[` + strings.Join(entries, ",") + `]}`
}

// A recording that was replaced without its entry has other onsets.
func TestChangedRecordingIsRefused(t *testing.T) {
	r := load(t)[0]
	data, err := os.ReadFile(r.Path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	r.Path = filepath.Join(t.TempDir(), r.File)
	if err := os.WriteFile(r.Path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.PCM(); !errors.Is(err, recordings.ErrChanged) {
		t.Errorf("%v, want ErrChanged", err)
	}
}
