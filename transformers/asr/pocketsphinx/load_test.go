//go:build cgo

package pocketsphinx

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// loadError is the *Error that New must fail with.
func loadError(t *testing.T, cfg Config, want Code) *Error {
	t.Helper()
	cfg.Decoders = 1
	r, err := New(cfg)
	if err == nil {
		r.Close()
		t.Fatalf("New succeeded, want it to fail with %q", want)
	}
	var e *Error
	if !errors.As(err, &e) || e.Code != want {
		t.Fatalf("err = %v, want an *Error with code %q", err, want)
	}
	t.Log(err)
	return e
}

// Whoever starts the server without the model is told the package and the
// command.
func TestMissingModel(t *testing.T) {
	e := loadError(t, Config{ModelDir: t.TempDir()}, CodeModel)
	if e.Package != "pocketsphinx-en-us" || !strings.Contains(e.Error(), "apt-get install pocketsphinx-en-us") {
		t.Errorf("err = %v, want it to name Debian's package and the command", e)
	}
	if e.Path == "" || !strings.Contains(e.Error(), e.Path) {
		t.Errorf("err = %v, want the file that is missing", e)
	}
}

// The same for the library. The process has loaded it by now, so another one
// tries.
func TestMissingLibrary(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), libraryVariable+"=libpocketsphinx-not-here.so.3")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the process without the library failed: %v\n%s", err, out)
	}
	for _, want := range []string{"libpocketsphinx-not-here.so.3", "apt-get install libpocketsphinx3"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("without the library New says %q, want %q in it", out, want)
		}
	}
}

// A library of the name that is another one.
func TestForeignLibrary(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), libraryVariable+"=libm.so.6")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "pocketsphinx: the library libm.so.6 cannot be loaded") {
		t.Errorf("with another library New says %q (%v), want an error", out, err)
	}
}

// copyModel links the model into a directory of its own, except the file name
// (relative to en-us), which gets content.
func copyModel(t *testing.T, name string, content []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "en-us", "en-us"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"en-us/*.*", "en-us/en-us/*"} {
		files, err := filepath.Glob(filepath.Join(DefaultModelDir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files at %s: %v", pattern, err)
		}
		for _, file := range files {
			relative, err := filepath.Rel(DefaultModelDir, file)
			if err != nil {
				t.Fatal(err)
			}
			if relative == filepath.Join("en-us", name) {
				err = os.WriteFile(filepath.Join(dir, relative), content, 0o644)
			} else {
				err = os.Symlink(file, filepath.Join(dir, relative))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// The library ends the process when it finds some files damaged. It must not.
func TestDamagedModel(t *testing.T) {
	for _, name := range []string{"en-us/means", "en-us/transition_matrices", "en-us.lm.bin"} {
		t.Run(name, func(t *testing.T) {
			whole, err := os.ReadFile(filepath.Join(DefaultModelDir, "en-us", name))
			if err != nil {
				t.Fatal(err)
			}
			dir := copyModel(t, name, whole[:len(whole)/2])
			if e := loadError(t, Config{ModelDir: dir}, CodeModel); e.Message == "" {
				t.Error("the error does not say what is damaged")
			}
		})
	}
	t.Run("empty", func(t *testing.T) {
		e := loadError(t, Config{ModelDir: copyModel(t, "en-us/mdef", nil)}, CodeModel)
		if e.Package != "" || !strings.HasSuffix(e.Path, "mdef") {
			t.Errorf("err = %v, want the empty file and no package to install", e)
		}
	})
}

func TestUnknownWordsAreListed(t *testing.T) {
	text := "#JSGF V1.0; grammar g; public <top> = tell me a zorblax | qwyjibo | what time is it;"
	e := loadError(t, Config{Grammar: text}, CodeVocabulary)
	if want := []string{"qwyjibo", "zorblax"}; !slices.Equal(e.Words, want) {
		t.Errorf("words = %q, want %q: all that the dictionary lacks and no others", e.Words, want)
	}
}

// A word with a pronunciation of its own is recognised, by the language model's
// search too.
func TestPronunciations(t *testing.T) {
	r, err := New(Config{
		Grammar:        "#JSGF V1.0; grammar g; public <top> = tell me a zorblax | what time is it;",
		Pronunciations: map[string]string{"zorblax": "JH OW K", "time": "Z IY B R AH"},
		Decoders:       1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	h := mustRecognize(t, r, endpointed(t, "testdata/rms-joke.wav"))
	if h.Text != "tell me a zorblax" || !h.Accepted {
		t.Errorf("heard %+v, want the word that sounds like joke", h)
	}
	h = mustRecognize(t, r, endpointed(t, "testdata/kal16-time.wav"))
	if h.Text != "what time is it" {
		t.Errorf("heard %+v: a word of the dictionary has lost its own pronunciation", h)
	}
}

func TestBadPronunciations(t *testing.T) {
	for word, phones := range map[string]string{"zorblax": "XX YY", "zorb lax": "JH", "": "JH", "nothing": " ", "nul": "JH\x00", "a\x00b": "JH"} {
		e := loadError(t, Config{Pronunciations: map[string]string{word: phones}}, CodeVocabulary)
		if !slices.Equal(e.Words, []string{word}) {
			t.Errorf("%q %q: words = %q", word, phones, e.Words)
		}
	}
}

func TestBadGrammars(t *testing.T) {
	const head = "#JSGF V1.0; grammar g; "
	for name, text := range map[string]string{
		"import": head + "\nimport <other.rule>;\npublic <a> = yes;",
		"NUL":    head + "public <a> = yes;\x00 public <b> = no;",
	} {
		t.Run(name, func(t *testing.T) { loadError(t, Config{Grammar: text}, CodeGrammar) })
	}
	p, err := loadPair(Config{Grammar: head + "public <z> = maybe;"}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	defer p.free()
	for name, text := range map[string]string{
		"no grammar":       "what time is it",
		"only blank":       " ",
		"no name":          "#JSGF V1.0; public <a> = yes;",
		"unbalanced":       head + "public <a> = (yes | no;",
		"no public rule":   head + "<a> = yes;",
		"two public rules": head + "public <a> = yes; public <b> = no;",
		"undefined rule":   head + "public <a> = yes <b>;",
		"left recursion":   head + "public <a> = <a> yes | no;",
		"cut off":          grammar(t)[:500],
	} {
		t.Run(name, func(t *testing.T) {
			err := p.setGrammar(text)
			var e *Error
			if !errors.As(err, &e) || e.Code != CodeGrammar || e.Message == "" {
				t.Errorf("err = %v, want an *Error that says what is wrong with the grammar", err)
			}
			t.Log(err)
		})
	}
	if err := p.setGrammar(head + "public <a> = yes | no;"); err != nil {
		t.Errorf("a good grammar after the bad ones: %v", err)
	}
}

func TestBadThreshold(t *testing.T) {
	loadError(t, Config{Threshold: 1.5}, CodeConfig)
}
