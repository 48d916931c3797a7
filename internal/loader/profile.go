package loader

import "time"

// Profile is how a device is served.
type Profile struct {
	ASR          string        `yaml:"asr" help:"The recogniser, by its name under models.asr."`
	Generator    string        `yaml:"generator" help:"The model that answers, by its name under models.generator."`
	TTS          string        `yaml:"tts" help:"The synthesiser, by its name under models.tts."`
	Prompt       string        `yaml:"prompt" help:"The system prompt."`
	Language     string        `yaml:"language" allow:"en,de,es,fr,zh,ja" help:"What is spoken. It chooses the session's own phrases, and what counts as a back-channel and as an unfinished sentence."`
	Endpointing  Endpointing   `yaml:"endpointing" help:"When an utterance begins and ends, in audio time."`
	BargeIn      BargeIn       `yaml:"barge_in" help:"When speech during a reply interrupts it."`
	Deadlines    Deadlines     `yaml:"deadlines" help:"How long the stages of a turn may take; beyond that the user is told that it failed."`
	ResumeFor    time.Duration `yaml:"resume_for" range:"0s..1h" help:"How long a session waits for a device that lost its connection. 0s does not wait."`
	ToolTimeout  time.Duration `yaml:"tool_timeout" range:"0s..5m" help:"How long one tool call may take."`
	HistoryTurns int           `yaml:"history_turns" range:"0..1000" help:"How many exchanges the generator is reminded of. 0 means 20."`

	ToolCallsPerTurn int               `yaml:"tool_calls_per_turn" range:"0..1000" help:"How many tools may run in one turn. 0 runs none."`
	Phrases          map[string]string `yaml:"phrases" names:"not_understood,nothing_heard,attending,failed" help:"The session's own words, instead of the language's."`
}

// Endpointing says when an utterance begins and ends, in audio time.
type Endpointing struct {
	MinSpeech       time.Duration `yaml:"min_speech" range:"0s..2s" help:"How long speech must last to count."`
	MinSilence      time.Duration `yaml:"min_silence" range:"0s..10s" help:"How long silence must last to end the utterance, where what was understood does not tell whether the user has finished."`
	CompleteSilence time.Duration `yaml:"complete_silence" range:"0s..10s" help:"How long silence must last where the user has finished."`
	MaxSilence      time.Duration `yaml:"max_silence" range:"0s..10s" help:"How long silence must last where the user has not finished."`
	Adaptive        bool          `yaml:"adaptive" help:"Looks at what was understood; otherwise only min_silence counts."`
	PreRoll         time.Duration `yaml:"pre_roll" range:"0s..2s" help:"How much audio before the onset belongs to the utterance."`
	MaxUtterance    time.Duration `yaml:"max_utterance" range:"0s..20s" help:"Ends an utterance in any case."`
}

// BargeIn says when speech during a reply interrupts it.
type BargeIn struct {
	Enabled      bool          `yaml:"enabled" help:"Speech may interrupt. Buttons and wake words interrupt in any case."`
	MinSpeech    time.Duration `yaml:"min_speech" range:"0s..5s" help:"How long the user must speak."`
	MinWords     int           `yaml:"min_words" range:"0..20" help:"How many words must be understood, back-channels not counted."`
	Backchannels []string      `yaml:"backchannels" unset:"those of the language" help:"Words that do not interrupt."`
	Protect      time.Duration `yaml:"protect" range:"0s..1m" help:"The opening of a reply that cannot be interrupted."`
	JudgeSpeech  time.Duration `yaml:"judge_speech" range:"0s..10s" help:"How much speech interrupts a reply that is held meanwhile, whatever is said."`
	HoldFor      time.Duration `yaml:"hold_for" range:"0s..30s" help:"How long a reply is held at most."`
	WithoutHold  string        `yaml:"without_hold" allow:"cancel,ignore" help:"What happens on a device that cannot hold a reply."`
}

// Deadlines bound the stages of a turn.
type Deadlines struct {
	ASR      time.Duration `yaml:"asr" range:"0s..5m" help:"From the end of speech to the transcript."`
	Generate time.Duration `yaml:"generate" range:"0s..5m" help:"From there to the first sentence, tools included."`
	TTS      time.Duration `yaml:"tts" range:"0s..5m" help:"From there to the first sound."`
}
