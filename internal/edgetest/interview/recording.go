package interview

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"edged/audio/wav"
	"edged/internal/edgetest"
)

// pause stands between two replies in the recording.
const pause = 500 * time.Millisecond

// recording is the file of what the speaker played. It is written beside its
// place and takes it only when it is complete; that it can be written is known
// before the first question.
type recording struct {
	path string
	file *os.File // nil: nothing to write, or done
}

// newRecording prepares the file; an empty path makes one that does nothing.
func newRecording(path string) (*recording, error) {
	if path == "" {
		return &recording{}, nil
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".edged-*.wav")
	if err != nil {
		return nil, fmt.Errorf("interview: output: %w", err)
	}
	return &recording{path: path, file: file}, nil
}

// keep writes all replies.
func (r *recording) keep(turns []edgetest.Answer, cfg edgetest.Config) error {
	if r.file == nil {
		return nil
	}
	rate := cfg.SpeakerRate()
	w, err := wav.NewWriter(r.file, rate, 1)
	if err != nil {
		return fmt.Errorf("interview: output: %w", err)
	}
	first := true
	for _, t := range turns {
		if len(t.PCM) == 0 {
			continue
		}
		if !first {
			err = w.Write(make([]int16, rate.Samples(pause)))
		}
		first = false
		err = errors.Join(err, w.Write(t.PCM))
	}
	err = errors.Join(err, w.Close(), r.file.Chmod(0o644), r.file.Close())
	if err == nil {
		err = os.Rename(r.file.Name(), r.path)
	}
	if err != nil {
		return fmt.Errorf("interview: output: %w", err)
	}
	r.file = nil
	return nil
}

// discard removes what was not kept.
func (r *recording) discard() {
	if r.file == nil {
		return
	}
	_ = r.file.Close() // it may be closed already
	if err := os.Remove(r.file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return // a temporary file is left over; the reason of the failure is told
	}
	r.file = nil
}
