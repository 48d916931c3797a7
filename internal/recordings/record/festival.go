package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"edged/audio/wav"
	"edged/internal/recordings"
)

// festivalScript says text with a diphone voice, saves it and prints the name
// and end in seconds of each segment.
const festivalScript = `(voice_%s_diphone)
(set! utt (utt.synth (Utterance Text "%s")))
(utt.save.wave utt "%s" 'riff)
(mapcar (lambda (s) (format t "%%s %%f\n" (item.name s) (item.feat s "end"))) (utt.relation.items utt 'Segment))
`

// speakFestival has a diphone voice of the festival program say text.
func speakFestival(ctx context.Context, name, text string) (utterance, error) {
	dir, err := os.MkdirTemp("", "record-")
	if err != nil {
		return utterance{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, script := filepath.Join(dir, "speech.wav"), filepath.Join(dir, "say.scm")
	program := fmt.Sprintf(festivalScript, name, strings.ReplaceAll(text, `"`, ""), file)
	if err := os.WriteFile(script, []byte(program), 0o600); err != nil {
		return utterance{}, err
	}
	segments, err := exec.CommandContext(ctx, "festival", "-b", script).Output()
	if errors.Is(err, exec.ErrNotFound) {
		return utterance{}, fmt.Errorf("%w: run: apt-get install festival festvox-kdlpc16k", err)
	}
	if err != nil {
		return utterance{}, fmt.Errorf("festival: %w: is festvox-kdlpc16k installed?", err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return utterance{}, fmt.Errorf("festival wrote no audio: %w", err)
	}
	info, samples, err := wav.ReadAll(bytes.NewReader(data))
	if err != nil || info.Rate != recordings.Rate || info.Channels != 1 {
		return utterance{}, fmt.Errorf("festival wrote %+v: %w", info, err)
	}
	u := utterance{samples: samples}
	u.onset, u.offset, err = speechOf(segments)
	return u, err
}

// speechOf finds the first and the last segment that is no pause in the list
// that festivalScript prints.
func speechOf(segments []byte) (onset, offset int, err error) {
	onset = -1
	end := 0.0
	lines := bufio.NewScanner(bytes.NewReader(segments))
	for lines.Scan() {
		start := end
		var name string
		if _, err := fmt.Sscan(lines.Text(), &name, &end); err != nil {
			return 0, 0, fmt.Errorf("festival's segment %q: %w", lines.Text(), err)
		}
		if name == "pau" {
			continue
		}
		if onset < 0 {
			onset = int(start * float64(recordings.Rate))
		}
		offset = int(end * float64(recordings.Rate))
	}
	if onset < 0 {
		return 0, 0, errors.New("festival said nothing")
	}
	return onset, offset, lines.Err()
}
