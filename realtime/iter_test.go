package realtime

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// gathered reads all elements of s, concurrently, and returns one line for
// each in the order of their first content.
func gathered(t *testing.T, s Stream) (lines []string, end error) {
	t.Helper()
	it := Iter(s)
	defer it.Close()
	type reading struct {
		element *StreamElement
		content chan string
	}
	var readings []reading
	for {
		element, err := it.Next()
		if err != nil {
			end = err
			break
		}
		r := reading{element, make(chan string, 1)}
		readings = append(readings, r)
		go func() {
			data, err := io.ReadAll(element)
			if err != nil {
				data = fmt.Append(data, " then ", err)
			}
			r.content <- string(data)
		}()
	}
	for _, r := range readings {
		e := r.element
		line := fmt.Sprintf("%s/%s %s: %s", e.Role, e.Name, e.MIMEType, <-r.content)
		if e.ToolCall != nil {
			line = fmt.Sprintf("%s/%s call %s%s", e.Role, e.Name, e.ToolCall.Name, e.ToolCall.Arguments)
		}
		lines = append(lines, line)
	}
	return lines, end
}

func named(c *MessageChunk, name string) *MessageChunk { c.Name = name; return c }

func TestG49Elements(t *testing.T) {
	call := func(name string) *MessageChunk {
		return &MessageChunk{Role: RoleModel, ToolCall: &ToolCall{Name: name, Arguments: "{}"}}
	}
	for _, test := range []struct {
		name   string
		chunks []*MessageChunk
		want   []string
	}{
		{"ends of channel and route neither end nor split", []*MessageChunk{
			bos(text("1", "a")), eos(text("1", "b")), eos(control("1")), bos(control("2")), text("2", "c"), eos(control("2")), text("1", "d"),
		}, []string{"model/ text/plain: abcd"}},
		{"role, name and MIME tell elements apart", []*MessageChunk{
			text("1", "a"), user(text("1", "b")), named(text("1", "c"), "guest"), blob("1", "text/csv", 'd'), user(text("2", "e")),
		}, []string{"model/ text/plain: a", "user/ text/plain: be", "model/guest text/plain: c", "user/ text/csv: d"}},
		{"spelling does not", []*MessageChunk{
			blob("1", "Audio/OGG; codecs=opus", 'a'), blob("1", `audio/ogg;codecs="opus"`, 'b'), blob("1", "audio/ogg", 'c'),
		}, []string{"user/ audio/ogg;codecs=opus: ab", "user/ audio/ogg: c"}},
		{"text reads as text/plain", []*MessageChunk{
			user(text("1", "a")), blob("1", "text/plain; charset=UTF-8", 'b'),
		}, []string{"user/ text/plain: ab"}},
		{"tool calls are elements of their own", []*MessageChunk{
			text("1", "a"), call("lamp"), text("1", "b"), call("lamp"),
		}, []string{"model/ text/plain: ab", "model/ call lamp{}", "model/ call lamp{}"}},
		{"content and tool call on one chunk", []*MessageChunk{
			{Role: RoleModel, Part: Text("a"), ToolCall: &ToolCall{Name: "lamp", Arguments: "{}"}},
		}, []string{"model/ text/plain: a", "model/ call lamp{}"}},
		{"an announced channel", []*MessageChunk{bos(blob("1", "audio/opus")), text("1", "a")},
			[]string{"user/ audio/opus: ", "model/ text/plain: a"}},
		{"G50: nothing but control", []*MessageChunk{bos(control("1")), {}, eos(control("1"))}, nil},
		{"G50: control between", []*MessageChunk{bos(control("1")), text("1", "a"), eos(control("1")), text("1", "b")},
			[]string{"model/ text/plain: ab"}},
		{"gaps and nothings have no bytes", []*MessageChunk{
			{Part: &Gap{MIMEType: "audio/opus", Duration: 1}}, text("1", ""), {Part: (*Blob)(nil)}, {Part: (*Gap)(nil), Ctrl: &StreamCtrl{BeginOfStream: true}}, text("1", "a"),
		}, []string{"model/ text/plain: a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, end := gathered(t, script(io.EOF, test.chunks...))
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") || end != io.EOF {
				t.Errorf("elements:\n%s\n%v\nwant:\n%s\nEOF", strings.Join(got, "\n"), end, strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestG49AStateEndsReadersWithEOF(t *testing.T) {
	state := &State{Status: StatusTruncated}
	got, end := gathered(t, script(state, text("1", "a")))
	if fmt.Sprint(got) != "[model/ text/plain: a]" || end != state {
		t.Errorf("elements = %q, %v, want the text to its end, and the State from Next", got, end)
	}
}

// Content is there as it comes, not at the end.
func TestIterDeliversAsItComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		it := Iter(script(nil, text("1", "hello")))
		element, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 3)
		for _, want := range []string{"hel", "lo"} {
			if n, err := element.Read(p); err != nil || string(p[:n]) != want {
				t.Fatalf("Read = %q, %v, want %q while the stream is live", p[:n], err, want)
			}
		}
		if n, err := element.Read(nil); n != 0 || err != nil {
			t.Errorf("Read into nothing = %d, %v, want 0, nil without waiting", n, err)
		}
		_ = it.Close()
	})
}

// A failure of the stream is known to every reader when Next reports it.
func TestG50ErrorReachesReadersThenNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failure := errors.New("provider went away")
		in := NewStreamBuilder(0)
		it := Iter(in.Stream())
		defer it.Close()
		_ = in.Add(t.Context(), text("1", "a"), blob("1", "audio/opus", 'b'), user(text("1", "c")))
		var elements []*StreamElement
		for range 2 {
			element, err := it.Next()
			if err != nil {
				t.Fatal(err)
			}
			elements = append(elements, element)
		}
		in.Abort(failure)
		third, err := it.Next()
		if err != nil {
			t.Fatalf("Next = %v, want the element that came before the failure", err)
		}
		if _, err := it.Next(); err != failure {
			t.Fatalf("Next = %v, want the failure", err)
		}
		for i, element := range append(elements, third) {
			data, err := io.ReadAll(element)
			if string(data) != string(rune('a'+i)) || err != failure {
				t.Errorf("reader %d = %q, %v, want its content and the failure", i, data, err)
			}
		}
		if _, err := it.Next(); err != failure {
			t.Errorf("Next again = %v, want the same failure", err)
		}
	})
}

