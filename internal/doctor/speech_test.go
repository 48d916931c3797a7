package doctor_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/doctor"
	"edged/internal/edgetest"
	"edged/internal/edgetest/impair"
	"edged/realtime"
	"edged/transformers"
)

// loud is sound that a fake server takes for speech and a user hears: a square wave
// at a quarter of full scale.
func loud(d time.Duration) []int16 {
	samples := make([]int16, int(d*16/time.Millisecond))
	for i := range samples {
		samples[i] = int16(8000 * math.Copysign(1, float64(i%40)-19.5))
	}
	return samples
}

// trip asks a server in virtual time.
func trip(t *testing.T, server http.Handler, change func(*doctor.Trip)) (found []doctor.Finding) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pipe := edgetest.NewPipe()
		s := &http.Server{Handler: server}
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			_ = s.Serve(pipe) // ends with Close
		}()
		tr := doctor.Trip{
			Device: edgetest.Config{URL: "ws://fake" + wire.Path, Dial: pipe.Dial, Patience: 5 * time.Second},
			PCM:    loud(2 * time.Second),
		}
		if change != nil {
			change(&tr)
		}
		found = look(t, tr.Look)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		<-stopped
		if fake, ok := server.(*edgetest.Server); ok {
			for _, fault := range fake.Faults() {
				t.Errorf("the device breaks the protocol: %v", fault)
			}
		}
	})
	return found
}

func answers(line edgetest.Line) *edgetest.Server {
	return &edgetest.Server{Script: edgetest.Converse(line)}
}

var right = edgetest.Line{
	Transcript: "what is seven plus five", Pieces: []edgetest.Sound{{Text: "Seven plus five is 12.", PCM: loud(1500 * time.Millisecond)}},
}

func TestTrip(t *testing.T) {
	found := trip(t, answers(right), func(tr *doctor.Trip) {
		tr.Recognise = func(_ context.Context, pcm []int16) (string, error) {
			if len(pcm) < 24000 { // 1.5 s
				t.Errorf("%d samples of reply", len(pcm))
			}
			return "seven plus five as well", nil
		}
	})
	healthy(t, found)
	want(t, found, doctor.OK, "connected to ws://fake", "session fake")
	want(t, found, doctor.OK, doctor.Question, "word for word")
	want(t, found, doctor.OK, `"Seven plus five is 12."`, "1.5 s of sound")
	want(t, found, doctor.OK, "3 of 4 words") // the figure is spoken as a word
	want(t, found, doctor.OK, "packets of sound came without a gap")
	// The fake server says that every stage was reached 400 ms after the end of
	// speech.
	for stage, ms := range map[string]float64{"endpoint": 400, "recognition": 0, "model": 0, "voice": 0, "sending": 0} {
		f := want(t, found, doctor.OK, stage+" ", "good")
		if m := f.Measure; m == nil || m.Name != stage || m.MS != ms || m.GoodMS < m.MS || m.SlowMS <= m.GoodMS {
			t.Errorf("%s: measured %+v, want %v ms", stage, f.Measure, ms)
		}
	}
	// It waits for 400 ms of silence, which come in packets of 60 ms.
	if m := want(t, found, doctor.OK, "answer ", "good").Measure; m == nil || m.MS < 400 || m.MS > 520 {
		t.Errorf("answer: measured %+v", m)
	}
}

