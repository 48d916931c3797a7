package rejection

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"edged/audio/pcm"
	"edged/audio/resample"
	"edged/internal/recordings"
	"edged/internal/rejection/g722"
)

// Recordings of people, as Debian's packages have them. The texts of allison are
// the names of the files, which tell what is said but not word by word; what
// matters is that none of it is a command, but for those named here.
const (
	sphinxDir  = "/usr/share/pocketsphinx/test/data"
	allisonDir = "/usr/share/asterisk/sounds/en_US_f_Allison"
	alsaDir    = "/usr/share/sounds/alsa"
	musicDir   = "/usr/share/asterisk/moh"
)

// clip is a recording of a person.
type clip struct {
	Text
	samples []int16
}

// people returns the clips of a human speaker.
func people(s Speaker) ([]clip, error) {
	var clips []clip
	var err error
	switch s.Voice {
	case "librivox", "cards":
		clips, err = sphinxClips(s.Voice)
	case "others":
		clips, err = rawClips()
	case "allison":
		clips, err = allisonClips()
	case "alsa":
		clips, err = alsaClips()
	default:
		err = errors.New("nobody knows the speaker")
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; to install the recordings, run: apt-get install pocketsphinx-testdata asterisk-core-sounds-en-g722 asterisk-moh-opsound-g722 alsa-utils", err)
	}
	if err != nil {
		return nil, fmt.Errorf("rejection: recordings of %s: %w", s.Name, err)
	}
	for i := range clips {
		clips[i].Split = s.Split
		clips[i].samples = trim(clips[i].samples)
	}
	return clips, nil
}

func sphinxClips(set string) ([]clip, error) {
	dir := filepath.Join(sphinxDir, set)
	lines, err := os.ReadFile(filepath.Join(dir, map[string]string{"librivox": "transcription", "cards": "cards.transcription"}[set]))
	if err != nil {
		return nil, err
	}
	var clips []clip
	for line := range strings.Lines(string(lines)) { // <s> ten of clubs </s> (001)
		said, id, ok := strings.Cut(strings.TrimSpace(line), " </s> (")
		if !ok {
			continue
		}
		samples, err := readWAV(filepath.Join(dir, strings.TrimSuffix(id, ")")+".wav"))
		if err != nil {
			return nil, err
		}
		said = strings.TrimSpace(strings.TrimPrefix(said, "<s>"))
		clips = append(clips, clip{Text{Class: Outside, Family: set, Said: said}, samples})
	}
	return clips, nil
}

func rawClips() ([]clip, error) {
	var clips []clip
	for _, c := range []struct{ file, said string }{
		{"goforward.raw", "go forward ten meters"}, {"something.raw", "(something)"},
		{"numbers.raw", "(numbers)"}, {"tidigits/dhd.2934z.raw", "two nine three four zero"},
	} {
		data, err := os.ReadFile(filepath.Join(sphinxDir, c.file))
		if err != nil {
			return nil, err
		}
		samples := make([]int16, len(data)/2)
		pcm.Decode(samples, data)
		clips = append(clips, clip{Text{Class: Outside, Family: "others", Said: c.said}, samples})
	}
	return clips, nil
}

var (
	// allisonCommands are the prompts that are in the grammar, with their words.
	allisonCommands = map[string]string{"goodbye": "goodbye", "vm-goodbye": "goodbye", "hello": "hello",
		"auth-thankyou": "thank you", "privacy-thankyou": "thank you", "vm-no": "no"}
	// allisonLeftOut are prompts that are no speech, or of which one may think either
	// way ("sorry", "thank you for your patience").
	allisonLeftOut = strings.Fields(`ascending-2tone descending-2tone beep beeperr confbridge-join confbridge-leave tt-monkeys
		sorry im-sorry vm-sorry time hello-world queue-thankyou demo-thanks`)
	// What Allison says in letters, phonetic and digits.
	allisonWords = map[string]string{"letters": "letter", "phonetic": "phonetic", "digits/mon-": "month", "digits/h-": "ordinal"}
)

// allisonClips are prompts of up to six seconds, and single words.
func allisonClips() ([]clip, error) {
	files, err := filepath.Glob(filepath.Join(allisonDir, "*.g722"))
	if err != nil {
		return nil, err
	}
	for _, below := range []string{"dictate/*", "followme/*", "letters/?", "phonetic/?_p", "digits/mon-*", "digits/h-*"} {
		more, err := filepath.Glob(filepath.Join(allisonDir, below+".g722"))
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", allisonDir, fs.ErrNotExist)
	}
	var clips []clip
	for _, file := range files {
		name, _ := filepath.Rel(allisonDir, strings.TrimSuffix(file, ".g722"))
		samples, err := readG722(file)
		if err != nil {
			return nil, err
		}
		if slices.Contains(allisonLeftOut, name) || recordings.Rate.Duration(len(samples)).Seconds() > 6 {
			continue
		}
		text := Text{Class: Outside, Family: "prompt", Said: name}
		if said, ok := allisonCommands[name]; ok {
			text = Text{Class: Command, Family: said, Said: said}
		}
		for prefix, family := range allisonWords {
			if strings.HasPrefix(name, prefix) {
				text.Family = family
			}
		}
		clips = append(clips, clip{text, samples})
	}
	return clips, nil
}

func alsaClips() ([]clip, error) {
	var clips []clip
	for _, said := range []string{"Front_Center", "Front_Left", "Front_Right", "Rear_Center", "Rear_Left", "Rear_Right", "Side_Left", "Side_Right"} {
		info, samples, err := openWAV(filepath.Join(alsaDir, said+".wav"))
		if err != nil {
			return nil, err
		}
		if samples, err = resample.Whole(samples, info.Rate, recordings.Rate); err != nil {
			return nil, err
		}
		clips = append(clips, clip{Text{Class: Outside, Family: "alsa", Said: strings.ToLower(strings.ReplaceAll(said, "_", " "))}, samples})
	}
	return clips, nil
}

// spliced returns sums and durations put together from the words that allison says
// alone, with a short pause between: commands of a person, though not said as one
// would.
func spliced() ([]clip, error) {
	word := map[string]string{"plus": "letters/plus", "minus": "digits/minus", "minutes": "minutes", "seconds": "seconds"}
	for n := range 20 {
		word[inWords(n)] = fmt.Sprint("digits/", n)
	}
	for n := 20; n < 100; n += 10 {
		word[inWords(n)] = fmt.Sprint("digits/", n)
	}
	var clips []clip
	for _, pattern := range []string{"{2-19} plus {2-19}", "{20-99} plus {2-99}", "{20-99} minus {2-19}", "{2-19} minus {2-99}",
		"{2-12} plus {20-99}", "{2-59} plus {2-59}", "{20-99} minus {2-99}", "{2-99} plus {2-9}", "{11-99} minus {11-99}", "{2-99} minus {2-99}"} {
		texts, err := draw(pattern)
		if err != nil {
			return nil, err
		}
		for _, said := range texts {
			var samples []int16
			for w := range strings.FieldsSeq(said) {
				of, err := readG722(filepath.Join(allisonDir, word[w]+".g722"))
				if err != nil {
					return nil, err
				}
				samples = append(append(samples, trim(of)...), make([]int16, 640)...)
			}
			clips = append(clips, clip{Text{Split: recordings.HeldOut, Class: Command, Family: "spliced " + pattern, Said: said}, samples})
		}
	}
	return clips, nil
}

func readG722(path string) ([]int16, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return g722.Decode(data), nil
}
