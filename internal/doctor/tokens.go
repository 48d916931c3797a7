package doctor

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"edged/edge"
	"edged/internal/loader"
)

// Tokens looks at the secrets of devices and operators. That each variable is set
// and no token is too short or used twice, the loader has found out already.
type Tokens struct {
	Config *loader.Config
	// OperatorFile is where a server of this user puts the operators' token that it
	// makes; "" if none is made.
	OperatorFile string
	// EnvFile is the file of variables that hold secrets, "" if there is none.
	EnvFile string
	// Now is for tokens that expire.
	Now func() time.Time
}

// Look tries each secret.
func (t Tokens) Look(ctx context.Context) []Finding {
	found := t.devices(ctx)
	found = append(found, t.signingKeys()...)
	found = append(found, t.operators()...)
	if info, err := os.Stat(t.EnvFile); err == nil && readableBy(info.Mode()) != "" {
		found = append(found, warningf("%s, with the secrets, can be read by %s", t.EnvFile, readableBy(info.Mode())).
			because("whoever reads it is taken for any device", Fix{Command: "chmod 600 " + quoted(t.EnvFile)}))
	}
	if len(found) == 0 {
		return []Finding{okf("there are none: devices need no token")}
	}
	return found
}

func (t Tokens) devices(ctx context.Context) []Finding {
	var found []Finding
	good := 0
	for id, d := range inOrder(t.Config.Devices) {
		key, token := "devices."+id+".token", d.Token.Reveal()
		before := len(found)
		static, err := edge.NewStaticTokens(edge.StaticToken{Token: token, Identity: edge.Identity{Device: id}})
		if err == nil {
			_, err = static.Authenticate(ctx, edge.Credentials{Token: token, Device: id})
		}
		if err != nil {
			found = append(found, problemf("%s cannot be used: %v", key, err).
				because("the device cannot connect", replaceSecret(key, newToken)))
		}
		if end, ok := expiry(token); ok {
			found = append(found, warningf("%s is a signed token, and used as a fixed one: that it ends at %s means nothing", key, stamp(end)).
				because("who finds it can use it for ever", Fix{
					Text: "a fixed token is random; signed ones need no entry under devices, only server.signing_keys", Key: key, Command: newToken,
				}))
		} else if strength(token, id) < weakBits {
			found = append(found, weak(key, "whoever guesses it is taken for the device", newToken))
		}
		if strings.TrimSpace(token) != token || strings.ContainsAny(token, "\r\n\x00") {
			found = append(found, problemf("%s has blanks or line ends around it or in it", key).
				because("it goes into an HTTP header, which cannot hold them: the device is refused", Fix{Text: "take them out of the variable", Key: key}))
		}
		if len(found) == before {
			good++
		}
	}
	if good > 0 {
		found = append([]Finding{okf("%s can be used; fixed tokens do not expire", plural(good, "device token"))}, found...)
	}
	return found
}

// weak tells that a secret can be guessed, and not why: that would help to.
func weak(key, why, command string) Finding {
	return warningf("%s can be guessed: it repeats itself, counts, or holds words that anybody tries", key).
		because(why, replaceSecret(key, command))
}

// signingKeys signs and verifies a token with each key.
func (t Tokens) signingKeys() []Finding {
	var found []Finding
	owners := make(map[loader.Secret]string)
	for id, secret := range inOrder(t.Config.Server.SigningKeys) {
		key := "server.signing_keys." + id
		identity := edge.Identity{Device: "doctor"}
		signer, err := edge.NewSignedTokens(0, edge.SigningKey{ID: id, Secret: []byte(secret.Reveal())})
		var token string
		if err == nil {
			token, err = signer.Sign(identity, time.Minute)
		}
		var who edge.Identity
		if err == nil {
			who, err = signer.Verify(token)
		}
		if err == nil && who != identity {
			err = errors.New("the token names somebody else")
		}
		other, taken := owners[secret]
		owners[secret] = id
		switch {
		case err != nil:
			found = append(found, problemf("%s: a token was signed and does not verify: %v", key, err).
				because("no device can connect with a token of this key", replaceSecret(key, newKey)))
		case taken:
			found = append(found, warningf("%s is the same key as %s", key, other).
				because("taking one of them out would not make its tokens invalid", replaceSecret(key, newKey)))
		case strength(secret.Reveal()) < 2*weakBits:
			found = append(found, weak(key, "whoever guesses it signs tokens for every device", newKey))
		default:
			found = append(found, okf("%s: a token was signed and verified", key))
		}
	}
	return found
}