func TestG51SlowReaderBlocksThePull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := script(io.EOF, numbered("1", 500)...)
		var want strings.Builder
		for _, c := range in.chunks {
			want.WriteString(string(c.Part.(Text)))
		}
		it := Iter(in)
		element, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := in.delivered(); n > DefaultCapacity+1 {
			t.Errorf("%d chunks were pulled although nobody reads, want at most %d", n, DefaultCapacity+1)
		}
		got, err := io.ReadAll(element)
		if string(got) != want.String() || err != nil {
			t.Errorf("read %d bytes, %v, want all %d: waiting must lose nothing", len(got), err, want.Len())
		}
		_ = it.Close()
	})
}

func TestG51UntakenElementsBlockThePull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var chunks []*MessageChunk
		for i := range 100 {
			chunks = append(chunks, &MessageChunk{ToolCall: &ToolCall{ID: fmt.Sprint(i)}})
		}
		in := script(io.EOF, chunks...)
		it := Iter(in)
		synctest.Wait()
		if n := in.delivered(); n > DefaultCapacity+1 {
			t.Errorf("%d elements were made although nobody takes them, want at most %d", n, DefaultCapacity+1)
		}
		for i := range 100 {
			if element, err := it.Next(); err != nil || element.ToolCall.ID != fmt.Sprint(i) {
				t.Fatalf("element %d = %v, %v", i, element, err)
			}
		}
		if _, err := it.Next(); err != io.EOF {
			t.Errorf("Next = %v, want io.EOF", err)
		}
	})
}

func TestIterClosedElementHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chunks := []*MessageChunk{user(text("1", "unwanted")), text("1", "a")}
		for range 200 {
			chunks = append(chunks, user(text("1", "unwanted")))
		}
		it := Iter(script(io.EOF, append(chunks, text("1", "b"))...))
		defer it.Close()
		unwanted, _ := it.Next()
		wanted, _ := it.Next()
		blocked := make(chan error, 1)
		go func() { _, err := io.Copy(io.Discard, wanted); blocked <- err }()
		synctest.Wait()
		if len(blocked) != 0 {
			t.Fatal("the stream was read to its end although an element is full")
		}
		_, _ = unwanted.Close(), unwanted.Close()
		if err := <-blocked; err != nil {
			t.Errorf("the other element ended with %v", err)
		}
		if _, err := unwanted.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Read after Close = %v, want io.ErrClosedPipe", err)
		}
	})
}

func TestIterClose(t *testing.T) {
	cause := errors.New("barge-in")
	for _, test := range []struct {
		name       string
		close      func(*Iterator) error
		next, read error
		told       error
	}{
		{"Close", (*Iterator).Close, io.EOF, ErrAborted, nil},
		{"CloseWithError", func(it *Iterator) error { return it.CloseWithError(cause) }, cause, cause, cause},
	} {
		for name, chunks := range map[string][]*MessageChunk{
			"reader and Next wait":  {text("1", "a")},
			"pull waits for reader": numbered("1", 200),
		} {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					in := script(nil, chunks...)
					it := Iter(in)
					element, _ := it.Next()
					next, read := make(chan error, 1), make(chan error, 1)
					go func() { _, err := it.Next(); next <- err }()
					if len(chunks) == 1 {
						go func() { _, err := io.ReadAll(element); read <- err }()
					}
					synctest.Wait()
					if err := test.close(it); err != nil {
						t.Fatal(err)
					}
					if len(chunks) > 1 {
						_, err := io.ReadAll(element)
						read <- err
					}
					if err := <-next; err != test.next {
						t.Errorf("the blocked Next = %v, want %v", err, test.next)
					}
					if err := <-read; !errors.Is(err, test.read) {
						t.Errorf("the reader ended with %v, want %v: its content is not complete", err, test.read)
					}
					if closes, got := in.told(); closes == 0 || got != test.told {
						t.Errorf("stream closed %d times with %v, want %v", closes, got, test.told)
					}
					_ = it.CloseWithError(errors.New("too late"))
					if _, err := it.Next(); err != test.next {
						t.Errorf("Next after a second close = %v, want %v", err, test.next)
					}
				})
			})
		}
	}
}

// The usual "defer it.Close()" must not take from readers what they have yet to
// read of a stream that has ended.
func TestIterCloseAfterTheEndKeepsContent(t *testing.T) {
	it := Iter(script(io.EOF, text("1", "a"), text("1", "b")))
	element, err := it.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := it.Next(); err != io.EOF {
		t.Fatal(err)
	}
	_ = it.Close()
	if got, err := io.ReadAll(element); string(got) != "ab" || err != nil {
		t.Errorf("read %q, %v, want ab", got, err)
	}
}
