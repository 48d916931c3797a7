package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"edged/audio/pcm"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/internal/edits"
	"edged/internal/recordings"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers/tts"
	"edged/transformers/tts/flite"
)

// Every recording is asked over the real protocol with the real engines. What
// was understood is measured over all of them, what was answered is checked one
// by one, and the reply's own sound is given to the recogniser again.
func TestEveryRecording(t *testing.T) {
	all := questions(t)
	speakers := make(map[string]bool)
	words, wrong, right, replies, understood := 0, 0, 0, 0, 0
	visit(t, func(t *testing.T, h *house) {
		for _, r := range all {
			speakers[r.Speaker] = true
			d := h.dial(nil)
			a := h.ask(d, samples(t, r.Path))
			h.hangUp(d)
			errors, n := wordErrors(r.Text, a.Transcript)
			words, wrong = words+n, wrong+errors
			t.Logf("%s: %q heard as %q (%d of %d words wrong), answered %q", r.Speaker, r.Text, a.Transcript, errors, n, a.Reply)
			if missing := missingWords(r.ReplyWords, a.Reply); missing == "" {
				right++
			} else if errors == 0 {
				t.Errorf("%s: %q was answered %q, which does not hold %s", r.Speaker, r.Text, a.Reply, missing)
			} else {
				t.Logf("\tmisheard, and so not answered with %s", missing)
				continue
			}
			if len(r.ReplyWords) == 0 {
				continue
			}
			replies++
			if heard := h.recognise(a.PCM); missingWords(r.ReplyWords, heard) == "" {
				understood++
			} else {
				t.Logf("\tthe sound of that reply was recognised as %q", heard)
			}
		}
	})
	rate := float64(wrong) / float64(words)
	t.Logf("%d questions, %d speakers: word error rate %.1f%% (%d of %d), %d answered rightly; %d of %d such replies recognised by their key words",
		len(all), len(speakers), 100*rate, wrong, words, right, understood, replies)
	if len(all) < 20 || len(speakers) < 3 {
		t.Errorf("%d questions by %d speakers, want 20 by 3 at least", len(all), len(speakers))
	}
	if rate > 0.15 {
		t.Errorf("word error rate %.1f%%, at most 15%%", 100*rate)
	}
	if share := float64(understood) / float64(replies); share < 0.75 {
		t.Errorf("%.0f%% of the replies were recognised by their key words, want 75%%", 100*share)
	}
	if share := float64(right) / float64(len(all)); share < 0.85 {
		t.Errorf("%.0f%% of the questions were answered rightly, want 85%%", 100*share)
	}
}

// recognise gives 16 kHz audio to the recogniser as one utterance.
func (h *house) recognise(samples []int16) string {
	h.t.Helper()
	in := realtime.NewStreamBuilder(8)
	go func() {
		ctx := context.Background()
		const route = "reply"
		for chunk := range slices.Chunk(samples, 1600) {
			in.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: route},
				Part: &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: pcm.Append(nil, chunk)}})
		}
		in.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: route, EndOfStream: true}})
		in.Done()
	}()
	out, err := h.engines.ASR.Transform(context.Background(), asrPattern("local"), in.Stream())
	if err != nil {
		h.t.Fatal(err)
	}
	defer out.Close()
	for {
		chunk, err := out.Next()
		if err != nil {
			h.t.Fatalf("recogniser: %v", err)
		}
		if text, ok := chunk.Part.(realtime.Text); ok && chunk.Ctrl.Label == realtime.LabelTranscript {
			return string(text)
		}
	}
}

// wordErrors returns the substituted, missing and added words of heard against
// what was said, and how many were said.
func wordErrors(said, heard string) (errors, n int) {
	want, got := plainWords(said), plainWords(heard)
	return edits.Count(want, got), len(want)
}

