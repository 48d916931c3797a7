package ws

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// "Bad input", the request: whatever is wrong with it is answered in HTTP, leaves
// no session behind, and does not keep the next device out.
func TestBadRequest(t *testing.T) {
	signer, err := edge.NewSignedTokens(time.Nanosecond, edge.SigningKey{ID: "k", Secret: []byte(strings.Repeat("k", edge.MinKeyLength))})
	if err != nil {
		t.Fatal(err)
	}
	const expired = "an expired token" // in its place
	garbled := "Authorization: Bearer " + strings.Repeat("\x01\xff", 20)
	tests := []struct {
		name, request string
		status        int
		says          string
		header        string // that must be there
		logged        string
		code          dialog.ErrorCode // under which it is counted; empty: it is not
	}{
		{name: "POST", request: strings.Replace(upgrade("Content-Length: 0"), "GET", "POST", 1), status: 426, says: `"protocol"`, header: "Upgrade", logged: "connection refused", code: dialog.ErrorProtocol},
		{name: "no upgrade", request: upgrade("Connection: close", "Upgrade: "), status: 426, says: `"protocol"`, header: "Upgrade", logged: "connection refused", code: dialog.ErrorProtocol},
		{name: "an upgrade to something else", request: upgrade("Upgrade: h2c"), status: 426, says: `"protocol"`, header: "Upgrade", logged: "connection refused", code: dialog.ErrorProtocol},
		{name: "no key", request: upgrade("Sec-WebSocket-Key: "), status: 400, says: "missing Sec-WebSocket-Key", logged: "upgrade failed"},
		{name: "a short key", request: upgrade("Sec-WebSocket-Key: AAAA"), status: 400, says: "16 byte", logged: "upgrade failed"},
		{name: "another version of WebSocket", request: upgrade("Sec-WebSocket-Version: 8"), status: 400, says: "13", header: "Sec-WebSocket-Version", logged: "upgrade failed"},
		{name: "HTTP/1.0", request: strings.Replace(upgrade(), "HTTP/1.1", "HTTP/1.0", 1), status: 426, says: "HTTP/1.1", logged: "upgrade failed"},
		{name: "another path", request: strings.Replace(upgrade(), "/v1/ws", "/v2/ws", 1), status: 404, says: "not found"},
		{name: "POST to the health of the server", request: "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", status: 405, says: "Not Allowed", header: "Allow"},
		{name: "a path out of the tree", request: strings.Replace(upgrade(), "/v1/ws", "/v1/../../etc/passwd", 1), status: 307, header: "Location"},
		{name: "a header of 32 KiB", request: upgrade("X: " + strings.Repeat("x", 32<<10)), status: 431, says: "Too Large"},
		{name: "no HTTP", request: "EHLO mail.example\r\n\r\n", status: 400, says: "Bad Request"},
		{name: "TLS where none is spoken", request: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", status: 400, says: "Bad Request"},
		{name: "two lengths", request: strings.Replace(upgrade("Content-Length: 4"), "\r\n\r\n", "\r\nContent-Length: 5\r\n\r\n", 1), status: 400, says: "Bad Request"},
		{name: "an expired token", request: upgrade("Authorization: Bearer " + expired), status: 401, says: "expired", header: "WWW-Authenticate", logged: "connection refused", code: dialog.ErrorUnauthorized},
		{name: "a token of 8 KiB", request: upgrade("Authorization: Bearer " + strings.Repeat("t", 8<<10)), status: 401, says: `"unauthorized"`, header: "WWW-Authenticate", logged: "connection refused", code: dialog.ErrorUnauthorized},
		{name: "a token of control characters", request: upgrade(garbled), status: 400, says: "Bad Request"},
		{name: "a token in the query that does not decode", request: strings.Replace(upgrade(), "/v1/ws", "/v1/ws?token=%zz", 1), status: 101},
		{name: "an origin that is no address", request: upgrade("Origin: ::bad::"), status: 403, says: `"unauthorized"`, logged: "connection refused", code: dialog.ErrorUnauthorized},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				token, err := signer.Sign(edge.Identity{Device: "lamp"}, time.Second)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Second)
				var log notices
				r := newRig(t, edge.Config{Handler: waits, Authenticator: edge.Chain{signer, tokens(t)}, Log: log.logger()}, Config{}, true)
				defer time.Sleep(time.Second) // net/http lingers where it breaks off
				defer r.stop()
				p := r.rawDial()
				var talking sync.WaitGroup
				defer talking.Wait()
				defer p.close()
				talking.Go(func() { _ = p.say([]byte(strings.Replace(tt.request, expired, token, 1))) }) // it may not be read to its end
				response, body := p.response()
				if response == nil || response.StatusCode != tt.status || !strings.Contains(body, tt.says) {
					t.Fatalf("answered %+v %q, want %d that says %q", response, body, tt.status, tt.says)
				}
				if tt.header != "" && response.Header.Get(tt.header) == "" {
					t.Errorf("no header %s", tt.header)
				}
				if strings.Contains(body, "ttt") || log.count("ttt") > 0 || log.count(token) > 0 {
					t.Error("a token is repeated")
				}
				if tt.logged != "" && log.count(tt.logged) != 1 {
					t.Errorf("%d lines say %q, want 1", log.count(tt.logged), tt.logged)
				}
				if n := r.server.Sessions(); n != 0 {
					t.Errorf("%d sessions are open", n)
				}
				counted := map[dialog.ErrorCode]uint64{}
				if tt.code != "" {
					counted[tt.code] = 1
				}
				if got := r.server.Totals().Refused; !maps.Equal(got, counted) {
					t.Errorf("counted %v, want %v", got, counted)
				}
				r.connect(helloOf("lamp", opus60, opus60), "Authorization: Bearer "+lampToken).drop()
			})
		})
	}
}

