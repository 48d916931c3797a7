package realtime

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestG01CtrlMayBeNil(t *testing.T) {
	for _, test := range []struct {
		name  string
		chunk *MessageChunk
	}{
		{"chunk without Ctrl", &MessageChunk{Part: Text("hi")}},
		{"nil chunk", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.chunk.IsBeginOfStream() || test.chunk.IsEndOfStream() || test.chunk.Route() != "" || test.chunk.ForHistory() {
				t.Error("it claims a boundary or a route")
			}
		})
	}
	var tracker Tracker
	if err := tracker.Observe(&MessageChunk{Part: Text("hi")}); err != nil {
		t.Errorf("Tracker: %v", err)
	}
}

func TestG02StreamCtrlJSON(t *testing.T) {
	full := StreamCtrl{StreamID: "r", Label: "l", Error: "e", BeginOfStream: true, EndOfStream: true, Timestamp: 5}
	for _, test := range []struct {
		name string
		ctrl StreamCtrl
		want string
	}{
		{"all fields", full, `{"stream_id":"r","label":"l","error":"e","begin_of_stream":true,"end_of_stream":true,"timestamp":5}`},
		{"empty ones are omitted", StreamCtrl{}, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(test.ctrl)
			if err != nil || string(got) != test.want {
				t.Errorf("JSON = %s, %v, want %s", got, err, test.want)
			}
			var back StreamCtrl
			if err := json.Unmarshal(got, &back); err != nil || back != test.ctrl {
				t.Errorf("read back %+v, %v, want %+v", back, err, test.ctrl)
			}
		})
	}
}

// pass sends chunks through a StreamBuilder and a RealtimeStream and returns
// what each delivers.
func pass(t *testing.T, chunks ...*MessageChunk) map[string][]*MessageChunk {
	t.Helper()
	builder := NewStreamBuilder(len(chunks) + 1)
	live := NewRealtimeStream(RealtimeConfig{})
	for _, c := range chunks {
		if err := builder.Add(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		push(t, live, c)
	}
	builder.Done()
	_ = live.Close()
	out := map[string][]*MessageChunk{}
	for name, s := range map[string]Stream{"StreamBuilder": builder.Stream(), "RealtimeStream": live} {
		for {
			c, err := s.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: Next = %v: an error on a chunk is no error of the stream (G10)", name, err)
			}
			out[name] = append(out[name], c)
		}
	}
	return out
}

// What a chunk carries reaches the reader
// unchanged, in order, and ends nothing but what it speaks of.
func TestG07G09G10G11G15G17ChunksTravelUnchanged(t *testing.T) {
	chunk := func(route string, ms int64, part Part, ctrl StreamCtrl) *MessageChunk {
		ctrl.StreamID, ctrl.Timestamp = route, ms
		return &MessageChunk{Role: RoleModel, Name: "n", Part: part, Ctrl: &ctrl}
	}
	sent := []*MessageChunk{
		chunk("a", 1, nil, StreamCtrl{BeginOfStream: true, Label: LabelTranscript}),
		chunk("b", 2, Text("interleaved"), StreamCtrl{Label: "a label of its own, verbatim"}),
		chunk("a", 3, Text("last data"), StreamCtrl{EndOfStream: true, Label: LabelAssistant}),
		chunk("a", 4, nil, StreamCtrl{EndOfStream: true, Error: "recogniser failed"}),
		chunk("b", 5, Text("goes on"), StreamCtrl{Error: "only information"}),
		chunk("c", 6, &Blob{MIMEType: "AUDIO/Opus", Data: []byte{1}}, StreamCtrl{Label: LabelHistoryUserAudio}),
	}
	sent[4].ToolCall = &ToolCall{ID: "1", Name: "clock"}
	for name, got := range pass(t, sent...) {
		if !reflect.DeepEqual(got, sent) {
			t.Errorf("%s delivered\n%v\nwant\n%v", name, lines(got), lines(sent))
		}
	}
}

func lines(chunks []*MessageChunk) string {
	var all strings.Builder
	for _, c := range chunks {
		fmt.Fprintln(&all, show(c))
	}
	return all.String()
}

func TestG16HistoryAudioIsRecognised(t *testing.T) {
	c := blob("r", pcm16k, 1, 2)
	if c.ForHistory() {
		t.Error("ordinary audio counts as history")
	}
	c.Ctrl.Label = LabelHistoryUserAudio
	if !c.ForHistory() {
		t.Error("history.user_audio is not recognised: it would be played to the user")
	}
}

func TestG64MessageAndChunk(t *testing.T) {
	m := Message{Role: RoleUser, Payload: Contents{Text("what is this?"), &Blob{MIMEType: "image/png"}, Text("and why?")}}
	if got := m.Payload.(Contents).Text(); got != "what is this?\nand why?" {
		t.Errorf("text of the contents = %q", got)
	}
}
