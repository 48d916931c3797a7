package flite

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// DefaultVoice is the voice of a Config that names none. Of the four it is the
// one that a speech recogniser understands best (6% word errors).
const DefaultVoice = "rms"

// DefaultLead is how much of the pause before the speech is kept by a Config
// that does not say: enough for a soft first sound not to be cut.
const DefaultLead = 20 * time.Millisecond

// SampleRate is the rate of every voice in Hz.
const SampleRate = 16000

// Limits of Config.Stretch: beyond them speech is not understood any more.
const (
	MinStretch = 0.5
	MaxStretch = 2.0
)

var (
	// ErrUnknownVoice is matched by the *VoiceError of a voice that does not
	// exist.
	ErrUnknownVoice = errors.New("flite: unknown voice")
	// ErrStretch is matched by the error for a Config.Stretch out of range.
	ErrStretch = errors.New("flite: stretch out of range")
)

// VoiceError says that a voice does not exist, and which ones do. It matches
// ErrUnknownVoice.
type VoiceError struct {
	Voice string
	// Have are the voices there are.
	Have []string
}

// Error names the voice and the ones to use instead.
func (e *VoiceError) Error() string {
	return fmt.Sprintf("%v %q: use one of %s", ErrUnknownVoice, e.Voice, strings.Join(e.Have, ", "))
}

// Unwrap returns ErrUnknownVoice.
func (e *VoiceError) Unwrap() error { return ErrUnknownVoice }

// Voices returns the names of the voices, the default first: rms and awb are
// men (United States, Scotland), slt is a woman (United States), kal16 is an
// older man's voice of lower quality (United States).
func Voices() []string { return []string{"rms", "slt", "awb", "kal16"} }

// Config says how to speak. The zero value is ready to use.
type Config struct {
	// Voice is one of Voices. Default: DefaultVoice.
	Voice string
	// Stretch is how much longer than usual everything takes: 1.5 is slow,
	// 0.8 fast. Default: 1. Range: MinStretch to MaxStretch.
	Stretch float64
	// Lead is how much of the pause in front of the speech is kept. Default:
	// DefaultLead; negative keeps all of it.
	Lead time.Duration
}

// Voice is a loaded voice with its settings. It holds no memory of its own
// that would have to be freed: the C voice belongs to the process.
type Voice struct {
	name    string
	voice   *C.cst_voice
	stretch C.float
	lead    int // samples, < 0 for all
}

// New returns a voice, loading it at the first use in this process. Errors are
// a *VoiceError, a *LibraryError, or match ErrStretch.
func New(cfg Config) (*Voice, error) { return newVoice(cfg, installed) }

// newVoice is New with the libraries to use.
func newVoice(cfg Config, libraries func(voice string) library) (*Voice, error) {
	if cfg.Voice == "" {
		cfg.Voice = DefaultVoice
	}
	if !slices.Contains(Voices(), cfg.Voice) {
		return nil, &VoiceError{Voice: cfg.Voice, Have: Voices()}
	}
	if cfg.Stretch == 0 {
		cfg.Stretch = 1
	}
	if !(cfg.Stretch >= MinStretch && cfg.Stretch <= MaxStretch) {
		return nil, fmt.Errorf("%w: %g is not within %g to %g", ErrStretch, cfg.Stretch, MinStretch, MaxStretch)
	}
	if cfg.Lead == 0 {
		cfg.Lead = DefaultLead
	}
	voice, err := libraries(cfg.Voice).open(entryPrefix + cfg.Voice)
	if err != nil {
		return nil, err
	}
	if voice == nil {
		return nil, fmt.Errorf("flite: load voice %q: libflite refused to register it", cfg.Voice)
	}
	v := &Voice{
		name:    cfg.Voice,
		voice:   voice,
		stretch: C.float(cfg.Stretch),
		lead:    int(cfg.Lead * SampleRate / time.Second),
	}
	if cfg.Lead < 0 {
		v.lead = -1
	}
	return v, nil
}

// Name returns the name of the voice.
func (v *Voice) Name() string { return v.name }

// SampleRate returns the rate of the voice's audio in Hz: SampleRate.
func (v *Voice) SampleRate() int { return SampleRate }

// Seed restarts the noise that the voices rms, slt and awb mix into their
// sound. After it, and as long as nothing else in the process synthesises or
// calls the C library's rand, the same calls give the same samples with the
// same build of flite. It serves tools that make recordings.
func Seed(seed uint32) { C.srand(C.uint(seed)) }
