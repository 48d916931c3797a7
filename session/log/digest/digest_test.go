package digest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"edged/dialog"
	"edged/session/log"
	"edged/session/log/digest"
)

// noon is when the stories of these tests begin.
var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func ms(n int) log.MS { return log.MS(time.Duration(n) * time.Millisecond) }

// at makes the record of an event of session s, n milliseconds after noon.
func at(n int, turn dialog.Turn, e log.Event) log.Record {
	return log.Record{Time: noon.Add(time.Duration(n) * time.Millisecond), Session: "s", Device: "d", Turn: turn, Media: -1, Event: e}
}

func tell(records ...log.Record) *digest.Story {
	s := new(digest.Story)
	for _, r := range records {
		s.Add(r)
	}
	return s
}

// stages writes the stages as "asr 600-610".
func stages(t digest.Turn) string {
	var all []string
	for _, s := range t.Stages() {
		all = append(all, fmt.Sprintf("%s %d-%d", s.Name, s.From.Milliseconds(), s.To.Milliseconds()))
	}
	return strings.Join(all, ", ")
}

func turn(t *testing.T, s *digest.Story, n dialog.Turn) digest.Turn {
	t.Helper()
	got, ok := s.Turn(n)
	if !ok {
		t.Fatalf("there is no turn %d", n)
	}
	return got
}

// How a turn ends.
func TestOutcomes(t *testing.T) {
	start := at(0, 1, log.SpeechStart{Utterance: "u"})
	next := at(9000, 2, log.SpeechStart{Utterance: "v"})
	end := at(9000, 0, log.SessionEnd{Reason: dialog.CauseDisconnect, Turns: 1})
	failure := at(10, 1, log.Error{Stage: "tts", Code: dialog.ErrorTTS})
	tests := []struct {
		name    string
		records []log.Record
		want    digest.Outcome
	}{
		{"goes on", []log.Record{start}, digest.Open},
		{"goes on after a failure", []log.Record{start, failure}, digest.Open},
		{"played", []log.Record{start, at(10, 1, log.ReplyDone{})}, digest.Done},
		{"played all the same", []log.Record{start, failure, at(10, 1, log.ReplyDone{}), next}, digest.Done},
		{"cut off", []log.Record{start, at(10, 1, log.Interrupt{}), next}, digest.Interrupted},
		{"nothing came", []log.Record{start, next}, digest.Silent},
		{"nothing came until the end", []log.Record{start, end}, digest.Silent},
		{"failed", []log.Record{start, failure, next}, digest.Failed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := turn(t, tell(tt.records...), 1).Outcome; got != tt.want {
				t.Errorf("outcome %s, want %s", got, tt.want)
			}
		})
	}
}

// Stages are in causal order and have no negative length, whatever the log says
// (F62); a stage that was not reached is absent.
func TestStages(t *testing.T) {
	tests := []struct {
		name    string
		records []log.Record
		want    string
	}{
		{"none", []log.Record{at(0, 1, log.SpeechStart{Utterance: "u"})}, ""},
		{"in order", []log.Record{
			at(0, 1, log.SpeechStart{Utterance: "u"}), at(1, 1, log.SpeechEnd{Utterance: "u", MS: ms(600)}), at(2, 1, log.ASRFinal{Utterance: "u", MS: ms(610)}),
			at(3, 1, log.GenFirstToken{MS: ms(700)}), at(4, 1, log.TTSFirstAudio{MS: ms(760)}), at(5, 1, log.ReplyFirstPacket{MS: ms(800)}),
		}, "endpoint 0-600, asr 600-610, generate 610-700, tts 700-760, send 760-800"},
		{"a wrong clock", []log.Record{
			at(0, 1, log.SpeechStart{Utterance: "u"}), at(1, 1, log.SpeechEnd{Utterance: "u", MS: ms(-5)}), at(2, 1, log.ASRFinal{Utterance: "u", MS: ms(610)}),
			at(3, 1, log.GenFirstToken{MS: ms(500)}), at(5, 1, log.ReplyFirstPacket{MS: ms(620)}),
		}, "endpoint 0-0, asr 0-610, generate 610-610, send 610-620"},
		{"spoken without being asked", []log.Record{
			at(0, 1, log.GenFirstToken{MS: ms(1)}), at(4, 1, log.TTSFirstAudio{MS: ms(60)}),
		}, "generate 0-1, tts 1-60"},
		{"the log begins in the middle", []log.Record{at(2, 1, log.ASRFinal{Utterance: "u", MS: ms(610)}), at(3, 1, log.GenFirstToken{MS: ms(700)})},
			"generate 0-700"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := stages(turn(t, tell(tt.records...), 1)); got != tt.want {
				t.Errorf("stages %s, want %s", got, tt.want)
			}
		})
	}
}

