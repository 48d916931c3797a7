package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"edged/edge"
	"edged/internal/loader"
)

// authenticator lets in the devices of the configuration: by their own token, by
// a signed one, or anonymously where that is enabled.
func authenticator(cfg *loader.Config) (edge.Authenticator, error) {
	var chain edge.Chain
	if len(cfg.Devices) > 0 {
		tokens, err := staticTokens(cfg)
		if err != nil {
			return nil, err
		}
		chain = append(chain, tokens)
	}
	if len(cfg.Server.SigningKeys) > 0 {
		tokens, err := signedTokens(cfg)
		if err != nil {
			return nil, err
		}
		chain = append(chain, tokens)
	}
	if cfg.Server.Anonymous {
		chain = append(chain, edge.Open{AnyAddress: cfg.Server.Public})
	}
	return chain, nil
}

func staticTokens(cfg *loader.Config) (*edge.StaticTokens, error) {
	var tokens []edge.StaticToken
	for _, id := range slices.Sorted(maps.Keys(cfg.Devices)) {
		d := cfg.Devices[id]
		tokens = append(tokens, edge.StaticToken{
			Token:    d.Token.Reveal(),
			Identity: edge.Identity{Device: id, Profile: d.Profile},
		})
	}
	return edge.NewStaticTokens(tokens...)
}

// signedTokens signs with the key whose id sorts last, so that a new key with a
// later id (a date, a number) takes over while the older ones still verify.
func signedTokens(cfg *loader.Config) (*edge.SignedTokens, error) {
	var keys []edge.SigningKey
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(cfg.Server.SigningKeys))) {
		keys = append(keys, edge.SigningKey{ID: id, Secret: []byte(cfg.Server.SigningKeys[id].Reveal())})
	}
	return edge.NewSignedTokens(0, keys...)
}

// tokenCmd is "edged token".
type tokenCmd struct {
	Config  string        `required:"" placeholder:"PATH" help:"Configuration with server.signing_keys: a YAML file, or a directory of them."`
	EnvFile string        `placeholder:"FILE" help:"Read further environment variables from this file (NAME=value)."`
	Device  string        `required:"" placeholder:"ID" help:"The device that the token is for."`
	Profile string        `placeholder:"NAME" help:"The profile that it runs under; the default one if not given."`
	TTL     time.Duration `default:"1h" help:"How long the token is good for."`
}

// Run prints a signed token.
func (c *tokenCmd) Run(_ context.Context, out streams) error {
	cfg, err := loader.Load((&configured{Config: c.Config, EnvFile: c.EnvFile}).sources(nil))
	if err != nil {
		return err
	}
	if len(cfg.Server.SigningKeys) == 0 {
		return errors.New("the configuration has no server.signing_keys to sign with")
	}
	if _, ok := cfg.Profiles[c.Profile]; !ok && c.Profile != "" {
		return fmt.Errorf("there is no profile %q in %s", c.Profile, c.Config)
	}
	tokens, err := signedTokens(cfg)
	if err != nil {
		return err
	}
	token, err := tokens.Sign(edge.Identity{Device: c.Device, Profile: c.Profile}, c.TTL)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out.stdout, token)
	return err
}
