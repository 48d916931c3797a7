package realtime

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestChannelKeys(t *testing.T) {
	blobKey := func(mimeType string) string { return ChannelKey(&Blob{MIMEType: mimeType}) }
	for _, test := range []struct {
		name string
		a, b string
		same bool
	}{
		{"G20 case folds", "Audio/Opus", "audio/opus", true},
		{"G21 parameter order does not matter", "audio/ogg;a=1;codecs=opus", "audio/ogg;codecs=opus;a=1", true},
		{"G22 spaces do not matter", "audio/ogg ; codecs=opus", "audio/ogg;codecs=opus", true},
		{"G22 nor around the whole", "  audio/opus ", "audio/opus", true},
		{"G23 a parameter matters", "audio/ogg;codecs=opus", "audio/ogg", false},
		{"G23 its value matters", "audio/ogg;codecs=opus", "audio/ogg;codecs=vorbis", false},
		{"G23 the rate matters", "audio/pcm;rate=16000", "audio/pcm;rate=24000", false},
		{"G24 quotes do not matter", `audio/ogg;codecs="opus"`, "audio/ogg;codecs=opus", true},
		{"G24 parameter names fold", "audio/ogg;CODECS=opus", "audio/ogg;codecs=opus", true},
		{"G24 parameter values do not fold", "audio/ogg;codecs=OPUS", "audio/ogg;codecs=opus", false},
		{"G25 utf-8 text is text", "text/plain;charset=utf-8", "text/plain", true},
		{"G25 in any spelling", `Text/Plain; Charset="UTF-8"`, "text/plain", true},
		{"G25 another charset is not", "text/plain;charset=iso-8859-1", "text/plain", false},
		{"G25 other parameters of text stay", "text/plain;charset=utf-8;format=flowed", "text/plain", false},
		{"G26 an unparsable type has a key", "Audio//OPUS;;=", " audio//opus;;= ", true},
		{"G26 and is a channel of its own", "???", "audio/opus", false},
		{"G26 the empty type is one channel", "", "  ", true},
		{"G27 an end spelled differently ends the channel", "AUDIO/OPUS", "audio/opus", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if a, b := blobKey(test.a), blobKey(test.b); (a == b) != test.same {
				t.Errorf("keys of %q and %q = %q and %q, want same = %v", test.a, test.b, a, b, test.same)
			}
		})
	}
}

func TestChannelOfParts(t *testing.T) {
	for _, test := range []struct {
		name  string
		chunk *MessageChunk
		want  string
	}{
		{"G18 Text", &MessageChunk{Part: Text("hi")}, "text/plain"},
		{"G18 empty Text", &MessageChunk{Part: Text("")}, "text/plain"},
		{"G19 Blob", &MessageChunk{Part: &Blob{MIMEType: "AUDIO/pcm; Rate=16000"}}, "audio/pcm;rate=16000"},
		{"G19 Gap is of its Blob's channel", &MessageChunk{Part: &Gap{MIMEType: "audio/pcm;rate=16000"}}, "audio/pcm;rate=16000"},
		{"G25 Blob of text", &MessageChunk{Part: &Blob{MIMEType: "text/plain;charset=UTF-8"}}, "text/plain"},
		{"G13 tool call", &MessageChunk{ToolCall: &ToolCall{Name: "clock"}}, ToolChannel},
		{"control-only", &MessageChunk{Ctrl: &StreamCtrl{EndOfStream: true}}, ""},
		{"G26 nil Blob", &MessageChunk{Part: (*Blob)(nil)}, ""},
		{"G26 nil Gap", &MessageChunk{Part: (*Gap)(nil)}, ""},
		{"G26 nil chunk", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.chunk.Channel(); got != test.want {
				t.Errorf("Channel() = %q, want %q", got, test.want)
			}
			var cache KeyCache
			if got := cache.Channel(test.chunk); got != test.want {
				t.Errorf("KeyCache.Channel() = %q, want %q", got, test.want)
			}
		})
	}
}

func TestG28ProducersSpellingIsKept(t *testing.T) {
	chunk := blob("r", "AUDIO/Opus ; x=1")
	_ = chunk.Channel()
	if got := chunk.Part.(*Blob).MIMEType; got != "AUDIO/Opus ; x=1" {
		t.Errorf("MIMEType became %q: canonicalisation is for keys only", got)
	}
}

func TestKeyCacheIsBoundedAndRight(t *testing.T) {
	var cache KeyCache
	var asking sync.WaitGroup
	for g := range 4 {
		asking.Go(func() {
			for i := range 3 * keyCacheSize {
				mimeType := fmt.Sprintf("Audio/PCM; rate=%d", i)
				if got, want := cache.Canonical(mimeType), fmt.Sprintf("audio/pcm;rate=%d", i); got != want {
					t.Errorf("goroutine %d: key of %q = %q, want %q", g, mimeType, got, want)
				}
			}
		})
	}
	asking.Wait()
	if n := len(*cache.keys.Load()); n != keyCacheSize {
		t.Errorf("cache holds %d keys, want it filled and bounded to %d: a peer chooses these strings", n, keyCacheSize)
	}
}

func TestTokenBytes(t *testing.T) {
	for c := range 256 {
		want := c > ' ' && c < 0x7f && !strings.ContainsRune(`()<>@,;:\"/[]?=`, rune(c))
		if got := tokenEnd(string([]byte{byte(c)}), false) == 1; got != want {
			t.Errorf("byte %q is a token byte: %v, want %v by RFC 2045", rune(c), got, want)
		}
	}
}

func FuzzCanonicalMIME(f *testing.F) {
	for _, seed := range []string{
		"audio/pcm;rate=16000", "Audio/OGG ; b=\"x;y\"; a=1", "text/plain;charset=utf-8", "", ";", "a/b;c*0=x;c*1=y",
		"a/b;c*=utf-8''%e2%82%ac", `a/b;c="\""`, "a/b;x=1;x=2", "a/b;=", "a/b; q=\"\"", "a b/c", "\xff/\xfe", "a/b;*=1", "0;*=utf-8''A00", "text/plain;charset=x", "0;0*=utf-8''%00%0AA00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key := CanonicalMIME(s)
		if again := CanonicalMIME(key); again != key {
			t.Errorf("the key of a key differs: %q -> %q -> %q", s, key, again)
		}
		if spaced := CanonicalMIME("  " + s + "\t"); spaced != key {
			t.Errorf("surrounding space makes a second channel: %q -> %q, spaced -> %q", s, key, spaced)
		}
		if base, _, ok := strings.Cut(key, ";"); ok && base != strings.ToLower(base) {
			t.Errorf("type in key %q of %q is not lower case", key, s)
		}
		var cache KeyCache
		if first, second := cache.Canonical(s), cache.Canonical(s); first != key || second != key {
			t.Errorf("cache says %q, then %q for %q, want %q", first, second, s, key)
		}
	})
}