// Speech during a reply belongs to the turn that it begins if it interrupts, and
// to none if it does not: the question of the turn that was spoken over stays.
func TestBargeIn(t *testing.T) {
	over := []log.Record{
		at(0, 1, log.SpeechStart{Utterance: "u1", AtMS: ms(100)}),
		at(1, 1, log.SpeechEnd{Utterance: "u1", AtMS: ms(900), MS: ms(600)}),
		at(2, 1, log.ASRFinal{Utterance: "u1", Text: "a story", MS: ms(610)}),
		at(3000, 1, log.BargeInSuspect{Utterance: "u2", AtMS: ms(3000), Held: true}),
		at(3900, 1, log.SpeechEnd{Utterance: "u2", AtMS: ms(3400), MS: ms(500)}),
		at(3901, 1, log.ASRFinal{Utterance: "u2", Text: "aha", MS: ms(999)}),
	}
	rejected := tell(append(over, at(3902, 1, log.BargeInReject{Utterance: "u2", Reason: "final", Text: "aha"}),
		at(5000, 1, log.ReplyDone{}), at(6000, 2, log.SpeechStart{Utterance: "u3"}))...)
	one := turn(t, rejected, 1)
	if one.Question.Text != "a story" || one.SpeechMS != ms(800) || *one.ASRFinalMS != ms(610) {
		t.Errorf("turn 1 = %+v, want its own question", one)
	}
	want := digest.BargeIn{Utterance: "u2", Held: true, Verdict: "reject", Reason: "final", Text: digest.Said{Text: "aha", Chars: 3}}
	if len(one.BargeIns) != 1 || one.BargeIns[0] != want {
		t.Errorf("barge-ins %+v, want %+v", one.BargeIns, want)
	}
	if two := turn(t, rejected, 2); !two.Question.IsEmpty() {
		t.Errorf("turn 2 has the question %+v of speech that was no interruption", two.Question)
	}

	confirmed := tell(append(over, at(3902, 1, log.BargeInConfirm{Utterance: "u2", Reason: "final", MS: ms(900)}),
		at(3903, 1, log.Interrupt{Cause: dialog.CauseSpeech}), at(4000, 2, log.GenFirstToken{MS: ms(650)}))...)
	if one := turn(t, confirmed, 1); one.Question.Text != "a story" || one.BargeIns[0].Verdict != "confirm" || one.Outcome != digest.Interrupted {
		t.Errorf("turn 1 = %+v", one)
	}
	two := turn(t, confirmed, 2)
	if two.Question.Text != "aha" || two.SpeechMS != ms(400) || *two.EndpointMS != ms(500) {
		t.Errorf("turn 2 = %+v, want the speech that interrupted as its question", two)
	}
}

// A tool call stands where it was made, on the scale of the stages.
func TestTools(t *testing.T) {
	s := tell(
		at(1000, 1, log.SpeechStart{Utterance: "u"}),
		at(2600, 1, log.SpeechEnd{Utterance: "u", MS: ms(600)}), // stopped at 2000
		at(2700, 1, log.ToolCall{Call: "c1", Tool: "timer"}),
		at(2750, 1, log.ToolCall{Call: "c2", Tool: "lamp"}),
		at(2900, 1, log.ToolResult{Call: "c1", Tool: "timer", MS: ms(200), Error: "no"}),
	)
	tools := turn(t, s, 1).Tools
	if len(tools) != 2 || tools[0].AtMS != ms(700) || *tools[0].MS != ms(200) || tools[0].Error != "no" || tools[1].AtMS != ms(750) || tools[1].MS != nil {
		t.Errorf("tools %+v", tools)
	}
}

