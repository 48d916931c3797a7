package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"edged/session/log"
)

// conversation is a file of testdata. README.md there explains the format.
type conversation struct {
	Title    string              `yaml:"title"`
	Shows    []string            `yaml:"shows"`
	Device   deviceSpec          `yaml:"device"`
	Profile  profileSpec         `yaml:"profile"`
	Tools    map[string]toolSpec `yaml:"tools"`
	Model    map[string]steps    `yaml:"model"`
	Voice    voiceSpec           `yaml:"voice"`
	Timeline []moment            `yaml:"timeline"`
	Until    time.Duration       `yaml:"until"`
	Expect   expectations        `yaml:"expect"`
}

type deviceSpec struct {
	FullDuplex bool `yaml:"full_duplex"`
	Hold       bool `yaml:"hold"`
	NoAck      bool `yaml:"no_acknowledgements"`
}

type profileSpec struct {
	Language    string        `yaml:"language"`
	MinSilence  time.Duration `yaml:"min_silence"`
	ResumeFor   time.Duration `yaml:"resume_for"`
	ToolTimeout time.Duration `yaml:"tool_timeout"`
	BargeIn     struct {
		Off               bool          `yaml:"off"`
		MinSpeech         time.Duration `yaml:"min_speech"`
		MinWords          int           `yaml:"min_words"`
		Protect           time.Duration `yaml:"protect"`
		HoldFor           time.Duration `yaml:"hold_for"`
		IgnoreWithoutHold bool          `yaml:"ignore_without_hold"`
	} `yaml:"barge_in"`
	Deadlines struct {
		ASR      time.Duration `yaml:"asr"`
		Generate time.Duration `yaml:"generate"`
		TTS      time.Duration `yaml:"tts"`
		Reply    time.Duration `yaml:"reply"`
	} `yaml:"deadlines"`
}

// toolSpec is a tool of the device.
type toolSpec struct {
	After  time.Duration `yaml:"after"`
	Result string        `yaml:"result"`
	Error  string        `yaml:"error"`
	Never  bool          `yaml:"never_answers"`
}

// steps is what the model does about one question; a step after a call belongs
// to the next round.
type steps []modelStep

type modelStep struct {
	Say   string        `yaml:"say"`
	Times int           `yaml:"times"` // of Say, once if 0
	Every time.Duration `yaml:"every"` // between two words of Say
	Wait  time.Duration `yaml:"wait"`
	Call  string        `yaml:"call"` // NAME {arguments}
	Fail  string        `yaml:"fail"`
	Hang  bool          `yaml:"hang"`
}

// voiceSpec is the synthesiser: how it speaks, and before which words it fails.
type voiceSpec struct {
	NoWordTiming bool          `yaml:"no_word_timing"`
	Delay        time.Duration `yaml:"delay"`
	StallsBefore string        `yaml:"stalls_before"`
	StallsFor    time.Duration `yaml:"stalls_for"`
	FailsAt      string        `yaml:"fails_at"`
	HangsAt      string        `yaml:"hangs_at"`
}

// moment is something that happens at the device, or to its connection.
type moment struct {
	line int
	At   time.Duration `yaml:"at"`
	// Exactly one of these.
	Opens   string        `yaml:"opens_microphone"` // auto, manual, realtime
	Closes  bool          `yaml:"closes_microphone"`
	Says    string        `yaml:"says"`
	Noise   time.Duration `yaml:"noise"`
	Gap     time.Duration `yaml:"gap"`
	Stops   bool          `yaml:"presses_stop"`
	Wakes   string        `yaml:"wake_word"`
	Loses   bool          `yaml:"loses_connection"`
	Returns *comeback     `yaml:"comes_back"`
	// With says and noise.
	For        time.Duration `yaml:"for"`
	Pauses     []pause       `yaml:"pauses"`
	Understood *string       `yaml:"understood"`
	Partials   []string      `yaml:"partials"`
	FinalAfter time.Duration `yaml:"final_after"`
	Recogniser string        `yaml:"recogniser"` // fails, hangs, ends
}

type pause struct {
	After time.Duration `yaml:"after"`
	For   time.Duration `yaml:"for"`
}

// comeback is how a device comes back. Turn and Played are what it says it has
// played; nil stands for the truth.
type comeback struct {
	Turn   *int           `yaml:"turn"`
	Played *time.Duration `yaml:"played"`
	// Refused: its session is gone. Answering: what it is told.
	Refused   bool  `yaml:"refused"`
	Answering *bool `yaml:"answering"`
}

