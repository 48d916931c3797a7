package edge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/dialog"
	"edged/realtime"
)

// story makes what was written comparable: control by name, packets by timestamp
// in ms with their marks.
func story(records []record, rate audio.SampleRate) []string {
	var lines []string
	for _, r := range records {
		switch c := r.control.(type) {
		case nil:
			line := fmt.Sprintf("audio@%d", rate.Duration(int(r.packet.Timestamp)).Milliseconds())
			if r.packet.Begin {
				line += " begin"
			}
			if r.packet.End {
				line += " end"
			}
			lines = append(lines, line)
		case ReplyBegin:
			lines = append(lines, fmt.Sprintf("begin %d", c.Turn))
		case ReplyText:
			lines = append(lines, fmt.Sprintf("text %s %q", c.Position, c.Text))
		case ReplyEnd:
			lines = append(lines, fmt.Sprintf("end %s", c.Position))
		case Flush:
			lines = append(lines, fmt.Sprintf("flush %d %s", c.Turn, c.Cause))
		case Event:
			lines = append(lines, fmt.Sprintf("%T", c.Downlink))
		}
	}
	return lines
}

// TestReplyOrder: begin, text and end travel at their place in the audio; the last
// packet is padded and marked; progress is told as it happens.
func TestReplyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		start := time.Now()
		r.play(7, begin(), text("Hello "))
		r.play(7, speech(16000, 120*ms)...)
		r.play(7, text("there."))
		r.play(7, speech(16000, 140*ms)...) // not a whole number of packets
		r.play(7, end())
		time.Sleep(time.Second)
		synctest.Wait()

		want := []string{
			"begin 7", `text 7@0s "Hello "`, "audio@0 begin", "audio@60",
			`text 7@120ms "there."`, "audio@120", "audio@180", "audio@240 end", "end 7@260ms",
		}
		if got := story(r.transport.written(), 16000); !slices.Equal(got, want) {
			t.Errorf("written\n %q, want\n %q", got, want)
		}
		var sent []int16
		for _, p := range r.transport.packets() {
			if len(p.packet.Payload) != 1920 {
				t.Errorf("a packet of %d bytes, all have 60 ms", len(p.packet.Payload))
			}
			sent = append(sent, samplesOf(p.packet.Payload)...)
		}
		whole := slices.Concat(tone(16000, 120*ms, 440), tone(16000, 140*ms, 440))
		if !slices.Equal(sent[:len(whole)], whole) {
			t.Error("the samples that were sent are not those that were played")
		}
		if slices.ContainsFunc(sent[len(whole):], func(s int16) bool { return s != 0 }) {
			t.Error("the last packet is filled up with something else than silence")
		}
		var got []string
		for _, e := range r.events() {
			switch e := e.(type) {
			case dialog.Sent:
				got = append(got, "sent "+e.Position.String())
				if e.At.Before(start) || e.At.After(time.Now()) {
					t.Errorf("sent at %v", e.At)
				}
			case dialog.Delivered:
				got = append(got, "delivered "+e.Position.String())
			}
		}
		if want := []string{"sent 7@60ms", "sent 7@240ms", "sent 7@260ms", "delivered 7@260ms"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

// TestReplyFormats: whatever the rates and codecs, the reply is as long as it was
// and no packet deviates from the announced duration.
func TestReplyFormats(t *testing.T) {
	formats := []audio.Format{
		opus16k20, opus16k60, pcm16k60,
		{Codec: audio.CodecOpus, Rate: 24000, Channels: 1, Ptime: 60 * ms},
		{Codec: audio.CodecOpus, Rate: 48000, Channels: 1, Ptime: 20 * ms},
		{Codec: audio.CodecOpus, Rate: 8000, Channels: 1, Ptime: 40 * ms},
		{Codec: audio.CodecOpus, Rate: 12000, Channels: 1, Ptime: 20 * ms},
		{Codec: audio.CodecPCM, Rate: 8000, Channels: 1, Ptime: 20 * ms},
		{Codec: audio.CodecPCM, Rate: 48000, Channels: 1, Ptime: 60 * ms},
	}
	for _, format := range formats {
		for _, source := range []audio.SampleRate{16000, 22050, 24000} {
			t.Run(fmt.Sprintf("%v from %v", format, source), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, offerOf(pcm16k20, format), Limits{})
					defer r.close()
					const length = 1210 * ms
					r.play(1, begin())
					r.play(1, speech(source, length)...)
					r.play(1, end())
					time.Sleep(2 * time.Second)
					synctest.Wait()

					packets := r.transport.packets()
					wanted := int((length + format.Ptime - 1) / format.Ptime)
					if len(packets) != wanted {
						t.Fatalf("%d packets, want %d for %v", len(packets), wanted, length)
					}
					for i, p := range packets {
						if p.packet.Timestamp != uint32(i*format.FrameSamples()) || p.packet.Begin != (i == 0) || p.packet.End != (i == wanted-1) {
							t.Errorf("packet %d: timestamp %d, begin %v, end %v", i, p.packet.Timestamp, p.packet.Begin, p.packet.End)
						}
					}
					events := r.events()
					last := events[len(events)-1]
					if d, ok := last.(dialog.Delivered); !ok || d.Offset.Round(ms) != length {
						t.Errorf("the last event is %+v, want Delivered at %v exactly as played", last, length)
					}
				})
			})
		}
	}
}