// The session in short follows what happens.
func TestSession(t *testing.T) {
	s := tell(at(0, 0, log.SessionStart{Profile: "toy", Model: "m", Version: "1", Remote: "r", Transcripts: true}))
	if got := s.Session(); got.State != digest.Live || got.Profile != "toy" || !got.Started.Equal(noon) || !got.Transcripts || got.FirstPacketP50MS != 0 {
		t.Errorf("at the start: %+v", got)
	}
	// Waits of 10, 20, ... 200 ms: half of them are 100 or less, 19 of 20 are 190
	// or less.
	for n := 1; n <= 20; n++ {
		s.Add(at(n*100, dialog.Turn(n), log.ReplyFirstPacket{MS: ms(n * 10)}))
	}
	s.Add(at(3000, 20, log.Interrupt{Cause: dialog.CauseAbort}))
	s.Add(at(3001, 0, log.Error{Stage: "device", Code: dialog.ErrorAudio, Message: "noise"}))
	s.Add(at(3002, 20, log.Error{Stage: "tts", Code: dialog.ErrorTTS}))
	s.Add(at(3003, 0, log.Drop{What: "uplink", Packets: 2}))
	s.Add(at(3004, 20, log.SessionDetach{Reason: "reset"}))
	got := s.Session()
	if got.State != digest.Detached || got.Turns != 20 || got.Interrupted != 1 || got.Errors != 2 || got.LastEvent != log.NameSessionDetach {
		t.Errorf("later: %+v", got)
	}
	if got.FirstPacketP50MS != ms(100) || got.FirstPacketP95MS != ms(190) {
		t.Errorf("p50 %v, p95 %v, want 100 and 190 ms", time.Duration(got.FirstPacketP50MS), time.Duration(got.FirstPacketP95MS))
	}
	s.Add(at(4000, 20, log.SessionAttach{}))
	if got := s.Session().State; got != digest.Live {
		t.Errorf("back again: %s", got)
	}
	s.Add(at(5000, 0, log.SessionEnd{Reason: dialog.CauseDisconnect, Turns: 20, Interrupted: 1}))
	d := s.Detail()
	if d.State != digest.Ended || d.Reason != dialog.CauseDisconnect || len(d.Story) != 20 {
		t.Errorf("at the end: %+v", d.Session)
	}
	if len(d.Faults) != 1 || d.Faults[0].Message != "noise" || len(d.Drops) != 1 {
		t.Errorf("faults %+v, drops %+v: want the error of no turn, and the drop", d.Faults, d.Drops)
	}
	if _, ok := s.Turn(21); ok {
		t.Error("there is a turn 21")
	}
}

// Where the log has no transcripts, lengths stand for what was said.
func TestWithoutTranscripts(t *testing.T) {
	rec := at(0, 1, log.Interrupt{})
	rec.Chars = map[string]int{"heard": 12, "unheard": 0}
	got := turn(t, tell(rec), 1)
	if got.Heard != (digest.Said{Chars: 12}) || !got.Unheard.IsEmpty() {
		t.Errorf("heard %+v, unheard %+v", got.Heard, got.Unheard)
	}
}

// in is the record of an event of another session.
func in(session, device string, n int, turn dialog.Turn, e log.Event) log.Record {
	r := at(n, turn, e)
	r.Session, r.Device = session, device
	return r
}

// The book lists who is there before who is gone, finds a session by how it
// begins, and keeps no more than it may.
func TestBook(t *testing.T) {
	b := digest.NewBook(digest.BookConfig{Sessions: 3, Turns: 2})
	b.Add(in("", "", 0, 0, log.Gap{})) // of no session
	b.Add(in("abc1", "kitchen", 0, 0, log.SessionStart{}))
	b.Add(in("abd2", "hall", 1, 0, log.SessionStart{}))
	b.Add(in("xyz3", "hall", 2, 0, log.SessionStart{}))
	b.Add(in("xyz3", "hall", 3, 0, log.SessionEnd{}))
	b.Add(in("abc1", "kitchen", 4, 1, log.SpeechStart{Utterance: "u"}))
	if got := names(b.Sessions("")); got != "abc1 abd2 xyz3" {
		t.Errorf("sessions %s, want the latest of those there first, then who is gone", got)
	}
	if got := names(b.Sessions("hall")); got != "abd2 xyz3" {
		t.Errorf("of the hall: %s", got)
	}
	for id, want := range map[string]error{"abc1": nil, "abc": nil, "x": nil, "ab": digest.ErrAmbiguous, "": digest.ErrUnknown, "q": digest.ErrUnknown, "abc12": digest.ErrUnknown} {
		d, err := b.Session(id)
		if !errors.Is(err, want) || want == nil && !strings.HasPrefix(d.Session.Session, id) {
			t.Errorf("session %q: %s, %v, want %v", id, d.Session.Session, err, want)
		}
	}
	b.Add(in("new4", "attic", 5, 0, log.SessionStart{}))
	if got := names(b.Sessions("")); got != "new4 abc1 abd2" {
		t.Errorf("sessions %s, want the ended one given up", got)
	}
	b.Add(in("new5", "attic", 6, 0, log.SessionStart{}))
	if got := names(b.Sessions("")); got != "new5 new4 abc1" {
		t.Errorf("sessions %s, want the one that is silent for longest given up", got)
	}
	for n := 2; n <= 5; n++ {
		b.Add(in("abc1", "kitchen", 10+n, dialog.Turn(n), log.SpeechStart{Utterance: fmt.Sprint(n)}))
	}
	b.Add(in("abc1", "kitchen", 20, 2, log.ReplyDone{})) // of a turn that was given up
	d, err := b.Session("abc1")
	if err != nil || d.Turns != 5 || len(d.Story) != 2 || d.Story[0].Turn != 4 || d.Story[1].Turn != 5 {
		t.Errorf("abc1 has %d turns and keeps %+v (%v), want the last two of five", d.Turns, d.Story, err)
	}
}

func names(all []digest.Session) string {
	var ids []string
	for _, s := range all {
		ids = append(ids, s.Session)
	}
	return strings.Join(ids, " ")
}

// A session that makes noise for ever without a turn does not grow.
func TestEndlessNoise(t *testing.T) {
	b := digest.NewBook(digest.BookConfig{})
	for n := range 5000 {
		b.Add(at(n, 1, log.BargeInSuspect{Utterance: fmt.Sprint(n)}))
		b.Add(at(n, 0, log.Error{}))
		b.Add(at(n, 0, log.Drop{}))
		b.Add(at(n, 1, log.Error{}))
		b.Add(at(n, 1, log.ToolCall{Call: fmt.Sprint(n)}))
	}
	d, err := b.Session("s")
	if err != nil || len(d.Faults) > 100 || len(d.Drops) > 100 || len(d.Story[0].BargeIns) > 100 || len(d.Story[0].Errors) > 100 || len(d.Story[0].Tools) > 100 {
		t.Errorf("kept: %d faults, %d drops, %d barge-ins, %d errors, %d tools (%v), want at most 100 of each",
			len(d.Faults), len(d.Drops), len(d.Story[0].BargeIns), len(d.Story[0].Errors), len(d.Story[0].Tools), err)
	}
}

func ExampleStory() {
	const lines = `
{"v":1,"time":"2026-12-01T12:00:00Z","event":"reply.first_packet","session":"s","device":"d","turn":1,"ms":640}
{"v":1,"time":"2026-12-01T12:00:02Z","event":"interrupt","session":"s","device":"d","turn":1,"cause":"abort","sent_ms":3000,"played_ms":2000,"acknowledged":true,"heard":"Once upon","unheard":" a time"}
`
	var story digest.Story
	for reader := log.NewReader(strings.NewReader(lines)); ; {
		rec, err := reader.Next()
		if err != nil {
			break
		}
		story.Add(rec)
	}
	turn, _ := story.Turn(1)
	fmt.Printf("%s by %s: heard %q, not %q\n", turn.Outcome, turn.Interrupt.Cause, turn.Heard.Text, turn.Unheard.Text)
	// Output: interrupted by abort: heard "Once upon", not " a time"
}
