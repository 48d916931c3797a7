package tts

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxThought is how long, in bytes, a text behind <think> may go on without an
// end until it is taken for a thought anyway. It bounds what is held back.
const maxThought = 64 << 10

var (
	thinkBegin = regexp.MustCompile(`(?i)<think(?:ing)?>`)
	thinkEnd   = regexp.MustCompile(`(?i)</think(?:ing)?>`)
	// A fence has a line to itself; a line that holds ``` twice is no fence.
	fenceLine = regexp.MustCompile("^ {0,3}(`{3,10}|~{3,10})[^\n`]{0,60}(?:\n|$)")
	// fencePart is what may yet become a fence.
	fencePart = regexp.MustCompile("^ {0,3}(?:`{0,2}|~{0,2}|`{3,10}[^\n`]{0,60}|~{3,10}[^\n`]{0,60})$")
)

const (
	longestTag  = len("</thinking>")
	longestLine = 128 // a fence, with room
)

// findThought looks whether pending begins with a thought, or goes on with one.
// held tells that this is not known yet.
func (s *Segmenter) findThought(closing bool) (held bool) {
	begin := 0
	if !s.thinking {
		if !closing && thinkPrefix(s.pending) {
			return true
		}
		if s.pending[0] != '<' {
			return false
		}
		m := thinkBegin.FindStringIndex(s.pending[:min(len(s.pending), longestTag)])
		if m == nil || m[0] != 0 {
			return false
		}
		begin = m[1]
	}
	window := s.pending[:min(len(s.pending), maxThought+longestTag)]
	m := thinkEnd.FindStringIndex(window[begin:])
	switch {
	case m != nil:
		s.thought, s.thinking = begin+m[1], false
	case len(window) == maxThought+longestTag: // too long to be anything else
		s.thought, s.thinking = maxThought, true
		for !utf8.RuneStart(window[s.thought]) && s.thought > maxThought-utf8.UTFMax {
			s.thought--
		}
	case closing && s.thinking:
		s.thought = len(s.pending)
	case closing: // never closed: text like any other
		return false
	default:
		return true
	}
	return false
}

// proseOnly returns what of pending is neither a thought nor code, nor may become
// it, and whether it ends there.
func (s *Segmenter) proseOnly(closing bool) (text string, ends bool) {
	// What lies behind the longest segment is looked at when it is cut off.
	window := s.pending[:min(len(s.pending), (MaxSegment+1)*utf8.UTFMax+longestLine)]
	whole := len(window) == len(s.pending)
	ends = closing && whole
	if at := thoughtAt(window); at > 0 {
		window, whole, ends = window[:at], true, true
	} else if at := strings.LastIndexByte(window, '<'); at > 0 && !ends && thinkPrefix(window[at:]) {
		window, ends = window[:at], false
	}
	for at := strings.IndexByte(window, '\n') + 1; at > 0 && at < len(window); {
		mark, known := fenceMark(window[at:], ends)
		if !known && whole && !ends {
			return window[:at], false
		}
		if mark != "" {
			return window[:at], true
		}
		next := strings.IndexByte(window[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return window, ends
}

// thoughtAt returns where the first tag that begins a thought stands in text,
// behind its first byte; 0 if there is none.
func thoughtAt(text string) int {
	for at := 1; at < len(text); at++ {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			return 0
		}
		at += next
		if m := thinkBegin.FindStringIndex(text[at:min(len(text), at+longestTag)]); m != nil && m[0] == 0 {
			return at
		}
	}
	return 0
}

func thinkPrefix(tail string) bool {
	if tail == "" || tail[0] != '<' || len(tail) > longestTag {
		return false
	}
	tail = strings.ToLower(tail)
	return strings.HasPrefix("<thinking>", tail) || strings.HasPrefix("<think>", tail)
}

// fenceMark returns the mark of the fence that a line begins with, "" if it is
// none.
func fenceMark(line string, closing bool) (mark string, known bool) {
	m := fenceLine.FindStringSubmatch(line)
	switch {
	case m != nil && (closing || strings.HasSuffix(m[0], "\n")):
		return m[1], true
	case !closing && fencePart.MatchString(line):
		return "", false
	}
	return "", true
}

// codeLine returns the length of the next line of code. The block ends with a
// line of its mark alone.
func (s *Segmenter) codeLine(closing bool) int {
	line, _, whole := strings.Cut(s.pending, "\n")
	n := len(line)
	if whole {
		n++
	}
	count := 0
	for i := range s.pending[:n] {
		if count == MaxSegment {
			return cutLong(s.pending[:i], s.pending[i:])
		}
		count++
	}
	if !whole && !closing {
		return 0
	}
	mark := strings.TrimSpace(line)
	if !s.midLine && s.opened && len(mark) >= len(s.fence) && strings.Trim(mark, s.fence[:1]) == "" {
		s.fence = ""
	}
	s.opened = s.fence != ""
	return n
}
