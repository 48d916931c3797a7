package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"

	"edged/dialog"
	"edged/edge/admin"
	"edged/internal/loader"
	"edged/session/log"
)

const operatorToken = "operators-operators"

// desk is a session log with the operators' API on a socket of its own.
type desk struct {
	*operators
	log *sessionLog
}

// openDesk opens the API. Lines that nobody asked for are not kept.
func openDesk(t *testing.T, cfg loader.Log) *desk {
	t.Helper()
	sessions, err := openSessionLog(cfg, io.Discard, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	ops, err := openOperators(t.Context(), loader.Operators{Listen: "127.0.0.1:0", Token: operatorToken}, nil, sessions, nil, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ops.Close()
		sessions.Close()
	})
	return &desk{ops, sessions}
}

// recorder returns what the session of a device writes with.
func (d *desk) recorder(session, device string, transcripts bool) *log.Recorder {
	return log.NewRecorder(d.log.Logger(), session, device, transcripts)
}

// talk writes a turn that was interrupted.
func talk(r *log.Recorder, turn dialog.Turn) {
	ms := func(n int) log.MS { return log.MS(time.Duration(n) * time.Millisecond) }
	r.Emit(turn, 0, log.SpeechStart{Utterance: "u"})
	r.Emit(turn, 0, log.SpeechEnd{Utterance: "u", AtMS: ms(900), MS: ms(600)})
	r.Emit(turn, 0, log.ASRFinal{Utterance: "u", Text: "tell me a story", MS: ms(610)})
	r.Emit(turn, -1, log.ReplyFirstPacket{MS: ms(700)})
	r.Emit(turn, -1, log.Interrupt{Cause: dialog.CauseSpeech, SentMS: ms(3000), PlayedMS: ms(2000), Acknowledged: true,
		Heard: "Once upon", Unheard: " a time", ReactionMS: ms(250)})
}

// command runs "edged tail" or "edged sessions" as a person would.
func command(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	err = commandTo(ctx, &out, &errs, args...)
	return out.String(), errs.String(), err
}

func commandTo(ctx context.Context, stdout, stderr io.Writer, args ...string) error {
	var c struct {
		Tail     tailCmd     `cmd:""`
		Sessions sessionsCmd `cmd:""`
	}
	parser, err := kong.New(&c, kong.Name("edged"), kong.Exit(func(int) {}), kong.Writers(stdout, stderr),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(streams{stdout, stderr}))
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return command.Run()
}

func wantIn(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not hold %q:\n%s", what, w, text)
		}
	}
}

// An operator looks at what has happened: events, chosen by each of the flags,
// for people and as JSON; the list of sessions, and one of them.
func TestOperatorLooksBack(t *testing.T) {
	d := openDesk(t, loader.Log{})
	kitchen, hall := d.recorder("aaaa1111", "kitchen", true), d.recorder("bbbb2222", "hall", true)
	kitchen.Emit(0, -1, log.SessionStart{Profile: "default", Transcripts: true})
	hall.Emit(0, -1, log.SessionStart{Profile: "toy", Transcripts: true})
	talk(kitchen, 1)
	hall.Emit(1, -1, log.Error{Stage: "asr", Code: dialog.ErrorASR, Message: "no model"})
	hall.Emit(0, -1, log.SessionEnd{Reason: dialog.CauseDisconnect, Turns: 1})
	server := []string{"--url", d.url, "--token", operatorToken}
	tail := append([]string{"tail", "--since", "1h", "--no-follow"}, server...)
	for _, tt := range []struct {
		name   string
		args   []string
		events string
	}{
		{"all", nil, "session.start session.start speech.start speech.end asr.final reply.first_packet interrupt error session.end"},
		{"a device", []string{"--device", "hall"}, "session.start error session.end"},
		{"a session", []string{"--session", "aaaa*"}, "session.start speech.start speech.end asr.final reply.first_packet interrupt"},
		{"events", []string{"--event", "interrupt", "--event", "speech"}, "speech.start speech.end interrupt"},
		{"both", []string{"--device", "hall", "--event", "session.*"}, "session.start session.end"},
		{"since later", []string{"--since", "2100-01-01T00:00:00Z"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, err := command(t.Context(), append(append(tail, "--json"), tt.args...)...)
			if err != nil || stderr != "" {
				t.Fatalf("%v, %s", err, stderr)
			}
			var events []string
			for reader := log.NewReader(strings.NewReader(stdout)); ; {
				rec, err := reader.Next()
				if err != nil {
					break
				}
				events = append(events, string(rec.Event.Name()))
			}
			if got := strings.Join(events, " "); got != tt.events {
				t.Errorf("events %s\nwant   %s", got, tt.events)
			}
		})
	}
	pretty, _, err := command(t.Context(), tail...)
	if err != nil || strings.Contains(pretty, "\x1b") {
		t.Errorf("into a file go colours, or %v:\n%q", err, pretty)
	}
	wantIn(t, "edged tail", pretty, "“tell me a story”  610 ms", "by speech, reaction 250 ms, 2.0 s of 3.0 s played  Once upon [a time]", "700 ms to the first packet: endpoint 600, asr +10, send +90")
	list, _, err := command(t.Context(), append([]string{"sessions"}, server...)...)
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, "edged sessions", list, "aaaa1111  kitchen  default  live", "bbbb2222  hall     toy      ended")
	if strings.Index(list, "kitchen") > strings.Index(list, "hall") {
		t.Errorf("who is gone stands before who is there:\n%s", list)
	}
	show, _, err := command(t.Context(), append([]string{"sessions", "show", "aaaa"}, server...)...)
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, "edged sessions show", show, "session aaaa1111  kitchen  live", "turn 1", "interrupted  “tell me a story”  (spoke for 900 ms)",
		"endpoint           0     600  ██", "heard    “Once upon”", "unheard  “a time”")
	asJSON, _, err := command(t.Context(), append([]string{"sessions", "show", "aaaa", "--json"}, server...)...)
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, "edged sessions show --json", asJSON, `"first_packet_ms": 700`, `"reaction_ms": 250`)
	if only, _, err := command(t.Context(), append([]string{"sessions", "--device", "hall", "--json"}, server...)...); err != nil ||
		strings.Contains(only, "kitchen") || !strings.Contains(only, `"profile": "toy"`) {
		t.Errorf("sessions of the hall: %v\n%s", err, only)
	}
}

