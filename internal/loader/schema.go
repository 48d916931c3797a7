package loader

import "time"

// Config is the whole configuration.
type Config struct {
	// Server is the process: where it listens, whom it lets in, what it logs.
	Server Server `yaml:"server"`
	// Models are the engines by kind and name.
	Models Models `yaml:"models"`
	// Profiles are the settings that devices run under, by name. The profile
	// "default" serves devices that name none.
	Profiles map[string]Profile `yaml:"profiles"`
	// Devices are the known devices by their id.
	Devices map[string]Device `yaml:"devices"`
	// Log is the session log: how much of it is kept, and where.
	Log Log `yaml:"log"`
	// Operators is their HTTP API: edged tail, edged sessions.
	Operators Operators `yaml:"operators"`
}

// DefaultProfile is the profile of devices that name none.
const DefaultProfile = "default"

// Server configures the process.
type Server struct {
	// Listen is host:port. Port 0 takes a free one.
	Listen string `yaml:"listen"`
	// Public admits listening beyond loopback without authentication.
	Public bool `yaml:"public"`
	// Anonymous admits devices without a token, under the default profile.
	Anonymous bool `yaml:"anonymous"`
	// Origins are the browser origins that may connect, such as
	// "https://panel.example". Devices send none.
	Origins []string `yaml:"origins"`
	// MaxSessions bounds the connected devices.
	MaxSessions int `yaml:"max_sessions"`
	// HelloTimeout is how long a new connection may take to say hello.
	HelloTimeout time.Duration `yaml:"hello_timeout"`
	// IdleTimeout is how long a connection may send nothing at all.
	IdleTimeout time.Duration `yaml:"idle_timeout"`
	// SigningKeys verify short-lived device tokens, by key id.
	SigningKeys map[string]Secret `yaml:"signing_keys"`
	// Transcripts writes what people said and were told into the session log.
	Transcripts bool `yaml:"transcripts"`
	// JournalDir is where the journal of each session is written, for edged
	// replay. It holds what people said. Empty writes none.
	JournalDir string `yaml:"journal_dir"`
}

// Log configures the session log. Standard output has it in any case.
type Log struct {
	// KeepEvents and KeepBytes bound what is kept in memory for operators.
	KeepEvents int `yaml:"keep_events"`
	KeepBytes  int `yaml:"keep_bytes"`
	// File is written as well. Empty means none.
	File string `yaml:"file"`
	// FileBytes is the size at which the file is put aside (FILE.1, FILE.2 and
	// so on) and a new one begun; Files is how many there are at most.
	FileBytes int `yaml:"file_bytes"`
	Files     int `yaml:"files"`
}

// Operators configures the operators' HTTP API.
type Operators struct {
	// Listen is its own host:port. Empty means that of the devices.
	Listen string `yaml:"listen"`
	// Token is what operators authenticate with. Without one the API is off,
	// except on loopback, where the server makes a token for its own user.
	Token Secret `yaml:"token"`
	// Tails bounds the tails at a time.
	Tails int `yaml:"tails"`
}

// Models holds the engines. A profile refers to them by name.
type Models struct {
	ASR       map[string]ASR       `yaml:"asr"`
	Generator map[string]Generator `yaml:"generator"`
	TTS       map[string]TTS       `yaml:"tts"`
}

// ASR is a recogniser.
type ASR struct {
	// Engine is "pocketsphinx".
	Engine string `yaml:"engine"`
	// Decoders is how many utterances are recognised at once; each takes about
	// 100 MB.
	Decoders int `yaml:"decoders"`
	// ModelDir is where the acoustic model lies. Empty means where Debian's
	// pocketsphinx-en-us puts it.
	ModelDir string `yaml:"model_dir"`
	// Threshold is the greatest disagreement between the grammar's and the
	// language model's reading, from 0 to 1, at which the grammar's is believed.
	Threshold float64 `yaml:"threshold"`
}

// Generator is a model that answers.
type Generator struct {
	// Engine is "rules".
	Engine string `yaml:"engine"`
	// Timezone is an IANA name such as "Europe/Berlin", for time and date.
	// Empty means the machine's.
	Timezone string `yaml:"timezone"`
}

