package loader

import (
	"fmt"
	"maps"
	"net"
)

// Warnings says what is legal and unwise in a configuration, in the order of the
// places.
func (e *Effective) Warnings() Problems {
	c, t := e.Config, e.tree
	var all Problems
	warn := func(at path, message, better string) {
		n := t.find(at)
		source, ok := t.sources[n]
		if !ok {
			source = "configuration"
		}
		all = append(all, Problem{Source: source, Line: n.Line, Column: n.Column, Key: at.String(), Message: message, Allowed: better})
	}
	open := BeyondLoopback(c.Server.Listen)
	if c.Server.Anonymous && c.Server.Public {
		warn(path{"server", "public"}, "anyone who reaches the server may talk to it", "")
	}
	if c.Server.Transcripts && open {
		warn(path{"server", "transcripts"}, "what people say goes to standard output and to the operators", "")
	}
	if !c.Server.Anonymous && len(c.Devices) == 0 && len(c.Server.SigningKeys) == 0 {
		warn(path{"devices"}, "nobody can connect: there are no devices, no signing keys, and anonymous ones are not admitted", "")
	}
	if BeyondLoopback(c.Operators.Listen) || c.Operators.Listen == "" && open && c.Operators.Token != "" {
		warn(path{"operators", "listen"}, "operators send their token over plain HTTP", "")
	}
	for name, p := range sorted(c.Profiles) {
		if p.BargeIn.Enabled && p.BargeIn.MinWords > 0 && p.BargeIn.WithoutHold == "ignore" {
			warn(path{"profiles", name, "barge_in", "without_hold"}, "a device that cannot hold a reply is never interrupted by speech", "")
		}
		if e := p.Endpointing; e.Adaptive && e.CompleteSilence > e.MinSilence {
			warn(path{"profiles", name, "endpointing", "complete_silence"}, fmt.Sprintf("is longer than min_silence (%s): a complete sentence is waited for longest", shortly(e.MinSilence)), "")
		}
	}
	e.unused(warn)
	return all
}

// unused warns of models that are loaded for nobody.
func (e *Effective) unused(warn func(at path, message, better string)) {
	used := make(map[string]bool)
	for p := range maps.Values(e.Config.Profiles) {
		used["asr."+p.ASR], used["generator."+p.Generator], used["tts."+p.TTS] = true, true, true
	}
	for _, kind := range []struct {
		kind   Kind
		models map[string]Model
	}{{KindASR, e.Config.Models.ASR}, {KindGenerator, e.Config.Models.Generator}, {KindTTS, e.Config.Models.TTS}} {
		for name := range sorted(kind.models) {
			if !used[string(kind.kind)+"."+name] {
				warn(path{"models", string(kind.kind), name}, "is loaded and no profile uses it", "")
			}
		}
	}
}

// BeyondLoopback reports whether others than this machine reach what listens on an
// address host:port. Nothing does on what is none.
func BeyondLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && host != "localhost" && (ip == nil || !ip.IsLoopback())
}
