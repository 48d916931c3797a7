package rules

import (
	"encoding/json"

	"edged/ai/match"
)

// volumeFragments are the words around loudness.
func volumeFragments() map[string]string {
	return map[string]string{
		"sound":  "volume | sound | audio | speaker | speakers | voice | volume level | sound level | speaker volume | loudness | sound of speaker | vocals | voice box | speaker voice",
		"louder": "up | raise | increase | louder | higher | boost | bump | pump | crank | more | amplify | increased | raised | boosted | greater | stronger | bumped up | turned up",
		"lower":  "down | lower | decrease | quieter | softer | reduce | less | drop | soften | dim | decreased | lowered | reduced | turned down | limit | minimize",
	}
}

// volumeSkills change the loudness of the device through its own tools.
func volumeSkills() []skill {
	return []skill{
		{match.Rule{
			Name:     "volume.set",
			Patterns: []string{"(set | turn | change) the volume to {n:count} [percent]", "volume {n:count} [percent]"},
			Loose: []string{
				"[set | turn | change | make | put | raise | lower | increase | decrease | adjust | bring | boost | bump | reduce | drop | crank] [up | down] <sound> [set | up | down | needs | increased | bumped up | raised | lowered | turned | decreased] [level | number] {n:number} [percent | level | setting]",
				"(turn | set | make | put | bring) [up | down] [level] {n:number} percent [volume | loud | loudness]",
				"(set | turn) {n:number} percent <sound>",
				"{n:number} percent volume",
				"(raise | lower | increase | decrease) [up | down] [volume] to {n:number} [percent]",
				"[set | turn | make | put | crank | raise] [<sound>] [up] [all the way] {level:extreme} [<sound>] [up | down]",
				"[turn | crank] [<sound>] up all the way",
				"all the way up",
				"<sound> (half | halfway) {level:middle}",
				"[set | turn | put | bring] <sound> [down] {level:middle}",
				"[set] {level:middle} volume",
				"(loud | loudly) {level:possible}", "turn up [<sound>] all the way", "<sound> level {n:number}",
			},
		}, answerSetVolume},
		{match.Rule{
			Name:     "volume.up",
			Patterns: []string{"turn (it | the volume) up [a bit]", "turn up the volume", "(louder | speak up)"},
			Loose: []string{
				"[turn | make | bring | put | get | set | speak | talk | go | crank | pump | be] [a bit | a little | bit | little | much | way | lot] <louder> [<sound>] [a bit | a little | bit | little | lot] [[by] {n:number}] [percent | points | notches | notch | level | levels]",
				"[turn | make | bring | put | set | crank | pump | need | take] <sound> [be | needs | go | to] [bit | little | much | way | lot] <louder> [bit | little | lot] [[by] {n:number}] [percent | points | notches | notch]",
				"(can not | could not | hardly | barely) [hear | hear you] [well | at all | very well]",
				"(can | could) (hardly | barely) hear",
				"(too | so | very | really | awfully) (quiet | soft | low | faint)",
				"make loud",
				"<sound> (too | so | very | really) (low | quiet | soft | faint)",
				"(speak | talk) [more | bit | bit more | little | little more] (louder | up | loudly | clearly)",
				"turn up",
				"you are (mumbling | whispering)",
				"do not hear [you] [well]",
				"more volume",
				"can you not be so quiet",
				"hear you better",
				"(not | is not) loud enough",
			},
		}, func(r *request) reply { return r.shiftVolume(+1) }},
		{match.Rule{
			Name:     "volume.down",
			Patterns: []string{"turn (it | the volume) down [a bit]", "turn down the volume", "quieter"},
			Loose: []string{
				"[turn | make | bring | put | get | set | speak | talk | go | be] [a bit | a little | bit | little | much | way | lot] <lower> [<sound>] [a bit | a little | bit | little | lot] [[by] {n:number}] [percent | points | notches | notch | level | levels]",
				"[turn | make | bring | put | set | need | take] <sound> [be | needs | go | to] [bit | little | much | way | lot] <lower> [bit | little | lot] [[by] {n:number}] [percent | points | notches | notch]",
				"(too | so | very | really | awfully | way too) (loud | noisy)",
				"<sound> (too | so | very | really | way too) (loud | high)",
				"(do not | stop) (shout | yell | shouting | yelling | scream | screaming)",
				"(speak | talk) [more | bit | bit more | little | little more] (softly | quietly | lower | softer | quieter | gently)",
				"(quieten | tone) [yourself | <sound>] down",
				"hurting my ears",
				"not so loud",
				"less loud",
				"(make | keep | too) [it | your voice] (down | quiet | soft)",
				"more (quiet | quietly | softly)",
				"turn down",
				"pipe down",
			},
		}, func(r *request) reply { return r.shiftVolume(-1) }},
		{match.Rule{
			Name:     "volume.ask",
			Patterns: []string{"what is the volume", "how loud are you"},
			Loose: []string{
				"<sound> [set | at | now | level | percent]",
				"(loud | high | low | loudness) [is] [<sound>]",
				"loud set",
				"level <sound>",
				"(check | read) <sound>",
				"percent <sound>",
				"number <sound>",
				"<sound> (number | setting | status)",
				"loud are you [speaking | talking | playing]",
			},
		}, answerVolume},
		{match.Rule{
			Name:     "volume.mute",
			Patterns: []string{"mute", "mute the (sound | volume)"},
			Loose: []string{
				"mute [yourself | <sound> | speaker | everything | device | all]",
				"silence (<sound> | yourself)",
				"turn <sound> off",
				"turn off <sound>",
				"<sound> off",
				"no sound",
				"kill <sound>",
				"go (silent | mute | on mute)",
				"[go | put | be | on] (mute | silent) [mode]",
				"(sound | volume | audio) (zero | off)",
				"turn sound all the way (down | off)",
				"cut the (sound | audio)",
			},
		}, func(r *request) reply { return r.setVolume(0, "Okay, the sound is off.") }},
		{match.Rule{
			Name:  "volume.unmute",
			Loose: []string{"unmute [yourself | <sound> | speaker | everything | device]", "turn <sound> [back] on", "turn [back] on <sound>", "<sound> [back] on", "(un mute | sound back) [on]", "turn mute off", "stop (mute | muting)"},
		}, func(r *request) reply { return r.setVolume(r.levelBeforeMute(), "") }},
	}
}

