package echo

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

var (
	delays = []time.Duration{100 * ms, 150 * ms, 200 * ms, 250 * ms, 300 * ms, 350 * ms, 400 * ms}
	rooms  = []time.Duration{0, 200 * ms, 350 * ms, 500 * ms}
)

// full asks for every voice, room, delay and level (make echo); it takes minutes.
var full = os.Getenv("EDGED_FULL") != ""

// A device whose clock is off, by as much as cheap crystals are, is no worse.
func TestOwnVoiceOfASkewedDevice(t *testing.T) {
	sent := speak(t, "rms")
	heard := through(t, sent)
	for _, ppm := range []float64{-200, 200} {
		s := scene{sent: sent, sound: room(heard, rooms[2]), level: -20, late: 250 * ms, skew: ppm}
		out, stats := s.play(t)
		if onsets, _ := ears(t, out); len(onsets) > 0 {
			t.Errorf("%.0f ppm: utterances at %v, want none: %+v", ppm, onsets, stats)
		}
	}
}

// F24: the device's own voice, 20 dB weaker and 100 to 400 ms late, begins no
// utterance, whatever the voice and the room. Other levels are measured, too.
func TestOwnVoiceIsNoTurn(t *testing.T) {
	for _, level := range []float64{-20, -10, -30} {
		for _, voice := range []string{"rms", "slt", "awb", "kal16"} {
			t.Run(fmt.Sprintf("%s %.0f dB", voice, level), func(t *testing.T) {
				sent := speak(t, voice)
				heard := through(t, sent)
				runs, wrong, without := 0, 0, 0
				var audible time.Duration
				var erle float64
				for _, r := range rooms {
					sound := room(heard, r)
					for i, late := range delays {
						if !full && (level != -20 || i%3 != 0 || r == 200*ms || r == 500*ms) || level != -20 && i%3 != 0 {
							continue
						}
						s := scene{sent: sent, sound: sound, level: level, late: late}
						out, stats := s.play(t)
						onsets, _ := ears(t, out)
						runs++
						wrong += len(onsets)
						audible += stats.Active
						erle += stats.ERLE
						if len(onsets) > 0 && level <= -20 {
							t.Errorf("room %v, %v late: utterances at %v, want none: %+v", r, late, onsets, stats)
						}
						if !stats.Aligned {
							t.Logf("room %v, %v late: the delay was not found", r, late)
						}
						if i == 0 {
							s.bare = true
							out, _ = s.play(t)
							onsets, _ = ears(t, out)
							without += len(onsets)
						}
					}
				}
				if runs == 0 {
					return // left out of the short form
				}
				t.Logf("%d false turns in %d runs, %.1f min of echo: %.2f per minute; without the guard %d in %d runs; ERLE %.1f dB",
					wrong, runs, audible.Minutes(), float64(wrong)/audible.Minutes(), without, len(rooms), erle/float64(runs))
			})
		}
	}
}

var talkers = []string{
	"rms-what-time-is-it", "slt-flip-a-coin", "slt-cancel-my-timer", "rms-turn-the-volume-up",
	"awb-who-are-you", "kal16-toss-a-coin", "ked-stop-the-timer", "ked-make-me-laugh",
}

// A speaker over the reply begins an utterance, and not much later than without
// the reply.
func TestTalkerOverTheReplyIsHeard(t *testing.T) {
	for _, level := range []float64{-20, -10, -30} {
		t.Run(fmt.Sprintf("%.0f dB", level), func(t *testing.T) {
			runs, found, early := 0, 0, 0
			var added []time.Duration
			for v, voice := range []string{"rms", "slt", "awb", "kal16"} {
				sent := speak(t, voice)
				heard := through(t, sent)
				for r, reverberation := range rooms {
					sound := room(heard, reverberation)
					for k, name := range talkers {
						if !full && ((v+r+k)%8 != 0 || level != -20) || level != -20 && (r+k)%4 != 0 {
							continue
						}
						late := delays[(v+r+k)%len(delays)]
						s := scene{sent: sent, sound: sound, level: level, late: late, near: talker(t, name),
							at: 3*time.Second + time.Duration(150*(k+2*r))*ms}
						alone := s
						alone.mute = true
						clean, _ := alone.play(t)
						want, wantDecided := ears(t, clean)
						if len(want) == 0 {
							t.Fatalf("%s alone is not heard", name)
						}
						out, stats := s.play(t)
						got, decided := ears(t, out)
						runs++
						i := slices.IndexFunc(decided, func(d time.Duration) bool { return d >= wantDecided[0]-200*ms && d < wantDecided[0]+1200*ms })
						if i < 0 {
							t.Logf("%s over %s, room %v, %v late: not found, utterances at %v: %+v", name, voice, reverberation, late, got, stats)
							continue
						}
						if i > 0 {
							early++
						}
						found++
						added = append(added, decided[i]-wantDecided[0])
					}
				}
			}
			slices.Sort(added)
			if runs == 0 {
				return // left out of the short form
			}
			if len(added) == 0 {
				t.Fatal("nobody was heard")
			}
			p50, p95 := added[len(added)/2], added[len(added)*95/100]
			t.Logf("heard %s, decided later than without a reply by p50 %v, p95 %v, max %v; %d with an earlier false turn",
				share(found, runs), p50, p95, added[len(added)-1], early)
			if level == -20 && (float64(found) < 0.95*float64(runs) || p95 > 200*ms || early > 0) {
				t.Errorf("want 95%% heard, 95%% within 200ms more, no false turn before")
			}
		})
	}
}

// While nothing is played the microphone is not touched.
func TestWithoutReplyNothingChanges(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	sent := speak(t, "kal16")
	g.Sent(0, sent)
	g.Place(0, 0)
	for range (len(sent) + int(after) + 2*Frame) / Frame {
		g.Process(make([]int16, Frame))
	}
	mic := talker(t, "slt-flip-a-coin")
	mic = mic[:len(mic)/960*960]
	got := slices.Clone(mic)
	for part := range slices.Chunk(got[Frame:], 960) { // the first frame fades in
		if len(part) == 960 {
			g.Process(part)
		}
	}
	whole := len(mic) - 960
	if !slices.Equal(got[2*Frame:whole], mic[2*Frame:whole]) {
		t.Error("speech after the reply has changed")
	}
}
