package echo

/*
// The archive, and not the shared library: the program runs without it.
#cgo LDFLAGS: -l:libspeexdsp.a -lm
#cgo noescape speex_echo_cancellation
#cgo nocallback speex_echo_cancellation
#include <speex/speex_echo.h>

static SpeexEchoState *edged_echo_new(int frame, int tail, int rate) {
	SpeexEchoState *st = speex_echo_state_init(frame, tail);
	if (st)
		speex_echo_ctl(st, SPEEX_ECHO_SET_SAMPLING_RATE, &rate);
	return st;
}
*/
import "C"

// speex is an echo canceller of the library. It lives outside the Go heap.
type speex struct{ state *C.SpeexEchoState }

func newSpeex() (speex, error) {
	state := C.edged_echo_new(Frame, tail, C.int(rate))
	if state == nil {
		return speex{}, ErrMemory
	}
	return speex{state}, nil
}

// cancel writes to out what is left of mic without what it can predict from
// reference. All have the length Frame.
func (s speex) cancel(out, mic, reference []int16) {
	C.speex_echo_cancellation(s.state, (*C.spx_int16_t)(&mic[0]), (*C.spx_int16_t)(&reference[0]), (*C.spx_int16_t)(&out[0]))
}

func (s speex) reset() { C.speex_echo_state_reset(s.state) }

func (s speex) free() { C.speex_echo_state_destroy(s.state) }
