package realtime

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// trace writes a stream in one line: route:channel=text, with . before an end
// of stream and ^ for the beginning of one.
func trace(s Stream) (string, error) {
	var line []string
	for {
		c, err := s.Next()
		if err != nil {
			return strings.Join(line, " "), err
		}
		item := c.Route() + ":" + c.Channel()
		if t, ok := c.Part.(Text); ok {
			item += "=" + string(t)
		}
		if c.IsEndOfStream() {
			item = "." + item
		}
		line = append(line, item)
	}
}

func TestG47MarkersBetweenInputs(t *testing.T) {
	audio := func(route string) *MessageChunk { return blob(route, "Audio/Opus", 1) }
	tool := &MessageChunk{Role: RoleModel, ToolCall: &ToolCall{Name: "lamp"}, Ctrl: &StreamCtrl{StreamID: "1"}}
	for _, test := range []struct {
		name   string
		inputs [][]*MessageChunk
		want   string
	}{
		{"between two, none after the last", [][]*MessageChunk{texts("1", "a"), texts("1", "b")},
			"1:text/plain=a .1:text/plain= 1:text/plain=b"},
		{"the last seen MIME", [][]*MessageChunk{{text("1", "a"), audio("1")}, {text("1", "b")}},
			"1:text/plain=a 1:audio/opus .1:audio/opus 1:text/plain=b"},
		{"none after an empty input", [][]*MessageChunk{{}, texts("1", "a"), {}, texts("1", "b"), {}},
			"1:text/plain=a .1:text/plain= 1:text/plain=b .1:text/plain="},
		{"none after control or tool calls alone", [][]*MessageChunk{{bos(control("1")), tool}, texts("1", "a")},
			"1: 1:tool/call 1:text/plain=a"},
		{"none for a channel that the input has ended", [][]*MessageChunk{{eos(text("1", "a"))}, texts("1", "b")},
			".1:text/plain=a 1:text/plain=b"},
		{"none for a route that the input has ended", [][]*MessageChunk{{text("1", "a"), eos(control("1"))}, texts("1", "b")},
			"1:text/plain=a .1: 1:text/plain=b"},
		{"the end of another route does not count", [][]*MessageChunk{{text("1", "a"), eos(control("2"))}, texts("1", "b")},
			"1:text/plain=a .2: .1:text/plain= 1:text/plain=b"},
		{"an announced channel", [][]*MessageChunk{{bos(blob("1", "audio/opus"))}, texts("1", "b")},
			"1:audio/opus .1:audio/opus 1:text/plain=b"},
		{"three", [][]*MessageChunk{texts("1", "a"), texts("2", "b"), texts("3", "c")},
			"1:text/plain=a .1:text/plain= 2:text/plain=b .2:text/plain= 3:text/plain=c"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var inputs []Stream
			for _, chunks := range test.inputs {
				inputs = append(inputs, script(io.EOF, chunks...))
			}
			got, end := trace(CompositeSeq(inputs...))
			if got != test.want || end != io.EOF {
				t.Errorf("stream = %s, %v\nwant     %s, EOF", got, end, test.want)
			}
		})
	}
}

func TestG47NoMarkerAfterAFailure(t *testing.T) {
	failure := errors.New("voice went away")
	got, end := trace(CompositeSeq(script(failure, texts("1", "a")...), script(io.EOF, texts("1", "b")...)))
	if got != "1:text/plain=a" || end != failure {
		t.Errorf("stream = %s, %v, want the failure right after what came: a marker would say that it is complete", got, end)
	}
}

// A marker ends what a consumer follows: the same route, channel and speaker.
func TestG48MarkerNamesWhatItEnds(t *testing.T) {
	first := &MessageChunk{Role: RoleModel, Name: "narrator", Part: &Blob{MIMEType: "Audio/OGG; codecs=opus", Data: []byte{1}},
		Ctrl: &StreamCtrl{StreamID: "reply/7", Label: LabelAssistant, Timestamp: 40}}
	for _, test := range []struct {
		name  string
		chunk *MessageChunk
		want  StreamCtrl
	}{
		{"routed", first, StreamCtrl{StreamID: "reply/7", Label: LabelAssistant, EndOfStream: true}},
		{"without Ctrl", &MessageChunk{Role: RoleUser, Name: "guest", Part: Text("a")}, StreamCtrl{EndOfStream: true}},
		{"a gap", &MessageChunk{Role: RoleUser, Part: &Gap{MIMEType: "audio/opus", Duration: 1}, Ctrl: &StreamCtrl{StreamID: "mic/1"}},
			StreamCtrl{StreamID: "mic/1", EndOfStream: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := CompositeSeq(script(io.EOF, test.chunk), script(io.EOF))
			var tracker Tracker
			if c, err := s.Next(); err != nil || tracker.Observe(c) != nil {
				t.Fatalf("first chunk = %v, %v", c, err)
			}
			mark, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if mark.Role != test.chunk.Role || mark.Name != test.chunk.Name || *mark.Ctrl != test.want {
				t.Errorf("marker = %s %q %+v, want %s %q %+v", mark.Role, mark.Name, *mark.Ctrl, test.chunk.Role, test.chunk.Name, test.want)
			}
			if mark.Channel() != test.chunk.Channel() || !empty(mark) {
				t.Errorf("marker is on channel %q with %v, want %q without data", mark.Channel(), mark.Part, test.chunk.Channel())
			}
			if err := tracker.Observe(mark); err != nil || tracker.Route(test.want.StreamID) != RouteComplete {
				t.Errorf("after the marker the route is %v (%v), want complete", tracker.Route(test.want.StreamID), err)
			}
		})
	}
}

// The marker is there at the end of an input, not with the next one's first
// chunk: a synthesiser that waits for it would be silent for as long.
func TestG47MarkerDoesNotWaitForTheNextInput(t *testing.T) {
	next := script(nil)
	s := CompositeSeq(script(io.EOF, texts("1", "a")...), next)
	for _, want := range []bool{false, true} {
		if c, err := s.Next(); err != nil || c.IsEndOfStream() != want {
			t.Fatalf("Next = %v, %v", c, err)
		}
	}
	if fmt.Sprint(next.told()) != "0 <nil>" {
		t.Error("the next input was closed")
	}
	_ = s.Close()
}
