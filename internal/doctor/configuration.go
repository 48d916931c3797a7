package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"edged/internal/loader"
)

// Configuration is what came of loading it.
type Configuration struct {
	// File is its path, "" for the built-in development settings.
	File string
	// Effective is nil where Err is not.
	Effective *loader.Effective
	Err       error
}

// Look reports every problem of the configuration, or what is unwise in it.
func (c Configuration) Look(context.Context) []Finding {
	if c.Err != nil {
		return c.problems()
	}
	name, cfg := c.File, c.Effective.Config
	if name == "" {
		name = "the built-in development settings"
	}
	found := []Finding{okf("%s can be used: %s, %s, %s", name,
		plural(len(cfg.Profiles), "profile"), plural(len(cfg.Devices), "device"), plural(cfg.Models.Len(), "model"))}
	for _, w := range c.Effective.Warnings() {
		found = append(found, warned(w))
	}
	for name, p := range inOrder(cfg.Profiles) {
		found = append(found, unwiseProfile("profiles."+name, p, cfg.Models)...)
	}
	return found
}

// problems has a finding for each of them.
func (c Configuration) problems() []Finding {
	var all loader.Problems
	if !errors.As(c.Err, &all) {
		all = loader.Problems{{Source: "configuration", Message: c.Err.Error(), Err: c.Err}}
	}
	var found []Finding
	for _, p := range all {
		found = append(found, problemf("%s", place(p)).because("edged serve does not start with it", remedy(p)))
	}
	return append(found, builtIn())
}

// builtIn says what the other checks go by.
func builtIn() Finding {
	return skippedf("what does not depend on it is looked at with the built-in settings")
}

// place says where a problem is and what it is, without what is allowed.
func place(p loader.Problem) string {
	p.Allowed = ""
	return p.Error()
}

// unsetVariable is how the loader tells of a secret that is not there.
var unsetVariable = regexp.MustCompile(`environment variable ([A-Za-z_][A-Za-z0-9_]*) is not set`)

func remedy(p loader.Problem) Fix {
	fix := Fix{Key: p.Key}
	if errors.Is(p.Err, fs.ErrNotExist) || errors.Is(p.Err, fs.ErrPermission) {
		return Fix{Text: "name a file that is there and can be read with --config"}
	}
	if variable := unsetVariable.FindStringSubmatch(p.Message); variable != nil {
		fix.Text, fix.Command = "set the variable where edged is started, or in the file of --env-file; this makes a new secret", export(variable[1])
		return fix
	}
	if strings.Contains(p.Message, "known key") {
		fix.Key = "" // there is none of that name
	}
	if p.Allowed != "" {
		fix.Text = "allowed: " + p.Allowed
	} else if fix.Key == "" {
		fix.Text = "correct it there"
	}
	return fix
}

// advice is what to do about a warning of the loader, by its key without the names
// in it.
var advice = map[string]struct {
	level Level
	why   string
	fix   Fix
}{
	"devices": {Problem, "every connection is refused with status 401", Fix{
		Text: "give the devices tokens, or on a machine of your own admit those without", Key: "devices, server.signing_keys or server.anonymous: true",
	}},
	"server.public": {Warning, "anybody on that network can use it, and use it up", Fix{
		Text: "give the devices tokens and admit no others", Key: "server.anonymous: false",
	}},
	"server.transcripts": {Warning, "others than you talk to this server, and whoever reads its log reads them", Fix{
		Text: "keep the words out unless those people know", Key: "server.transcripts: false",
	}},
	"operators.listen": {Warning, "their token, and what people say, can be read on the way", Fix{
		Text: "listen on this machine, behind a proxy that speaks TLS or a tunnel", Key: "operators.listen: 127.0.0.1:9090",
	}},
}

// warned makes a finding of a warning.
func warned(w loader.Problem) Finding {
	f := warningf("%s", place(w))
	if a, ok := advice[w.Key]; ok {
		f.Level = a.level
		return f.because(a.why, a.fix)
	}
	fix := Fix{Key: w.Key, Text: w.Allowed}
	if strings.HasPrefix(w.Key, "models.") {
		return f.because("it takes memory, and time at the start", Fix{Text: "take it out, or use it in a profile", Key: w.Key})
	}
	return f.because("it is allowed, and probably not what you want", fix)
}

func unwiseProfile(path string, p loader.Profile, models loader.Models) []Finding {
	var found []Finding
	e := p.Endpointing
	switch {
	case e.Adaptive && e.MaxSilence > 0 && e.MinSilence > e.MaxSilence:
		found = append(found, warningf("%s.endpointing waits less in the middle of a sentence (%v) than where nothing is known of it (%v)", path, e.MaxSilence, e.MinSilence).
			because("who stops to think is cut off", Fix{Key: path + ".endpointing.max_silence: 1400ms"}))
	case !e.Adaptive && e.MinSilence > 0 && e.MinSilence < shortSilence:
		found = append(found, warningf("%s.endpointing ends an utterance after %v of silence, whatever was said", path, e.MinSilence).
			because("pauses within a sentence are that long: people are cut off", Fix{Key: path + ".endpointing.min_silence: 600ms"}))
	}
	if _, offline := settings[loader.Pocketsphinx](models.ASR)[p.ASR]; offline && !english(p.Language) {
		found = append(found, warningf("%s speaks %q, and models.asr.%s understands English only", path, p.Language, p.ASR).
			because("what is said in another language is not understood", Fix{Key: path + ".language: en"}))
	}
	if flite, ok := loader.SettingsOf[loader.Flite](models.TTS[p.TTS]); ok && (!english(flite.Language) || !english(p.Language)) {
		found = append(found, warningf("%s uses models.tts.%s, a voice that speaks English only, for another language", path, p.TTS).
			because("it reads every text as if it were English", Fix{Key: fmt.Sprintf("models.tts.%s.language: en", p.TTS)}))
	}
	return found
}
