package rules

import (
	"fmt"
	"math/big"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// How numbers and times are worded: in digits, which read well in a transcript
// and are read out well by speech synthesis, except that small whole numbers in
// running text are words.

var smallWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")

// inWords returns a whole number up to twelve as a word, any other as digits.
func inWords(n int) string {
	if n >= 0 && n < len(smallWords) {
		return smallWords[n]
	}
	return digits(new(big.Rat).SetInt64(int64(n)))
}

// amount returns a number with its noun: "one day", "3 days", "1,200 days".
func amount(n int, singular, plural string) string {
	if n == 1 {
		return "one " + singular
	}
	return inWords(n) + " " + plural
}

// maxExact is the length up to which whole numbers are read out in full.
const maxExact = 21

// digits writes r in full if it has at most six decimals and is not too long,
// else rounded.
func digits(r *big.Rat) string {
	text, _ := rounded(r, 6)
	return text
}

// rounded writes r with at most the given number of decimals and reports
// whether that is exact. Numbers below one keep three significant digits.
// Thousands are separated by commas; a sign is written as a word.
func rounded(r *big.Rat, decimals int) (text string, exact bool) {
	sign := ""
	if r.Sign() < 0 {
		sign = "minus "
		r = new(big.Rat).Neg(r)
	}
	one := big.NewRat(1, 1)
	if r.Sign() > 0 && r.Cmp(one) < 0 {
		for scaled := new(big.Rat).Set(r); scaled.Cmp(big.NewRat(1, 10)) < 0 && decimals < 12; decimals++ {
			scaled.Mul(scaled, big.NewRat(10, 1))
		}
		decimals++
	}
	text = r.FloatString(decimals)
	back, _ := new(big.Rat).SetString(text)
	exact = back.Cmp(r) == 0
	if back.Sign() == 0 && !exact {
		f, _ := r.Float64()
		return sign + scientific(f), false
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if len(whole) > maxExact {
		f, _ := r.Float64()
		return sign + scientific(f), false
	}
	fraction = strings.TrimRight(fraction, "0")
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + withCommas(whole) + fraction, exact
}

// scientific writes a number too long to read out.
func scientific(f float64) string {
	mantissa, exponent, _ := strings.Cut(fmt.Sprintf("%.2e", f), "e")
	sign := ""
	if strings.HasPrefix(exponent, "-") {
		sign = "minus "
	}
	return fmt.Sprintf("%s times 10 to the power of %s%s", mantissa, sign, strings.TrimLeft(exponent, "+-0"))
}

func withCommas(whole string) string {
	var b strings.Builder
	for i, d := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// about writes r with the given decimals, and "about" before it when that is
// not exact.
func about(r *big.Rat, decimals int) string {
	text, exact := rounded(r, decimals)
	if !exact {
		return "about " + text
	}
	return text
}

// length writes a duration in words: "five minutes", "one hour and 30 minutes".
func length(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	var parts []string
	for _, unit := range []struct {
		seconds          int
		singular, plural string
	}{{86400, "day", "days"}, {3600, "hour", "hours"}, {60, "minute", "minutes"}, {1, "second", "seconds"}} {
		if n := seconds / unit.seconds; n > 0 {
			parts = append(parts, amount(n, unit.singular, unit.plural))
			seconds -= n * unit.seconds
		}
	}
	if len(parts) == 0 {
		return "zero seconds"
	}
	return enumerate(parts)
}

// enumerate joins parts with commas and an and.
func enumerate(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// clock writes a time of day: "3:05 PM".
func clock(t time.Time) string { return t.Format("3:04 PM") }

// fullDate writes a date: "Tuesday, November 30, 2026".
func fullDate(t time.Time) string { return t.Format("Monday, January 2, 2006") }

// capitalised returns s with its first letter in upper case.
func capitalised(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}
