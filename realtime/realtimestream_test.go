package realtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const pcm16k = "audio/pcm;rate=16000"

// frame is 20 ms of 16 kHz PCM.
func frame(route string, ms int64) *MessageChunk {
	return at(&MessageChunk{Role: RoleUser, Part: &Blob{MIMEType: pcm16k, Data: make([]byte, 640)}, Ctrl: &StreamCtrl{StreamID: route}}, ms)
}

func push(t *testing.T, s *RealtimeStream, chunks ...*MessageChunk) {
	t.Helper()
	for _, c := range chunks {
		if err := s.Push(c); err != nil {
			t.Fatalf("Push: %v", err)
		}
	}
}

// show writes a chunk down as "route:what@timestamp".
func show(c *MessageChunk) string {
	what := "control"
	switch p := c.Part.(type) {
	case Text:
		what = string(p)
	case *Blob:
		what = "audio"
	case *Gap:
		what = "gap " + p.Duration.String()
	}
	if c.IsBeginOfStream() {
		what = "<" + what
	}
	if c.IsEndOfStream() {
		what += ">"
	}
	return fmt.Sprintf("%s:%s@%d", c.Route(), what, c.Ctrl.Timestamp)
}

// take reads what comes out within patience and then waits no longer.
func take(s *RealtimeStream, patience time.Duration) (shown []string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		c, err := s.NextContext(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return shown, nil
		}
		if err != nil {
			return shown, err
		}
		shown = append(shown, show(c))
	}
}

func wantChunks(t *testing.T, s *RealtimeStream, why string, want ...string) {
	t.Helper()
	got, err := take(s, time.Second)
	if err != nil && err != io.EOF {
		t.Fatalf("Next: %v", err)
	}
	if g, w := strings.Join(got, " "), strings.Join(want, " "); g != w {
		t.Errorf("%s:\n got %s\nwant %s", why, g, w)
	}
}

func TestG39OrderedByTimestampWithADelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{Delay: OrderingDelay})
		start := time.Now()
		push(t, s, at(text("a", "third"), 30))
		time.Sleep(30 * time.Millisecond)
		push(t, s, at(text("b", "first"), 10))
		time.Sleep(30 * time.Millisecond)
		push(t, s, at(text("c", "second"), 20))
		if got, _ := take(s, 19*time.Millisecond); len(got) != 0 {
			t.Errorf("%v came out before the delay was over", got)
		}
		c, err := s.Next()
		if err != nil || show(c) != "b:first@10" {
			t.Fatalf("first chunk = %v, %v, want the smallest timestamp", c, err)
		}
		if waited := time.Since(start); waited != OrderingDelay {
			t.Errorf("it came out %v after the oldest push, want exactly the delay %v: a later push must not prolong it", waited, OrderingDelay)
		}
		wantChunks(t, s, "the others follow by timestamp", "c:second@20", "a:third@30")
	})
}

func TestG39ZeroTimestampsGrowWithTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{})
		unrouted := &MessageChunk{Part: Text("no ctrl")}
		push(t, s, text("r", "a"), text("r", "b"))
		time.Sleep(100 * time.Millisecond)
		push(t, s, text("r", "c"), unrouted)
		var last int64
		var stamps []int64
		for range 4 {
			c, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if c.Ctrl.Timestamp <= last {
				t.Errorf("timestamp %d follows %d, want it to grow: 0 would mean unset again", c.Ctrl.Timestamp, last)
			}
			last = c.Ctrl.Timestamp
			stamps = append(stamps, last)
		}
		if gap := stamps[2] - stamps[1]; gap < 99 || gap > 100 {
			t.Errorf("timestamps %v advance by %d ms over 100 ms of clock", stamps, gap)
		}
		if unrouted.Ctrl != nil {
			t.Error("the pushed chunk was written to: chunks are immutable")
		}
	})
}

// Unset timestamps on a track whose device runs on a clock of its own continue
// that clock.
func TestG39ZeroTimestampAfterDeviceTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{})
		push(t, s, frame("mic/1", 5_000_000)) // up for 83 minutes
		time.Sleep(20 * time.Millisecond)
		push(t, s, text("mic/1", "x"), eos(control("mic/1")))
		wantChunks(t, s, "device time goes on", "mic/1:audio@5000000", "mic/1:x@5000020", "mic/1:control>@5000020")
	})
}

func TestG40EqualTimestamps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{Delay: OrderingDelay})
		push(t, s,
			at(eos(text("a", "end")), 5), at(text("b", "one"), 5), at(bos(text("c", "begin")), 5),
			at(text("d", "two"), 5), at(bos(eos(text("e", "whole"))), 5))
		wantChunks(t, s, "beginnings first, ends last, otherwise by push",
			"c:<begin@5", "b:one@5", "d:two@5", "e:<whole>@5", "a:end>@5")
	})
}

func TestG40EndWithoutTimestampComesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{Delay: OrderingDelay})
		push(t, s, at(text("a", "later"), 300), eos(control("b")), at(text("c", "sooner"), 200))
		wantChunks(t, s, "after everything seen", "c:sooner@200", "a:later@300", "b:control>@300")
	})
}

func TestG41LateDataIsDroppedWhenOrderIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{Delay: OrderingDelay})
		push(t, s, frame("a", 100))
		wantChunks(t, s, "first", "a:audio@100")
		push(t, s, frame("b", 40), at(bos(control("c")), 41), frame("a", 120))
		wantChunks(t, s, "data older than what was delivered leaves a gap; control does not get lost",
			"b:gap 20ms@40", "c:<control@41", "a:audio@120")
		late := s.Stats().Dropped[DropLate]
		if late.Chunks != 1 || late.Bytes != 640 || late.Duration != 20*time.Millisecond {
			t.Errorf("counted %+v as late, want one frame of 640 bytes and 20 ms", late)
		}
	})
}

