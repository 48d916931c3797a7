package loader

import (
	"fmt"
	"strconv"
	"strings"
)

// path is the way to a key from the top of the configuration.
type path []string

// to returns the path of a key below.
func (p path) to(key string) path { return append(p[:len(p):len(p)], key) }

// entry returns the path of an entry of the list at p.
func (p path) entry(i int) path {
	return append(p[:len(p)-1:len(p)-1], fmt.Sprintf("%s[%d]", p[len(p)-1], i))
}

// String joins the keys with dots. A name that has a dot in it, or is hard to see,
// stands in quotes: devices."a.b".token.
func (p path) String() string {
	var b strings.Builder
	for i, key := range p {
		if i > 0 {
			b.WriteByte('.')
		}
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r == '.' || r == '"' || r <= ' ' }) {
			key = strconv.Quote(key)
		}
		b.WriteString(key)
	}
	return b.String()
}

// parsePath reads what String writes.
func parsePath(s string) (path, error) {
	var p path
	for {
		if quoted, err := strconv.QuotedPrefix(s); err == nil && strings.HasPrefix(s, `"`) {
			key, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			p, s = append(p, key), s[len(quoted):]
			if s != "" && s[0] != '.' {
				return nil, fmt.Errorf("%q stands where a dot belongs", s)
			}
		} else {
			end := strings.IndexByte(s, '.')
			if end < 0 {
				end = len(s)
			}
			if s[:end] == "" {
				return nil, fmt.Errorf("a key is empty")
			}
			p, s = append(p, s[:end]), s[end:]
		}
		if s == "" {
			return p, nil
		}
		s = s[1:]
	}
}
