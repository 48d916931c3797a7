package main

import (
	"edged/ai/rules"
	"edged/internal/loader"
	"edged/session"
	"edged/transformers/turn"
)

// profile returns the settings of a device that runs under the named profile.
// A token may name one that the configuration no longer has; the default one
// stands in for it.
func profile(cfg *loader.Config, name string) session.Profile {
	p, ok := cfg.Profiles[name]
	if !ok {
		name = loader.DefaultProfile
		p = cfg.Profiles[name]
	}
	phrases := make(map[session.Phrase]string)
	for phrase, words := range p.Phrases {
		phrases[session.Phrase(phrase)] = words
	}
	return session.Profile{
		Name:      name,
		ASR:       asrPattern(p.ASR),
		Generator: generatorPattern(p.Generator),
		TTS:       ttsPattern(p.TTS),
		Prompt:    p.Prompt,
		Endpointing: turn.Config{
			MinSpeech:    p.Endpointing.MinSpeech,
			MinSilence:   p.Endpointing.MinSilence,
			PreRoll:      p.Endpointing.PreRoll,
			MaxUtterance: p.Endpointing.MaxUtterance,

			CompleteSilence: p.Endpointing.CompleteSilence,
			MaxSilence:      p.Endpointing.MaxSilence,
		},
		Language:     p.Language,
		Judge:        judge(cfg, p),
		BargeIn:      bargeIn(p),
		Deadlines:    session.Deadlines{ASR: p.Deadlines.ASR, Generate: p.Deadlines.Generate, TTS: p.Deadlines.TTS},
		ResumeFor:    p.ResumeFor,
		ToolTimeout:  p.ToolTimeout,
		ToolCalls:    toolCalls(p.ToolCallsPerTurn),
		HistoryTurns: p.HistoryTurns,
		Phrases:      phrases,
	}
}

// toolCalls translates a bound of 0, which runs no tool at all.
func toolCalls(bound int) int {
	if bound == 0 {
		return -1
	}
	return bound
}

// judge tells by what was understood whether the user has finished. Of a model
// that understands commands only, it knows more than the language does.
func judge(cfg *loader.Config, p loader.Profile) turn.Judge {
	if !p.Endpointing.Adaptive {
		return nil
	}
	if cfg.Models.Generator[p.Generator].Engine == "rules" {
		return turn.Commands(rules.Progress)
	}
	return turn.ForLanguage(p.Language)
}

func bargeIn(p loader.Profile) session.BargeIn {
	b := p.BargeIn
	return session.BargeIn{
		Off:               !b.Enabled,
		MinSpeech:         b.MinSpeech,
		MinWords:          b.MinWords,
		Backchannels:      b.Backchannels,
		Protect:           b.Protect,
		JudgeSpeech:       b.JudgeSpeech,
		HoldFor:           b.HoldFor,
		IgnoreWithoutHold: b.WithoutHold == "ignore",
	}
}
