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
	// Judge says by a partial transcript whether the user has finished, which
	// makes endpointing adaptive. Nil leaves it to the silence alone.
	Judge turn.Judge
	// BargeIn says when speech during a reply interrupts it.
	BargeIn BargeIn
	// Deadlines bound the stages of a turn.
	Deadlines Deadlines
	// ResumeFor is how long a session waits for a device that lost its
	// connection. 0 does not wait.
	ResumeFor time.Duration
	// ToolTimeout bounds one tool call. Default 10 s.
	ToolTimeout time.Duration
	// ToolRounds bounds how often in one turn the generator may ask for tools.
	// Default 4.
	ToolRounds int
	// ToolCalls bounds the tools that run in one turn, all rounds together. What
	// the generator asks for beyond is answered with an error, and the turn goes
	// on. Default 16; a negative value runs none.
	ToolCalls int
	// HistoryTurns bounds the exchanges that the generator is reminded of.
	// Default 20.
	HistoryTurns int
	// Language is that of the session's own phrases and of the back-channels, as
	// an ISO 639-1 code. Default "en".
	Language string
	// Phrases are what the session says by itself. A missing one is taken from
	// DefaultPhrases.
	Phrases map[Phrase]string
}

// Deadlines bound the stages of a turn; beyond one the turn fails and the user
// is told.
type Deadlines struct {
	// ASR is the time from the end of speech to the transcript. Default 5 s.
	ASR time.Duration
	// Generate is the time from the transcript to the first sentence, tools
	// included. Default 12 s.
	Generate time.Duration
	// TTS is the time from the first sentence to its first sound. Default 5 s.
	TTS time.Duration
	// Reply is how long a reply that has begun may give no more sound. Default
	// as Generate.
	Reply time.Duration
}

func (d Deadlines) withDefaults() Deadlines {
	d.ASR = orDefault(d.ASR, 5*time.Second)
	d.Generate = orDefault(d.Generate, 12*time.Second)
	d.TTS = orDefault(d.TTS, 5*time.Second)
	d.Reply = orDefault(d.Reply, d.Generate)
	return d
}

// of returns the deadline of a stage.
func (d Deadlines) of(stage Stage) time.Duration {
	switch stage {
	case StageASR:
		return d.ASR
	case StageTTS:
		return d.TTS
	case StageReply:
		return d.Reply
	default:
		return d.Generate
	}
}

// withDefaults fills the zero fields.
func (p Profile) withDefaults() Profile {
	if p.Language == "" {
		p.Language = "en"
	}
	if p.BargeIn.Backchannels == nil {
		p.BargeIn.Backchannels = Backchannels(p.Language)
	}
	p.BargeIn, p.Deadlines = p.BargeIn.withDefaults(), p.Deadlines.withDefaults()
	p.ToolTimeout = orDefault(p.ToolTimeout, 10*time.Second)
	p.ToolRounds = orDefault(p.ToolRounds, 4)
	if p.ToolCalls == 0 {
		p.ToolCalls = 16
	}
	p.HistoryTurns = orDefault(p.HistoryTurns, 20)
	phrases := DefaultPhrases(p.Language)
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
