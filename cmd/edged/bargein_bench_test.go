//go:build !race

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"edged/audio/pcm"
	"edged/audio/vad"
	"edged/firmware-protocol/wire"
	"edged/internal/loader"
	"edged/internal/recordings"
	"edged/realtime"
	"edged/session"
	"edged/transformers"
	"edged/transformers/tts"
	"edged/transformers/turn"
)

// BenchmarkBargeIn measures how fast a reply stops when it is talked over, on
// loopback sockets with the real VAD, recorded speech and engines that take no
// time. One session has the machine for itself; of 200, all have their microphone
// open and most hear a reply at any time.
//
//	a: from the arrival of the packet that completes the least speech of the
//	   policy until the device has the flush (its way through the socket included)
//	b: from the labelled onset of the speech until the device has the flush
//
// false-per-hour counts the replies that were stopped while nobody spoke, for an
// hour of reply and silence.
func BenchmarkBargeIn(b *testing.B) {
	for _, load := range []struct{ sessions, rounds int }{{1, 12}, {200, 2}} {
		b.Run(fmt.Sprint("sessions=", load.sessions), func(b *testing.B) {
			for b.Loop() {
				measureBargeIn(b, load.sessions, load.rounds)
			}
		})
	}
}

func measureBargeIn(b *testing.B, sessions, rounds int) {
	url, stop := benchServer(b)
	defer stop()
	speech := benchSpeech(b)
	devices := make([]*talker, sessions)
	var running sync.WaitGroup
	for i := range devices {
		devices[i] = &talker{name: fmt.Sprint("toy-", i), rnd: rand.New(rand.NewPCG(uint64(i), 11)), speech: speech, rounds: rounds}
		running.Go(func() {
			if err := devices[i].run(url); err != nil {
				b.Errorf("%s: %v", devices[i].name, err)
			}
		})
	}
	running.Wait()
	var completed, onset []time.Duration
	var silence time.Duration
	interruptions := 0
	for i, d := range devices {
		for _, cut := range d.cuts {
			onset = append(onset, cut.flushed.Sub(cut.onset))
		}
		silence, interruptions = silence+d.quiet, interruptions+d.wrong
		if i < 100 { // the rest would only take longer
			completed = append(completed, d.completions(b)...)
		}
	}
	if len(onset) < sessions*rounds*9/10 {
		b.Errorf("%d of %d barge-ins were answered", len(onset), sessions*rounds)
	}
	report := func(name string, all []time.Duration, quantiles ...float64) {
		slices.Sort(all)
		for _, q := range quantiles {
			at := min(len(all)-1, int(q*float64(len(all))))
			b.ReportMetric(float64(all[at].Microseconds())/1000, fmt.Sprintf("%s-p%g-ms", name, 100*q))
		}
		b.ReportMetric(float64(len(all)), name+"-n")
	}
	report("a", completed, 0.5, 0.99)
	report("b", onset, 0.5, 0.95)
	b.ReportMetric(float64(interruptions)/silence.Hours(), "false-per-hour")
	b.ReportMetric(0, "ns/op")
}

// benchServer serves real sockets with the real VAD and engines that take no
// time: every utterance is a question, and every answer half a minute long.
func benchServer(b *testing.B) (url string, stop func()) {
	b.Helper()
	cfg, err := loader.Load(loader.Sources{})
	if err != nil {
		b.Fatal(err)
	}
	model, err := vad.Load()
	if err != nil {
		b.Fatal(err)
	}
	voice, err := tts.New(&benchVoice{speech: benchSpeech(b)[0].pcm}, tts.Config{})
	if err != nil {
		b.Fatal(err)
	}
	engines := session.Engines{
		VAD:       func() turn.SpeechDetector { return model.NewGate() },
		ASR:       transformers.TransformerFunc(benchRecognise),
		Generator: benchGenerator{},
		TTS:       voice,
	}
	guard, err := authenticator(cfg)
	if err != nil {
		b.Fatal(err)
	}
	dialogues, err := newDialogues(context.Background(), cfg, engines, zerolog.New(io.Discard))
	if err != nil {
		b.Fatal(err)
	}
	server, err := newServer(cfg, guard, dialogues, zerolog.Nop())
	if err != nil {
		b.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	return "ws://" + listener.Addr().String() + wire.Path, func() {
		cancel()
		if err := <-served; err != nil {
			b.Error(err)
		}
		dialogues.Close()
	}
}

func benchRecognise(ctx context.Context, _ string, in realtime.Stream) (realtime.Stream, error) {
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		defer in.Close()
		route := ""
		for {
			chunk, err := in.Next()
			if realtime.IsEnd(err) {
				return out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser, Part: realtime.Text("tell me a story"),
					Ctrl: &realtime.StreamCtrl{StreamID: route, Label: realtime.LabelTranscript, EndOfStream: true}})
			}
			if err != nil {
				return err
			}
			route = chunk.Route()
		}
	}), nil
}

