package flite

// #include <stdint.h>
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// delivery carries one utterance from the C callback to its sink.
type delivery struct {
	sink func(pcm []int16) error
	lead int // samples of the leading pause to keep, < 0 for all of it

	skip      int // samples still to be dropped
	skipped   int // samples dropped in all
	delivered int
	err       error
	panicked  any
}

// edgedFliteAudio is called by flite with each new block, on the goroutine
// (and thread) that called edged_flite_speak. onset is the sample where speech
// begins, told with the first block, or -1 if there is no speech at all. It
// returns 0 to stop the synthesis.
//
//export edgedFliteAudio
func edgedFliteAudio(handle C.uintptr_t, samples *C.short, n C.int, onset C.int) C.int {
	d := cgo.Handle(handle).Value().(*delivery)
	pcm := unsafe.Slice((*int16)(unsafe.Pointer(samples)), int(n))
	if d.deliver(pcm, int(onset)) {
		return 1
	}
	return 0
}

// deliver hands a block on and reports whether to go on. A panic of the sink
// must not unwind through the C frames, which would never free the utterance:
// it is kept and raised again behind them.
func (d *delivery) deliver(pcm []int16, onset int) (proceed bool) {
	defer func() {
		if v := recover(); v != nil {
			d.panicked, proceed = v, false
		}
	}()
	switch {
	case onset < 0:
		return false
	case onset > 0 && d.lead >= 0:
		d.skip = max(0, onset-d.lead)
		d.skipped = d.skip
	}
	if d.skip > 0 {
		n := min(d.skip, len(pcm))
		d.skip -= n
		pcm = pcm[n:]
	}
	if len(pcm) == 0 {
		return true
	}
	d.delivered += len(pcm)
	d.err = d.sink(pcm)
	return d.err == nil
}
