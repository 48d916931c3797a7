package edge

import (
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
	"edged/realtime"
)

// babble is noise in syllables, as loud as a voice.
func babble(d time.Duration, seed uint64) []int16 {
	random := rand.New(rand.NewPCG(seed, 2))
	samples := make([]int16, micRate.Samples(d))
	last := 0.0
	for i := range samples {
		last = 0.7*last + random.NormFloat64()
		syllable := math.Sin(2 * math.Pi * 2 * float64(i) / float64(micRate))
		samples[i] = int16(2500 * last * syllable * syllable)
	}
	return samples
}

// TestEchoGuardAtWork: a device without echo cancelling listens while it plays.
// Its own sound comes back 20 dB weaker and 250 ms after it was counted as played,
// and is not passed on; a person who speaks over it is. A device with echo
// cancelling is left alone.
func TestEchoGuardAtWork(t *testing.T) {
	tests := []struct {
		name    string
		aec     bool
		guarded bool
	}{
		{"without echo cancelling", false, true},
		{"with echo cancelling", true, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				offer := offerOf(pcm16k20, pcm16k20)
				offer.Hello.Capabilities.FullDuplex, offer.Hello.Capabilities.AEC = true, test.aec
				r := newRig(t, offer, Limits{})
				defer r.close()
				reply, person := babble(6*time.Second, 1), babble(time.Second, 2)
				s := &stream{r: r, format: pcm16k20}
				s.listen(dialog.ModeRealtime)
				go func() {
					r.play(1, begin())
					for at := 0; at < len(reply); at += 320 {
						r.play(1, blob(16000, bytesOf(reply[at:at+320])))
					}
					r.play(1, end())
				}()
				// The device: it begins to play at once and talks every 20 ms.
				random := rand.New(rand.NewPCG(9, 9))
				var mic []int16
				for n := 0; n < 350; n++ {
					time.Sleep(20 * ms)
					played := min(n*320, len(reply))
					if n > 0 && n%10 == 0 {
						r.do(func(in *Inlet) error { in.Played(1, uint32(played)); return nil })
					}
					frame := make([]int16, 320)
					for i := range frame {
						at := n*320 + i - micRate.Samples(250*ms)
						frame[i] = int16(10 * random.NormFloat64())
						if at >= 0 && at < len(reply) {
							frame[i] += reply[at] / 10
						}
						if at := n*320 + i - micRate.Samples(4*time.Second); at >= 0 && at < len(person) {
							frame[i] += person[at]
						}
					}
					mic = append(mic, frame...)
					s.send(s.next(bytesOf(frame)))
				}
				synctest.Wait()
				var got []int16
				for _, c := range r.heard() {
					if b, ok := c.Part.(*realtime.Blob); ok {
						got = append(got, samplesOf(b.Data)...)
					}
				}
				if len(got) != len(mic) {
					t.Fatalf("%d samples are heard, want all %d", len(got), len(mic))
				}
				alone := func(x []int16) float64 { return rms(x[micRate.Samples(300*ms):micRate.Samples(3900*ms)]) }
				over := func(x []int16) float64 { return rms(x[micRate.Samples(4100*ms):micRate.Samples(5*time.Second)]) }
				stats := r.leg.Stats().Echo
				if quiet := alone(got) < alone(mic)/10; quiet != test.guarded {
					t.Errorf("the device's own sound is heard at %.0f, it was %.0f: %+v", alone(got), alone(mic), stats)
				}
				if over(got) < 0.8*over(mic) {
					t.Errorf("a person over the reply is heard at %.0f, it was %.0f: %+v", over(got), over(mic), stats)
				}
				if used := stats.Active > 0; used != test.guarded {
					t.Errorf("guard in use is %v, want %v", used, test.guarded)
				}
				// The sound is found 20 ms less late than it is: a packet is counted as
				// played at the time at which it is recorded.
				if test.guarded && (!stats.Aligned || stats.Delay < 200*ms || stats.Delay > 300*ms || stats.Suppressed < 3*time.Second) {
					t.Errorf("%+v, want the delay found near 250 ms and more than 3 s suppressed", stats)
				}
			})
		})
	}
}

// TestEchoGuardAcrossReplies: after a flush the next reply continues on the same
// line, so the delay need not be found again.
func TestEchoGuardAcrossReplies(t *testing.T) {
	offer := offerOf(pcm16k20, pcm16k20)
	offer.Hello.Capabilities.FullDuplex = true
	e := newEchoGuard(terms{hello: offer.Hello, down: pcm16k20}, zerologNop())
	defer e.close()
	now := time.Now()
	reply := babble(4*time.Second, 3)
	room := make([]int16, micRate.Samples(20*time.Second)) // what the microphone will hear
	at := 0                                                // of the microphone
	step := func() {
		frame := make([]int16, 320)
		copy(frame, room[at:])
		e.hear(frame, 0, now)
		now = now.Add(20 * ms)
		at += 320
	}
	say := func(turn dialog.Turn, n int) {
		begin := at
		for i := 0; i < n*320; i += 320 {
			e.sent(turn, i, reply[i:i+320], now)
			for k, s := range reply[i : i+320] {
				room[begin+i+k+3200] += s / 10
			}
			step()
			e.played(turn, i+320, now)
		}
	}
	for range 20 {
		step()
	}
	say(1, 150)
	first := e.stats()
	e.stopped(1, now)
	clear(room[at:]) // the device is quiet
	for range 100 {
		step()
	}
	say(2, 50)
	second := e.stats()
	if first.Aligns != 1 || second.Aligns != 1 {
		t.Errorf("the delay was found %d and then %d times, want once: %+v", first.Aligns, second.Aligns, second)
	}
	if second.Suppressed < second.Active-100*ms {
		t.Errorf("%v of %v suppressed, want all: nobody spoke", second.Suppressed, second.Active)
	}
}