type benchGenerator struct{}

func (benchGenerator) GenerateStream(ctx context.Context, _ string, _ transformers.ModelContext) (realtime.Stream, error) {
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		return out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleModel,
			Part: realtime.Text(strings.Repeat("Once upon a time there was a sentence of this length. ", 10))})
	}), nil
}

func (benchGenerator) Invoke(context.Context, string, transformers.ModelContext, *transformers.FuncTool) (realtime.Usage, *transformers.FuncCall, error) {
	return realtime.Usage{}, nil, fmt.Errorf("a session never invokes")
}

// benchVoice speaks 3 s of recorded speech for each sentence.
type benchVoice struct{ speech []int16 }

func (*benchVoice) SampleRate() int { return 16000 }

func (v *benchVoice) Synthesize(_ context.Context, _ string, sink func([]int16) error) error {
	for n := 0; n < 3*16000; n += len(v.speech) {
		if err := sink(v.speech[:min(len(v.speech), 3*16000-n)]); err != nil {
			return err
		}
	}
	return nil
}

// utterance is recorded speech with its labelled onset.
type utterance struct {
	pcm   []int16
	onset int // sample
}

func benchSpeech(b *testing.B) []utterance {
	b.Helper()
	all, err := recordings.Load("../../testdata/audio")
	if err != nil {
		b.Fatal(err)
	}
	var out []utterance
	for _, r := range all {
		samples, err := r.PCM()
		if err != nil {
			b.Fatal(err)
		}
		onset, offset := r.Speech()
		lead := max(0, recordings.Rate.Samples(onset)-1600)
		end := min(len(samples), recordings.Rate.Samples(offset)+800)
		out = append(out, utterance{samples[lead:end], recordings.Rate.Samples(onset) - lead})
	}
	return out
}

// talker is a device that listens for good, asks, and talks over the reply.
type talker struct {
	name   string
	rnd    *rand.Rand
	speech []utterance
	rounds int

	conn  *websocket.Conn
	said  []int16     // all that was sent
	sent  []time.Time // when each packet was
	cuts  []interruption
	quiet time.Duration // of reply without speech over it
	wrong int           // replies stopped meanwhile
}

// interruption is one interruption as the device saw it.
type interruption struct {
	from           int // of said: where the speech was mixed in
	onset, flushed time.Time
}

const benchPacket = 320 // samples: 20 ms

func (t *talker) run(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: []string{wire.Protocol}})
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 16)
	t.conn = conn
	format := wire.Format{Codec: wire.CodecPCM, SampleRate: 16000, Channels: 1, FrameMS: 20}
	down := format
	down.FrameMS = 60
	if err := t.say(ctx, wire.DeviceHello{Protocol: wire.Protocol, Device: t.name, Audio: wire.Audio{Up: format, Down: down}, BufferMS: 1200,
		Capabilities: wire.Capabilities{FullDuplex: true, AEC: true, Flush: true}}); err != nil {
		return err
	}
	heard := make(chan heard, 64)
	var reading sync.WaitGroup
	reading.Go(func() { t.read(ctx, heard) })
	defer reading.Wait()
	defer cancel()
	if err := t.say(ctx, wire.Listen{State: wire.ListenStart, Mode: "realtime"}); err != nil {
		return err
	}
	return t.converse(ctx, heard)
}

func (t *talker) say(ctx context.Context, m wire.Message) error {
	data, err := wire.AppendMessage(nil, m)
	if err != nil {
		return err
	}
	return t.conn.Write(ctx, websocket.MessageText, data)
}

// heard is a message of the server that matters here.
type heard struct {
	begins bool // else a flush
	at     time.Time
}

func (t *talker) read(ctx context.Context, out chan<- heard) {
	for {
		typ, data, err := t.conn.Read(ctx)
		if err != nil {
			return
		}
		if typ != websocket.MessageText {
			continue
		}
		at := time.Now()
		m, err := wire.DecodeMessage(wire.FromServer, data)
		if err != nil {
			continue
		}
		switch m.(type) {
		case wire.ReplyBegin:
			out <- heard{true, at}
		case wire.Flush:
			out <- heard{false, at}
		}
	}
}

