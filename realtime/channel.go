package realtime

import (
	"maps"
	"mime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
)

const (
	// TextChannel is the MIME channel of Text parts.
	TextChannel = "text/plain"
	// ToolChannel is the channel of tool calls: they have no MIME type but a
	// lifecycle of their own beside the text and audio of their route.
	ToolChannel = "tool/call"
)

// ControlOnly reports whether the chunk carries no content. Its boundaries
// then speak of the whole route.
func (c *MessageChunk) ControlOnly() bool { return c == nil || (c.Part == nil && c.ToolCall == nil) }

// Channel returns the key of the MIME channel that the chunk belongs to within
// its route: CanonicalMIME of its Part, ToolChannel for a tool call without a
// Part, "" for a control-only chunk. Labels, roles and names play no part.
func (c *MessageChunk) Channel() string { return channelOf(c, CanonicalMIME) }

func channelOf(c *MessageChunk, canonical func(string) string) string {
	if c == nil {
		return ""
	}
	if c.Part == nil && c.ToolCall != nil {
		return ToolChannel
	}
	if _, isText := c.Part.(Text); isText {
		return TextChannel
	}
	if mimeType, ok := mimeTypeOf(c.Part); ok {
		return canonical(mimeType)
	}
	return ""
}

// ChannelKey returns the key of part's MIME channel: TextChannel for Text,
// CanonicalMIME of the type for a Blob or Gap, "" for nil.
func ChannelKey(part Part) string { return channelOf(&MessageChunk{Part: part}, CanonicalMIME) }

func mimeTypeOf(part Part) (mimeType string, ok bool) {
	switch p := part.(type) {
	case *Blob:
		if p != nil {
			return p.MIMEType, true
		}
	case *Gap:
		if p != nil {
			return p.MIMEType, true
		}
	}
	return "", false
}

// CanonicalMIME returns the canonical spelling of a MIME type, which serves as
// key of a MIME channel; the chunk itself keeps what its producer wrote.
//
//   - Type, subtype and parameter names are lower case, parameters sorted by
//     name, without spaces: "Audio/OGG; rate=8000; codecs=opus" and
//     "audio/ogg;codecs=opus;rate=8000" are one channel. Values keep their case
//     and are quoted only where they must be.
//   - Parameters are meaningful: "audio/pcm;rate=16000" is not "audio/pcm".
//     The one exception is a UTF-8 charset on text/plain, which is what Text
//     is anyway.
//   - What does not parse, or holds control characters, becomes its trimmed
//     lower-case self.
//
// A string that is canonical already is returned without allocating. For
// others that repeat, see KeyCache.
func CanonicalMIME(mimeType string) string {
	if isCanonical(mimeType) {
		return mimeType
	}
	base, params, err := mime.ParseMediaType(mimeType)
	if err != nil {
		return plainMIME(mimeType)
	}
	if base == TextChannel && isUTF8(params["charset"]) {
		delete(params, "charset")
	}
	var key strings.Builder
	key.WriteString(base)
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if name == "" || tokenEnd(name, true) != len(name) || strings.ContainsFunc(params[name], unicode.IsControl) {
			return plainMIME(mimeType) // there is no way to write that
		}
		key.WriteByte(';')
		key.WriteString(name)
		key.WriteByte('=')
		writeValue(&key, params[name])
	}
	return key.String()
}

// plainMIME is the key of what cannot be written in the canonical way: its trimmed
// lower-case self, unless that can.
func plainMIME(mimeType string) string {
	plain := strings.ToLower(strings.TrimSpace(mimeType))
	if plain == mimeType {
		return plain
	}
	return CanonicalMIME(plain)
}

func isUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}

// writeValue writes a parameter value bare if it is a token, else quoted.
func writeValue(key *strings.Builder, value string) {
	if value != "" && tokenEnd(value, false) == len(value) {
		key.WriteString(value)
		return
	}
	key.WriteByte('"')
	for i := range len(value) {
		if value[i] == '"' || value[i] == '\\' {
			key.WriteByte('\\')
		}
		key.WriteByte(value[i])
	}
	key.WriteByte('"')
}

// isCanonical recognises, without allocating, what CanonicalMIME would return
// unchanged: lower-case type/subtype and bare parameters in ascending order.
// It may say no to a canonical string (a quoted value), never yes to another.
func isCanonical(s string) bool {
	base := tokenEnd(s, true)
	if base == 0 || base == len(s) || s[base] != '/' {
		return false
	}
	end := base + 1 + tokenEnd(s[base+1:], true)
	if end == base+1 {
		return false
	}
	isText, previous := s[:end] == TextChannel, ""
	for end < len(s) {
		if s[end] != ';' {
			return false
		}
		name := end + 1
		equals := name + tokenEnd(s[name:], true)
		if equals == name || equals == len(s) || s[equals] != '=' || s[name:equals] <= previous {
			return false
		}
		previous = s[name:equals]
		if strings.Contains(previous, "*") || (isText && previous == "charset") {
			return false // encoded or meaningless: the parser knows
		}
		end = equals + 1 + tokenEnd(s[equals+1:], false)
		if end == equals+1 {
			return false
		}
	}
	return true
}

// tokenEnd returns the length of the MIME token (RFC 2045, section 5.1) that s
// starts with; lower excludes capitals from it.
func tokenEnd(s string, lower bool) int {
	for i := range len(s) {
		c := s[i]
		if c >= 0x80 || tokenBytes[c/64]>>(c%64)&1 == 0 || (lower && 'A' <= c && c <= 'Z') {
			return i
		}
	}
	return len(s)
}

// tokenBytes is the set of bytes that a token may hold: printable ASCII without
// space and without ()<>@,;:\"/[]?= (bit c%64 of word c/64).
var tokenBytes = [2]uint64{0x03ff6cfa_00000000, 0x7fffffff_c7fffffe}

// keyCacheSize bounds a KeyCache. A session sees a handful of spellings.
const keyCacheSize = 64

// KeyCache remembers the canonical spelling of MIME types, so that repeating
// one costs no allocation however it is spelled. It keeps the first 64 of them
// and computes the rest anew each time. The zero value is ready; it may be used
// concurrently.
type KeyCache struct {
	mu   sync.Mutex // serialises writers
	keys atomic.Pointer[map[string]string]
}

// Canonical is CanonicalMIME.
func (k *KeyCache) Canonical(mimeType string) string {
	if isCanonical(mimeType) {
		return mimeType
	}
	known := k.keys.Load()
	if known != nil {
		if key, ok := (*known)[mimeType]; ok {
			return key
		}
	}
	key := CanonicalMIME(mimeType)
	if known == nil || len(*known) < keyCacheSize {
		k.remember(mimeType, key)
	}
	return key
}

// Channel is chunk.Channel().
func (k *KeyCache) Channel(chunk *MessageChunk) string { return channelOf(chunk, k.Canonical) }

// remember copies on write: readers never lock.
func (k *KeyCache) remember(mimeType, key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := map[string]string{}
	if known := k.keys.Load(); known != nil {
		if len(*known) >= keyCacheSize {
			return
		}
		next = maps.Clone(*known)
	}
	next[strings.Clone(mimeType)] = key
	k.keys.Store(&next)
}
