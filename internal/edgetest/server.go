package edgetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"edged/audio/opus"
	"edged/firmware-protocol/wire"
)

// Server is a fake server of edged.v1, for tests of devices: it has no engines,
// says what its Script says, and reads strictly. Whatever a device does against
// the protocol is a fault that Faults reports.
//
// It is an http.Handler. Each connection runs Script on the goroutine of its
// request. The zero value accepts everybody and says nothing.
type Server struct {
	// Script runs after the hellos; the connection is closed with 1000 when it
	// returns. It must return when ctx is done or Peer.Next fails.
	Script func(ctx context.Context, p *Peer)
	// Refuse answers the hello instead of the server's own, when it returns a
	// fatal error. nil refuses nobody.
	Refuse func(wire.DeviceHello) *wire.Failure
	// Token must be in the Authorization header; empty asks for none.
	Token string

	// Resume says what a device that comes back to the session is told; nil, or a
	// nil result, makes a new session. That the device remembers rightly is
	// checked before.
	Resume func(wire.DeviceHello) *wire.Resumed
	// Lossy lets frames be missing, doubled or out of order, as on the way from a
	// device with a bad Config.Network.
	Lossy bool

	mu       sync.Mutex
	faults   []error
	sessions int
	memory   *strict // of the newest session
}

// session returns what is known of the session that hello is in, and what the
// device is told of it.
func (s *Server) session(hello wire.DeviceHello) (rules *strict, name string, resumed *wire.Resumed) {
	s.mu.Lock()
	name, rules = s.name(), s.memory
	s.mu.Unlock()
	if r := hello.Resume; r != nil && rules != nil && s.Resume != nil {
		if r.Session != name {
			s.fault("resumes session %q, the newest is %q", r.Session, name)
		} else if err := rules.resumes(*r); err != nil {
			s.fault("%w", err)
		} else if resumed = s.Resume(hello); resumed != nil {
			rules = rules.again(hello)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if resumed == nil {
		rules = newStrict(hello, s.Lossy)
		s.sessions++
	}
	s.memory = rules
	return rules, s.name(), resumed
}

// name is that of the newest session: fake, fake-2, ... It needs mu.
func (s *Server) name() string {
	if s.sessions > 1 {
		return fmt.Sprint("fake-", s.sessions)
	}
	return "fake"
}

// Faults returns what devices did against the protocol.
func (s *Server) Faults() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]error(nil), s.faults...)
}

func (s *Server) fault(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) < maxFaults {
		s.faults = append(s.faults, fmt.Errorf(format, args...))
	}
}

// ServeHTTP serves one device.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != wire.Path {
		http.NotFound(w, r)
		return
	}
	if s.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.Token {
		http.Error(w, "wrong token", http.StatusUnauthorized)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{wire.Protocol}})
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }() // a second close says nothing new
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p, err := s.greet(ctx, conn)
	if err != nil {
		return
	}
	var reader sync.WaitGroup
	reader.Go(func() { p.read(ctx) })
	if s.Script != nil {
		s.Script(ctx, p)
	}
	_ = conn.Close(websocket.StatusNormalClosure, "") // the device may be gone already
	cancel()
	reader.Wait()
}

var errRefused = errors.New("refused as scripted")

func (s *Server) greet(ctx context.Context, conn *websocket.Conn) (*Peer, error) {
	greeting, cancel := context.WithTimeout(ctx, helloPatience)
	defer cancel()
	typ, b, err := conn.Read(greeting)
	if err != nil {
		return nil, err
	}
	m, err := wire.DecodeMessage(wire.FromDevice, b)
	hello, ok := m.(wire.DeviceHello)
	if err != nil || !ok || typ != websocket.MessageText {
		s.fault("first message is %T (%w), want hello", m, err)
		return nil, errors.New("no hello")
	}
	p := &Peer{server: s, conn: conn, Hello: hello, inbox: make(chan Inbound, 1024), stop: ctx.Done()}
	if p.decoder, err = newDecoder(hello.Audio.Up); err != nil {
		return nil, err
	}
	if hello.Audio.Down.Codec == wire.CodecOpus {
		if p.encoder.opus, err = opus.NewEncoder(opus.EncoderConfig{Rate: rateOf(hello.Audio.Down)}); err != nil {
			return nil, err
		}
	}
	if s.Refuse != nil {
		if failure := s.Refuse(hello); failure != nil {
			err := p.Say(ctx, *failure)
			return nil, errors.Join(errRefused, err, conn.Close(websocket.StatusCode(failure.Code.CloseCode()), string(failure.Code)))
		}
	}
	var name string
	p.strict, name, p.Resumed = s.session(hello)
	return p, p.Say(ctx, wire.ServerHello{
		Protocol: wire.Protocol, Session: name, Resumed: p.Resumed, Device: hello.Device, Audio: hello.Audio, LeadMS: 240,
		Limits: wire.Limits{ControlBytes: wire.MaxControl, PayloadBytes: wire.MaxPayload},
	})
}

// Peer is the server's end of one connection. All methods but read are for the
// goroutine of the script.
type Peer struct {
	// Hello is what the device said first.
	Hello wire.DeviceHello
	// Resumed is what it was told of the session that it came back to, nil in a
	// new one.
	Resumed *wire.Resumed

	server  *Server
	conn    *websocket.Conn
	decoder decoder
	encoder encoder
	inbox   chan Inbound
	stop    <-chan struct{}
	seq     uint32
	strict  *strict // nil until the hello is accepted
}

// Inbound is one thing that a device sent: a Message, or a Frame with its
// decoded PCM.
type Inbound struct {
	At      time.Time
	Message wire.Message
	Frame   wire.Frame
	PCM     []int16
}

// Next returns what the device sends next; ok is false when the connection has
// ended or ctx is done.
func (p *Peer) Next(ctx context.Context) (in Inbound, ok bool) {
	select {
	case in, ok = <-p.inbox:
		return in, ok
	case <-ctx.Done():
		return Inbound{}, false
	}
}

// Say sends a control message.
func (p *Peer) Say(ctx context.Context, m wire.Message) error {
	b, err := wire.AppendMessage(nil, m)
	if err != nil {
		return err
	}
	if p.strict != nil {
		p.strict.said(time.Now(), m)
	}
	return p.conn.Write(ctx, websocket.MessageText, b)
}

// Raw sends bytes as they are.
func (p *Peer) Raw(ctx context.Context, text bool, b []byte) error {
	typ := websocket.MessageBinary
	if text {
		typ = websocket.MessageText
		if m, err := wire.DecodeMessage(wire.FromServer, b); err == nil {
			p.strict.said(time.Now(), m)
		}
	}
	return p.conn.Write(ctx, typ, b)
}

// Skip leaves a hole of n in the sequence of the frames that are sent.
func (p *Peer) Skip(n uint32) { p.seq += n }

// Frame sends one frame of reply audio, with the next sequence number. Without
// pcm it has no payload.
func (p *Peer) Frame(ctx context.Context, f wire.Frame, pcm []int16) error {
	f.Type, f.Seq = wire.TypeAudio, p.seq
	p.seq++
	if len(pcm) > 0 {
		var err error
		if f.Payload, err = p.encoder.encode(pcm); err != nil {
			return err
		}
	}
	b, err := wire.AppendFrame(nil, f)
	if err != nil {
		return err
	}
	p.strict.sent(f, uint32(len(pcm))+f.Gap)
	return p.conn.Write(ctx, websocket.MessageBinary, b)
}

// read checks and forwards what the device sends.
func (p *Peer) read(ctx context.Context) {
	defer close(p.inbox)
	for {
		typ, b, err := p.conn.Read(ctx)
		if err != nil {
			return
		}
		in := Inbound{At: time.Now()}
		if typ == websocket.MessageText {
			in.Message, err = wire.DecodeMessage(wire.FromDevice, b)
		} else {
			in.Frame, err = wire.ParseFrame(b)
			if err == nil && len(in.Frame.Payload) > 0 {
				in.PCM, err = p.decoder.decode(in.Frame.Payload)
			}
		}
		if err == nil {
			err = p.strict.check(in)
		}
		if err != nil {
			p.server.fault("%w", err)
			continue
		}
		select {
		case p.inbox <- in:
		case <-p.stop:
			return
		}
	}
}
