package main

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"testing"
)

// The committed vectors are what this command writes: nobody edits them by
// hand, and none is left over.
func TestCommittedVectors(t *testing.T) {
	want, err := render()
	if err != nil {
		t.Fatal(err)
	}
	committed := os.DirFS("..")
	for name, content := range want {
		got, err := fs.ReadFile(committed, name)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s differs from its definition (%v): run make vectors", name, err)
		}
	}
	for _, dir := range []string{"frames", "messages"} {
		entries, err := fs.ReadDir(committed, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if _, ok := want[path.Join(dir, e.Name())]; !ok {
				t.Errorf("%s/%s is defined nowhere: run make vectors", dir, e.Name())
			}
		}
	}
}

func TestGenerateReplacesOldVectors(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := os.MkdirAll(path.Join(dir, "frames"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path.Join(dir, "frames", "old.bin"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := generate(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path.Join(dir, "frames", "old.bin")); err == nil {
			t.Error("an old vector stayed behind")
		}
	}
}
