package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"edged/audio/pcm"
	"edged/firmware-protocol/wire"
	"edged/realtime"
	"edged/session/log"
	"edged/transformers"
)

// monkey is a device that does anything in any order: what is right, what is wrong,
// and what is right at the wrong time.
type monkey struct {
	h       *house
	rnd     *rand.Rand
	speech  []int16
	at      int // in the speech
	device  string
	peer    *stranger
	session string
	told    chan wire.Failure
	read    chan struct{} // closed when the connection has been read to its end
	seq, ts uint32
	trace   []string
}

// connect begins anew, or comes back to the session that the monkey was in, or to one
// that it was not in.
func (m *monkey) connect() {
	const format = `{"codec":"pcm","sample_rate":16000,"channels":1,"frame_ms":60}`
	hello := `{"type":"hello","protocol":"edged.v1","device":"` + m.device + `","audio":{"up":` + format + `,"down":` + format + `},"buffer_ms":2400,` +
		`"capabilities":{"ack":true,"flush":true,"hold":true,"full_duplex":true},"tools":[{"name":"get_volume"}]`
	if m.session != "" && m.rnd.IntN(3) > 0 {
		hello += fmt.Sprintf(`,"resume":{"session":%q,"turn":%d,"samples":%d}`, m.session, m.rnd.IntN(5), m.number())
	}
	m.peer = m.h.stranger()
	m.peer.say(hello + "}")
	if answer, ok := m.peer.hear().(wire.ServerHello); ok {
		m.session = answer.Session
	} else {
		m.h.t.Errorf("%s is not let in", m.device)
	}
	peer, read := m.peer, make(chan struct{})
	m.read = read
	go func() {
		defer close(read)
		for {
			switch heard := peer.hear().(type) {
			case nil:
				return
			case wire.Failure:
				select {
				case m.told <- heard:
				default: // enough is known
				}
			}
		}
	}()
}

// number is any number, mostly a small one.
func (m *monkey) number() uint32 { return m.rnd.Uint32() >> m.rnd.IntN(32) }

// act does one thing. The connection may have ended; then the next act connects.
func (m *monkey) act() {
	select {
	case <-m.read:
		m.connect()
	default:
	}
	text := func(format string, args ...any) {
		m.trace = append(m.trace, fmt.Sprintf(format, args...))
		_ = m.peer.conn.Write(context.Background(), websocket.MessageText, fmt.Appendf(nil, format, args...))
	}
	one := func(of ...string) string { return of[m.rnd.IntN(len(of))] }
	switch m.rnd.IntN(16) {
	case 0, 1:
		text(`{"type":"listen","state":"start","mode":%q}`, one("auto", "manual", "realtime"))
		m.ts = 0
	case 2:
		text(`{"type":"listen","state":"stop"}`)
	case 3:
		text(`{"type":"played","turn":%d,"samples":%d}`, 1+m.rnd.IntN(4), m.number())
	case 4:
		text(`{"type":"abort","turn":%d}`, m.rnd.IntN(4))
	case 5:
		text(`{"type":"wake","phrase":%q,"audio_ms":%d}`, one("", "hello lamp"), m.rnd.IntN(6000))
	case 6:
		text(`{"type":"tool_result","id":"call-%d","content":%q}`, m.rnd.IntN(4), one("", "on", "{"))
	case 7:
		text(`{"type":%q,"id":%d}`, one("ping", "pong", "hold", "dance"), m.number())
	case 8:
		text("%s", one("", "{", "null", `{"type":"listen"}`, `{"type":"played","turn":-1}`, "\xff", `{"type":"hello"}`))
	case 9:
		m.trace = append(m.trace, "gone")
		if m.rnd.IntN(3) == 0 {
			text(`{"type":"bye"}`)
		}
		m.peer.close()
		<-m.read
	default:
		m.speak()
	}
	time.Sleep(time.Duration(m.rnd.IntN(1500)) * time.Millisecond)
}

