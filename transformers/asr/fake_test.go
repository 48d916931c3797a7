package asr_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"testing"
	"time"

	"edged/realtime"
	"edged/transformers/asr"
)

// fakeRecognizer hears samples: the partial is "heard N", N being how many, and
// the result tells their number and their sum. What is set changes that.
type fakeRecognizer struct {
	// decoders, if set, limits the open utterances.
	decoders chan struct{}
	// opening, writing and finishing, if set, run before the real thing.
	opening   func(ctx context.Context) error
	writing   func(ctx context.Context, pcm []int16) error
	finishing func(ctx context.Context) error

	mu     sync.Mutex
	opened int
	closed int
	blocks []int // the sizes of all writes
}

func (f *fakeRecognizer) Open(ctx context.Context) (asr.Utterance, error) {
	if f.opening != nil {
		if err := f.opening(ctx); err != nil {
			return nil, err
		}
	}
	if f.decoders != nil {
		select {
		case f.decoders <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Second):
			return nil, fmt.Errorf("fake: %w", asr.ErrBusy)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened++
	return &fakeUtterance{f: f}, nil
}

// balanced fails t if an utterance was not closed, which would cost a decoder.
func (f *fakeRecognizer) balanced(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.opened != f.closed {
		t.Errorf("%d utterances opened, %d closed: a decoder is lost", f.opened, f.closed)
	}
}

type fakeUtterance struct {
	f      *fakeRecognizer
	n, sum int
	closed bool
}

func (u *fakeUtterance) Write(ctx context.Context, pcm []int16) (string, error) {
	if u.f.writing != nil {
		if err := u.f.writing(ctx, pcm); err != nil {
			return "", err
		}
	}
	for _, s := range pcm {
		u.sum += int(s)
	}
	u.n += len(pcm)
	u.f.mu.Lock()
	defer u.f.mu.Unlock()
	u.f.blocks = append(u.f.blocks, len(pcm))
	return fmt.Sprint("heard ", u.n), nil
}

func (u *fakeUtterance) Finish(ctx context.Context) (asr.Result, error) {
	if u.f.finishing != nil {
		if err := u.f.finishing(ctx); err != nil {
			return asr.Result{}, err
		}
	}
	return asr.Result{Text: fmt.Sprintf("%d samples, sum %d", u.n, u.sum), Accepted: true}, nil
}

func (u *fakeUtterance) Close() error {
	if u.closed {
		return nil
	}
	u.closed = true
	if u.f.decoders != nil {
		<-u.f.decoders
	}
	u.f.mu.Lock()
	defer u.f.mu.Unlock()
	u.f.closed++
	return nil
}

const pcm16k = "audio/pcm;rate=16000"

// audioChunk is n samples of the value on a route, at a media time in ms.
func audioChunk(route string, at int64, n int, value int16) *realtime.MessageChunk {
	data := make([]byte, 0, 2*n)
	for range n {
		data = binary.LittleEndian.AppendUint16(data, uint16(value))
	}
	return &realtime.MessageChunk{
		Role: realtime.RoleUser, Name: "anna",
		Part: &realtime.Blob{MIMEType: pcm16k, Data: data},
		Ctrl: &realtime.StreamCtrl{StreamID: route, Timestamp: at},
	}
}

func withMIME(chunk *realtime.MessageChunk, mimeType string) *realtime.MessageChunk {
	chunk.Part.(*realtime.Blob).MIMEType = mimeType
	return chunk
}

func gap(route string, d time.Duration) *realtime.MessageChunk {
	return &realtime.MessageChunk{
		Role: realtime.RoleUser, Part: &realtime.Gap{MIMEType: pcm16k, Duration: d},
		Ctrl: &realtime.StreamCtrl{StreamID: route},
	}
}

func begin(route, label string) *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: route, Label: label, BeginOfStream: true}}
}

func end(route string) *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: route, EndOfStream: true}}
}

func ending(chunk *realtime.MessageChunk) *realtime.MessageChunk {
	chunk.Ctrl.EndOfStream = true
	return chunk
}

func beginning(chunk *realtime.MessageChunk) *realtime.MessageChunk {
	chunk.Ctrl.BeginOfStream = true
	return chunk
}

// source is a stream of chunks that ends with end.
func source(finish error, chunks ...*realtime.MessageChunk) realtime.Stream {
	return realtime.Produce(context.Background(), len(chunks)+1, func(ctx context.Context, b *realtime.StreamBuilder) error {
		if err := b.Add(ctx, chunks...); err != nil {
			return err
		}
		return finish
	})
}

// readAll returns what is on s and its end.
func readAll(s realtime.Stream) (chunks []*realtime.MessageChunk, end error) {
	for {
		chunk, err := s.Next()
		if err != nil {
			return chunks, err
		}
		chunks = append(chunks, chunk)
	}
}

// transform runs the chunks through a Transformer to their end.
func transform(t *testing.T, tr *asr.Transformer, finish error, in ...*realtime.MessageChunk) ([]*realtime.MessageChunk, error) {
	t.Helper()
	out, err := tr.Transform(t.Context(), "asr/fake", source(finish, in...))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	return readAll(out)
}

// show is a chunk in one line: route, label, text, boundaries, error code, time.
func show(c *realtime.MessageChunk) string {
	text := fmt.Sprintf("%s %s/%s", c.Route(), c.Role, c.Name)
	switch part := c.Part.(type) {
	case realtime.Text:
		text += fmt.Sprintf(" %q", string(part))
	case *realtime.Blob:
		text += " " + part.MIMEType
	case *realtime.Gap:
		text += " gap"
	}
	if c.Ctrl == nil {
		return text
	}
	if c.Ctrl.Label != "" {
		text += " " + c.Ctrl.Label
	}
	if c.Ctrl.BeginOfStream {
		text += " BOS"
	}
	if c.Ctrl.EndOfStream {
		text += " EOS"
	}
	if c.Ctrl.Error != "" {
		text += " error:" + string(asr.CodeOf(c.Ctrl.Error))
	}
	if c.Ctrl.Timestamp != 0 {
		text += fmt.Sprint(" @", c.Ctrl.Timestamp)
	}
	return text
}

// compare fails t unless the chunks read as wanted.
func compare(t *testing.T, chunks []*realtime.MessageChunk, want ...string) {
	t.Helper()
	var got []string
	for _, c := range chunks {
		got = append(got, show(c))
	}
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("chunk %d is\n\t%s\nwant\n\t%s", i, g, w)
		}
	}
}

// ofRoute picks the chunks of one route.
func ofRoute(chunks []*realtime.MessageChunk, route string) (out []*realtime.MessageChunk) {
	for _, c := range chunks {
		if c.Route() == route {
			out = append(out, c)
		}
	}
	return out
}