type expectations struct {
	Log       []logLine      `yaml:"log"`
	Never     []eventName    `yaml:"never"`
	Counts    map[string]int `yaml:"counts"`
	ModelTold []string       `yaml:"model_told"`
	Heard     []heardSpec    `yaml:"heard"`
	Turns     *int           `yaml:"turns"`
	Flushes   *int           `yaml:"flushes"`
	Gap       time.Duration  `yaml:"longest_gap"`
}

type eventName struct {
	line int
	name string
}

// heardSpec is what the device has played of a turn, by its own count.
type heardSpec struct {
	line      int
	Turn      int    `yaml:"turn"`
	Words     string `yaml:"words"`
	Times     int    `yaml:"times"`
	Begins    string `yaml:"begins"`
	Count     []int  `yaml:"count"`
	Tolerance *int   `yaml:"tolerance"`
}

// logLine is an event that the session log must hold, after those before it.
type logLine struct {
	line   int
	name   string
	turn   int
	from   time.Duration
	to     time.Duration // 0: no bound
	fields map[string]any
}

// problems collects what is wrong with a file.
type problems struct {
	file string
	errs []error
}

func (p *problems) add(line int, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %s", p.file, line, fmt.Sprintf(format, args...)))
}

func readConversation(path string) (*conversation, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseConversation(filepath.Base(path), text)
}

func parseConversation(file string, text []byte) (*conversation, error) {
	p := &problems{file: file}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Content) == 0 {
		return nil, fmt.Errorf("%s:1: the file is empty", file)
	}
	c := &conversation{}
	p.decode(doc.Content[0], reflect.ValueOf(c).Elem())
	if len(p.errs) == 0 {
		p.check(c)
	}
	return c, errors.Join(p.errs...)
}

// decode reads a node strictly: an unknown key is an error that names its line.
func (p *problems) decode(n *yaml.Node, v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[logLine]():
		p.decodeLogLine(n, v.Addr().Interface().(*logLine))
	case v.Type() == reflect.TypeFor[eventName]():
		v.Set(reflect.ValueOf(eventName{n.Line, n.Value}))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		p.decode(n, v.Elem())
	case v.Kind() == reflect.Struct:
		p.decodeStruct(n, v)
	case v.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
		for i, item := range n.Content {
			p.decode(item, v.Index(i))
		}
	case v.Kind() == reflect.Map && n.Kind == yaml.MappingNode:
		v.Set(reflect.MakeMap(v.Type()))
		for i := 0; i < len(n.Content); i += 2 {
			item := reflect.New(v.Type().Elem()).Elem()
			p.decode(n.Content[i+1], item)
			v.SetMapIndex(reflect.ValueOf(n.Content[i].Value), item)
		}
	default:
		if err := n.Decode(v.Addr().Interface()); err != nil || v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
			p.add(n.Line, "%q is not a %v", n.Value, v.Type())
		}
	}
}

func (p *problems) decodeStruct(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		p.add(n.Line, "want keys and values here")
		return
	}
	if m, ok := v.Addr().Interface().(*moment); ok {
		m.line = n.Line
	}
	if h, ok := v.Addr().Interface().(*heardSpec); ok {
		h.line = n.Line
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, found := n.Content[i], false
		if seen[key.Value] {
			p.add(key.Line, "%q is there twice", key.Value)
		}
		seen[key.Value] = true
		for f := range v.NumField() {
			if v.Type().Field(f).Tag.Get("yaml") == key.Value {
				p.decode(n.Content[i+1], v.Field(f))
				found = true
			}
		}
		if !found {
			p.add(key.Line, "unknown key %q", key.Value)
		}
	}
}