func (t Tokens) operators() []Finding {
	var found []Finding
	if token := t.Config.Operators.Token.Reveal(); token != "" {
		if strength(token) < weakBits {
			found = append(found, weak("operators.token", "whoever guesses it reads the session log", newToken))
		} else {
			found = append(found, okf("operators.token is set"))
		}
		for id, d := range inOrder(t.Config.Devices) {
			if d.Token.Reveal() == token {
				found = append(found, warningf("operators.token is the token of the device %q, too", id).
					because("who takes the device apart reads the session log of all", replaceSecret("operators.token", newToken)))
			}
		}
		return found
	}
	if t.OperatorFile == "" {
		return nil
	}
	return append(found, t.operatorFile()...)
}

// operatorFile looks at the file of the token that a server makes for its user.
func (t Tokens) operatorFile() []Finding {
	path, dir := t.OperatorFile, filepath.Dir(t.OperatorFile)
	info, err := os.Stat(path)
	switch {
	case err == nil && readableBy(info.Mode()) != "":
		return []Finding{warningf("%s, the operators' token of this user, can be read by %s", path, readableBy(info.Mode())).
			because("whoever reads it reads the session log", Fix{Command: "chmod 600 " + quoted(path)})}
	case err == nil:
		return []Finding{okf("%s is the operators' token of a server of this user; only its owner can read it", path)}
	case !errors.Is(err, fs.ErrNotExist):
		return []Finding{warningf("the operators' token %s cannot be read: %v", path, cause(err)).
			because("edged tail and edged sessions will not find it", Fix{Command: "ls -ld " + quoted(dir)})}
	}
	if err := canCreate(dir); err != nil {
		return []Finding{warningf("the operators' token cannot be kept in %s: %v", dir, cause(err)).
			because("the operators' API stays off: edged tail and edged sessions find nothing", Fix{
				Text: "make it writable, or give the operators a token", Key: "operators.token: $EDGED_OPERATOR_TOKEN", Command: "mkdir -p " + quoted(dir),
			})}
	}
	return []Finding{okf("the operators' token will be kept in %s", dir)}
}

// claims is what a signed token says.
type claims struct {
	Expires *float64 `json:"exp"`
	Device  string   `json:"sub"`
}

// readClaims reads a signed token without believing it. ok is false for what is none.
func readClaims(token string) (c claims, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return c, false
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(body, &c) != nil {
		return claims{}, false
	}
	return c, true
}

// Holder returns the device that a signed token says it is for, unproven; "" for what
// is no signed token.
func Holder(token string) string {
	c, _ := readClaims(token)
	return c.Device
}

// expiry is when a signed token ends, unproven. ok is false for what is none.
func expiry(token string) (end time.Time, ok bool) {
	c, ok := readClaims(token)
	if !ok || c.Expires == nil {
		return time.Time{}, false
	}
	return time.Unix(int64(*c.Expires), 0), true
}

// soon is how long before its end a token is called short-lived.
const soon = time.Hour

// Shown looks at a token that is about to be shown to a server.
func (t Tokens) Shown(token string) []Finding {
	end, ok := expiry(token)
	if !ok {
		return nil
	}
	const why = "a device is let in only while its token is good"
	fix := Fix{Text: "sign a new one", Command: "edged token --config edged.yaml --device ID"}
	switch left := end.Sub(t.Now()); {
	case left <= 0:
		return []Finding{problemf("the token has expired at %s", stamp(end)).because(why, fix)}
	case left < soon:
		return []Finding{warningf("the token expires in %v, at %s", left.Round(time.Second), stamp(end)).because(why, fix)}
	}
	return []Finding{okf("the token is good until %s", stamp(end))}
}
