package ws

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// TestRefusedBeforeUpgrade: what is wrong with the HTTP request is answered in
// HTTP, with a JSON body that names code and reason.
func TestRefusedBeforeUpgrade(t *testing.T) {
	r := newRig(t, edge.Config{Handler: waits, Authenticator: tokens(t), MaxSessions: 1},
		Config{Origins: []string{"https://panel.example"}}, false)
	defer r.stop()
	held := r.connect(helloOf("lamp", opus60, opus60), "Authorization: Bearer "+lampToken)
	defer held.drop()
	tests := []struct {
		name    string
		path    string
		headers []string
		status  int
		code    wire.ErrorCode
		header  string // that must be there
	}{
		{"wrong token", "", []string{"Authorization: Bearer wrong"}, 401, wire.CodeUnauthorized, "WWW-Authenticate"},
		{"wrong token in the query", "?token=wrong", nil, 401, wire.CodeUnauthorized, "WWW-Authenticate"},
		{"the header counts before the query", "?token=" + toyToken, []string{"Authorization: Bearer wrong"}, 401, wire.CodeUnauthorized, "WWW-Authenticate"},
		{"a page of another origin", "", []string{"Origin: https://evil.example", "Authorization: Bearer " + toyToken}, 403, wire.CodeUnauthorized, ""},
		{"no place left", "", []string{"Authorization: Bearer " + toyToken}, 503, wire.CodeBusy, "Retry-After"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, response, err := r.dial(tt.path, tt.headers...)
			if err == nil {
				t.Fatal("the connection was upgraded")
			}
			checkRefusal(t, response, tt.status, tt.code)
			if tt.header != "" && response.Header.Get(tt.header) == "" {
				t.Errorf("no %s header", tt.header)
			}
		})
	}
	t.Run("not a WebSocket", func(t *testing.T) {
		response, err := http.Get("http" + strings.TrimPrefix(r.url, "ws"))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		checkRefusal(t, response, 426, wire.CodeProtocol)
		if response.Header.Get("Upgrade") != "websocket" {
			t.Error("no Upgrade header")
		}
	})
	http.DefaultClient.CloseIdleConnections()
}

func checkRefusal(t *testing.T, response *http.Response, status int, code wire.ErrorCode) {
	t.Helper()
	var body struct {
		Error struct{ Code, Message string }
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		t.Errorf("the body is no JSON: %v", err)
	}
	if response.StatusCode != status || body.Error.Code != string(code) || body.Error.Message == "" {
		t.Errorf("status %d, body %+v; want %d and %s with a message", response.StatusCode, body, status, code)
	}
}

