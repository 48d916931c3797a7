package turn

import "time"

// Expectation is what the words of an utterance so far say about the rest of it.
// It decides how much silence ends the utterance.
type Expectation uint8

const (
	// Unknown: nothing is known; Config.MinSilence ends the utterance.
	Unknown Expectation = iota
	// Complete: the user has said all; Config.CompleteSilence ends it.
	Complete
	// Incomplete: more must follow; Config.MaxSilence ends it.
	Incomplete
)

// String returns "unknown", "complete" or "incomplete".
func (e Expectation) String() string {
	switch e {
	case Complete:
		return "complete"
	case Incomplete:
		return "incomplete"
	default:
		return "unknown"
	}
}

// hint is what somebody expects of an utterance.
type hint struct {
	utterance string
	expected  Expectation
}

// Expect tells what the words of the utterance so far say about the rest of it.
// It counts from the next window of audio on, for the silence so far too, and
// until the next Expect; it is ignored if the utterance is not the open one. Any
// goroutine may call it. Without it the Detector waits for Config.MinSilence.
func (d *Detector) Expect(utterance string, e Expectation) {
	if e > Incomplete {
		e = Unknown
	}
	d.hint.Store(&hint{utterance, e})
}

// expect takes over what was told last.
func (d *Detector) expect() {
	if h := d.hint.Load(); h != nil && h.utterance == d.utterance && d.utterance != "" {
		d.endpoint.expected = h.expected
	}
}

// Spoken returns how much speech there is in the open utterance, 0 if none is
// open. Any goroutine may call it.
func (d *Detector) Spoken() time.Duration { return time.Duration(d.spoken.Load()) }

// publish makes known how much speech the open utterance holds.
func (d *Detector) publish() {
	spoken := int64(0)
	if d.endpoint.open {
		spoken = d.endpoint.spoken
	}
	d.spoken.Store(int64(rate.Duration(int(spoken))))
}
