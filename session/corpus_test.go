package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/audio"
	"edged/dialog"
	"edged/realtime"
	"edged/session/log"
)

// performance is a conversation that took place.
type performance struct {
	*conversation
	file    string
	cast    *cast
	ear     *ear
	records []log.Record
	journal []byte
	flushes int
	begin   time.Time
	faults  []string
}

// fail notes that a line of the file is not met.
func (p *performance) fail(line int, format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf("%s:%d: %s", p.file, line, fmt.Sprintf(format, args...)))
}

// act runs a conversation in virtual time. jitter is called here and there by
// its engines.
func act(t *testing.T, file string, c *conversation, jitter func()) *performance {
	p := &performance{conversation: c, file: file}
	synctest.Test(t, func(t *testing.T) {
		p.begin = time.Now()
		p.cast = &cast{conversation: c, begin: p.begin, jitter: jitter, well: true}
		p.ear = &ear{audio: map[dialog.Turn][]int16{}, played: map[dialog.Turn]time.Duration{}}
		sl := &sessionLog{}
		var journal bytes.Buffer
		cfg := Config{Engines: p.cast.engines(t), Profile: c.profile(), Log: sl.recorder(true), Journal: &journal}
		book, err := Prepare(context.Background(), cfg.Engines, cfg.Profile)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Phrases, p.cast.well = book, false
		p.live(t, cfg)
		time.Sleep(2 * time.Minute) // timers and tools of the device
		p.journal = journal.Bytes()
		p.read(t, sl)
	})
	return p
}

func (c *conversation) profile() Profile {
	b, d := c.Profile.BargeIn, c.Profile.Deadlines
	p := Profile{Name: "corpus", ASR: "asr", Generator: "generator", TTS: "tts",
		Language: c.Profile.Language, ResumeFor: c.Profile.ResumeFor, ToolTimeout: c.Profile.ToolTimeout,
		BargeIn: BargeIn{Off: b.Off, MinSpeech: b.MinSpeech, MinWords: b.MinWords, Protect: b.Protect, HoldFor: b.HoldFor,
			IgnoreWithoutHold: b.IgnoreWithoutHold},
		Deadlines: Deadlines{ASR: d.ASR, Generate: d.Generate, TTS: d.TTS, Reply: d.Reply},
	}
	p.Endpointing.MinSilence = c.Profile.MinSilence
	return p
}

// live plays the timeline.
func (p *performance) live(t *testing.T, cfg Config) {
	host := NewHost(0)
	served := make(chan error, 16)
	connections := 0
	connect := func(d *corpusDevice) {
		connections++
		go func() { served <- host.Serve(context.Background(), d, cfg) }()
	}
	d := newCorpusDevice(t, p.conversation, p.ear)
	connect(d)
	todo := p.Timeline
	gapUntil := time.Duration(0)
	for now := time.Duration(0); now < p.Until; now += micFrame {
		time.Sleep(time.Until(p.begin.Add(now)))
		for len(todo) > 0 && todo[0].At <= now {
			m := todo[0]
			todo = todo[1:]
			switch {
			case m.Opens != "":
				mode := map[string]dialog.Mode{"auto": dialog.ModeAuto, "manual": dialog.ModeManual, "realtime": dialog.ModeRealtime}[m.Opens]
				d.open(mode)
				d.microphone(m.Opens)
			case m.Closes:
				d.microphone("")
				d.shut()
			case m.Gap > 0:
				gapUntil = now + m.Gap
			case m.Stops:
				d.report(dialog.Abort{})
			case m.Wakes != "":
				d.report(dialog.Wake{Phrase: m.Wakes})
			case m.Loses:
				d.microphone("")
				d.note()
				d.lose()
				p.flushes += len(d.flushes)
				d.note()
			case m.Returns != nil:
				d = p.comeBack(t, host, d, m)
				if d.hello.Resume == nil { // a session of its own, with a journal of its own
					cfg.Journal = nil
				}
				connect(d)
			}
		}
		if !d.isOpen() {
			continue
		}
		loudness := int16(0)
		for _, m := range p.Timeline {
			if m.speech(now) {
				loudness = loud
			}
		}
		if now < gapUntil {
			d.missing()
		} else {
			d.frame(loudness)
		}
	}
	d.note()
	synctest.Wait()
	d.mu.Lock()
	p.flushes += len(d.flushes)
	d.mu.Unlock()
	d.disconnect()
	host.Close()
	for range connections {
		if err := <-served; err != nil {
			t.Errorf("%s: the session ended with %v", p.file, err)
		}
	}
}

