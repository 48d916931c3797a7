package match

import (
	"math/big"
	"time"
)

// timeUnits maps each word for a unit of time to its length. Months and years
// are not here: their length depends on the date.
var timeUnits = map[string]time.Duration{
	"second": time.Second, "seconds": time.Second, "sec": time.Second, "secs": time.Second, "s": time.Second,
	"minute": time.Minute, "minutes": time.Minute, "min": time.Minute, "mins": time.Minute, "m": time.Minute,
	"hour": time.Hour, "hours": time.Hour, "hr": time.Hour, "hrs": time.Hour, "h": time.Hour,
	"day": 24 * time.Hour, "days": 24 * time.Hour, "week": 7 * 24 * time.Hour, "weeks": 7 * 24 * time.Hour,
}

// maxDuration is the longest duration that can be said; it is far from what
// time.Duration can hold.
const maxDuration = 100 * 365 * 24 * time.Hour

// timePart is one number with its unit.
type timePart struct {
	end   int
	value time.Duration
	unit  time.Duration
}

// readDuration reads a length of time: "ten minutes", "an hour and a half",
// "one hour twenty minutes", "half an hour", "1 h 30". Values are
// time.Duration.
func readDuration(words []string, at int) []span {
	var spans []span
	for _, p := range readTimeParts(words, at) {
		spans = appendDurations(spans, words, p)
	}
	return spans
}

// appendDurations appends the reading p and those that go on with smaller
// units.
func appendDurations(spans []span, words []string, p timePart) []span {
	spans = append(spans, span{p.end, p.value})
	next := skipAnd(words, p.end)
	for _, more := range readTimeParts(words, next) {
		if more.unit < p.unit && p.value+more.value <= maxDuration {
			spans = appendDurations(spans, words, timePart{more.end, p.value + more.value, more.unit})
		}
	}
	// "one hour thirty": the number counts the next smaller unit.
	smaller := map[time.Duration]time.Duration{time.Hour: time.Minute, time.Minute: time.Second}[p.unit]
	if smaller == 0 {
		return spans
	}
	for _, n := range readCountBelow(words, p.end, 60) {
		if _, isUnit := timeUnits[wordAt(words, n.end)]; !isUnit {
			spans = append(spans, span{n.end, p.value + time.Duration(n.value)*smaller})
		}
	}
	return spans
}

// readTimeParts reads one number with its unit of time.
func readTimeParts(words []string, at int) []timePart {
	var parts []timePart
	add := func(end int, amount *big.Rat, unit time.Duration) {
		if d, ok := scaleDuration(amount, unit); ok {
			parts = append(parts, timePart{end, d, unit})
		}
	}
	one := big.NewRat(1, 1)
	if w := wordAt(words, at); w == "a" || w == "an" {
		next := at + 1
		if w := wordAt(words, next); w == "half" || w == "quarter" { // a half hour, a quarter of an hour
			parts = append(parts, readPartOfUnit(words, next)...)
		}
		if wordAt(words, next) == "full" || wordAt(words, next) == "whole" {
			next++
		}
		if unit, ok := timeUnits[wordAt(words, next)]; ok {
			add(next+1, one, unit)
			if f, n := readFractionOfOne(words, next+1); n > 0 {
				add(next+1+n, new(big.Rat).Add(one, f), unit)
			}
		}
	}
	parts = append(parts, readPartOfUnit(words, at)...)
	for _, s := range readUnsignedAt(words, at) {
		amount := s.value.(*big.Rat)
		unit, ok := timeUnits[wordAt(words, s.end)]
		if !ok {
			continue
		}
		add(s.end+1, amount, unit)
		if f, n := readFractionOfOne(words, s.end+1); n > 0 { // two hours and a half
			add(s.end+1+n, new(big.Rat).Add(amount, f), unit)
		}
	}
	return parts
}

// readPartOfUnit reads half an hour, quarter of an hour, three quarters of an
// hour, half hour.
func readPartOfUnit(words []string, at int) []timePart {
	f, n := readFraction(words, at)
	if n == 0 && wordAt(words, at) == "quarter" {
		f, n = big.NewRat(1, 4), 1
	}
	if n == 0 {
		return nil
	}
	next := at + n
	if wordAt(words, next) == "of" {
		next++
	}
	if w := wordAt(words, next); w == "a" || w == "an" {
		next++
	}
	unit, ok := timeUnits[wordAt(words, next)]
	if !ok {
		return nil
	}
	d, ok := scaleDuration(f, unit)
	if !ok {
		return nil
	}
	return []timePart{{next + 1, d, unit}}
}

func readUnsignedAt(words []string, at int) []span {
	if at >= len(words) {
		return nil
	}
	return readUnsigned(words, at)
}

// readCountBelow reads a whole number from 1 to limit-1.
func readCountBelow(words []string, at int, limit int64) []whole {
	if at >= len(words) {
		return nil
	}
	var out []whole
	for _, s := range readCount(words, at) {
		v := s.value.(*big.Rat)
		if v.Sign() > 0 && v.Cmp(new(big.Rat).SetInt64(limit)) < 0 {
			out = append(out, whole{s.end, v.Num().Int64()})
		}
	}
	return out
}

// scaleDuration returns amount times unit cut to the nanosecond, false when
// it is longer than maxDuration.
func scaleDuration(amount *big.Rat, unit time.Duration) (time.Duration, bool) {
	ns := new(big.Rat).Mul(amount, new(big.Rat).SetInt64(int64(unit)))
	if ns.Cmp(new(big.Rat).SetInt64(int64(maxDuration))) > 0 {
		return 0, false
	}
	return time.Duration(new(big.Int).Quo(ns.Num(), ns.Denom()).Int64()), true
}
