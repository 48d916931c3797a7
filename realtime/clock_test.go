package realtime

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// F51: nothing that a device writes into its timestamps displaces or delays
// others, or turns a track upside down.
func TestF51WildClocks(t *testing.T) {
	const day = 24 * 60 * 60 * 1000
	for _, test := range []struct {
		name   string
		push   []*MessageChunk
		want   string
		jumps  uint64
		config RealtimeConfig
	}{
		{"a day ahead on the same track", []*MessageChunk{frame("m", 1), frame("m", 21+day), frame("m", 41), frame("m", 61)},
			"m:audio@1 m:audio@1 m:audio@41 m:audio@61", 1, RealtimeConfig{}},
		{"a day ahead as first of another track", []*MessageChunk{frame("m", 1), frame("x", day), frame("m", 21), frame("x", 41)},
			"m:audio@1 x:audio@86400000 m:audio@21 x:audio@41", 1, RealtimeConfig{}},
		{"a day ahead as very first", []*MessageChunk{frame("x", day), frame("m", 1), frame("m", 21)},
			"x:audio@86400000 m:audio@1 m:audio@21", 1, RealtimeConfig{}},
		{"beginning stamped 2 s after its audio", []*MessageChunk{at(bos(control("m")), 3000), frame("m", 1000), frame("m", 1020)},
			"m:<control@3000 m:audio@1000 m:audio@1020", 0, RealtimeConfig{}},
		{"beginning stamped 2 s after its audio, with a delay", []*MessageChunk{at(bos(control("m")), 3000), frame("m", 1000), frame("m", 1020)},
			"m:<control@3000 m:audio@1000 m:audio@1020", 0, RealtimeConfig{Delay: OrderingDelay}},
		{"beginning stamped 2 s before its audio", []*MessageChunk{at(bos(control("m")), 1000), frame("m", 3000), at(eos(control("m")), 1500)},
			"m:<control@1000 m:audio@3000 m:control>@1500", 0, RealtimeConfig{}},
		{"the largest timestamp there is", []*MessageChunk{frame("m", 1), frame("m", 1<<63-1), frame("m", 1<<63-1), frame("m", 41), frame("m", 61)},
			"", 0, RealtimeConfig{}},
		{"a gap of half a minute, and what follows it", []*MessageChunk{frame("m", 1), missing("m", 21, 30*time.Second), frame("m", 30_021), at(eos(control("m")), 30_041), at(bos(control("n")), 30_042)},
			"m:audio@1 m:gap 30s@21 m:audio@30021 m:control>@30041 n:<control@30042", 0, RealtimeConfig{}},
		{"a negative timestamp is an unset one", []*MessageChunk{frame("m", 1), frame("m", -5)}, "m:audio@1 m:audio@2", 0, RealtimeConfig{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewRealtimeStream(test.config)
				push(t, s, test.push...)
				start := time.Now()
				var got []string
				for range test.push {
					c, err := s.Next()
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, show(c))
				}
				if waited := time.Since(start); waited > OrderingDelay {
					t.Errorf("delivery took %v: a timestamp must not delay anything", waited)
				}
				if test.want == "" {
					return
				}
				if g := strings.Join(got, " "); g != test.want {
					t.Errorf("\n got %s\nwant %s", g, test.want)
				}
				stats := s.Stats()
				if stats.Jumps != test.jumps {
					t.Errorf("Jumps = %d, want %d", stats.Jumps, test.jumps)
				}
				for r, d := range stats.Dropped {
					if d.Chunks != 0 {
						t.Errorf("%d chunks dropped (%v), want none", d.Chunks, DropReason(r))
					}
				}
			})
		})
	}
}

// missing is a gap on a route.
func missing(route string, ms int64, d time.Duration) *MessageChunk {
	c := at(control(route), ms)
	c.Part = &Gap{MIMEType: pcm16k, Duration: d}
	return c
}

// A device that reboots starts its clock again: one timestamp is corrected,
// then the new clock is believed. A device that stalls and catches up is no
// jump at all.
func TestClockRestartAndStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{})
		push(t, s, frame("m", 600_000), frame("m", 600_020))
		time.Sleep(20 * time.Millisecond)
		push(t, s, frame("m", 1))
		time.Sleep(20 * time.Millisecond)
		push(t, s, frame("m", 21))
		time.Sleep(20 * time.Millisecond)
		push(t, s, frame("m", 41))
		wantChunks(t, s, "reboot", "m:audio@600000", "m:audio@600020", "m:audio@600040", "m:audio@21", "m:audio@41")

		time.Sleep(60 * time.Second) // stalled, then all at once, then live again
		jumps := s.Stats().Jumps
		push(t, s, frame("m", 61), frame("m", 81), frame("m", 61_041))
		wantChunks(t, s, "stall", "m:audio@61", "m:audio@81", "m:audio@61041")
		if after := s.Stats().Jumps; after != jumps {
			t.Errorf("a stall counted as %d jumps, want none", after-jumps)
		}
	})
}

// A track that ran ahead of real time over a gap does not make those that come
// when real time has caught up look late.
func TestClockAfterAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewRealtimeStream(RealtimeConfig{})
		push(t, s, at(bos(control("a")), 1), missing("a", 1, 30*time.Second), at(eos(control("a")), 30_001), at(bos(control("b")), 30_002), at(eos(control("b")), 30_002))
		time.Sleep(40 * time.Second)
		push(t, s, at(bos(control("c")), 40_001))
		time.Sleep(time.Second)
		push(t, s, at(eos(control("c")), 40_001), at(bos(control("d")), 41_001))
		wantChunks(t, s, "after the gap", "a:<control@1", "a:gap 30s@1", "a:control>@30001", "b:<control@30002", "b:control>@30002",
			"c:<control@40001", "c:control>@40001", "d:<control@41001")
		if n := s.Stats().Jumps; n != 0 {
			t.Errorf("%d jumps, want none", n)
		}
	})
}