// comeBack connects anew as the edge would let it.
func (p *performance) comeBack(t *testing.T, host *Host, old *corpusDevice, m moment) *corpusDevice {
	d := newCorpusDevice(t, p.conversation, p.ear)
	old.mu.Lock()
	was := dialog.Resume{Session: "s1", Turn: old.speaker.turn, Samples: uint32(audio.Rate16k.Samples(old.speaker.played))}
	old.mu.Unlock()
	if m.Returns.Turn != nil {
		was.Turn, was.Samples = dialog.Turn(*m.Returns.Turn), 0
	}
	if m.Returns.Played != nil {
		was.Samples = uint32(audio.Rate16k.Samples(*m.Returns.Played))
	}
	d.hello.Resume = &was
	standing, ok := host.Resume(context.Background(), d.hello)
	if ok == m.Returns.Refused {
		p.fail(m.line, "resumed: %v, want the opposite", ok)
	}
	if want := m.Returns.Answering; want != nil && standing.Answering != *want {
		p.fail(m.line, "the device is told answering: %v", standing.Answering)
	}
	if !ok {
		d.hello.Resume, d.hello.Session = nil, "s2"
	}
	return d
}

func (p *performance) read(t *testing.T, l *sessionLog) {
	reader := log.NewReader(bytes.NewReader(l.lines.Bytes()))
	for {
		rec, err := reader.Next()
		if err != nil {
			if !realtime.IsEnd(err) {
				t.Errorf("session log: %v", err)
			}
			return
		}
		p.records = append(p.records, rec)
	}
}

// around shows the log with the times of the conversation.
func (p *performance) around() string {
	var b strings.Builder
	for _, r := range p.records {
		payload, _ := json.Marshal(r.Event)
		fmt.Fprintf(&b, "%9v turn %d %-18s %s\n", r.Time.Sub(p.begin), r.Turn, r.Event.Name(), payload)
	}
	for i, told := range p.cast.told {
		fmt.Fprintf(&b, "call %d of the model: %s\n", i+1, told)
	}
	for turn := dialog.Turn(1); turn <= p.turns(); turn++ {
		words, _ := p.ear.heardWords(turn, p.cast.words)
		fmt.Fprintf(&b, "turn %d was heard for %v: %s\n", turn, p.ear.played[turn], strings.Join(words, " "))
	}
	return b.String()
}

func (p *performance) turns() (n dialog.Turn) {
	for _, r := range p.records {
		n = max(n, r.Turn)
	}
	return n
}

// judge compares what happened with what is expected.
func (p *performance) judge() {
	p.judgeLog()
	e := p.Expect
	count := map[string]int{}
	for _, r := range p.records {
		count[string(r.Event.Name())]++
	}
	for _, never := range e.Never {
		if n := count[never.name]; n > 0 {
			p.fail(never.line, "%s happened %d times, want never", never.name, n)
		}
	}
	for name, want := range e.Counts {
		if count[name] != want {
			p.fail(1, "counts: %s happened %d times, want %d", name, count[name], want)
		}
	}
	if e.Turns != nil && int(p.turns()) != *e.Turns {
		p.fail(1, "%d turns, want %d", p.turns(), *e.Turns)
	}
	if e.Flushes != nil && p.flushes != *e.Flushes {
		p.fail(1, "%d flushes, want %d", p.flushes, *e.Flushes)
	}
	if e.Gap > 0 && p.ear.gap > e.Gap {
		p.fail(1, "the device had nothing to play for %v within a reply, want at most %v", p.ear.gap, e.Gap)
	}
	if e.ModelTold != nil {
		p.judgeModel(e.ModelTold)
	}
	for _, h := range e.Heard {
		p.judgeHeard(h)
	}
	p.judgeAudio()
}

