package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script answers the n-th request with its n-th function, and the others with
// its last one. It notes what was asked.
type script struct {
	answers []http.HandlerFunc
	asked   chan *http.Request
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := len(s.asked)
	s.asked <- r
	s.answers[min(n, len(s.answers)-1)](w, r)
}

// events answers with a stream that ends after the text.
func events(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
}

// status refuses, with a sentence unless it is empty.
func status(code int, sentence string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		if sentence != "" {
			fmt.Fprintf(w, `{"error":%q}`, sentence)
		}
	}
}

// play runs the script on a server in virtual time, and a client against it.
func play(t *testing.T, answers []http.HandlerFunc, f func(t *testing.T, s *script, c *Client)) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: answers, asked: make(chan *http.Request, 100)}
		p := &pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: s}
		served := make(chan error)
		go func() { served <- server.Serve(p) }()
		transport := &http.Transport{DialContext: p.dial}
		f(t, s, &Client{URL: "http://edge", Token: func() string { return "secret" }, HTTP: &http.Client{Transport: transport}})
		transport.CloseIdleConnections()
		server.Close()
		<-served
	})
}

// pipes is a network of net.Pipe.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// tail collects lines until the end of the tail.
func tail(ctx context.Context, c *Client, f Filter) (lines []string, lost []string, err error) {
	err = c.Tail(ctx, f, func(line []byte) error {
		lines = append(lines, string(line))
		return nil
	}, func(err error, retry time.Duration) {
		lost = append(lost, fmt.Sprintf("%v, again in %v", err, retry))
	})
	return lines, lost, err
}

// A lost connection is opened again behind the last event, even one that was only
// a position, and with the same filter; a refusal ends the tail.
func TestResume(t *testing.T) {
	play(t, []http.HandlerFunc{
		events("id: e-1\nevent: wake\ndata: {\"n\":1}\n\nid: e-2\ndata: {\"n\":2}\n\nid: e-7\n\nid: e-8\ndata: cut o"),
		status(503, "starting"),
		events("id: e-8\ndata: {\"n\":3}\n\n"),
		status(401, "the token is wrong"),
	}, func(t *testing.T, s *script, c *Client) {
		begin := time.Now()
		lines, lost, err := tail(t.Context(), c, Filter{Devices: []string{"hall", "kitchen"}, Events: []string{"asr"}, Since: "10m"})
		if got := strings.Join(lines, " "); got != `{"n":1} {"n":2} {"n":3}` {
			t.Errorf("lines %s, want each once and not the one that was cut off", got)
		}
		refused := new(Error)
		if !errors.As(err, &refused) || refused.Status != 401 || !strings.Contains(err.Error(), "the token is wrong") {
			t.Errorf("err = %v, want the refusal: it would be the same next time", err)
		}
		want := "unexpected EOF, again in 250ms; the server says: starting (status 503), again in 500ms; unexpected EOF, again in 250ms"
		if got := strings.Join(lost, "; "); got != want {
			t.Errorf("lost: %s\nwant: %s", got, want)
		}
		if took := time.Since(begin); took != time.Second {
			t.Errorf("took %v, want the pauses, 1s", took)
		}
		for i, last := range []string{"", "e-7", "e-7", "e-8"} {
			r := <-s.asked
			if got := r.Header.Get("Last-Event-ID"); got != last {
				t.Errorf("request %d goes on behind %q, want %q", i+1, got, last)
			}
			if got := r.URL.RequestURI(); got != "/v1/admin/events?device=hall&device=kitchen&event=asr&since=10m" {
				t.Errorf("request %d asks for %s", i+1, got)
			}
			if got := r.Header.Get("Authorization"); got != "Bearer secret" {
				t.Errorf("request %d shows %q", i+1, got)
			}
		}
	})
}

// A connection over which nothing comes for 45 seconds, not even a position, is
// taken for lost; one that brings positions is not.
func TestSilence(t *testing.T) {
	play(t, []http.HandlerFunc{
		func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				io.WriteString(w, "id: e-1\n\n")
				http.NewResponseController(w).Flush()
				time.Sleep(15 * time.Second)
			}
			<-r.Context().Done()
		},
		status(404, ""),
	}, func(t *testing.T, _ *script, c *Client) {
		begin := time.Now()
		_, lost, err := tail(t.Context(), c, Filter{})
		if got := strings.Join(lost, "; "); got != "nothing came for 45s, again in 250ms" {
			t.Errorf("lost: %s", got)
		}
		if took, want := time.Since(begin), 9*15*time.Second+45*time.Second+250*time.Millisecond; took != want {
			t.Errorf("took %v, want %v", took, want)
		}
		if err == nil || !strings.Contains(err.Error(), "is this an edged server") {
			t.Errorf("err = %v, want a hint at what answers with 404 and no reason", err)
		}
	})
}

