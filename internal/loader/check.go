package loader

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// check reports what is wrong between values: doors that stand open, names that
// nothing has, secrets that two share.
func (t *tree) check(c *Config) {
	t.checkDoors(c)
	for name, p := range sorted(c.Profiles) {
		at := path{"profiles", name}
		t.refersTo(at.to("asr"), p.ASR, c.Models.ASR)
		t.refersTo(at.to("generator"), p.Generator, c.Models.Generator)
		t.refersTo(at.to("tts"), p.TTS, c.Models.TTS)
	}
	owner := make(map[Secret]string)
	for id, d := range sorted(c.Devices) {
		at := path{"devices", id}
		if _, ok := c.Profiles[d.Profile]; !ok && d.Profile != "" { // "" is the default one, too
			t.unknown(at.to("profile"), d.Profile, slices.Sorted(maps.Keys(c.Profiles)))
		}
		if other, taken := owner[d.Token]; taken && d.Token != "" {
			t.report(t.find(at.to("token")), at.to("token"), fmt.Sprintf("is the token of %q, too", other), "a token of its own")
		}
		owner[d.Token] = id
	}
}

// checkDoors reports addresses that others reach and where nobody is asked who he
// is.
func (t *tree) checkDoors(c *Config) {
	if s := c.Server; s.Anonymous && !s.Public && BeyondLoopback(s.Listen) {
		at := path{"server", "listen"}
		t.report(t.find(at), at, fmt.Sprintf("other machines reach %s, and server.anonymous admits devices without a token", s.Listen),
			"an address of this machine only, or devices with tokens (server.anonymous: false), or server.public: true")
	}
	if o := c.Operators; BeyondLoopback(o.Listen) && o.Token == "" {
		at := path{"operators", "listen"}
		if !t.reported(path{"operators", "token"}) {
			t.report(t.find(at), at, fmt.Sprintf("other machines reach %s, which takes an operators.token", o.Listen), "an address of this machine only, or operators.token: $NAME")
		}
	}
}

func (t *tree) refersTo(at path, name string, models map[string]Model) {
	if _, ok := models[name]; !ok {
		t.unknown(at, name, slices.Sorted(maps.Keys(models)))
	}
}

// unknown reports a name that nothing has, unless the name itself was no name.
func (t *tree) unknown(at path, name string, names []string) {
	if !t.reported(at) {
		t.report(t.find(at), at, fmt.Sprintf("there is no %q", name), strings.Join(names, ", "))
	}
}

// sorted iterates a map in the order of its keys, so that problems come in the
// same order every time.
func sorted[V any](m map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
