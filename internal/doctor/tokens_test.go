package doctor_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edged/edge"
	"edged/internal/doctor"
	"edged/internal/loader"
)

// Good secrets: 120 bits each.
const (
	kitchenToken  = "q7Xw2mLr9Zk4Vt1Hs8Nc"
	hallToken     = "Jd3Pg6Yb0Fq5Ru9Ta2Ew"
	operatorToken = "Lx8Cn1Ki7Om4Sv6Uz3Ga"
	signingKey    = "x9Qm2Vb7Lr4Kt8Zc1Hs5Nw3Jd6Pg0YfAeRu"
)

func tokens(cfg loader.Config) doctor.Tokens {
	return doctor.Tokens{Config: &cfg, Now: time.Now}
}

// secrets fails the test if one of them stands in what was found.
func secrets(t *testing.T, findings []doctor.Finding, secrets ...string) {
	t.Helper()
	shown := text(t, findings)
	for _, s := range secrets {
		if s != "" && strings.Contains(shown, s) {
			t.Errorf("the secret %q is shown:\n%s", s, shown)
		}
	}
}

func TestTokensAreGood(t *testing.T) {
	cfg := loader.Config{
		Server:    loader.Server{SigningKeys: map[string]loader.Secret{"k1": signingKey}},
		Devices:   map[string]loader.Device{"kitchen": {Token: kitchenToken}, "hall": {Token: hallToken}},
		Operators: loader.Operators{Token: operatorToken},
	}
	found := look(t, tokens(cfg).Look)
	healthy(t, found)
	want(t, found, doctor.OK, "2 device tokens", "do not expire")
	want(t, found, doctor.OK, "server.signing_keys.k1", "signed and verified")
	want(t, found, doctor.OK, "operators.token")
	secrets(t, found, kitchenToken, hallToken, operatorToken, signingKey)
	want(t, look(t, tokens(loader.Config{}).Look), doctor.OK, "need no token")
}

func TestTokensAreBad(t *testing.T) {
	signed := sign(t, time.Hour)
	for _, tt := range []struct {
		name  string
		cfg   loader.Config
		level doctor.Level
		says  []string
		fix   string
	}{
		{"too short", devices("short"), doctor.Problem, []string{"devices.kitchen.token", "5 bytes"}, "/dev/urandom"},
		{"repeats itself", devices("kitchen-kitchen-kitchen"), doctor.Warning, []string{"devices.kitchen.token can be guessed"}, "head -c 24 /dev/urandom | base64"},
		{"counts", devices("0123456789abcdef"), doctor.Warning, []string{"can be guessed"}, "devices.kitchen.token"},
		{"line end", devices(kitchenToken + "\n"), doctor.Problem, []string{"line ends"}, "take them out"},
		{"signed, as a fixed one", devices(signed), doctor.Warning, []string{"signed token", "for ever"}, "server.signing_keys"},
		{"key too short", keys(map[string]loader.Secret{"k1": "short"}), doctor.Problem, []string{"server.signing_keys.k1", "5 bytes"}, "head -c 32 /dev/urandom | base64"},
		{"key that counts", keys(map[string]loader.Secret{"k1": "0123456789abcdef0123456789abcdef"}), doctor.Warning, []string{"signs tokens for every device"}, "server.signing_keys.k1"},
		{"key twice", keys(map[string]loader.Secret{"a": signingKey, "b": signingKey}), doctor.Warning, []string{"server.signing_keys.b is the same key as a"}, "server.signing_keys.b"},
		{"operators' is a device's", loader.Config{
			Devices: map[string]loader.Device{"kitchen": {Token: kitchenToken}}, Operators: loader.Operators{Token: kitchenToken},
		}, doctor.Warning, []string{`operators.token is the token of the device "kitchen"`}, "operators.token"},
		{"operators' is weak", loader.Config{Operators: loader.Operators{Token: "operators-operators"}}, doctor.Warning, []string{"operators.token can be guessed"}, "operators.token"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := look(t, tokens(tt.cfg).Look)
			wantFix(t, want(t, found, tt.level, tt.says...), tt.fix)
			for _, d := range tt.cfg.Devices {
				secrets(t, found, strings.TrimSpace(d.Token.Reveal()))
			}
			for _, k := range tt.cfg.Server.SigningKeys {
				secrets(t, found, k.Reveal())
			}
		})
	}
}

func devices(token string) loader.Config {
	return loader.Config{Devices: map[string]loader.Device{"kitchen": {Token: loader.Secret(token)}}}
}

func keys(k map[string]loader.Secret) loader.Config {
	return loader.Config{Server: loader.Server{SigningKeys: k}}
}