// converse runs the microphone: silence, a question, silence into the reply,
// speech over it, and so on.
func (t *talker) converse(ctx context.Context, events <-chan heard) error {
	began := time.Now()
	replying := false
	send := func(samples []int16) error {
		t.said = append(t.said, samples...)
		due := began.Add(time.Duration(len(t.said)) * time.Second / 16000)
		time.Sleep(time.Until(due))
		n := len(t.sent)
		frame := wire.Frame{Type: wire.TypeAudio, Seq: uint32(n), Timestamp: uint32(n * benchPacket), Payload: pcm.Append(nil, samples)}
		if n == 0 {
			frame.Flags = wire.FlagBOS
		}
		data, err := wire.AppendFrame(nil, frame)
		if err != nil {
			return err
		}
		t.sent = append(t.sent, time.Now())
		return t.conn.Write(ctx, websocket.MessageBinary, data)
	}
	take := func(speaking *interruption) {
		for {
			select {
			case e := <-events:
				switch {
				case e.begins:
					replying = true
				case speaking != nil && speaking.flushed.IsZero():
					speaking.flushed = e.at
					replying = false
				default:
					t.wrong++
					replying = false
				}
			default:
				return
			}
		}
	}
	silence := func(d time.Duration, until func() bool) error {
		for n := 0; n < int(d/(20*time.Millisecond)); n++ {
			if err := send(t.noise()); err != nil {
				return err
			}
			if take(nil); replying {
				t.quiet += 20 * time.Millisecond
			}
			if until() {
				return nil
			}
		}
		return nil
	}
	never := func() bool { return false }
	speak := func(u utterance, over *interruption) error {
		if over != nil {
			over.from = len(t.said)
			over.onset = began.Add(time.Duration(len(t.said)+u.onset) * time.Second / 16000)
		}
		for at := 0; at < len(u.pcm); at += benchPacket {
			packet := t.noise()
			for i := range min(benchPacket, len(u.pcm)-at) {
				packet[i] += u.pcm[at+i]
			}
			if err := send(packet); err != nil {
				return err
			}
			take(over)
		}
		return nil
	}
	if err := silence(time.Duration(500+t.rnd.IntN(3000))*time.Millisecond, never); err != nil {
		return err
	}
	if err := speak(t.pick(), nil); err != nil {
		return err
	}
	for range t.rounds {
		if err := silence(10*time.Second, func() bool { return replying }); err != nil {
			return err
		}
		if !replying {
			return fmt.Errorf("no reply within 10 s")
		}
		if err := silence(time.Duration(1500+t.rnd.IntN(4000))*time.Millisecond, never); err != nil {
			return err
		}
		cut := &interruption{}
		if err := speak(t.pick(), cut); err != nil {
			return err
		}
		if !cut.flushed.IsZero() {
			t.cuts = append(t.cuts, *cut)
		}
	}
	return nil
}

func (t *talker) pick() utterance { return t.speech[t.rnd.IntN(len(t.speech))] }

// noise is a packet of a quiet room.
func (t *talker) noise() []int16 {
	packet := make([]int16, benchPacket)
	for i := range packet {
		packet[i] = int16(t.rnd.IntN(21) - 10)
	}
	return packet
}

// completions listens to what was sent as the server does, and returns for each
// interruption the time from the packet that completed the least speech.
func (t *talker) completions(b *testing.B) []time.Duration {
	b.Helper()
	model, err := vad.Load()
	if err != nil {
		b.Fatal(err)
	}
	in := realtime.NewStreamBuilder(4)
	detector := turn.New(in.Stream(), model.NewGate(), turn.Config{})
	defer detector.Close()
	ctx := context.Background()
	go func() { // ends with the stream
		_ = in.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: "mic/1", Label: "listen.realtime", BeginOfStream: true}})
		for at := 0; at < len(t.said); at += benchPacket {
			_ = in.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser,
				Part: &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: pcm.Append(nil, t.said[at:at+benchPacket])},
				Ctrl: &realtime.StreamCtrl{StreamID: "mic/1", Timestamp: int64(at/16) + 1}})
		}
		in.Done()
	}()
	const least = 200 * time.Millisecond // session.BargeIn.MinSpeech
	var out []time.Duration
	cuts, counted := t.cuts, ""
	for len(cuts) > 0 {
		chunk, err := detector.Next()
		if err != nil {
			break
		}
		heard := int(detector.Position().Seconds()*16000+0.5) / benchPacket // packets
		if heard*benchPacket < cuts[0].from || chunk.Route() == counted || detector.Spoken() < least {
			continue
		}
		counted = chunk.Route()
		packet := min(heard, len(t.sent)) - 1
		out = append(out, cuts[0].flushed.Sub(t.sent[packet]))
		cuts = cuts[1:]
	}
	return out
}
