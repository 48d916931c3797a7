package main

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"edged/audio"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/internal/recordings"
	"edged/session/log"
	"edged/transformers/tts/flite"
)

// openly makes the device keep its microphone open.
func openly(hold bool) func(*edgetest.Config) {
	return func(cfg *edgetest.Config) {
		cfg.Capabilities = &wire.Capabilities{FullDuplex: true, AEC: true, Flush: true, Ack: true, Hold: hold}
	}
}

// onsetOf returns the labelled onset of the recording of text.
func onsetOf(t *testing.T, text string) int {
	t.Helper()
	for _, r := range questions(t) {
		if strings.EqualFold(strings.TrimRight(r.Text, "?."), text) {
			onset, _ := r.Speech()
			return recordings.Rate.Samples(onset)
		}
	}
	t.Fatalf("no recording of %q", text)
	return 0
}

// The user talks over a long reply: it stops, what was heard of it is what the
// device played, give or take a word, and the new question is answered (F10, F13,
// F14, F26).
func TestTalkOver(t *testing.T) {
	for _, hold := range []bool{false, true} {
		name := map[bool]string{false: "a device that only flushes", true: "a device that can hold"}[hold]
		t.Run(name, func(t *testing.T) {
			visit(t, func(t *testing.T, h *house) {
				d := h.dial(openly(hold))
				answers, err := d.Talk(context.Background(), []edgetest.Question{
					{PCM: recording(t, "what can you do")},
					{PCM: recording(t, "what is seven plus five"), BargeInAfter: 2 * time.Second, Onset: onsetOf(t, "what is seven plus five")},
					{PCM: recording(t, "what is six times eight")},
				})
				if err != nil || len(answers) != 3 {
					t.Fatalf("answers %v, %v\n%s", answers, err, h.log.String())
				}
				over := answers[0]
				if !over.Interrupted || over.Cause != wire.CauseSpeech {
					t.Errorf("the reply was not talked over: %v", over)
				}
				if over.Seen.BargeIn <= 0 || over.Seen.BargeIn > time.Second {
					t.Errorf("flushed %v after the onset of the speech", over.Seen.BargeIn)
				}
				if hold && (over.Seen.Held <= 0 || over.Seen.Held > 400*time.Millisecond) {
					t.Errorf("held %v after the onset of the speech", over.Seen.Held)
				}
				for i, want := range []string{"12", "48"} {
					if got := answers[i+1].Reply; !strings.Contains(got, want) {
						t.Errorf("question %d was answered %q, want %s", i+2, got, want)
					}
				}
				h.hangUp(d)
				for _, rec := range h.log.events(t) {
					if cut, ok := rec.Event.(log.Interrupt); ok {
						server, device := len(strings.Fields(string(cut.Heard))), heardWords(t, over.Reply, over.Played)
						if server < device-1 || server > device+1 {
							t.Errorf("the server takes %q for heard, %d words; the device played %d", cut.Heard, server, device)
						}
					}
				}
			})
		})
	}
}

// F16: "mhmm" during a reply holds it and lets it go on, without a lost or doubled
// sample, by the device's own recording.
func TestMhmm(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		plain := h.dial(openly(true))
		sameVoice()
		quiet, err := plain.Talk(context.Background(), []edgetest.Question{{PCM: recording(t, "what can you do")}})
		if err != nil {
			t.Fatal(err)
		}
		h.hangUp(plain)

		d := h.dial(openly(true))
		sameVoice()
		ctx := context.Background()
		m, err := d.OpenMicrophone(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.Say(ctx, recording(t, "what can you do")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Second)
		if _, _, err := m.Say(ctx, hum(350*time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		a, err := d.Await(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Close(ctx); err != nil {
			t.Fatal(err)
		}
		h.hangUp(d)
		if a.Interrupted || a.Holds != 1 {
			t.Fatalf("held %d times, interrupted %v: want one hold and no interruption\n%s", a.Holds, a.Interrupted, h.log.String())
		}
		if a.Played != quiet[0].Played {
			t.Errorf("played %v, without the mhmm %v", a.Played, quiet[0].Played)
		}
		sameSound(t, a.PCM, quiet[0].PCM)
	})
}

// sameVoice makes the voice say what it says next as it did after the last call.
func sameVoice() { flite.Seed(1) }

// sameSound fails the test where what left the speaker is not what left it when the
// reply was left in peace, to the sample.
func sameSound(t *testing.T, got, peaceful []int16) {
	t.Helper()
	for i := range min(len(got), len(peaceful)) {
		if got[i] != peaceful[i] {
			t.Errorf("from %v on another sound left the speaker than when the reply was left in peace", audio.Rate16k.Duration(i))
			return
		}
	}
	if len(got) != len(peaceful) {
		t.Errorf("%d samples left the speaker, %d when the reply was left in peace", len(got), len(peaceful))
	}
}

// hum is a voiced sound without words: harmonics of 120 Hz under an envelope, as
// of closed lips.
func hum(length time.Duration) []int16 {
	rate := audio.Rate16k
	samples := make([]int16, rate.Samples(length))
	for i := range samples {
		phase := float64(i) / float64(rate)
		value := 0.0
		for k, level := range []float64{1, 0.6, 0.25, 0.12, 0.06} {
			value += level * math.Sin(2*math.Pi*120*float64(k+1)*phase)
		}
		edge := min(1, float64(min(i, len(samples)-i))/400)
		samples[i] = int16(6000 * edge * value)
	}
	return samples
}

// The connection is lost in the middle of a reply and the device comes back: the
// reply goes on, and what left the speaker is the same to the sample.
func TestComeBack(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		pcm := func(cfg *edgetest.Config) {
			cfg.Down = wire.Format{Codec: wire.CodecPCM, SampleRate: 16000, Channels: 1, FrameMS: 20}
		}
		plain := h.dial(pcm)
		sameVoice()
		whole := h.ask(plain, recording(t, "what can you do"))
		h.hangUp(plain)
		for _, after := range []time.Duration{500 * time.Millisecond, 3 * time.Second, whole.Played - 300*time.Millisecond} {
			d := h.dial(pcm)
			sameVoice()
			asked := make(chan struct{})
			go func() {
				defer close(asked)
				_, _ = d.Ask(context.Background(), edgetest.Question{PCM: recording(t, "what can you do")}) // the cut ends it
			}()
			for turns := d.Turns(); len(turns) == 0 || turns[0].Played < after; turns = d.Turns() {
				time.Sleep(10 * time.Millisecond)
			}
			d.Drop()
			<-asked
			time.Sleep(3 * time.Second)
			again, err := d.Return(context.Background())
			if err != nil || again.Hello().Resumed == nil || !again.Hello().Resumed.Answering {
				t.Fatalf("came back to %+v, %v", again.Hello(), err)
			}
			a, err := again.Await(context.Background(), 1)
			if err != nil {
				t.Fatal(err)
			}
			h.hangUp(again)
			if a.Reply != whole.Reply {
				t.Errorf("cut after %v: the reply is %q, want %q", after, a.Reply, whole.Reply)
			}
			sameSound(t, a.PCM, whole.PCM)
		}
	})
}