// speak sends up to two seconds of a question, some of it not as it should be.
func (m *monkey) speak() {
	m.trace = append(m.trace, "speech")
	for range 1 + m.rnd.IntN(33) {
		if m.at+960 > len(m.speech) {
			m.at = 0
		}
		frame := wire.Frame{Type: wire.TypeAudio, Seq: m.seq, Timestamp: m.ts, Payload: pcm.Append(nil, m.speech[m.at:m.at+960])}
		m.at, m.seq, m.ts = m.at+960, m.seq+1, m.ts+960
		switch m.rnd.IntN(40) {
		case 0:
			frame.Payload = frame.Payload[:m.rnd.IntN(len(frame.Payload))]
		case 1:
			frame.Seq = m.number()
		case 2:
			frame.Timestamp = m.number()
		case 3:
			frame.Flags, frame.Gap, frame.Payload = wire.FlagGap, 1+m.number()%wire.MaxGap, nil
		case 4:
			frame.Flags = wire.Flags(m.rnd.IntN(4))
		case 5:
			continue // lost
		}
		b, err := wire.AppendFrame(nil, frame)
		if err != nil {
			m.h.t.Errorf("%+v: %v", frame, err)
			return
		}
		if m.rnd.IntN(40) == 0 {
			b = b[:m.rnd.IntN(len(b))]
		}
		if m.peer.conn.Write(context.Background(), websocket.MessageBinary, b) != nil {
			return
		}
		time.Sleep(60 * time.Millisecond)
	}
}

// "Bad input" in any order: four devices do anything at all for some minutes. Nothing
// in the server fails, no device is told that the server failed, and afterwards a
// question is answered.
func TestAnythingAtAll(t *testing.T) {
	question := recording(t, "what time is it")
	seeds := []uint64{0, 1, 43} // the last found speech that interrupted and then became nothing
	if full {
		for seed := uint64(100); seed < 200; seed++ {
			seeds = append(seeds, seed)
		}
	}
	for _, seed := range seeds {
		engines, err := scripted("what time is it", "", counted)
		if err != nil {
			t.Fatal(err)
		}
		model := &sobering{moody: &moody{rnd: rand.New(rand.NewPCG(seed, 11))}}
		engines.Generator = model
		crowd(t, engines, func(t *testing.T, h *house) {
			ended := make(chan *monkey, 4)
			for i := range 4 {
				m := &monkey{h: h, rnd: rand.New(rand.NewPCG(seed, uint64(i))), speech: question, device: fmt.Sprint("m", i), told: make(chan wire.Failure, 1000)}
				go func() {
					m.connect()
					for range 100 {
						m.act()
					}
					m.peer.close()
					<-m.read
					ended <- m
				}()
			}
			codes := make(map[wire.ErrorCode]int)
			for range 4 {
				m := <-ended
				close(m.told)
				for f := range m.told {
					codes[f.Code]++
					if f.Code == wire.CodeInternal {
						t.Errorf("seed %d: %s was told %+v after %q", seed, m.device, f, m.trace[max(0, len(m.trace)-20):])
					}
				}
			}
			time.Sleep(time.Minute)
			turns := 0
			for _, rec := range h.log.events(t) {
				switch e := rec.Event.(type) {
				case log.SessionEnd:
					turns += e.Turns
				case log.Error:
					if e.Stage == "session" {
						t.Errorf("seed %d: %s: %s", seed, e.Code, e.Message)
					}
				}
			}
			t.Logf("seed %d: %d turns, told %v", seed, turns, codes)
			if turns == 0 {
				t.Errorf("seed %d: nobody was answered: the devices showed nothing", seed)
			}
			model.sober.Store(true)
			d := h.dial(nil)
			h.ask(d, question)
			h.hangUp(d)
		})
	}
}

// sobering is a moody model that becomes a plain one.
type sobering struct {
	*moody
	sober atomic.Bool
}

func (s *sobering) GenerateStream(ctx context.Context, pattern string, mc transformers.ModelContext) (realtime.Stream, error) {
	if s.sober.Load() {
		return scriptedGenerator("It is half past nine.").GenerateStream(ctx, pattern, mc)
	}
	return s.moody.GenerateStream(ctx, pattern, mc)
}