// TestOddChunks is F07: a synthesiser may cut its audio anywhere, also inside a
// sample.
func TestOddChunks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k20), Limits{})
		defer r.close()
		data := bytesOf(tone(16000, 200*ms, 440))
		r.play(1, begin())
		for size := 1; len(data) > 0; size += 2 {
			n := min(size, len(data))
			r.play(1, blob(16000, data[:n]))
			data = data[n:]
		}
		r.play(1, end())
		time.Sleep(time.Second)
		var sent []byte
		for _, p := range r.transport.packets() {
			sent = append(sent, p.packet.Payload...)
		}
		if want := bytesOf(tone(16000, 200*ms, 440)); !bytes.Equal(sent, want) {
			t.Errorf("%d bytes were sent, want exactly the %d that were played", len(sent), len(want))
		}
	})
}

// TestReplyPacing is F03, F04 and F06 through the whole leg: ten minutes of reply
// from a fast synthesiser.
func TestReplyPacing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{IdleTimeout: time.Hour})
		defer r.close()
		go func() {
			for range r.leg.Events() {
			}
		}()
		const length = 10 * time.Minute
		second := speech(16000, time.Second)
		r.play(1, begin())
		for range int(length / time.Second) {
			r.play(1, second...)
		}
		r.play(1, end())
		time.Sleep(time.Second)
		synctest.Wait()
		packets := r.transport.packets()
		written := make([]time.Time, len(packets))
		for i, p := range packets {
			written[i] = p.at
		}
		lead := r.leg.Hello().Capabilities.Lead
		checkLead(t, written, 60*ms, lead)
		for i := 1; i < len(written); i++ {
			if gap := written[i].Sub(written[i-1]); gap > 65*ms || gap < 30*ms {
				t.Fatalf("packets %d and %d are %v apart", i-1, i, gap)
			}
		}
		want := written[0].Add(length - lead)
		if off := written[len(written)-1].Sub(want).Abs(); off > 60*ms {
			t.Errorf("after 10 minutes the reply is %v away from real time (F06)", off)
		}
		stats := r.leg.Stats().Pacer
		if stats.Underruns != 0 || stats.Lateness.Max() > ms {
			t.Errorf("%d underruns, lateness up to %v", stats.Underruns, stats.Lateness.Max())
		}
	})
}

// TestPlayBlocks: a leg takes in its look-ahead and no more, and Play comes back
// for each of the reasons it may.
func TestPlayBlocks(t *testing.T) {
	tests := []struct {
		name string
		free func(*rig, context.CancelFunc)
		want error
	}{
		{"until there is room", func(*rig, context.CancelFunc) { time.Sleep(60 * ms) }, nil},
		{"until its context is done", func(_ *rig, cancel context.CancelFunc) { cancel() }, context.Canceled},
		{"until the turn is flushed", func(r *rig, _ context.CancelFunc) { _, _ = r.leg.Flush(r.t.Context(), 1, dialog.CauseAbort) }, ErrFlushed},
		{"until the connection is gone", func(r *rig, _ context.CancelFunc) { r.transport.Kill() }, ErrClosed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
				defer r.close()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var taken atomic.Int64 // in ns
				result := make(chan error, 1)
				go func() {
					for {
						if err := r.leg.Play(ctx, 1, speech(16000, 20*ms)[0]); err != nil {
							result <- err
							return
						}
						if taken.Add(int64(20*ms)) > int64(2*time.Second) {
							result <- nil
							return
						}
					}
				}()
				time.Sleep(300 * ms) // the lead is sent, 60 ms of playback are over or under way
				synctest.Wait()
				sent := time.Duration(len(r.transport.packets())) * 60 * ms
				if held := time.Duration(taken.Load()) - sent; held > DefaultLookahead+100*ms || held < DefaultLookahead-60*ms {
					t.Errorf("%v are held, the look-ahead is %v", held, DefaultLookahead)
				}
				before := taken.Load()
				tt.free(r, cancel)
				synctest.Wait()
				if tt.want == nil {
					if taken.Load() <= before {
						t.Error("there is room, but Play did not come back")
					}
					r.transport.Kill()
					<-result
					return
				}
				if err := <-result; !errors.Is(err, tt.want) {
					t.Errorf("Play came back with %v, want %v", err, tt.want)
				}
			})
		})
	}
}

