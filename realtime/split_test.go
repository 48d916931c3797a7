package realtime

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
)

func isUser(c *MessageChunk) bool { return c.Role == RoleUser }

func user(c *MessageChunk) *MessageChunk { c.Role = RoleUser; return c }

func TestG45EachChunkGoesToOneSideInOrder(t *testing.T) {
	in := script(io.EOF, user(text("1", "u1")), text("1", "m1"), text("2", "m2"), user(text("2", "u2")), user(text("1", "u3")), text("1", "m3"))
	users, others := Split(in, isUser)
	// One side after the other, which the buffers allow for.
	got, end := drain(others)
	if fmt.Sprint(got) != "[m1 m2 m3]" || end != io.EOF {
		t.Errorf("rest = %v, %v, want [m1 m2 m3], EOF", got, end)
	}
	got, end = drain(users)
	if fmt.Sprint(got) != "[u1 u2 u3]" || end != io.EOF {
		t.Errorf("matching = %v, %v, want [u1 u2 u3], EOF", got, end)
	}
}

func TestG45EndReachesBothSides(t *testing.T) {
	for name, want := range map[string]error{
		"EOF": io.EOF, "a State": &State{Status: StatusRefused}, "a failure": errors.New("connection reset"),
	} {
		t.Run(name, func(t *testing.T) {
			users, others := Split(script(want, user(text("1", "u")), text("1", "m")), isUser)
			for side, s := range map[string]Stream{"matching": users, "rest": others} {
				got, end := drain(s)
				if len(got) != 1 || end != want {
					t.Errorf("%s = %v, %v, want its chunk and then %v", side, got, end, want)
				}
			}
		})
	}
}

// A side that is not read holds up the source, within bounds; as soon as it is
// read or closed everything goes on.
func TestG45UnreadSide(t *testing.T) {
	const each = 200
	source := func() *foreign {
		var chunks []*MessageChunk
		for i := range each {
			chunks = append(chunks, user(at(text("u", ""), int64(i+1))), at(text("m", ""), int64(i+1)))
		}
		return script(io.EOF, chunks...)
	}
	count := func(t *testing.T, s Stream) int {
		t.Helper()
		for n := int64(0); ; n++ {
			chunk, err := s.Next()
			if err == io.EOF {
				return int(n)
			}
			if err != nil || chunk.Ctrl.Timestamp != n+1 {
				t.Fatalf("chunk %d = %v, %v", n+1, chunk, err)
			}
		}
	}
	for _, test := range []struct {
		name    string
		release func(*testing.T, Stream)
	}{
		{"then read", func(t *testing.T, s Stream) {
			if n := count(t, s); n != each {
				t.Errorf("%d of %d chunks of the side read late: waiting must lose nothing", n, each)
			}
		}},
		{"then closed", func(t *testing.T, s Stream) { _ = s.Close() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := source()
				users, others := Split(in, isUser)
				read := make(chan int, 1)
				go func() { read <- count(t, users) }()
				synctest.Wait()
				if n := in.delivered(); len(read) != 0 || n > 2*(DefaultCapacity+1) {
					t.Fatalf("%d chunks were pulled, read side done %v: want at most %d buffered for the side that nobody reads", n, len(read) == 1, DefaultCapacity)
				}
				test.release(t, others)
				if n := <-read; n != each {
					t.Errorf("the other side got %d of %d chunks", n, each)
				}
			})
		})
	}
}

func TestG45ClosingOneSideLeavesTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("nobody listens")
		in := script(nil, append(numbered("m", 100), user(text("u", "u1")))...)
		users, others := Split(in, isUser)
		blocked := make(chan error, 1)
		go func() {
			for {
				if _, err := others.Next(); err != nil {
					blocked <- err
					return
				}
			}
		}()
		synctest.Wait()
		_ = others.CloseWithError(cause)
		if err := <-blocked; err != cause {
			t.Errorf("the blocked Next of the closed side = %v, want the cause", err)
		}
		if closes, _ := in.told(); closes != 0 {
			t.Fatal("the source was closed with its first side: the other still reads")
		}
		if c, err := users.Next(); err != nil || c.Part != Text("u1") {
			t.Errorf("the other side = %v, %v, want u1", c, err)
		}
		_ = users.Close()
		if closes, got := in.told(); closes == 0 || got != cause {
			t.Errorf("after both sides: source closed %d times with %v, want the first cause", closes, got)
		}
		_, _ = users.Close(), others.Close() // idempotent
	})
}

func TestSplitPanicOfTheDivider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := script(nil, text("1", "a"))
		a, b := Split(in, func(*MessageChunk) bool { panic("division by bug") })
		var panicked *PanicError
		for _, side := range []Stream{a, b} {
			if _, err := side.Next(); !errors.As(err, &panicked) {
				t.Errorf("side ended with %v, want a *PanicError", err)
			}
		}
		synctest.Wait()
		if _, cause := in.told(); cause != error(panicked) {
			t.Errorf("source closed with %v, want the panic", cause)
		}
	})
}