// TestTurnedAwayAfterUpgrade: what comes with the hello is answered with an error
// message and a close code.
func TestTurnedAwayAfterUpgrade(t *testing.T) {
	hello := helloOf("lamp", opus60, opus60)
	with := func(edit func(*wire.DeviceHello)) []byte {
		h := hello
		edit(&h)
		b, err := wire.AppendMessage(nil, h)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := with(func(*wire.DeviceHello) {})
	header := "Authorization: Bearer " + lampToken
	tests := []struct {
		name    string
		headers []string
		typ     websocket.MessageType
		first   []byte
		code    wire.ErrorCode
		says    string
	}{
		{"no subprotocol", []string{header, "Subprotocol: "}, websocket.MessageText, nil, wire.CodeVersion, "edged.v1"},
		{"another subprotocol", []string{header, "Subprotocol: edged.v9"}, websocket.MessageText, nil, wire.CodeVersion, "edged.v1"},
		{"another protocol in the hello", []string{header}, websocket.MessageText, with(func(h *wire.DeviceHello) { h.Protocol = "edged.v9" }), wire.CodeVersion, "edged.v9"},
		{"not JSON", []string{header}, websocket.MessageText, []byte("hello"), wire.CodeMalformed, ""},
		{"binary", []string{header}, websocket.MessageBinary, good, wire.CodeProtocol, "as text"},
		{"something else first", []string{header}, websocket.MessageText, []byte(`{"type":"listen","state":"start","mode":"auto"}`), wire.CodeProtocol, "listen"},
		{"an unknown type first", []string{header}, websocket.MessageText, []byte(`{"type":"dance"}`), wire.CodeProtocol, "dance"},
		{"the server's hello", []string{header}, websocket.MessageText, []byte(`{"type":"hello","protocol":"edged.v1","session":"x"}`), wire.CodeMalformed, ""},
		{"a rate that is not served", []string{header}, websocket.MessageText, []byte(strings.Replace(string(good), "16000", "44100", 1)), wire.CodeMalformed, "8000 12000 16000 24000 48000"},
		{"a frame that is not served", []string{header}, websocket.MessageText, []byte(strings.Replace(string(good), `"frame_ms":60`, `"frame_ms":50`, 1)), wire.CodeMalformed, "20 40 60"},
		{"a codec that is not served", []string{header}, websocket.MessageText, []byte(strings.Replace(string(good), "opus", "mp3", 1)), wire.CodeMalformed, "opus pcm"},
		{"a queue of less than a frame", []string{header}, websocket.MessageText, with(func(h *wire.DeviceHello) { h.BufferMS = 40 }), wire.CodeProtocol, "does not hold one packet"},
		{"a hello that is too large", []string{header}, websocket.MessageText, []byte(`{"type":"hello","x":"` + strings.Repeat("x", wire.MaxControl) + `"}`), wire.CodeTooLarge, ""},
		{"no token at all", nil, websocket.MessageText, good, wire.CodeUnauthorized, ""},
		{"a wrong token in the hello", nil, websocket.MessageText, with(func(h *wire.DeviceHello) { h.Token = "wrong" }), wire.CodeUnauthorized, ""},
		{"another device's token in the hello", nil, websocket.MessageText, with(func(h *wire.DeviceHello) { h.Token = toyToken }), wire.CodeUnauthorized, ""},
		{"another device's token in the header", []string{"Authorization: Bearer " + toyToken}, websocket.MessageText, good, wire.CodeUnauthorized, "toy"},
	}
	r := newRig(t, edge.Config{Handler: waits, Authenticator: tokens(t)}, Config{}, false)
	defer r.stop()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, _, err := r.dial("", tt.headers...)
			if err != nil {
				t.Fatal(err)
			}
			defer p.drop()
			p.t = t
			if tt.first != nil {
				p.raw(tt.typ, tt.first)
			}
			status, failure := p.closed()
			if int(status) != tt.code.CloseCode() {
				t.Errorf("closed with %d, want %d", status, tt.code.CloseCode())
			}
			if failure == nil || failure.Code != tt.code || !failure.Fatal || !strings.Contains(failure.Message, tt.says) {
				t.Errorf("told %+v, want a fatal %s that says %q", failure, tt.code, tt.says)
			}
		})
	}
}

// TestTokenPlaces: the header, the query and the hello are all ways in.
func TestTokenPlaces(t *testing.T) {
	identities := make(chan dialog.Hello, 1)
	r := newRig(t, edge.Config{Authenticator: tokens(t), Handler: func(_ context.Context, leg *edge.Leg) error {
		identities <- leg.Hello()
		return nil
	}}, Config{}, false)
	defer r.stop()
	tests := []struct {
		name    string
		path    string
		headers []string
		inHello string
	}{
		{"header", "", []string{"Authorization: Bearer " + lampToken}, ""},
		{"header, case does not matter", "", []string{"Authorization: bearer  " + lampToken}, ""},
		{"query", "?token=" + lampToken, nil, ""},
		{"hello", "", nil, lampToken},
		{"the header counts before the hello", "", []string{"Authorization: Bearer " + lampToken}, "wrong"},
		{"another scheme is no token", "", []string{"Authorization: Basic eDp5"}, lampToken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, _, err := r.dial(tt.path, tt.headers...)
			if err != nil {
				t.Fatal(err)
			}
			defer p.drop()
			hello := helloOf("lamp", opus60, opus60)
			hello.Token = tt.inHello
			p.send(hello)
			got := <-identities
			if got.Device != "lamp" || got.Profile != "home" {
				t.Errorf("served as %q under profile %q", got.Device, got.Profile)
			}
			if status, failure := p.closed(); status != websocket.StatusNormalClosure || failure != nil {
				t.Errorf("closed with %d, %+v", status, failure)
			}
		})
	}
}

