package ws

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"edged/edge"
	"edged/firmware-protocol/wire"
)

// diary is what a server has logged.
type diary struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (d *diary) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(p)
}

// checkCalm fails the test if the server has panicked, or logged a token.
func (d *diary) checkCalm(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, word := range []string{"panic", lampToken, toyToken} {
		if bytes.Contains(d.text.Bytes(), []byte(word)) {
			t.Errorf("%q in the log: %s", word, d.text.Bytes())
		}
	}
}

// FuzzRequest: whatever comes in place of an HTTP request, nothing panics; what
// is refused is refused with a status of its own and a reason in JSON, and only
// what shows a known token, or none yet, becomes a WebSocket. A peer that has
// become one and says nothing more is told that, not kept.
func FuzzRequest(f *testing.F) {
	f.Fuzz(func(t *testing.T, request []byte) {
		if len(request) > 8<<10 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			log := &diary{}
			r := newRig(t, edge.Config{Handler: waits, Authenticator: tokens(t), Log: zerolog.New(log)}, Config{Origins: []string{"https://panel.example"}}, true)
			defer log.checkCalm(t)
			defer r.stop()
			conn, err := r.client.Transport.(*http.Transport).DialContext(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			checkResponses(t, request, exchange(conn, request))
		})
	})
}

// exchange sends bytes and returns all that comes back until the server closes,
// or for five minutes.
func exchange(conn net.Conn, send []byte) []byte {
	cut := time.AfterFunc(5*time.Minute, func() { _ = conn.Close() })
	defer cut.Stop()
	var writing sync.WaitGroup
	writing.Go(func() { _, _ = conn.Write(send) })
	got, _ := io.ReadAll(conn)
	_ = conn.Close()
	writing.Wait()
	return got
}

// checkResponses reads the answers to what was sent.
func checkResponses(t *testing.T, request, got []byte) {
	t.Helper()
	requests, responses := bufio.NewReader(bytes.NewReader(request)), bufio.NewReader(bytes.NewReader(got))
	for {
		asked, _ := http.ReadRequest(requests)
		answer, err := http.ReadResponse(responses, asked)
		if err != nil {
			if _, rest := responses.Peek(1); rest == nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("an answer that is none in %q: %v", got, err)
			}
			return
		}
		body, err := io.ReadAll(answer.Body)
		if answer.StatusCode == http.StatusSwitchingProtocols {
			checkUpgraded(t, asked, answer)
			return
		}
		if err != nil {
			t.Fatalf("the answer %s has a body that cannot be read: %v", answer.Status, err)
		}
		allowed := []int{200, 301, 307, 400, 401, 403, 404, 405, 408, 413, 417, 426, 431, 501, 503, 505}
		if !slices.Contains(allowed, answer.StatusCode) {
			t.Fatalf("status %s: %q", answer.Status, body)
		}
		if answer.StatusCode >= 400 && strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") && len(body) > 0 {
			var told struct {
				Error struct{ Code, Message string }
			}
			if err := json.Unmarshal(body, &told); err != nil || told.Error.Code == "" || told.Error.Message == "" {
				t.Fatalf("status %s with the reason %q: %v", answer.Status, body, err)
			}
		}
		if asked != nil && asked.Body != nil {
			_, _ = io.Copy(io.Discard, asked.Body)
		}
	}
}

// checkUpgraded checks who has become a WebSocket.
func checkUpgraded(t *testing.T, asked *http.Request, answer *http.Response) {
	t.Helper()
	if asked == nil || asked.Method != http.MethodGet {
		t.Fatalf("%+v becomes a WebSocket", asked)
	}
	if p := answer.Header.Get("Sec-WebSocket-Protocol"); p != "" && p != wire.Protocol {
		t.Fatalf("the subprotocol is %q", p)
	}
	if origin := asked.Header.Get("Origin"); origin != "" && !strings.EqualFold(strings.TrimSuffix(origin, "/"), "https://panel.example") {
		t.Fatalf("a page of %q is let in", origin)
	}
	bearer := strings.Fields(asked.Header.Get("Authorization"))
	shown := asked.URL.Query().Get("token")
	if len(bearer) >= 2 && strings.EqualFold(bearer[0], "Bearer") {
		shown = strings.Join(bearer[1:], " ")
	}
	if shown != "" && shown != lampToken && shown != toyToken {
		t.Fatalf("with the token %q", shown)
	}
}

