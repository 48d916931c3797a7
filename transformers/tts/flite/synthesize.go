package flite

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/cgo"
	"strings"
	"unsafe"
)

// MaxText is the longest text of one call in bytes, after it was made ASCII.
// It bounds time and memory of a call; a segment of a reply is far shorter.
const MaxText = 4096

// blockSamples is the least size of a streamed block: 50 ms of sound, made in
// less than a millisecond, which is also how late a cancellation can be.
const blockSamples = SampleRate / 20

// ErrTextTooLong is matched by the error for a text above MaxText.
var ErrTextTooLong = errors.New("flite: text too long for one call")

// Word is one spoken word.
type Word struct {
	// Text is the word as flite reads it: lower case, numbers written out.
	Text string
	// Start and End are samples of the delivered audio.
	Start, End int
}

// Timing says where in the delivered audio what is spoken, by the engine's own
// segment times.
type Timing struct {
	// Samples is the length of the delivered audio.
	Samples int
	// Onset and Offset are the first sample of speech and the one after the
	// last; equal if nothing was said.
	Onset, Offset int
	// Words in the order spoken.
	Words []Word
}

// Synthesize speaks text and hands the audio (16 kHz mono) to sink, in order,
// on the calling goroutine, in blocks of 50 ms or a little more (the first and
// the last may be shorter). pcm is valid only during the call of sink. An error
// of sink ends the synthesis and is returned as it is; when ctx is done the
// synthesis ends within one block and ctx.Err is returned. A text with nothing
// to say in it calls sink never. Other errors match ErrTextTooLong.
func (v *Voice) Synthesize(ctx context.Context, text string, sink func(pcm []int16) error) error {
	_, err := v.synthesize(ctx, text, sink, false)
	return err
}

// SynthesizeTimed is Synthesize that also tells where the words are in the
// audio. With an error, Timing is the zero value.
func (v *Voice) SynthesizeTimed(ctx context.Context, text string, sink func(pcm []int16) error) (Timing, error) {
	return v.synthesize(ctx, text, sink, true)
}

func (v *Voice) synthesize(ctx context.Context, text string, sink func([]int16) error, timed bool) (Timing, error) {
	ascii := speakable(text)
	if ascii == "" {
		return Timing{}, ctx.Err()
	}
	if len(ascii) > MaxText {
		return Timing{}, fmt.Errorf("%w: %d bytes, at most %d: split it into sentences", ErrTextTooLong, len(ascii), MaxText)
	}
	if err := ctx.Err(); err != nil {
		return Timing{}, err
	}
	ctext := C.CString(ascii)
	defer C.free(unsafe.Pointer(ctext))
	d := &delivery{lead: v.lead, sink: func(pcm []int16) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return sink(pcm)
	}}
	handle := cgo.NewHandle(d)
	defer handle.Delete()

	var utterance *C.cst_utterance
	rc := C.edged_flite_speak(v.voice, ctext, v.stretch, blockSamples, C.uintptr_t(handle), &utterance)
	if rc == 0 {
		defer C.edged_flite_delete(utterance)
	}
	switch {
	case d.panicked != nil:
		panic(d.panicked)
	case d.err != nil:
		return Timing{}, d.err
	case rc != 0:
		return Timing{}, fmt.Errorf("flite: voice %s: synthesis failed", v.name)
	case !timed:
		return Timing{}, nil
	}
	return d.timing(utterance), nil
}

// timing reads the times of a finished utterance and shifts them to what was
// delivered of it.
func (d *delivery) timing(u *C.cst_utterance) Timing {
	var onset, offset C.float
	C.edged_flite_speech(u, &onset, &offset)
	if onset < 0 {
		return Timing{}
	}
	at := func(seconds C.float) int {
		return min(max(0, int(seconds*SampleRate)-d.skipped), d.delivered)
	}
	t := Timing{Samples: d.delivered, Onset: at(onset), Offset: at(offset)}
	n := C.edged_flite_word_count(u)
	if n == 0 {
		return t
	}
	words := make([]C.edged_word, n)
	words = words[:C.edged_flite_words(u, &words[0], n)]
	t.Words = make([]Word, len(words))
	for i, w := range words {
		// flite marks the letter "a" (as opposed to the article) with "_".
		text := strings.TrimPrefix(C.GoString(w.name), "_")
		t.Words[i] = Word{Text: text, Start: at(w.start), End: at(w.end)}
	}
	return t
}
