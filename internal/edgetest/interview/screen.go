package interview

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
)

// backlog bounds the lines that wait for a slow terminal.
const backlog = 1024

// screen shows what happens as it happens. Events come from the device's reader,
// which must not wait for a terminal, so a goroutine of its own prints; what does
// not fit is dropped and counted.
type screen struct {
	lines chan string
	done  chan struct{}

	mu      sync.Mutex
	closed  bool
	dropped int
	last    string // the last partial
}

// newScreen prints to w until close; a nil w prints nothing.
func newScreen(w io.Writer) *screen {
	s := &screen{lines: make(chan string, backlog), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		for line := range s.lines {
			if w != nil {
				_, _ = io.WriteString(w, line+"\n") // a closed screen is no reason to fail
			}
		}
	}()
	return s
}

// close prints what waits and ends. It is idempotent.
func (s *screen) close() {
	s.mu.Lock()
	if !s.closed {
		if s.dropped > 0 {
			s.push(fmt.Sprintf("(%d lines did not fit)", s.dropped))
		}
		s.closed = true
		close(s.lines)
	}
	s.mu.Unlock()
	<-s.done
}

func (s *screen) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(fmt.Sprintf(format, args...))
}

// push needs mu.
func (s *screen) push(line string) {
	if s.closed {
		return
	}
	select {
	case s.lines <- line:
	default:
		s.dropped++
	}
}

// event shows a message.
func (s *screen) event(e edgetest.Event) {
	if e.From != wire.FromServer {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := e.Message.(type) {
	case wire.Transcript:
		if !m.Final && m.Text != s.last {
			s.last = m.Text
			s.push("  hearing   " + m.Text + " ...")
		}
		if m.Final {
			s.last = ""
			s.push("  heard     " + orNothing(m.Text))
		}
	case wire.ReplyText:
		s.push("  reply     " + strings.TrimSpace(m.Text))
	case wire.ToolCall:
		s.push("  tool      " + m.Name + " " + string(m.Arguments))
	case wire.Flush:
		s.push("  flush     " + string(m.Cause))
	case wire.Failure:
		s.push(fmt.Sprintf("  error     %s: %s", m.Code, m.Message))
	}
}

func orNothing(text string) string {
	if text == "" {
		return "(nothing understood)"
	}
	return text
}