// FuzzConnection: whatever a device says as its hello and after it, nothing
// panics, memory stays bounded, all that the server says is of the protocol, and
// it ends with a close code of the protocol. The messages are a program: one byte
// for the kind of message (text, binary, time that passes) and one for its length,
// then the message.
func FuzzConnection(f *testing.F) {
	f.Fuzz(func(t *testing.T, token bool, hello, program []byte) {
		if len(hello) > readLimit+10 || len(program) > 4<<10 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			log := &diary{}
			r := newRig(t, edge.Config{Handler: parrot, Authenticator: tokens(t), Log: zerolog.New(log)}, Config{}, true)
			defer log.checkCalm(t)
			defer r.stop()
			var headers []string
			if token {
				headers = []string{"Authorization: Bearer " + lampToken}
			}
			p, _, err := r.dial("", headers...)
			if err != nil {
				t.Fatal(err)
			}
			var reading sync.WaitGroup
			known := token || bytes.Contains(hello, []byte(lampToken)) || bytes.Contains(hello, []byte(toyToken))
			reading.Go(func() { checkSpoken(t, p, token, known) })
			converse(p, hello, program)
			_ = p.conn.Close(websocket.StatusNormalClosure, "")
			reading.Wait()
			runtime.ReadMemStats(&after)
			if spent := after.TotalAlloc - before.TotalAlloc; spent > 64<<20+uint64(len(program))*256<<10 {
				t.Errorf("%d bytes of program took %d bytes of memory", len(program), spent)
			}
		})
	})
}

// converse says hello and what the program says, until the connection is gone.
func converse(p *peer, hello, program []byte) {
	ctx := context.Background()
	if p.conn.Write(ctx, websocket.MessageText, hello) != nil {
		return
	}
	for len(program) >= 2 {
		kind, n := program[0], min(int(program[1]), len(program)-2)
		message := program[2 : 2+n]
		if kind%4 == 3 {
			time.Sleep(time.Duration(program[1]) * 20 * ms)
			program = program[2:]
			continue
		}
		program = program[2+n:]
		typ := websocket.MessageText
		if kind%4 == 2 {
			typ = websocket.MessageBinary
		}
		if p.conn.Write(ctx, typ, message) != nil {
			return
		}
		synctest.Wait()
	}
}

// checkSpoken reads what the server says, to the end. A device that has shown no
// known token gets no hello.
func checkSpoken(t *testing.T, p *peer, token, known bool) {
	welcome := false
	for {
		typ, b, err := p.conn.Read(context.Background())
		if err != nil {
			codes := []websocket.StatusCode{-1, websocket.StatusNormalClosure, wire.CloseProtocol, wire.CloseVersion, wire.CloseMalformed, wire.CloseTooLarge,
				wire.CloseAudio, wire.CloseUnauthorized, wire.CloseTimeout, wire.CloseBusy}
			if code := websocket.CloseStatus(err); !slices.Contains(codes, code) {
				t.Errorf("closed with %v", err)
			}
			return
		}
		if typ == websocket.MessageBinary {
			if f, err := wire.ParseFrame(b); err != nil || f.Track != wire.TrackVoice || !welcome {
				t.Errorf("a frame %+v: %v", f, err)
			}
			continue
		}
		m, err := wire.DecodeMessage(wire.FromServer, b)
		if err != nil {
			t.Errorf("%s is not of the protocol: %v", b, err)
		}
		switch m := m.(type) {
		case wire.ServerHello:
			if welcome || !known || m.Device != "lamp" && token {
				t.Errorf("hello %+v", m)
			}
			welcome = true
		case wire.Failure, wire.Bye:
		default:
			if !welcome {
				t.Errorf("%s before the hello", b)
			}
		}
	}
}
