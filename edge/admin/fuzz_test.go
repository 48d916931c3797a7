package admin_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"edged/edge/admin"
)

// FuzzHandler: whatever is asked for, nobody without the token gets anything but
// the sentence that says so; with it every answer is what was asked for or one
// sentence in JSON, and nothing is a fault of the server but the session that is.
func FuzzHandler(f *testing.F) {
	const secret = "kitchen-secret"
	feed := newTape(line("wake", secret), line("asr.final", "hall"), admin.Line{Event: "log.gap", JSON: []byte(`{"v":1,"event":"log.gap"}`), Gap: true})
	feed.end()
	counted := 0
	metrics := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted++
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			panic("asked with " + r.Method)
		}
		_, _ = w.Write([]byte(secret))
	})
	h, err := admin.New(admin.Config{Token: token, Events: feed, Sessions: cast{}, Extra: map[string]http.Handler{"/metrics": metrics, "/debug/": metrics}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(h.Close)
	mux := http.NewServeMux()
	h.Mount(mux)
	f.Fuzz(func(t *testing.T, method, target, authorization, after, accept string) {
		address, err := url.ParseRequestURI(target)
		if err != nil {
			return // the server of net/http answers that itself
		}
		request := &http.Request{Method: method, URL: address, Host: "edged", RequestURI: target, Header: http.Header{}}
		for name, value := range map[string]string{"Authorization": authorization, "Last-Event-ID": after, "Accept": accept} {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		before := counted
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, request)
		if n := feed.tails(); n != 0 {
			t.Fatalf("%d tails are left open", n)
		}
		text := w.Body.String()
		switch {
		case w.Code == http.StatusMovedPermanently || w.Code == http.StatusTemporaryRedirect || w.Code == http.StatusNotFound && !strings.HasPrefix(address.Path, admin.Prefix) || method == http.MethodConnect || target == "*":
			if strings.Contains(text, secret) {
				t.Fatalf("%d, but %q", w.Code, text)
			}
			return // by the multiplexer, before anything is looked at
		case authorization != "Bearer "+token:
			if w.Code != http.StatusUnauthorized || strings.Contains(text, secret) || strings.Contains(text, token) || counted != before {
				t.Fatalf("with %q: %d %q", authorization, w.Code, text)
			}
			sentence(t, w.Body.Bytes())
		case w.Code == http.StatusOK:
			checkAnswer(t, address, w)
		default:
			sentence(t, w.Body.Bytes())
			if !slices.Contains([]int{400, 404, 405, 406, 409, 500}, w.Code) || w.Code == 500 && !strings.HasSuffix(address.Path, "/broken") {
				t.Fatalf("%s %q: %d %s", method, target, w.Code, text)
			}
		}
	})
}

// sentence checks that a body says in JSON what is wrong.
func sentence(t *testing.T, body []byte) {
	t.Helper()
	var told struct{ Error string }
	if err := json.Unmarshal(body, &told); err != nil || told.Error == "" || len(told.Error) > 1000 {
		t.Fatalf("%q is no sentence in JSON: %v", body, err)
	}
}

// checkAnswer checks an answer that gave something.
func checkAnswer(t *testing.T, address *url.URL, w *httptest.ResponseRecorder) {
	t.Helper()
	mime := w.Header().Get("Content-Type")
	switch {
	case !strings.HasPrefix(address.Path, admin.Prefix): // what is mounted besides
	case mime == "application/json":
		if !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%q is no JSON", w.Body)
		}
	case mime == "text/event-stream":
		for event := range strings.SplitSeq(strings.TrimSuffix(w.Body.String(), "\n\n"), "\n\n") {
			for field := range strings.SplitSeq(event, "\n") {
				name, value, ok := strings.Cut(field, ": ")
				if !ok && w.Body.Len() > 0 || name == "data" && !json.Valid([]byte(value)) {
					t.Fatalf("%q is no event", event)
				}
			}
		}
	case mime == "application/x-ndjson":
		for line := range bytes.Lines(w.Body.Bytes()) {
			if len(bytes.TrimSpace(line)) > 0 && !json.Valid(line) {
				t.Fatalf("%q is no JSON", line)
			}
		}
	default:
		t.Fatalf("an answer of type %q", mime)
	}
	if devices, ok := address.Query()["device"]; ok && strings.HasSuffix(address.Path, "/events") && !strings.ContainsAny(strings.Join(devices, ""), "*, ") {
		if strings.Contains(w.Body.String(), "hall") && !slices.Contains(devices, "hall") && strings.Join(devices, "") != "" {
			t.Fatalf("asked for %q, given %q", devices, w.Body)
		}
	}
}
