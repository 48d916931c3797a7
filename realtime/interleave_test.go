package realtime

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

func TestG44InterleavedTakesTurns(t *testing.T) {
	for _, test := range []struct {
		name   string
		inputs [][]string
		want   string
	}{
		{"equal", [][]string{{"a1", "a2"}, {"b1", "b2"}}, "[a1 b1 a2 b2]"},
		{"one ends early", [][]string{{"a1", "a2", "a3"}, {"b1"}, {"c1", "c2"}}, "[a1 b1 c1 a2 c2 a3]"},
		{"one is empty", [][]string{{}, {"b1", "b2"}, {"c1"}}, "[b1 c1 b2]"},
		{"longer than what is read ahead", [][]string{
			{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"}, {"b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"},
		}, "[a1 b1 a2 b2 a3 b3 a4 b4 a5 b5 a6 b6 a7 b7 a8 b8]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var inputs []Stream
				for i, words := range test.inputs {
					inputs = append(inputs, script(io.EOF, texts(fmt.Sprint(i), words...)...))
				}
				s := MergeInterleaved(inputs...)
				defer s.Close()
				words, end := drain(s)
				if fmt.Sprint(words) != test.want || end != io.EOF {
					t.Errorf("stream = %v, %v, want %s, EOF: one chunk from each in turn", words, end, test.want)
				}
			})
		})
	}
}

// One live source that says nothing, for a minute or for ever, costs the others
// nothing.
func TestInterleavedIdleSourceStallsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle, busy := script(nil), script(io.EOF, numbered("busy", 1000)...)
		s := MergeInterleaved(idle, busy)
		start := time.Now()
		for i := range 1000 {
			chunk, err := s.Next()
			if err != nil || chunk.Ctrl.Timestamp != int64(i+1) {
				t.Fatalf("chunk %d = %v, %v", i+1, chunk, err)
			}
		}
		if took := time.Since(start); took > turnGrace {
			t.Errorf("1000 ready chunks took %v beside an idle source, want at most %v once", took, turnGrace)
		}
		_ = s.Close()
	})
}

// A live source that speaks now and then holds up the others by no more than
// the grace for each chunk of its own.
func TestInterleavedSlowSourceDoesNotSetThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, busy := script(nil, numbered("slow", 50)...), script(nil, numbered("busy", 100)...)
		slow.pause, busy.pause = every(200*time.Millisecond), every(5*time.Millisecond)
		s := MergeInterleaved(slow, busy)
		start := time.Now()
		var slowCount int
		for n := 1; n <= 100; {
			chunk, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if chunk.Route() == "slow" {
				slowCount++
				continue
			}
			due := time.Duration(n) * 5 * time.Millisecond
			if late := time.Since(start) - due; late > turnGrace {
				t.Errorf("chunk %d of the busy source is %v late, want at most %v", n, late, turnGrace)
			}
			n++
		}
		if slowCount != 2 { // at 200 and 400 ms of 500
			t.Errorf("%d chunks of the slow source came out, want 2", slowCount)
		}
		_ = s.Close()
	})
}

// Ready sources are served alike, whoever is faster.
func TestInterleavedIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := MergeInterleaved(script(nil, numbered("a", 300)...), script(nil, numbered("b", 300)...), script(nil, numbered("c", 300)...))
		served := map[string]int{}
		for range 300 {
			chunk, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			served[chunk.Route()]++
		}
		if served["a"] != 100 || served["b"] != 100 || served["c"] != 100 {
			t.Errorf("300 chunks were taken as %v, want 100 of each", served)
		}
		_ = s.Close()
	})
}

func TestInterleavedIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := script(io.EOF, numbered("a", 1000)...), script(io.EOF, numbered("b", 1000)...)
		s := MergeInterleaved(a, b)
		synctest.Wait() // nobody reads
		if a.delivered() > 5 || b.delivered() > 5 {
			t.Errorf("%d and %d chunks were pulled although nobody reads, want at most 5 of each", a.delivered(), b.delivered())
		}
		words, end := drain(s)
		if len(words) != 2000 || end != io.EOF {
			t.Errorf("%d chunks, %v, want all 2000: waiting must lose nothing", len(words), end)
		}
	})
}

// Close frees the goroutines also when their inputs wait for a reader.
func TestInterleavedCloseFreesFullPumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := script(nil, numbered("a", 100)...), script(nil, numbered("b", 100)...)
		s := MergeInterleaved(a, b)
		synctest.Wait()
		cause := errors.New("turn superseded")
		_ = s.CloseWithError(cause)
		if _, err := s.Next(); err != cause {
			t.Errorf("Next = %v, want the cause: what was read ahead has no reader any more", err)
		}
	}) // the bubble fails if a goroutine is left
}

type panicking struct{ *foreign }

func (panicking) Next() (*MessageChunk, error) { panic("codec bug") }

// A panic in a goroutine of ours would end the process, with every session.
func TestPanicOfAnInputEndsOneStream(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(Stream) error
	}{
		{"MergeInterleaved", func(s Stream) error { _, err := MergeInterleaved(s, script(nil)).Next(); return err }},
		{"Split", func(s Stream) error {
			a, b := Split(s, func(*MessageChunk) bool { return true })
			_, errA := a.Next()
			if _, errB := b.Next(); errA != errB {
				t.Errorf("the sides ended with %v and %v, want the same", errA, errB)
			}
			return errA
		}},
		{"Iter", func(s Stream) error { _, err := Iter(s).Next(); return err }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				input := panicking{script(nil)}
				err := test.end(input)
				var panicked *PanicError
				if !errors.As(err, &panicked) || panicked.Value != "codec bug" {
					t.Errorf("end = %v, want a *PanicError", err)
				}
				synctest.Wait()
				if closes, _ := input.told(); closes == 0 {
					t.Error("the input that panicked was not closed: it holds its resources for ever")
				}
			})
		})
	}
}
