package realtime

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// F53: without a reader memory stays bounded, what is lost is counted and
// appears as gaps, and control survives.
func TestF53NobodyReads(t *testing.T) {
	for _, test := range []struct {
		name   string
		frames int
		config RealtimeConfig
		reason DropReason
	}{
		{"by bytes", 200_000, RealtimeConfig{}, DropBytes},
		{"by count", 20_000, RealtimeConfig{MaxChunks: 100}, DropChunks},
		{"by window", 20_000, RealtimeConfig{Window: time.Second}, DropWindow},
	} {
		t.Run(test.name, func(t *testing.T) {
			frames := test.frames
			synctest.Test(t, func(t *testing.T) {
				s := NewRealtimeStream(test.config)
				limit := s.config
				push(t, s, at(bos(control("mic/1")), 1))
				for i := range frames {
					push(t, s, frame("mic/1", int64(1+20*i)))
					if i == frames/2 {
						push(t, s, at(text("mic/1", "middle"), int64(1+20*i)))
					}
					if i%1000 == 0 {
						time.Sleep(20 * time.Second)
					}
					if i%64 != 0 {
						continue
					}
					if stats := s.Stats(); stats.Chunks > limit.MaxChunks || stats.Bytes > limit.MaxBytes {
						t.Fatalf("after %d frames %d chunks and %d bytes are buffered", i, stats.Chunks, stats.Bytes)
					}
				}
				push(t, s, eos(control("mic/1")))
				_ = s.Close()
				var total, lost time.Duration
				var kinds []string
				for {
					c, err := s.Next()
					if err != nil {
						break
					}
					total += MediaDuration(c.Part)
					kind := "audio"
					switch p := c.Part.(type) {
					case nil:
						kind = "control"
					case Text:
						kind = "text"
					case *Gap:
						kind, lost = "gap", lost+p.Duration
					}
					if len(kinds) == 0 || kinds[len(kinds)-1] != kind {
						kinds = append(kinds, kind)
					}
				}
				if want := time.Duration(frames) * 20 * time.Millisecond; total != want {
					t.Errorf("media time delivered = %v, want %v: audio time must always advance", total, want)
				}
				if got := strings.Join(kinds, " "); got != "control gap text gap audio control" {
					t.Errorf("order = %s, want control, the gap, the text where it was, the newest audio, and the end", got)
				}
				if d := s.Stats().Dropped[test.reason]; d.Duration != lost || d.Chunks == 0 {
					t.Errorf("%v counted %v, gaps say %v", test.reason, d.Duration, lost)
				}
			})
		})
	}
}

func TestControlOverflowIsAnError(t *testing.T) {
	s := NewRealtimeStream(RealtimeConfig{MaxChunks: 10})
	push(t, s, frame("m", 1), frame("m", 21))
	var err error
	taken := 0
	for i := 0; i < 20 && err == nil; i++ {
		if err = s.Push(bos(control(fmt.Sprint(i)))); err == nil {
			taken++
		}
	}
	if !errors.Is(err, ErrOverflow) {
		t.Fatalf("Push = %v, want ErrOverflow: a lost boundary would leave a route open for ever", err)
	}
	if taken != 9 {
		t.Errorf("%d boundaries were taken beside one gap, want 9", taken)
	}
	if stats := s.Stats(); stats.Chunks != 10 {
		t.Errorf("%d chunks buffered, want 10", stats.Chunks)
	}
	_ = s.Close()
	if got, _ := take(s, time.Second); len(got) != 10 || !strings.Contains(strings.Join(got, " "), "m:gap 40ms@1 1:<control") {
		t.Errorf("delivered %v, want the gap and nine boundaries", got)
	}
}

// Boundaries on data survive the loss of the data, and gaps of two channels
// that alternate on one track are joined per channel.
func TestGapsKeepBoundariesAndChannels(t *testing.T) {
	s := NewRealtimeStream(RealtimeConfig{MaxBytes: 1})
	other := func(ms int64) *MessageChunk {
		c := frame("m", ms)
		c.Part.(*Blob).MIMEType = "Audio/PCM; rate=8000" // 640 bytes are 40 ms
		return c
	}
	begin, end := bos(frame("m", 1)), eos(frame("m", 61))
	begin.Ctrl.Label = "label"
	push(t, s, begin, other(1), frame("m", 21), other(21), frame("m", 41), other(41), end, frame("m", 81), bos(frame("m", 101)))
	_ = s.Close()
	wantChunks(t, s, "what stays", "m:<gap 20ms@1", "m:gap 120ms@1", "m:gap 40ms@21", "m:gap 20ms>@61", "m:gap 20ms@81", "m:<gap 20ms@101")
	if begin.Part.(*Blob) == nil || len(begin.Part.(*Blob).Data) != 640 {
		t.Error("the pushed chunk was written to")
	}
}