// TestOrigins: pages are let in by list, devices are not concerned.
func TestOrigins(t *testing.T) {
	listed := Config{Origins: []string{"https://panel.example", "HTTP://Other.Example:8080/"}}
	tests := []struct {
		cfg    Config
		origin string
		ok     bool
	}{
		{Config{}, "", true},
		{Config{}, "https://panel.example", false},
		{Config{}, "http://127.0.0.1:8080", false},
		{listed, "https://panel.example", true},
		{listed, "https://PANEL.example", true},
		{listed, "http://panel.example", false},
		{listed, "https://panel.example:8443", false},
		{listed, "https://panel.example.evil.example", false},
		{listed, "http://other.example:8080", true},
		{listed, "null", false},
		{Config{LoopbackOrigins: true}, "http://localhost:3000", true},
		{Config{LoopbackOrigins: true}, "http://127.0.0.1", true},
		{Config{LoopbackOrigins: true}, "https://[::1]:3000", true},
		{Config{LoopbackOrigins: true}, "http://localhost.evil.example", false},
		{Config{LoopbackOrigins: true}, "http://127.0.0.1.evil.example", false},
		// The name of the attacker's page was rebound to this machine.
		{Config{LoopbackOrigins: true}, "http://evil.example:8080", false},
		{Config{LoopbackOrigins: true}, "file://localhost/x", false},
		{Config{LoopbackOrigins: true}, "null", false},
		{Config{LoopbackOrigins: true}, "::bad::", false},
		{Config{Origins: []string{"*"}}, "https://anything.example", true},
	}
	for _, tt := range tests {
		if err := newOrigins(tt.cfg).check(tt.origin); (err == nil) != tt.ok {
			t.Errorf("origin %q with %+v: %v, want ok %v", tt.origin, tt.cfg, err, tt.ok)
		}
	}
	r := newRig(t, edge.Config{Handler: waits}, listed, false)
	defer r.stop()
	p, _, err := r.dial("", "Origin: https://panel.example")
	if err != nil {
		t.Fatalf("a listed page was refused: %v", err)
	}
	p.drop()
}

// TestHelloThatNeverComes is F43 and a row of "Bad input": told and closed at the
// deadline, whether nothing comes or half a message.
func TestHelloThatNeverComes(t *testing.T) {
	for _, half := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, edge.Config{Handler: waits}, Config{}, true)
			defer r.stop()
			p, _, err := r.dial("")
			if err != nil {
				t.Fatal(err)
			}
			if half {
				w, err := p.conn.Writer(t.Context(), websocket.MessageText)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := w.Write([]byte(`{"type":"hel`)); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			status, failure := p.closed()
			if took := time.Since(began); took != 10*time.Second {
				t.Errorf("closed after %v, want the hello timeout of 10s", took)
			}
			if int(status) != wire.CloseTimeout || failure == nil || failure.Code != wire.CodeTimeout || !failure.Fatal {
				t.Errorf("closed with %d, told %+v; want a fatal timeout", status, failure)
			}
			p.drop()
		})
	}
}

// TestBusyAfterHello: who shows the token in the hello learns only then that there
// is no place, with a hint when to try again (F47).
func TestBusyAfterHello(t *testing.T) {
	r := newRig(t, edge.Config{Handler: waits, MaxSessions: 2}, Config{}, false)
	defer r.stop()
	for i := range 2 {
		defer r.connect(helloOf(fmt.Sprint("d", i), opus60, opus60)).drop()
	}
	p, _, err := r.dial("")
	if err != nil {
		t.Fatal(err)
	}
	defer p.drop()
	p.send(helloOf("late", opus60, opus60))
	status, failure := p.closed()
	if int(status) != wire.CloseBusy || failure == nil || failure.Code != wire.CodeBusy || failure.RetryAfterMS == 0 {
		t.Errorf("closed with %d, told %+v; want busy with a retry hint", status, failure)
	}
}

