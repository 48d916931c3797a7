package session

import (
	"time"

	"edged/transformers/turn"
)

// Profile is everything that can be set for a device: which models serve it,
// what they are told, and how turns are taken. It is the only type of its
// kind. The zero value of every field but the three patterns works.
type Profile struct {
	// Name identifies the profile in the log.
	Name string
	// ASR, Generator and TTS are the patterns by which the muxes choose the
	// models, for example "asr/local". They are required.
	ASR, Generator, TTS string
	// Prompt is the system prompt for the generator. Empty means none.
	Prompt string
	// Endpointing says when an utterance begins and ends.
	Endpointing turn.Config
	// ReplyDeadline bounds the time from the end of speech to the first audio
	// of the reply; beyond it the turn fails. Default 20 s.
	ReplyDeadline time.Duration
	// ToolTimeout bounds one tool call. Default 10 s.
	ToolTimeout time.Duration
	// ToolRounds bounds how often in one turn the generator may ask for tools.
	// Default 4.
	ToolRounds int
	// HistoryTurns bounds the exchanges that the generator is reminded of.
	// Default 20.
	HistoryTurns int
	// Phrases are what the session says by itself. A missing one is taken from
	// DefaultPhrases.
	Phrases map[Phrase]string
}

// DefaultPhrases returns the English words of the session's own phrases.
func DefaultPhrases() map[Phrase]string {
	return map[Phrase]string{
		PhraseNotUnderstood: "Sorry, I didn't catch that.",
		PhraseNothingHeard:  "I didn't hear anything.",
		PhraseFailed:        "Sorry, something went wrong. Please try again.",
	}
}

// withDefaults fills the zero fields.
func (p Profile) withDefaults() Profile {
	p.ReplyDeadline = orDefault(p.ReplyDeadline, 20*time.Second)
	p.ToolTimeout = orDefault(p.ToolTimeout, 10*time.Second)
	p.ToolRounds = orDefault(p.ToolRounds, 4)
	p.HistoryTurns = orDefault(p.HistoryTurns, 20)
	phrases := DefaultPhrases()
	for name, words := range p.Phrases {
		phrases[name] = words
	}
	p.Phrases = phrases
	return p
}

func orDefault[T ~int | ~int64](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}