// Without a delay nobody asked for order at the price of data.
func TestG41LiveUseDropsNothingForBeingLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{})
		push(t, s, frame("a", 100))
		wantChunks(t, s, "first", "a:audio@100")
		push(t, s, frame("b", 40))
		wantChunks(t, s, "late, but there", "b:audio@40")
		if stats := s.Stats(); stats.Late != 1 {
			t.Errorf("Late = %d, want 1", stats.Late)
		}
	})
}

func TestG41Defaults(t *testing.T) {
	c := RealtimeConfig{}.withDefaults()
	if c.Delay != 0 || c.Window != 2*time.Minute || OrderingDelay != 80*time.Millisecond || c.MergeWait != 20*time.Millisecond {
		t.Errorf("defaults = %+v: live use has no delay and a window of two minutes", c)
	}
	if c := (RealtimeConfig{MergeWait: -1}).withDefaults(); c.MergeWait != 0 {
		t.Errorf("MergeWait -1 became %v, want none", c.MergeWait)
	}
}

func TestG42CloseDrainsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{Delay: time.Hour})
		push(t, s, at(text("a", "two"), 2), at(text("b", "one"), 1))
		blocked := make(chan string, 3)
		go func() {
			defer close(blocked)
			for {
				c, err := s.Next()
				if err != nil {
					blocked <- err.Error()
					return
				}
				blocked <- show(c)
			}
		}()
		synctest.Wait()
		start := time.Now()
		_ = s.Close()
		var got []string
		for line := range blocked {
			got = append(got, line)
		}
		if g := strings.Join(got, " "); g != "b:one@1 a:two@2 EOF" {
			t.Errorf("after Close came %q, want both in order and then EOF", g)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the drain took %v, want no delay", waited)
		}
		if err := s.Push(text("a", "late")); !errors.Is(err, io.ErrClosedPipe) || !errors.Is(err, ErrStreamClosed) {
			t.Errorf("Push after Close = %v, want io.ErrClosedPipe", err)
		}
		_ = s.CloseWithError(errors.New("too late"))
		if _, err := s.Next(); err != io.EOF {
			t.Errorf("G37: Next = %v, want io.EOF still", err)
		}
	})
}

func TestAbortDropsAndTellsBothSides(t *testing.T) {
	for _, test := range []struct {
		name  string
		first func(*RealtimeStream)
	}{
		{"of an open stream", func(*RealtimeStream) {}},
		{"of a drain that did not finish", func(s *RealtimeStream) { _ = s.Close() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := NewRealtimeStream(RealtimeConfig{})
			push(t, s, bos(control("mic/1")), frame("mic/1", 1), frame("mic/1", 21))
			test.first(s)
			cause := errors.New("connection lost")
			_ = s.CloseWithError(cause)
			if _, err := s.Next(); err != cause {
				t.Errorf("Next = %v, want the cause", err)
			}
			if err := s.Push(frame("mic/1", 41)); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("Push = %v, want io.ErrClosedPipe", err)
			}
			stats := s.Stats()
			if d := stats.Dropped[DropAborted]; d.Chunks != 2 || d.Duration != 40*time.Millisecond || stats.Chunks != 0 || stats.Bytes != 0 {
				t.Errorf("stats = %+v, want two dropped frames and nothing buffered", stats)
			}
		})
	}
}

func TestOneLiveTrackHasNoDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{})
		start := time.Now()
		push(t, s, bos(control("mic/1")), frame("mic/1", 1), eos(control("mic/1")))
		push(t, s, bos(control("mic/2")), frame("mic/2", 41))
		for range 5 {
			if _, err := s.Next(); err != nil {
				t.Fatal(err)
			}
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("five chunks took %v: a track that has ended must not hold up the live one", waited)
		}
	})
}

func TestTwoLiveTracksWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{})
		push(t, s, frame("a", 1), frame("b", 1))
		wantChunks(t, s, "both", "a:audio@1", "b:audio@1")

		start := time.Now()
		got := make(chan string)
		go func() {
			for range 3 {
				c, _ := s.Next()
				got <- fmt.Sprintf("%s+%v", show(c), time.Since(start))
			}
		}()
		push(t, s, frame("a", 1040))
		time.Sleep(5 * time.Millisecond)
		push(t, s, frame("b", 1030))
		if first := <-got; first != "b:audio@1030+5ms" {
			t.Errorf("first = %s, want b's older frame as soon as it is there", first)
		}
		// Now b has nothing at hand and stays silent.
		if second := <-got; second != "a:audio@1040+20ms" {
			t.Errorf("second = %s, want a's frame after the merge wait of 20 ms", second)
		}
		// A track that has been silent for long does not count any more.
		time.Sleep(2 * time.Second)
		start = time.Now()
		push(t, s, frame("a", 3040))
		if third := <-got; third != "a:audio@3040+0s" {
			t.Errorf("third = %s, want no wait for a track that has gone silent", third)
		}
	})
}

func TestManyRoutesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{})
		for i := range 10_000 { // a device that never ends a route
			push(t, s, at(bos(control(fmt.Sprintf("mic/%d", i))), int64(i+1)))
			if _, err := s.Next(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if n := len(s.tracks); n > maxTracks || n != len(s.byID) {
			t.Errorf("%d tracks are remembered, want at most %d", n, maxTracks)
		}
	})
}
