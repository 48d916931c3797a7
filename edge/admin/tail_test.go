package admin_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/edge/admin"
)

// story is what happened on a server.
func story() *tape {
	return newTape(
		line("session.start", "kitchen"), line("asr.partial", "kitchen"), line("asr.final", "kitchen"),
		line("session.start", "hall"), line("barge_in.reject", "hall"), line("interrupt", "kitchen"),
	)
}

// Who asks for a part gets that part, with the ids of the whole.
func TestFilters(t *testing.T) {
	feed := story()
	feed.add(admin.Line{Event: "log.gap", JSON: []byte(`{}`), Gap: true})
	server := serve(t, feed, 0)
	tests := []struct{ query, want string }{
		{"", "1 2 3 4 5 6 7"},
		{"&device=kitchen", "1 2 3 6 7"},
		{"&device=kitchen&device=hall", "1 2 3 4 5 6 7"},
		{"&device=k*n", "1 2 3 6 7"},
		{"&device=itche", "7"},
		{"&device=*all", "4 5 7"},
		{"&session=session-of-hall", "4 5 7"},
		{"&event=asr", "2 3 7"},
		{"&event=asr.*", "2 3 7"},
		{"&event=as", "7"},
		{"&event=*.start,%20interrupt", "1 4 6 7"},
		{"&event=asr,interrupt&device=kitchen", "2 3 6 7"},
		{"&event=*e*c*", "5 7"},
		{"&event=interrupt*", "6 7"},
		{"&device=cellar", "7"}, // a gap concerns everybody
	}
	for _, tt := range tests {
		r := ask(t, server, "GET", admin.Prefix+"events?follow=false&since=1h"+tt.query)
		var ids []string
		for l := range strings.Lines(body(t, r)) {
			if id, ok := strings.CutPrefix(l, "id: "); ok {
				ids = append(ids, strings.TrimSpace(id))
			}
		}
		if got := strings.Join(ids[1:], " "); got != tt.want { // the first is the position
			t.Errorf("%s: events %s, want %s", tt.query, got, tt.want)
		}
	}
}

// The two formats, byte by byte.
func TestFormats(t *testing.T) {
	feed := newTape(line("wake", "hall"), admin.Line{JSON: []byte(`{}`)}, admin.Line{Event: "odd", JSON: []byte(`not JSON`)})
	server := serve(t, feed, 0)
	const hall = `"v":1,"event":"wake","session":"session-of-hall","device":"hall"}`
	sse := "id: 0\n\nid: 1\nevent: wake\ndata: {" + hall + "\n\nid: 2\ndata: {}\n\nid: 3\nevent: odd\ndata: not JSON\n\n"
	ndjson := "\n{\"id\":\"1\"," + hall + "\n{\"id\":\"2\"}\n"
	for accept, want := range map[string]string{
		"": sse, "text/event-stream": sse, "*/*": sse, "text/html, text/*;q=0.3": sse,
		"application/x-ndjson": ndjson, "application/xml, application/x-ndjson;q=0.1": ndjson,
	} {
		r := ask(t, server, "GET", admin.Prefix+"events?follow=false&since=1h", "Accept: "+accept)
		if got := body(t, r); got != want {
			t.Errorf("Accept %q:\n%q, want\n%q", accept, got, want)
		}
		if r.Header.Get("Cache-Control") != "no-store" {
			t.Error("events may be stored on their way")
		}
	}
}

// Where a tail begins: the header counts more than the parameter.
func TestFrom(t *testing.T) {
	server := serve(t, story(), 0)
	for _, tt := range []struct{ query, header, want string }{
		{"after=4", "", "5 6"},
		{"after=4&since=1h", "", "5 6"},
		{"after=1", "Last-Event-ID: 5", "6"},
		{"", "", ""},
		{"since=2020-01-01T00:00:00Z", "", "1 2 3 4 5 6"},
	} {
		r := ask(t, server, "GET", admin.Prefix+"events?follow=false&"+tt.query, tt.header)
		var ids []string
		for l := range strings.Lines(body(t, r)) {
			if id, ok := strings.CutPrefix(l, "id: "); ok {
				ids = append(ids, strings.TrimSpace(id))
			}
		}
		if got := strings.Join(ids[1:], " "); got != tt.want {
			t.Errorf("%s %s: events %q, want %q", tt.query, tt.header, got, tt.want)
		}
	}
}

// What happens is told at once, until the feed ends.
func TestFollow(t *testing.T) {
	feed := newTape()
	server := serve(t, feed, 0)
	r := ask(t, server, "GET", admin.Prefix+"events?device=hall")
	reader := bufio.NewReader(r.Body)
	if got := lines(t, reader, 2); got != "id: 0\n\n" {
		t.Fatalf("first comes %q, want the position", got)
	}
	for _, name := range []string{"wake", "hold"} {
		feed.add(line(name, "kitchen"), line(name, "hall"))
		if got := lines(t, reader, 4); !strings.Contains(got, "event: "+name+"\n") || !strings.Contains(got, `"device":"hall"`) {
			t.Errorf("then %q, want %s of hall", got, name)
		}
	}
	feed.end()
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		t.Errorf("at the end of the feed: %q, %v", rest, err)
	}
}