// decodeLogLine reads `{asr.final: 1, by: 2s, text: hello}`: the event with its
// turn (0 or empty for any), bounds of its time, and fields of the event.
func (p *problems) decodeLogLine(n *yaml.Node, l *logLine) {
	l.line, l.fields = n.Line, map[string]any{}
	if n.Kind != yaml.MappingNode || len(n.Content) < 2 {
		p.add(n.Line, "want {EVENT: TURN, ...}")
		return
	}
	l.name = n.Content[0].Value
	payload, ok := vocabulary()[l.name]
	if !ok {
		p.add(n.Line, "unknown event %q", l.name)
		return
	}
	if n.Content[1].Value != "" && n.Content[1].Tag != "!!null" {
		if err := n.Content[1].Decode(&l.turn); err != nil {
			p.add(n.Line, "%q is not the number of a turn", n.Content[1].Value)
		}
	}
	for i := 2; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		var err error
		switch key.Value {
		case "from":
			err = value.Decode(&l.from)
		case "by":
			err = value.Decode(&l.to)
		default:
			if !hasField(payload, key.Value) {
				p.add(key.Line, "%s has no field %q", l.name, key.Value)
				continue
			}
			var any any
			err = value.Decode(&any)
			l.fields[key.Value] = any
		}
		if err != nil {
			p.add(value.Line, "%s: %v", key.Value, err)
		}
	}
	if l.to > 0 && l.to < l.from {
		p.add(l.line, "by %v is before from %v", l.to, l.from)
	}
}

func vocabulary() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, e := range log.Vocabulary() {
		all[string(e.Name())] = reflect.TypeOf(e)
	}
	return all
}

func hasField(t reflect.Type, name string) bool {
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
			return true
		}
	}
	return false
}

// check reports what can be read and makes no sense.
func (p *problems) check(c *conversation) {
	if c.Title == "" || len(c.Shows) == 0 {
		p.add(1, "want a title and what the conversation shows")
	}
	if len(c.Timeline) == 0 {
		p.add(1, "nothing happens: the timeline is empty")
	}
	last := time.Duration(0)
	for _, m := range c.Timeline {
		if m.At < last {
			p.add(m.line, "at %v is before the entry above, at %v", m.At, last)
		}
		if m.At%micFrame != 0 || m.For%micFrame != 0 || m.Noise%micFrame != 0 || m.Gap%micFrame != 0 {
			p.add(m.line, "times of the microphone are multiples of %v", micFrame)
		}
		last = m.At
		if m.does() != 1 {
			p.add(m.line, "want exactly one thing to happen")
		}
		if m.Says != "" && m.For <= 0 {
			p.add(m.line, "says needs for: how long it takes")
		}
		if m.Opens != "" && m.Opens != "auto" && m.Opens != "manual" && m.Opens != "realtime" {
			p.add(m.line, "the microphone opens in mode auto, manual or realtime, not %q", m.Opens)
		}
		for _, r := range m.Pauses {
			if r.After < 0 || r.For <= 0 || r.After+r.For >= m.For {
				p.add(m.line, "the pause from %v to %v does not lie within the %v of speech", r.After, r.After+r.For, m.For)
			}
		}
		switch m.Recogniser {
		case "", "fails", "hangs", "ends":
		default:
			p.add(m.line, "the recogniser fails, hangs or ends, not %q", m.Recogniser)
		}
	}
	if c.Until <= last {
		p.add(1, "until %v is not behind the last entry of the timeline, at %v", c.Until, last)
	}
	for _, n := range c.Expect.Never {
		if _, ok := vocabulary()[n.name]; !ok {
			p.add(n.line, "unknown event %q", n.name)
		}
	}
	for name := range c.Expect.Counts {
		if _, ok := vocabulary()[name]; !ok {
			p.add(1, "counts: unknown event %q", name)
		}
	}
	for _, l := range c.Expect.Log {
		if l.from >= c.Until || l.to > c.Until {
			p.add(l.line, "the conversation is over at %v", c.Until)
		}
	}
}

func (m moment) does() int {
	n := 0
	for _, b := range []bool{m.Opens != "", m.Closes, m.Says != "", m.Noise > 0, m.Gap > 0, m.Stops, m.Wakes != "", m.Loses, m.Returns != nil} {
		if b {
			n++
		}
	}
	return n
}

// speech tells whether the user makes a sound at the time.
func (m moment) speech(at time.Duration) bool {
	if m.Says == "" && m.Noise == 0 || at < m.At || at >= m.At+m.length() {
		return false
	}
	for _, r := range m.Pauses {
		if at >= m.At+r.After && at < m.At+r.After+r.For {
			return false
		}
	}
	return true
}

func (m moment) length() time.Duration { return max(m.For, m.Noise) }

// text is what the recogniser makes of it.
func (m moment) text() string {
	if m.Understood != nil {
		return *m.Understood
	}
	return m.Says
}