// TestPlayRefuses: what cannot be played is a typed or plain error, never a panic.
func TestPlayRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		r.play(5, begin(), end())
		if _, err := r.leg.Flush(t.Context(), 8, dialog.CauseAbort); err != nil {
			t.Fatal(err)
		}
		tests := []struct {
			name  string
			turn  dialog.Turn
			chunk *realtime.MessageChunk
			want  error // nil: any
		}{
			{"no turn", 0, begin(), errNoTurn},
			{"no chunk", 9, nil, errContent},
			{"an older turn", 4, begin(), ErrFlushed},
			{"a reply that has ended", 5, text("more"), ErrFlushed},
			{"a flushed turn that never began", 8, begin(), ErrFlushed},
			{"neither content nor boundary", 9, &realtime.MessageChunk{}, errContent},
			{"a tool call", 9, &realtime.MessageChunk{ToolCall: &realtime.ToolCall{}}, errContent},
			{"stereo", 9, &realtime.MessageChunk{Part: &realtime.Blob{MIMEType: "audio/pcm;channels=2;rate=16000"}}, errContent},
			{"an impossible rate", 9, &realtime.MessageChunk{Part: &realtime.Blob{MIMEType: "audio/pcm;rate=1"}}, nil},
			{"an encoded blob", 9, &realtime.MessageChunk{Part: &realtime.Blob{MIMEType: "audio/opus"}}, nil},
		}
		for _, tt := range tests {
			err := r.leg.Play(t.Context(), tt.turn, tt.chunk)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			}
		}
		r.play(9, begin(), begin(), end()) // beginning twice is harmless
		if err := r.leg.Play(t.Context(), 9, text("more")); !errors.Is(err, errEnded) {
			t.Errorf("after the end: %v, want %v", err, errEnded)
		}
		if err := r.leg.Send(nil); err == nil {
			t.Error("a nil event was taken")
		}
	})
}

// TestManyTexts: texts last no time, but their number is bounded, and Play goes on
// as they are written.
func TestManyTexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		const texts = 3 * maxItems
		for range texts {
			r.play(1, text("word "))
		}
		r.play(1, end())
		synctest.Wait()
		if n := len(r.transport.controls()); n != texts+2 {
			t.Errorf("%d messages were written, want begin, %d texts and end", n, texts)
		}
	})
}

// TestBeginIsImplied: the first chunk of a turn begins its reply.
func TestBeginIsImplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		r.play(3, text("Hm."), end())
		synctest.Wait()
		if got, want := story(r.transport.written(), 16000), []string{"begin 3", `text 3@0s "Hm."`, "end 3@0s"}; !slices.Equal(got, want) {
			t.Errorf("written %q, want %q", got, want)
		}
	})
}

// TestRepliesInARow: a reply that begins while the device still plays the one
// before it counts what the device holds.
func TestRepliesInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		defer r.close()
		for turn := dialog.Turn(1); turn <= 3; turn++ {
			r.play(turn, begin())
			r.play(turn, speech(16000, 300*ms)...)
			r.play(turn, end())
		}
		time.Sleep(time.Second)
		synctest.Wait()
		var written []time.Time
		for _, p := range r.transport.packets() {
			written = append(written, p.at)
		}
		if len(written) != 15 {
			t.Fatalf("%d packets for 900 ms", len(written))
		}
		checkLead(t, written, 60*ms, r.leg.Hello().Capabilities.Lead)
		if n := r.leg.Stats().Pacer.Underruns; n != 0 {
			t.Errorf("%d underruns between replies that follow each other", n)
		}
	})
}