// extremeTerms and middleTerms are levels with a name.
func extremeTerms() []match.Term {
	return []match.Term{
		{Value: "100", Written: []string{"max", "maximum", "full", "full blast", "highest", "loudest", "full volume", "max volume", "maximum volume", "as loud as possible", "as high as possible", "as loud as it goes", "to the max", "to the maximum", "as loud as you can", "top", "all the way up"}},
		{Value: "10", Written: []string{"min", "minimum", "lowest", "quietest", "the lowest", "as low as possible", "as quiet as possible"}},
	}
}

func middleTerms() []match.Term {
	return []match.Term{{Value: "50", Written: []string{"half", "halfway", "half way", "fifty fifty", "medium", "the middle", "middle", "mid"}}}
}

func possibleTerms() []match.Term {
	return []match.Term{{Value: "100", Written: []string{"as possible", "as you can", "as it goes"}}}
}

const cannotVolume = "I can't change the volume here, sorry."

// The steps of "louder" and "quieter", in percent of full volume.
const (
	volumeStep      = 10
	smallVolumeStep = 5
	largeVolumeStep = 30
)

func answerSetVolume(r *request) reply {
	if r.Has("level") {
		named, _ := r.Term("level")
		level := map[string]int{"100": 100, "50": 50, "10": 10}[named]
		return r.setVolume(level, "")
	}
	n, ok := r.Number("n")
	if !ok || !n.IsInt() {
		return say("I can set the volume to a whole number from zero to 100.")
	}
	level, ok := r.Int("n")
	if !ok || level < 0 || level > 100 {
		return say("The volume goes from zero to 100.")
	}
	return r.setVolume(level, "")
}

// setVolume sets the level and says so, in the words of said if there are any.
func (r *request) setVolume(level int, said string) reply {
	if !r.offers("set_volume") {
		return reply{text: cannotVolume}
	}
	done, trouble := r.result("set_volume", nil)
	if !done {
		return r.ask("set_volume", struct {
			Level int `json:"level"`
		}{level})
	}
	if trouble != "" {
		return say("Sorry, I couldn't change the volume: %s.", trouble)
	}
	if said != "" {
		return reply{text: said}
	}
	return say("Okay, the volume is at %s percent.", inWords(level))
}

// shiftVolume makes it louder (direction +1) or quieter (-1): it asks for the
// level, then sets the new one.
func (r *request) shiftVolume(direction int) reply {
	if !r.offers("set_volume") {
		return reply{text: cannotVolume}
	}
	if !r.offers("get_volume") {
		return say("I can't see how loud it is now, but I can set the volume to a number. Which one, from zero to 100?")
	}
	var current struct {
		Level *int `json:"level"`
	}
	done, trouble := r.result("get_volume", &current)
	if !done {
		return r.ask("get_volume", struct{}{})
	}
	if trouble == "" && current.Level == nil {
		trouble = "the device didn't tell its volume"
	}
	if trouble != "" {
		return say("Sorry, I couldn't change the volume: %s.", trouble)
	}
	level := min(max(*current.Level+direction*r.volumeStep(), 0), 100)
	if level == *current.Level {
		if direction > 0 {
			return say("The volume is at its highest already.")
		}
		return say("The volume is at zero already.")
	}
	return r.setVolume(level, "")
}

// volumeStep is by how much to change the volume: as said, else a step that
// fits "a bit" or "a lot".
func (r *request) volumeStep() int {
	if n, ok := r.Int("n"); ok && n > 0 {
		return min(n, 100)
	}
	for _, w := range r.Words {
		switch w {
		case "bit", "little", "slightly":
			return smallVolumeStep
		case "lot", "much", "way":
			return largeVolumeStep
		}
	}
	return volumeStep
}

func answerVolume(r *request) reply {
	if !r.offers("get_volume") {
		return say("I can't see the volume here, sorry.")
	}
	var current struct {
		Level *int `json:"level"`
	}
	done, trouble := r.result("get_volume", &current)
	if !done {
		return r.ask("get_volume", struct{}{})
	}
	if trouble != "" || current.Level == nil {
		return say("Sorry, I couldn't find out the volume.")
	}
	return say("The volume is at %s percent.", inWords(*current.Level))
}

// levelBeforeMute is the last level above zero that the dialogue knows of.
func (r *request) levelBeforeMute() int {
	const unknown = 50
	for i := len(r.before) - 1; i >= 0; i-- {
		for _, call := range r.before[i].ToolCalls {
			var set struct {
				Level int `json:"level"`
			}
			if call.Name == "set_volume" && json.Unmarshal([]byte(call.Arguments), &set) == nil && set.Level > 0 {
				return set.Level
			}
		}
		if result := r.before[i].ToolResult; result != nil {
			var got struct {
				Level int `json:"level"`
			}
			if json.Unmarshal([]byte(result.Content), &got) == nil && got.Level > 0 {
				return got.Level
			}
		}
	}
	return unknown
}
