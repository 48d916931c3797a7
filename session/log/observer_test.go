package log_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"edged/dialog"
	"edged/session/log"
)

// witness remembers what it was told, and how much of the log was written then.
type witness struct {
	out  *bytes.Buffer
	told []string
}

func (w *witness) Observe(turn dialog.Turn, e log.Event) {
	w.told = append(w.told, fmt.Sprintf("%d %s behind %d", turn, e.Name(), strings.Count(w.out.String(), "\n")))
}

// Observers are told of every event once, each before its line is written, in the
// goroutine that emits it, whether transcripts are on or not.
func TestObservers(t *testing.T) {
	for _, transcripts := range []bool{false, true} {
		var out bytes.Buffer
		first, second := &witness{out: &out}, &witness{out: &out}
		r := log.NewRecorder(zerolog.New(&out), "s1", "d1", transcripts, first, second)
		var want []string
		for i, e := range log.Vocabulary() {
			r.Emit(dialog.Turn(i), time.Second, e)
			want = append(want, fmt.Sprintf("%d %s behind %d", i, e.Name(), i))
		}
		if !slices.Equal(first.told, want) || !slices.Equal(second.told, want) {
			t.Errorf("told %q and %q, want %q", first.told, second.told, want)
		}
	}
}

// A ring tells of what it holds, and of what its readers have missed and why.
func TestRingStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := log.NewRing(log.RingConfig{Events: 4})
		want := func(want log.RingStats) {
			t.Helper()
			if got := ring.Stats(); got != want {
				t.Errorf("stats %+v, want %+v", got, want)
			}
		}
		want(log.RingStats{})
		slow := ring.Tail(log.Start{})
		numbered(ring, 1, 3)
		want(log.RingStats{Written: 3, Kept: 3, Tails: 1})
		numbered(ring, 4, 10)
		want(log.RingStats{Written: 10, Kept: 4, Tails: 1}) // it may yet not be read
		slow.Ready()
		slow.Ready()
		want(log.RingStats{Written: 10, Kept: 4, Tails: 1, Overtaken: 6})

		// What was asked for and is forgotten was not missed by a slow reader.
		late := ring.Tail(log.Start{Since: time.Now().Add(-time.Hour)})
		late.Ready()
		late.Close()
		want(log.RingStats{Written: 10, Kept: 4, Tails: 1, Overtaken: 6})

		full := &disk{err: io.ErrShortWrite}
		tail := ring.Tail(log.Start{})
		copied := make(chan struct{})
		go func() {
			defer close(copied)
			log.Copy(context.Background(), full, tail, nil)
		}()
		numbered(ring, 11, 12) // one fails, the other falls into the pause
		synctest.Wait()
		full.err = nil
		time.Sleep(2 * time.Second)
		numbered(ring, 13, 13)
		synctest.Wait()
		want(log.RingStats{Written: 13, Kept: 4, Tails: 2, Overtaken: 6, Unwritable: 2})
		ring.Close()
		<-copied
		tail.Close()
		slow.Close()
		want(log.RingStats{Written: 13, Kept: 4, Overtaken: 6, Unwritable: 2})
	})
}
