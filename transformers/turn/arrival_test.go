package turn

import (
	"context"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/realtime"
)

// TestArrivalDoesNotMatter: packets that come late, in bursts or all at once give
// the same utterances as packets that come evenly. Endpointing runs on audio
// time (F20), and pre-roll holds whatever the network does (F21).
func TestArrivalDoesNotMatter(t *testing.T) {
	const packet = 20 * time.Millisecond
	windows := strings.Repeat(".", 30) + "SSSSSSSSSS" + strings.Repeat(".", 15) + "SSSS" + strings.Repeat(".", 40)
	packets := len(windows) * int(windowTime) / int(packet)
	tests := []struct {
		name string
		wait func(i int) time.Duration // before packet i
	}{
		{"evenly", func(int) time.Duration { return packet }},
		{"all at once", func(int) time.Duration { return 0 }},
		{"in bursts of 300 ms", func(i int) time.Duration {
			if i%15 == 0 {
				return 300 * time.Millisecond
			}
			return 0
		}},
		{"with five seconds of nothing in the middle of speech", func(i int) time.Duration {
			if i == 55 {
				return 5 * time.Second
			}
			return packet
		}},
		{"half as fast as it was spoken", func(int) time.Duration { return 2 * packet }},
	}
	var want []utterance
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			audio := realtime.NewStreamBuilder(1000)
			go func() {
				_ = audio.Add(context.Background(), listenStart("mic/1", labelAuto, 1))
				for i := range packets {
					time.Sleep(test.wait(i))
					_ = audio.Add(context.Background(), sound("mic/1", int64(1+20*i), ramp(320*i, 320)))
				}
				audio.Done()
			}()
			got, _, err := utterances(t, New(audio.Stream(), &script{windows: windows}, Config{}))
			if err != io.EOF {
				t.Errorf("%s: ends with %v", test.name, err)
			}
			if want == nil {
				want = got
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: other utterances than when the packets came evenly", test.name)
			}
		})
	}
	if len(want) != 1 || want[0].onset != 1+960 || want[0].first != 1+660 {
		t.Errorf("%+v, want one utterance, with 300 ms of pre-roll", want)
	}
}

// TestDecisionsComeAtOnce: with the packet that completes the window that decides,
// not later.
func TestDecisionsComeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const packet = 20 * time.Millisecond
		audio := realtime.NewStreamBuilder(0)
		start := time.Now()
		go func() {
			_ = audio.Add(context.Background(), listenStart("mic/1", labelAuto, 1))
			for i := range 100 {
				time.Sleep(packet) // a packet is sent when its last sample was recorded
				_ = audio.Add(context.Background(), sound("mic/1", int64(1+20*i), ramp(320*i, 320)))
			}
			audio.Done()
		}()
		d := New(audio.Stream(), &script{windows: ".....SSSSS"}, Config{})
		for {
			chunk, err := d.Next()
			if err != nil {
				break
			}
			var decided time.Duration // media time of the end of the window
			switch {
			case !strings.HasPrefix(chunk.Route(), RoutePrefix):
				continue
			case chunk.IsBeginOfStream():
				decided = 8 * windowTime
			case chunk.IsEndOfStream():
				decided = 29 * windowTime
			default:
				continue
			}
			want := (decided + packet - 1) / packet * packet
			if at := time.Since(start); at != want {
				t.Errorf("a decision at %v of audio comes at %v, want %v", decided, at, want)
			}
		}
	})
}

// TestCloseUnblocks: Next waits without work while the microphone is silent, and
// Close from elsewhere ends the wait.
func TestCloseUnblocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		audio := realtime.NewStreamBuilder(0)
		d := New(audio.Stream(), &script{}, Config{})
		result := make(chan error, 1)
		go func() {
			_, err := d.Next()
			result <- err
		}()
		synctest.Wait()
		select {
		case err := <-result:
			t.Fatalf("Next returned %v although there was nothing", err)
		default:
		}
		_ = d.Close()
		if err := <-result; err != io.EOF {
			t.Errorf("Next after Close: %v, want io.EOF", err)
		}
	})
}