func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '\'' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// missingWords returns the first list of alternatives of which text, as it is
// spoken, holds none.
func missingWords(lists [][]string, text string) string {
	flat := " " + strings.Join(plainWords(spoken(text)), " ") + " "
	for _, alternatives := range lists {
		if !slices.ContainsFunc(alternatives, func(w string) bool {
			return strings.Contains(flat, " "+strings.Join(plainWords(w), " ")+" ")
		}) {
			return fmt.Sprintf("any of %q", alternatives)
		}
	}
	return ""
}

var digits = regexp.MustCompile(`[0-9][0-9,]*`)

// spoken writes the whole numbers in text as words.
func spoken(text string) string {
	return digits.ReplaceAllStringFunc(text, func(number string) string {
		n, err := strconv.Atoi(strings.ReplaceAll(number, ",", ""))
		if err != nil {
			return number
		}
		return " " + numberWords(n) + " "
	})
}

func numberWords(n int) string {
	small := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
	with := func(words string, rest int) string {
		if rest == 0 {
			return words
		}
		return words + " " + numberWords(rest)
	}
	switch {
	case n < 20:
		return small[n]
	case n < 100:
		return with(tens[n/10], n%10)
	case n < 1000:
		return with(small[n/100]+" hundred", n%100)
	default:
		return with(numberWords(n/1000)+" thousand", n%1000)
	}
}

// A reply is stopped in the middle: nothing of it comes after the flush, the
// server knows what was heard as the device's own counter does, and the next
// question is answered.
func TestAbortInTheMiddle(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		d := h.dial(nil)
		a, err := d.Ask(context.Background(), edgetest.Question{PCM: recording(t, "what can you do"), AbortAfter: 1500 * time.Millisecond})
		if err != nil || !a.Interrupted {
			t.Fatalf("the reply was not interrupted: %v, %v", a, err)
		}
		if a.Heard == "" || len(a.Heard) >= len(a.Reply) {
			t.Errorf("heard %q of %q, want a part of it", a.Heard, a.Reply)
		}
		if a.Played < 1500*time.Millisecond || a.Played > 2*time.Second {
			t.Errorf("played %v, want a little over the 1.5 s after which the button was pressed", a.Played)
		}
		next := h.ask(d, recording(t, "what is seven plus five"))
		if missing := missingWords([][]string{{"twelve", "12"}}, next.Reply); missing != "" {
			t.Errorf("the next question was answered %q", next.Reply)
		}
		h.hangUp(d) // no stale packet
		for _, rec := range h.log.events(t) {
			if cut, ok := rec.Event.(log.Interrupt); ok {
				server, device := len(strings.Fields(string(cut.Heard))), heardWords(t, a.Reply, a.Played)
				if server < device-1 || server > device+1 {
					t.Errorf("the server takes %q for heard, %d words; the device played %v: %d words", cut.Heard, server, a.Played, device)
				}
				return
			}
		}
		t.Error("the session log has no interrupt")
	})
}

// heardWords returns how many words of a reply lie within what was played of it,
// by the synthesiser's own account of each sentence.
func heardWords(t *testing.T, reply string, played time.Duration) int {
	t.Helper()
	voice, err := flite.New(flite.Config{Voice: "rms"})
	if err != nil {
		t.Fatal(err)
	}
	var cutter tts.Segmenter
	words, begin := 0, time.Duration(0)
	for _, sentence := range append(cutter.Push(reply), cutter.Close()...) {
		timing, err := voice.SynthesizeTimed(context.Background(), sentence, func([]int16) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range timing.Words {
			if begin+recordings.Rate.Duration(w.End) <= played {
				words++
			}
		}
		begin += recordings.Rate.Duration(timing.Samples)
	}
	return words
}

// Two devices at once get their own answers.
func TestTwoDevices(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		asks := []struct{ question, answer string }{{"what is seven plus five", "12"}, {"what is six times eight", "48"}}
		var both sync.WaitGroup
		for i, ask := range asks {
			both.Go(func() {
				d := h.dial(func(cfg *edgetest.Config) { cfg.Device = fmt.Sprintf("toy-%d", i) })
				for range 2 {
					a, err := d.Ask(context.Background(), edgetest.Question{PCM: recording(t, ask.question)})
					if err != nil || !strings.Contains(a.Reply, ask.answer) {
						t.Errorf("device %d asked %q and heard %q (%v)", i, ask.question, a.Reply, err)
					}
				}
				h.hangUp(d)
			})
		}
		both.Wait()
	})
}

