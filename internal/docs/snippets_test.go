package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"edged/firmware-protocol/wire"
	"edged/internal/loader"
	"edged/session/log"
)

// A snippet of configuration is loaded, with the variables that it names set.
func TestConfigurations(t *testing.T) {
	variable := regexp.MustCompile(`\$([A-Z][A-Z0-9_]*)`)
	n := 0
	for _, blocks := range everything(t) {
		for _, b := range blocks {
			if b.Lang != "yaml" {
				continue
			}
			n++
			file := filepath.Join(t.TempDir(), "edged.yaml")
			if err := os.WriteFile(file, []byte(b.Text), 0o600); err != nil {
				t.Fatal(err)
			}
			var environ []string
			for i, m := range variable.FindAllStringSubmatch(b.Text, -1) {
				environ = append(environ, fmt.Sprintf("%s=a-secret-of-thirty-two-characters-%d", m[1], i))
			}
			if _, err := loader.Load(loader.Sources{File: file, Environ: environ}); err != nil {
				t.Errorf("%s: %v", b, err)
			}
		}
	}
	if n == 0 {
		t.Error("no page has a configuration")
	}
}

// A snippet of JSON is a message of the protocol or a line of the session log.
func TestJSON(t *testing.T) {
	for _, blocks := range everything(t) {
		for _, b := range blocks {
			if b.Lang != "json" {
				continue
			}
			for decoder := json.NewDecoder(strings.NewReader(b.Text)); decoder.More(); {
				var raw json.RawMessage
				if err := decoder.Decode(&raw); err != nil {
					t.Errorf("%s: %v", b, err)
					break
				}
				if err := judge(raw); err != nil {
					t.Errorf("%s: %v\n%s", b, err, raw)
				}
			}
		}
	}
}

func judge(raw json.RawMessage) error {
	if rec, ok, err := log.Parse(raw); ok || err != nil {
		if err == nil && rec.Event == nil {
			err = errors.New("the session log has no such event")
		}
		return err
	}
	_, fromDevice := wire.DecodeMessage(wire.FromDevice, raw)
	_, fromServer := wire.DecodeMessage(wire.FromServer, raw)
	if fromDevice != nil && fromServer != nil {
		return fmt.Errorf("neither side may send this: %w; %w", fromDevice, fromServer)
	}
	return nil
}
