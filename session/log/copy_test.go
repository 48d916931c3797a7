package log_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"edged/session/log"
)

// disk is a writer that can be full.
type disk struct {
	bytes.Buffer
	err error
}

func (d *disk) Write(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	return d.Buffer.Write(p)
}

// A disk that is full is told of once; when there is room again the log goes on,
// and what is missing stands in it.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := log.NewRing(log.RingConfig{})
		d := &disk{}
		var told []string
		var copying sync.WaitGroup
		tail := ring.Tail(log.Start{})
		copying.Go(func() {
			log.Copy(context.Background(), d, tail, func(err error) { told = append(told, fmt.Sprint(err)) })
		})
		numbered(ring, 1, 2)
		synctest.Wait()
		d.err = errors.New("no space left on device")
		for n := 3; n <= 7; n++ {
			numbered(ring, n, n)
			synctest.Wait()
			time.Sleep(700 * time.Millisecond)
		}
		d.err = nil
		time.Sleep(time.Second)
		numbered(ring, 8, 8)
		synctest.Wait()
		numbered(ring, 9, 9)
		ring.Close()
		copying.Wait()
		tail.Close()
		if got := read(t, d.Bytes()); got != "1 2 gap 5 unwritable 8 9" {
			t.Errorf("the disk holds %q", got)
		}
		if got := strings.Join(told, "; "); got != "no space left on device; <nil>" {
			t.Errorf("told %q, want the failure once and the recovery once", got)
		}
	})
}

// What was missed is marked at the end, too, if the disk recovers just then.
func TestFullDiskAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := log.NewRing(log.RingConfig{})
		d := &disk{err: io.ErrShortWrite}
		tail := ring.Tail(log.Start{})
		defer tail.Close()
		var copying sync.WaitGroup
		copying.Go(func() { log.Copy(context.Background(), d, tail, nil) })
		numbered(ring, 1, 3)
		synctest.Wait()
		d.err = nil
		ring.Close()
		copying.Wait()
		if got := read(t, d.Bytes()); got != "gap 3 unwritable" {
			t.Errorf("the disk holds %q", got)
		}
	})
}

// read describes the lines of a log as ready does.
func read(t *testing.T, text []byte) string {
	t.Helper()
	var got []string
	for line := range strings.Lines(string(text)) {
		got = append(got, describe(t, log.Entry{Line: []byte(strings.TrimSuffix(line, "\n"))}))
	}
	return strings.Join(got, " ")
}

// Files are put aside at their size, and the oldest is given up.
func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.jsonl")
	file := log.NewFile(log.FileConfig{Path: path, Bytes: 30, Files: 3})
	for n := 10; n <= 20; n++ { // nine bytes each: three fit
		if _, err := fmt.Fprintf(file, "{\"n\":%d}\n", n); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, path, map[string]string{"": "19 20", ".1": "16 17 18", ".2": "13 14 15"})
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; the log may hold what people say: want 0600", info.Mode(), err)
	}
	// Another process goes on where this one ended.
	file = log.NewFile(log.FileConfig{Path: path, Bytes: 30, Files: 3})
	defer file.Close()
	for n := 21; n <= 22; n++ {
		if _, err := fmt.Fprintf(file, "{\"n\":%d}\n", n); err != nil {
			t.Fatal(err)
		}
	}
	wantFiles(t, path, map[string]string{"": "22", ".1": "19 20 21", ".2": "16 17 18"})
}

func TestRotationOfOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.jsonl")
	file := log.NewFile(log.FileConfig{Path: path, Bytes: 20, Files: 1})
	defer file.Close()
	for n := 10; n <= 14; n++ {
		if _, err := fmt.Fprintf(file, "{\"n\":%d}\n", n); err != nil {
			t.Fatal(err)
		}
	}
	wantFiles(t, path, map[string]string{"": "14"})
}

// wantFiles compares the files beside path, by the ending of their names.
func wantFiles(t *testing.T, path string, want map[string]string) {
	t.Helper()
	all, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(want) {
		t.Errorf("there are %v, want %d files", all, len(want))
	}
	for _, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, text); got != want[strings.TrimPrefix(name, path)] {
			t.Errorf("%s holds %q, want %q", filepath.Base(name), got, want[strings.TrimPrefix(name, path)])
		}
	}
}

// A line that a full disk cut in two stays alone; the next one begins anew.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.jsonl")
	if err := os.WriteFile(path, []byte("{\"n\":1}\n{\"n\":"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := log.NewFile(log.FileConfig{Path: path})
	defer file.Close()
	for n := 3; n <= 4; n++ {
		if _, err := fmt.Fprintf(file, "{\"n\":%d}\n", n); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if want := "{\"n\":1}\n{\"n\":\n{\"n\":3}\n{\"n\":4}\n"; err != nil || string(text) != want {
		t.Errorf("the file holds %q, want %q (%v)", text, want, err)
	}
}

// A path that cannot be written is an error, and is tried anew each time.
func TestUnwritable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	file := log.NewFile(log.FileConfig{Path: filepath.Join(dir, "sessions.jsonl")})
	defer file.Close()
	if _, err := io.WriteString(file, "{}\n"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v, want os.ErrNotExist", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(file, "{}\n"); err != nil {
		t.Errorf("now that the directory is there: %v", err)
	}
}
