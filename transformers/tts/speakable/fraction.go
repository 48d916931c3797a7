package speakable

import "strings"

// fractions are the characters of their own.
var fractions = map[rune][2]uint64{
	'½': {1, 2}, '⅓': {1, 3}, '⅔': {2, 3}, '¼': {1, 4}, '¾': {3, 4}, '⅕': {1, 5}, '⅖': {2, 5}, '⅗': {3, 5}, '⅘': {4, 5},
	'⅙': {1, 6}, '⅚': {5, 6}, '⅛': {1, 8}, '⅜': {3, 8}, '⅝': {5, 8}, '⅞': {7, 8},
}

func plain(n, d uint64) bool { return n > 0 && n < d && d <= 10 }

func enFraction(n, d uint64) string {
	if !plain(n, d) {
		return ""
	}
	name, plural := enOrdinal(d), "s"
	switch d {
	case 2:
		name = "half"
	case 4:
		name = "quarter"
	}
	if n == 1 {
		plural = ""
	}
	return enCardinal(n, alone) + " " + name + plural
}

func deFraction(n, d uint64) string {
	switch {
	case !plain(n, d):
		return ""
	case d == 2:
		return "ein halb"
	}
	return deCardinal(n, masculine) + " " + strings.ToUpper(deOrdinal(d)[:1]) + deOrdinal(d)[1:] + "el"
}

func esFraction(n, d uint64) string {
	if !plain(n, d) {
		return ""
	}
	name := esOrdinal(d, alone)
	switch d {
	case 2:
		name = "medio"
	case 3:
		name = "tercio"
	}
	if n > 1 {
		name += "s"
	}
	return esCardinal(n, masculine) + " " + name
}

func frFraction(n, d uint64) string {
	if !plain(n, d) {
		return ""
	}
	name := frOrdinal(d, masculine)
	switch d {
	case 2:
		name = "demi"
	case 3:
		name = "tiers"
	case 4:
		name = "quart"
	}
	if n > 1 && d != 3 {
		name += "s"
	}
	return frCardinal(n, masculine) + " " + name
}

func zhFraction(n, d uint64) string {
	if d == 0 || n >= d {
		return ""
	}
	return zhCardinal(d, alone) + "分之" + zhCardinal(n, alone)
}

func jaFraction(n, d uint64) string {
	if d == 0 || n >= d {
		return ""
	}
	return jaCardinal(d, alone) + "分の" + jaCardinal(n, alone)
}
