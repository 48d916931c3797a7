package speakable

import (
	"strings"
	"unicode"
)

var (
	enMonths = strings.Fields("January February March April May June July August September October November December")
	deMonths = strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
	esMonths = strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre")
	frMonths = strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre")
)

func enYear(n uint64) string {
	century, rest := n/100, n%100
	switch {
	case n < 1100 || n > 2099 || n >= 2000 && n < 2010:
		return enCardinal(n, alone)
	case rest == 0:
		return enCardinal(century, alone) + " hundred"
	case rest < 10:
		return enCardinal(century, alone) + " oh " + enCardinal(rest, alone)
	}
	return enCardinal(century, alone) + " " + enCardinal(rest, alone)
}

func deYear(n uint64) string {
	if n < 1100 || n > 1999 {
		return deCardinal(n, alone)
	}
	words := deCardinal(n/100, masculine) + "hundert"
	if rest := n % 100; rest > 0 {
		words += deCardinal(rest, alone)
	}
	return words
}

// hanFigures says the figures of a number one by one.
func hanFigures(n uint64) string {
	words := ""
	for ; n > 0; n /= 10 {
		words = hanDigits[n%10] + words
	}
	return words
}

func enDate(year, month, day uint64, _ string) string {
	words := enMonths[month-1] + " " + enOrdinal(day)
	if year > 0 {
		words += ", " + enYear(year)
	}
	return words
}

func deDate(year, month, day uint64, before string) string {
	words := deOrdinal(day) + deEnding(before) + " " + deMonths[month-1]
	if year > 0 {
		words += " " + deYear(year)
	}
	return words
}

func esDate(year, month, day uint64, _ string) string {
	words := esCardinal(day, alone)
	if day == 1 {
		words = "primero"
	}
	words += " de " + esMonths[month-1]
	if year > 0 {
		words += " de " + esCardinal(year, alone)
	}
	return words
}

func frDate(year, month, day uint64, _ string) string {
	words := frCardinal(day, alone)
	if day == 1 {
		words = "premier"
	}
	words += " " + frMonths[month-1]
	if year > 0 {
		words += " " + frCardinal(year, alone)
	}
	return words
}

func zhDate(year, month, day uint64, _ string) string {
	words := zhCardinal(month, alone) + "月" + zhCardinal(day, alone) + "日"
	if year > 0 {
		words = hanFigures(year) + "年" + words
	}
	return words
}

func jaDate(year, month, day uint64, _ string) string {
	words := jaCardinal(month, alone) + "月" + jaCardinal(day, alone) + "日"
	if year > 0 {
		words = jaCardinal(year, alone) + "年" + words
	}
	return words
}

func enClock(hour, minute, second uint64, half string) string {
	words := enCardinal(hour, alone)
	switch {
	case minute == 0 && half != "":
	case minute == 0 && hour > 0 && hour <= 12:
		words += " o'clock"
	case minute == 0:
		words += " hundred"
	case minute < 10:
		words += " oh " + enCardinal(minute, alone)
	default:
		words += " " + enCardinal(minute, alone)
	}
	if second > 0 {
		words += " and " + enCardinal(second, alone) + plural(second, " second", " seconds")
	}
	if half != "" {
		words += " " + strings.Join(strings.Split(half, ""), " ")
	}
	return words
}

func plural(n uint64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func deClock(hour, minute, second uint64, _ string) string {
	words := deCardinal(hour, masculine) + " Uhr"
	if minute > 0 || second > 0 {
		words += " " + deCardinal(minute, alone)
	}
	if second > 0 {
		words += " und " + deCardinal(second, feminine) + plural(second, " Sekunde", " Sekunden")
	}
	return words
}

func esClock(hour, minute, second uint64, half string) string {
	words := esCardinal(hour, feminine)
	switch {
	case minute > 0:
		words += " y " + esCardinal(minute, alone)
	case half == "" && second == 0:
		words += " en punto"
	}
	if second > 0 {
		words += " con " + esCardinal(second, masculine) + plural(second, " segundo", " segundos")
	}
	switch half {
	case "am":
		words += " de la mañana"
	case "pm":
		words += " de la tarde"
	}
	return words
}

func frClock(hour, minute, second uint64, _ string) string {
	words := frCardinal(hour, feminine) + plural(hour, " heure", " heures")
	if hour == 0 {
		words = "zéro heure"
	}
	if minute > 0 {
		words += " " + frCardinal(minute, feminine)
	}
	if second > 0 {
		words += " et " + frCardinal(second, feminine) + plural(second, " seconde", " secondes")
	}
	return words
}

func zhClock(hour, minute, second uint64, half string) string {
	words := map[string]string{"am": "上午", "pm": "下午"}[half] + zhCardinal(hour, masculine) + "点"
	switch {
	case minute >= 10:
		words += zhCardinal(minute, alone) + "分"
	case minute > 0 || second > 0:
		words += "零" + zhCardinal(minute, alone) + "分"
	}
	if second > 0 {
		words += zhCardinal(second, alone) + "秒"
	}
	return words
}

func jaClock(hour, minute, second uint64, half string) string {
	words := map[string]string{"am": "午前", "pm": "午後"}[half] + jaCardinal(hour, alone) + "時"
	if minute > 0 || second > 0 {
		words += jaCardinal(minute, alone) + "分"
	}
	if second > 0 {
		words += jaCardinal(second, alone) + "秒"
	}
	return words
}

// month returns the number of the month that begins text, and the length of its
// name.
func (t *tongue) month(text string) (month uint64, n int) {
	for i, name := range t.months {
		for _, short := range []string{name, string([]rune(name)[:min(3, len([]rune(name)))]) + "."} {
			if len(text) < len(short) || endsInLetter(text, len(short)) {
				continue
			}
			// English and German write months with a capital: "you may 3 times".
			if text[:len(short)] == short || t.language != English && t.language != German && strings.EqualFold(text[:len(short)], short) {
				return uint64(i + 1), len(short)
			}
		}
	}
	return 0, 0
}

func endsInLetter(text string, at int) bool {
	for _, r := range text[at:] {
		return isWordRune(r) || unicode.Is(unicode.M, r)
	}
	return false
}
