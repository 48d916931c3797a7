package turn

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"edged/realtime"
)

// loudness is a SpeechDetector that takes loud for speech, so that it depends on
// which samples are in a window, and remembers the window before.
type loudness struct{ last float32 }

func (l *loudness) Process(window []int16) float32 {
	var sum float32
	for _, s := range window {
		sum += max(float32(s), -float32(s))
	}
	p := (l.last + sum/WindowSamples/3000) / 2
	l.last = sum / WindowSamples / 3000
	return min(p, 1)
}

func (l *loudness) Reset() { l.last = 0 }

// babble is audio in which loud and quiet stretches follow each other.
func babble(random *rand.Rand, samples int) []int16 {
	out := make([]int16, 0, samples)
	for len(out) < samples {
		amplitude := 20
		if random.IntN(2) == 0 {
			amplitude = 2000 + random.IntN(6000)
		}
		for range min(random.IntN(30000), samples-len(out)) {
			out = append(out, int16(random.IntN(2*amplitude)-amplitude))
		}
	}
	return out
}

// TestChunkingDoesNotMatter: the same audio, cut into chunks of any number of
// bytes, gives the same utterances, and these are stretches of the audio that do
// not overlap.
func TestChunkingDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	seen := 0
	for trial := range 8 {
		pcm := babble(random, 16000*(5+random.IntN(10)))
		data := sound("mic/1", 0, pcm).Part.(*realtime.Blob).Data
		label := []string{labelAuto, LabelManual}[trial%2]
		lost := map[int]time.Duration{} // at which byte how much is lost
		for range random.IntN(4) {
			lost[2*random.IntN(len(pcm))] = time.Duration(1+random.IntN(1500)) * time.Millisecond
		}
		cut := func(size func() int) *feed {
			in := &feed{chunks: []*realtime.MessageChunk{listenStart("mic/1", label, 700)}}
			for at := 0; at < len(data); {
				n := min(size(), len(data)-at)
				for hole := range lost {
					if at < hole && hole < at+n {
						n = hole - at
					}
				}
				if d, ok := lost[at]; ok {
					in.chunks = append(in.chunks, hole("mic/1", d))
				}
				in.chunks = append(in.chunks, &realtime.MessageChunk{
					Role: realtime.RoleUser,
					Part: &realtime.Blob{MIMEType: micMIME, Data: bytes.Clone(data[at : at+n])},
					Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"},
				})
				at += n
			}
			in.chunks = append(in.chunks, listenStop("mic/1", 0))
			return in
		}
		cfg := Config{MaxUtterance: 6 * time.Second}
		want, _, _ := utterances(t, New(cut(func() int { return 640 }), &loudness{}, cfg))
		seen += len(want)
		for name, size := range map[string]func() int{
			"in one":            func() int { return len(data) },
			"60 ms":             func() int { return 1920 },
			"2 ms":              func() int { return 64 },
			"any size":          func() int { return 1 + random.IntN(5000) },
			"any size and tiny": func() int { return 1 + random.IntN(50)*random.IntN(50) },
		} {
			got, _, _ := utterances(t, New(cut(size), &loudness{}, cfg))
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("trial %d, %s: %d utterances that differ from the %d in 20 ms chunks", trial, name, len(got), len(want))
			}
		}
		rest := pcm
		for i, u := range want {
			at := bytes.Index(asBytes(rest), asBytes(u.samples))
			if at < 0 {
				t.Fatalf("trial %d: the %d samples of utterance %d are not in the microphone's audio behind the utterance before", trial, len(u.samples), i+1)
			}
			rest = rest[at/2+len(u.samples):]
		}
	}
	if seen < 15 {
		t.Errorf("only %d utterances in all trials: they show nothing", seen)
	}
}

func asBytes(pcm []int16) []byte { return sound("", 0, pcm).Part.(*realtime.Blob).Data }

// FuzzDetector: no stream of chunks, however senseless, makes it panic or breaks
// what holds for every utterance (see utterances).
func FuzzDetector(f *testing.F) {
	f.Add([]byte{0, 0, 2, 200, 2, 200, 2, 10, 1, 0})
	f.Add([]byte{4, 3, 2, 255, 3, 9, 2, 255, 5, 1, 2, 255, 2, 1, 6, 7})
	random := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		seed := make([]byte, random.IntN(200))
		for i := range seed {
			seed[i] = byte(random.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		random := rand.New(rand.NewPCG(uint64(len(program)), 9))
		routes := [...]string{"mic/1", "mic/2", "mic/3", "", "chat", "utterance"}
		in := &feed{}
		for ; len(program) >= 2; program = program[2:] {
			op, arg := program[0], int(program[1])
			route := routes[arg%len(routes)]
			var chunk *realtime.MessageChunk
			switch op % 8 {
			case 0:
				chunk = listenStart(route, labelAuto, int64(arg)*100)
			case 1:
				chunk = listenStop(route, 0)
			case 2, 3:
				chunk = sound(route, int64(arg)*int64(arg)*10, babble(random, arg*20))
				blob := chunk.Part.(*realtime.Blob)
				blob.Data = blob.Data[:max(0, len(blob.Data)-arg%3)]
			case 4:
				chunk = listenStart(route, LabelManual, 0)
			case 5:
				chunk = hole(route, time.Duration(arg-20)*17*time.Millisecond)
			case 6:
				chunk = hole(route, time.Duration(arg)<<55)
			case 7:
				chunk = &realtime.MessageChunk{Part: realtime.Text("x")}
			}
			if chunk.Ctrl != nil && op&8 != 0 {
				chunk.Ctrl.BeginOfStream = true
			}
			if chunk.Ctrl != nil && op&16 != 0 {
				chunk.Ctrl.EndOfStream = true
			}
			chunk.Role = realtime.RoleUser
			in.chunks = append(in.chunks, chunk)
		}
		d := New(in, &loudness{}, Config{MinSilence: 200 * time.Millisecond, MaxUtterance: time.Second})
		for last := time.Duration(0); ; last = d.Position() {
			if d.Position() < last {
				t.Fatal("the position went back")
			}
			chunk, err := d.Next()
			if err != nil {
				return
			}
			if chunk.Ctrl != nil && chunk.Ctrl.Timestamp < 0 {
				t.Fatalf("Timestamp %d", chunk.Ctrl.Timestamp)
			}
		}
	})
}
