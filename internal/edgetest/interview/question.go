package interview

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"edged/audio"
	"edged/audio/pcm"
	"edged/audio/resample"
	"edged/audio/wav"
)

// stdinRate is the rate of raw samples on standard input.
const stdinRate = audio.Rate16k

// maxQuestion bounds one question, in time.
const maxQuestion = 10 * time.Minute

// question is one utterance at the rate of the device's microphone.
type question struct {
	name string
	pcm  []int16
	rate audio.SampleRate
}

func (q question) duration() time.Duration { return q.rate.Duration(len(q.pcm)) }

// load reads all inputs.
func load(cfg Config) ([]question, error) {
	if len(cfg.Inputs) == 0 {
		return nil, errors.New("interview: nothing to ask: give at least one input")
	}
	rate := cfg.Device.MicrophoneRate()
	var questions []question
	stdin := false
	for _, input := range cfg.Inputs {
		var samples []int16
		var at audio.SampleRate
		var err error
		name := filepath.Base(input)
		switch {
		case input != "-":
			samples, at, err = readFile(input)
		case stdin:
			err = errors.New("standard input can be read only once")
		default:
			stdin, name = true, "standard input"
			samples, err = readRaw(cfg.Stdin)
			at = stdinRate
		}
		if err == nil && len(samples) == 0 {
			err = errors.New("holds no sound")
		}
		if err == nil && at.Duration(len(samples)) > maxQuestion {
			err = fmt.Errorf("lasts longer than %v", maxQuestion)
		}
		if err == nil {
			samples, err = resample.Whole(samples, at, rate)
		}
		if err != nil {
			return nil, fmt.Errorf("interview: input %s: %w", name, err)
		}
		questions = append(questions, question{name: name, pcm: samples, rate: rate})
	}
	return questions, nil
}

// readFile reads a WAV file as mono.
func readFile(path string) ([]int16, audio.SampleRate, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() // only read from
	info, samples, err := wav.ReadAll(f)
	if err != nil {
		return nil, 0, err
	}
	if info.Channels > 1 {
		samples = samples[:pcm.Mono(samples, samples, info.Channels)]
	}
	return samples, info.Rate, nil
}

// readRaw reads s16le samples.
func readRaw(r io.Reader) ([]int16, error) {
	if r == nil {
		return nil, errors.New("there is none")
	}
	most := int64(pcm.SampleBytes * stdinRate.Samples(maxQuestion))
	b, err := io.ReadAll(io.LimitReader(r, most+pcm.SampleBytes))
	if err != nil {
		return nil, err
	}
	if len(b)%pcm.SampleBytes != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of 16-bit samples: want raw s16le mono at %v", len(b), stdinRate)
	}
	samples := make([]int16, len(b)/pcm.SampleBytes)
	pcm.Decode(samples, b)
	return samples, nil
}

// onset is the first sample that is louder than a quiet room: where a packet of
// 10 ms first exceeds -40 dB of full scale.
func (q question) onset() int {
	const quiet = -40
	step := q.rate.Samples(10 * time.Millisecond)
	for from := 0; from+step <= len(q.pcm); from += step {
		if pcm.Level(q.pcm[from:from+step]) > quiet {
			return from
		}
	}
	return 0
}