func (p *performance) judgeLog() {
	next := 0
	for _, want := range p.Expect.Log {
		found := -1
		for i := next; i < len(p.records) && found < 0; i++ {
			if want.matches(p.records[i], p.begin) {
				found = i
			}
		}
		if found < 0 {
			p.fail(want.line, "no such %s in the log behind the lines before", want.name)
			continue
		}
		next = found + 1
	}
}

func (l logLine) matches(r log.Record, begin time.Time) bool {
	at := r.Time.Sub(begin)
	if string(r.Event.Name()) != l.name || l.turn != 0 && int(r.Turn) != l.turn || at < l.from || l.to > 0 && at > l.to {
		return false
	}
	payload, _ := json.Marshal(r.Event)
	var fields map[string]any
	_ = json.Unmarshal(payload, &fields)
	for name, want := range l.fields {
		if !fits(fields[name], want) {
			return false
		}
	}
	return true
}

// fits compares a field of an event with what is wanted: a text, with "..." for
// anything at its ends; a number or [least, most], in milliseconds or with a
// unit; a truth.
func fits(is, want any) bool {
	switch want := want.(type) {
	case string:
		if text, ok := is.(string); ok {
			return like(text, want)
		}
		d, err := time.ParseDuration(want)
		n, ok := is.(float64)
		return err == nil && ok && n == float64(d.Milliseconds())
	case int:
		n, _ := is.(float64)
		return n == float64(want)
	case []any:
		n, _ := is.(float64)
		return len(want) == 2 && n >= milliseconds(want[0]) && n <= milliseconds(want[1])
	case bool:
		b, _ := is.(bool)
		return b == want
	}
	return is == nil && want == nil
}

func milliseconds(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case string:
		if d, err := time.ParseDuration(v); err == nil {
			return float64(d.Milliseconds())
		}
	}
	return -1
}

func like(text, want string) bool {
	begin, open := strings.CutPrefix(want, "...")
	body, more := strings.CutSuffix(begin, "...")
	body = strings.TrimSpace(body)
	switch {
	case open && more:
		return strings.Contains(text, body)
	case open:
		return strings.HasSuffix(text, body)
	case more:
		return strings.HasPrefix(text, body)
	}
	return text == want
}

// judgeModel compares what the model was told, call by call. <heard N> stands
// for what the session remembers of turn N; that it is right is for judgeAudio.
func (p *performance) judgeModel(want []string) {
	for i, w := range want {
		for _, r := range p.records {
			if h, ok := r.Event.(log.HistoryCommit); ok {
				w = strings.ReplaceAll(w, fmt.Sprintf("<heard %d>", r.Turn), string(h.Assistant))
			}
		}
		if i >= len(p.cast.told) || !like(p.cast.told[i], w) {
			p.fail(1, "model_told: call %d of the model: want %q", i+1, w)
		}
	}
	if len(p.cast.told) != len(want) {
		p.fail(1, "model_told: the model was called %d times, want %d", len(p.cast.told), len(want))
	}
}

func (p *performance) judgeHeard(h heardSpec) {
	words, _ := p.ear.heardWords(dialog.Turn(h.Turn), p.cast.words)
	got := plainWords(strings.Join(words, " "))
	tolerance := 1
	if h.Tolerance != nil {
		tolerance = *h.Tolerance
	}
	if h.Words != "" {
		want := plainWords(strings.Repeat(h.Words+" ", max(1, h.Times)))
		both := min(len(got), len(want))
		if abs(len(got)-len(want)) > tolerance || !slices.Equal(got[:both], want[:both]) {
			p.fail(h.line, "turn %d: the device has heard %d words, %q; want %d, give or take %d", h.Turn, len(got), strings.Join(got, " "), len(want), tolerance)
		}
	}
	if begins := plainWords(h.Begins); len(begins) > len(got) || !slices.Equal(begins, got[:len(begins)]) {
		p.fail(h.line, "turn %d: the device has heard %q; want it to begin with %q", h.Turn, strings.Join(got, " "), h.Begins)
	}
	if len(h.Count) == 2 && (len(got) < h.Count[0] || len(got) > h.Count[1]) {
		p.fail(h.line, "turn %d: the device has heard %d words, want %v", h.Turn, len(got), h.Count)
	}
}

