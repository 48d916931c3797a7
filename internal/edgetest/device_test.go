package edgetest

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/firmware-protocol/wire"
)

var pcm16k20 = wire.Format{Codec: wire.CodecPCM, SampleRate: 16000, Channels: 1, FrameMS: 20}

// tone is sound that counts as speech.
func tone(rate audio.SampleRate, d time.Duration) []int16 {
	samples := make([]int16, rate.Samples(d))
	for i := range samples {
		samples[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/float64(rate)))
	}
	return samples
}

// withDevice runs f in virtual time with a device that is connected to a server
// with this script.
func withDevice(t *testing.T, cfg Config, script func(context.Context, *Peer), f func(ctx context.Context, d *Device, s *Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &Server{Script: script}
		cfg := serve(t, s, cfg)
		ctx := t.Context()
		d, err := Dial(ctx, cfg)
		if err != nil {
			t.Fatalf("Dial: %v", err)
		}
		f(ctx, d, s)
		if err := d.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
		for _, fault := range s.Faults() {
			t.Errorf("the device breaks the protocol: %v", fault)
		}
	})
}

// serve serves s over a Pipe until the test ends.
func serve(t *testing.T, s *Server, cfg Config) Config {
	t.Helper()
	return serveHandler(t, s, cfg)
}

func serveHandler(t *testing.T, handler http.Handler, cfg Config) Config {
	t.Helper()
	pipe := NewPipe()
	server := &http.Server{Handler: handler}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = server.Serve(pipe) // ends with Close
	}()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("closing the server: %v", err)
		}
		<-stopped
	})
	cfg.URL, cfg.Dial = "ws://fake"+wire.Path, pipe.Dial
	return cfg
}

func pcmConfig() Config { return Config{Up: pcm16k20, Down: pcm16k20} }

// One question, one answer, to the millisecond: capture and playback run in real
// time, the transcript, the text and the sound arrive, and the speaker's own
// counter is acknowledged.
func TestAskAuto(t *testing.T) {
	reply := tone(audio.Rate16k, 1200*ms)
	lines := Converse(Line{Transcript: "what time is it", Pieces: []Sound{
		{"It is late. ", reply[:9600]}, {"Good night.", reply[9600:]},
	}})
	withDevice(t, pcmConfig(), lines, func(ctx context.Context, d *Device, s *Server) {
		began := time.Now()
		a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, time.Second)})
		if err != nil {
			t.Fatalf("Ask: %v", err)
		}
		// 1 s of question, 400 ms of silence until the fake server has heard its
		// end, 1.2 s of reply.
		if took := time.Since(began); took != 2600*ms {
			t.Errorf("the turn took %v, want 2.6s: a device captures and plays in real time", took)
		}
		if a.Turn != 1 || a.Transcript != "what time is it" || a.Reply != "It is late. Good night." || a.Heard != a.Reply || a.Interrupted {
			t.Errorf("answer %v", a)
		}
		if !a.Answered() || a.Failure != nil || a.Received != 1200*ms || a.Played != 1200*ms {
			t.Errorf("answered %v, failure %v, received %v, played %v; want all 1.2s", a.Answered(), a.Failure, a.Received, a.Played)
		}
		if !slices.Equal(a.PCM, reply) {
			t.Errorf("the speaker played %d samples that differ from the %d sent", len(a.PCM), len(reply))
		}
		if want := (Seen{SpeechStopped: 400 * ms, Final: 400 * ms, FirstText: 400 * ms, FirstPacket: 400 * ms, Done: 1600 * ms, BargeIn: -1, Held: -1, Silent: -1}); a.Seen != want {
			t.Errorf("seen %+v, want %+v", a.Seen, want)
		}
		if a.Timing == nil || a.Timing.Endpoint == nil || *a.Timing.Endpoint != 400 {
			t.Errorf("timing %+v, want the server's", a.Timing)
		}
		if want := (Stats{Sent: 70, Received: 60}); d.Stats() != want {
			t.Errorf("stats %+v, want %+v", d.Stats(), want)
		}
		requireAcks(t, d, 1, 19200)
	})
}

