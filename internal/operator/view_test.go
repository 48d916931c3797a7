package operator

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"edged/session/log"
	"edged/session/log/digest"
)

// conversation is the log of a session with an answer, an interruption, a
// failure, a lost connection and a gap.
func conversation(t *testing.T) [][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/conversation.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
}

// wantText compares with a golden file, which is written by hand.
func wantText(t *testing.T, name, got string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(text), "\n")
	for i, line := range strings.Split(got, "\n") {
		switch {
		case i >= len(want):
			t.Errorf("line %d of %s is too much: %q", i+1, name, line)
		case line != want[i]:
			t.Errorf("line %d of %s:\n got %q\nwant %q", i+1, name, line, want[i])
		}
	}
	if n := strings.Count(got, "\n"); n+1 < len(want) {
		t.Errorf("there are %d lines, %s has %d", n, name, len(want)-1)
	}
}

func view(t *testing.T, style Style, lines ...[]byte) string {
	t.Helper()
	var out strings.Builder
	v := NewView(&out, style)
	for _, line := range lines {
		if err := v.Print(line); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// The log as a person sees it: one line an event, the latency of each turn at its
// end, heard and unheard told apart, interruptions with cause and reaction, gaps.
func TestView(t *testing.T) {
	wantText(t, "tail.txt", view(t, Style{Zone: time.UTC}, conversation(t)...))
}

func TestWaterfall(t *testing.T) {
	var story digest.Story
	for _, line := range conversation(t) {
		if rec, ok, err := log.Parse(line); err != nil || !ok {
			t.Fatalf("%s: %v", line, err)
		} else if rec.Session != "" {
			story.Add(rec)
		}
	}
	var out strings.Builder
	if err := Waterfall(&out, Style{Zone: time.UTC}, story.Detail()); err != nil {
		t.Fatal(err)
	}
	wantText(t, "waterfall.txt", out.String())
}

func TestTable(t *testing.T) {
	at := func(text string) time.Time {
		parsed, err := time.Parse("2006-01-02T15:04:05", "2026-12-01T"+text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	ms := func(n int) log.MS { return log.MS(time.Duration(n) * time.Millisecond) }
	sessions := []digest.Session{
		{Session: "b1111111112222222222", Device: "hall", Profile: "default", State: digest.Live, Started: at("11:58:00"),
			Turns: 12, Interrupted: 2, FirstPacketP50MS: ms(640), FirstPacketP95MS: ms(1210), LastEvent: log.NameReplyDone, Last: at("16:00:25")},
		{Session: "c2", Device: "玄関", Profile: "toy", State: digest.Detached, Errors: 1, LastEvent: log.NameSessionDetach, Last: at("15:57:30")},
		{Session: "k3v9abcdefghij", Device: "kitchen", Profile: "default", State: digest.Ended, Started: at("12:00:00"),
			Turns: 3, Interrupted: 1, Errors: 1, FirstPacketP50MS: ms(800), FirstPacketP95MS: ms(1000), LastEvent: log.NameSessionEnd, Last: at("12:00:30")},
	}
	var out strings.Builder
	if err := Table(&out, Style{Zone: time.UTC}, sessions, at("16:00:30")); err != nil {
		t.Fatal(err)
	}
	wantText(t, "sessions.txt", out.String())
	out.Reset()
	if err := Table(&out, Style{}, nil, time.Now()); err != nil || out.String() != "no sessions\n" {
		t.Errorf("no sessions: %q, %v", out.String(), err)
	}
}

// Where the log has no transcripts, lengths stand for what was said.
func TestWithoutTranscripts(t *testing.T) {
	const line = `{"v":1,"time":"2026-12-01T12:00:00.000Z","event":"interrupt","session":"s","device":"d","turn":1,` +
		`"cause":"wake","sent_ms":3000,"played_ms":1000,"acknowledged":true,"heard_chars":12,"unheard_chars":30}`
	want := "12:00:00.000  d            1  interrupt           by wake, 1.0 s of 3.0 s played  (12 characters) [(30 characters)]\n"
	if got := view(t, Style{Zone: time.UTC}, []byte(line)); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// On a terminal what was not heard is struck out, and every line fits, also with
// characters that take two columns.
func TestTerminal(t *testing.T) {
	const line = `{"v":1,"time":"2026-12-01T12:00:00.000Z","event":"interrupt","session":"s","device":"d","turn":1,"cause":"abort","sent_ms":3000,` +
		`"played_ms":1000,"acknowledged":true,"heard":"むかしむかしあるところに","unheard":"おじいさんとおばあさんが住んでいました"}`
	got := view(t, Style{Zone: time.UTC, Color: true}, []byte(line))
	if want := "\x1b[32mむかしむかしあるところに\x1b[0m\x1b[2;9mおじいさんとおばあさんが住んでいました\x1b[0m"; !strings.Contains(got, want) {
		t.Errorf("got %q, want heard in green and unheard struck out: %q", got, want)
	}
	for _, columns := range []int{60, 80, 100, 120} {
		got := view(t, Style{Zone: time.UTC, Columns: columns}, []byte(line))
		text := strings.TrimSuffix(got, "\n")
		if n := widthOf(text); n > columns {
			t.Errorf("on %d columns a line takes %d: %q", columns, n, text)
		}
		if columns >= 100 && !(strings.Contains(text, "に") && strings.Contains(text, "[お")) {
			t.Errorf("on %d columns the place of the interruption is not to be seen: %q", columns, text)
		}
	}
	const done = `{"v":1,"time":"2026-12-01T12:00:00.000Z","event":"reply.done","session":"s","device":"d","turn":1,"audio_ms":1100,"text":"It is noon and the sun is shining.","acknowledged":true}`
	// 50 columns stand before what is said, and 7 before the reply: 15 are left.
	if got := view(t, Style{Zone: time.UTC, Columns: 72}, []byte(done)); !strings.HasSuffix(got, "1.1 s  “It is noon an…\n") {
		t.Errorf("a reply that was heard whole is shortened to %q, want its beginning", got)
	}
	for _, l := range conversation(t) {
		got := strings.TrimSuffix(view(t, Style{Zone: time.UTC, Columns: 72}, l), "\n")
		for text := range strings.SplitSeq(got, "\n") {
			if n := widthOf(text); n > 72 {
				t.Errorf("on 72 columns a line takes %d: %q", n, text)
			}
		}
	}
}

// widthOf counts columns in another way than the code: two for every character
// from U+1100 on that is no punctuation of Latin scripts.
func widthOf(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x2e80 {
			n++
		}
	}
	return n
}

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "Grüße": 5, "时间": 4, "ﾃｽﾄ": 3, "テスト": 6, "e\u0301": 1, "🙂": 2, "a\u200db": 2,
	} {
		if got := columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
	for _, tt := range []struct {
		text       string
		n          int
		end, start string
	}{
		{"abcdef", 6, "abcdef", "abcdef"}, {"abcdef", 4, "abc…", "…def"}, {"时间时间", 5, "时间…", "…时间"}, {"时间时间", 4, "时…", "…间"},
		{"abc", 1, "…", "…"}, {"abc", 0, "", ""},
	} {
		if end, start := shorten(tt.text, tt.n), shortenStart(tt.text, tt.n); end != tt.end || start != tt.start {
			t.Errorf("%q on %d columns: %q and %q, want %q and %q", tt.text, tt.n, end, start, tt.end, tt.start)
		}
	}
}

// What devices and people have said cannot move the cursor, change colours or
// turn the direction of writing.
func TestControlCharacters(t *testing.T) {
	const line = `{"v":1,"time":"2026-12-01T12:00:00.000Z","event":"asr.final","session":"s","device":"d\u001b[2J","turn":1,` +
		`"utterance":"u","text":"a\u001b[31mb\u0007\nc\u202ed\u009b1m","ms":5}`
	got := view(t, Style{Zone: time.UTC}, []byte(line))
	if i := strings.IndexFunc(strings.TrimSuffix(got, "\n"), func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e }); i >= 0 {
		t.Errorf("%q holds a control character at %d", got, i)
	}
	if !strings.Contains(got, "a·[31mb· c·d·1m") {
		t.Errorf("%q does not hold the rest of the text", got)
	}
	unknown := view(t, Style{Zone: time.UTC}, []byte(`{"v":1,"time":"2026-12-01T12:00:00.000Z","event":"moon.phase","session":"s","device":"d","full":true}`), []byte("not\x1b JSON"))
	if !strings.Contains(unknown, "moon.phase") || !strings.Contains(unknown, `"full":true`) || !strings.HasSuffix(unknown, "not· JSON\n") {
		t.Errorf("an unknown event and a foreign line are printed as %q", unknown)
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 340 * time.Microsecond: "0.3 ms", 9 * time.Millisecond: "9.0 ms", 999 * time.Millisecond: "999 ms",
		1500 * time.Millisecond: "1.5 s", 90 * time.Second: "90.0 s", 10 * time.Minute: "10 min",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}
