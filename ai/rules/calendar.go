package rules

import "edged/ai/match"

// calendarFragments are the ways to name a day or a distance in days. The slots
// in them are those that dayNamed reads.
func calendarFragments() map[string]string {
	return map[string]string{
		"ahead": "({n:count} | a | an) {p:period} [from (now | today) | later | ahead | after today | hence | out]",
		"back":  "({n:count} | a | an) {p:period} {b:ago}",
		"until": "until | till | til | before | to",
		"date": "{f:feast} | [{way:way}] {w:weekday} | {m:month} [the] ({o:ordinal} | {c:count}) [{y:count}] " +
			"| [the] ({o:ordinal} | {c:count}) [of] {m:month} [{y:count}] | the {o:ordinal}",
		"other": "{f2:feast} | {k2:nearday} | [{way2:way}] {w2:weekday} | {m2:month} [the] ({o2:ordinal} | {c2:count}) " +
			"| [the] ({o2:ordinal} | {c2:count}) [of] {m2:month}",
		"left": "(left | remain | remaining) [in] {span:span}",
	}
}

// calendarSkills tell dates and count days.
func calendarSkills() []skill {
	return append(dateSkills(), distanceSkills()...)
}

func dateSkills() []skill {
	return []skill{
		{match.Rule{
			Name: "date.today",
			Patterns: []string{
				"what is the date [today]", "what is today's date", "what day is (it [today] | today)",
				"what day of the week is it [today]", "tell me the date", "what date is it [today]", "do you know what day it is",
			},
			Loose: []string{
				"date",
				"today's date",
				"[is it] {w:weekday} or {w2:weekday} [today]",
				"day",
				"day today",
				"weekday",
				"day of the week",
				"day of the month",
				"month and day",
				"[today's] (date | day) month [and] [day] [and] [year]",
				"[today's] month [and] (date | day) [and] [year]",
				"calendar [date | day] [say | says]",
				"monday tuesday wednesday thursday friday saturday sunday",
				"today's date",
				"date [for] today",
				"day [and] date",
				"date [and] day",
				"weekday [and] date",
			},
			Exact: []string{"today", "today is"},
		}, func(r *request) reply { return say("It's %s.", fullDate(r.now)) }},
		{match.Rule{
			Name:     "date.month",
			Patterns: []string{"what month is it"},
			Loose:    []string{"month", "month of the year", "month and year"},
		}, func(r *request) reply { return say("It's %s.", r.now.Format("January 2006")) }},
		{match.Rule{
			Name:     "date.year",
			Patterns: []string{"what year is it"},
			Loose:    []string{"year"},
		}, func(r *request) reply { return say("It's %d.", r.now.Year()) }},
		{match.Rule{
			Name:  "date.leap",
			Loose: []string{"leap year [{y:count}]", "{y:count} leap year"},
		}, answerLeapYear},
		{match.Rule{
			Name:  "date.week",
			Loose: []string{"week", "week number", "number of [the] week", "week of the year", "calendar week"},
		}, func(r *request) reply {
			_, week := r.now.ISOWeek()
			return say("It's week %d of the year.", week)
		}},
		{match.Rule{
			Name: "date.near",
			Patterns: []string{
				"what day (is | was | will it be) {k:nearday}", "what is {k:nearday} [date]",
				"what (is | was) the date {k:nearday}", "what date (is | was) {k:nearday}",
			},
			Loose: []string{
				"(day | date | weekday | day of the week | calendar | [month and] day) {k:nearday}",
				"{k:nearday} [fall | falls | land] (day | date | weekday | day of the week | calendar)",
				"{k:nearday} (fall | falls | land)",
			},
			Exact: []string{"[and | what about | how about] {k:nearday}", "{k:nearday} is", "what is {k:nearday}"},
		}, answerNearDay},
		{match.Rule{
			Name: "date.offset",
			Patterns: []string{
				"what (day | date) (is it | will it be) in {n:count} {p:period}", "what is the date in {n:count} {p:period}",
				"what (day | date) is {n:count} {p:period} from (now | today)",
				"what (day | date) was it {n:count} {p:period} {b:ago}",
			},
			Loose: []string{
				"(day | date | weekday | month | year | day of the week | calendar) <ahead>",
				"<ahead> (day | date | weekday | month | year | day of the week)",
				"(day | date | weekday | month | year | day of the week | calendar) <back>",
				"<back> (day | date | weekday | month | year | day of the week)",
				"(wait | count | add | go | skip | move | jump | sleep) [forward | forwards | ahead | on] {n:count} {p:period} [from (now | today) | more] [which] (day | date | weekday) [will | would] [it] [be]",
				"(day | date | weekday) [if | when | after] (wait | count | add | go | skip | move | jump) [forward | forwards | ahead | on] {n:count} {p:period}",
			},
			Exact: []string{"[and | what about | how about] [in] <ahead>", "[and | what about | how about] <back>", "what is [in] <ahead>", "when is [it] [in] <ahead>", "when will it be [in] <ahead>", "in <ahead> what will it be"},
		}, answerOffset},
		{match.Rule{
			Name: "date.weekday",
			Patterns: []string{
				"what (is | was) the date (on | of | for) [{way:way}] {w:weekday}", "when is [{way:way}] {w:weekday}",
			},
			Loose: []string{
				"(date | when | day | day of the month) [{way:way}] {w:weekday} [fall | falls]",
				"[{way:way}] {w:weekday} (date | when | day of the month)",
				"[{way:way}] {w:weekday} [fall | falls] date", "[date | when] {w:weekday} [of] {way:way} week",
			},
			Exact: []string{"[and | what about | how about] [{way:way}] {w:weekday}"},
		}, answerWeekday},
		{match.Rule{
			Name:     "date.check",
			Patterns: []string{"is (it | today) {w:weekday} [today]", "(is | was) {k:nearday} [a] {w:weekday}"},
			Loose: []string{
				"(is | was | will) [{k:nearday}] [be] [a] {w:weekday} [yet | already | still]",
				"(is | was | will) [be] {w:weekday} {k:nearday}",
				"today [is] {w:weekday}",
				"{k:nearday} [is | was] {w:weekday}",
				"(is | are we in) [{k:nearday}] [still | already | yet] {m:month} [yet | already | still]",
				"(still | already) ({w:weekday} | {m:month})",
			},
		}, answerCheck},
		{match.Rule{
			Name:     "date.weekend",
			Patterns: []string{"is it the weekend"},
			Loose: []string{
				"(is | yet | already) weekend [yet | already]",
				"is {k:nearday} weekend",
				"[{q:period} | long | far | when] [left | away | off] [<until>] weekend [start | starts | here]",
			},
		}, answerWeekend},
	}
}

