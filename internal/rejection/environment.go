package rejection

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed voices/requirements.txt
var requirements []byte

//go:embed voices/speak.py
var speakScript []byte

// environment makes the Python environment of the voices, if it is not there
// yet, and returns its interpreter and the script that speaks.
func (s *Studio) environment(ctx context.Context) (python, script string, err error) {
	sum := sha256.Sum256(requirements)
	dir, err := filepath.Abs(filepath.Join(s.Dir, "voices-"+hex.EncodeToString(sum[:4])))
	if err != nil {
		return "", "", err
	}
	python, script = filepath.Join(dir, "bin", "python"), filepath.Join(dir, "speak.py")
	list, complete := filepath.Join(dir, "requirements.txt"), filepath.Join(dir, "complete")
	if _, err := os.Stat(complete); err == nil {
		return python, script, os.WriteFile(script, speakScript, 0o644)
	}
	run := func(name string, args ...string) error {
		if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("rejection: the voices of Python packages need Python 3.11 with venv (apt-get install python3-venv) and the package index: %s: %w: %s",
				name, err, bytes.TrimSpace(out))
		}
		return nil
	}
	if err := run("python3", "-m", "venv", dir); err != nil {
		return "", "", err
	}
	if err := os.WriteFile(list, requirements, 0o644); err != nil {
		return "", "", err
	}
	// --no-deps: what is listed is all that is needed.
	if err := run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", list); err != nil {
		return "", "", err
	}
	if err := os.WriteFile(script, speakScript, 0o644); err != nil {
		return "", "", err
	}
	return python, script, os.WriteFile(complete, nil, 0o644)
}
