package edge

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// Who promises a body and never sends it is answered at once, and does not keep
// the connection.
func TestBodilessAnswersAtOnce(t *testing.T) {
	t.Run("a length", func(t *testing.T) { testPromisedBody(t, "Content-Length: 5") })
	t.Run("chunks", func(t *testing.T) { testPromisedBody(t, "Transfer-Encoding: chunked") })
}

func testPromisedBody(t *testing.T, promise string) {
	synctest.Test(t, func(t *testing.T) {
		server, err := New(Config{Handler: func(context.Context, *Leg) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		client, ours := net.Pipe()
		listener := &oneConn{conn: ours, closed: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- server.Serve(ctx, listener) }()

		begin := time.Now()
		if _, err := client.Write([]byte("GET /healthz HTTP/1.1\r\nHost: edged\r\n" + promise + "\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); answer.StatusCode != http.StatusBadRequest || waited != 0 {
			t.Errorf("answered %d after %s, want 400 at once", answer.StatusCode, waited)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		if _, err := client.Read(make([]byte, 1)); err == nil {
			t.Error("the connection goes on, want it closed")
		}
		if waited := time.Since(begin); waited > readHeaderTimeout {
			t.Errorf("the connection was closed after %s, want %s at most", waited, readHeaderTimeout)
		}
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error {
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	return nil
}

func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }
