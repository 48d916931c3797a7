package loader

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// check reports values that have the right type and cannot be right. It runs on
// a configuration without other problems.
func (t *tree) check(c *Config) {
	t.checkServer(c.Server)
	for name, m := range sorted(c.Models.ASR) {
		path := joinPath("models.asr", name)
		t.oneOf(path+".engine", m.Engine, "pocketsphinx")
		t.within(path+".decoders", float64(m.Decoders), 1, 64)
		t.within(path+".threshold", m.Threshold, 0, 1)
	}
	for name, m := range sorted(c.Models.Generator) {
		path := joinPath("models.generator", name)
		t.oneOf(path+".engine", m.Engine, "rules")
		if _, err := time.LoadLocation(m.Timezone); err != nil {
			t.problem(path+".timezone", fmt.Sprintf("%q is not a time zone", m.Timezone), `an IANA name such as "Europe/Berlin", or "" for the machine's`)
		}
	}
	for name, m := range sorted(c.Models.TTS) {
		path := joinPath("models.tts", name)
		t.oneOf(path+".engine", m.Engine, "flite")
		t.oneOf(path+".voice", m.Voice, "rms", "slt", "awb", "kal16")
		if m.Language != "" {
			t.oneOf(path+".language", m.Language, languages()...)
		}
		t.within(path+".stretch", m.Stretch, 0.5, 2)
	}
	for name, p := range sorted(c.Profiles) {
		t.checkProfile(joinPath("profiles", name), p, c.Models)
	}
	if _, ok := c.Profiles[DefaultProfile]; !ok {
		t.problem("profiles", fmt.Sprintf("there is no profile %q", DefaultProfile), "")
	}
	t.checkDevices(c)
	t.checkLog(c.Log)
	t.checkOperators(c.Operators)
}

// languages are those that something is known of.
func languages() []string { return []string{"en", "de", "es", "fr", "zh", "ja"} }

func (t *tree) checkServer(s Server) {
	t.address("server.listen", s.Listen)
	t.within("server.max_sessions", float64(s.MaxSessions), 1, 100_000)
	t.between("server.hello_timeout", s.HelloTimeout, 100*time.Millisecond, 5*time.Minute)
	t.between("server.idle_timeout", s.IdleTimeout, time.Second, 24*time.Hour)
	for i, origin := range s.Origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
			t.problem("server.origins", fmt.Sprintf("entry %d, %q, is not an origin", i+1, origin), "https://host or http://host:port")
		}
	}
	for id, key := range sorted(s.SigningKeys) {
		// HS256 wants a key as long as its output (RFC 7518, section 3.2).
		if len(key.Reveal()) < 32 {
			t.problem(joinPath("server.signing_keys", id), fmt.Sprintf("the key is only %d bytes long", len(key.Reveal())), "32 bytes or more")
		}
	}
}

func (t *tree) checkProfile(path string, p Profile, models Models) {
	t.refersTo(path+".asr", p.ASR, slices.Sorted(maps.Keys(models.ASR)))
	t.refersTo(path+".generator", p.Generator, slices.Sorted(maps.Keys(models.Generator)))
	t.refersTo(path+".tts", p.TTS, slices.Sorted(maps.Keys(models.TTS)))
	e := p.Endpointing
	// Zero means the built-in value throughout a profile.
	t.between(path+".endpointing.min_speech", e.MinSpeech, 0, 2*time.Second)
	t.between(path+".endpointing.min_silence", e.MinSilence, 0, 10*time.Second)
	t.between(path+".endpointing.complete_silence", e.CompleteSilence, 0, 10*time.Second)
	t.between(path+".endpointing.max_silence", e.MaxSilence, 0, 10*time.Second)
	t.between(path+".endpointing.pre_roll", e.PreRoll, 0, 2*time.Second)
	t.between(path+".endpointing.max_utterance", e.MaxUtterance, 0, 20*time.Second)
	if p.Language != "" {
		t.oneOf(path+".language", p.Language, languages()...)
	}
	t.checkBargeIn(path+".barge_in", p.BargeIn)
	t.between(path+".deadlines.asr", p.Deadlines.ASR, 0, 5*time.Minute)
	t.between(path+".deadlines.generate", p.Deadlines.Generate, 0, 5*time.Minute)
	t.between(path+".deadlines.tts", p.Deadlines.TTS, 0, 5*time.Minute)
	t.between(path+".resume_for", p.ResumeFor, 0, time.Hour)
	t.between(path+".tool_timeout", p.ToolTimeout, 0, 5*time.Minute)
	t.within(path+".history_turns", float64(p.HistoryTurns), 0, 1000)
	for name := range sorted(p.Phrases) {
		t.oneOf(path+".phrases", name, "not_understood", "nothing_heard", "attending", "failed")
	}
}

func (t *tree) checkBargeIn(path string, b BargeIn) {
	t.between(path+".min_speech", b.MinSpeech, 0, 5*time.Second)
	t.within(path+".min_words", float64(b.MinWords), 0, 20)
	t.between(path+".protect", b.Protect, 0, time.Minute)
	t.between(path+".judge_speech", b.JudgeSpeech, 0, 10*time.Second)
	t.between(path+".hold_for", b.HoldFor, 0, 30*time.Second)
	if b.WithoutHold != "" {
		t.oneOf(path+".without_hold", b.WithoutHold, "cancel", "ignore")
	}
}

// minToken is the shortest device token: 128 bits written in base64 are 22
// characters; a token below 16 can be guessed more easily than a key.
const minToken = 16

func (t *tree) checkDevices(c *Config) {
	owner := make(map[Secret]string)
	for id, d := range sorted(c.Devices) {
		path := joinPath("devices", id)
		if d.Profile != "" {
			t.refersTo(path+".profile", d.Profile, slices.Sorted(maps.Keys(c.Profiles)))
		}
		if d.Token == "" {
			t.problem(path, "has no token", "token: $NAME of an environment variable")
		} else if n := len(d.Token.Reveal()); n < minToken {
			t.problem(path+".token", fmt.Sprintf("is only %d bytes long", n), fmt.Sprintf("%d random bytes or more", minToken))
		} else if other, taken := owner[d.Token]; taken {
			t.problem(path+".token", fmt.Sprintf("is the token of %q too", other), "a token of its own")
		}
		owner[d.Token] = id
	}
}

func (t *tree) checkLog(l Log) {
	t.within("log.keep_events", float64(l.KeepEvents), 100, 10_000_000)
	t.within("log.keep_bytes", float64(l.KeepBytes), 64<<10, 1<<30)
	t.within("log.file_bytes", float64(l.FileBytes), 64<<10, 1<<30)
	t.within("log.files", float64(l.Files), 1, 100)
}

func (t *tree) checkOperators(o Operators) {
	if o.Listen != "" {
		t.address("operators.listen", o.Listen)
	}
	if n := len(o.Token.Reveal()); n > 0 && n < minToken {
		t.problem("operators.token", fmt.Sprintf("is only %d bytes long", n), fmt.Sprintf("%d random bytes or more", minToken))
	}
	t.within("operators.tails", float64(o.Tails), 1, 1000)
}

// address reports what cannot be listened on.
func (t *tree) address(path, address string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.problem(path, fmt.Sprintf("%q is not an address", address), "host:port, such as 127.0.0.1:8080")
	} else if _, err := net.LookupPort("tcp", port); err != nil {
		t.problem(path, fmt.Sprintf("%q is not a port", port), "0 to 65535")
	} else if ip := net.ParseIP(host); ip == nil && host != "" && host != "localhost" {
		t.problem(path, fmt.Sprintf("%q is not an IP address", host), "an IP address, localhost, or nothing for all interfaces")
	}
}

func (t *tree) refersTo(path, name string, names []string) {
	if !slices.Contains(names, name) {
		t.problem(path, fmt.Sprintf("there is no %q", name), strings.Join(names, ", "))
	}
}

func (t *tree) oneOf(path, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		t.problem(path, fmt.Sprintf("%q is not known", value), strings.Join(allowed, ", "))
	}
}

func (t *tree) within(path string, value, least, most float64) {
	if value < least || value > most {
		t.problem(path, fmt.Sprintf("%v is out of range", value), fmt.Sprintf("%v to %v", least, most))
	}
}

func (t *tree) between(path string, value, least, most time.Duration) {
	if value < least || value > most {
		t.problem(path, fmt.Sprintf("%v is out of range", value), fmt.Sprintf("%v to %v", least, most))
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