// The tools of the device change it.
func TestTools(t *testing.T) {
	slow := Tool{Tool: wire.Tool{Name: "lamp"}, Call: func(ctx context.Context, arguments json.RawMessage) (string, error) {
		return "lamp got " + string(arguments), nil
	}}
	results := map[string]wire.ToolResult{}
	script := func(ctx context.Context, p *Peer) {
		if len(p.Hello.Tools) != 3 {
			t.Errorf("the hello offers %d tools, want 3", len(p.Hello.Tools))
		}
		for _, call := range []wire.ToolCall{
			{ID: "set", Name: "set_volume", Arguments: json.RawMessage(`{"level":30}`)},
			{ID: "loud", Name: "set_volume", Arguments: json.RawMessage(`{"level":101}`)},
			{ID: "none", Name: "set_volume"},
			{ID: "lamp", Name: "lamp", Arguments: json.RawMessage(`{"on":true}`)},
			{ID: "else", Name: "self_destruct"},
			{ID: "get", Name: "get_volume"},
		} {
			if err := p.Say(ctx, call); err != nil {
				t.Errorf("Say: %v", err)
			}
			for results[call.ID].ID == "" {
				in, ok := p.Next(ctx)
				if !ok {
					t.Errorf("no result of %s", call.ID)
					return
				}
				if m, ok := in.Message.(wire.ToolResult); ok {
					results[m.ID] = m
				}
			}
		}
	}
	cfg := pcmConfig()
	cfg.Tools, cfg.Volume = []Tool{slow}, 70
	withDevice(t, cfg, script, func(ctx context.Context, d *Device, s *Server) {
		<-d.Done() // the script ends the session
		if d.Volume() != 30 {
			t.Errorf("volume %d, want 30", d.Volume())
		}
	})
	want := map[string]wire.ToolResult{
		"set":  {ID: "set", Content: `{"level":30}`},
		"loud": {ID: "loud", Error: "level 101 is not between 0 and 100"},
		"none": {ID: "none", Error: `want {"level": 0 to 100}`},
		"lamp": {ID: "lamp", Content: `lamp got {"on":true}`},
		"else": {ID: "else", Error: `this device has no tool "self_destruct"`},
		"get":  {ID: "get", Content: `{"level":30}`},
	}
	for id, w := range want {
		if results[id] != w {
			t.Errorf("result %+v, want %+v", results[id], w)
		}
	}
}

// What is not known is skipped, what is broken is counted, and pings are
// answered: the session lives.
func TestBadInputFromServer(t *testing.T) {
	ponged := false
	script := func(ctx context.Context, p *Peer) {
		raw := func(text bool, b string) {
			if err := p.Raw(ctx, text, []byte(b)); err != nil {
				t.Errorf("Raw: %v", err)
			}
		}
		raw(true, `{"type":"from_a_later_version"}`)
		raw(true, `{"type":`)
		raw(true, `{"type":"played","turn":1,"samples":1}`)
		raw(false, "\x01\x10\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
		raw(false, "\x01\x10\x01\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
		raw(false, "\x01\x10")
		raw(true, `{"type":"ping","id":77}`)
		for {
			in, ok := p.Next(ctx)
			if !ok {
				return
			}
			if m, ok := in.Message.(wire.Pong); ok && m.ID == 77 {
				ponged = true
				return
			}
		}
	}
	withDevice(t, pcmConfig(), script, func(ctx context.Context, d *Device, s *Server) {
		<-d.Done()
		if stats := d.Stats(); stats.Skipped != 3 || stats.Faults != 3 || len(d.Faults()) != 3 {
			t.Errorf("skipped %d, faults %d: %v; want 3 of each", stats.Skipped, stats.Faults, d.Faults())
		}
	})
	if !ponged {
		t.Error("the ping was not answered")
	}
}

// The server's end of the connection is reported to whoever waits.
func TestServerEndsSession(t *testing.T) {
	script := func(ctx context.Context, p *Peer) {
		p.Next(ctx) // listen start
		if err := p.Say(ctx, wire.Failure{Code: wire.CodeShutdown, Message: "maintenance", Fatal: true, RetryAfterMS: 1500}); err != nil {
			t.Errorf("Say: %v", err)
		}
	}
	withDevice(t, pcmConfig(), script, func(ctx context.Context, d *Device, s *Server) {
		_, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, time.Second)})
		if !errors.Is(err, ErrClosed) {
			t.Errorf("Ask: %v, want ErrClosed", err)
		}
		var ended *ServerError
		if !errors.As(d.Err(), &ended) || ended.Failure == nil || ended.Failure.Code != wire.CodeShutdown || ended.RetryAfter != 1500*ms || ended.CloseCode != 1000 {
			t.Errorf("Err = %v, want shutdown with a retry after 1.5s and close code 1000", d.Err())
		}
	})
}

