package turn

import (
	"math"
	"time"

	"edged/audio"
)

const (
	// MicPrefix begins the StreamID of a microphone route.
	MicPrefix = "mic/"
	// RoutePrefix begins the StreamID of an utterance; a number follows that
	// counts from 1 over the life of the Detector.
	RoutePrefix = "utterance/"
	// LabelPause is the Label of a control-only chunk, neither beginning nor end,
	// on the route of an utterance in which the user has just fallen silent.
	LabelPause = "utterance.pause"
	// LabelManual is the Label of a listening period in which the user, not
	// silence, ends the utterance.
	LabelManual = "listen.manual"
)

// WindowSamples is how many samples a SpeechDetector judges at a time, 32 ms at
// 16 kHz.
const WindowSamples = 512

const (
	// rate is that of all audio that is listened to, sampleBytes the size of
	// one of its samples.
	rate        = audio.Rate16k
	sampleBytes = 2
	// longGap is the longest hole in the audio that endpointing bridges.
	longGap = time.Second
)

// SpeechDetector judges consecutive windows of one microphone. It is used by
// one goroutine at a time. vad.Detector and vad.Gate are such.
type SpeechDetector interface {
	// Process takes the next WindowSamples samples, 16 kHz mono, and returns
	// the probability that they hold speech. It does not keep window.
	Process(window []int16) float32
	// Reset forgets the audio so far: what follows is not its continuation.
	Reset()
}

// Config says when an utterance begins and ends. The zero value of each field
// means its default, a negative duration none at all. Durations are audio time;
// all but PreRoll are rounded up to whole windows of 32 ms.
type Config struct {
	// MinSpeech is how long speech must last without a break to begin an
	// utterance that silence will end. Default 96 ms, three windows: one that
	// was misjudged begins nothing, and even a short "no" gives eight or more.
	MinSpeech time.Duration
	// MinSilence is how long nothing but silence must last to end one. Default
	// 600 ms: most pauses inside a spoken sentence are shorter than half a
	// second (500 ms is also what OpenAI's realtime API waits), and the user
	// waits for every further millisecond in every turn. Raise it to 1300 ms or
	// more for people who search for words.
	MinSilence time.Duration
	// CompleteSilence and MaxSilence take the place of MinSilence where what was
	// understood so far says that the user has finished, or has not (see Expect).
	// Defaults 320 ms, which is longer than the closure of a stop consonant or a
	// breath between two phrases, and 1500 ms. To hold for pauses of 1200 ms
	// even where nothing is known yet, MinSilence has to be 1300 ms as well
	// (measured in internal/endpointing).
	CompleteSilence, MaxSilence time.Duration
	// PauseAfter is how much silence in an utterance makes the Detector ask, by
	// a chunk with LabelPause, what was understood so far. Default 128 ms.
	PauseAfter time.Duration
	// PreRoll is how much audio from before the onset belongs to the
	// utterance: soft first consonants are noticed late. Default 300 ms.
	PreRoll time.Duration
	// MaxUtterance bounds an utterance, counted from its onset. Default 15 s;
	// negative means no bound.
	MaxUtterance time.Duration
	// OnThreshold is the probability from which on a window is speech.
	// Default 0.5.
	OnThreshold float32
	// OffThreshold is the probability below which a window is silence; one
	// between the two thresholds is what the window before it was. Default
	// 0.35, and never above OnThreshold.
	OffThreshold float32
}

func (c Config) withDefaults() Config {
	c.MinSpeech = orDefault(c.MinSpeech, 96*time.Millisecond)
	c.MinSilence = orDefault(c.MinSilence, 600*time.Millisecond)
	c.CompleteSilence = min(orDefault(c.CompleteSilence, 320*time.Millisecond), c.MinSilence)
	c.MaxSilence = max(orDefault(c.MaxSilence, 1500*time.Millisecond), c.MinSilence)
	c.PauseAfter = orDefault(c.PauseAfter, 128*time.Millisecond)
	c.PreRoll = orDefault(c.PreRoll, 300*time.Millisecond)
	if c.MaxUtterance < 0 {
		c.MaxUtterance = math.MaxInt64
	}
	c.MaxUtterance = orDefault(c.MaxUtterance, 15*time.Second)
	if c.OnThreshold == 0 {
		c.OnThreshold = 0.5
	}
	if c.OffThreshold == 0 {
		c.OffThreshold = 0.35
	}
	c.OffThreshold = min(c.OffThreshold, c.OnThreshold)
	return c
}

// orDefault returns fallback for 0 and no time at all for less.
func orDefault(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return max(d, 0)
}
