package asr_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"edged/realtime"
	"edged/transformers/asr"
	"edged/transformers/turn"
)

// pauseRecognizer is a fake whose utterances know what was said at a pause.
type pauseRecognizer struct {
	fakeRecognizer
	said string
	err  error
}

type pauseUtterance struct {
	asr.Utterance
	r *pauseRecognizer
}

func (r *pauseRecognizer) Open(ctx context.Context) (asr.Utterance, error) {
	u, err := r.fakeRecognizer.Open(ctx)
	return &pauseUtterance{u, r}, err
}

func (u *pauseUtterance) Pause(context.Context) (string, error) {
	if u.r.err == errPanic {
		panic(u.r.err)
	}
	return u.r.said, u.r.err
}

var errPanic = errors.New("out of luck")

func pause(route string) *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: route, Label: turn.LabelPause, Timestamp: 1}}
}

// TestPause: at a pause the partial is brought up to date, with the audio that is
// no whole block yet, and the pause is passed on behind it.
func TestPause(t *testing.T) {
	f := &pauseRecognizer{said: "set a timer for"}
	out, err := transform(t, asr.New(f, asr.Config{}), nil,
		begin("utterance/1", "listen.auto"),
		audioChunk("utterance/1", 1001, 960, 1),
		pause("utterance/1"),
		pause("utterance/1"), // says nothing new
		audioChunk("utterance/1", 1061, 960, 1),
		end("utterance/1"),
	)
	if err != io.EOF {
		t.Errorf("the stream ended with %v, want io.EOF", err)
	}
	compare(t, out,
		"utterance/1 user/ listen.auto BOS",
		`utterance/1 user/anna "heard 960" transcript.partial BOS @1061`,
		`utterance/1 user/anna "set a timer for" transcript.partial @1061`,
		"utterance/1 user/ utterance.pause @1",
		"utterance/1 user/ utterance.pause @1",
		`utterance/1 user/anna "1920 samples, sum 1920" transcript EOS @1121`,
		"utterance/1 user/ EOS",
	)
	if want := []int{960, 960}; !slices.Equal(f.blocks, want) {
		t.Errorf("the recogniser got blocks of %v samples, want %v: all there was at the pause", f.blocks, want)
	}
	f.balanced(t)
}

// TestPauseOfOthers: a recogniser that knows nothing of pauses gives what its
// Write returns, and a pause without an utterance is passed on.
func TestPauseOfOthers(t *testing.T) {
	f := &fakeRecognizer{}
	out, _ := transform(t, asr.New(f, asr.Config{}), nil,
		pause("utterance/1"),
		begin("utterance/1", "listen.auto"),
		pause("utterance/1"),
		audioChunk("utterance/1", 1001, 960, 1),
		pause("utterance/1"),
		end("utterance/1"),
	)
	compare(t, out,
		"utterance/1 user/ utterance.pause @1",
		"utterance/1 user/ listen.auto BOS",
		"utterance/1 user/ utterance.pause @1",
		`utterance/1 user/anna "heard 960" transcript.partial BOS @1061`,
		"utterance/1 user/ utterance.pause @1",
		`utterance/1 user/anna "960 samples, sum 960" transcript EOS @1061`,
		"utterance/1 user/ EOS",
	)
	f.balanced(t)
}

// TestFailureAtAPause ends the utterance, even if it is a panic, and its decoder
// is given back.
func TestFailureAtAPause(t *testing.T) {
	for _, cause := range []error{errors.New("no more paper"), errPanic} {
		f := &pauseRecognizer{err: cause}
		out, err := transform(t, asr.New(f, asr.Config{}), nil,
			begin("utterance/1", "listen.auto"),
			audioChunk("utterance/1", 1001, 1600, 1),
			pause("utterance/1"),
			audioChunk("utterance/1", 1101, 1600, 1),
			end("utterance/1"),
		)
		failed := 0
		for _, chunk := range out {
			if chunk.Ctrl.Error != "" {
				failed++
			}
			if chunk.Ctrl.Label == realtime.LabelTranscript && chunk.Ctrl.Error == "" {
				t.Errorf("%v: a transcript although the utterance failed", cause)
			}
		}
		if failed != 1 || err != io.EOF {
			t.Errorf("%v: %d failures, end %v; want one failure of the utterance, none of the stream", cause, failed, err)
		}
		f.balanced(t)
	}
}
