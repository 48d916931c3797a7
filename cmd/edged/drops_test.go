package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"edged/audio/pcm"
	"edged/edge"
	"edged/firmware-protocol/wire"
	"edged/internal/loader"
	"edged/session"
)

// F40: devices that break off in every phase, over real sockets, against the whole
// server. When the last of their sessions has ended, goroutines and descriptors are
// as many as before the first, and the heap is no larger than noise. 500 of them, or
// 5,000 with EDGED_FULL.
func TestAbruptDrops(t *testing.T) {
	drops := 500
	if full {
		drops = 5000
	}
	engines, err := scripted("what time is it", strings.Repeat("Alpha bravo charlie. ", 20), counted)
	if err != nil {
		t.Fatal(err)
	}
	sessions := newCensus()
	address, stop := socketHouse(t, engines, sessions)
	defer stop()
	question := recording(t, "what time is it")
	v := vandal{t: t, address: address, speech: question[:len(question)/2]}
	for phase := range vandalPhases { // whatever is made once is made now
		v.drop(phase, fmt.Sprint("warm-", phase))
	}
	sessions.wait()
	settle := goleak.IgnoreCurrent()
	before := weigh(t)

	var dropping sync.WaitGroup
	begin := time.Now()
	const workers = 20
	for worker := range workers {
		dropping.Go(func() {
			for i := worker; i < drops; i += workers {
				v.drop(i%vandalPhases, fmt.Sprint("d", i))
			}
		})
	}
	dropping.Wait()
	sessions.wait()
	took := time.Since(begin)
	if err := goleak.Find(settle); err != nil { // it waits a moment for those that are ending
		t.Errorf("goroutines are left: %v", err)
	}
	after := weigh(t)
	t.Logf("%d drops, %d sessions in %v: %d -> %d goroutines, %d -> %d descriptors, %d -> %d KiB of heap",
		drops, sessions.total(), took.Round(time.Millisecond), before.goroutines, after.goroutines, before.descriptors, after.descriptors, before.heap>>10, after.heap>>10)
	if after.goroutines > before.goroutines {
		t.Errorf("%d goroutines, %d before", after.goroutines, before.goroutines)
	}
	if after.descriptors > before.descriptors {
		t.Errorf("%d descriptors, %d before", after.descriptors, before.descriptors)
	}
	if grown := int64(after.heap) - int64(before.heap); grown > 2<<20 {
		t.Errorf("the heap has grown by %d KiB, want 2 MiB at most", grown>>10)
	}
	if sessions.total() < drops/2 {
		t.Errorf("only %d sessions began", sessions.total())
	}
}

// weight is what a process holds.
type weight struct {
	goroutines, descriptors int
	heap                    uint64
}

func weigh(t *testing.T) weight {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	runtime.GC()
	runtime.GC() // what the first one finalised
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("no /proc: %v", err)
	}
	return weight{runtime.NumGoroutine(), len(files), m.HeapAlloc}
}

// census counts the sessions of a session log.
type census struct {
	mu           sync.Mutex
	changed      *sync.Cond
	began, ended int
}

func newCensus() *census {
	c := &census{}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// Write takes one line of the log.
func (c *census) Write(line []byte) (int, error) {
	var e struct {
		Event string `json:"event"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Event {
	case "session.start":
		c.began++
	case "session.end":
		c.ended++
	}
	c.changed.Broadcast()
	return len(line), nil
}

// wait returns when as many have ended as have begun.
func (c *census) wait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.ended < c.began {
		c.changed.Wait()
	}
}

func (c *census) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.began
}

// socketHouse is a whole server on a real socket, whose sessions wait a second for
// their devices.
func socketHouse(t *testing.T, engines session.Engines, log io.Writer) (address string, stop func()) {
	t.Helper()
	cfg, err := loader.Load(loader.Sources{Flags: map[string]string{"profiles.default.resume_for": "1s", "server.max_sessions": "10000", "server.limits.connects_per_minute": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	auth, err := authenticator(cfg)
	if err != nil {
		t.Fatal(err)
	}
	dialogues, err := newDialogues(t.Context(), cfg, engines, zerolog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	server, err := newServer(cfg, edge.NewRevocable(auth), dialogues, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	return listener.Addr().String(), func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		dialogues.Close()
	}
}

// vandal breaks off connections.
type vandal struct {
	t       *testing.T
	address string
	speech  []int16
}

// vandalPhases is how many phases there are to break off in.
const vandalPhases = 8

// drop connects and breaks off in a phase: by a reset, without a word.
func (v vandal) drop(phase int, device string) {
	conn, err := net.Dial("tcp", v.address)
	if err != nil {
		v.t.Error(err)
		return
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute)) // a server that stands still fails the test
	request := "GET " + wire.Path + " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: edged.v1\r\n\r\n"
	const format = `{"codec":"pcm","sample_rate":16000,"frame_ms":60}`
	hello := `{"type":"hello","protocol":"edged.v1","device":"` + device + `","audio":{"up":` + format + `,"down":` + format + `}}`
	switch phase {
	case 0: // in the middle of the request
		_, _ = io.WriteString(conn, request[:40])
		return
	case 1: // before the upgrade is answered
		_, _ = io.WriteString(conn, request)
		return
	}
	_, _ = io.WriteString(conn, request)
	v.until(conn, "\r\n\r\n")
	switch phase {
	case 2: // in the middle of the hello
		_, _ = conn.Write(clientFrame(1, []byte(hello))[:50])
		return
	case 3: // before the hello is answered
		_, _ = conn.Write(clientFrame(1, []byte(hello)))
		return
	}
	_, _ = conn.Write(clientFrame(1, []byte(hello)))
	v.until(conn, `"type":"hello"`)
	if phase == 4 {
		return
	}
	_, _ = conn.Write(clientFrame(1, []byte(`{"type":"listen","state":"start","mode":"manual"}`)))
	for i := range len(v.speech) / 960 {
		frame, err := wire.AppendFrame(nil, wire.Frame{Type: wire.TypeAudio, Seq: uint32(i), Timestamp: uint32(i * 960), Payload: pcm.Append(nil, v.speech[i*960:][:960])})
		if err != nil {
			v.t.Error(err)
			return
		}
		if phase == 5 && i == 10 { // while the user speaks, in the middle of a frame
			_, _ = conn.Write(clientFrame(2, frame)[:100])
			return
		}
		_, _ = conn.Write(clientFrame(2, frame))
	}
	_, _ = conn.Write(clientFrame(1, []byte(`{"type":"listen","state":"stop"}`)))
	if phase == 6 { // while the server thinks
		return
	}
	v.until(conn, `"type":"reply_text"`) // while the server speaks
}

// until reads until the text has come.
func (v vandal) until(conn net.Conn, text string) {
	var read strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(read.String(), text) {
		n, err := conn.Read(buf)
		if err != nil {
			v.t.Errorf("%q did not come: %v", text, err)
			return
		}
		read.Write(buf[:n])
	}
}

// clientFrame is a WebSocket frame with a mask of zeroes.
func clientFrame(opcode byte, payload []byte) []byte {
	frame := []byte{0x80 | opcode}
	if n := len(payload); n < 126 {
		frame = append(frame, 0x80|byte(n))
	} else {
		frame = append(frame, 0x80|126, byte(n>>8), byte(n))
	}
	frame = append(frame, 0, 0, 0, 0)
	return append(frame, payload...)
}
