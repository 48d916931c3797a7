package main

import (
	"errors"
	"fmt"
	"io"
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
	gate    *engine.Gate // of all calls
	closers []io.Closer
}

// Close frees the models. Sessions that use them must have ended.
func (e *engines) Close() error {
	var all error
	for _, c := range e.closers {
		all = errors.Join(all, c.Close())
	}
	e.closers = nil
	return all
}

// Patterns of the models in the muxes.
func asrPattern(name string) string       { return "asr/" + name }
func generatorPattern(name string) string { return "generator/" + name }
func ttsPattern(name string) string       { return "tts/" + name }

// loadEngines loads every model of the configuration and registers it under its
// pattern. On an error nothing stays loaded.
func loadEngines(models loader.Models) (*engines, error) {
	e := &engines{}
	if err := e.load(models); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *engines) load(models loader.Models) error {
	speech, err := vad.Load()
	if err != nil {
		return err
	}
	gate := engine.NewGate(0)
	e.gate = gate
	recognisers, voices, generators := new(transformers.Mux), new(transformers.Mux), new(transformers.GeneratorMux)
	for name, m := range models.ASR {
		settings, err := settingsOf[loader.Pocketsphinx](m)
		if err != nil {
			return fmt.Errorf("models.asr.%s: %w", name, err)
		}
		recogniser, err := loadASR(settings, gate)
		if err != nil {
			return fmt.Errorf("models.asr.%s: %w", name, err)
		}
		e.closers = append(e.closers, recogniser)
		if err := recognisers.Handle(asrPattern(name), asr.New(recogniser, asr.Config{})); err != nil {
			return err
		}
	}
	for name, m := range models.TTS {
		settings, err := settingsOf[loader.Flite](m)
		if err != nil {
			return fmt.Errorf("models.tts.%s: %w", name, err)
		}
		voice, err := loadTTS(settings, gate)
		if err != nil {
			return fmt.Errorf("models.tts.%s: %w", name, err)
		}
		if err := voices.Handle(ttsPattern(name), voice); err != nil {
			return err
		}
	}
	for name, m := range models.Generator {
		settings, err := settingsOf[loader.Rules](m)
		if err != nil {
			return fmt.Errorf("models.generator.%s: %w", name, err)
		}
		generator, err := loadGenerator(settings)
		if err != nil {
			return fmt.Errorf("models.generator.%s: %w", name, err)
		}
		if err := generators.Handle(generatorPattern(name), generator); err != nil {
			return err
		}
	}
	e.Engines = session.Engines{
		VAD:       func() turn.SpeechDetector { return speech.NewGate() },
		ASR:       recognisers,
		Generator: generators,
		TTS:       voices,
	}
	return nil
}

// settingsOf returns the settings of a model of the engine whose settings these
// are.
func settingsOf[S any](m loader.Model) (S, error) {
	settings, ok := loader.SettingsOf[S](m)
	if !ok {
		return settings, fmt.Errorf("the engine %q is declared and cannot be loaded", m.Engine)
	}
	return settings, nil
}

// loadASR loads a recogniser whose grammar is that of the offline model.
func loadASR(m loader.Pocketsphinx, gate *engine.Gate) (*pocketsphinx.Recognizer, error) {
	return pocketsphinx.New(pocketsphinx.Config{
		ModelDir:  m.ModelDir,
		Grammar:   rules.Grammar(),
		Decoders:  m.Decoders,
		Threshold: m.Threshold,
		Gate:      gate,
	})
}

func loadTTS(m loader.Flite, gate *engine.Gate) (*tts.Transformer, error) {
	voice, err := flite.New(flite.Config{Voice: m.Voice, Stretch: m.Stretch})
	if err != nil {
		return nil, err
	}
	return tts.New(voice, tts.Config{Gate: gate, Language: m.Language})
}

func loadGenerator(m loader.Rules) (*generate.Generator, error) {
	zone := time.Local
	if m.Timezone != "" {
		var err error
		if zone, err = time.LoadLocation(m.Timezone); err != nil {
			return nil, err
		}
	}
	return generate.New(rules.New(rules.Config{Location: zone}), generate.Config{}), nil
}
