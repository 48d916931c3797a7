package edge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// FuzzStaticTokens: nobody is let in but with a token of the list, letter by
// letter, and as nobody else than whom it stands for.
func FuzzStaticTokens(f *testing.F) {
	s, err := NewStaticTokens(
		StaticToken{lampToken, Identity{Device: "lamp", Profile: "home"}},
		StaticToken{fleetToken, Identity{Profile: "toys"}},
	)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, token, device string) {
		id, err := s.Authenticate(context.Background(), Credentials{Token: token, Device: device})
		want := Identity{}
		switch {
		case token == lampToken && (device == "" || device == "lamp"):
			want = Identity{Device: "lamp", Profile: "home"}
		case token == fleetToken:
			want = Identity{Device: device, Profile: "toys"}
		default:
			if !errors.Is(err, ErrUnauthorized) || id != want {
				t.Fatalf("%q as %q is let in as %+v, %v", token, device, id, err)
			}
			if len(token) > 3 && strings.Contains(err.Error(), token) && !strings.Contains(device, token) {
				t.Fatalf("the refusal %q tells the token", err)
			}
			return
		}
		if err != nil || id != want {
			t.Fatalf("%q as %q is %+v, %v, want %+v", token, device, id, err, want)
		}
	})
}

// FuzzSignedTokens: a token that verifies was signed with one of the keys by
// HS256, for this server, names a device and has not expired; whatever else is
// shown is refused with a typed error, quickly, and not quoted.
//
// The text is taken as a token, and as the claims of one that is signed well.
func FuzzSignedTokens(f *testing.F) {
	first, second := key("k1"), key("k2")
	s, err := NewSignedTokens(0, first, second)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, kid string, algorithm uint8) {
		if _, err := s.Verify(text); !errors.Is(err, ErrUnauthorized) {
			t.Fatalf("%q is let in: %v", text, err) // nobody guesses a key
		}
		method := []jwt.SigningMethod{jwt.SigningMethodHS256, jwt.SigningMethodHS384, jwt.SigningMethodHS512, jwt.SigningMethodNone}[algorithm%4]
		token, claims, ok := sign(method, first.Secret, kid, text)
		if !ok {
			return
		}
		id, err := s.Verify(token)
		if err != nil {
			if !errors.Is(err, ErrUnauthorized) || strings.Contains(err.Error(), token) {
				t.Fatalf("claims %s are refused with %v", text, err)
			}
			return
		}
		expires, missing := claims.GetExpirationTime()
		issuer, _ := claims.GetIssuer()
		audience, _ := claims.GetAudience()
		device, _ := claims.GetSubject()
		switch {
		case method != jwt.SigningMethodHS256 || kid != first.ID:
			t.Fatalf("a token signed by %s under the name %q is let in", method.Alg(), kid)
		case missing != nil || expires == nil || time.Since(expires.Time) > DefaultLeeway+time.Second:
			t.Fatalf("a token that expires %v is let in", expires)
		case issuer != tokenIssuer || !strings.Contains(strings.Join(audience, " "), tokenAudience):
			t.Fatalf("a token of %q for %q is let in", issuer, audience)
		case id.Device == "" || id.Device != device:
			t.Fatalf("a token of %q is let in as %q", device, id.Device)
		}
	})
}

// sign signs any claims that are a JSON object.
func sign(method jwt.SigningMethod, secret []byte, kid, claims string) (token string, body jwt.MapClaims, ok bool) {
	body = jwt.MapClaims{}
	if !strings.HasPrefix(claims, "{") || json.Unmarshal([]byte(claims), &body) != nil {
		return "", nil, false
	}
	t := jwt.NewWithClaims(method, body)
	t.Header["kid"] = kid
	var with any = secret
	if method == jwt.SigningMethodNone {
		with = jwt.UnsafeAllowNoneSignatureType
	}
	token, err := t.SignedString(with)
	return token, body, err == nil
}
