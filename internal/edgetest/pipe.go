package edgetest

import (
	"context"
	"net"
	"sync"
)

// Pipe is a net.Listener without a network: Dial returns one end of a net.Pipe
// and Accept the other. It serves an http.Server inside a synctest bubble, where
// sockets would stop the clock.
type Pipe struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// NewPipe returns a listener that waits for Dial.
func NewPipe() *Pipe {
	return &Pipe{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Dial connects to the listener; network and address do not matter. It waits
// for Accept. The error is ctx's or net.ErrClosed.
func (p *Pipe) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept returns the server's end of the next connection, or net.ErrClosed.
func (p *Pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and Dial. It is idempotent.
func (p *Pipe) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr returns the address "pipe".
func (p *Pipe) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }
