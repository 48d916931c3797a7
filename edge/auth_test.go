package edge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	lampToken  = "lamp-token-0123456789"
	fleetToken = "fleet-token-012345678"
)

func key(id string) SigningKey {
	return SigningKey{ID: id, Secret: []byte(strings.Repeat(id, MinKeyLength))[:MinKeyLength]}
}

func staticTokens(t *testing.T) *StaticTokens {
	t.Helper()
	s, err := NewStaticTokens(
		StaticToken{lampToken, Identity{Device: "lamp", Profile: "home"}},
		StaticToken{fleetToken, Identity{Profile: "toys"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func signedTokens(t *testing.T, keys ...SigningKey) *SignedTokens {
	t.Helper()
	s, err := NewSignedTokens(0, keys...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// forge signs claims that Sign would never sign.
func forge(t *testing.T, k SigningKey, method jwt.SigningMethod, claims jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = k.ID
	var secret any = k.Secret
	if method == jwt.SigningMethodNone {
		secret = jwt.UnsafeAllowNoneSignatureType
	}
	signed, err := token.SignedString(secret)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func TestAuthenticators(t *testing.T) {
	signed := signedTokens(t, key("k1"))
	other := signedTokens(t, key("k2"))
	lamp, err := signed.Sign(Identity{Device: "lamp", Profile: "home"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := other.Sign(Identity{Device: "lamp"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	hour := jwt.NewNumericDate(time.Now().Add(time.Hour))
	good := jwt.MapClaims{"iss": "edged", "aud": "edged-device", "sub": "lamp", "exp": hour}
	without := func(name string) jwt.MapClaims {
		claims := jwt.MapClaims{}
		for k, v := range good {
			if k != name {
				claims[k] = v
			}
		}
		return claims
	}
	past := without("exp")
	past["exp"] = jwt.NewNumericDate(time.Now().Add(-time.Hour))
	broken := errors.New("the database is down")

	tests := []struct {
		name  string
		auth  Authenticator
		creds Credentials
		want  Identity
		err   error // nil: accepted
	}{
		{"static: a device's own token", staticTokens(t), Credentials{Token: lampToken}, Identity{Device: "lamp", Profile: "home"}, nil},
		{"static: a claim that agrees", staticTokens(t), Credentials{Token: lampToken, Device: "lamp"}, Identity{Device: "lamp", Profile: "home"}, nil},
		{"static: a claim that does not", staticTokens(t), Credentials{Token: lampToken, Device: "toy"}, Identity{}, ErrUnauthorized},
		{"static: a fleet's token takes the claim", staticTokens(t), Credentials{Token: fleetToken, Device: "toy"}, Identity{Device: "toy", Profile: "toys"}, nil},
		{"static: wrong token", staticTokens(t), Credentials{Token: lampToken + "x"}, Identity{}, ErrUnauthorized},
		{"static: no token", staticTokens(t), Credentials{}, Identity{}, ErrUnauthorized},
		{"static: nobody is known", &StaticTokens{}, Credentials{Token: lampToken}, Identity{}, ErrUnauthorized},

		{"signed: good", signed, Credentials{Token: lamp}, Identity{Device: "lamp", Profile: "home"}, nil},
		{"signed: a claim that does not agree", signed, Credentials{Token: lamp, Device: "toy"}, Identity{}, ErrUnauthorized},
		{"signed: by another server", signed, Credentials{Token: foreign}, Identity{}, ErrUnauthorized},
		{"signed: tampered with", signed, Credentials{Token: lamp[:len(lamp)-4] + "AAAA"}, Identity{}, ErrUnauthorized},
		{"signed: no token", signed, Credentials{}, Identity{}, ErrUnauthorized},
		{"signed: not a token", signed, Credentials{Token: "x.y.z"}, Identity{}, ErrUnauthorized},
		{"signed: unsigned", signed, Credentials{Token: forge(t, key("k1"), jwt.SigningMethodNone, good)}, Identity{}, ErrUnauthorized},
		{"signed: by another algorithm", signed, Credentials{Token: forge(t, key("k1"), jwt.SigningMethodHS512, good)}, Identity{}, ErrUnauthorized},
		{"signed: without expiry", signed, Credentials{Token: forge(t, key("k1"), jwt.SigningMethodHS256, without("exp"))}, Identity{}, ErrUnauthorized},
		{"signed: without device", signed, Credentials{Token: forge(t, key("k1"), jwt.SigningMethodHS256, without("sub"))}, Identity{}, ErrUnauthorized},
		{"signed: for another purpose", signed, Credentials{Token: forge(t, key("k1"), jwt.SigningMethodHS256, without("aud"))}, Identity{}, ErrUnauthorized},
		{"signed: by another issuer", signed, Credentials{Token: forge(t, key("k1"), jwt.SigningMethodHS256, without("iss"))}, Identity{}, ErrUnauthorized},
		{"signed: expired", signed, Credentials{Token: forge(t, key("k1"), jwt.SigningMethodHS256, past)}, Identity{}, ErrExpired},

		{"open: this machine", Open{Profile: "dev"}, Credentials{Device: "toy", Remote: "127.0.0.1:999"}, Identity{Device: "toy", Profile: "dev"}, nil},
		{"open: this machine, IPv6", Open{}, Credentials{Remote: "[::1]:999"}, Identity{}, nil},
		{"open: this machine, IPv4 in IPv6", Open{}, Credentials{Remote: "[::ffff:127.0.0.1]:999"}, Identity{}, nil},
		{"open: another machine", Open{}, Credentials{Remote: "10.0.0.2:999"}, Identity{}, ErrUnauthorized},
		{"open: an address that is none", Open{}, Credentials{Remote: "pipe"}, Identity{}, ErrUnauthorized},
		{"open to everybody", Open{AnyAddress: true}, Credentials{Remote: "10.0.0.2:999"}, Identity{}, nil},

		{"chain: the first that accepts", Chain{staticTokens(t), signed}, Credentials{Token: lamp}, Identity{Device: "lamp", Profile: "home"}, nil},
		{"chain: expired tells more than unknown", Chain{signed, staticTokens(t)}, Credentials{Token: forge(t, key("k1"), jwt.SigningMethodHS256, past)}, Identity{}, ErrExpired},
		{"chain: a failure tells most", Chain{failing{broken}, signed}, Credentials{Token: foreign}, Identity{}, broken},
		{"chain: empty", Chain{}, Credentials{Token: lamp}, Identity{}, ErrUnauthorized},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id, err := tt.auth.Authenticate(t.Context(), tt.creds)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if id != tt.want {
				t.Errorf("identity %+v, want %+v", id, tt.want)
			}
			if err != nil && tt.creds.Token != "" && strings.Contains(err.Error(), tt.creds.Token) {
				t.Errorf("the error quotes the token: %v", err)
			}
			if text := fmt.Sprintf("%v %+v %#v %s", tt.creds, tt.creds, tt.creds, tt.creds); tt.creds.Token != "" && strings.Contains(text, tt.creds.Token) {
				t.Errorf("printing credentials shows the token: %s", text)
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Authenticate(context.Context, Credentials) (Identity, error) {
	return Identity{}, f.err
}

// TestSignedTokenLifetime: a token lives as long as it says, plus the leeway for
// clocks that are apart.
func TestSignedTokenLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signed := signedTokens(t, key("k1"))
		token, err := signed.Sign(Identity{Device: "lamp"}, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute + DefaultLeeway - time.Second)
		if _, err := signed.Verify(token); err != nil {
			t.Errorf("within the leeway: %v", err)
		}
		time.Sleep(2 * time.Second)
		if _, err := signed.Verify(token); !errors.Is(err, ErrExpired) || !errors.Is(err, ErrUnauthorized) {
			t.Errorf("after the leeway: %v, want ErrExpired, which matches ErrUnauthorized", err)
		}
	})
}

// TestKeyRotation: a new key signs, the old one is still accepted until it is
// taken away.
func TestKeyRotation(t *testing.T) {
	before := signedTokens(t, key("old"))
	during := signedTokens(t, key("new"), key("old"))
	after := signedTokens(t, key("new"))
	old, err := before.Sign(Identity{Device: "lamp"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := during.Sign(Identity{Device: "lamp"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := during.Verify(old); err != nil {
		t.Errorf("the old key is still there, but: %v", err)
	}
	if _, err := after.Verify(fresh); err != nil {
		t.Errorf("signed with the new key, but: %v", err)
	}
	if _, err := after.Verify(old); !errors.Is(err, ErrUnauthorized) {
		t.Errorf("the old key is gone, but a token of it got %v", err)
	}
}

// TestAuthenticatorConfiguration: mistakes are found at the start.
func TestAuthenticatorConfiguration(t *testing.T) {
	static := func(tokens ...StaticToken) error { _, err := NewStaticTokens(tokens...); return err }
	signed := func(keys ...SigningKey) error { _, err := NewSignedTokens(0, keys...); return err }
	good := signedTokens(t, key("k1"))
	sign := func(id Identity, d time.Duration) error { _, err := good.Sign(id, d); return err }
	tests := []struct {
		name string
		err  error
		says string
	}{
		{"short token", static(StaticToken{"secret", Identity{Device: "lamp"}}), "token 1 of device \"lamp\" has 6 bytes"},
		{"token twice", static(StaticToken{lampToken, Identity{Device: "a"}}, StaticToken{lampToken, Identity{Device: "b"}}), "tokens 1 and 2 are the same"},
		{"no key", signed(), "no signing key"},
		{"key without id", signed(SigningKey{Secret: key("k1").Secret}), "key 1 has no id"},
		{"short key", signed(SigningKey{"k1", []byte("secret")}), "key \"k1\" has 6 bytes"},
		{"key twice", signed(key("k1"), key("k1")), "appears twice"},
		{"token for nobody", sign(Identity{}, time.Hour), "no device"},
		{"token for no time", sign(Identity{Device: "lamp"}, 0), "not positive"},
	}
	for _, tt := range tests {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.says) {
			t.Errorf("%s: error %v, want one that says %q", tt.name, tt.err, tt.says)
		}
		if tt.err != nil && (strings.Contains(tt.err.Error(), lampToken) || strings.Contains(tt.err.Error(), "secret\"")) {
			t.Errorf("%s: the error shows a secret: %v", tt.name, tt.err)
		}
	}
}

func TestCheckListen(t *testing.T) {
	tokens := staticTokens(t)
	tests := []struct {
		address string
		cfg     Config
		ok      bool
	}{
		{"127.0.0.1:8080", Config{}, true},
		{"127.0.0.1:0", Config{}, true},
		{"[::1]:8080", Config{}, true},
		{"localhost:8080", Config{}, true},
		{"0.0.0.0:8080", Config{}, false},
		{":8080", Config{}, false},
		{"[::]:8080", Config{}, false},
		{"192.168.1.2:8080", Config{}, false},
		{"edged.example:8080", Config{}, false},
		{"0.0.0.0:8080", Config{Authenticator: Open{}}, false},
		{"0.0.0.0:8080", Config{Authenticator: Open{AnyAddress: true}}, false}, // the flag asks for it, not the authenticator
		{"0.0.0.0:8080", Config{Authenticator: Chain{tokens, Open{}}}, false},
		{"0.0.0.0:8080", Config{Authenticator: tokens}, true},
		{"0.0.0.0:8080", Config{Authenticator: Chain{tokens}}, true},
		{"0.0.0.0:8080", Config{AllowAnonymous: true}, true},
		{"8080", Config{}, false},
		{"127.0.0.1", Config{}, false},
		{"127.0.0.1:", Config{}, false},
	}
	for _, tt := range tests {
		err := CheckListen(tt.address, tt.cfg)
		if (err == nil) != tt.ok {
			t.Errorf("listen on %q with %+v: %v, want ok %v", tt.address, tt.cfg.Authenticator, err, tt.ok)
		}
		var typed *ListenError
		if err != nil && (!errors.As(err, &typed) || typed.Address != tt.address || typed.Reason == "") {
			t.Errorf("listen on %q: %v is no *ListenError that names the address and says what to do", tt.address, err)
		}
	}
}