// A device that drops its connection in the middle of a reply and does not come
// back leaves an account of what it heard and nothing else behind.
func TestDroppedConnection(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		d := h.dial(nil)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			a, err := d.Ask(context.Background(), edgetest.Question{PCM: recording(t, "what can you do")})
			if err == nil {
				t.Errorf("the reply was played to its end over a lost connection: %v", a)
			}
		}()
		time.Sleep(7 * time.Second) // the question takes 3 s, the reply 10 s
		d.Drop()
		<-gone
		time.Sleep(31 * time.Second) // the session waits for 30
		var reason, cause string
		for _, rec := range h.log.events(t) {
			switch e := rec.Event.(type) {
			case log.SessionEnd:
				reason = string(e.Reason)
			case log.Interrupt:
				cause = string(e.Cause)
			case log.Error:
				t.Errorf("logged %+v", e)
			}
		}
		if reason != "disconnect" || cause != "disconnect" {
			t.Errorf("the session ended by %q, its turn by %q, want disconnect", reason, cause)
		}
	})
}

// A timer that was set by voice speaks by itself when it is due.
func TestTimer(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		d := h.dial(nil)
		a := h.ask(d, recording(t, "set a timer for twenty five seconds"))
		set := time.Now()
		notice, err := d.NextReply(context.Background(), a.Turn)
		if err != nil || !strings.Contains(notice.Reply, "25 second") {
			t.Fatalf("the timer said %q (%v)", notice.Reply, err)
		}
		if waited := time.Since(set); waited < 18*time.Second || waited > 30*time.Second {
			t.Errorf("the timer spoke %v after it was set", waited)
		}
		h.hangUp(d)
	})
}

// The volume is the device's: it is changed by a tool that the device offers.
func TestVolume(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		d := h.dial(func(cfg *edgetest.Config) { cfg.Volume = 30 })
		h.ask(d, recording(t, "turn the volume up"))
		if v := d.Volume(); v <= 30 {
			t.Errorf("volume %d after turning it up from 30", v)
		}
		h.ask(d, recording(t, "set the volume to fifty"))
		if v := d.Volume(); v != 50 {
			t.Errorf("volume %d, want 50", v)
		}
		h.hangUp(d)
	})
}

// Whatever the device negotiates, it is understood and answered.
func TestFormats(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		for _, codec := range []wire.Codec{wire.CodecOpus, wire.CodecPCM} {
			for _, frame := range []uint32{20, 40, 60} {
				for _, mode := range []wire.ListenMode{wire.ModeAuto, wire.ModeManual} {
					d := h.dial(func(cfg *edgetest.Config) {
						cfg.Mode = mode
						cfg.Up = wire.Format{Codec: codec, SampleRate: 16000, Channels: 1, FrameMS: frame}
						cfg.Down = wire.Format{Codec: codec, SampleRate: 24000, Channels: 1, FrameMS: frame}
					})
					a := h.ask(d, recording(t, "what is seven plus five"))
					if !strings.Contains(a.Reply, "12") {
						t.Errorf("%s, %d ms, %s: heard %q, answered %q", codec, frame, mode, a.Transcript, a.Reply)
					}
					if a.Starved > 0 {
						t.Errorf("%s, %d ms, %s: the device starved %d times", codec, frame, mode, a.Starved)
					}
					h.hangUp(d)
				}
			}
		}
	})
}