func sign(t *testing.T, lifetime time.Duration) string {
	t.Helper()
	signer, err := edge.NewSignedTokens(0, edge.SigningKey{ID: "k1", Secret: []byte(signingKey)})
	if err != nil {
		t.Fatal(err)
	}
	token, err := signer.Sign(edge.Identity{Device: "kitchen"}, lifetime)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// A token that a device is about to show: when it ends.
func TestTokenShown(t *testing.T) {
	token := sign(t, 3*time.Hour)
	for _, tt := range []struct {
		name  string
		after time.Duration
		level doctor.Level
		says  string
	}{
		{"good", 0, doctor.OK, "good until"},
		{"ends soon", 2*time.Hour + 30*time.Minute, doctor.Warning, "expires in"},
		{"has ended", 4 * time.Hour, doctor.Problem, "has expired"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tokens := doctor.Tokens{Now: func() time.Time { return time.Now().Add(tt.after) }}
			found := tokens.Shown(token)
			actionable(t, found)
			f := want(t, found, tt.level, tt.says)
			if tt.level != doctor.OK {
				wantFix(t, f, "edged token --config")
			}
			secrets(t, found, token)
		})
	}
	for _, other := range []string{"", kitchenToken, "a.b.c", "a." + base64.RawURLEncoding.EncodeToString([]byte(`{"exp":"never"}`)) + ".c"} {
		if found := (doctor.Tokens{Now: time.Now}).Shown(other); len(found) > 0 {
			t.Errorf("%q: %+v, want nothing, since it does not tell when it ends", other, found)
		}
		if device := doctor.Holder(other); device != "" {
			t.Errorf("%q belongs to %q, want nobody", other, device)
		}
	}
	if device := doctor.Holder(token); device != "kitchen" {
		t.Errorf("the token belongs to %q, want kitchen", device)
	}
}

// Random secrets are not called weak, however they are written.
func TestRandomTokensAreStrong(t *testing.T) {
	for range 300 {
		raw := make([]byte, 24)
		rand.Read(raw)
		for _, token := range []string{base64.StdEncoding.EncodeToString(raw), hex.EncodeToString(raw), rand.Text()} {
			cfg := devices(token)
			cfg.Operators.Token = loader.Secret(rand.Text())
			healthy(t, tokens(cfg).Look(t.Context()))
		}
		key := make([]byte, 32)
		rand.Read(key)
		healthy(t, tokens(keys(map[string]loader.Secret{"k1": loader.Secret(base64.StdEncoding.EncodeToString(key))})).Look(t.Context()))
		healthy(t, tokens(keys(map[string]loader.Secret{"k1": loader.Secret(hex.EncodeToString(key))})).Look(t.Context()))
	}
}

func TestGuessableTokensAreWeak(t *testing.T) {
	for _, token := range []string{
		"aaaaaaaaaaaaaaaaaaaaaaaa", "abcdefghijklmnopqrstuvwxyz", "9876543210987654", "changeme-changeme", "Password12345678", "secret-token-kitchen",
		"qwertyqwertyqwerty", "kitchen-device-test", "1111222233334444", "abcabcabcabcabcabc",
	} {
		f := want(t, look(t, tokens(devices(token)).Look), doctor.Warning, "devices.kitchen.token can be guessed")
		wantFix(t, f, "/dev/urandom")
	}
}

// The file of the variables that hold the secrets is its owner's alone.
func TestEnvFile(t *testing.T) {
	check := tokens(devices(kitchenToken))
	check.EnvFile = filepath.Join(t.TempDir(), "edged.env")
	write(t, check.EnvFile, "KITCHEN="+kitchenToken+"\n")
	healthy(t, look(t, check.Look))
	if err := os.Chmod(check.EnvFile, 0o640); err != nil {
		t.Fatal(err)
	}
	f := want(t, look(t, check.Look), doctor.Warning, check.EnvFile, "can be read by its group")
	wantFix(t, f, "chmod 600 "+check.EnvFile)
}

// The file of the token that a server makes for its own user.
func TestOperatorFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "edged")
	check := tokens(loader.Config{})
	check.OperatorFile = filepath.Join(dir, "operator-8080.token")
	found := look(t, check.Look)
	healthy(t, found)
	want(t, found, doctor.OK, "will be kept in "+dir)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory was made: %v", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, check.OperatorFile, operatorToken)
	found = look(t, check.Look)
	healthy(t, found)
	want(t, found, doctor.OK, "only its owner can read it")
	secrets(t, found, operatorToken)
	if err := os.Chmod(check.OperatorFile, 0o644); err != nil {
		t.Fatal(err)
	}
	f := want(t, look(t, check.Look), doctor.Warning, "can be read by everybody")
	wantFix(t, f, "chmod 600 "+check.OperatorFile)

	check.OperatorFile = filepath.Join(check.OperatorFile, "no-directory", "operator-8080.token")
	want(t, look(t, check.Look), doctor.Warning, "cannot be read")
	check.OperatorFile = "/proc/edged/operator-8080.token" // nobody can make a directory there
	f = want(t, look(t, check.Look), doctor.Warning, "cannot be kept in /proc/edged", "edged tail")
	wantFix(t, f, "operators.token: $EDGED_OPERATOR_TOKEN")
}