// "Bad input" that is none: a device in a hurry sends its hello, and what it says
// next, with the request, before any of it was answered.
func TestHurry(t *testing.T) {
	r := newRig(t, edge.Config{Handler: waits}, Config{}, false)
	defer r.stop()
	p := r.rawDial()
	defer p.close()
	hello, err := wire.AppendMessage(nil, helloOf("lamp", opus60, opus60))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.say(slices.Concat([]byte(upgrade()), masked(opText, hello), masked(opText, []byte(`{"type":"ping","id":7}`)))); err != nil {
		t.Fatal(err)
	}
	if response, body := p.response(); response == nil || response.StatusCode != 101 {
		t.Fatalf("answered %+v %s", response, body)
	}
	p.await(`"type":"hello"`)
	p.await(`"type":"pong","id":7`)
}

// "Bad input", slowly: a request that does not come to its end is given up, without
// ever having taken a place.
func TestSlowRequest(t *testing.T) {
	tests := []struct {
		name string
		sent string
	}{
		{"nothing at all", ""},
		{"a byte a second", upgrade()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, edge.Config{Handler: waits}, Config{}, true)
				defer r.stop()
				p := r.rawDial()
				defer p.close()
				begin := time.Now()
				var talking sync.WaitGroup
				defer talking.Wait()
				talking.Go(func() {
					for i := range tt.sent {
						if p.say([]byte{tt.sent[i]}) != nil {
							return
						}
						time.Sleep(time.Second)
					}
				})
				if response, _ := p.response(); response != nil && response.StatusCode < 400 {
					t.Errorf("answered %+v", response)
				}
				if took := time.Since(begin); took != 10*time.Second {
					t.Errorf("given up after %v, want the 10 s that a request may take", took)
				}
				if n := r.server.Sessions(); n != 0 {
					t.Errorf("%d sessions are open", n)
				}
			})
		})
	}
}

// "Bad input", a body: a request that promises one and does not send it is answered at
// once, takes no place, and its connection is given up.
func TestRequestBody(t *testing.T) {
	tests := []struct{ name, header string }{
		{"five bytes that never come", "Content-Length: 5"},
		{"4 GB that never come", "Content-Length: 4294967296"},
		{"chunks that never come", "Transfer-Encoding: chunked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, edge.Config{Handler: waits}, Config{}, true)
				defer r.stop()
				p := r.rawDial()
				defer p.close()
				if err := p.say([]byte(upgrade(tt.header))); err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				if response, body := p.response(); response == nil || response.StatusCode != 400 || !strings.Contains(body, "no body") {
					t.Errorf("answered %+v %q, want 400", response, body)
				}
				if took := time.Since(begin); took > 0 {
					t.Errorf("answered after %v, want at once", took)
				}
				if _, err := p.in.ReadByte(); err == nil {
					t.Error("the connection goes on")
				}
				if took := time.Since(begin); took > 10*time.Second {
					t.Errorf("closed after %v, want 10 s at most", took)
				}
				if n := r.server.Sessions(); n != 0 {
					t.Errorf("%d sessions are open", n)
				}
			})
		})
	}
}
