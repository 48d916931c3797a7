package turn

import (
	"encoding/binary"
	"io"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"edged/realtime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	micMIME    = "audio/pcm;rate=16000"
	labelAuto  = "listen.auto"
	windowTime = 32 * time.Millisecond
)

// chunk constructors and stamps that keep the tests readable.

func listenStart(route, label string, at int64) *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{
		StreamID: route, Label: label, BeginOfStream: true, Timestamp: at,
	}}
}

func listenStop(route string, at int64) *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{
		StreamID: route, EndOfStream: true, Timestamp: at,
	}}
}

func sound(route string, at int64, samples []int16) *realtime.MessageChunk {
	data := make([]byte, 0, 2*len(samples))
	for _, s := range samples {
		data = binary.LittleEndian.AppendUint16(data, uint16(s))
	}
	return &realtime.MessageChunk{
		Role: realtime.RoleUser,
		Part: &realtime.Blob{MIMEType: micMIME, Data: data},
		Ctrl: &realtime.StreamCtrl{StreamID: route, Timestamp: at},
	}
}

func hole(route string, length time.Duration) *realtime.MessageChunk {
	return &realtime.MessageChunk{
		Role: realtime.RoleUser,
		Part: &realtime.Gap{MIMEType: micMIME, Duration: length},
		Ctrl: &realtime.StreamCtrl{StreamID: route},
	}
}

// ramp returns n samples that say where they are: the first is from, each is one
// more than the one before.
func ramp(from, n int) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(from + i)
	}
	return out
}

// feed is a stream that gives its chunks and then its end.
type feed struct {
	chunks []*realtime.MessageChunk
	end    error
	closed error
}

func (f *feed) Next() (*realtime.MessageChunk, error) {
	if len(f.chunks) == 0 {
		if f.end == nil {
			return nil, io.EOF
		}
		return nil, f.end
	}
	chunk := f.chunks[0]
	f.chunks = f.chunks[1:]
	return chunk, nil
}

func (f *feed) Close() error { f.chunks = nil; return nil }

func (f *feed) CloseWithError(err error) error {
	f.chunks, f.closed = nil, err
	return nil
}

// script is a SpeechDetector that gives the probabilities of a string: 'S' is
// speech, 's' lies between the thresholds, anything else is silence. Behind its
// end there is silence.
type script struct {
	windows string
	heard   int
	resets  int
}

func (s *script) Process(window []int16) float32 {
	s.heard++
	if s.heard > len(s.windows) {
		return 0.02
	}
	return probability(s.windows[s.heard-1])
}

func (s *script) Reset() { s.resets++ }

func probability(c byte) float32 {
	switch c {
	case 'S':
		return 0.9
	case 's':
		return 0.4
	}
	return 0.1
}

// utterance is what the tests look at in one.
type utterance struct {
	label       string
	onset, stop int64 // Timestamps of its boundaries
	first       int64 // Timestamp of its first audio
	samples     []int16
	gaps        []time.Duration
	ended       bool
	failure     string
}

// utterances reads the stream to its end, which it returns, and checks what holds
// for every stream: an utterance begins, has sound and ends, one at a time, with
// numbers that count from 1, and its Timestamps follow its sound.
func utterances(t testing.TB, stream realtime.Stream) (found []utterance, passed []*realtime.MessageChunk, end error) {
	t.Helper()
	open := ""
	var next time.Duration // media time behind the last sound; 0 is unknown
	for {
		chunk, err := stream.Next()
		if err != nil {
			if open != "" {
				t.Errorf("%s has no end although the stream has ended (%v)", open, err)
			}
			return found, passed, err
		}
		route := chunk.Route()
		if len(route) < len(RoutePrefix) || route[:len(RoutePrefix)] != RoutePrefix {
			passed = append(passed, chunk)
			continue
		}
		if chunk.Role != realtime.RoleUser {
			t.Errorf("a chunk of %s has the role %q, it came from the user", route, chunk.Role)
		}
		ctrl := chunk.Ctrl
		if ctrl.Timestamp < 1 {
			t.Errorf("a chunk of %s has no Timestamp", route)
		}
		if ctrl.BeginOfStream {
			if open != "" {
				t.Errorf("%s begins before the end of %s", route, open)
			}
			if want := RoutePrefix + strconv.Itoa(len(found)+1); route != want {
				t.Errorf("utterance on %q, want %q", route, want)
			}
			open, next = route, 0
			found = append(found, utterance{label: ctrl.Label, onset: ctrl.Timestamp})
			continue
		}
		if route != open {
			t.Errorf("a chunk of %s outside of it", route)
			continue
		}
		u := &found[len(found)-1]
		at := time.Duration(ctrl.Timestamp) * time.Millisecond
		if off := at - next; chunk.Part != nil && next != 0 && (off < -time.Millisecond || off > time.Millisecond) {
			t.Errorf("sound of %s at %v, the sound before it ended at %v", route, at, next)
		}
		switch part := chunk.Part.(type) {
		case *realtime.Blob:
			if len(part.Data) == 0 || len(part.Data)%2 != 0 || part.MIMEType != micMIME {
				t.Errorf("%s has %d bytes of %q: want whole samples as they came", route, len(part.Data), part.MIMEType)
			}
			if u.first == 0 {
				u.first = ctrl.Timestamp
			}
			for i := 0; i+1 < len(part.Data); i += 2 {
				u.samples = append(u.samples, int16(binary.LittleEndian.Uint16(part.Data[i:])))
			}
		case *realtime.Gap:
			u.gaps = append(u.gaps, part.Duration)
		}
		if chunk.Part != nil {
			next = at + realtime.MediaDuration(chunk.Part)
		}
		if ctrl.EndOfStream {
			open = ""
			u.ended, u.stop, u.failure = true, ctrl.Timestamp, ctrl.Error
		}
	}
}
