package rules

import (
	"strings"

	"edged/ai/match"
)

// helpSkills say what the model can do.
func helpSkills() []skill {
	return []skill{{match.Rule{
		Name:     "help",
		Patterns: []string{"what can you do", "help [me]", "what can i ask [you]", "what can i say"},
		Loose: []string{
			"help",
			"what can you do",
			"what can (i | we) (ask | say | do | tell) [you] [about | to do]",
			"what (do | should | could | may) i (ask | say | do) [you]",
			"what you [able to | capable of | know how to] (do | know | offer | understand | answer | handle | help | assist | doing) [for me | with | about]",
			"what else [can] [you] [do | know]",
			"<topics> [can | do | are | should] [you | i] [able to | good at | familiar with | versed in | knowledgeable about | capable of] [ask | help | answer | do | know | understand | handle | respond | accept | talk | say | use | answering | assist | discuss] [you | with | about | to]",
			"[all | <topics> | information | advice | subject areas] (ask | help | answer | know | familiar | capable | versed | knowledgeable | able to do | do) [you | answering | doing | helping]",
			"how (can | do | could | would) (you | i) (help | use | assist | work | talk | be of service) [me | you | with]",
			"(need | want) (help | assistance | instructions)",
			"[your | list | available] (skills | features | abilities | capabilities | functions | commands | options | examples | instructions | purpose | talents | menu)",
			"what are you [good] for",
			"(help | assist) me [with <topics>]",
			"why (do you exist | are you here)",
			"do not know what to (say | ask | do)",
			"how (does this | do you | does it) work",
			"anything [else] [i can | you can] (ask | do)",
			"(list | name | mention | outline | summarise | summarize | run through) [all | everything | some of] [your | available] [<topics> | skills | features | abilities | capabilities | functions | commands | options] [you] [able to | capable of | good at] [do | doing | answer | understand | handle | help with]",
		},
	}, answerHelp}}
}

// abilities are what can be offered, with the tools needed, in the order of
// usefulness.
func (r *request) abilities() []string {
	abilities := []string{"tell the time and the date", "count the days until Christmas"}
	if r.offers("set_timer") {
		abilities = append(abilities, "set timers")
	}
	if r.offers("set_volume") {
		abilities = append(abilities, "change the volume")
	}
	return append(abilities, "calculate", "convert units", "flip a coin", "roll dice", "tell jokes", "tell a story")
}

func answerHelp(r *request) reply {
	return say("I can %s. What would you like?", enumerate(r.abilities()))
}

// decline says honestly that a request is beyond the model, in changing words,
// and names a few things that are not.
func (r *request) decline() reply {
	abilities := r.abilities()
	first := r.model.chance.below(len(abilities))
	some := make([]string, 3)
	for i := range some {
		some[i] = abilities[(first+i)%len(abilities)]
	}
	return reply{declined: true, text: r.model.pick(
		"Sorry, I can't help with that. I can "+enumerate(some)+", for example.",
		"I don't know how to do that. What I can do is "+enumerate(some)+".",
		"That's beyond me, sorry. Ask me to "+strings.Join(some[:2], ", or to ")+".",
		"I'm afraid that's not something I know. But I can "+enumerate(some)+".",
	)}
}

func helpFragments() map[string]string {
	return map[string]string{
		"topics": "things | thing | stuff | questions | question | tasks | topics | subjects | queries | requests | areas | jobs | something | anything",
	}
}
