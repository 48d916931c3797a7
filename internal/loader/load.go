package loader

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
)

//go:embed defaults.yaml
var defaultsYAML []byte

//go:embed development.yaml
var developmentYAML []byte

// Sources are where a configuration comes from.
type Sources struct {
	// File is the path of the configuration file. Empty means the built-in
	// development settings.
	File string
	// Environ is the environment as "NAME=value" pairs, see os.Environ.
	Environ []string
	// Flags are keys that were set on the command line, by path, with values
	// written as YAML.
	Flags map[string]string
}

// Load reads the configuration and checks it whole. The error is Problems, or
// one of package os for a file that cannot be read.
func Load(from Sources) (*Config, error) {
	t := newTree(lookup(from.Environ))
	t.document("built-in defaults", bytes.NewReader(defaultsYAML))
	if from.File == "" {
		t.document("built-in development settings", bytes.NewReader(developmentYAML))
	} else {
		file, err := os.ReadFile(from.File)
		if err != nil {
			return nil, fmt.Errorf("configuration: %w", err)
		}
		t.document(from.File, bytes.NewReader(file))
	}
	t.environment(from.Environ)
	t.flags(from.Flags)

	var cfg Config
	t.decode(t.root, reflect.ValueOf(&cfg).Elem(), "")
	if len(t.problems) == 0 {
		t.check(&cfg)
	}
	if len(t.problems) > 0 {
		slices.SortStableFunc(t.problems, func(a, b Problem) int {
			if a.Source != b.Source {
				return strings.Compare(a.Source, b.Source)
			}
			return a.Line - b.Line
		})
		return nil, t.problems
	}
	return &cfg, nil
}

// flags lays the command line over the tree.
func (t *tree) flags(flags map[string]string) {
	for _, path := range slices.Sorted(maps.Keys(flags)) {
		t.value("command line", strings.Split(path, "."), flags[path])
	}
}

// lookup finds a variable in an environment; the last one of a name counts.
func lookup(environ []string) func(string) string {
	return func(name string) string {
		for _, variable := range slices.Backward(environ) {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				return value
			}
		}
		return ""
	}
}
