package speakable

import "strings"

var enOrdinals = map[string]string{
	"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth",
}

func enOrdinal(n uint64) string {
	words := enCardinal(n, alone)
	at := strings.LastIndexAny(words, " -") + 1
	head, last := words[:at], words[at:]
	if o := enOrdinals[last]; o != "" {
		return head + o
	}
	if stem, ok := strings.CutSuffix(last, "y"); ok {
		return head + stem + "ieth"
	}
	return head + last + "th"
}

// deOrdinal returns the ordinal up to its ending: "dritt", "zwanzigst".
func deOrdinal(n uint64) string {
	words := deCardinal(n, alone)
	switch last := n % 100; {
	case last == 1:
		return strings.TrimSuffix(words, "eins") + "erst"
	case last == 3:
		return strings.TrimSuffix(words, "drei") + "dritt"
	case last == 7:
		return strings.TrimSuffix(words, "sieben") + "siebt"
	case last == 8:
		return words
	case last > 0 && last < 20:
		return words + "t"
	}
	return words + "st"
}

// deEnding is that of an ordinal or of a name's number behind a word.
func deEnding(before string) string {
	switch before {
	case "am", "im", "dem", "den", "vom", "zum", "beim", "des", "seit", "ab", "zur":
		return "en"
	case "der", "die", "das", "eine", "jede", "diese":
		return "e"
	}
	return "er"
}

var esOrdinals = strings.Fields("- primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo")

// esOrdinal falls back to the cardinal, as people do beyond ten.
func esOrdinal(n uint64, f form) string {
	if n == 0 || n > 10 {
		return esCardinal(n, f)
	}
	word := esOrdinals[n]
	switch {
	case f == feminine:
		return strings.TrimSuffix(word, "o") + "a"
	case f == masculine && (n == 1 || n == 3):
		return strings.TrimSuffix(word, "o")
	}
	return word
}

func frOrdinal(n uint64, f form) string {
	switch {
	case n == 1 && f == feminine:
		return "première"
	case n == 1:
		return "premier"
	}
	words := frCardinal(n, alone)
	for _, plural := range []string{"cents", "vingts", "millions", "milliards", "billions"} {
		if strings.HasSuffix(words, plural) {
			words = strings.TrimSuffix(words, "s")
		}
	}
	switch {
	case strings.HasSuffix(words, "cinq"):
		return words + "uième"
	case strings.HasSuffix(words, "neuf"):
		return strings.TrimSuffix(words, "f") + "vième"
	}
	return strings.TrimSuffix(words, "e") + "ième"
}
