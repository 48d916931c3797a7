package interview

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"edged/audio"
	"edged/audio/pcm"
	"edged/audio/wav"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

var format = wire.Format{Codec: wire.CodecPCM, SampleRate: 16000, Channels: 1, FrameMS: 20}

func tone(rate audio.SampleRate, d time.Duration) []int16 {
	samples := make([]int16, rate.Samples(d))
	for i := range samples {
		samples[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/float64(rate)))
	}
	return samples
}

// writeWAV writes interleaved samples and returns the file's path.
func writeWAV(t *testing.T, name string, rate audio.SampleRate, channels int, samples []int16) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := wav.NewWriter(f, rate, channels)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(samples), w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// hold runs an interview in virtual time with a fake server.
func hold(t *testing.T, server *edgetest.Server, cfg Config, live io.Writer, check func(Report, error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pipe := edgetest.NewPipe()
		s := &http.Server{Handler: server}
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			_ = s.Serve(pipe) // ends with Close
		}()
		cfg.Device.URL, cfg.Device.Dial = "ws://fake"+wire.Path, pipe.Dial
		cfg.Device.Up, cfg.Device.Down = format, format
		check(Run(t.Context(), cfg, live))
		if err := s.Close(); err != nil {
			t.Errorf("closing the server: %v", err)
		}
		<-stopped
		for _, fault := range server.Faults() {
			t.Errorf("the device breaks the protocol: %v", fault)
		}
	})
}

