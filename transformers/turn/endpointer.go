package turn

// endpointer decides from the probabilities of consecutive windows where
// utterances begin and end. It knows audio only by how many samples it lasts.
// Places are media positions in samples, which advance over gaps as well.
type endpointer struct {
	on, off               float32
	minSpeech, maxSamples int64
	// silences are how much silence ends an utterance, by what is expected of
	// the rest of it; pauseAfter is how much is a pause.
	silences   [3]int64
	pauseAfter int64
	expected   Expectation

	manual   bool
	speaking bool // the last window was speech
	open     bool // an utterance has begun

	// speech is how much audio was speech without a break, before an utterance;
	// silence how much was none since the last speech in one; length how much
	// audio there was since the onset, and spoken how much of it was speech.
	speech, silence, length, spoken int64
	// onset is where the first, lastSpeech where the last window of speech
	// began and ended.
	onset, lastSpeech int64
}

type verdict int

const (
	nothing verdict = iota
	begins          // an utterance begins; its speech began at onset
	ends            // the utterance ends; its speech ended at lastSpeech
	pauses          // the user has fallen silent, perhaps only for a moment
)

func newEndpointer(c Config) endpointer {
	return endpointer{
		on:        c.OnThreshold,
		off:       c.OffThreshold,
		minSpeech: int64(rate.Samples(c.MinSpeech)),
		silences: [3]int64{
			Unknown:    int64(rate.Samples(c.MinSilence)),
			Complete:   int64(rate.Samples(c.CompleteSilence)),
			Incomplete: int64(rate.Samples(c.MaxSilence)),
		},
		pauseAfter: int64(rate.Samples(c.PauseAfter)),
		maxSamples: int64(rate.Samples(c.MaxUtterance)),
	}
}

// listen begins a listening period.
func (e *endpointer) listen(manual bool) {
	e.manual = manual
	e.speaking, e.open, e.speech = false, false, 0
}

// freeze takes note that nothing is known any more about what was going on. An
// open utterance and the silence in it stay as they are.
func (e *endpointer) freeze() { e.speaking, e.speech = false, 0 }

// window judges the window of audio from start to end.
func (e *endpointer) window(probability float32, start, end int64) verdict {
	switch {
	case probability >= e.on:
		e.speaking = true
	case probability < e.off:
		e.speaking = false
	}
	if e.open {
		return e.goOn(end)
	}
	if !e.speaking {
		e.speech = 0
		return nothing
	}
	if e.speech == 0 {
		e.onset = start
	}
	e.speech += WindowSamples
	e.lastSpeech = end
	if e.speech < e.minSpeech && !e.manual {
		return nothing
	}
	e.open = true
	e.length, e.silence, e.spoken = e.speech, 0, e.speech
	e.expected = Unknown
	return begins
}

// goOn judges a window of an open utterance.
func (e *endpointer) goOn(end int64) verdict {
	e.length += WindowSamples
	before := e.silence
	if e.speaking {
		e.silence, e.lastSpeech = 0, end
		e.spoken += WindowSamples
	} else {
		e.silence += WindowSamples
	}
	silent := !e.speaking && !e.manual && e.silence >= e.silences[e.expected]
	switch {
	case silent || e.length >= e.maxSamples:
		e.open, e.speech = false, 0
		return ends
	case before < e.pauseAfter && e.silence >= e.pauseAfter:
		return pauses
	}
	return nothing
}
