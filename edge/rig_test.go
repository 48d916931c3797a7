package edge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"edged/audio"
	"edged/audio/opus"
	"edged/dialog"
	"edged/realtime"
)

// record is one thing that a transport was told to write.
type record struct {
	at      time.Time
	control Control // nil for audio
	packet  Packet
}

// fakeTransport records what the leg writes and lets the test play the device.
type fakeTransport struct {
	input chan func(*Inlet) error // run by Receive
	cut   chan struct{}           // closed when the connection breaks
	once  sync.Once
	stall chan struct{} // when not nil, writes block until it is closed or the connection is cut

	mu       sync.Mutex
	records  []record
	farewell *Farewell
	killed   bool
	inlet    *Inlet
	onWrite  func(record)
}

func newFakeTransport() *fakeTransport {
	return &fakeTransport{input: make(chan func(*Inlet) error), cut: make(chan struct{})}
}

var errCut = errors.New("connection reset")

func (f *fakeTransport) Receive(in *Inlet) error {
	f.mu.Lock()
	f.inlet = in
	f.mu.Unlock()
	for {
		select {
		case do := <-f.input:
			if err := do(in); err != nil {
				if errors.Is(err, errByeBye) {
					return nil
				}
				return err
			}
		case <-f.cut:
			return errCut
		}
	}
}

// errByeBye makes Receive end as after a bye of the device.
var errByeBye = errors.New("bye")

func (f *fakeTransport) write(r record) error {
	if f.stall != nil {
		select {
		case <-f.stall:
		case <-f.cut:
		}
	}
	select {
	case <-f.cut:
		return errCut
	default:
	}
	r.at = time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records = append(f.records, r)
	if f.onWrite != nil {
		f.onWrite(r)
	}
	return nil
}

func (f *fakeTransport) WriteControl(c Control) error { return f.write(record{control: c}) }

func (f *fakeTransport) WriteAudio(p Packet) error {
	p.Payload = slices.Clone(p.Payload)
	return f.write(record{packet: p})
}

func (f *fakeTransport) Close(farewell Farewell) error {
	f.mu.Lock()
	f.farewell = &farewell
	f.mu.Unlock()
	f.once.Do(func() { close(f.cut) })
	return nil
}

func (f *fakeTransport) Kill() {
	f.mu.Lock()
	f.killed = true
	f.mu.Unlock()
	f.once.Do(func() { close(f.cut) })
}

// told returns the farewell; nil when there was none.
func (f *fakeTransport) told() *Farewell {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.farewell
}

// written returns what was written so far.
func (f *fakeTransport) written() []record {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.records)
}

// controls returns the control messages without events of the session and pings.
func (f *fakeTransport) controls() []Control {
	var cs []Control
	for _, r := range f.written() {
		if r.control != nil {
			cs = append(cs, r.control)
		}
	}
	return cs
}

func (f *fakeTransport) packets() []record {
	var ps []record
	for _, r := range f.written() {
		if r.control == nil {
			ps = append(ps, r)
		}
	}
	return ps
}

// rig is a leg with a device and a session made of the test.
type rig struct {
	t         *testing.T
	transport *fakeTransport
	leg       *Leg
	release   chan error // what the handler returns
	over      chan error // what Serve returned
	ctx       context.Context
}

var (
	opus16k60 = audio.Format{Codec: audio.CodecOpus, Rate: 16000, Channels: 1, Ptime: 60 * ms}
	opus16k20 = audio.Format{Codec: audio.CodecOpus, Rate: 16000, Channels: 1, Ptime: 20 * ms}
	pcm16k20  = audio.Format{Codec: audio.CodecPCM, Rate: 16000, Channels: 1, Ptime: 20 * ms}
	pcm16k60  = audio.Format{Codec: audio.CodecPCM, Rate: 16000, Channels: 1, Ptime: 60 * ms}
)

func offerOf(up, down audio.Format) Offer {
	return Offer{
		Hello: dialog.Hello{Device: "lamp", Capabilities: dialog.Capabilities{Flush: true, Ack: true, QueueCap: 2400 * ms}},
		Up:    up, Down: down,
	}
}

