package edge

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/dialog"
)

// waits is a handler that stays until its connection is gone.
func waits(ctx context.Context, _ *Leg) error {
	<-ctx.Done()
	return nil
}

func newServer(t *testing.T, cfg Config) *Server {
	t.Helper()
	if cfg.Handler == nil {
		cfg.Handler = waits
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connection is one that a test admitted and serves.
type connection struct {
	admission *Admission
	transport *fakeTransport
	leg       *Leg
	over      chan error
}

// connect admits and serves a device. claimed says that its name only comes with
// the hello.
func connect(t *testing.T, s *Server, device string, claimed bool) (*connection, error) {
	t.Helper()
	id := Identity{Device: device}
	if claimed {
		id.Device = ""
	}
	a, err := admit(s, id)
	if err != nil {
		return nil, err
	}
	c := &connection{admission: a, transport: newFakeTransport(), over: make(chan error, 1)}
	offer := offerOf(pcm16k20, pcm16k60)
	offer.Hello.Device = device
	if c.leg, err = a.Open(offer, c.transport); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer a.Release()
		c.over <- a.Serve(t.Context(), c.leg)
	}()
	synctest.Wait()
	return c, nil
}

// TestAdmissionIsAtomic is F63 and F47: however many come at once, the limit holds,
// and who is turned away is told when to try again.
func TestAdmissionIsAtomic(t *testing.T) {
	s := newServer(t, Config{MaxSessions: 50})
	var mu sync.Mutex
	var admitted []*Admission
	var refused []error
	var callers sync.WaitGroup
	for range 500 {
		callers.Go(func() {
			a, err := admit(s, Identity{})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refused = append(refused, err)
				return
			}
			admitted = append(admitted, a)
		})
	}
	callers.Wait()
	if len(admitted) != 50 || s.Sessions() != 50 {
		t.Errorf("%d admitted, %d places taken, the limit is 50", len(admitted), s.Sessions())
	}
	for _, err := range refused {
		var told *Error
		if !errors.As(err, &told) || told.Code != dialog.ErrorBusy || told.RetryAfter <= 0 || !errors.Is(err, ErrBusy) {
			t.Fatalf("refused with %v, want busy and a hint when to try again", err)
		}
	}
	admitted[0].Release()
	admitted[0].Release() // once more: it is not given back twice
	if s.Sessions() != 49 {
		t.Errorf("%d places taken after one release", s.Sessions())
	}
	for _, a := range admitted {
		a.Release()
	}
	if s.Sessions() != 0 {
		t.Errorf("%d places taken after all releases", s.Sessions())
	}
}

// TestNewestConnectionWins is F45: the older connection of a device is told and
// ended, its place goes to the new one, and nothing of it reaches the new one.
func TestNewestConnectionWins(t *testing.T) {
	for _, claimed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, Config{MaxSessions: 2})
			if !claimed {
				s = newServer(t, Config{MaxSessions: 1}) // the place is inherited
			}
			old, err := connect(t, s, "lamp", claimed)
			if err != nil {
				t.Fatal(err)
			}
			ctx := t.Context()
			if err := old.leg.Play(ctx, 1, begin()); err != nil {
				t.Fatal(err)
			}
			late := make(chan error, 1)
			go func() { // the old session goes on talking
				for {
					if err := old.leg.Play(ctx, 1, speech(16000, 20*ms)[0]); err != nil {
						late <- err
						return
					}
				}
			}()
			time.Sleep(100 * ms)
			fresh, err := connect(t, s, "lamp", claimed)
			if err != nil {
				t.Fatalf("the new connection was refused: %v", err)
			}
			if err := <-late; !errors.Is(err, ErrReplaced) {
				t.Errorf("the old session's Play got %v, want ErrReplaced", err)
			}
			if err := <-old.over; !errors.Is(err, ErrReplaced) || !errors.Is(err, ErrClosed) {
				t.Errorf("the old connection ended with %v, want ErrReplaced", err)
			}
			if f := old.transport.told(); f == nil || f.Code != dialog.ErrorReplaced {
				t.Errorf("the old connection was told %+v, want replaced", f)
			}
			synctest.Wait()
			if n := len(fresh.transport.written()); n != 0 {
				t.Errorf("%d messages of the old session reached the new connection", n)
			}
			if fresh.leg.closed() != nil || s.Sessions() != 1 {
				t.Errorf("new connection: %v; %d places taken, want 1", fresh.leg.closed(), s.Sessions())
			}
			if old.leg.Hello().Session == fresh.leg.Hello().Session {
				t.Error("two sessions share an identifier")
			}
			// The end of the old one does not unregister the new one.
			third, err := connect(t, s, "lamp", claimed)
			if err != nil {
				t.Fatal(err)
			}
			if err := <-fresh.over; !errors.Is(err, ErrReplaced) {
				t.Errorf("the second connection ended with %v when a third came", err)
			}
			third.transport.Kill()
			<-third.over
			synctest.Wait()
			if s.Sessions() != 0 {
				t.Errorf("%d places taken at the end", s.Sessions())
			}
		})
	}
}