func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{Token: "secret", Refuse: func(h wire.DeviceHello) *wire.Failure {
			if h.Device == "last-one" {
				return &wire.Failure{Code: wire.CodeBusy, Message: "full", Fatal: true, RetryAfterMS: 5000}
			}
			return nil
		}}
		cfg := serve(t, s, Config{})
		var refused *ServerError
		if _, err := Dial(t.Context(), cfg); !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized {
			t.Errorf("Dial without a token: %v, want HTTP 401", err)
		}
		cfg.Token, cfg.Device = "secret", "last-one"
		if _, err := Dial(t.Context(), cfg); !errors.As(err, &refused) || refused.CloseCode != wire.CloseBusy || refused.RetryAfter != 5*time.Second {
			t.Errorf("Dial to a full server: %v, want busy, close code %d and a retry after 5s", err, wire.CloseBusy)
		}
		cfg.Device = "\n"
		if _, err := Dial(t.Context(), cfg); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("Dial with an impossible name: %v, want ErrMalformed", err)
		}
	})
}

// A power cut: nothing is said, everything of the device ends.
func TestDrop(t *testing.T) {
	lines := Converse(Line{Transcript: "x", Pieces: []Sound{{"y", tone(audio.Rate16k, 5*time.Second)}}})
	withDevice(t, pcmConfig(), lines, func(ctx context.Context, d *Device, s *Server) {
		cut := time.AfterFunc(2*time.Second, d.Drop) // in the middle of the reply
		defer cut.Stop()
		a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 500*ms)})
		if !errors.Is(err, ErrClosed) || a.Transcript != "x" || a.Played == 0 {
			t.Errorf("Ask = %v, %v; want what is known and ErrClosed", a, err)
		}
		if d.Err() != nil {
			t.Errorf("Err = %v after Drop, want nil", d.Err())
		}
	})
}

// The same device on a real socket, with Opus both ways.
func TestRealSocket(t *testing.T) {
	s := &Server{Script: Converse(Line{Transcript: "ping", Pieces: []Sound{{"Pong.", tone(audio.Rate16k, 300*ms)}}})}
	server := httptest.NewServer(s)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	d, err := Dial(ctx, Config{URL: "ws" + strings.TrimPrefix(server.URL, "http") + wire.Path})
	if err != nil {
		t.Fatalf("Dial: %v", err)
	}
	a, err := d.Ask(ctx, Question{PCM: tone(audio.Rate16k, 300*ms)})
	if err != nil || a.Transcript != "ping" || a.Heard != "Pong." || a.Played != 300*ms {
		t.Errorf("Ask = %v, %v", a, err)
	}
	if err := d.Close(ctx); err != nil {
		t.Errorf("Close: %v", err)
	}
	if faults := s.Faults(); len(faults) != 0 {
		t.Errorf("the device breaks the protocol: %v", faults)
	}
}