func distanceSkills() []skill {
	return []skill{
		{match.Rule{
			Name: "date.until",
			Patterns: []string{
				"how (many (days | weeks) | long) [is it] until ({f:feast} | {w:weekday} | {m:month} {o:ordinal})",
				"when is {f:feast}", "what day is ({f:feast} | {m:month} {o:ordinal})",
			},
			Loose: []string{
				"[more] [{q:period} | long | far | soon | time | countdown | sleeps | nights | number of {q:period}] [left | away | off | remain | remaining | more] (<until>) <date> [day]",
				"(when | day | date | weekday | day of the week | {q:period} | far | long | soon) [left | away | off] <date> [fall | falls | start | starts | land | coming | away | off | come | comes | happen]",
				"<date> [fall | falls | land | lands] (when | day | date | weekday | day of the week | {q:period} | far | long | soon) [away | off]",
				"<date> (fall | falls | coming)",
				"count down <date>", "countdown <date>", "(count | counting | calculate | number of) {q:period} (<until>) <date>",
			},
			Exact: []string{"[and | what about | how about] <date>"},
		}, answerUntilDay},
		{match.Rule{
			Name:  "date.left",
			Loose: []string{"[{q:period} | long | time] <left>", "[{q:period} | long | time | far | soon] (<until>) [end of] [{span:span}] (end | ends | over)", "[{q:period} | long] (<until>) end of {span:span}", "{span:span} {q:period} (left | remaining)"},
		}, answerLeft},
		{match.Rule{
			Name: "date.since",
			Loose: []string{
				"[{q:period} | long | time] [passed | gone by | have passed | has passed] (since | ago | after) <date>",
				"<date> [{q:period} | long] ago",
				"[{q:period} | long | time] since <date> [passed | been]", "when was <date>",
			},
		}, answerSince},
		{match.Rule{
			Name: "date.between",
			Loose: []string{
				"[number of] [{q:period} | long | time] (between | from | separate) ({k:nearday} | <date>) (and | to | until | till) <other>",
				"(between | from) ({k:nearday} | <date>) (and | to | until | till) <other> {q:period}",
				"[{q:period} | difference] ({k:nearday} | <date>) (and | to | until | till) <other>",
			},
		}, answerBetween},
		{match.Rule{
			Name: "date.length",
			Loose: []string{
				"{q:period} [has | have | in] {m:month} [has | have]",
				"{m:month} [has | have] {q:period}",
				"long {m:month} [last]",
				"{m:month} long",
				"days in month", "number of days in {m:month}",
			},
		}, answerMonthLength},
	}
}