// TestReplacedBeforeServed: two connections of a device that race through their
// hellos end with one, the newer.
func TestReplacedBeforeServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{})
		slow, err := admit(s, Identity{Device: "lamp"})
		if err != nil {
			t.Fatal(err)
		}
		defer slow.Release()
		fast, err := connect(t, s, "lamp", false)
		if err != nil {
			t.Fatal(err)
		}
		transport := newFakeTransport()
		leg, err := slow.Open(offerOf(pcm16k20, pcm16k60), transport)
		if err != nil {
			t.Fatal(err)
		}
		if err := slow.Serve(t.Context(), leg); !errors.Is(err, ErrReplaced) {
			t.Errorf("the older connection was served: %v", err)
		}
		if transport.told() == nil || transport.told().Code != dialog.ErrorReplaced {
			t.Errorf("it was told %+v, want replaced", transport.told())
		}
		if fast.leg.closed() != nil {
			t.Errorf("the newer connection ended: %v", fast.leg.closed())
		}
		fast.transport.Kill()
		<-fast.over
	})
}

// TestOpenRefuses names what is not served and what would be.
func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name string
		id   Identity
		edit func(*Offer)
		code dialog.ErrorCode
		says string
	}{
		{"another device's token", Identity{Device: "toy"}, func(*Offer) {}, dialog.ErrorUnauthorized, `belong to device "toy"`},
		{"no name", Identity{}, func(o *Offer) { o.Hello.Device = "" }, dialog.ErrorProtocol, "names no device"},
		{"a rate that Opus does not have", Identity{}, func(o *Offer) { o.Up = audio.Format{Codec: audio.CodecOpus, Rate: 44100, Channels: 1, Ptime: 20 * ms} }, dialog.ErrorProtocol, "8000, 12000, 16000, 24000 or 48000"},
		{"a codec that is not known", Identity{}, func(o *Offer) { o.Down.Codec = "mp3" }, dialog.ErrorProtocol, `"opus" or "pcm"`},
		{"packets of 15 ms", Identity{}, func(o *Offer) {
			o.Down = audio.Format{Codec: audio.CodecOpus, Rate: 16000, Channels: 1, Ptime: 15 * ms}
		}, dialog.ErrorProtocol, "10, 20, 40, 60"},
		{"stereo", Identity{}, func(o *Offer) { o.Up.Channels = 2 }, dialog.ErrorProtocol, "use 1"},
		{"a queue of less than a packet", Identity{}, func(o *Offer) { o.Hello.Capabilities.QueueCap = 40 * ms }, dialog.ErrorProtocol, "does not hold one packet of 60ms"},
	}
	s := newServer(t, Config{})
	for _, tt := range tests {
		a, err := admit(s, tt.id)
		if err != nil {
			t.Fatal(err)
		}
		offer := offerOf(pcm16k20, pcm16k60)
		tt.edit(&offer)
		_, err = a.Open(offer, newFakeTransport())
		a.Release()
		var told *Error
		if !errors.As(err, &told) || told.Code != tt.code || !strings.Contains(told.Message, tt.says) {
			t.Errorf("%s: %v, want %s that says %q", tt.name, err, tt.code, tt.says)
		}
	}
	if s.Sessions() != 0 {
		t.Errorf("%d places are still taken", s.Sessions())
	}
}