// TTS is a synthesiser.
type TTS struct {
	// Engine is "flite".
	Engine string `yaml:"engine"`
	// Voice is rms, slt, awb or kal16.
	Voice string `yaml:"voice"`
	// Language is that of the texts, for sentences, numbers, dates and units: en,
	// de, es, fr, zh or ja. flite itself speaks English only.
	Language string `yaml:"language"`
	// Stretch is the relative duration of speech: 1 is the voice's own pace,
	// above it is slower.
	Stretch float64 `yaml:"stretch"`
}

// Profile is how a device is served.
type Profile struct {
	// ASR, Generator and TTS name models.
	ASR       string `yaml:"asr"`
	Generator string `yaml:"generator"`
	TTS       string `yaml:"tts"`
	// Prompt is the system prompt.
	Prompt string `yaml:"prompt"`
	// Language is what is spoken: en, de, es, fr, zh or ja. It chooses what
	// counts as a back-channel and as an unfinished sentence.
	Language    string      `yaml:"language"`
	Endpointing Endpointing `yaml:"endpointing"`
	BargeIn     BargeIn     `yaml:"barge_in"`
	Deadlines   Deadlines   `yaml:"deadlines"`
	// ResumeFor is how long a session waits for a device that lost its
	// connection; 0 does not wait.
	ResumeFor time.Duration `yaml:"resume_for"`
	// ToolTimeout bounds one tool call.
	ToolTimeout time.Duration `yaml:"tool_timeout"`
	// HistoryTurns is how many exchanges the generator is reminded of.
	HistoryTurns int `yaml:"history_turns"`
	// Phrases are the session's own words: not_understood, nothing_heard,
	// attending, failed.
	Phrases map[string]string `yaml:"phrases"`
}

// Endpointing says when an utterance begins and ends, in audio time.
type Endpointing struct {
	// MinSpeech is how long speech must last to count.
	MinSpeech time.Duration `yaml:"min_speech"`
	// MinSilence is how long silence must last to end the utterance, where what
	// was understood does not tell whether the user has finished.
	MinSilence time.Duration `yaml:"min_silence"`
	// CompleteSilence ends it where the user has finished, MaxSilence where not.
	CompleteSilence time.Duration `yaml:"complete_silence"`
	MaxSilence      time.Duration `yaml:"max_silence"`
	// Adaptive looks at what was understood; otherwise only MinSilence counts.
	Adaptive bool `yaml:"adaptive"`
	// PreRoll is how much audio before the onset belongs to the utterance.
	PreRoll time.Duration `yaml:"pre_roll"`
	// MaxUtterance ends an utterance in any case.
	MaxUtterance time.Duration `yaml:"max_utterance"`
}

// BargeIn says when speech during a reply interrupts it.
type BargeIn struct {
	// Enabled: it may. Buttons and wake words interrupt in any case.
	Enabled bool `yaml:"enabled"`
	// MinSpeech is how long the user must speak.
	MinSpeech time.Duration `yaml:"min_speech"`
	// MinWords is how many words must be understood, back-channels not counted.
	MinWords int `yaml:"min_words"`
	// Backchannels are words that do not interrupt, instead of the language's.
	Backchannels []string `yaml:"backchannels"`
	// Protect is the opening of a reply that cannot be interrupted.
	Protect time.Duration `yaml:"protect"`
	// JudgeSpeech is how much speech interrupts a reply that is held meanwhile,
	// whatever is said.
	JudgeSpeech time.Duration `yaml:"judge_speech"`
	// HoldFor is how long a reply is held at most.
	HoldFor time.Duration `yaml:"hold_for"`
	// WithoutHold says what happens on a device that cannot hold a reply:
	// "cancel" or "ignore".
	WithoutHold string `yaml:"without_hold"`
}

// Deadlines bound the stages of a turn.
type Deadlines struct {
	// ASR is from the end of speech to the transcript.
	ASR time.Duration `yaml:"asr"`
	// Generate is from there to the first sentence, tools included.
	Generate time.Duration `yaml:"generate"`
	// TTS is from there to the first sound.
	TTS time.Duration `yaml:"tts"`
}

// Device is a known device.
type Device struct {
	// Token is what it authenticates with.
	Token Secret `yaml:"token"`
	// Profile is the profile it runs under. Empty means the default one.
	Profile string `yaml:"profile"`
}

// Secret is a value that is taken from the environment ("$NAME" in the file)
// and never shown.
type Secret string

// String hides the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "***"
}

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }
