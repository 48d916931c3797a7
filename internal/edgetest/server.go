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

	mu     sync.Mutex
	faults []error
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
	return p, p.Say(ctx, wire.ServerHello{
		Protocol: wire.Protocol, Session: "fake", Device: hello.Device, Audio: hello.Audio, LeadMS: 240,
		Limits: wire.Limits{ControlBytes: wire.MaxControl, PayloadBytes: wire.MaxPayload},
	})
}

// Peer is the server's end of one connection. All methods but read are for the
// goroutine of the script.
type Peer struct {
	// Hello is what the device said first.
	Hello wire.DeviceHello

	server  *Server
	conn    *websocket.Conn
	decoder decoder
	encoder encoder
	inbox   chan Inbound
	stop    <-chan struct{}
	seq     uint32
	strict  strict // the reader's
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
	return p.conn.Write(ctx, websocket.MessageText, b)
}

// Raw sends bytes as they are.
func (p *Peer) Raw(ctx context.Context, text bool, b []byte) error {
	typ := websocket.MessageBinary
	if text {
		typ = websocket.MessageText
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

// strict holds what a device must keep to.
type strict struct {
	listening bool
	frames    uint32 // of all periods
	at        uint32 // expected timestamp
	first     bool   // the next frame is the first of its period
	over      bool   // EOS came
	played    map[uint32]uint32
}

func (s *strict) check(in Inbound) error {
	switch m := in.Message.(type) {
	case nil:
		return s.frame(in)
	case wire.DeviceHello:
		return errors.New("a second hello")
	case wire.Listen:
		s.listening, s.first, s.over, s.at = m.State == wire.ListenStart, true, false, 0
	case wire.Played:
		if s.played == nil {
			s.played = map[uint32]uint32{}
		}
		if m.Samples < s.played[m.Turn] {
			return fmt.Errorf("played went back from %d to %d in turn %d", s.played[m.Turn], m.Samples, m.Turn)
		}
		s.played[m.Turn] = m.Samples
	}
	return nil
}

func (s *strict) frame(in Inbound) error {
	f := in.Frame
	seq := s.frames
	s.frames++
	switch {
	case f.Seq != seq:
		return fmt.Errorf("frame %d has sequence %d", seq, f.Seq)
	case !s.listening:
		return fmt.Errorf("frame %d outside of a listening period", seq)
	case s.over:
		return fmt.Errorf("frame %d after EOS", seq)
	case f.Flags.Has(wire.FlagBOS) != s.first:
		return fmt.Errorf("frame %d has BOS %v, want %v", seq, f.Flags.Has(wire.FlagBOS), s.first)
	case f.Timestamp != s.at:
		return fmt.Errorf("frame %d has timestamp %d, want %d", seq, f.Timestamp, s.at)
	}
	s.first, s.over = false, f.Flags.Has(wire.FlagEOS)
	s.at += uint32(len(in.PCM)) + f.Gap
	return nil
}
