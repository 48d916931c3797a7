package ws

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"edged/audio"
	"edged/audio/opus"
	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
	"edged/realtime"
)

const ms = time.Millisecond

const (
	lampToken = "lamp-token-0123456789"
	toyToken  = "toy-token-01234567890"
)

// tokens knows two devices.
func tokens(t testing.TB) edge.Authenticator {
	t.Helper()
	a, err := edge.NewStaticTokens(
		edge.StaticToken{Token: lampToken, Identity: edge.Identity{Device: "lamp", Profile: "home"}},
		edge.StaticToken{Token: toyToken, Identity: edge.Identity{Device: "toy"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// pipeListener is a listener whose connections are net.Pipes, for synctest.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error { l.once.Do(func() { close(l.closed) }); return nil }

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// local makes the server's end of a pipe look like a connection from this machine.
type local struct{ net.Conn }

func (local) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711} }

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- local{server}:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// rig is a server that listens, and how to reach it.
type rig struct {
	t      testing.TB
	server *edge.Server
	url    string
	client *http.Client
	stop   func()
}

// newRig serves cfg on a loopback socket, or on pipes inside a synctest bubble.
// The test calls stop.
func newRig(t testing.TB, cfg edge.Config, ws Config, pipes bool) *rig {
	t.Helper()
	server, err := edge.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	server.Handle(wire.Path, Handler(server, ws))
	r := &rig{t: t, server: server}
	transport := &http.Transport{}
	r.client = &http.Client{Transport: transport}
	var ln net.Listener
	if pipes {
		p := newPipeListener()
		transport.DialContext = p.dial
		ln, r.url = p, "ws://edged"+wire.Path
	} else {
		if ln, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		r.url = "ws://" + ln.Addr().String() + wire.Path
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, ln) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		transport.CloseIdleConnections()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return r
}

// peer is a device as bytes: it sends what the test says, right or wrong.
type peer struct {
	t    testing.TB
	conn *websocket.Conn
}

// dial connects with extra headers ("Name: value").
func (r *rig) dial(path string, headers ...string) (*peer, *http.Response, error) {
	header := http.Header{}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		header.Set(name, value)
	}
	opts := &websocket.DialOptions{HTTPClient: r.client, HTTPHeader: header, Subprotocols: []string{wire.Protocol}}
	if p, ok := header["Subprotocol"]; ok {
		opts.Subprotocols = p
		header.Del("Subprotocol")
		if p[0] == "" {
			opts.Subprotocols = nil
		}
	}
	conn, response, err := websocket.Dial(context.Background(), r.url+path, opts)
	if err != nil {
		return nil, response, err
	}
	conn.SetReadLimit(1 << 20)
	return &peer{t: r.t, conn: conn}, response, nil
}

// connect dials and says hello.
func (r *rig) connect(hello wire.DeviceHello, headers ...string) *peer {
	r.t.Helper()
	p, _, err := r.dial("", headers...)
	if err != nil {
		r.t.Fatal(err)
	}
	p.send(hello)
	if _, ok := p.next().(wire.ServerHello); !ok {
		r.t.Fatal("the first answer is no hello")
	}
	return p
}

func helloOf(device string, up, down wire.Format) wire.DeviceHello {
	return wire.DeviceHello{
		Protocol: wire.Protocol, Device: device, Audio: wire.Audio{Up: up, Down: down}, BufferMS: 2400,
		Capabilities: wire.Capabilities{Flush: true, Ack: true},
	}
}

func wireFormat(codec wire.Codec, rate, ptime uint32) wire.Format {
	return wire.Format{Codec: codec, SampleRate: rate, Channels: 1, FrameMS: ptime}
}

var (
	opus60 = wireFormat(wire.CodecOpus, 16000, 60)
	opus20 = wireFormat(wire.CodecOpus, 16000, 20)
	pcm20  = wireFormat(wire.CodecPCM, 16000, 20)
	pcm60  = wireFormat(wire.CodecPCM, 16000, 60)
)

func (p *peer) send(m wire.Message) {
	p.t.Helper()
	text, err := wire.AppendMessage(nil, m)
	if err != nil {
		p.t.Fatal(err)
	}
	p.raw(websocket.MessageText, text)
}

func (p *peer) frame(f wire.Frame) {
	p.t.Helper()
	f.Type = wire.TypeAudio
	b, err := wire.AppendFrame(nil, f)
	if err != nil {
		p.t.Fatal(err)
	}
	p.raw(websocket.MessageBinary, b)
}

func (p *peer) raw(typ websocket.MessageType, b []byte) {
	p.t.Helper()
	if err := p.conn.Write(context.Background(), typ, b); err != nil {
		p.t.Errorf("write: %v", err)
	}
}

// receive returns the next message, a wire.Message or a wire.Frame, skipping pings.
func (p *peer) receive() (any, error) {
	for {
		typ, b, err := p.conn.Read(context.Background())
		if err != nil {
			return nil, err
		}
		if typ == websocket.MessageBinary {
			return wire.ParseFrame(b)
		}
		m, err := wire.DecodeMessage(wire.FromServer, b)
		if _, ping := m.(wire.Ping); ping {
			continue
		}
		return m, err
	}
}

// next returns the next message and fails the test when there is none.
func (p *peer) next() any {
	p.t.Helper()
	m, err := p.receive()
	if err != nil {
		p.t.Fatalf("no message: %v", err)
	}
	return m
}

// closed reads to the end and returns how the server closed, and the last error
// message before.
func (p *peer) closed() (websocket.StatusCode, *wire.Failure) {
	var last *wire.Failure
	for {
		m, err := p.receive()
		if err != nil {
			return websocket.CloseStatus(err), last
		}
		if f, ok := m.(wire.Failure); ok {
			last = &f
		}
	}
}

// alive fails the test unless the session still answers and hears.
func (p *peer) alive() {
	p.t.Helper()
	p.send(wire.Ping{ID: 77})
	for {
		switch m := p.next().(type) {
		case wire.Pong:
			if m.ID != 77 {
				p.t.Errorf("pong %d, want 77", m.ID)
			}
			return
		case wire.Failure:
			p.t.Errorf("unexpected error %+v", m)
		}
	}
}

func (p *peer) drop() { _ = p.conn.CloseNow() }

// tone returns one frame of a sine in the format.
func tone(t testing.TB, f wire.Format) []byte {
	samples := make([]int16, f.Samples())
	for i := range samples {
		samples[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/float64(f.SampleRate)))
	}
	if f.Codec == wire.CodecPCM {
		b := make([]byte, 0, 2*len(samples))
		for _, s := range samples {
			b = append(b, byte(s), byte(uint16(s)>>8))
		}
		return b
	}
	encoder, err := opus.NewEncoder(opus.EncoderConfig{Rate: audio.SampleRate(f.SampleRate)})
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, opus.MaxPacket)
	n, err := encoder.Encode(b, samples)
	if err != nil {
		t.Fatal(err)
	}
	return b[:n]
}

