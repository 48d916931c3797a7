package vad

// The numbers of the gate were chosen on the clips of the package's tests under
// no, white and low-frequency noise: the highest margin at which no clip is
// missed at a signal to noise ratio of 0 dB.
const (
	// margin is how far the energy of a window must rise above the noise floor
	// to open the gate, as a ratio of powers: 2 dB.
	margin = 1.6
	// holdWindows is how long the gate stays open after the last window that
	// was loud or that the network held for possible speech: 320 ms, longer
	// than the closure of any consonant.
	holdWindows = 10
	// replayWindows is how many of the windows before the opening the network
	// hears after all: 256 ms.
	replayWindows = 8
	// possible is the probability from which on a window may belong to speech.
	// It is well below any threshold in use for speech (0.35 to 0.5).
	possible = 0.1
	// quietest is the lowest noise floor, as a mean square: -78 dBFS, which is
	// below what a microphone delivers in a silent room. It keeps the dither of
	// a codec's comfort noise from opening the gate.
	quietest = 16
)

// Gate is a Detector that spares itself the work while nothing happens: a
// window whose energy does not rise above the noise floor has probability 0
// without running the network. When one does, the network first hears the last
// 256 ms that were skipped, so that its memory and its judgement of the onset
// are those of a listener who was there all the time. Like a Detector, a Gate
// belongs to one audio stream and serves one goroutine at a time.
//
// Two energies are watched, that of the signal above 100 Hz and that of its
// high frequencies, each with a floor of its own: a voice in the rumble of a
// fan shows in the second, a voice in hiss in the first. A floor follows the
// energy of windows that the network takes for something else than speech, down
// at once and up by at most 0.2 dB a window. So a new steady noise costs
// inference for a while and then closes the gate, and speech never does,
// however long it goes on.
type Gate struct {
	detector *Detector
	energy   energies
	signal   floor
	treble   floor
	hold     int // windows to stay open without a reason; 0 is closed

	// ring holds the newest of the windows that were skipped since the gate
	// closed, and context the end of the window before the oldest of them.
	ring    [replayWindows][WindowSamples]int16
	skipped int
	context [contextSamples]float32

	stats GateStats
}

// GateStats counts what a Gate has done since it was made.
type GateStats struct {
	// Windows is how many were put in.
	Windows int
	// Inferred is how many times the network ran; Replayed is how many of
	// these runs caught up on windows skipped before.
	Inferred, Replayed int
}

// NewGate returns a Gate in its initial state, open until it knows the noise
// floor. It holds about 22 KB.
func (m *Model) NewGate() *Gate {
	return &Gate{detector: m.NewDetector(), hold: holdWindows}
}

// Reset forgets the audio heard so far and the noise floor, not the Stats.
func (g *Gate) Reset() {
	g.detector.Reset()
	*g = Gate{detector: g.detector, hold: holdWindows, stats: g.stats}
}

// Stats returns the counters.
func (g *Gate) Stats() GateStats { return g.stats }

// Process takes the next WindowSamples samples, 16 kHz mono, and returns the
// probability in [0, 1] that they hold speech: 0 while the gate is closed. It
// keeps no reference to window and does not allocate. The window that opens the
// gate costs up to nine times as much as others. A window of any other length
// is a programming error and panics.
func (g *Gate) Process(window []int16) float32 {
	checkWindow(window)
	g.stats.Windows++
	signal, treble := g.energy.measure(window)
	loud := g.signal.exceeded(signal) || g.treble.exceeded(treble)
	if g.hold == 0 && !loud {
		g.skip(window)
		g.signal.follow(signal, false)
		g.treble.follow(treble, false)
		return 0
	}

	g.catchUp()
	g.stats.Inferred++
	p := g.detector.Process(window)
	speech := p >= possible
	if loud || speech {
		g.hold = holdWindows
	} else {
		g.hold--
	}
	g.signal.follow(signal, speech)
	g.treble.follow(treble, speech)
	return p
}

// skip remembers a window that the network does not hear.
func (g *Gate) skip(window []int16) {
	slot := &g.ring[g.skipped%replayWindows]
	if g.skipped >= replayWindows {
		convert(g.context[:], slot[WindowSamples-contextSamples:])
	}
	copy(slot[:], window)
	g.skipped++
}

// catchUp lets the network hear what was skipped. If that is all in the ring,
// it ends up exactly where it would be without the gate. If not, it continues
// from the state it had when the gate closed, which measured closer than
// starting anew.
func (g *Gate) catchUp() {
	if g.skipped > replayWindows {
		copy(g.detector.input[:], g.context[:])
	}
	for i := max(0, g.skipped-replayWindows); i < g.skipped; i++ {
		g.detector.Process(g.ring[i%replayWindows][:])
		g.stats.Inferred++
		g.stats.Replayed++
	}
	g.skipped = 0
}

// energies measures windows through two filters of the first order.
type energies struct {
	last, signal float32
}

// measure returns the mean square above 100 Hz, where a voice begins and most
// rumble and DC ends, and that of the difference between neighbouring samples,
// which rises by 6 dB an octave.
//
//go:norace
func (e *energies) measure(window []int16) (signal, treble float32) {
	const corner = 0.96 // exp(-2 pi 100 Hz / 16 kHz)
	last, y := e.last, e.signal
	for _, s := range window {
		x := float32(s)
		difference := x - last
		last = x
		y = difference + corner*y
		signal += y * y
		treble += difference * difference
	}
	if abs(y) < 1e-3 {
		y = 0 // digital silence must not end in slow denormal numbers
	}
	e.last, e.signal = last, y
	return signal / WindowSamples, treble / WindowSamples
}

// floor is the energy of the background, 0 before the first window.
type floor float32

// exceeded reports whether an energy stands out from the background.
func (f floor) exceeded(energy float32) bool {
	return f > 0 && energy > margin*float32(f)
}

// follow adapts the floor to a window. It never rises to the energy of speech.
func (f *floor) follow(energy float32, speech bool) {
	level := float32(*f)
	switch {
	case level == 0:
		level = energy
	case energy < level/2:
		level += 0.5 * (energy - level)
	case energy < level:
		level += 0.1 * (energy - level)
	case !speech:
		level += 0.1 * min(energy-level, level/2)
	}
	*f = floor(max(level, quietest))
}
