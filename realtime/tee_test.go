package realtime

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
)

func TestG46CopyIsWhole(t *testing.T) {
	failure := errors.New("model went away")
	state := &State{Status: StatusTruncated}
	for _, test := range []struct {
		name string
		end  error
	}{
		{"normal end", io.EOF}, {"an end with a State", state}, {"failure", failure},
	} {
		t.Run(test.name, func(t *testing.T) {
			copied := NewStreamBuilder(8)
			chunks := []*MessageChunk{text("1", "a"), control("1"), eos(text("1", "b"))}
			s := Tee(script(test.end, chunks...), copied)
			for _, want := range chunks {
				if c, err := s.Next(); err != nil || c != want {
					t.Fatalf("Next = %v, %v, want the chunk itself", c, err)
				}
				if c, err := copied.Stream().Next(); err != nil || c != want {
					t.Fatalf("copy = %v, %v, want the chunk that was just pulled", c, err)
				}
			}
			if _, err := s.Next(); err != test.end {
				t.Errorf("Next = %v, want %v", err, test.end)
			}
			_ = s.Close() // changes nothing any more
			if _, err := copied.Stream().Next(); err != test.end {
				t.Errorf("copy ended with %v, want %v as the source did", err, test.end)
			}
		})
	}
}

// Whoever reads the copy must not wait for chunks that do not come.
func TestG46AbandonedTeeFreesTheReaderOfTheCopy(t *testing.T) {
	cause := errors.New("barge-in")
	for _, test := range []struct {
		name  string
		close func(Stream) error
		want  error
	}{
		{"Close", Stream.Close, ErrAborted},
		{"CloseWithError", func(s Stream) error { return s.CloseWithError(cause) }, cause},
	} {
		for _, begun := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, begun %v", test.name, begun), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					in, copied := script(nil, texts("1", "a", "b")...), NewStreamBuilder(8)
					s := Tee(in, copied)
					if begun {
						_, _ = s.Next()
					}
					type result struct {
						words []string
						end   error
					}
					read := make(chan result, 1)
					go func() { words, end := drain(copied.Stream()); read <- result{words, end} }()
					synctest.Wait()
					_ = test.close(s)
					synctest.Wait()
					if len(read) == 0 {
						t.Fatal("the reader of the copy still waits")
					}
					got := <-read
					if !errors.Is(got.end, test.want) {
						t.Errorf("copy ended with %v, want %v: a part must not look like the whole", got.end, test.want)
					}
					if begun != (len(got.words) == 1) {
						t.Errorf("copy = %v, want what was pulled", got.words)
					}
					if closes, _ := in.told(); closes == 0 {
						t.Error("the close did not go to the source")
					}
				})
			})
		}
	}
}

func TestG46FullCopyHoldsUpButLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, copied := script(io.EOF, numbered("1", 100)...), NewStreamBuilder(2)
		s := Tee(in, copied)
		main := make(chan int, 1)
		go func() { words, _ := drain(s); main <- len(words) }()
		synctest.Wait()
		if n := in.delivered(); n > 3 {
			t.Errorf("%d chunks were pulled although the copy, for 2, is not read", n)
		}
		words, end := drain(copied.Stream())
		if got := <-main; got != 100 || len(words) != 100 || end != io.EOF {
			t.Errorf("main got %d, copy %d chunks (%v), want 100 each", got, len(words), end)
		}
	})
}

func TestG46CloseUnblocksATeeThatWaitsForTheCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("barge-in")
		in, copied := script(nil, numbered("1", 10)...), NewStreamBuilder(1)
		s := Tee(in, copied)
		ended := make(chan error, 1)
		go func() { _, err := drain(s); ended <- err }()
		synctest.Wait()
		_ = s.CloseWithError(cause)
		if err := <-ended; err != cause {
			t.Errorf("Next = %v, want the cause", err)
		}
		if words, end := drain(copied.Stream()); len(words) != 1 || end != cause {
			t.Errorf("copy = %v, %v, want the one chunk it held and the cause", words, end)
		}
	})
}

func TestG46TeeGoesOnWithoutTheReaderOfTheCopy(t *testing.T) {
	in, copied := script(io.EOF, numbered("1", 100)...), NewStreamBuilder(1)
	_ = copied.Stream().CloseWithError(errors.New("history is off"))
	if words, end := drain(Tee(in, copied)); len(words) != 100 || end != io.EOF {
		t.Errorf("%d chunks, %v, want all 100: the copy is no reason to stop the original", len(words), end)
	}
}
