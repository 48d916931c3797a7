package edgetest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"edged/firmware-protocol/wire"
)

// onItsWay is how long what the server said may take to show in what the device
// does.
const onItsWay = 500 * time.Millisecond

// strict holds what a device must keep to, in one session.
type strict struct {
	hello wire.DeviceHello
	lossy bool

	mu        sync.Mutex
	listening bool
	frames    uint32 // of all periods
	at        uint32 // expected timestamp
	first     bool   // the next frame is the first of its period
	over      bool   // EOS came
	left      bool   // bye came
	replies   map[uint32]*told
	current   *told // of the last reply_begin
	calls     map[string]bool
	pings     map[uint32]bool
}

// told is what was said of one reply and what the device says of it.
type told struct {
	sent    uint32 // media position behind the last frame
	played  uint32 // of the last acknowledgement
	resumes bool   // the next BOS frame says where it goes on
	// stopped is when a hold or flush was sent, zero if none is in force; behind
	// bound the counter must not go then.
	stopped time.Time
	bound   uint32
}

func newStrict(hello wire.DeviceHello, lossy bool) *strict {
	return &strict{hello: hello, lossy: lossy, replies: map[uint32]*told{}, calls: map[string]bool{}, pings: map[uint32]bool{}}
}

// again is the same session on a new connection.
func (s *strict) again(hello wire.DeviceHello) *strict {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := newStrict(hello, s.lossy)
	n.replies, n.calls = s.replies, s.calls
	return n
}

// said notes a message of the server.
func (s *strict) said(now time.Time, m wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := m.(type) {
	case wire.ReplyBegin:
		r := s.replies[m.Turn]
		if r == nil || !m.Resumed {
			r = &told{}
			s.replies[m.Turn] = r
		}
		r.resumes, r.stopped = m.Resumed, time.Time{}
		s.current = r
	case wire.Hold:
		if r := s.replies[m.Turn]; r != nil {
			r.stopped, r.bound = now, m.Samples
		}
	case wire.Release:
		if r := s.replies[m.Turn]; r != nil {
			r.stopped = time.Time{}
		}
	case wire.Flush:
		for turn, r := range s.replies {
			if turn <= m.Turn && s.hello.Capabilities.Flush {
				r.stopped, r.bound = now, 0
			}
		}
	case wire.ToolCall:
		s.calls[m.ID] = true
	case wire.Ping:
		s.pings[m.ID] = true
	}
}

// sent notes a frame of the server.
func (s *strict) sent(f wire.Frame, n uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.current
	if r == nil {
		return
	}
	if f.Flags.Has(wire.FlagBOS) && r.resumes {
		r.resumes, r.played = false, min(r.played, f.Timestamp)
	}
	r.sent = max(r.sent, f.Timestamp+n)
}

// check says what is wrong with what the device sent.
func (s *strict) check(in Inbound) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, listens := in.Message.(wire.Listen); s.left && (in.Message == nil || listens) {
		return errors.New("listens after bye")
	}
	switch m := in.Message.(type) {
	case nil:
		return s.frame(in)
	case wire.DeviceHello:
		return errors.New("a second hello")
	case wire.Listen:
		return s.listen(m)
	case wire.Played:
		return s.progress(in.At, m)
	case wire.ToolResult:
		if !s.calls[m.ID] {
			return fmt.Errorf("a result of tool call %q, which is not open", m.ID)
		}
		delete(s.calls, m.ID)
	case wire.Pong:
		if !s.pings[m.ID] {
			return fmt.Errorf("a pong %d without its ping", m.ID)
		}
		delete(s.pings, m.ID)
	case wire.Bye:
		s.left = true
	}
	return nil
}

func (s *strict) listen(m wire.Listen) error {
	if m.State == wire.ListenStop {
		if !s.listening {
			return errors.New("listen stop outside of a listening period")
		}
		s.listening = false
		return nil
	}
	if m.Mode == wire.ModeRealtime && !s.hello.Capabilities.FullDuplex {
		return errors.New("listen start realtime without the capability full_duplex")
	}
	s.listening, s.first, s.over, s.at = true, true, false, 0
	return nil
}

func (s *strict) progress(now time.Time, m wire.Played) error {
	r := s.replies[m.Turn]
	switch {
	case !s.hello.Capabilities.Ack:
		return errors.New("played without the capability ack")
	case r == nil:
		return fmt.Errorf("played of turn %d, whose reply never began", m.Turn)
	case m.Samples < r.played:
		return fmt.Errorf("played went back from %d to %d in turn %d", r.played, m.Samples, m.Turn)
	case m.Samples > r.sent:
		return fmt.Errorf("played %d of turn %d, of which %d were sent", m.Samples, m.Turn, r.sent)
	case !r.stopped.IsZero() && m.Samples > r.played && m.Samples > r.bound && now.Sub(r.stopped) > onItsWay:
		return fmt.Errorf("turn %d goes on from %d to %d, %v after it was stopped", m.Turn, r.played, m.Samples, now.Sub(r.stopped))
	}
	r.played = m.Samples
	return nil
}

// resumes says what is wrong with what a device that comes back remembers.
func (s *strict) resumes(m wire.Resume) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.replies[m.Turn]
	switch {
	case m.Turn == 0:
		return nil
	case r == nil:
		return fmt.Errorf("resumes turn %d, whose reply never began", m.Turn)
	case m.Samples < r.played || m.Samples > r.sent:
		return fmt.Errorf("resumes turn %d at %d; %d were acknowledged, %d sent", m.Turn, m.Samples, r.played, r.sent)
	}
	return nil
}

func (s *strict) frame(in Inbound) error {
	f := in.Frame
	seq := s.frames
	s.frames++
	switch {
	case !s.listening:
		return fmt.Errorf("frame %d outside of a listening period", seq)
	case s.lossy:
		return nil
	case f.Seq != seq:
		return fmt.Errorf("frame %d has sequence %d", seq, f.Seq)
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
