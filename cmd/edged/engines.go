package main

import (
	"fmt"
	"time"

	"edged/ai/rules"
	"edged/audio/vad"
	"edged/internal/engine"
	"edged/internal/loader"
	"edged/session"
	"edged/transformers"
	"edged/transformers/asr"
	"edged/transformers/asr/pocketsphinx"
	"edged/transformers/generate"
	"edged/transformers/tts"
	"edged/transformers/tts/flite"
	"edged/transformers/turn"
)

// engines are the loaded models and what has to be closed with them.
type engines struct {
	session.Engines
	closers []func() error
}

// Close frees the models. Sessions that use them must have ended.
func (e *engines) Close() error {
	var first error
	for _, c := range e.closers {
		if err := c(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Patterns of the models in the muxes.
func asrPattern(name string) string       { return "asr/" + name }
func generatorPattern(name string) string { return "generator/" + name }
func ttsPattern(name string) string       { return "tts/" + name }