// The ways in which a tail ends.
func TestEnds(t *testing.T) {
	stay := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "id: e-1\ndata: {}\n\n")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	play(t, []http.HandlerFunc{stay}, func(t *testing.T, _ *script, c *Client) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if lines, lost, err := tail(ctx, c, Filter{}); !errors.Is(err, context.DeadlineExceeded) || len(lines) != 1 || len(lost) != 0 {
			t.Errorf("with its context: %v, %v, %v", lines, lost, err)
		}
	})
	play(t, []http.HandlerFunc{stay}, func(t *testing.T, _ *script, c *Client) {
		if err := c.Tail(t.Context(), Filter{}, func([]byte) error { return io.ErrShortWrite }, nil); err != io.ErrShortWrite {
			t.Errorf("with its reader: %v", err)
		}
	})
	play(t, []http.HandlerFunc{events("id: e-1\ndata: {}\n\n")}, func(t *testing.T, s *script, c *Client) {
		if lines, _, err := tail(t.Context(), c, Filter{NoFollow: true}); err != nil || len(lines) != 1 {
			t.Errorf("not following: %v, %v", lines, err)
		}
		if r := <-s.asked; r.URL.Query().Get("follow") != "false" {
			t.Errorf("asked for %s", r.URL)
		}
	})
	play(t, []http.HandlerFunc{status(429, "16 tails are open")}, func(t *testing.T, _ *script, c *Client) {
		if _, lost, err := tail(t.Context(), c, Filter{}); err == nil || len(lost) > 0 {
			t.Errorf("refused at once: %v, %v", lost, err)
		}
	})
}

// Nothing answers, or something that is no edged server does.
func TestNoServer(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	c := &Client{URL: gone.URL, Token: func() string { return "" }}
	if _, _, err := tail(t.Context(), c, Filter{}); !errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), gone.URL) {
		t.Errorf("err = %v, want ErrNoServer with the URL", err)
	}
	for _, bad := range []string{"", "localhost:8080", "ws://localhost:8080", "http://", "::"} {
		c := &Client{URL: bad, Token: func() string { return "" }}
		if _, err := c.Sessions(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:8080") {
			t.Errorf("URL %q: %v, want what a URL looks like", bad, err)
		}
	}
	play(t, []http.HandlerFunc{events("<html>")}, func(t *testing.T, _ *script, c *Client) {
		if _, err := c.Session(t.Context(), "x/y"); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("a page for people: %v", err)
		}
	})
}

// What servers may send, after the HTML standard.
func TestEventReader(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"one", "id: 1\ndata: a\n\n", "1=a"},
		{"no space", "id:1\ndata:a\n\n", "1=a"},
		{"two lines of data", "id: 1\ndata: a\ndata: b\n\n", "1=a\nb"},
		{"comments and other fields", ": hi\nevent: wake\nretry: 9\nid: 1\ndata: a\n\n", "1=a"},
		{"the id stays", "id: 1\ndata: a\n\ndata: b\n\n", "1=a 1=b"},
		{"only an id", "id: 1\n\n", "1"},
		{"empty data", "id: 1\ndata:\n\n", "1="},
		{"lines end with CR LF", "id: 1\r\ndata: a\r\n\r\n", "1=a"},
		{"cut off", "id: 1\ndata: a\n", ""},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newEventReader(strings.NewReader(tt.text))
			var got []string
			for {
				e, err := r.next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if e.data == nil {
					got = append(got, e.id)
				} else {
					got = append(got, e.id+"="+string(e.data))
				}
			}
			if g := strings.Join(got, " "); g != tt.want {
				t.Errorf("events %q, want %q", g, tt.want)
			}
		})
	}
	if _, err := newEventReader(strings.NewReader("data: " + strings.Repeat("x", 3<<20))).next(); err == nil || err == io.EOF {
		t.Errorf("an endless line: %v", err)
	}
	lines := strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 3)
	if _, err := newEventReader(strings.NewReader(lines)).next(); err == nil || err == io.EOF {
		t.Errorf("endless data: %v", err)
	}
}