// What an operator gets wrong is said, with what to do.
func TestOperatorMistakes(t *testing.T) {
	d := openDesk(t, loader.Log{})
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for _, tt := range []struct {
		name string
		args []string
		says []string
	}{
		{"no token", []string{"tail", "--url", d.url}, []string{"token is missing or wrong", "--token", "EDGED_OPERATOR_TOKEN"}},
		{"a wrong token", []string{"sessions", "--url", d.url, "--token", "x"}, []string{"token is missing or wrong"}},
		{"no server", []string{"tail", "--url", "http://" + gone.Addr().String()}, []string{"nothing answers", "edged serve", "--url"}},
		{"a strange time", []string{"tail", "--url", d.url, "--token", operatorToken, "--since", "noon"}, []string{`"noon"`, "10m"}},
		{"an unknown session", []string{"sessions", "show", "zz", "--url", d.url, "--token", operatorToken}, []string{`"zz"`, "edged sessions lists"}},
		{"no URL", []string{"sessions", "--url", "kitchen"}, []string{`"kitchen"`, "http://"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("EDGED_OPERATOR_TOKEN", "")
			_, _, err := command(t.Context(), tt.args...)
			if err == nil {
				t.Fatal("no error")
			}
			wantIn(t, "the error", err.Error(), tt.says...)
		})
	}
}

// lineWriter hands over what is written, line by line.
type lineWriter chan string

func (w lineWriter) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		w <- strings.TrimSuffix(line, "\n")
	}
	return len(p), nil
}

// A tail outlives its connection: every event is there once and in order. What
// the ring has given up meanwhile is marked with how much it was.
func TestTailResumes(t *testing.T) {
	d := openDesk(t, loader.Log{KeepEvents: 100})
	wire := newCable(t, strings.TrimPrefix(d.url, "http://"))
	ctx, cancel := context.WithCancel(t.Context())
	stdout, ended := make(lineWriter, 1000), make(chan error, 1)
	t.Setenv("EDGED_OPERATOR_TOKEN", operatorToken)
	go func() {
		ended <- commandTo(ctx, stdout, io.Discard, "tail", "--json", "--since", "1h", "--url", "http://"+wire.address)
	}()
	r := d.recorder("s", "kitchen", true)
	say := func(from, to int) {
		for n := from; n <= to; n++ {
			r.Emit(0, -1, log.Wake{Phrase: fmt.Sprintf("n=%d;", n)})
		}
	}
	want := func(from, to int) {
		t.Helper()
		for n := from; n <= to; n++ {
			if line := <-stdout; !strings.Contains(line, fmt.Sprintf("n=%d;", n)) {
				t.Fatalf("got %s, want event %d", line, n)
			}
		}
	}
	say(1, 50)
	want(1, 50)
	wire.cut()
	say(51, 80)
	want(51, 80)
	wire.unplug()
	say(81, 300)
	wire.plug()
	if line := <-stdout; !strings.Contains(line, `"event":"log.gap"`) || !strings.Contains(line, `"missed":120,"reason":"forgotten"`) {
		t.Errorf("got %s, want that events 81 to 200 are missing", line)
	}
	want(201, 300)
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Ctrl-C ends it with %v", err)
	}
}

