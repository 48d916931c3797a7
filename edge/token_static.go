package edge

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
)

// MinTokenLength is the shortest token that StaticTokens takes, in bytes: 128
// bits written in base64 are 22 characters, a shorter token can be guessed more
// easily than a key.
const MinTokenLength = 16

// StaticToken is one long-lived token and whom it stands for.
type StaticToken struct {
	Token string
	// Identity of the holder. An empty Device makes the token good for a whole
	// fleet: each device goes by the name that it claims.
	Identity Identity
}

// StaticTokens accepts a fixed set of tokens. The zero value refuses everybody.
type StaticTokens struct {
	entries []staticEntry
}

type staticEntry struct {
	digest   [sha256.Size]byte
	identity Identity
}

// NewStaticTokens returns an authenticator for the given tokens. A token that
// is shorter than MinTokenLength or appears twice is refused; the error names
// its place in the list, never the token.
func NewStaticTokens(tokens ...StaticToken) (*StaticTokens, error) {
	s := &StaticTokens{entries: make([]staticEntry, 0, len(tokens))}
	seen := make(map[[sha256.Size]byte]int, len(tokens))
	for i, t := range tokens {
		if len(t.Token) < MinTokenLength {
			return nil, fmt.Errorf("edge: static token %d of device %q has %d bytes: use at least %d random ones",
				i+1, t.Identity.Device, len(t.Token), MinTokenLength)
		}
		digest := sha256.Sum256([]byte(t.Token))
		if first, dup := seen[digest]; dup {
			return nil, fmt.Errorf("edge: static tokens %d and %d are the same: give each device a token of its own", first+1, i+1)
		}
		seen[digest] = i
		s.entries = append(s.entries, staticEntry{digest, t.Identity})
	}
	return s, nil
}

var errNoToken = errors.New("no token; send the header Authorization: Bearer TOKEN")

// Authenticate implements Authenticator. It compares digests of equal length
// with every entry, so that its duration tells nothing about the tokens.
func (s *StaticTokens) Authenticate(_ context.Context, creds Credentials) (Identity, error) {
	if creds.Token == "" {
		return Identity{}, fmt.Errorf("%w: %w", ErrUnauthorized, errNoToken)
	}
	digest := sha256.Sum256([]byte(creds.Token))
	match := -1
	for i := range s.entries {
		if subtle.ConstantTimeCompare(digest[:], s.entries[i].digest[:]) == 1 {
			match = i
		}
	}
	if match < 0 {
		return Identity{}, fmt.Errorf("%w: unknown token", ErrUnauthorized)
	}
	id := s.entries[match].identity
	if err := agree(&id, creds.Device); err != nil {
		return Identity{}, err
	}
	return id, nil
}

// agree fills in the claimed device where the credentials name none, and
// refuses a claim that contradicts them.
func agree(id *Identity, claimed string) error {
	switch {
	case id.Device == "":
		id.Device = claimed
	case claimed != "" && claimed != id.Device:
		return fmt.Errorf("%w: the token belongs to device %q, not to %q", ErrUnauthorized, id.Device, claimed)
	}
	return nil
}
