package echo

// reference remembers what was sent to the speaker, by its position. Positions
// that were never written, or too long ago, are silence.
type reference struct {
	pcm    [history]int16
	energy [frames]float32 // of whole frames
	end    int64           // behind the last sample
	last   float32         // the sample before end, for the energy
	sum    float32         // energy of the frame that is not whole yet
}

// history is how much of the reference is remembered: 8.192 s, which is more than
// a device's queue and the longest delay together.
const history = 1 << 17

// frames is how many whole frames that holds.
const frames = history / Frame

// write takes samples from the position at on. What lies between end and at is
// silence, what lies before end is known already.
func (r *reference) write(at int64, pcm []int16) {
	if at-r.end > history {
		r.end = (at - history) / Frame * Frame
		r.sum, r.last = 0, 0
	}
	for r.end < at {
		r.append(0)
	}
	for _, s := range pcm[min(int64(len(pcm)), max(0, r.end-at)):] {
		r.append(s)
	}
}

func (r *reference) append(s int16) {
	r.pcm[r.end&(history-1)] = s
	d := float32(s) - emphasis*r.last
	r.last = float32(s)
	r.sum += d * d
	r.end++
	if r.end%Frame == 0 {
		r.energy[r.slot(r.end/Frame-1)] = r.sum / Frame
		r.sum = 0
	}
}

func (r *reference) slot(frame int64) int { return int(frame % frames) }

// cut forgets everything from the position at on.
func (r *reference) cut(at int64) {
	at = max((at+Frame-1)/Frame*Frame, 0)
	if at < r.end {
		r.end, r.sum, r.last = at, 0, 0
	}
}

// sample returns one sample.
func (r *reference) sample(at int64) int16 {
	if at < 0 || at >= r.end || at < r.end-history {
		return 0
	}
	return r.pcm[at&(history-1)]
}

// read fills dst from the position at on.
func (r *reference) read(dst []int16, at int64) {
	for i := range dst {
		dst[i] = r.sample(at + int64(i))
	}
}

// loudest is the highest energy of the frames that touch the positions from, to.
func (r *reference) loudest(from, to int64) float32 {
	first := max(from/Frame, r.end/Frame-frames, 0)
	var loudest float32
	for frame := first; frame <= to/Frame && frame < r.end/Frame; frame++ {
		loudest = max(loudest, r.energy[r.slot(frame)])
	}
	return loudest
}