// cable is a TCP proxy that can be cut.
type cable struct {
	address string
	to      string
	ln      net.Listener
	mu      sync.Mutex
	conns   []net.Conn
	plugged bool
	done    sync.WaitGroup
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{address: ln.Addr().String(), to: to, ln: ln, plugged: true}
	c.done.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			c.join(conn)
		}
	})
	t.Cleanup(func() {
		ln.Close()
		c.cut()
		c.done.Wait()
	})
	return c
}

func (c *cable) join(near net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	far, err := net.Dial("tcp", c.to)
	if err != nil || !c.plugged {
		near.Close()
		return
	}
	c.conns = append(c.conns, near, far)
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		c.done.Go(func() {
			io.Copy(way[0], way[1])
			way[0].Close()
		})
	}
}

// cut breaks the connections there are.
func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

// unplug breaks them and those to come, until plug.
func (c *cable) unplug() {
	c.mu.Lock()
	c.plugged = false
	c.mu.Unlock()
	c.cut()
}

func (c *cable) plug() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plugged = true
}

// An id of a server that is no more is noticed.
func TestTailAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := log.NewRing(log.RingConfig{})
		io.WriteString(old, "{}\n")
		before := old.Tail(log.Start{Oldest: true})
		defer before.Close()
		last, _ := before.Ready()
		time.Sleep(time.Second)
		again, err := feed{log.NewRing(log.RingConfig{})}.Tail(admin.From{After: last.ID.String()})
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if l, ok := again.Ready(); !ok || !l.Gap || !strings.Contains(string(l.JSON), `"reason":"restart"`) {
			t.Errorf("got %s, want a gap: the server was started anew", l.JSON)
		}
	})
}

// Where transcripts are off, operators see lengths, in every view.
func TestOperatorsSeeNoTranscripts(t *testing.T) {
	d := openDesk(t, loader.Log{})
	talk(d.recorder("aaaa1111", "kitchen", false), 1)
	server := []string{"--url", d.url, "--token", operatorToken}
	for _, args := range [][]string{
		{"tail", "--since", "1h", "--no-follow"}, {"tail", "--since", "1h", "--no-follow", "--json"},
		{"sessions", "show", "aaaa"}, {"sessions", "show", "aaaa", "--json"},
	} {
		stdout, _, err := command(t.Context(), append(args, server...)...)
		if err != nil || stdout == "" {
			t.Fatalf("%v: %v", args, err)
		}
		for _, word := range []string{"tell me", "Once", "a time"} {
			if strings.Contains(stdout, word) {
				t.Errorf("%v shows %q:\n%s", args, word, stdout)
			}
		}
	}
}

