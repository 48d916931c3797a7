package flite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Whoever starts edged without the engine must read what is missing and the
// command that installs it, instead of the dynamic loader's words alone.
func TestMissingLibrary(t *testing.T) {
	damaged := filepath.Join(t.TempDir(), "libflite.so.1")
	if err := os.WriteFile(damaged, []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	installed := installed(DefaultVoice)
	tests := []struct {
		name    string
		use     library
		library string // named by the error
		install string // the command it tells
	}{
		{"engine missing", library{engine: "libflite-gone.so.1", voice: installed.voice},
			"libflite-gone.so.1", "apt-get install libflite1"},
		{"whole package missing", library{engine: "/gone/libflite.so.1", voice: "/gone/libflite_cmu_us_rms.so.1"},
			"libflite.so.1", "apt-get install libflite1"},
		{"voice missing", library{engine: installed.engine, voice: "libflite_cmu_us_gone.so.1"},
			"libflite_cmu_us_gone.so.1", "apt-get install libflite1"},
		{"engine damaged", library{engine: damaged, voice: installed.voice},
			"libflite.so.1", "apt-get install --reinstall libflite1"},
		{"engine is another library", library{engine: "libc.so.6", voice: installed.voice},
			"libc.so.6", "apt-get install --reinstall libflite1"},
		{"voice is another library", library{engine: installed.engine, voice: "libc.so.6"},
			"libc.so.6", "apt-get install --reinstall libflite1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := newVoice(Config{}, func(string) library { return tt.use })
			var missing *LibraryError
			if v != nil || !errors.As(err, &missing) || !errors.Is(err, ErrLibrary) {
				t.Fatalf("voice %v, error %v, want none and a *LibraryError that matches ErrLibrary", v, err)
			}
			if missing.Library != tt.library || missing.Package != "libflite1" || missing.Install() != tt.install {
				t.Errorf("library %q of package %q, install with %q; want %q of libflite1 and %q",
					missing.Library, missing.Package, missing.Install(), tt.library, tt.install)
			}
			if text := err.Error(); missing.Reason == "" || !strings.Contains(text, missing.Reason) ||
				!strings.Contains(text, tt.library) || !strings.HasSuffix(text, "run: "+tt.install) {
				t.Errorf("%q: the operator must see the library, the loader's reason and the command", text)
			}
		})
	}
	t.Run("nothing is left behind", func(t *testing.T) {
		v, err := New(Config{})
		if err != nil {
			t.Fatalf("the installed voice after the failures: %v", err)
		}
		samples := 0
		if err := v.Synthesize(t.Context(), "Hello.", func(pcm []int16) error { samples += len(pcm); return nil }); err != nil {
			t.Fatal(err)
		}
		if samples < SampleRate/10 {
			t.Errorf("a word gave %d samples, want a tenth of a second or more", samples)
		}
	})
}

// A library that another needs is another package's.
func TestLibraryErrorNamesThePackage(t *testing.T) {
	tests := []struct{ name, said, library, install string }{
		{"the engine's own need", "libasound.so.2: cannot open shared object file: No such file or directory",
			"libasound.so.2", "apt-get install libasound2"},
		{"a voice's need", "libflite_cmulex.so.1: cannot open shared object file: No such file or directory",
			"libflite_cmulex.so.1", "apt-get install libflite1"},
		{"no library named", "out of memory", "libflite", "apt-get install --reinstall libflite1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := libraryError(tt.said); err.Library != tt.library || err.Install() != tt.install {
				t.Errorf("%v: library %q, install with %q; want %q and %q", err, err.Library, err.Install(), tt.library, tt.install)
			}
		})
	}
}

// Sessions of one server may be the first to want a voice at the same time, and
// one that has no luck must not disturb the others.
func TestConcurrentLoading(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		for _, name := range Voices() {
			wg.Go(func() {
				v, err := New(Config{Voice: name})
				if err != nil || v.Name() != name {
					t.Errorf("voice %s: %v", name, err)
				}
			})
		}
		wg.Go(func() {
			_, err := newVoice(Config{}, func(string) library { return library{engine: "libflite-gone.so.1"} })
			if !errors.Is(err, ErrLibrary) {
				t.Errorf("missing engine: %v, want ErrLibrary", err)
			}
		})
	}
	wg.Wait()
}