// There are only so many tails; who ends makes room.
func TestTooManyTails(t *testing.T) {
	feed := newTape()
	server := serve(t, feed, 2)
	first := ask(t, server, "GET", admin.Prefix+"events")
	second := ask(t, server, "GET", admin.Prefix+"events")
	third := ask(t, server, "GET", admin.Prefix+"events")
	if text := body(t, third); first.StatusCode != 200 || second.StatusCode != 200 || third.StatusCode != 429 ||
		third.Header.Get("Retry-After") == "" || !strings.Contains(text, "2 tails") {
		t.Errorf("statuses %d, %d, %d; the third is told %q", first.StatusCode, second.StatusCode, third.StatusCode, text)
	}
	if r := ask(t, server, "GET", admin.Prefix+"sessions"); r.StatusCode != 200 {
		t.Errorf("the list of sessions, meanwhile: %d", r.StatusCode)
	}
	feed.end()
	body(t, first)
	body(t, second)
	if r := ask(t, server, "GET", admin.Prefix+"events?follow=false"); r.StatusCode != 200 {
		t.Errorf("after the others have ended: %d", r.StatusCode)
	}
}

// A HEAD request is answered, not followed.
func TestHead(t *testing.T) {
	server := serve(t, story(), 1)
	for range 3 {
		if r := ask(t, server, "HEAD", admin.Prefix+"events"); r.StatusCode != 200 {
			t.Errorf("status %d", r.StatusCode)
		}
	}
}

// pipes is a listener whose connections are net.Pipe, so that it can be used in
// virtual time and a reader that does not read is noticed with the first byte.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// dial opens a tail by hand and reads the head of the answer.
func (p *pipes) dial(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	client, server := net.Pipe()
	p.conns <- server
	go io.WriteString(client, "GET /v1/admin/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+token+"\r\n\r\n")
	reader := bufio.NewReaderSize(client, 16)
	for {
		text, err := reader.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if text == "\r\n" {
			return client, reader
		}
	}
}

// onPipes runs the API's own server in virtual time.
func onPipes(t *testing.T, f func(t *testing.T, feed *tape, p *pipes, stop func() error)) {
	synctest.Test(t, func(t *testing.T) {
		feed := newTape()
		h, err := admin.New(admin.Config{Token: token, Events: feed, Sessions: cast{}, Tails: 1})
		if err != nil {
			t.Fatal(err)
		}
		p := &pipes{make(chan net.Conn), make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- h.Serve(ctx, p) }()
		f(t, feed, p, func() error {
			cancel()
			return <-served
		})
	})
}

// A tail that has nothing to say sends its position every 15 seconds.
func TestHeartbeat(t *testing.T) {
	onPipes(t, func(t *testing.T, feed *tape, p *pipes, stop func() error) {
		conn, reader := p.dial(t)
		defer conn.Close()
		lines(t, reader, 3) // length of the chunk, id, empty line
		begin := time.Now()
		feed.add(line("wake", "hall"))
		lines(t, reader, 2+4)
		for beat := 1; beat <= 3; beat++ {
			got := lines(t, reader, 2+2)
			if !strings.HasSuffix(got, "id: 1\n\n") {
				t.Errorf("a heartbeat is %q, want the position", got)
			}
			if after := time.Since(begin); after != time.Duration(beat)*15*time.Second {
				t.Errorf("beat %d came after %v", beat, after)
			}
		}
		go io.Copy(io.Discard, reader)
		if err := stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// Who does not read for 10 seconds is cut off, and makes room for another.
func TestReaderThatStandsStill(t *testing.T) {
	onPipes(t, func(t *testing.T, feed *tape, p *pipes, stop func() error) {
		conn, _ := p.dial(t)
		defer conn.Close()
		feed.add(line("wake", "hall"))
		time.Sleep(9 * time.Second)
		synctest.Wait()
		if n := feed.tails(); n != 1 {
			t.Fatalf("after 9 s %d tails are open, want it still there", n)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := feed.tails(); n != 0 {
			t.Errorf("after 11 s %d tails are open, want none", n)
		}
		again, reader := p.dial(t)
		defer again.Close()
		go io.Copy(io.Discard, reader)
		if err := stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// The end of the server waits for nobody who does not read.
func TestServeEnds(t *testing.T) {
	onPipes(t, func(t *testing.T, feed *tape, p *pipes, stop func() error) {
		conn, _ := p.dial(t)
		defer conn.Close()
		synctest.Wait() // the handler is stuck in its first write
		begin := time.Now()
		if err := stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("the end took %v", took)
		}
		if n := feed.tails(); n != 0 {
			t.Errorf("%d tails are open", n)
		}
	})
}

// A listener that fails ends Serve with its error.
func TestServeFails(t *testing.T) {
	h, err := admin.New(admin.Config{Token: token, Events: newTape(), Sessions: cast{}})
	if err != nil {
		t.Fatal(err)
	}
	p := &pipes{make(chan net.Conn), make(chan struct{})}
	p.Close()
	if err := h.Serve(t.Context(), p); !errors.Is(err, net.ErrClosed) {
		t.Errorf("err = %v, want net.ErrClosed", err)
	}
}
