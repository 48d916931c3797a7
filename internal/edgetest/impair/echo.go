package impair

import (
	"fmt"
	"math"
	"time"

	"edged/audio"
)

// Echo is what the microphone hears of the speaker.
type Echo struct {
	// Level is how much weaker the echo is than what the speaker plays, in dB of
	// either sign: 20 and -20 both mean a tenth.
	Level float64
	// Delay is how long after it was played it is captured: the way through
	// buffers and air; 0 is at once.
	Delay time.Duration
	// Room adds four early reflections of a small room, up to 30 ms behind the
	// direct sound; all of it together has the level.
	Room bool
}

// maxEcho is the longest delay of an echo.
const maxEcho = time.Second

// Check returns what is wrong with e, with what is allowed.
func (e Echo) Check() error {
	if math.IsNaN(e.Level) || math.Abs(e.Level) > 90 {
		return fmt.Errorf("impair: echo %v dB: want 0 to 90 dB below the speaker", e.Level)
	}
	if e.Delay < 0 || e.Delay > maxEcho {
		return fmt.Errorf("impair: echo delay %v: want 0 to %v", e.Delay, maxEcho)
	}
	return nil
}

// path is one way from the speaker to the microphone.
type path struct {
	delay time.Duration
	gain  float64
}

// reflections of a room of some 3 by 4 metres: a table, walls and the ceiling, at
// path differences of 1.4 to 9.9 m.
var reflections = [...]path{{4 * time.Millisecond, 0.5}, {11 * time.Millisecond, -0.35}, {17 * time.Millisecond, 0.25}, {29 * time.Millisecond, -0.15}}

// paths returns all ways, whose powers add up to the level.
func (e Echo) paths() []path {
	all := []path{{e.Delay, 1}}
	if e.Room {
		for _, r := range reflections {
			all = append(all, path{e.Delay + r.delay, r.gain})
		}
	}
	power := 0.0
	for _, p := range all {
		power += p.gain * p.gain
	}
	scale := math.Pow(10, -math.Abs(e.Level)/20) / math.Sqrt(power)
	for i := range all {
		all[i].gain *= scale
	}
	return all
}

// Tape remembers what a speaker played and when, for the last moments: at least
// memory of it.
type Tape struct {
	rate   audio.SampleRate
	clock  Clock
	memory time.Duration
	blocks []played
	mixed  uint64
}

type played struct {
	start, end time.Time
	pcm        []int16
}

// NewTape remembers what a speaker of this rate and clock plays.
func NewTape(rate audio.SampleRate, clock Clock, memory time.Duration) *Tape {
	return &Tape{rate: rate, clock: clock, memory: memory}
}

// Record tells that pcm left the speaker from start on. Calls come in the order of
// time. pcm is retained and must not change.
func (t *Tape) Record(start time.Time, pcm []int16) {
	old := 0
	for old < len(t.blocks) && start.Sub(t.blocks[old].end) > t.memory {
		t.blocks[old] = played{}
		old++
	}
	t.blocks = t.blocks[old:]
	if len(pcm) > 0 {
		t.blocks = append(t.blocks, played{start, start.Add(t.clock.Real(t.rate.Duration(len(pcm)))), pcm})
	}
}

// Hear adds to dst, whose first sample is captured at the time from and which has
// the given rate by the same clock, what arrives of the speaker by the echo.
// Between samples it interpolates linearly. It saturates.
func (t *Tape) Hear(dst []int16, from time.Time, rate audio.SampleRate, e Echo) {
	for _, p := range e.paths() {
		t.mixed += t.mix(dst, from.Add(-p.delay), rate, p.gain)
	}
}

// Play writes to dst what left the speaker from the time from on, as Hear, with
// silence where there was none.
func (t *Tape) Play(dst []int16, from time.Time, rate audio.SampleRate) {
	clear(dst)
	t.mix(dst, from, rate, 1)
}

// Mixed returns how many samples Hear has added, for each path of the echo.
func (t *Tape) Mixed() uint64 { return t.mixed }

func (t *Tape) mix(dst []int16, from time.Time, rate audio.SampleRate, gain float64) (mixed uint64) {
	own := 1e9 / (1 + float64(t.clock)/million) // true nanoseconds in a second of the device
	step := own / float64(rate)
	length := time.Duration(step * float64(len(dst)))
	// Times are whole nanoseconds: a sample at the very edge of a block is in it.
	const edge = 1e-3
	for n, b := range t.blocks {
		if !b.end.After(from) || !b.start.Before(from.Add(length)) {
			continue
		}
		first := max(0, int(math.Ceil(float64(b.start.Sub(from))/step-edge)))
		last := min(len(dst), int(math.Ceil(float64(b.end.Sub(from))/step-edge)))
		after := b.pcm[len(b.pcm)-1]
		if n+1 < len(t.blocks) && t.blocks[n+1].start.Sub(b.end) < time.Microsecond {
			after = t.blocks[n+1].pcm[0]
		}
		for i := first; i < last; i++ {
			at := (float64(i)*step - float64(b.start.Sub(from))) * float64(t.rate) / own
			whole := min(int(at), len(b.pcm)-1)
			next := after
			if whole+1 < len(b.pcm) {
				next = b.pcm[whole+1]
			}
			share := max(0, at-float64(whole))
			value := float64(b.pcm[whole])*(1-share) + float64(next)*share
			sum := math.Round(float64(dst[i]) + gain*value)
			dst[i] = int16(max(math.MinInt16, min(math.MaxInt16, sum)))
			mixed++
		}
	}
	return mixed
}