// Two questions, one of them on standard input, in one session: the report, the
// recording and what people see.
func TestInterview(t *testing.T) {
	first, second := tone(audio.Rate16k, 400*ms), tone(audio.Rate16k, 300*ms)
	server := &edgetest.Server{Script: edgetest.Converse(
		edgetest.Line{Transcript: "what time is it", Pieces: []edgetest.Sound{{Text: "It is late. ", PCM: first[:3200]}, {Text: "Sleep.", PCM: first[3200:]}}},
		edgetest.Line{Transcript: "thanks", Pieces: []edgetest.Sound{{Text: "Welcome <3", PCM: second}}},
	)}
	out := filepath.Join(t.TempDir(), "reply.wav")
	cfg := Config{
		Inputs: []string{writeWAV(t, "time.wav", audio.Rate16k, 1, tone(audio.Rate16k, time.Second)), "-"},
		Stdin:  bytes.NewReader(pcm.Append(nil, tone(audio.Rate16k, 500*ms))),
		Out:    out,
	}
	var live bytes.Buffer
	hold(t, server, cfg, &live, func(r Report, err error) {
		if err != nil {
			t.Errorf("Run: %v", err)
		}
		n := func(v uint32) *uint32 { return &v }
		stages := Stages{n(400), n(400), n(400), n(400), n(400)} // the fake server's
		want := Report{
			Session: "fake",
			Turns: []Turn{
				{Turn: 1, Transcript: "what time is it", Reply: "It is late. Sleep.", Heard: "It is late. Sleep.", ReplyAudioMS: 400, MS: stages},
				{Turn: 2, Transcript: "thanks", Reply: "Welcome <3", Heard: "Welcome <3", ReplyAudioMS: 300, MS: stages},
			},
			// 1 s and 0.5 s of question with 0.4 s of silence each, 0.4 s and 0.3 s
			// of reply, in packets of 20 ms.
			Packets: Packets{Sent: 115, Received: 35},
			// The fake server sends the first 240 ms of a reply at once: 11 of 19 and
			// 11 of 14 gaps are none.
			Gaps:   Gaps{P50: 0, P99: 20, Max: 20},
			Errors: []string{},
		}
		got, wanted := encode(t, r), encode(t, want)
		if got != wanted {
			t.Errorf("report\n%s\nwant\n%s", got, wanted)
		}
	})
	for _, line := range []string{
		"question 1: time.wav (1.0 s)", "  hearing   ... ...", "  heard     what time is it", "  reply     It is late.",
		"question 2: standard input (0.5 s)", "  heard     thanks", "  reply     Welcome <3",
		"ms from the end of speech", "     1           400           400",
		"packets: 115 sent, 35 received, 0 lost, 0 stale",
	} {
		if !strings.Contains(live.String(), line) {
			t.Errorf("nobody sees %q in\n%s", line, &live)
		}
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, samples, err := wav.ReadAll(f)
	if want := slices.Concat(first, make([]int16, 8000), second); err != nil || info.Rate != audio.Rate16k || !slices.Equal(samples, want) {
		t.Errorf("recording of %d samples at %v (%v), want both replies with 0.5 s between: %d", len(samples), info.Rate, err, len(want))
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(out), ".edged-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func encode(t *testing.T, r Report) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Scripts read the object by these names.
func TestReportShape(t *testing.T) {
	r := newReport()
	r.Turns = append(r.Turns, Turn{})
	want := `{"session":"","turns":[{"turn":0,"transcript":"","reply":"","heard":"","interrupted":false,"reply_audio_ms":0,` +
		`"ms":{"endpoint":null,"asr_final":null,"first_token":null,"first_audio":null,"first_packet":null},"interrupt_ms":0}],` +
		`"packets":{"sent":0,"received":0,"lost":0,"stale":0},` +
		`"glitches":{"starved":0,"starved_ms":0,"overflowed":0,"concealed":0,"late":0},"gap_ms":{"p50":0,"p99":0,"max":0},"errors":[]}`
	if got := encode(t, r); got != want {
		t.Errorf("report %s, want %s", got, want)
	}
}

// The button: the reply is interrupted and counts as an answer.
func TestInterviewAborts(t *testing.T) {
	server := &edgetest.Server{Script: edgetest.Converse(
		edgetest.Line{Transcript: "a story", Pieces: []edgetest.Sound{{Text: "Once upon a time. ", PCM: tone(audio.Rate16k, 3*time.Second)}}},
	)}
	cfg := Config{
		Inputs:     []string{writeWAV(t, "story.wav", audio.Rate16k, 1, tone(audio.Rate16k, 500*ms))},
		AbortAfter: 700 * ms,
	}
	hold(t, server, cfg, nil, func(r Report, err error) {
		if err != nil || len(r.Turns) != 1 {
			t.Fatalf("Run = %+v, %v", r, err)
		}
		// 10.5 characters at 15 a second: "Once upon" has 9, "Once upon a" 11.
		if turn := r.Turns[0]; !turn.Interrupted || turn.Heard != "Once upon" {
			t.Errorf("turn %+v, want it interrupted after Once upon", turn)
		}
	})
}

// A failed question makes the interview fail, and the others are asked all the
// same.
func TestUnanswered(t *testing.T) {
	server := &edgetest.Server{Script: edgetest.Converse(
		edgetest.Line{Fail: wire.CodeASR},
		edgetest.Line{Transcript: "again", Pieces: []edgetest.Sound{{Text: "Yes.", PCM: tone(audio.Rate16k, 100*ms)}}},
	)}
	question := writeWAV(t, "q.wav", audio.Rate16k, 1, tone(audio.Rate16k, 500*ms))
	hold(t, server, Config{Inputs: []string{question, question}}, nil, func(r Report, err error) {
		if !errors.Is(err, ErrUnanswered) || !strings.Contains(err.Error(), "1 of 2") {
			t.Errorf("Run: %v, want 1 of 2 unanswered", err)
		}
		if len(r.Turns) != 2 || r.Turns[1].Heard != "Yes." {
			t.Errorf("turns %+v, want the second answered", r.Turns)
		}
		if want := []string{"question 1 (q.wav): asr_failed: as scripted", "server: asr_failed: as scripted"}; !slices.Equal(r.Errors, want) {
			t.Errorf("errors %q, want %q", r.Errors, want)
		}
	})
}

// A refused connection and a lost one are told, also in the report.
func TestNoSession(t *testing.T) {
	question := writeWAV(t, "q.wav", audio.Rate16k, 1, tone(audio.Rate16k, 500*ms))
	hold(t, &edgetest.Server{Token: "secret"}, Config{Inputs: []string{question}}, nil, func(r Report, err error) {
		var refused *edgetest.ServerError
		if !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized || len(r.Errors) != 1 {
			t.Errorf("Run = %+v, %v; want HTTP 401", r, err)
		}
	})
	lost := &edgetest.Server{Script: func(ctx context.Context, p *edgetest.Peer) {
		p.Next(ctx) // hangs up at the first listen start
	}}
	hold(t, lost, Config{Inputs: []string{question, question}}, nil, func(r Report, err error) {
		if !errors.Is(err, ErrUnanswered) || !strings.Contains(err.Error(), "2 of 2") {
			t.Errorf("Run: %v, want 2 of 2 unanswered after the server hung up", err)
		}
	})
}

// Recordings of other rates and channels are converted, and what is no recording
// is refused before anybody is called.
func TestInputs(t *testing.T) {
	stereo := make([]int16, 0, 96000)
	for _, s := range tone(48000, time.Second) {
		stereo = append(stereo, s, s)
	}
	good := []struct {
		name   string
		inputs []string
		stdin  io.Reader
	}{
		{"48 kHz stereo", []string{writeWAV(t, "a.wav", 48000, 2, stereo)}, nil},
		{"22.05 kHz", []string{writeWAV(t, "a.wav", 22050, 1, tone(22050, time.Second))}, nil},
		{"8 kHz", []string{writeWAV(t, "a.wav", 8000, 1, tone(8000, time.Second))}, nil},
		{"raw", []string{"-"}, bytes.NewReader(pcm.Append(nil, tone(16000, time.Second)))},
	}
	want := tone(16000, time.Second)
	for _, tc := range good {
		t.Run(tc.name, func(t *testing.T) {
			questions, err := load(Config{Device: edgetest.Config{Up: format}, Inputs: tc.inputs, Stdin: tc.stdin})
			if err != nil || len(questions) != 1 {
				t.Fatalf("load: %v", err)
			}
			got := questions[0].pcm
			if len(got) < 15999 || len(got) > 16001 {
				t.Fatalf("%d samples for one second at 16 kHz", len(got))
			}
			// Away from the edges the tone is the tone: 40 dB below it at most.
			var worst float64
			for i := 1000; i < 15000; i++ {
				worst = max(worst, math.Abs(float64(got[i])-float64(want[i])))
			}
			if worst > 80 {
				t.Errorf("differs by %v from a tone of 8000", worst)
			}
		})
	}
	text := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(text, []byte("this is no sound at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := []struct {
		name  string
		cfg   Config
		want  error
		names string
	}{
		{"nothing", Config{}, nil, "nothing to ask"},
		{"no such file", Config{Inputs: []string{"/nowhere/q.wav"}}, fs.ErrNotExist, "q.wav"},
		{"not a WAV file", Config{Inputs: []string{text}}, wav.ErrNotWAV, "a.txt"},
		{"no sound", Config{Inputs: []string{writeWAV(t, "e.wav", 16000, 1, nil)}}, nil, "holds no sound"},
		{"no standard input", Config{Inputs: []string{"-"}}, nil, "there is none"},
		{"half a sample", Config{Inputs: []string{"-"}, Stdin: strings.NewReader("abc")}, nil, "3 bytes"},
		{"standard input twice", Config{Inputs: []string{"-", "-"}, Stdin: strings.NewReader("ab")}, nil, "only once"},
		{"longer than ten minutes", Config{Inputs: []string{"-"}, Stdin: io.LimitReader(zeros{}, 1<<26)}, nil, "longer than 10m"},
		{"4 kHz", Config{Inputs: []string{writeWAV(t, "l.wav", 4000, 1, tone(4000, time.Second))}}, nil, "l.wav"},
		{"output in no directory", Config{Inputs: []string{writeWAV(t, "q.wav", 16000, 1, tone(16000, 20*ms))}, Out: "/nowhere/reply.wav"}, fs.ErrNotExist, "output"},
	}
	for _, tc := range bad {
		t.Run(tc.name, func(t *testing.T) {
			tc.cfg.Device.Up = format
			r, err := Run(t.Context(), tc.cfg, nil)
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.names) {
				t.Errorf("Run: %v, want an error that names %q and matches %v", err, tc.names, tc.want)
			}
			if len(r.Errors) != 1 {
				t.Errorf("report %+v, want the error in it", r)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
