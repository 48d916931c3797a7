package echo

import "math"

// The delay is searched at half the rate, from early before the expected place to
// late after it: an acknowledgement that arrives late by 100 ms, and a device
// whose sound comes 600 ms after it counted it as played.
const (
	early = 100 * rate / 1000
	late  = 600 * rate / 1000

	searchWindow = 4096                               // samples at half the rate: 512 ms
	searchLags   = int((early + late) / 2)            // how many places there are
	searchSize   = 16384                              // of the transform: more than window and lags twice
	searchEvery  = searchWindow / 2                   // how often it is searched
	searchSpan   = int64(searchWindow+searchLags) * 2 // how much reference a search needs
)

const (
	// forget is what of the windows before remains in the sum.
	forget = 0.8
	// distinct is how far a peak must stand out from the root mean square of all
	// places: among 5,600 places of noise the highest is about 4.
	distinct = 7
	// agree is how close two searches must come, in samples.
	agree = 32
)

// delay finds how far the echo is behind the place at which it is expected.
type delay struct {
	fft   fft
	mic   [searchWindow]int16 // a ring
	count int64               // samples put into it
	work  []complex64
	cross []complex64
	last  int // the place found by the search before, -1 for none
}

func newDelay() *delay {
	return &delay{
		fft: newFFT(searchSize), work: make([]complex64, searchSize), cross: make([]complex64, searchSize/2+1), last: -1,
	}
}

// reset forgets everything: the line was broken or moved.
func (d *delay) reset() {
	d.count, d.last = 0, -1
	clear(d.cross)
}

// push takes a frame of the microphone and reports whether to search.
func (d *delay) push(frame []int16) (due bool) {
	for i := 0; i < len(frame); i += 2 {
		d.mic[d.count%searchWindow] = int16((int(frame[i]) + int(frame[i+1])) / 2)
		d.count++
		due = due || d.count >= searchWindow && d.count%searchEvery == 0
	}
	return due
}

// search compares the microphone with the reference, where expected is the
// position in the reference that should be heard now, at the end of what was
// pushed. found is true when there is an echo, behind by that many samples, which
// is between -early and late.
func (d *delay) search(r *reference, expected int64) (behind int, found bool) {
	for i := range searchWindow {
		d.work[i] = complex(float32(d.mic[(d.count+int64(i))%searchWindow]), 0)
	}
	clear(d.work[searchWindow:])
	from := expected - 2*searchWindow - int64(late)
	for i := range searchWindow + searchLags {
		at := from + 2*int64(i)
		half := (int(r.sample(at)) + int(r.sample(at+1))) / 2
		d.work[i] = complex(real(d.work[i]), float32(half))
	}
	d.fft.transform(d.work)
	d.accumulate()
	// The cross spectrum is that of a real signal; its transform, conjugated, is
	// the inverse one.
	for k, c := range d.cross {
		d.work[k] = complex(real(c), -imag(c))
		if k > 0 && k < searchSize/2 {
			d.work[searchSize-k] = c
		}
	}
	d.fft.transform(d.work)

	var sum float64
	best, peak := 0, float32(0)
	for i := range searchLags {
		v := real(d.work[i])
		v = max(v, -v)
		sum += float64(v) * float64(v)
		if v > peak {
			best, peak = i, v
		}
	}
	clear := float64(peak) > distinct*math.Sqrt(sum/float64(searchLags)) && peak > 0
	agreed := d.last >= 0 && max(best-d.last, d.last-best) <= agree/2
	d.last = -1
	if clear {
		d.last = best
	}
	return late - 2*best, clear && agreed
}

// accumulate separates the spectra of the two signals, which were transformed as
// the real and the imaginary part of one, and adds the phases of their product.
func (d *delay) accumulate() {
	for k := range d.cross {
		a, b := d.work[k], d.work[(searchSize-k)%searchSize]
		mic := complex((real(a)+real(b))/2, (imag(a)-imag(b))/2)
		ref := complex((imag(a)+imag(b))/2, (real(b)-real(a))/2)
		// ref * conj(mic): a peak at i says that mic is ref from its sample i on.
		c := complex(real(ref)*real(mic)+imag(ref)*imag(mic), imag(ref)*real(mic)-real(ref)*imag(mic))
		d.cross[k] *= forget
		if size := float32(math.Hypot(float64(real(c)), float64(imag(c)))); size > 1 {
			d.cross[k] += complex(real(c)/size, imag(c)/size)
		}
	}
}