// waits is a handler that stays until its connection is gone.
func waits(ctx context.Context, _ *edge.Leg) error {
	<-ctx.Done()
	return nil
}

// parrot is a handler that says each listening period back as the next turn, and
// answers an abort with a flush.
func parrot(ctx context.Context, leg *edge.Leg) error {
	var listening sync.WaitGroup
	defer listening.Wait()
	defer func() { _ = leg.Uplink().Close() }()
	turns := make(chan dialog.Turn, 1)
	turns <- 0
	listening.Go(func() {
		var said []*realtime.MessageChunk
		for {
			chunk, err := leg.Uplink().Next()
			if err != nil {
				return
			}
			if chunk.IsBeginOfStream() {
				said = nil
			}
			if _, ok := chunk.Part.(*realtime.Blob); ok {
				said = append(said, chunk)
			}
			if !chunk.IsEndOfStream() {
				continue
			}
			turn := <-turns + 1
			turns <- turn
			if err := repeat(ctx, leg, turn, said); err != nil && !errors.Is(err, edge.ErrFlushed) {
				return
			}
		}
	})
	for e := range leg.Events() {
		if a, ok := e.(dialog.Abort); ok {
			turn := <-turns
			turns <- turn
			if a.Turn != 0 {
				turn = a.Turn
			}
			if _, err := leg.Flush(ctx, turn, dialog.CauseAbort); err != nil {
				return err
			}
		}
	}
	return nil
}

func repeat(ctx context.Context, leg *edge.Leg, turn dialog.Turn, said []*realtime.MessageChunk) error {
	play := func(c *realtime.MessageChunk) error { return leg.Play(ctx, turn, c) }
	if err := play(&realtime.MessageChunk{Ctrl: &realtime.StreamCtrl{BeginOfStream: true}}); err != nil {
		return err
	}
	if err := play(&realtime.MessageChunk{Part: realtime.Text(fmt.Sprintf("You said %d things.", len(said)))}); err != nil {
		return err
	}
	for _, c := range said {
		if err := play(c); err != nil {
			return err
		}
	}
	return play(&realtime.MessageChunk{Ctrl: &realtime.StreamCtrl{EndOfStream: true}})
}
