package resample

/*
// The archive, and not the shared library: see Building in doc.go.
#cgo LDFLAGS: -l:libspeexdsp.a -lm
#cgo noescape edged_resample
#cgo nocallback edged_resample
#include <speex/speex_resampler.h>

// edged_resample passes the lengths by value, so that no Go variable has to
// live on the heap for them. The result holds the samples consumed in its upper
// half and the samples written in its lower half.
static unsigned long long edged_resample(SpeexResamplerState *st,
		const spx_int16_t *in, spx_uint32_t in_len, spx_int16_t *out, spx_uint32_t out_len) {
	if (speex_resampler_process_int(st, 0, in, &in_len, out, &out_len) != RESAMPLER_ERR_SUCCESS)
		return 0;
	return ((unsigned long long)in_len << 32) | out_len;
}
*/
import "C"

import (
	"fmt"

	"edged/audio"
)

// quality is the filter that the library is asked for, of 0 to 10. Measured with
// tones over the rates of voice devices (libspeexdsp 1.2.1): 5 is flat within
// 0.1 dB up to 0.86 of the lower Nyquist frequency and lets images of the band
// edge through at -64 dB; 6 is flat up to 0.89; 7 up to 0.91, with everything
// unwanted below -95 dB, at a cost like that of 6. 9 and 10 cost three to ten
// times as much.
const quality = 7

// speex is a state of the library. It lives outside the Go heap.
type speex struct{ state *C.SpeexResamplerState }

func newSpeex(in, out audio.SampleRate) (speex, error) {
	var code C.int
	state := C.speex_resampler_init(1, C.spx_uint32_t(in), C.spx_uint32_t(out), quality, &code)
	if state == nil {
		return speex{}, fmt.Errorf("resample: %v to %v: libspeexdsp: %s", in, out, C.GoString(C.speex_resampler_strerror(code)))
	}
	s := speex{state}
	s.align()
	return s, nil
}

// align drops the delay of the filter from the front of the output, so that the
// first sample out is the first sample in.
func (s speex) align() { C.speex_resampler_skip_zeros(s.state) }

// reset forgets all history.
func (s speex) reset() {
	C.speex_resampler_reset_mem(s.state)
	s.align()
}

// process converts as much as both slices allow; both must hold something.
func (s speex) process(dst, src []int16) (n, consumed int) {
	done := uint64(C.edged_resample(s.state,
		(*C.spx_int16_t)(&src[0]), C.spx_uint32_t(len(src)),
		(*C.spx_int16_t)(&dst[0]), C.spx_uint32_t(len(dst))))
	return int(done & 0xffffffff), int(done >> 32)
}

// latency is the look-ahead of the filter in samples of the output.
func (s speex) latency() int { return int(C.speex_resampler_get_output_latency(s.state)) }

func (s speex) free() { C.speex_resampler_destroy(s.state) }
