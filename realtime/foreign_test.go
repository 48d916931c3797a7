package realtime

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// foreign is a Stream that shares no code with this package and has nothing
// but the three methods (G43). It delivers its chunks, then its end; without an
// end it stays live until it is closed.
type foreign struct {
	pause func() // called before each chunk, may be nil

	mu     sync.Mutex
	chunks []*MessageChunk
	end    error
	reads  int // chunks delivered
	closes int
	cause  error // of the first close
	closed chan struct{}
}

func script(end error, chunks ...*MessageChunk) *foreign {
	return &foreign{end: end, chunks: chunks, closed: make(chan struct{})}
}

func (f *foreign) Next() (*MessageChunk, error) {
	if f.pause != nil {
		f.pause()
	}
	f.mu.Lock()
	if f.closes == 0 && len(f.chunks) > 0 {
		chunk := f.chunks[0]
		f.chunks = f.chunks[1:]
		f.reads++
		f.mu.Unlock()
		return chunk, nil
	}
	end := f.end
	f.mu.Unlock()
	if end != nil {
		return nil, end
	}
	<-f.closed
	return nil, f.end
}

func (f *foreign) Close() error { return f.CloseWithError(nil) }

func (f *foreign) CloseWithError(cause error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closes++
	if f.closes > 1 {
		return nil
	}
	f.cause = cause
	if f.end == nil {
		f.end = io.EOF
		if cause != nil {
			f.end = cause
		}
	}
	close(f.closed)
	return nil
}

// told returns how often the stream was closed and with which cause first.
func (f *foreign) told() (closes int, cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closes, f.cause
}

func (f *foreign) delivered() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reads
}

func texts(route string, words ...string) []*MessageChunk {
	var chunks []*MessageChunk
	for _, word := range words {
		chunks = append(chunks, text(route, word))
	}
	return chunks
}

// numbered returns n chunks of a route, with Timestamps 1 to n.
func numbered(route string, n int) []*MessageChunk {
	var chunks []*MessageChunk
	for i := range n {
		chunks = append(chunks, at(text(route, fmt.Sprint(i+1)), int64(i+1)))
	}
	return chunks
}

// combinators builds each of them over foreign inputs, every one of which can
// be read through the returned stream alone.
var combinators = []struct {
	name  string
	build func(inputs ...Stream) Stream
}{
	{"Merge", Merge},
	{"MergeInterleaved", MergeInterleaved},
	{"CompositeSeq", CompositeSeq},
	{"Split", func(inputs ...Stream) Stream {
		matching, rest := Split(Merge(inputs...), func(*MessageChunk) bool { return true })
		_ = rest.Close()
		return matching
	}},
	{"Tee", func(inputs ...Stream) Stream {
		return Tee(Merge(inputs...), NewStreamBuilder(64))
	}},
}

func TestG43ThreeMethodsSuffice(t *testing.T) {
	for _, c := range combinators {
		t.Run(c.name, func(t *testing.T) {
			one, two := script(io.EOF, texts("1", "a", "b")...), script(io.EOF, texts("2", "c", "d")...)
			s := c.build(one, two)
			order := map[string]string{}
			var end error
			for end == nil {
				var chunk *MessageChunk
				if chunk, end = s.Next(); end == nil {
					order[chunk.Route()] += string(chunk.Part.(Text))
				}
			}
			if end != io.EOF || order["1"] != "ab" || order["2"] != "cd" {
				t.Errorf("read %v, %v, want ab on route 1, cd on route 2 and EOF: a user's own Stream has three methods only", order, end)
			}
			for range 2 { // G37
				if _, again := s.Next(); again != io.EOF {
					t.Errorf("G37: Next after the end = %v, want io.EOF again", again)
				}
				if err := s.Close(); err != nil {
					t.Errorf("G37: Close after the end = %v, want nil", err)
				}
			}
		})
	}
}

// A State is an end like io.EOF for every combinator, and what it says of the
// generation is not lost.
func TestG33CombinatorsTakeAStateAsEnd(t *testing.T) {
	state := &State{Status: StatusTruncated, Usage: Usage{GeneratedTokens: 9}}
	for _, c := range combinators {
		t.Run(c.name, func(t *testing.T) {
			s := c.build(script(state, texts("1", "a")...), script(io.EOF, texts("2", "b")...))
			n := 0
			for {
				_, err := s.Next()
				if err == nil {
					n++
					continue
				}
				if err != state {
					t.Errorf("end = %v, want the State of the first input", err)
				}
				break
			}
			if n < 2 {
				t.Errorf("%d chunks, want those of both inputs: the State of the first is no failure", n)
			}
		})
	}
}

// Both sides are told of an early close: the blocked reader and every producer.
func TestG35CombinatorsTellBothSides(t *testing.T) {
	cause := errors.New("barge-in")
	for _, c := range combinators {
		for _, closing := range []struct {
			name  string
			close func(Stream) error
			want  error // of the reader
			cause error // at the inputs
		}{
			{"Close", Stream.Close, io.EOF, nil},
			{"CloseWithError", func(s Stream) error { return s.CloseWithError(cause) }, cause, cause},
		} {
			t.Run(c.name+"/"+closing.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					inputs := []*foreign{script(nil), script(nil)}
					s := c.build(inputs[0], inputs[1])
					read := make(chan error, 1)
					go func() { _, err := s.Next(); read <- err }()
					synctest.Wait()
					if err := closing.close(s); err != nil {
						t.Fatal(err)
					}
					if err := <-read; err != closing.want {
						t.Errorf("the blocked Next = %v, want %v", err, closing.want)
					}
					for i, input := range inputs {
						closes, got := input.told()
						if closes == 0 || got != closing.cause {
							t.Errorf("input %d: closed %d times, with %v; want a close with %v, or its producer works on for nobody", i, closes, got, closing.cause)
						}
					}
					_ = s.CloseWithError(errors.New("too late")) // G37
					if _, err := s.Next(); err != closing.want {
						t.Errorf("G37: Next after a second close = %v, want %v: the first cause wins", err, closing.want)
					}
				})
			})
		}
	}
}

func TestCombinatorsFailWithTheirInput(t *testing.T) {
	failure := errors.New("provider went away")
	for _, c := range combinators {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failing, live := script(failure, texts("1", "a")...), script(nil)
				s := c.build(failing, live)
				words, end := drain(s)
				if fmt.Sprint(words) != "[a]" || end != failure {
					t.Errorf("stream = %v, %v, want [a] and the failure", words, end)
				}
				synctest.Wait()
				if closes, cause := live.told(); closes == 0 || cause != failure {
					t.Errorf("the other input was closed %d times, with %v; want the failure to free its producer", closes, cause)
				}
			})
		})
	}
}

// every returns a pause of d before each chunk.
func every(d time.Duration) func() { return func() { time.Sleep(d) } }