// newRig serves a leg whose handler waits until the test ends.
func newRig(t *testing.T, offer Offer, limits Limits) *rig {
	t.Helper()
	r := &rig{t: t, transport: newFakeTransport(), release: make(chan error, 1), over: make(chan error, 1)}
	started := make(chan struct{})
	server, err := New(Config{Limits: limits, Handler: func(ctx context.Context, leg *Leg) error {
		r.ctx = ctx
		close(started)
		select {
		case err := <-r.release:
			return err
		case <-ctx.Done():
			return nil
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	admission, err := admit(server, Identity{})
	if err != nil {
		t.Fatal(err)
	}
	if r.leg, err = admission.Open(offer, r.transport); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer admission.Release()
		r.over <- admission.Serve(t.Context(), r.leg)
	}()
	<-started
	return r
}

// do lets the device do something and returns when it was taken in.
func (r *rig) do(f func(*Inlet) error) {
	r.t.Helper()
	done := make(chan struct{})
	select {
	case r.transport.input <- func(in *Inlet) error { defer close(done); return f(in) }:
		<-done
	case <-r.transport.cut:
		r.t.Error("the connection is gone")
	}
}

// close ends the connection from the device's side and waits until all is over.
func (r *rig) close() error {
	r.transport.once.Do(func() { close(r.transport.cut) })
	return <-r.over
}

// play hands over chunks of a turn and fails the test on an error.
func (r *rig) play(turn dialog.Turn, chunks ...*realtime.MessageChunk) {
	r.t.Helper()
	for _, c := range chunks {
		if err := r.leg.Play(r.t.Context(), turn, c); err != nil {
			r.t.Errorf("play turn %d: %v", turn, err)
		}
	}
}

// events takes what is in the channel right now.
func (r *rig) events() []dialog.Uplink {
	var events []dialog.Uplink
	for {
		select {
		case e, open := <-r.leg.Events():
			if !open {
				return events
			}
			events = append(events, e)
		default:
			return events
		}
	}
}

// heard takes what is on the microphone's stream right now.
func (r *rig) heard() []*realtime.MessageChunk {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var chunks []*realtime.MessageChunk
	for {
		// A cancelled context returns what is there without waiting.
		chunk, err := r.leg.up.mic.NextContext(ctx)
		if err != nil {
			return chunks
		}
		chunks = append(chunks, chunk)
	}
}

func begin() *realtime.MessageChunk {
	return &realtime.MessageChunk{Ctrl: &realtime.StreamCtrl{BeginOfStream: true}}
}

func end() *realtime.MessageChunk {
	return &realtime.MessageChunk{Ctrl: &realtime.StreamCtrl{EndOfStream: true}}
}

func text(s string) *realtime.MessageChunk { return &realtime.MessageChunk{Part: realtime.Text(s)} }

func blob(rate audio.SampleRate, data []byte) *realtime.MessageChunk {
	return &realtime.MessageChunk{Part: &realtime.Blob{MIMEType: audio.PCMMIMEType(rate), Data: data}}
}

// tone returns d of a sine at rate.
func tone(rate audio.SampleRate, d time.Duration, hz float64) []int16 {
	samples := make([]int16, rate.Samples(d))
	for i := range samples {
		samples[i] = int16(8000 * math.Sin(2*math.Pi*hz*float64(i)/float64(rate)))
	}
	return samples
}

// bytesOf returns samples as s16le.
func bytesOf(samples []int16) []byte {
	data := make([]byte, 0, 2*len(samples))
	for _, s := range samples {
		data = append(data, byte(s), byte(uint16(s)>>8))
	}
	return data
}

// samplesOf is the inverse of bytesOf.
func samplesOf(data []byte) []int16 {
	samples := make([]int16, len(data)/2)
	for i := range samples {
		samples[i] = int16(uint16(data[2*i]) | uint16(data[2*i+1])<<8)
	}
	return samples
}

// speech returns chunks of d of audio, 20 ms each.
func speech(rate audio.SampleRate, d time.Duration) []*realtime.MessageChunk {
	data := bytesOf(tone(rate, d, 440))
	size := 2 * rate.Samples(20*ms)
	var chunks []*realtime.MessageChunk
	for part := range slices.Chunk(data, size) {
		chunks = append(chunks, blob(rate, part))
	}
	return chunks
}

// opusPackets encodes d of a tone.
func opusPackets(t testing.TB, f audio.Format, d time.Duration, cfg opus.EncoderConfig) [][]byte {
	t.Helper()
	cfg.Rate = f.Rate
	encoder, err := opus.NewEncoder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var packets [][]byte
	for frame := range slices.Chunk(tone(f.Rate, d, 440), f.FrameSamples()) {
		buf := make([]byte, opus.MaxPacket)
		n, err := encoder.Encode(buf, frame)
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, buf[:n])
	}
	return packets
}

// rms is the level of samples.
func rms(samples []int16) float64 {
	var sum float64
	for _, s := range samples {
		sum += float64(s) * float64(s)
	}
	return math.Sqrt(sum / float64(max(1, len(samples))))
}

// describe makes a stream of chunks comparable: boundaries, gaps, and runs of
// audio by their duration.
func describe(chunks []*realtime.MessageChunk) []string {
	var lines []string
	var run time.Duration
	settle := func() {
		if run > 0 {
			lines = append(lines, fmt.Sprintf("audio %v", run))
			run = 0
		}
	}
	for _, c := range chunks {
		switch part := c.Part.(type) {
		case *realtime.Blob:
			run += micRate.Duration(len(part.Data) / 2)
			continue
		case *realtime.Gap:
			settle()
			lines = append(lines, fmt.Sprintf("gap %v", part.Duration))
		}
		if c.IsBeginOfStream() {
			settle()
			lines = append(lines, fmt.Sprintf("begin %s %s", c.Route(), c.Ctrl.Label))
		}
		if c.IsEndOfStream() {
			settle()
			lines = append(lines, "end "+c.Route())
		}
	}
	settle()
	return lines
}

// zerologNop is a logger that is silent.
func zerologNop() zerolog.Logger { return zerolog.Nop() }

// admit takes a connection from its arrival to its place.
func admit(s *Server, id Identity) (*Admission, error) {
	a, err := s.Arrive("192.0.2.1:4711")
	if err != nil {
		return nil, err
	}
	if err := a.Admit(id); err != nil {
		a.Release()
		return nil, err
	}
	return a, nil
}
