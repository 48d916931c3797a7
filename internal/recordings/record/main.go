// Command record makes the recordings in testdata/audio and their manifest:
//
//	go run ./internal/recordings/record -out testdata/audio
//
// It needs flite1-dev for four of the voices and, for the fifth, Debian's
// festival with festvox-kdlpc16k. The questions, pauses and noise are the same
// at every run; so are the samples with the same versions of both engines on the
// same kind of processor. Entries of the manifest whose source is "human" and
// their files are kept.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"edged/audio/pcm"
	"edged/audio/wav"
	"edged/internal/recordings"
)

func main() {
	out := flag.String("out", "testdata/audio", "write the recordings to this `directory`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := record(ctx, *out); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func record(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	kept, err := humans(dir)
	if err != nil {
		return err
	}
	manifest := recordings.Manifest{Version: recordings.Version}
	for i, q := range questions {
		entry, err := recordOne(ctx, dir, i, q)
		if err != nil {
			return fmt.Errorf("%s: %q: %w", q.voice, q.text, err)
		}
		manifest.Recordings = append(manifest.Recordings, entry)
	}
	manifest.Recordings = append(manifest.Recordings, kept...)
	data, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, recordings.ManifestFile), append(data, '\n'), 0o644); err != nil {
		return err
	}
	_, err = recordings.Load(dir) // check what was written
	return err
}

// humans returns the entries of the present manifest that were not synthesised.
func humans(dir string) ([]recordings.Recording, error) {
	present, err := recordings.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var kept []recordings.Recording
	for _, r := range present {
		if r.Source == "human" {
			kept = append(kept, r)
		}
	}
	return kept, err
}

func recordOne(ctx context.Context, dir string, number int, q question) (recordings.Recording, error) {
	voice := voices[q.voice]
	speech, err := voice.speak(ctx, q.voice, q.text)
	if err != nil {
		return recordings.Recording{}, err
	}
	samples, onset, offset, err := mix(uint64(number), speech)
	if err != nil {
		return recordings.Recording{}, err
	}
	data, err := encode(samples)
	if err != nil {
		return recordings.Recording{}, err
	}
	file := q.voice + "-" + slug(q.text) + ".wav"
	if err := os.WriteFile(filepath.Join(dir, file), data, 0o644); err != nil {
		return recordings.Recording{}, err
	}
	sum := sha256.Sum256(data)
	fmt.Printf("%-62s %4.1f s  speech %5d..%5d  %.1f dBFS\n", file, float64(len(samples))/float64(recordings.Rate),
		onset, offset, pcm.Level(samples[onset:offset]))
	return recordings.Recording{
		File: file, Text: q.text, Intent: q.intent, ReplyWords: q.reply, Speaker: q.voice, Source: voice.source,
		Split: voice.split, Onset: onset, Offset: offset, Samples: len(samples), SHA256: hex.EncodeToString(sum[:]),
	}, nil
}

// encode returns samples as a WAV file. It goes through a real file because the
// sizes in the header are corrected at the end.
func encode(samples []int16) ([]byte, error) {
	f, err := os.CreateTemp("", "record-*.wav")
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}()
	w, err := wav.NewWriter(f, recordings.Rate, 1)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(w.Write(samples), w.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(f.Name())
}

// slug makes a text part of a file name.
func slug(text string) string {
	var b bytes.Buffer
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if b.Len() > 0 {
			b.WriteByte('-')
		}
		for _, r := range word {
			if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
