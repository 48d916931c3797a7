package admin

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// query is what a tail was asked for.
type query struct {
	from                     From
	follow                   bool
	devices, sessions, names []string
}

const (
	// maxPatterns and maxPattern bound the patterns of a tail, and the length
	// of each in bytes: every line is compared with all.
	maxPatterns = 32
	maxPattern  = 200
)

// parseQuery reads the parameters of GET events. The error is a sentence for the
// client.
func parseQuery(r *http.Request) (query, error) {
	q := query{follow: true}
	values := r.URL.Query()
	if err := onlyKnown(values, "device", "session", "event", "since", "after", "follow"); err != nil {
		return q, err
	}
	for name, into := range map[string]*[]string{"device": &q.devices, "session": &q.sessions, "event": &q.names} {
		for _, list := range values[name] {
			for pattern := range strings.SplitSeq(list, ",") {
				if pattern = strings.TrimSpace(pattern); pattern != "" {
					*into = append(*into, pattern)
				}
				if len(pattern) > maxPattern || len(*into) > maxPatterns {
					return q, fmt.Errorf("%s is too long: at most %d patterns of %d bytes", name, maxPatterns, maxPattern)
				}
			}
		}
	}
	var err error
	if since := values.Get("since"); since != "" {
		if q.from.Since, err = parseSince(since, time.Now()); err != nil {
			return q, err
		}
	}
	q.from.After = values.Get("after")
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		q.from.After = last
	}
	if follow := values.Get("follow"); follow != "" {
		if q.follow, err = strconv.ParseBool(follow); err != nil {
			return q, fmt.Errorf("follow is %.40q; allowed: true, false", follow)
		}
	}
	return q, nil
}

// onlyKnown refuses parameters that nobody looks at.
func onlyKnown(values url.Values, known ...string) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(known, name) {
			continue
		}
		if len(known) == 0 {
			return fmt.Errorf("there is no parameter %.40q; allowed: none", name)
		}
		return fmt.Errorf("there is no parameter %.40q; allowed: %s", name, strings.Join(known, ", "))
	}
	return nil
}

// parseSince reads a duration back from now, or a time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if back, err := time.ParseDuration(text); err == nil && back >= 0 {
		return now.Add(-back), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	return time.Time{}, fmt.Errorf("since is %.40q; allowed: a duration such as 10m, or a time such as 2026-01-31T12:00:00Z", text)
}

// wants reports whether the line was asked for.
func (q *query) wants(l Line) bool {
	if l.Gap {
		return true
	}
	return matches(q.devices, l.Device) && matches(q.sessions, l.Session) &&
		(matches(q.names, l.Event) || slices.ContainsFunc(q.names, func(family string) bool {
			return strings.HasPrefix(l.Event, family+".")
		}))
}

// matches reports whether one of the patterns fits; no patterns fit anything.
func matches(patterns []string, value string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return fits(p, value) })
}

// fits reports whether the value is the pattern, in which a * stands for any
// text. It takes time in proportion to the product of the lengths at worst.
func fits(pattern, value string) bool {
	literal, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == value
	}
	value, ok := strings.CutPrefix(value, literal)
	if !ok {
		return false
	}
	for {
		literal, after, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(value, literal)
		}
		at := strings.Index(value, literal)
		if at < 0 {
			return false
		}
		value, rest = value[at+len(literal):], after
	}
}
