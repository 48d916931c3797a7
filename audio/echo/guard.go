package echo

import (
	"errors"
	"math"
	"time"

	"edged/audio"
)

// Frame is how many samples are processed at a time: 10 ms.
const Frame = 160

const (
	rate = int(audio.Rate16k)
	// tail is the length of the adaptive filter, 256 ms: what a living room gives
	// back later is 30 dB down.
	tail = 4096
	// lead is how far before the delay that was found the filter begins, 16 ms,
	// and slack how far it may move before the filter is set anew.
	lead, slack = 256, 160
	// before and after are what of the reference counts as audible: from 150 ms
	// not yet played, if the estimate of the speaker's position is late, to 700 ms
	// after, the longest delay and a room.
	before, after = 150 * rate / 1000, 700 * rate / 1000
	// roomTail and nearby are what counts where the delay is known: 300 ms after, by
	// which time an echo has died away by 36 dB in a room of 0.5 s, and 50 ms before.
	roomTail, nearby = 300 * rate / 1000, 50 * rate / 1000
	// jump is how far Place moves the line; what is less is the jitter of a
	// network and left to the search.
	jump = 60 * rate / 1000
	// quietest is the energy of a reference that makes no echo, -66 dBFS.
	quietest = 16 * 16
	// emphasis weakens low frequencies in all energies, where rooms hum.
	emphasis = 0.9
)

// ErrMemory: the library could not allocate an echo canceller.
var ErrMemory = errors.New("echo: libspeexdsp has no memory for an echo canceller")

// Guard keeps one loudspeaker out of one microphone, both mono at 16 kHz.
type Guard struct {
	lib    speex
	closed bool

	ref     reference
	pos     int64 // of the microphone
	offset  int64 // microphone minus reference where it is expected
	placed  bool
	behind  int64 // microphone minus reference where it was found
	aligned bool
	trusted bool // no word of another place has come since
	delay   *delay
	gate    gate
	raw     gate // as if there were no canceller; only its leak is used

	lastIn, lastOut float32 // the samples before, for the energies
	heard, left     float32 // smoothed energies before and after the canceller
	floor           float32
	random          uint32
	open            bool // the frame before came through

	// pending is microphone that fills no frame yet; ready is what was processed
	// and waits to be given out.
	pending [Frame]int16
	waiting int
	ready   [Frame]int16
	stored  int

	reference, out [Frame]int16
	stats          Stats
	sumIn, sumOut  float64
}

// Stats counts what a Guard did.
type Stats struct {
	// Active is how much of the microphone was heard while the speaker might be,
	// Suppressed how much of that was taken for echo and replaced.
	Active, Suppressed time.Duration
	// Delay is how far the sound is behind the place given by Place; Aligned says
	// that it was found, Aligns how often.
	Delay   time.Duration
	Aligned bool
	Aligns  int
	// ERLE is by how many dB the canceller weakens what is taken for echo, on
	// average since the last alignment; 0 before the first one.
	ERLE float64
	// Leak is the loudest echo that remains, in dB relative to the loudest
	// reference around it.
	Leak float64
}

// New returns a Guard, which must be closed. It holds about 650 KB. The error is
// ErrMemory.
func New() (*Guard, error) {
	lib, err := newSpeex()
	if err != nil {
		return nil, err
	}
	g := &Guard{lib: lib, delay: newDelay(), random: 1}
	g.gate.forget(unknownLeak)
	g.raw.forget(unknownLeak)
	return g, nil
}

// Close frees the memory of the canceller, which the garbage collector does not
// know. It is idempotent; a closed Guard passes everything.
func (g *Guard) Close() error {
	if !g.closed {
		g.lib.free()
	}
	g.closed = true
	return nil
}

// Position is how much of the microphone was heard, the zero of its line being
// the first sample.
func (g *Guard) Position() int64 { return g.pos + int64(g.waiting) }

// Sent takes samples that went to the speaker, from the position at of the
// reference on. Samples at positions that were sent before are left out, positions
// that were left out are silence. pcm is not kept.
func (g *Guard) Sent(at int64, pcm []int16) {
	if at >= 0 {
		g.ref.write(at, pcm)
	}
}

// End is the position behind the last sample that was sent.
func (g *Guard) End() int64 { return g.ref.end }

// Place says that the reference position sent is expected to leave the speaker at
// the microphone position heard. Small differences to what is known are left
// alone.
func (g *Guard) Place(sent, heard int64) {
	offset := heard - sent
	if g.placed && max(offset-g.offset, g.offset-offset) <= int64(jump) {
		return
	}
	g.offset = offset
	g.trusted = false
	g.delay.reset()
	g.doubt()
	g.placed = true
}

// Expected is the reference position that is expected to leave the speaker at the
// microphone position heard.
func (g *Guard) Expected(heard int64) int64 { return heard - g.offset }

// Cut says that the device drops what was sent from the position at on.
func (g *Guard) Cut(at int64) {
	g.ref.cut(at)
	g.doubt() // the canceller may hear silence where it expects the rest
}

// doubt is for when what the canceller took away may be back: until there is news,
// the echo counts as loud as it is without it.
func (g *Guard) doubt() {
	g.gate.forget(max(g.gate.leak(), min(unknownLeak, g.raw.leak())))
}

// Skip advances the microphone by n samples that are missing.
func (g *Guard) Skip(n int) {
	g.pos += int64(n)
	g.delay.reset()
	g.gate.rest()
}