// truth is one turn's account against the device's.
type truth struct {
	timed, cut   bool
	ledger, real int
}

// judgeAudio holds for every conversation: no word is torn, doubled, or of
// another turn, and what the session says was heard was heard, give or take a
// word.
func (p *performance) judgeAudio() {
	for _, t := range p.truths() {
		if abs(t.ledger-t.real) > 1 {
			p.fail(1, "the session says that %d words were heard, the device played %d", t.ledger, t.real)
		}
	}
	for turn := dialog.Turn(1); turn <= p.turns(); turn++ {
		words, faults := p.ear.heardWords(turn, p.cast.words)
		if len(faults) > 0 {
			p.fail(1, "turn %d: the device has heard %q", turn, faults)
		}
		whole := p.text(turn)
		if strings.ContainsAny(whole, "0123456789") || isUnspaced(whole) {
			continue // spoken otherwise than written
		}
		got, want := plainWords(strings.Join(words, " ")), plainWords(whole)
		if len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
			p.fail(1, "turn %d: the device has heard %q, the reply is %q", turn, strings.Join(got, " "), whole)
		}
	}
}

// text is that of a settled reply.
func (p *performance) text(turn dialog.Turn) string {
	for _, r := range p.records {
		switch e := r.Event.(type) {
		case log.Interrupt:
			if r.Turn == turn {
				return string(e.Heard + e.Unheard)
			}
		case log.ReplyDone:
			if r.Turn == turn {
				return string(e.Text)
			}
		}
	}
	return ""
}

func (p *performance) truths() (all []truth) {
	for _, r := range p.records {
		t := truth{timed: !p.Voice.NoWordTiming}
		var heard string
		switch e := r.Event.(type) {
		case log.Interrupt:
			t.cut, heard = true, string(e.Heard)
		case log.ReplyDone:
			heard = string(e.Text)
		default:
			continue
		}
		if isUnspaced(heard) || strings.ContainsAny(heard, "0123456789") || len(p.ear.audio[r.Turn]) == 0 {
			continue
		}
		words, _ := p.ear.heardWords(r.Turn, p.cast.words)
		t.ledger, t.real = len(plainWords(heard)), len(plainWords(strings.Join(words, " ")))
		all = append(all, t)
	}
	return all
}

func abs(n int) int { return max(n, -n) }

// conversations reads the corpus.
func conversations(t *testing.T) map[string]*conversation {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	all := map[string]*conversation{}
	for _, f := range files {
		c, err := readConversation(f)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		all[filepath.Base(f)] = c
	}
	return all
}

// The conversations of testdata, each as its file expects it.
func TestCorpus(t *testing.T) {
	var truths []truth
	all := conversations(t)
	for file, c := range all {
		t.Run(strings.TrimSuffix(file, ".yaml"), func(t *testing.T) {
			p := act(t, file, c, func() {})
			p.judge()
			if len(p.faults) > 0 {
				t.Errorf("%s\n%s\n%s", c.Title, strings.Join(p.faults, "\n"), p.around())
			}
			truths = append(truths, p.truths()...)
		})
	}
	report(t, truths)
	t.Logf("%d conversations, %d replies", len(all), len(truths))
}

// report prints how far the session's account of interrupted replies is from the
// device's.
func report(t *testing.T, truths []truth) {
	for _, timed := range []bool{true, false} {
		distribution, n := map[int]int{}, 0
		for _, r := range truths {
			if r.timed == timed && r.cut {
				distribution[r.ledger-r.real]++
				n++
			}
		}
		if n > 0 {
			t.Logf("heard words, session minus device, of %d interrupted replies (word timing: %v): %v", n, timed, distribution)
		}
	}
}

// The account holds within a word, too, where the voice does not tell its words
// and they are shared out by their letters.
func TestCorpusWithoutWordTiming(t *testing.T) {
	var truths []truth
	for file, c := range conversations(t) {
		c.Voice.NoWordTiming = true
		for _, r := range act(t, file, c, func() {}).truths() {
			if r.cut && abs(r.ledger-r.real) > 1 {
				t.Errorf("%s: the session says that %d words were heard, the device played %d", file, r.ledger, r.real)
			}
			truths = append(truths, r)
		}
	}
	report(t, truths)
}
