package doctor

import (
	"maps"
	"slices"
	"time"

	"edged/internal/loader"
)

// settings are those of the models of one engine, by name.
func settings[S any](models map[string]loader.Model) map[string]S {
	of := make(map[string]S)
	for name, m := range models {
		if s, ok := loader.SettingsOf[S](m); ok {
			of[name] = s
		}
	}
	return of
}

// shortSilence is half of the 600 ms that the defaults of the configuration name
// as a good wait where what was understood is not judged.
const shortSilence = 300 * time.Millisecond

// english reports whether a language is that, which it is if none is named.
func english(language string) bool { return language == "" || language == "en" }

// inOrder iterates a map in the order of its keys, so that findings come in the
// same order every time.
func inOrder[V any](m map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
