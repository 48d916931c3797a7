package rules

import (
	"time"

	"edged/ai/match"
)

// clockSkills tell the time of day.
func clockSkills() []skill {
	return []skill{
		{match.Rule{
			Name: "clock.now",
			Patterns: []string{
				"what time is it [now]", "what is the [current] time [now]", "tell me (the time | what time it is)",
				"do you (have | know) the time", "do you know what time it is", "what time do you have",
			},
			Loose: []string{
				"time",
				"when is it",
				"hour",
				"... (what time is it | what is the time | what time it is) [now]",
				"(is | was) it [already | still] (noon | midday | midnight | late | early | time) [already | yet | still]",
				"hour and minute",
				"time of day",
				"local time",
				"time check",
				"late is it",
				"hour of the day",
				"(clock | watch) [say | says | read | reads | show | shows]", "time (clock | watch) [say | says]",
				"is it (late | early)",
				"(morning | afternoon | evening | night)",
				"(morning | evening | night | am) or (afternoon | evening | night | pm | day)",
			},
		}, func(r *request) reply { return say("It's %s.", clock(r.now)) }},
		{match.Rule{
			Name:     "clock.later",
			Patterns: []string{"what time will it be in {d:duration}"},
			Loose: []string{
				"time in {d:duration} [time]", "time {d:duration} (from now | later | hence | ahead)", "time after {d:duration}",
				"{d:duration} [from now | later] time", "(clock | watch) [say | show | read] in {d:duration}",
			},
		}, func(r *request) reply {
			d, _ := r.Duration("d")
			return say("In %s it will be %s.", length(d), r.clockThen(d))
		}},
		{match.Rule{
			Name:  "clock.earlier",
			Loose: []string{"time {d:duration} (ago | earlier | before now)", "{d:duration} (ago | earlier) time"},
		}, func(r *request) reply {
			d, _ := r.Duration("d")
			return say("%s ago it was %s.", capitalised(length(d)), r.clockThen(-d))
		}},
		{match.Rule{
			Name:     "clock.until",
			Patterns: []string{"how (long | many (hours | minutes)) [is it] until {h:hour}"},
			Loose: []string{
				"[long | time | hours | minutes] [left | remain | remaining] (until | till | til | before | to) {h:hour}",
				"{h:hour} (far | long | soon) [away | off]", "(far | long | soon) [away | off] {h:hour}", "when {h:hour}",
				"[long | time | hours | minutes] away {h:hour}",
			},
		}, answerUntilHour},
		{match.Rule{
			Name: "clock.elsewhere",
			Loose: []string{
				"time [is it] [now | right now | currently] (in | at | for | over in) {place:rest}",
				"in [the] {place:rest} what (time is it | is the [current] time) [now | right now]",
				"what is the [current | local] time [set to] in [the] {place:rest}",
				"what time is it [now] {place:rest}",
				"(time zone | timezone | time difference) [...]",
				"... (time zone | timezone | timezones) [...]",
				"what is the (current | local) time {place:rest}",
			},
		}, func(r *request) reply { return say("I only know the time here, and here it's %s.", clock(r.now)) }},
	}
}

// hourTerms are the times of day that have a name. The value is the hour.
func hourTerms() []match.Term {
	return []match.Term{
		{Value: "12", Spoken: []string{"noon"}, Written: []string{"midday"}},
		{Value: "24", Spoken: []string{"midnight"}},
	}
}

// clockThen is the time of day after d, with the date when that is another day.
func (r *request) clockThen(d time.Duration) string {
	then := r.now.Add(d)
	if dayNumber(then) != dayNumber(r.now) {
		return clock(then) + " on " + fullDate(then)
	}
	return clock(then)
}

func answerUntilHour(r *request) reply {
	hour := 12
	if term, _ := r.Term("h"); term == "24" {
		hour = 24
	}
	y, m, d := r.now.Date()
	then := time.Date(y, m, d, hour, 0, 0, 0, r.now.Location())
	if !then.After(r.now) {
		then = time.Date(y, m, d+1, hour, 0, 0, 0, r.now.Location())
	}
	left := then.Sub(r.now).Truncate(time.Minute)
	if left < time.Minute {
		return say("It's less than a minute until %s.", r.Text("h"))
	}
	return say("It's %s until %s.", length(left), r.Text("h"))
}
