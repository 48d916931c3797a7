package tts

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

// abbreviations of English texts, without the last full stop. Words that are
// more often a word than an abbreviation (sun, sat, in, art) are left out; what
// has a full stop inside is mayEnd unless it stands here.
var abbreviations = map[string]abbreviation{
	"mr": neverEnds, "mrs": neverEnds, "ms": neverEnds, "mx": neverEnds, "dr": neverEnds, "prof": neverEnds,
	"st": neverEnds, "mt": neverEnds, "ft": mayEnd, "rev": neverEnds, "hon": neverEnds, "gov": neverEnds,
	"sen": neverEnds, "rep": neverEnds, "gen": neverEnds, "col": neverEnds, "lt": neverEnds, "sgt": neverEnds,
	"capt": neverEnds, "cmdr": neverEnds, "fr": neverEnds, "vs": neverEnds, "cf": neverEnds, "e.g": neverEnds,
	"i.e": neverEnds, "eg": neverEnds, "ie": neverEnds, "approx": neverEnds,

	"jr": mayEnd, "sr": mayEnd, "etc": mayEnd, "inc": mayEnd, "ltd": mayEnd, "corp": mayEnd, "dept": mayEnd,
	"est": mayEnd, "al": mayEnd, "ave": mayEnd, "blvd": mayEnd, "rd": mayEnd, "hr": mayEnd, "hrs": mayEnd,
	"min": mayEnd, "mins": mayEnd, "sec": mayEnd, "secs": mayEnd, "oz": mayEnd, "lb": mayEnd, "lbs": mayEnd,
	"jan": mayEnd, "feb": mayEnd, "apr": mayEnd, "jun": mayEnd, "jul": mayEnd, "aug": mayEnd, "sep": mayEnd,
	"sept": mayEnd, "oct": mayEnd, "nov": mayEnd, "dec": mayEnd,

	"no": beforeNumber, "nos": beforeNumber, "vol": beforeNumber, "ch": beforeNumber, "pp": beforeNumber,
	"p": beforeNumber, "fig": beforeNumber, "eq": beforeNumber, "sect": beforeNumber,
}
