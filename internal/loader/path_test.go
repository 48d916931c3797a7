package loader

import (
	"slices"
	"testing"
)

// What a path is written as is read as the same path.
func TestPath(t *testing.T) {
	for written, p := range map[string]path{
		"server.listen":                {"server", "listen"},
		`devices."aa:bb.cc".token`:     {"devices", "aa:bb.cc", "token"},
		`devices."a b"`:                {"devices", "a b"},
		`devices."\"quoted\"".profile`: {"devices", `"quoted"`, "profile"},
		`devices.back\slash`:           {"devices", `back\slash`},
		`devices."line\nbreak"`:        {"devices", "line\nbreak"},
		`devices."".token`:             {"devices", "", "token"},
		"devices.Küche.token":          {"devices", "Küche", "token"},
	} {
		if p.String() != written {
			t.Errorf("%q is written %s, want %s", p, p, written)
		}
		if got, err := parsePath(written); err != nil || !slices.Equal(got, p) {
			t.Errorf("%s is read as %q, %v; want %q", written, got, err, p)
		}
	}
}
