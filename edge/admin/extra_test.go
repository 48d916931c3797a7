package admin_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"edged/edge/admin"
)

// extras are a page, a tree of pages, and one that lasts until it is told to end.
func extras() map[string]http.Handler {
	return map[string]http.Handler{
		"/page": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "a page") }),
		"/tree/": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "of "+r.URL.Path)
		}),
		"/long": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}),
	}
}

// Extra handlers are found on a listener of the API's own and on another
// server's multiplexer, by who has the token and with GET only.
func TestExtra(t *testing.T) {
	h, err := admin.New(admin.Config{Token: token, Events: newTape(), Sessions: cast{}, Extra: extras()})
	if err != nil {
		t.Fatal(err)
	}
	beside := http.NewServeMux()
	h.Mount(beside)
	shared := httptest.NewServer(beside)
	defer shared.Close()

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx, ln) }()
	transport := &http.Transport{}
	own := &httptest.Server{URL: "http://" + ln.Addr().String()}

	tests := []struct {
		name, method, path, header string
		status                     int
		says                       string
	}{
		{"a page", "GET", "/page", "", 200, "a page"},
		{"its head", "HEAD", "/page", "", 200, ""},
		{"of a tree", "GET", "/tree/of/pages?x=1", "", 200, "of /tree/of/pages"},
		{"the API", "GET", admin.Prefix + "sessions", "", 200, "those of"},
		{"no token", "GET", "/page", "Authorization: ", 401, "Bearer TOKEN"},
		{"a wrong token", "GET", "/tree/", "Authorization: Bearer x", 401, "Bearer TOKEN"},
		{"another method", "POST", "/page", "", 405, "only GET"},
		{"another method in a tree", "DELETE", "/tree/x", "", 405, "only GET"},
	}
	for _, server := range []*httptest.Server{shared, own} {
		for _, tt := range tests {
			request, err := http.NewRequest(tt.method, server.URL+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer "+token)
			if name, value, ok := strings.Cut(tt.header, ": "); ok {
				request.Header.Set(name, value)
			}
			response, err := transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode != tt.status || !strings.Contains(string(text), tt.says) {
				t.Errorf("%s: %d %s, want %d with %q", tt.name, response.StatusCode, text, tt.status, tt.says)
			}
		}
	}

	// One that lasts ends with the API.
	request, _ := http.NewRequest("GET", own.URL+"/long", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Errorf("serve: %v", err)
	}
	response.Body.Close()
	transport.CloseIdleConnections()
}

// What could not be found, or would stand in the API's way, is refused.
func TestExtraPaths(t *testing.T) {
	page := http.NotFoundHandler()
	for _, path := range []string{"", "page", "GET /page", "/page/{id}", admin.Prefix, admin.Prefix + "sessions", "example.com/page"} {
		_, err := admin.New(admin.Config{Token: token, Events: newTape(), Sessions: cast{}, Extra: map[string]http.Handler{path: page}})
		if err == nil || !strings.Contains(err.Error(), "path") {
			t.Errorf("%q: %v, want an error that says what is wanted", path, err)
		}
	}
	if _, err := admin.New(admin.Config{Token: token, Events: newTape(), Sessions: cast{}, Extra: map[string]http.Handler{"/page": nil}}); err == nil {
		t.Error("a handler that is nil is taken")
	}
}