// Process takes the next samples of the microphone and replaces them by what is
// not echo. With multiples of Frame the output is that of the same samples;
// otherwise it is late by a Frame from the first odd piece on, which begins with
// as much silence. It does not allocate.
func (g *Guard) Process(samples []int16) {
	if g.closed {
		return
	}
	if g.waiting == 0 && g.stored == 0 && len(samples)%Frame == 0 {
		for ; len(samples) > 0; samples = samples[Frame:] {
			g.frame(samples[:Frame])
		}
		return
	}
	// Together waiting and stored are always a whole frame from here on, until the
	// pieces happen to be whole again.
	if g.waiting+g.stored == 0 {
		g.stored = Frame
		clear(g.ready[:])
	}
	for i, s := range samples {
		g.pending[g.waiting] = s
		g.waiting++
		samples[i] = g.ready[Frame-g.stored]
		g.stored--
		if g.waiting == Frame {
			g.waiting = 0
			g.frame(g.pending[:])
			g.ready, g.stored = g.pending, Frame
		}
	}
}

// frame processes one frame in place.
func (g *Guard) frame(mic []int16) {
	expected := g.pos - g.offset
	g.pos += Frame
	energy := measure(mic, &g.lastIn)
	loudest := float32(0)
	if g.placed {
		loudest = g.loudest(expected)
	}
	if loudest < quietest {
		g.follow(energy)
		g.gate.rest()
		if !g.open {
			g.open = true
			ramp(mic)
		}
		return
	}
	g.stats.Active += frameTime
	if g.delay.push(mic) {
		g.align(expected + Frame)
	}
	left := energy
	copy(g.out[:], mic)
	if g.aligned && g.trusted { // in a wrong place the canceller would unlearn
		left = g.cancel(mic, energy)
	}
	open := g.gate.judge(left, loudest, g.floor)
	switch {
	case open:
		copy(mic, g.out[:])
		if !g.open {
			ramp(mic)
		}
	default:
		g.stats.Suppressed += frameTime
		g.raw.learn(max(0, energy-2*g.floor)/loudest, loudest)
		g.sumIn += float64(energy)
		g.sumOut += float64(left)
		g.follow(left)
		g.comfort(mic)
	}
	g.open = open
}

// loudest is the highest energy of the reference that may be audible in the frame
// that was expected at that position.
func (g *Guard) loudest(expected int64) float32 {
	from, to := expected-int64(after), expected+int64(before)
	if g.trusted {
		found := expected + g.offset - g.behind
		if heard := g.ref.loudest(found-int64(roomTail), found+int64(nearby)); heard >= telling {
			return heard
		}
	}
	return g.ref.loudest(from, to)
}

const frameTime = 10 * time.Millisecond

// cancel puts what is left of mic into out and returns its energy. As long as the
// canceller makes it louder, that is mic itself.
func (g *Guard) cancel(mic []int16, energy float32) float32 {
	g.ref.read(g.reference[:], g.pos-Frame-g.behind+lead)
	g.lib.cancel(g.out[:], mic, g.reference[:])
	left := measure(g.out[:], &g.lastOut)
	g.heard += (energy - g.heard) / 16
	g.left += (left - g.left) / 16
	if g.left > g.heard {
		copy(g.out[:], mic)
		return energy
	}
	return left
}

// align searches for the delay; expected is the reference position of the next
// frame.
func (g *Guard) align(expected int64) {
	if g.ref.loudest(expected-searchSpan, expected) < 16*quietest {
		return
	}
	behind, found := g.delay.search(&g.ref, expected)
	total := g.offset + int64(behind)
	if !found {
		return
	}
	g.trusted = true
	if g.aligned && max(total-g.behind, g.behind-total) < slack {
		return
	}
	g.doubt()
	g.lib.reset()
	g.behind, g.aligned = total, true
	g.stats.Aligns++
	g.heard, g.left, g.sumIn, g.sumOut = 0, 0, 0, 0
}

// erle is by how much the canceller weakens echo, as a ratio of energies.
func (g *Guard) erle() float32 {
	if !g.aligned || g.sumOut <= 0 {
		return 1
	}
	return float32(max(1, g.sumIn/g.sumOut))
}

// follow tracks the noise of the room: down at once, up by 1 dB a second.
func (g *Guard) follow(energy float32) {
	if energy < g.floor || g.floor == 0 {
		g.floor = max(energy, 1)
		return
	}
	g.floor *= 1.0023
}

// loudestComfort is the root mean square of the loudest comfort noise, -60 dBFS.
const loudestComfort = 33

// comfort replaces a frame by noise as faint as the room's.
func (g *Guard) comfort(mic []int16) {
	width := 2*int32(math.Sqrt(3*float64(min(g.floor, loudestComfort*loudestComfort)))) + 1
	for i := range mic {
		g.random ^= g.random << 13
		g.random ^= g.random >> 17
		g.random ^= g.random << 5
		mic[i] = int16(int32(g.random>>1)%width - width/2)
	}
}

// ramp fades a frame in.
func ramp(mic []int16) {
	for i, s := range mic {
		mic[i] = int16(int(s) * i / len(mic))
	}
}

// measure is the mean square of a frame with its low frequencies weakened.
func measure(frame []int16, last *float32) float32 {
	var sum float32
	for _, s := range frame {
		d := float32(s) - emphasis**last
		*last = float32(s)
		sum += d * d
	}
	return sum / Frame
}

// Stats returns a snapshot of the counters.
func (g *Guard) Stats() Stats {
	s := g.stats
	s.Aligned = g.aligned
	if g.aligned {
		s.Delay = audio.Rate16k.Duration(int(g.behind - g.offset))
		s.ERLE = 10 * math.Log10(float64(g.erle()))
	}
	s.Leak = 10 * math.Log10(float64(max(g.gate.leak(), 1e-9)))
	return s
}
