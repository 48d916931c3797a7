// Command generate writes the test vectors of the edged.v1 protocol:
//
//	go run ./firmware-protocol/vectors/generate -out firmware-protocol/vectors
//
// Every byte and every expected value is written by hand in frames.go and
// messages.go. The command does not import the codec that the vectors test: a
// fault of the codec cannot find its way into them.
package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	out := flag.String("out", ".", "directory to write frames/ and messages/ into")
	flag.Parse()
	if err := generate(*out); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generate writes all vectors below dir. It replaces frames/ and messages/, so
// that a vector that is no longer defined does not stay behind.
func generate(dir string) error {
	files, err := render()
	if err != nil {
		return err
	}
	for _, sub := range []string{"frames", "messages"} {
		path := filepath.Join(dir, sub)
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// render returns the content of every file by its path below the directory.
func render() (map[string][]byte, error) {
	files := map[string][]byte{}
	add := func(name string, content []byte) error {
		if _, dup := files[name]; dup {
			return fmt.Errorf("vector %s is defined twice", name)
		}
		files[name] = content
		return nil
	}
	for _, v := range frames {
		raw, err := hex.DecodeString(strings.Join(strings.Fields(v.hex), ""))
		if err != nil {
			return nil, fmt.Errorf("frame %s: %w", v.name, err)
		}
		raw = append(raw, v.tail...)
		if v.Frame != nil && v.tail != nil {
			v.Frame.Payload = hex.EncodeToString(v.tail)
		}
		expect, err := indent(v.frameExpect)
		if err != nil {
			return nil, err
		}
		if err := add("frames/"+v.name+".bin", raw); err != nil {
			return nil, err
		}
		if err := add("frames/"+v.name+".json", expect); err != nil {
			return nil, err
		}
	}
	for _, v := range messages {
		expect, err := indent(v.messageExpect)
		if err != nil {
			return nil, err
		}
		if err := add("messages/"+v.name+".json", []byte(v.text)); err != nil {
			return nil, err
		}
		if err := add("messages/"+v.name+".expect.json", expect); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func indent(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
