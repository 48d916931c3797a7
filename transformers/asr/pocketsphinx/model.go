//go:build cgo

package pocketsphinx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// model is where the parts of the model lie.
type model struct {
	dir, acoustic, dictionary, language string
}

// acousticFiles are those that the library needs of its model, and would end
// the process over if they were damaged.
var acousticFiles = []string{"feat.params", "mdef", "means", "variances", "transition_matrices", "sendump", "noisedict"}

// findModel returns the model in dir and checks that it is all there.
func findModel(dir string) (model, error) {
	m := model{
		dir:        dir,
		acoustic:   filepath.Join(dir, "en-us", "en-us"),
		dictionary: filepath.Join(dir, "en-us", "cmudict-en-us.dict"),
		language:   filepath.Join(dir, "en-us", "en-us.lm.bin"),
	}
	files := []string{m.dictionary, m.language}
	for _, name := range acousticFiles {
		files = append(files, filepath.Join(m.acoustic, name))
	}
	for _, path := range files {
		if err := readable(path); err != nil {
			e := &Error{Code: CodeModel, Path: path, Message: err.Error()}
			if errors.Is(err, fs.ErrNotExist) {
				e.Message, e.Package = "it is missing", modelPackage
			}
			return model{}, e
		}
	}
	return m, nil
}

// readable reports why the file at path is none with something in it.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.ReadFull(f, make([]byte, 1)); err != nil {
		return fmt.Errorf("it is empty: %w", err)
	}
	return nil
}
