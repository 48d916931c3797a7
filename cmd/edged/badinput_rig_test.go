package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"edged/firmware-protocol/wire"
	"edged/realtime"
	"edged/session"
	"edged/transformers"
)

// stranger is a client that sends what a test says and answers nothing by itself.
type stranger struct {
	t    *testing.T
	conn *websocket.Conn
}

// stranger connects and says nothing.
func (h *house) stranger() *stranger {
	h.t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: h.pipe.Dial, DisableKeepAlives: true}}
	conn, _, err := websocket.Dial(context.Background(), "ws://edged"+wire.Path, &websocket.DialOptions{HTTPClient: client, Subprotocols: []string{wire.Protocol}})
	if err != nil {
		h.t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	return &stranger{h.t, conn}
}

// greet says hello as sim-1, with these members besides, and returns the server's.
func (p *stranger) greet(members string) wire.ServerHello {
	p.t.Helper()
	const format = `{"codec":"pcm","sample_rate":16000,"channels":1,"frame_ms":60}`
	if members != "" {
		members = "," + members
	}
	p.say(`{"type":"hello","protocol":"edged.v1","device":"sim-1","audio":{"up":` + format + `,"down":` + format + `},"buffer_ms":2400` + members + `}`)
	hello, ok := p.hear().(wire.ServerHello)
	if !ok {
		p.t.Fatal("the first message of the server is no hello")
	}
	return hello
}

// offer says hello as sim-1 with one format for both ways.
func (p *stranger) offer(codec string, ptime int) {
	p.t.Helper()
	format := fmt.Sprintf(`{"codec":%q,"sample_rate":16000,"channels":1,"frame_ms":%d}`, codec, ptime)
	p.say(`{"type":"hello","protocol":"edged.v1","device":"sim-1","audio":{"up":` + format + `,"down":` + format + `},"buffer_ms":2400}`)
	if _, ok := p.hear().(wire.ServerHello); !ok {
		p.t.Fatal("the first message of the server is no hello")
	}
}

func (p *stranger) say(text string) {
	p.t.Helper()
	if err := p.conn.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		p.t.Errorf("write: %v", err)
	}
}

// hear returns the next text message; nil at the end of the connection.
func (p *stranger) hear() wire.Message {
	for {
		typ, b, err := p.conn.Read(context.Background())
		if err != nil {
			return nil
		}
		if typ == websocket.MessageText {
			m, err := wire.DecodeMessage(wire.FromServer, b)
			if err != nil {
				p.t.Errorf("the server sends %s: %v", b, err)
			}
			return m
		}
	}
}

// closed reads to the end and returns the last error message before it.
func (p *stranger) closed() (last wire.Failure) {
	for {
		switch m := p.hear().(type) {
		case nil:
			return last
		case wire.Failure:
			last = m
		}
	}
}

func (p *stranger) close() { _ = p.conn.CloseNow() }

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// slowly is a generator that thinks for a while first.
type slowly struct {
	transformers.Generator
	while time.Duration
}

func (g slowly) GenerateStream(ctx context.Context, pattern string, mc transformers.ModelContext) (realtime.Stream, error) {
	select {
	case <-time.After(g.while):
		return g.Generator.GenerateStream(ctx, pattern, mc)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// brief hears "mhm" in an utterance that is shorter than a question with the silence
// around it, else what it is.
type brief string

const shortUtterance = 2200 * time.Millisecond

func (heard brief) Transform(ctx context.Context, pattern string, in realtime.Stream) (realtime.Stream, error) {
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		defer in.Close()
		stop := context.AfterFunc(ctx, func() { _ = in.CloseWithError(context.Cause(ctx)) })
		defer stop()
		var route string
		var length time.Duration
		for {
			chunk, err := in.Next()
			if realtime.IsEnd(err) {
				text := string(heard)
				if length < shortUtterance {
					text = "mhm"
				}
				return out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser, Part: realtime.Text(text),
					Ctrl: &realtime.StreamCtrl{StreamID: route, Label: realtime.LabelTranscript, EndOfStream: true}})
			}
			if err != nil {
				return err
			}
			route = chunk.Route()
			length += realtime.MediaDuration(chunk.Part)
		}
	}), nil
}

// crowd is converseWith on a server that lets any number of devices in at once.
func crowd(t *testing.T, engines session.Engines, story func(t *testing.T, h *house)) {
	t.Helper()
	cfg := pipeConfig(t)
	cfg.Server.Limits.ConnectsPerMinute = 0
	synctest.Test(t, func(t *testing.T) { inhabit(t, cfg, engines, story) })
}