// Without a token the API is open to the server's own user on this machine, and
// to nobody else.
func TestOwnToken(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("EDGED_OPERATOR_TOKEN", "")
	sessions, err := openSessionLog(loader.Log{}, io.Discard, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer sessions.Close()
	var told bytes.Buffer
	ops, err := openOperators(t.Context(), loader.Operators{Listen: "127.0.0.1:0"}, nil, sessions, nil, zerolog.New(&told))
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	info, err := os.Stat(ops.tokenFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("token file %v, %v: want it readable by its owner only", info, err)
	}
	if token, err := os.ReadFile(ops.tokenFile); err != nil || len(bytes.TrimSpace(token)) < 26 || bytes.Contains(told.Bytes(), bytes.TrimSpace(token)) {
		t.Errorf("token %q, %v: want 128 bits that no notice tells: %s", token, err, &told)
	}
	if _, _, err := command(t.Context(), "sessions", "--url", ops.url); err != nil {
		t.Errorf("the user's own command is refused: %v", err)
	}
	if _, _, err := command(t.Context(), "sessions", "--url", ops.url, "--token", "x"); err == nil {
		t.Error("a wrong token is let in")
	}
	ops.Close()
	if _, err := os.Stat(ops.tokenFile); !os.IsNotExist(err) {
		t.Errorf("the token outlives the server: %v", err)
	}

	if _, err := openOperators(t.Context(), loader.Operators{Listen: "0.0.0.0:0"}, nil, sessions, nil, zerolog.Nop()); err == nil ||
		!strings.Contains(err.Error(), "operators.token") {
		t.Errorf("a listener for everybody without a token: %v", err)
	}
	off, err := openOperators(t.Context(), loader.Operators{}, &net.TCPAddr{IP: net.IPv4zero, Port: 1}, sessions, nil, zerolog.New(&told))
	if err != nil || off.handler != nil {
		t.Errorf("beside devices that everybody can reach: %v, %v, want it off", off.handler, err)
	}
	wantIn(t, "the notice", told.String(), "off", "operators.token")
	off.Close()
}

// The log goes to a file as well. A standard output that nobody reads holds up
// neither the sessions nor, for long, the end of the server.
func TestSessionLogSinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "sessions.jsonl")
		reader, writer := io.Pipe()
		var told bytes.Buffer
		l, err := openSessionLog(loader.Log{File: path}, writer, zerolog.New(&told))
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 3; n++ {
			talk(log.NewRecorder(l.Logger(), "s", "d", true), dialog.Turn(n))
		}
		begin := time.Now()
		l.Close()
		if took := time.Since(begin); took != logPatience {
			t.Errorf("the end took %v, want %v of patience", took, logPatience)
		}
		wantIn(t, "the notice", told.String(), "nobody reads")
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		n := 0
		for lines := log.NewReader(file); ; n++ {
			if _, err := lines.Next(); err != nil {
				break
			}
		}
		if n != 15 {
			t.Errorf("the file has %d events, want 15", n)
		}
		reader.Close()
		synctest.Wait()
	})
	if _, err := openSessionLog(loader.Log{File: filepath.Join(t.TempDir(), "none", "x")}, io.Discard, zerolog.Nop()); err == nil ||
		!strings.Contains(err.Error(), "log.file") {
		t.Errorf("a file that cannot be written: %v, want the key", err)
	}
}

// stuckTails opens tails over pipes that nobody reads: each stands still in the
// write of the next event. It runs in virtual time.
func stuckTails(t *testing.T, h http.Handler, n int) (reader *bufio.Reader, end func()) {
	t.Helper()
	p := &pipeListener{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(p)
	}()
	var conns []net.Conn
	for range n {
		client, far := net.Pipe()
		p.conns <- far
		conns = append(conns, client)
		go io.WriteString(client, "GET /v1/admin/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+operatorToken+"\r\n\r\n")
		reader = bufio.NewReader(client)
		for line := ""; line != "\r\n"; {
			var err error
			if line, err = reader.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
	synctest.Wait()
	return reader, func() {
		for _, c := range conns {
			c.Close()
		}
		server.Close()
		<-served
	}
}

// pipeListener accepts connections of net.Pipe.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error   { close(p.closed); return nil }
func (p *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// A reader that did not read while 100,000 events came is told how many it
// missed, and goes on with those that are kept.
func TestStuckReaderIsToldOfTheGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := log.NewRing(log.RingConfig{Events: 1000})
		h, err := admin.New(admin.Config{Token: operatorToken, Events: feed{ring}, Sessions: directory{}})
		if err != nil {
			t.Fatal(err)
		}
		reader, end := stuckTails(t, h, 1)
		r := log.NewRecorder(zerolog.New(ring), "s", "d", true)
		const events = 100_000
		for n := 1; n <= events; n++ {
			r.Emit(0, -1, log.Wake{Phrase: fmt.Sprintf("n=%d;", n)})
			if n == 1 {
				synctest.Wait() // it stands in the write of this one
			}
		}
		kept := events - 1000 + 1
		var data []string
		for len(data) < 3 {
			line, err := reader.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if text, ok := strings.CutPrefix(line, "data: "); ok {
				data = append(data, text)
			}
		}
		wantIn(t, "the event it stood in", data[0], "n=1;")
		wantIn(t, "the next event", data[1], `"log.gap"`, fmt.Sprintf(`"missed":%d,"reason":"slow"`, kept-2))
		wantIn(t, "the one after the gap", data[2], fmt.Sprintf("n=%d;", kept))
		go io.Copy(io.Discard, reader)
		ring.Close()
		h.Close()
		end()
	})
}
