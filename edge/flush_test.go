package edge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
)

// TestNothingAfterFlush is F10, F11 and F13 as a property: whatever the order of
// plays, flushes, acknowledgements and the end of the connection, nothing of a
// turn is written after the flush of that turn or of a newer one, and every Play
// of it from then on says so.
func TestNothingAfterFlush(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { interleave(t, seed) })
		})
	}
}

func interleave(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	format := pcm16k60
	if seed%3 == 0 {
		format = pcm16k20
	}
	r := newRig(t, offerOf(pcm16k20, format), Limits{})
	var mu sync.Mutex
	var flushed dialog.Turn // by a call of Flush that has begun
	pause := func(most time.Duration) { time.Sleep(time.Duration(random.Int64N(int64(most)))) }

	var players sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	for turn := dialog.Turn(1); turn <= 8; turn++ {
		// Each reply has a goroutine of its own, so that late chunks of old turns
		// race with new ones, as a slow synthesiser's do.
		speed := time.Duration(random.Int64N(int64(25 * ms)))
		length := time.Duration(random.Int64N(int64(900 * ms)))
		ends := random.IntN(3) > 0
		players.Go(func() {
			chunks := speech(16000, length)
			_ = r.leg.Play(ctx, turn, begin())
			_ = r.leg.Play(ctx, turn, text(fmt.Sprint("turn ", turn)))
			for _, c := range chunks {
				mu.Lock()
				gone := turn <= flushed
				mu.Unlock()
				err := r.leg.Play(ctx, turn, c)
				if gone && !errors.Is(err, ErrFlushed) && !errors.Is(err, ErrClosed) && ctx.Err() == nil {
					t.Errorf("turn %d was flushed, but Play returned %v", turn, err)
				}
				time.Sleep(speed)
			}
			if ends {
				_ = r.leg.Play(ctx, turn, end())
			}
		})
		pause(400 * ms)
		if random.IntN(4) > 0 {
			r.do(func(in *Inlet) error { in.Played(turn, uint32(random.IntN(10_000))); return nil })
		}
		if random.IntN(4) > 0 {
			// Sometimes an older turn, sometimes one that has not begun.
			target := turn
			switch random.IntN(5) {
			case 0:
				target--
			case 1:
				target++
			}
			progress, err := r.leg.Flush(t.Context(), target, dialog.CauseAbort)
			if err != nil {
				t.Errorf("flush of turn %d: %v", target, err)
			}
			if progress.Played > progress.Sent {
				t.Errorf("flush of turn %d: played %v of %v that were sent", target, progress.Played, progress.Sent)
			}
			mu.Lock()
			flushed = max(flushed, target)
			mu.Unlock()
		}
		pause(100 * ms)
	}
	if random.IntN(2) == 0 {
		pause(time.Second)
	}
	r.transport.Kill()
	if _, err := r.leg.Flush(t.Context(), 99, dialog.CauseDisconnect); !errors.Is(err, ErrClosed) {
		t.Errorf("flush after the end: %v, want ErrClosed", err)
	}
	stop()
	players.Wait()
	<-r.over

	// The recording is the judge. A packet belongs to the reply that was begun
	// last, as for the device.
	var barrier, current dialog.Turn
	for i, rec := range r.transport.written() {
		turn := current
		switch c := rec.control.(type) {
		case Flush:
			barrier = max(barrier, c.Turn)
			continue
		case ReplyBegin:
			turn, current = c.Turn, c.Turn
		case ReplyText:
			turn = c.Turn
		case ReplyEnd:
			turn = c.Turn
		case nil:
		default:
			continue
		}
		if turn <= barrier {
			t.Fatalf("record %d: %+v of turn %d was written after the flush of turn %d", i, rec, turn, barrier)
		}
		if turn != current {
			t.Fatalf("record %d: %+v of turn %d inside the reply of turn %d", i, rec, turn, current)
		}
	}
}

// TestFlushInTheMiddleOfAWrite: the packet that is being written when the flush is
// called goes out before it; nothing does afterwards.
func TestFlushInTheMiddleOfAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		result := make(chan error, 1)
		r.transport.mu.Lock()
		r.transport.onWrite = func(rec record) {
			if rec.control == nil && rec.packet.Begin {
				go func() {
					_, err := r.leg.Flush(t.Context(), 1, dialog.CauseAbort)
					result <- err
				}()
				time.Sleep(10 * ms) // the network stack is slow
			}
		}
		r.transport.mu.Unlock()
		r.play(1, begin())
		r.play(1, speech(16000, 300*ms)...)
		if err := <-result; err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		got := story(r.transport.written(), 16000)
		if want := []string{"begin 1", "audio@0 begin", "flush 1 abort"}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("written %q, want %q", got, want)
		}
	})
}
