package edge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// MinKeyLength is the shortest signing key, in bytes: the size of the hash, as
// RFC 7518 section 3.2 demands of HS256.
const MinKeyLength = 32

// DefaultLeeway is how far the clock of the signer may be off.
const DefaultLeeway = 30 * time.Second

// issuer and audience keep tokens that were signed with the same key for
// another purpose from being accepted here.
const (
	tokenIssuer   = "edged"
	tokenAudience = "edged-device"
)

// SigningKey is one HMAC key with the name that tokens carry as their "kid".
type SigningKey struct {
	ID     string
	Secret []byte
}

// SignedTokens signs and verifies short-lived tokens (JWT, HS256). Keys are
// rotated by putting a new one first and keeping the old one until the last
// token signed with it has expired.
type SignedTokens struct {
	keys   map[string][]byte
	signer string
	parser *jwt.Parser
}

// NewSignedTokens returns an authenticator that signs with the first key and
// accepts tokens signed with any of them. leeway is how far the clocks may be
// apart; 0 means DefaultLeeway.
func NewSignedTokens(leeway time.Duration, keys ...SigningKey) (*SignedTokens, error) {
	if len(keys) == 0 {
		return nil, errors.New("edge: signed tokens: no signing key")
	}
	if leeway == 0 {
		leeway = DefaultLeeway
	}
	s := &SignedTokens{keys: make(map[string][]byte, len(keys)), signer: keys[0].ID}
	for i, k := range keys {
		if k.ID == "" {
			return nil, fmt.Errorf("edge: signed tokens: key %d has no id", i+1)
		}
		if len(k.Secret) < MinKeyLength {
			return nil, fmt.Errorf("edge: signed tokens: key %q has %d bytes: use at least %d random ones", k.ID, len(k.Secret), MinKeyLength)
		}
		if _, dup := s.keys[k.ID]; dup {
			return nil, fmt.Errorf("edge: signed tokens: key id %q appears twice", k.ID)
		}
		s.keys[k.ID] = append([]byte(nil), k.Secret...)
	}
	s.parser = jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithExpirationRequired(),
		jwt.WithIssuer(tokenIssuer),
		jwt.WithAudience(tokenAudience),
		jwt.WithLeeway(leeway),
		jwt.WithTimeFunc(time.Now),
	)
	return s, nil
}

// deviceClaims is the body of a token.
type deviceClaims struct {
	jwt.RegisteredClaims
	Profile string `json:"profile,omitempty"`
}

// Sign returns a token for the device of id that expires after lifetime. Both
// the device and a positive lifetime are required.
func (s *SignedTokens) Sign(id Identity, lifetime time.Duration) (string, error) {
	if id.Device == "" {
		return "", errors.New("edge: sign token: no device")
	}
	if lifetime <= 0 {
		return "", fmt.Errorf("edge: sign token for %q: lifetime %s is not positive", id.Device, lifetime)
	}
	now := time.Now()
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, deviceClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    tokenIssuer,
			Audience:  jwt.ClaimStrings{tokenAudience},
			Subject:   id.Device,
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(lifetime)),
		},
		Profile: id.Profile,
	})
	token.Header["kid"] = s.signer
	signed, err := token.SignedString(s.keys[s.signer])
	if err != nil {
		return "", fmt.Errorf("edge: sign token for %q: %w", id.Device, err)
	}
	return signed, nil
}

// Verify returns whom token was signed for. The error matches ErrExpired for a
// token that was good once and ErrUnauthorized for any other refusal; it never
// quotes the token.
func (s *SignedTokens) Verify(token string) (Identity, error) {
	if token == "" {
		return Identity{}, fmt.Errorf("%w: %w", ErrUnauthorized, errNoToken)
	}
	var claims deviceClaims
	_, err := s.parser.ParseWithClaims(token, &claims, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		secret, ok := s.keys[kid]
		if !ok {
			return nil, errors.New("signed with an unknown key")
		}
		return secret, nil
	})
	switch {
	case err == nil && claims.Subject == "":
		return Identity{}, fmt.Errorf("%w: token names no device", ErrUnauthorized)
	case err == nil:
		return Identity{Device: claims.Subject, Profile: claims.Profile}, nil
	// A forged token is not told that it is also too old.
	case errors.Is(err, jwt.ErrTokenExpired) && !errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return Identity{}, ErrExpired
	case errors.Is(err, jwt.ErrTokenMalformed):
		return Identity{}, fmt.Errorf("%w: not a signed token", ErrUnauthorized)
	case errors.Is(err, jwt.ErrTokenNotValidYet), errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return Identity{}, fmt.Errorf("%w: token is not valid yet: check the clocks", ErrUnauthorized)
	default:
		return Identity{}, fmt.Errorf("%w: token does not verify", ErrUnauthorized)
	}
}

// Authenticate implements Authenticator.
func (s *SignedTokens) Authenticate(_ context.Context, creds Credentials) (Identity, error) {
	id, err := s.Verify(creds.Token)
	if err != nil {
		return Identity{}, err
	}
	if err := agree(&id, creds.Device); err != nil {
		return Identity{}, err
	}
	return id, nil
}
