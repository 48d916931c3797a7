package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"edged/internal/loader"
)

var update = flag.Bool("update", false, "write docs/configuration.md anew")

// keyTable is a part of the reference: a section of the configuration with its keys.
type keyTable struct {
	Title, Help string
	Keys        []keyRow
}

// keyRow is a key of the reference.
type keyRow struct{ Path, Variable, Value, Default, Reload, Help string }

// parts lays the keys out as the page shows them. A section stands where its keys
// do; one that has none of its own has its sections only.
func parts(keys []loader.Key) []keyTable {
	var all []keyTable
	at := make(map[string]int) // by the path that its keys have in common
	begin := func(path, title, help string) int {
		if i, ok := at[path]; ok {
			return i
		}
		all = append(all, keyTable{Title: title, Help: help})
		at[path] = len(all) - 1
		return at[path]
	}
	for _, k := range keys {
		if k.Section {
			begin(k.Path, named(k.Path), k.Help)
			at[k.Path+".*"] = at[k.Path]
			continue
		}
		section, key := k.Path[:strings.LastIndexByte(k.Path, '.')], k.Path[strings.LastIndexByte(k.Path, '.')+1:]
		i := at[section]
		if strings.HasSuffix(section, ")") {
			i = begin(section, named(section)+", "+key+" "+k.Allowed, k.Help) // the first key of a model is its engine
			if key == "engine" || key == "provider" {
				k.Help = "What the model comes from."
			}
		}
		all[i].Keys = append(all[i].Keys, keyRow{
			Path: named(k.Path), Variable: k.Variable, Value: valueOf(k), Default: defaultOf(k), Reload: yesNo(k.Reload), Help: k.Help,
		})
	}
	for i, p := range all {
		if strings.HasPrefix(p.Title, "models.") && len(p.Keys) == 0 && (i+1 == len(all) || !strings.HasPrefix(all[i+1].Title, p.Title)) {
			all[i].Help += " This build has no engine and no provider for them."
		}
	}
	return all
}

// named writes a path of the schema as a person reads it.
func named(path string) string {
	words := strings.Split(path, ".")
	for i, w := range words {
		if strings.HasPrefix(w, "*") {
			words[i] = "NAME"
		}
	}
	return strings.Join(words, ".")
}

func valueOf(k loader.Key) string {
	if k.Allowed == "" {
		return k.Type
	}
	kind, _, _ := strings.Cut(k.Type, " such as")
	return kind + ": " + k.Allowed
}

func defaultOf(k loader.Key) string {
	if k.Default == "" || strings.HasPrefix(k.Default, "(") {
		return strings.Trim(k.Default, "()")
	}
	return "`" + k.Default + "`"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "restart"
}

// The page has every key, as the schema has it; -update writes it.
func TestConfigurationPage(t *testing.T) {
	page, err := template.ParseFiles("testdata/configuration.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	if err := page.Execute(&want, parts(loader.Keys(providers()))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(treeRoot, "docs", "configuration.md")
	if *update {
		if err := os.WriteFile(file, []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Errorf("%s is not what the schema says; write it with: go test ./cmd/edged -run TestConfigurationPage -update", file)
	}
	for _, k := range loader.Keys(providers()) {
		if !k.Section && !strings.Contains(want.String(), "`"+named(k.Path)+"`") {
			t.Errorf("the page lacks %s", k.Path)
		}
	}
}
