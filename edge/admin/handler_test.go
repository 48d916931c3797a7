package admin_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"edged/edge/admin"
)

// Nobody is let in without the token, and it is not taken from anywhere else
// than its header: addresses end up in logs.
func TestToken(t *testing.T) {
	server := serve(t, newTape(), 0)
	tests := []struct {
		name, authorization, query string
		want                       int
	}{
		{"the token", "Bearer " + token, "", 200},
		{"none", "", "", 401},
		{"an empty one", "Bearer ", "", 401},
		{"a part of it", "Bearer " + token[:8], "", 401},
		{"more than it", "Bearer " + token + "0", "", 401},
		{"another scheme", "Basic " + token, "", 401},
		{"without a scheme", token, "", 401},
		{"in the address", "", "?token=" + token, 401},
	}
	for _, path := range []string{"sessions", "sessions/s1", "events", "elsewhere"} {
		for _, tt := range tests {
			if tt.want == 200 && path != "sessions" {
				continue
			}
			t.Run(path+" with "+tt.name, func(t *testing.T) {
				r := ask(t, server, "GET", admin.Prefix+path+tt.query, "Authorization: "+tt.authorization)
				if r.StatusCode != tt.want {
					t.Errorf("status %d, want %d", r.StatusCode, tt.want)
				}
				if text := body(t, r); tt.want == 401 && (!strings.Contains(text, "Bearer TOKEN") || r.Header.Get("WWW-Authenticate") == "") {
					t.Errorf("refused with %q, which does not say what to do", text)
				}
			})
		}
	}
}

// Each row is one mistake, and what its author is told.
func TestBadInput(t *testing.T) {
	server := serve(t, newTape(), 0)
	tests := []struct {
		name, method, path, header string
		status                     int
		says                       []string
	}{
		{"an unknown parameter", "GET", "events?evnt=x", "", 400, []string{`"evnt"`, "device, session, event, since, after, follow"}},
		{"a time that is none", "GET", "events?since=yesterday", "", 400, []string{`"yesterday"`, "10m", "2026-01-31T12:00:00Z"}},
		{"a time in the future", "GET", "events?since=-10m", "", 400, []string{`"-10m"`, "duration"}},
		{"an id that is none", "GET", "events?after=x", "", 400, []string{`"x"`, "id"}},
		{"a last event id that is none", "GET", "events", "Last-Event-ID: x", 400, []string{`"x"`, "id"}},
		{"a switch that is none", "GET", "events?follow=maybe", "", 400, []string{`"maybe"`, "true, false"}},
		{"endless patterns", "GET", "events?event=" + strings.Repeat("a,", 100), "", 400, []string{"event is too long", "32"}},
		{"an endless pattern", "GET", "events?device=" + strings.Repeat("a", 500), "", 400, []string{"device is too long", "200"}},
		{"a format that there is not", "GET", "events", "Accept: application/xml", 406, []string{"text/event-stream", "application/x-ndjson"}},
		{"another method", "POST", "events", "", 405, []string{"POST", "GET"}},
		{"deleting a session", "DELETE", "sessions/s1", "", 405, []string{"DELETE", "GET"}},
		{"nowhere", "GET", "session", "", 404, []string{"/v1/admin/session", "/v1/admin/sessions"}},
		{"no such session", "GET", "sessions/x", "", 404, []string{`"x"`, "/v1/admin/sessions"}},
		{"several sessions", "GET", "sessions/s", "", 409, []string{`"s"`, "several"}},
		{"a session that cannot be looked up", "GET", "sessions/broken", "", 500, []string{"unexpected EOF"}},
		{"a parameter of the list", "GET", "sessions?live=1", "", 400, []string{`"live"`, "device"}},
		{"a parameter of one session", "GET", "sessions/s1?all=1", "", 400, []string{`"all"`, "none"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := ask(t, server, tt.method, admin.Prefix+tt.path, tt.header)
			text := body(t, r)
			if r.StatusCode != tt.status {
				t.Errorf("status %d, want %d: %s", r.StatusCode, tt.status, text)
			}
			var told struct{ Error string }
			if err := json.Unmarshal([]byte(text), &told); err != nil || told.Error == "" {
				t.Fatalf("answer %q is no sentence in JSON: %v", text, err)
			}
			for _, words := range tt.says {
				if !strings.Contains(told.Error, words) {
					t.Errorf("says %q, want %q in it", told.Error, words)
				}
			}
		})
	}
}

func TestSessions(t *testing.T) {
	server := serve(t, newTape(), 0)
	for path, want := range map[string]string{
		"sessions?device=d1": `{"sessions":["those of d1"]}`,
		"sessions":           `{"sessions":["those of "]}`,
		"sessions/s1":        `{"turns":3}`,
	} {
		r := ask(t, server, "GET", admin.Prefix+path)
		if got := strings.TrimSpace(body(t, r)); got != want || r.StatusCode != 200 {
			t.Errorf("%s: %d %s, want %s", path, r.StatusCode, got, want)
		}
	}
}

// What would be open to everybody, or serve nothing, is not made.
func TestNew(t *testing.T) {
	for name, cfg := range map[string]admin.Config{
		"no token":    {Events: newTape(), Sessions: cast{}},
		"no events":   {Token: token, Sessions: cast{}},
		"no sessions": {Token: token, Events: newTape()},
	} {
		if h, err := admin.New(cfg); err == nil || h != nil {
			t.Errorf("%s: %v, %v", name, h, err)
		}
	}
}

// After Close nobody is served any more, and Close may come again.
func TestClosed(t *testing.T) {
	h, err := admin.New(admin.Config{Token: token, Events: newTape(), Sessions: cast{}})
	if err != nil {
		t.Fatal(err)
	}
	h.Close()
	h.Close()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", admin.Prefix+"sessions", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d, want 503", w.Code)
	}
}