func TestTripGoesWrong(t *testing.T) {
	with := func(change func(*edgetest.Line)) *edgetest.Server {
		line := right
		change(&line)
		return answers(line)
	}
	hangsUp := &edgetest.Server{Script: func(ctx context.Context, p *edgetest.Peer) { p.Next(ctx) }}
	mute := &edgetest.Server{Script: func(ctx context.Context, p *edgetest.Peer) {
		for {
			if _, open := p.Next(ctx); !open {
				return
			}
		}
	}}
	busy := &edgetest.Server{Refuse: func(wire.DeviceHello) *wire.Failure {
		return &wire.Failure{Code: wire.CodeBusy, Message: "full", Fatal: true}
	}}
	for _, tt := range []struct {
		name   string
		server http.Handler
		change func(*doctor.Trip)
		level  doctor.Level
		says   []string
		fix    string
	}{
		{"misheard", with(func(l *edgetest.Line) { l.Transcript = "what is eleven plus nine" }), nil, doctor.Warning, []string{`"what is eleven plus nine" was understood`}, "profiles.default.asr"},
		{"nothing understood", with(func(l *edgetest.Line) { l.Transcript = "" }), nil, doctor.Problem, []string{"nothing was understood"}, "profiles.default.asr"},
		{"a wrong answer", with(func(l *edgetest.Line) { l.Pieces = []edgetest.Sound{{Text: "I do not know.", PCM: loud(time.Second)}} }),
			nil, doctor.Warning, []string{"not the answer", "12"}, "profiles.default.generator"},
		{"silence", with(func(l *edgetest.Line) {
			l.Pieces = []edgetest.Sound{{Text: "It is 12.", PCM: make([]int16, 16000)}}
		}), nil, doctor.Problem, []string{`"It is 12." came as silence`, "hear nothing"}, "profiles.default.tts"},
		{"a failure", with(func(l *edgetest.Line) { l.Fail = wire.CodeTTS }), nil, doctor.Problem, []string{"tts_failed"}, "engines"},
		{"not understandable", answers(right), func(tr *doctor.Trip) {
			tr.Recognise = func(context.Context, []int16) (string, error) { return "a the of", nil }
		}, doctor.Warning, []string{"0 of 4", `"a the of"`}, "edged device --out"},
		{"a broken recogniser", answers(right), func(tr *doctor.Trip) {
			tr.Recognise = func(context.Context, []int16) (string, error) { return "", errors.New("it is on fire") }
		}, doctor.Skipped, []string{"on fire"}, ""},
		{"a slow answer", with(func(l *edgetest.Line) { l.Think = 3 * time.Second }), nil, doctor.Warning, []string{"answer 3", "ms: slow", "begin to speak again"}, "which of the stages"},
		{"no answer", mute, nil, doctor.Problem, []string{"heard nobody speak"}, "endpointing"},
		{"no answer at all", mute, nil, doctor.Problem, []string{"there was no answer"}, "standard error"},
		{"hung up", hangsUp, nil, doctor.Problem, []string{"there was no answer", "connection closed"}, "standard error"},
		{"full", busy, nil, doctor.Problem, []string{"is full"}, "server.max_sessions"},
		{"a wrong token", &edgetest.Server{Token: kitchenToken}, func(tr *doctor.Trip) { tr.Device.Token = hallToken }, doctor.Problem, []string{"refused the token"}, "--token"},
		{"a bad network", &edgetest.Server{Lossy: true, Script: edgetest.Converse(right)}, func(tr *doctor.Trip) {
			tr.Device.Network = impair.Network{Loss: 0.3, Seed: 1}
		}, doctor.Warning, []string{"the sound had gaps", "packets lost", "stutter"}, "network"},
		{"another server", http.NotFoundHandler(), nil, doctor.Problem, []string{"no edged"}, "proxy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := trip(t, tt.server, tt.change)
			wantFix(t, want(t, found, tt.level, tt.says...), tt.fix)
			secrets(t, found, kitchenToken, hallToken)
		})
	}
}

// Nobody there, on a real socket.
func TestTripToNobody(t *testing.T) {
	found := look(t, doctor.Trip{Device: edgetest.Config{URL: "ws://127.0.0.1:1" + wire.Path}, PCM: loud(time.Second)}.Look)
	wantFix(t, want(t, found, doctor.Problem, "nobody listens at ws://127.0.0.1:1"), "edged serve")
}

// An engine that says nothing, one that fails, and one at another rate.
func TestSay(t *testing.T) {
	blob := func(mime string, samples int) *realtime.MessageChunk {
		return &realtime.MessageChunk{Role: realtime.RoleModel, Part: &realtime.Blob{MIMEType: mime, Data: make([]byte, 2*samples)}}
	}
	speaks := func(err error, chunks ...*realtime.MessageChunk) transformers.TransformerFunc {
		return func(ctx context.Context, _ string, in realtime.Stream) (realtime.Stream, error) {
			return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
				defer in.Close()
				for {
					if _, end := in.Next(); end != nil {
						break
					}
				}
				if addErr := out.Add(ctx, chunks...); addErr != nil {
					return addErr
				}
				return err
			}), nil
		}
	}
	broken := errors.New("broken")
	for _, tt := range []struct {
		name    string
		voice   transformers.Transformer
		samples int
		says    string
	}{
		{"as it is", speaks(nil, blob("audio/pcm;rate=16000", 1600), blob("application/json", 7), blob("audio/pcm;rate=16000", 800)), 2400, ""},
		{"resampled", speaks(nil, blob("audio/pcm;rate=24000", 24000)), 16000, ""},
		{"nothing", speaks(nil), 0, "said nothing"},
		{"failed", speaks(broken, blob("audio/pcm;rate=16000", 160)), 0, "broken"},
		{"failed in the stream", speaks(nil, &realtime.MessageChunk{Role: realtime.RoleModel, Ctrl: &realtime.StreamCtrl{StreamID: "question", Error: "no breath"}}), 0, "no breath"},
		{"compressed", speaks(nil, blob("audio/opus", 10)), 0, "audio/opus"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pcm, err := doctor.Say(t.Context(), tt.voice, "tts/x", doctor.Question)
			switch {
			case tt.says == "" && err != nil, tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
				t.Errorf("err = %v, want %q in it", err, tt.says)
			case math.Abs(float64(len(pcm)-tt.samples)) > 16: // 1 ms
				t.Errorf("%d samples, want %d", len(pcm), tt.samples)
			}
		})
	}
}
