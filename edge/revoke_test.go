package edge

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
)

// meet authenticates, admits and serves a device.
func meet(t *testing.T, s *Server, device, token string) *connection {
	t.Helper()
	c, a := approach(t, s, device, token)
	c.serve(t, a)
	return c
}

// approach is meet up to the point where the device is served.
func approach(t *testing.T, s *Server, device, token string) (*connection, *Admission) {
	t.Helper()
	id, err := s.Authenticate(t.Context(), Credentials{Token: token, Remote: "127.0.0.1:999"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := admit(s, id)
	if err != nil {
		t.Fatal(err)
	}
	c := &connection{admission: a, transport: newFakeTransport(), over: make(chan error, 1)}
	offer := offerOf(pcm16k20, pcm16k60)
	offer.Hello.Device = device
	if c.leg, err = a.Open(offer, c.transport); err != nil {
		t.Fatal(err)
	}
	return c, a
}

func (c *connection) serve(t *testing.T, a *Admission) {
	go func() {
		defer a.Release()
		c.over <- a.Serve(t.Context(), c.leg)
	}()
	synctest.Wait()
}

// ended reports whether the connection is over, and checks that its device knows
// why.
func (c *connection) ended(t *testing.T) bool {
	t.Helper()
	synctest.Wait()
	select {
	case err := <-c.over:
		if !errors.Is(err, ErrRevoked) || !errors.Is(err, dialog.ErrRevoked) || !errors.Is(err, ErrClosed) || !errors.Is(c.leg.Err(), dialog.ErrRevoked) {
			t.Errorf("the connection ended with %v, want ErrRevoked", err)
		}
		if told := c.transport.told(); told == nil || told.Code != dialog.ErrorUnauthorized || told.RetryAfter != 0 {
			t.Errorf("the device was told %+v, want unauthorized, and not to try again", told)
		}
		return true
	default:
		return false
	}
}

// Who is no longer let in is told so and loses its connection; nobody else notices.
func TestRecheck(t *testing.T) {
	keep := func(entries ...StaticToken) Authenticator {
		tokens, err := NewStaticTokens(entries...)
		if err != nil {
			t.Fatal(err)
		}
		return tokens
	}
	lamp := StaticToken{lampToken, Identity{Device: "lamp"}}
	fleet := StaticToken{fleetToken, Identity{Profile: "toys"}}
	for _, tt := range []struct {
		name string
		now  Authenticator
		gone map[string]bool
	}{
		{"the same", keep(lamp, fleet), nil},
		{"another profile", keep(StaticToken{lampToken, Identity{Device: "lamp", Profile: "night"}}, fleet), nil},
		{"an entry is gone", keep(fleet), map[string]bool{"lamp": true}},
		{"a token is another device's", keep(StaticToken{lampToken, Identity{Device: "oven"}}, fleet), map[string]bool{"lamp": true}},
		{"a token was changed", keep(StaticToken{lampToken + "2", Identity{Device: "lamp"}}, fleet), map[string]bool{"lamp": true}},
		{"a fleet's token is gone", keep(lamp), map[string]bool{"bear": true, "owl": true}},
		{"nobody is let in", Chain{}, map[string]bool{"lamp": true, "bear": true, "owl": true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				guard := NewRevocable(keep(lamp, fleet))
				s := newServer(t, Config{Authenticator: guard})
				connections := map[string]*connection{
					"lamp": meet(t, s, "lamp", lampToken), "bear": meet(t, s, "bear", fleetToken), "owl": meet(t, s, "owl", fleetToken),
				}
				guard.Replace(tt.now)
				if n := s.Recheck(t.Context()); n != len(tt.gone) {
					t.Errorf("%d connections were ended, want %d", n, len(tt.gone))
				}
				for device, c := range connections {
					if ended := c.ended(t); ended != tt.gone[device] {
						t.Errorf("the connection of %s has ended: %v", device, ended)
					} else if !ended {
						c.transport.Kill()
						<-c.over
					}
				}
				for device, token := range map[string]string{"lamp": lampToken, "bear": fleetToken} {
					if _, err := s.Authenticate(t.Context(), Credentials{Token: token}); (err != nil) != tt.gone[device] && tt.name != "a token is another device's" {
						t.Errorf("%s comes back: %v", device, err)
					}
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// A token that was good when it was shown may expire; a key that is gone is another
// matter.
func TestRecheckOfSignedTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokens := func(keys ...SigningKey) *SignedTokens {
			tokens, err := NewSignedTokens(0, keys...)
			if err != nil {
				t.Fatal(err)
			}
			return tokens
		}
		old, young := key("k1"), key("k2")
		signed, err := tokens(old).Sign(Identity{Device: "lamp"}, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		guard := NewRevocable(tokens(old))
		s := newServer(t, Config{Authenticator: guard, Limits: Limits{IdleTimeout: 2 * time.Hour}})
		lamp := meet(t, s, "lamp", signed)
		time.Sleep(time.Hour)
		guard.Replace(tokens(young, old))
		if n := s.Recheck(t.Context()); n != 0 || lamp.ended(t) {
			t.Errorf("%d connections ended because their token has expired since", n)
		}
		guard.Replace(tokens(young))
		if n := s.Recheck(t.Context()); n != 1 || !lamp.ended(t) {
			t.Errorf("%d connections ended, want that of the key that is gone", n)
		}
	})
}

// A connection on its way in when the rules change is not missed.
func TestRevokedOnTheWayIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guard := NewRevocable(staticTokens(t))
		s := newServer(t, Config{Authenticator: guard})
		c, a := approach(t, s, "lamp", lampToken)
		guard.Replace(Chain{})
		if n := s.Recheck(t.Context()); n != 0 {
			t.Errorf("%d connections ended, and none is served", n)
		}
		c.serve(t, a)
		if !c.ended(t) {
			t.Error("it is served, and nobody is let in")
		}
	})
}

// Whatever the moment, a device whose token is gone is not connected afterwards.
func TestRevocationHasNoGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guard := NewRevocable(staticTokens(t))
		s := newServer(t, Config{Authenticator: guard, ReconnectsPerMinute: -1})
		var devices sync.WaitGroup
		for range 50 {
			devices.Go(func() {
				id, err := s.Authenticate(t.Context(), Credentials{Token: fleetToken})
				if err != nil {
					return
				}
				a, err := admit(s, id)
				if err != nil {
					t.Error(err)
					return
				}
				defer a.Release()
				transport := newFakeTransport()
				leg, err := a.Open(offerOf(pcm16k20, pcm16k60), transport)
				if err != nil {
					t.Error(err)
					return
				}
				if err := a.Serve(t.Context(), leg); !errors.Is(err, ErrRevoked) && !errors.Is(err, ErrReplaced) {
					t.Errorf("the connection ended with %v", err)
				}
			})
		}
		devices.Go(func() {
			guard.Replace(Chain{})
			s.Recheck(context.Background())
		})
		devices.Wait() // hangs if a connection has slipped through
	})
}

func TestRevocableIsAnonymousWhenItsRulesAre(t *testing.T) {
	guard := NewRevocable(Chain{Open{}})
	if err := CheckListen("0.0.0.0:0", Config{Authenticator: guard}); err == nil {
		t.Error("a server that lets anybody in may listen everywhere")
	}
	guard.Replace(staticTokens(t))
	if err := CheckListen("0.0.0.0:0", Config{Authenticator: guard}); err != nil {
		t.Errorf("a server with tokens: %v", err)
	}
}