// TestPendingIsBounded: without credentials nobody holds more than a bounded number
// of sockets.
func TestPendingIsBounded(t *testing.T) {
	r := newRig(t, edge.Config{Handler: waits, Authenticator: tokens(t)}, Config{}, false)
	defer r.stop()
	var refused *http.Response
	for range 257 {
		p, response, err := r.dial("")
		if err != nil {
			refused = response
			break
		}
		defer p.drop()
	}
	if refused == nil {
		t.Fatalf("%d connections without hello or token are open", 257)
	}
	checkRefusal(t, refused, 503, wire.CodeBusy)
	// A device with a token is not concerned.
	p := r.connect(helloOf("lamp", opus60, opus60), "Authorization: Bearer "+lampToken)
	p.drop()
}

// TestServerHello states what is in force.
func TestServerHello(t *testing.T) {
	r := newRig(t, edge.Config{Handler: waits}, Config{}, false)
	defer r.stop()
	p, _, err := r.dial("")
	if err != nil {
		t.Fatal(err)
	}
	defer p.drop()
	hello := helloOf("lamp", opus20, wireFormat(wire.CodecPCM, 24000, 40))
	hello.BufferMS = 200
	p.send(hello)
	got, ok := p.next().(wire.ServerHello)
	if !ok {
		t.Fatal("no hello")
	}
	session := got.Session
	want := wire.ServerHello{
		Protocol: "edged.v1", Session: session, Device: "lamp", Audio: hello.Audio, LeadMS: 160, PingMS: 20000,
		Limits: wire.Limits{ControlBytes: wire.MaxControl, PayloadBytes: wire.MaxPayload, IdleMS: 60000, ControlPerSecond: 50, AudioPercent: 400},
	}
	if got != want || len(session) < 22 {
		t.Errorf("hello %+v, want %+v with a session that is hard to guess", got, want)
	}
	if p.conn.Subprotocol() != wire.Protocol {
		t.Errorf("subprotocol %q", p.conn.Subprotocol())
	}
}

// TestReplacedOnTheWire is F45 as a device sees it.
func TestReplacedOnTheWire(t *testing.T) {
	r := newRig(t, edge.Config{Handler: waits, Authenticator: tokens(t)}, Config{}, false)
	defer r.stop()
	hello := helloOf("lamp", opus60, opus60)
	old := r.connect(hello, "Authorization: Bearer "+lampToken)
	defer old.drop()
	fresh := r.connect(hello, "Authorization: Bearer "+lampToken)
	defer fresh.drop()
	status, failure := old.closed()
	if int(status) != wire.CloseReplaced || failure == nil || failure.Code != wire.CodeReplaced || !failure.Fatal {
		t.Errorf("the old connection: %d, %+v; want replaced", status, failure)
	}
	fresh.alive()
}

// TestShutdownOnTheWire: devices in every phase are told.
func TestShutdownOnTheWire(t *testing.T) {
	r := newRig(t, edge.Config{Handler: waits}, Config{}, false)
	defer r.stop()
	served := r.connect(helloOf("lamp", opus60, opus60))
	defer served.drop()
	waiting, _, err := r.dial("")
	if err != nil {
		t.Fatal(err)
	}
	defer waiting.drop()
	var telling sync.WaitGroup
	for name, p := range map[string]*peer{"in its session": served, "before its hello": waiting} {
		telling.Go(func() {
			status, failure := p.closed()
			if int(status) != wire.CloseShutdown || failure == nil || failure.Code != wire.CodeShutdown {
				t.Errorf("a device %s: %d, %+v; want shutdown", name, status, failure)
			}
		})
		// The upgrade is through on the server's side, too.
		if err := p.conn.Ping(t.Context()); err != nil {
			t.Errorf("a device %s: %v", name, err)
		}
	}
	r.stop()
	telling.Wait()
}
