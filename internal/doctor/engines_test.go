package doctor_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"edged/internal/doctor"
	"edged/transformers/asr/pocketsphinx"
	"edged/transformers/tts/flite"
)

type closer struct{ err error }

func (c closer) Close() error { return c.err }

func engine(load func() (io.Closer, error)) doctor.Engines {
	return doctor.Engines{Proc: "/proc", Models: []doctor.Model{{Key: "models.asr.local", Engine: "pocketsphinx", Load: load}}}
}

// One that loads: how long it takes and what memory.
func TestEngineLoads(t *testing.T) {
	var kept []byte
	found := look(t, engine(func() (io.Closer, error) {
		kept = make([]byte, 64<<20)
		for i := 0; i < len(kept); i += 4096 {
			kept[i] = 1 // memory that is not touched is not taken
		}
		return closer{}, nil
	}).Look)
	healthy(t, found)
	f := want(t, found, doctor.OK, "models.asr.local: pocketsphinx loads in", "takes")
	if len(kept) == 0 || f.Measure != nil {
		t.Errorf("%+v", f)
	}
}

// One that does not: the others are tried, and what to do is said.
func TestEngineFails(t *testing.T) {
	empty := t.TempDir()
	asr := doctor.Model{Key: "models.asr.local", Engine: "pocketsphinx", Dir: empty, DirKey: "models.asr.local.model_dir", Load: func() (io.Closer, error) {
		return pocketsphinx.New(pocketsphinx.Config{ModelDir: empty, Decoders: 1})
	}}
	tts := doctor.Model{Key: "models.tts.local", Engine: "flite", Load: func() (io.Closer, error) {
		return nil, &flite.LibraryError{Library: "libflite.so.1", Package: "libflite1", Reason: "cannot open shared object file: No such file or directory"}
	}}
	generator := doctor.Model{Key: "models.generator.rules", Engine: "rules", Load: func() (io.Closer, error) { return closer{}, nil }}
	found := look(t, doctor.Engines{Proc: "/proc", Models: []doctor.Model{asr, tts, generator}}.Look)

	f := want(t, found, doctor.Problem, "models.asr.local: pocketsphinx does not load", empty, "it is missing", "does not start")
	wantFix(t, f, "models.asr.local.model_dir")
	if f.Fix.Command != "apt-get install pocketsphinx-en-us" {
		t.Errorf("to be run: %q", f.Fix.Command)
	}
	f = want(t, found, doctor.Problem, "models.tts.local: flite does not load", "libflite.so.1")
	if f.Fix.Command != "apt-get install libflite1" {
		t.Errorf("to be run: %q", f.Fix.Command)
	}
	want(t, found, doctor.OK, "models.generator.rules")

	asr.Dir = filepath.Join(empty, "gone")
	wantFix(t, want(t, look(t, doctor.Engines{Proc: "/proc", Models: []doctor.Model{asr}}.Look), doctor.Problem, asr.Dir+" is not there"), "model_dir")
	want(t, look(t, doctor.Engines{}.Look), doctor.Problem, "no models")
}

// A model that this user may not read.
func TestEngineUnreadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "means"), "x")
	model := doctor.Model{Key: "models.asr.local", Engine: "pocketsphinx", Dir: dir, DirKey: "models.asr.local.model_dir", Load: func() (io.Closer, error) {
		f, err := os.Open(filepath.Join(dir, "means"))
		if err != nil {
			return nil, err
		}
		return f, nil
	}}
	asNobody(t, func() {
		f := want(t, look(t, doctor.Engines{Proc: "/proc", Models: []doctor.Model{model}}.Look), doctor.Problem, dir+" cannot be read", "permission denied")
		wantFix(t, f, "chmod -R a+rX "+dir)
	})
}

// Slow ones, and ones that cannot be freed.
func TestEngineIsOdd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := engine(func() (io.Closer, error) { time.Sleep(12 * time.Second); return closer{}, nil })
		wantFix(t, want(t, look(t, slow.Look), doctor.Warning, "took 12.0 s to load"), "faster disk")
	})
	stuck := engine(func() (io.Closer, error) { return closer{errors.New("busy")}, nil })
	want(t, look(t, stuck.Look), doctor.Warning, "cannot be freed: busy")
}
