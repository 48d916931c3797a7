package match

import (
	"strings"
	"time"
)

// weekdayPhrases lists the days of the week: full names, the short forms of
// writing, and plurals ("on mondays").
func weekdayPhrases() []phrase {
	short := [][]string{
		{"sun"}, {"mon"}, {"tue", "tues"}, {"wed"}, {"thu", "thur", "thurs"}, {"fri"}, {"sat"},
	}
	var out []phrase
	for day := time.Sunday; day <= time.Saturday; day++ {
		name := strings.ToLower(day.String())
		out = append(out, phrase{[]string{name}, day, true}, phrase{[]string{name + "s"}, day, false},
			phrase{[]string{name + "'s"}, day, false})
		for _, s := range short[day] {
			out = append(out, phrase{[]string{s}, day, false})
		}
	}
	return out
}

// monthPhrases lists the months: full names and the short forms of writing.
func monthPhrases() []phrase {
	var out []phrase
	for month := time.January; month <= time.December; month++ {
		name := strings.ToLower(month.String())
		out = append(out, phrase{[]string{name}, month, true}, phrase{[]string{name + "'s"}, month, false})
		if short := name[:3]; short != name {
			out = append(out, phrase{[]string{short}, month, false})
		}
	}
	return append(out, phrase{[]string{"sept"}, time.September, false})
}

// ordinalWords are the ordinals that are not made of a cardinal and -th.
var ordinalWords = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
	"ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
	"fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
	"twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60, "seventieth": 70,
	"eightieth": 80, "ninetieth": 90,
}

// readOrdinal reads an ordinal from first to ninety ninth, in words or as 3rd.
// Values are int.
func readOrdinal(words []string, at int) []span {
	w := words[at]
	if n, ok := ordinalWords[w]; ok {
		return []span{{at + 1, n}}
	}
	if n, ok := tens[w]; ok {
		if unit, ok := ordinalWords[wordAt(words, at+1)]; ok && unit <= 9 {
			return []span{{at + 2, int(n) + unit}}
		}
		return nil
	}
	digits := strings.TrimRight(w, "stndrh")
	if len(digits) == len(w) || len(digits) == 0 || len(digits) > 2 {
		return nil
	}
	n := 0
	for _, d := range []byte(digits) {
		if d < '0' || d > '9' {
			return nil
		}
		n = 10*n + int(d-'0')
	}
	return []span{{at + 1, n}}
}
