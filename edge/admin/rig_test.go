package admin_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"edged/edge/admin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "0123456789abcdef"

// tape is a Feed of lines that a test adds. The id of a line is its number.
type tape struct {
	mu    sync.Mutex
	lines []admin.Line
	ended bool
	news  chan struct{} // closed and made anew at each change
	from  []admin.From  // of the tails so far
	open  int           // tails
}

func newTape(lines ...admin.Line) *tape {
	t := &tape{news: make(chan struct{})}
	t.add(lines...)
	return t
}

func (t *tape) add(lines ...admin.Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range lines {
		l.ID = strconv.Itoa(len(t.lines) + 1)
		t.lines = append(t.lines, l)
	}
	close(t.news)
	t.news = make(chan struct{})
}

func (t *tape) end() {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	t.add()
}

func (t *tape) Tail(from admin.From) (admin.Tail, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.from = append(t.from, from)
	begin := len(t.lines)
	if !from.Since.IsZero() {
		begin = 0
	}
	if from.After != "" {
		n, err := strconv.Atoi(from.After)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", admin.ErrPosition, err)
		}
		begin = n
	}
	t.open++
	return &reel{tape: t, next: begin}, nil
}

// tails returns how many are open.
func (t *tape) tails() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open
}

// reel is a Tail of a tape.
type reel struct {
	tape *tape
	next int
}

func (r *reel) Ready() (admin.Line, bool) {
	r.tape.mu.Lock()
	defer r.tape.mu.Unlock()
	if r.next >= len(r.tape.lines) {
		return admin.Line{}, false
	}
	r.next++
	return r.tape.lines[r.next-1], true
}

func (r *reel) Next(ctx context.Context) (admin.Line, error) {
	for {
		r.tape.mu.Lock()
		news, ended := r.tape.news, r.tape.ended
		r.tape.mu.Unlock()
		if l, ok := r.Ready(); ok {
			return l, nil
		}
		if ended {
			return admin.Line{}, io.EOF
		}
		select {
		case <-news:
		case <-ctx.Done():
			return admin.Line{}, context.Cause(ctx)
		}
	}
}

func (r *reel) Position() string { return strconv.Itoa(r.next) }

func (r *reel) Close() {
	r.tape.mu.Lock()
	defer r.tape.mu.Unlock()
	r.tape.open--
}

// line is an event of a device, whose session is named after it.
func line(event, device string) admin.Line {
	session := "session-of-" + device
	return admin.Line{
		Event: event, Device: device, Session: session,
		JSON: fmt.Appendf(nil, `{"v":1,"event":%q,"session":%q,"device":%q}`, event, session, device),
	}
}

// cast is a Directory of one session.
type cast struct{}

func (cast) Sessions(device string) any { return []string{"those of " + device} }

func (cast) Session(id string) (any, error) {
	switch id {
	case "s1":
		return map[string]int{"turns": 3}, nil
	case "s":
		return nil, fmt.Errorf("%w: s1, s2", admin.ErrAmbiguous)
	case "broken":
		return nil, io.ErrUnexpectedEOF
	}
	return nil, admin.ErrUnknown
}

// serve serves the API over real sockets.
func serve(t *testing.T, feed admin.Feed, tails int) *httptest.Server {
	t.Helper()
	h, err := admin.New(admin.Config{Token: token, Events: feed, Sessions: cast{}, Tails: tails})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		server.Close()
	})
	return server
}

// ask makes a request with the token. Header lines are "Name: value".
func ask(t *testing.T, server *httptest.Server, method, path string, header ...string) *http.Response {
	t.Helper()
	request, err := http.NewRequest(method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	for _, h := range header {
		if name, value, ok := strings.Cut(h, ": "); ok {
			request.Header.Set(name, value)
		}
	}
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// body reads an answer to its end.
func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// lines reads n lines of an answer that does not end.
func lines(t *testing.T, r *bufio.Reader, n int) string {
	t.Helper()
	var b strings.Builder
	for range n {
		text, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", b.String(), err)
		}
		b.WriteString(text)
	}
	return b.String()
}
