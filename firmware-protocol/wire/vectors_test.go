package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const vectors = "../vectors"

var results = map[string]error{
	"accept": nil, "truncated": ErrTruncated, "version": ErrVersion, "unknown_type": ErrUnknownType,
	"unknown_message": ErrUnknownMessage, "direction": ErrDirection, "too_large": ErrTooLarge, "malformed": ErrMalformed,
}

type frameVector struct {
	Result    string `json:"result"`
	Canonical bool   `json:"canonical"`
	Frame     *struct {
		HeaderLen  int    `json:"header_len"`
		Type       uint8  `json:"type"`
		BOS        bool   `json:"bos"`
		EOS        bool   `json:"eos"`
		Gap        bool   `json:"gap"`
		Track      uint8  `json:"track"`
		Seq        uint32 `json:"seq"`
		Timestamp  uint32 `json:"timestamp"`
		GapSamples uint32 `json:"gap_samples"`
		Extensions []struct {
			ID    uint8  `json:"id"`
			Value string `json:"value"`
		} `json:"extensions"`
		Payload string `json:"payload"`
	} `json:"frame"`
}

func (v frameVector) frame(t *testing.T) Frame {
	if v.Frame == nil {
		return Frame{}
	}
	x := v.Frame
	f := Frame{Type: FrameType(x.Type), Track: x.Track, Seq: x.Seq, Timestamp: x.Timestamp, Gap: x.GapSamples, Payload: bytesOf(t, x.Payload)}
	for flag, on := range map[Flags]bool{FlagBOS: x.BOS, FlagEOS: x.EOS, FlagGap: x.Gap} {
		if on {
			f.Flags |= flag
		}
	}
	for _, e := range x.Extensions {
		f.Extensions = append(f.Extensions, e.ID, byte(len(e.Value)/2))
		f.Extensions = append(f.Extensions, bytesOf(t, e.Value)...)
	}
	return f
}

// Each frame vector decodes to its stated values and encodes to its bytes, or
// is refused with its stated reason.
func TestFrameVectors(t *testing.T) {
	seen := map[string]int{}
	for _, path := range glob(t, "frames/*.bin") {
		name := strings.TrimSuffix(filepath.Base(path), ".bin")
		t.Run(name, func(t *testing.T) {
			raw := read(t, path)
			var v frameVector
			expect(t, strings.TrimSuffix(path, ".bin")+".json", &v)
			seen[v.Result]++
			want, sentinel := v.frame(t), results[v.Result]
			got, err := ParseFrame(raw)
			if !errors.Is(err, sentinel) || !equalFrames(got, want) {
				t.Fatalf("ParseFrame = %+v, %v; want %+v, %v", got, err, want, sentinel)
			}
			if v.Frame != nil && v.Frame.HeaderLen != HeaderLen+len(got.Extensions) {
				t.Errorf("header of %d bytes, want %d", HeaderLen+len(got.Extensions), v.Frame.HeaderLen)
			}
			if !v.Canonical {
				return
			}
			if out, err := AppendFrame(nil, want); err != nil || !bytes.Equal(out, raw) {
				t.Errorf("AppendFrame = %s, %v; want %s", hex.EncodeToString(out), err, hex.EncodeToString(raw))
			}
		})
	}
	requireAll(t, seen, "accept", "truncated", "version", "unknown_type", "too_large", "malformed")
}

type messageVector struct {
	From      string `json:"from"`
	Result    string `json:"result"`
	Canonical bool   `json:"canonical"`
	SameAs    string `json:"same_as"`
	Member    string `json:"member"`
}

func (v messageVector) direction() Direction {
	if v.From == "server" {
		return FromServer
	}
	return FromDevice
}

// Each message vector decodes and encodes to its own text, or means the same as
// another vector, or is refused with its stated reason and member.
func TestMessageVectors(t *testing.T) {
	seen, kinds := map[string]int{}, map[string]int{}
	for _, path := range glob(t, "messages/*.expect.json") {
		name := strings.TrimSuffix(filepath.Base(path), ".expect.json")
		t.Run(name, func(t *testing.T) {
			var v messageVector
			expect(t, path, &v)
			seen[v.Result]++
			raw := read(t, strings.TrimSuffix(path, ".expect.json")+".json")
			got, err := DecodeMessage(v.direction(), raw)
			if sentinel := results[v.Result]; !errors.Is(err, sentinel) {
				t.Fatalf("DecodeMessage: %v, want %v", err, sentinel)
			}
			if err != nil {
				if fault := (*Error)(nil); !errors.As(err, &fault) || fault.Field != v.Member {
					t.Errorf("%v does not blame member %q", err, v.Member)
				}
				return
			}
			kinds[string(got.Kind())]++
			if v.SameAs != "" {
				same, err := DecodeMessage(v.direction(), read(t, filepath.Join(vectors, "messages", v.SameAs+".json")))
				if err != nil || !reflect.DeepEqual(got, same) {
					t.Errorf("decodes to %+v, want the meaning of %s: %+v (%v)", got, v.SameAs, same, err)
				}
			}
			if !v.Canonical {
				return
			}
			if out, err := AppendMessage(nil, got); err != nil || !bytes.Equal(out, raw) {
				t.Errorf("AppendMessage = %s, %v; want %s", out, err, raw)
			}
		})
	}
	requireAll(t, seen, "accept", "unknown_message", "direction", "too_large", "malformed")
	requireAll(t, kinds, "hello", "listen", "speech", "transcript", "reply_begin", "reply_text", "reply_end", "flush", "played",
		"abort", "tool_call", "tool_result", "timing", "error", "ping", "pong", "bye")
}

func requireAll(t *testing.T, seen map[string]int, names ...string) {
	t.Helper()
	for _, name := range names {
		if seen[name] == 0 {
			t.Errorf("no vector for %q", name)
		}
	}
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(vectors, filepath.FromSlash(pattern)))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors match %s (%v): run make vectors", pattern, err)
	}
	return paths
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// expect reads the statement beside a vector; "about" in it is for people.
func expect(t *testing.T, path string, v any) {
	t.Helper()
	var about struct {
		About string `json:"about"`
	}
	raw := read(t, path)
	if err := json.Unmarshal(raw, &about); err != nil || about.About == "" {
		t.Fatalf("%s says nothing about itself (%v)", path, err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	result := reflect.ValueOf(v).Elem().FieldByName("Result").String()
	if _, ok := results[result]; !ok {
		t.Fatalf("%s states the unknown result %q", path, result)
	}
}
