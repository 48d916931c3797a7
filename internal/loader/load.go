package loader

import (
	"cmp"
	_ "embed"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed defaults.yaml
var defaultsYAML []byte

//go:embed development.yaml
var developmentYAML []byte

// Sources are where a configuration comes from.
type Sources struct {
	// Providers is what models can come from in this build. Nil means Offline.
	Providers Providers
	// File is the path of the configuration: a file, or a directory of files named
	// *.yaml or *.yml. Empty means the built-in development settings.
	File string
	// Environ is the environment as "NAME=value" pairs, see os.Environ.
	Environ []string
	// EnvFile is the path of a file of further variables. Empty means none. It is
	// read anew each time, while the environment of a process stays as it was.
	EnvFile string
	// Flags are keys that were set on the command line, by path, with values
	// written as YAML.
	Flags map[string]string
}

// Load reads the configuration and checks it whole. The error is Problems: all of
// them.
func Load(from Sources) (*Config, error) {
	e, err := Read(from)
	if err != nil {
		return nil, err
	}
	return e.Config, nil
}

// Effective is a configuration together with where each of its values comes from.
type Effective struct {
	Config *Config
	tree   *tree
}

// Read is Load for those who want to know where values come from.
func Read(from Sources) (*Effective, error) {
	t := newTree(from.Providers, nil)
	environ := append(t.envFile(from.EnvFile), from.Environ...)
	t.secret = lookup(environ)

	defaults := mapping()
	t.documents(defaults, builtIn, defaultsYAML)
	t.merge(t.root, defaults, t.schema)
	template := mapping()
	t.lay(template, defaults) // before anything is laid over the defaults
	if from.File == "" {
		development := mapping()
		t.documents(development, "built-in development settings", developmentYAML)
		t.merge(t.root, development, t.schema)
	} else {
		t.merge(t.root, t.files(from.File), t.schema)
	}
	t.merge(t.root, t.environment(environ), t.schema)
	t.merge(t.root, t.flags(from.Flags), t.schema)
	t.fill(template)

	var cfg Config
	t.decode(t.root, reflect.ValueOf(&cfg).Elem(), t.schema, nil)
	if !t.incomplete {
		t.check(&cfg)
	}
	if len(t.problems) > 0 {
		slices.SortStableFunc(t.problems, func(a, b Problem) int {
			return cmp.Or(strings.Compare(a.Source, b.Source), a.Line-b.Line, a.Column-b.Column)
		})
		return nil, t.problems
	}
	return &Effective{&cfg, t}, nil
}

// flags makes a layer of the command line.
func (t *tree) flags(flags map[string]string) *yaml.Node {
	layer := mapping()
	for _, key := range slices.Sorted(maps.Keys(flags)) {
		at, err := parsePath(key)
		if err != nil {
			t.problems = append(t.problems, Problem{Source: "command line", Key: key, Message: err.Error(), Allowed: "keys joined by dots, such as server.listen"})
			continue
		}
		t.value(layer, "command line", at, flags[key])
	}
	return layer
}

// lookup finds variables in an environment; the last one of a name counts.
func lookup(environ []string) func(string) string {
	values := make(map[string]string, len(environ))
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}
