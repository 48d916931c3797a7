package rules

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	"edged/ai/match"
)

// skill is one thing the model can do: how it is asked for and how it answers.
type skill struct {
	match.Rule
	answer func(*request) reply
}

// book is all skills together with the set that finds them.
type book struct {
	set    *match.Set
	skills map[string]skill
}

// theBook is compiled at first use. Its patterns are part of the program, so a
// mistake in one is a bug and panics.
var theBook = sync.OnceValue(func() *book {
	all := [][]skill{
		clockSkills(), calendarSkills(), timerSkills(), volumeSkills(), sumSkills(), unitSkills(),
		chanceSkills(), entertainmentSkills(), talkSkills(), helpSkills(),
	}
	b := &book{skills: map[string]skill{}}
	var rules []match.Rule
	for _, skills := range all {
		for _, s := range skills {
			b.skills[s.Name] = s
			rules = append(rules, s.Rule)
		}
	}
	set, err := match.Compile(match.Config{Rules: rules, Fragments: fragments(), Lists: lists(), Soft: soft, Firm: firm})
	if err != nil {
		panic(fmt.Sprintf("rules: %v", err))
	}
	b.set = set
	return b
})

// fragments gathers the turns of phrase that the patterns of a kind share. Two
// kinds never use one name for different things.
func fragments() map[string]string {
	all := map[string]string{}
	for _, some := range []map[string]string{
		calendarFragments(), timerFragments(), volumeFragments(), sumFragments(), unitFragments(), chanceFragments(),
		talkFragments(), helpFragments(),
	} {
		maps.Copy(all, some)
	}
	return all
}

// lists gathers the slot types of the skills.
func lists() map[string][]match.Term {
	all := map[string][]match.Term{
		"hour": hourTerms(), "nearday": nearDayTerms(), "period": periodTerms(), "feast": feastTerms(),
		"thing": thingTerms(), "extreme": extremeTerms(), "middle": middleTerms(), "possible": possibleTerms(),
		"every": {{Value: "all", Spoken: []string{"all"}, Written: []string{"every", "each", "both", "all of", "all my", "all the"}}},
		"ago":   {{Value: "ago", Spoken: []string{"ago"}, Written: []string{"back", "earlier", "before today", "before now"}}},
		"span":  {{Value: "month", Written: []string{"month"}}, {Value: "year", Written: []string{"year"}}, {Value: "week", Written: []string{"week"}}},
		"way": {
			{Value: "next", Spoken: []string{"next"}, Written: []string{"coming", "following", "upcoming", "this coming", "this next"}},
			{Value: "this", Spoken: []string{"this"}},
			{Value: "last", Spoken: []string{"last"}, Written: []string{"previous", "past", "most recent"}},
		},
	}
	maps.Copy(all, sumLists())
	return all
}

// soft are words that may stand anywhere in a request without changing what it
// asks for. Words that turn a meaning round (not, never) and words that name a
// thing are not soft, so that a request with an unknown noun in it is never
// mistaken for a known one.
var soft = strings.Fields(`
	a an the my your me i you us we it its this that those these there here
	is are was were be being been am do does did can could would will shall should may might has had having
	to for of on in at by with from as about and or so if
	please just really actually currently exactly precisely now right then like well maybe kindly simply quickly
	tell give show let know knowing say want wanting wish need needing have got get getting go going gonna ahead
	mind help inform state provide share love hear care read display figure present explain describe believe consider prefer
	today current moment again out up what which way kind kinds sort sorts type types
	hey okay ok hi hello yes yeah sure look check find remember
	some any one someone somebody else thing
	good great new quick quickly little bit real full fresh whole entire particular specific
	able possible ask asking wondering wonder curious think guess believe see gotta must trying try information
	how much many supposed
`)

// firm are words that turn a request round or make it another one; free text
// never hides them.
var firm = strings.Fields(`
	not never no without instead cancel stop delete remove pause resume extend add left remaining change send text message email flight
`)

// Grammar returns the language of the model's patterns in JSpeech Grammar
// Format, for a speech recogniser. Its words are those of Vocabulary.
func Grammar() string { return theBook().set.JSGF("edged") }

// Vocabulary returns every word that Grammar can produce, sorted and in lower
// case. All are in the CMU pronouncing dictionary.
func Vocabulary() []string { return theBook().set.Words() }
