package tts

import (
	"strings"

	"edged/transformers/tts/speakable"
)

// abbreviation says what the full stop of a word means.
type abbreviation int

const (
	// plain: the word is none, its full stop ends a sentence.
	plain abbreviation = iota
	// neverEnds: something must follow, as a name after a title.
	neverEnds
	// mayEnd: it ends the sentence only if no small letter or digit follows.
	mayEnd
	// beforeNumber: it is an abbreviation only before a digit.
	beforeNumber
)

// abbreviationsOf returns those of a language, in lower case and without the last
// full stop. What has a full stop inside is mayEnd unless it stands there.
func abbreviationsOf(l speakable.Language) map[string]abbreviation {
	switch l {
	case speakable.German:
		return germanAbbreviations
	case speakable.Spanish:
		return spanishAbbreviations
	case speakable.French:
		return frenchAbbreviations
	}
	return englishAbbreviations
}

// abbreviate makes a table of words by what their stop means.
func abbreviate(never, may, number string) map[string]abbreviation {
	table := make(map[string]abbreviation)
	for kind, words := range map[abbreviation]string{neverEnds: never, mayEnd: may, beforeNumber: number} {
		for word := range strings.FieldsSeq(words) {
			table[word] = kind
		}
	}
	return table
}

// Words that are more often a word than an abbreviation (sun, sat, in, art) are
// left out.
var englishAbbreviations = abbreviate(
	"mr mrs ms mx dr prof st mt rev hon gov sen rep gen col lt sgt capt cmdr fr vs cf e.g i.e eg ie approx",
	"ft jr sr etc inc ltd corp dept est al ave blvd rd hr hrs min mins sec secs oz lb lbs jan feb apr jun jul aug sep sept oct nov dec",
	"no nos vol ch pp p fig eq sect",
)

// The single letters begin "z. B.", "d. h.", "u. a." and "v. Chr."
var germanAbbreviations = abbreviate(
	"dr prof hr fr frl st bzw ca evtl ggf inkl exkl vgl sog bspw nr z d h u a v n o i geb gest dipl ing z.b d.h u.a v.a i.d",
	"usw etc chr str mio mrd tsd std min max sek jan feb aug sept okt nov dez tel abk allg dt engl jh u.ä o.ä u.s.w",
	"s abs art bd kap abb tab ziff",
)

// The single letters begin "p. ej.", "a. m." and "a. C."
var spanishAbbreviations = abbreviate(
	"sr sra srta sres dr dra dña ud uds vd lic ing prof profa gral sto sta ee aprox p a d ej p.ej",
	"etc uu m c avda av tel cía s.a min máx feb sept oct nov dic",
	"núm n.º pág págs vol cap art",
)

// The single letters begin "p. ex." and "c. à d."
var frenchAbbreviations = abbreviate(
	"mm dr pr me st ste mgr env av apr ex p.ex c.-à-d p c",
	"etc j.-c janv févr avr juil sept oct nov déc tél min max boul",
	"no nos vol chap fig art éd pp",
)

// germanArticles stand in front of an ordinal.
var germanArticles = set("am im der die das dem den des vom zum zur beim seit ab bis jeder jede jedes jeden diesem dieser dieses")

// germanNouns are counted by ordinals, whatever stands in front.
var germanNouns = strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember Jahrhundert Weltkrieg Geburtstag Platz Stock Klasse Kapitel Tag Woche")

func set(words string) map[string]bool {
	out := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}