// TestHelloIsFilledIn by the server.
func TestHelloIsFilledIn(t *testing.T) {
	s := newServer(t, Config{})
	a, err := admit(s, Identity{Device: "lamp", Profile: "home"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	leg, err := a.Open(offerOf(pcm16k20, pcm16k60), newFakeTransport())
	if err != nil {
		t.Fatal(err)
	}
	h := leg.Hello()
	if h.Device != "lamp" || h.Profile != "home" || len(h.Session) < 22 || h.Capabilities.Lead != 240*ms || !h.Capabilities.Ack {
		t.Errorf("hello %+v", h)
	}
}

// pipeListener is a listener inside a synctest bubble.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error { l.once.Do(func() { close(l.closed) }); return nil }

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// TestDrain: at a shutdown the handlers are asked to end, devices are told, nobody
// new is let in, and who does not end is cut off in bounded time.
func TestDrain(t *testing.T) {
	tests := []struct {
		name    string
		handler Handler
		took    time.Duration
		left    bool
	}{
		{"a handler that listens to its context", func(ctx context.Context, leg *Leg) error {
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), ErrShutdown) {
				return errors.New("no shutdown")
			}
			_, err := leg.Flush(context.WithoutCancel(ctx), 1, dialog.CauseShutdown)
			time.Sleep(2 * time.Second) // saves its history
			return err
		}, 2 * time.Second, false},
		{"a handler that waits for its device", func(_ context.Context, leg *Leg) error {
			for range leg.Events() {
			}
			return nil
		}, 10 * time.Second, false},
		{"a handler that never ends", func(context.Context, *Leg) error {
			time.Sleep(time.Minute)
			return nil
		}, 14 * time.Second, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, Config{Handler: tt.handler})
				transport := newFakeTransport()
				over := make(chan error, 1)
				s.Handle("GET /connect", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					a, err := admit(s, Identity{Device: "lamp"})
					if err != nil {
						over <- err
						return
					}
					defer a.Release()
					leg, err := a.Open(offerOf(pcm16k20, pcm16k60), transport)
					if err != nil {
						over <- err
						return
					}
					over <- a.Serve(r.Context(), leg)
				}))
				ln := newPipeListener()
				ctx, stop := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- s.Serve(ctx, ln) }()
				client, server := net.Pipe()
				ln.conns <- server
				go func() { _, _ = io.WriteString(client, "GET /connect HTTP/1.1\r\nHost: x\r\n\r\n") }()
				synctest.Wait()
				began := time.Now()
				stop()
				synctest.Wait()
				if _, err := admit(s, Identity{}); !errors.Is(err, ErrShutdown) {
					t.Errorf("admitted during the drain: %v", err)
				}
				if rec := get(s, "/readyz"); rec.Code != http.StatusServiceUnavailable || !strings.Contains(rec.Body.String(), "draining") {
					t.Errorf("/readyz during the drain: %d %s", rec.Code, rec.Body)
				}
				err := <-served
				if took := time.Since(began); took != tt.took {
					t.Errorf("the drain took %v, want %v", took, tt.took)
				}
				if (err != nil) != tt.left {
					t.Errorf("Serve returned %v, want an error about sessions that did not end: %v", err, tt.left)
				}
				if f := transport.told(); f == nil || f.Code != dialog.ErrorShutdown || f.RetryAfter <= 0 {
					t.Errorf("the device was told %+v, want shutdown and when to come back", f)
				}
				client.Close()
				<-over
			})
		})
	}
}

// TestServeFails when its listener does, without hanging.
func TestServeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{})
		ln := newPipeListener()
		_ = ln.Close()
		if err := s.Serve(t.Context(), ln); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Serve returned %v, want the listener's error", err)
		}
	})
}

func get(s *Server, path string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
	return rec
}

// TestHealth: alive is not the same as ready.
func TestHealth(t *testing.T) {
	var loading error = errors.New("the recogniser is being loaded")
	s := newServer(t, Config{Ready: func() error { return loading }})
	check := func(path string, status int, word, reason string) {
		t.Helper()
		rec := get(s, path)
		var body health
		if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
			t.Fatalf("%s: %v in %q", path, err, rec.Body)
		}
		if rec.Code != status || body.Status != word || body.Reason != reason {
			t.Errorf("%s: %d %+v, want %d %q %q", path, rec.Code, body, status, word, reason)
		}
	}
	check("/healthz", 200, "ok", "")
	check("/readyz", 503, "starting", loading.Error())
	loading = nil
	check("/readyz", 200, "ready", "")
	if _, err := New(Config{}); err == nil {
		t.Error("a server without a handler was made")
	}
}

// TestAuthenticateTells who failed without telling why in detail.
func TestAuthenticateTells(t *testing.T) {
	tests := []struct {
		auth Authenticator
		code dialog.ErrorCode
	}{
		{failing{ErrExpired}, dialog.ErrorUnauthorized},
		{failing{ErrUnauthorized}, dialog.ErrorUnauthorized},
		{failing{errors.New("10.0.0.3 does not answer")}, dialog.ErrorInternal},
	}
	for _, tt := range tests {
		s := newServer(t, Config{Authenticator: tt.auth})
		_, err := s.Authenticate(t.Context(), Credentials{})
		var told *Error
		if !errors.As(err, &told) || told.Code != tt.code || strings.Contains(told.Message, "10.0.0.3") {
			t.Errorf("%v: %v, want %s without inner details", tt.auth, err, tt.code)
		}
	}
}
