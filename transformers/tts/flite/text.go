package flite

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// spoken replaces signs before anything is decomposed: a fraction would
// otherwise grow together with the number before it.
var spoken = strings.NewReplacer(
	"½", " 1/2", "¼", " 1/4", "¾", " 3/4", "²", " squared", "³", " cubed",
	"°", " degrees ", "×", " times ", "÷", " divided by ", "±", " plus or minus ", "−", " minus ",
	"+", " plus ", "=", " equals ", "&", " and ", "@", " at ",
	"€", " euros ", "£", " pounds ", "¥", " yen ",
	"‘", "'", "’", "'", "“", `"`, "”", `"`, "«", `"`, "»", `"`, "„", `"`,
	"—", ", ", "–", "-", "‐", "-", "‑", "-", "\u00ad", "",
	"ß", "ss", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe", "ø", "o", "Ø", "O",
	"ł", "l", "Ł", "L", "đ", "d", "Đ", "D", "ð", "d", "þ", "th", "ı", "i",
)

// silent are the ASCII marks of markup and code that flite would try to read.
const silent = "*#`_~^|\\<>[]{}"

// speakable returns text in the printable ASCII that flite reads sensibly, or
// "" if there is no letter and no digit in it.
func speakable(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	sayable := false
	for _, r := range norm.NFKD.String(spoken.Replace(strings.ToValidUTF8(text, " "))) {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue // the accent of the letter before
		case r == '\u2044': // what NFKD makes of the other fractions
			r = '/'
		case r <= ' ' || r >= unicode.MaxASCII || strings.ContainsRune(silent, r):
			r = ' '
		}
		sayable = sayable || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
		out.WriteRune(r)
	}
	if !sayable {
		return ""
	}
	return out.String()
}
