package rules

import (
	"fmt"
	"strings"
	"time"

	"edged/ai/match"
)

// timerFragments are the words around timers.
func timerFragments() map[string]string {
	return map[string]string{
		"set":    "set | start | make | create | add | begin | run | launch | open | put | do | need | want | have | get | give",
		"cancel": "cancel | stop | delete | remove | clear | end | kill | off | dismiss | drop | forget | abort | disable | quit | scrap | reset | rid",
		"timer":  "timer | timers | countdown",
		"timers": "timer | timers | countdown | countdowns | alarm | alarms",
		"of":     "for | of | to | with | lasting | at",
		"called": "called | named | labeled | labelled | label | for | titled",
	}
}

// timerSkills set, list and cancel timers through the caller's tools.
func timerSkills() []skill {
	return []skill{
		{match.Rule{
			Name: "timer.set",
			Patterns: []string{
				"(set | start) (a | the | another) timer for {d:duration}",
				"(set | start) a {d:duration} timer",
				"timer for {d:duration}",
				"(set | start) a {l:thing} timer for {d:duration}", "(set | start) a {d:duration} timer for [the] {l:thing}",
				"remind me in {d:duration}", "wake me [up] in {d:duration}",
			},
			Loose: []string{
				"[<set>] [another | second | new] [{l:thing}] [kitchen | egg] (timer | countdown) [set | running | going | started | start] [<of>] {d:duration}",
				"[<set>] {d:duration} [long] [kitchen | egg] (timer | countdown) [set | running | going | started | start]",
				"[<set>] [another | second | new] {d:duration} [{l:thing}] [kitchen | egg] (timer | countdown) [set | running | going | started | start]",
				"(count down | counting down | countdown) [from] {d:duration}",
				"time {d:duration}",
				"{d:duration} (countdown | count down | timer)",
				"(remind | wake | alert | notify | ping | buzz | beep | call | warn | alarm | nudge) [up] [in | after] {d:duration}",
				"{d:duration} (remind | wake | alert | notify | ping | buzz | beep | warn | nudge) [up]",
				"(when | after | once) {d:duration} [has | have] (up | over | passed | past | gone | elapsed | done | gone by)",
				"(let me know | tell me | say something) (in | after) {d:duration}",
				"{d:duration} [from now] (let me know | tell me)",
				"set {d:duration}",
				"start {d:duration}",
				"(set | put | give | get) {d:duration} on [clock | timer | oven]",
				"(start | begin | run) [clock] [for] {d:duration}",
				"[<set>] [alarm] (for | in) {d:duration} [from now] alarm", "[<set>] alarm (for | in) {d:duration} [from now]",
				"... <timer> ... {d:duration} [...]",
				"... {d:duration} ... <timer> [...]",
				"... (count down | counting down | countdown) ... {d:duration} [...]",
				"... (remind | wake | alert | notify) me ... {d:duration} [...]", "set {d:duration} [...]",
				// with a free label
				"... timer <of> {d:duration} <called> {label:rest}",
				"... {d:duration} timer <called> {label:rest}",
				"[...] (set | start | make | create | add | need | want) [me] [a | another | an] {label:rest} timer <of> {d:duration}",
				"[...] timer <called> {label:rest} <of> {d:duration}",
				"[...] {d:duration} {label:rest} timer",
				"[...] remind me to {label:rest} in {d:duration}",
				"[...] remind me in {d:duration} to {label:rest}",
				"[...] in {d:duration} remind me to {label:rest}",
				"[...] (remind | alert | notify | tell) me in {d:duration} (that | about) {label:rest}",
				"[...] (remind | tell) me (about | that) {label:rest} in {d:duration}",
				"[...] time {label:rest} for {d:duration}",
			},
		}, answerSetTimer},
		{match.Rule{
			Name:     "timer.ask",
			Patterns: []string{"set a [new] timer", "start a timer"},
			Loose: []string{
				"[<set>] [another | new | second] (timer | countdown) [going | running | set | started | start]",
				"timer [on]",
				"remind me",
				"count down",
				"start counting down",
				"... (set | start | make | create) [me] [a | another | the] timer (for | called | named | labeled) {label:rest}",
				"(set | start) [a] {label:thing} timer",
				"(set | start) [a | my | another] {label:rest} timer",
			},
		}, answerAskDuration},
		{match.Rule{
			Name:     "timer.answer",
			Patterns: []string{"[for] {d:duration}"},
			Loose:    []string{"{d:duration}"},
			Exact:    []string{"{n:count}", "make it {n:count}"},
		}, answerDuration},
		{match.Rule{
			Name: "timer.list",
			Patterns: []string{
				"how (long | much time) is left [on (my | the) [{l:thing}] timer]", "check (my | the) timer", "how long is left",
				"what timers (do i have | are running | are set)", "list [my | the] timers", "do i have any timers",
			},
			Loose: []string{
				"[time | long | longer | minutes | seconds | hours | status] [left | remain | remains | remaining | more | until | before | still] [on | in | of | for] [{l:thing}] <timers> [left | remaining | remain | goes | go | going | done | over | rings | ring | up | off | run | running | ends | end | finish | finishes | finished | have | has | still | yet | expires | expire | at | status | doing | close] [off]",
				"(time | long | minutes | seconds) (left | remaining | remain | remains | more)",
				"much longer [left | go | takes | take]",
				"[{n:count}] <timers> (have | running | active | set | going | on | open | are there | status | left | still)",
				"(list | name | read | status | show) [all] [active | running | current | open] <timers>",
				"any [active | running | current | open | other] <timers> [running | set | going | on | active | left | still]",
				"check [on] [{l:thing}] <timers>",
				"when [will | does | is] [{l:thing}] <timers> [go | going | done | over | ring | end | finish | up | expire] [off]",
				"(far along | close) [{l:thing}] <timers> [done]",
				"[is | are] <timers> [still | almost | nearly] (done | running | going | active | over | up | finished | ready)",
				"still [have] time left",
				"[all] [active | running | current] timers",
				"what (timers | timer)",
				"long until {l:thing} [timer] [is] (done | ready | finished)",
				"time left on {label:rest} timer",
				"long (left | remaining) [on | for] {l:thing}",
				"... left on [the | my] {label:rest} timer",
				"timer (check | status | report | update)",
				"(remaining | left) time [on] [timer]",
				"(long | time | much) until [{l:thing}] <timers> [goes | rings | done] [off]",
			},
		}, answerListTimers},
		{match.Rule{
			Name: "timer.cancel",
			Patterns: []string{
				"(cancel | stop | delete) (the | my) [{l:thing}] timer",
				"(cancel | stop | delete) {all:every} timers",
				"turn off the timer",
			},
			Loose: []string{
				"<cancel> [{all:every}] [of] [running | active | current | set | last] [{d:duration}] [{l:thing}] <timers> [set | running | now | made | counting | going]",
				"<timers> (off | cancel | stop | over | away)",
				"(turn | switch | shut | put) [{all:every}] [{d:duration}] [{l:thing}] <timers> off",
				"(turn | switch | shut) off [{all:every}] [{d:duration}] [{l:thing}] <timers>",
				"(dismiss | silence | quit | terminate | abandon) [{all:every}] [{d:duration}] [{l:thing}] <timers>",
				"never mind [about] [{all:every}] [{d:duration}] [{l:thing}] <timers>",
				"(do not | no longer) need [{all:every}] [{d:duration}] [{l:thing}] <timers> [anymore | any more | running]",
				"no more <timers>",
				"<timers> (is | are) [no longer | not] needed [anymore | any more]",
				"<cancel> countdown",
				"stop counting [down]",
				"<cancel> [the | my] {label:rest} timer",
				"<cancel> [the | my] timer (called | named | for) {label:rest}",
				"get rid of [{all:every}] [{d:duration}] [{l:thing}] <timers>",
				"let us not [<set>] [{l:thing}] <timers>",
				"<cancel> {all:every}",
				"changed [mind] <cancel> <timers>",
				"make <timers> stop",
				"throw (out | away) [{all:every}] <timers>",
				"shut [it] [off] <timers> [off]",
				"<cancel> [{all:every}] [of] <timers> that (are | is) running",
			},
		}, answerCancelTimer},
		{match.Rule{
			Name: "timer.cannot",
			Loose: []string{
				"(pause | resume | hold | extend | restart | unpause | continue | snooze) [{l:thing}] <timers> ...",
				"(add | put) {d:duration} [more] (to | on) [{l:thing}] <timers>",
				"(pause | resume | hold | extend | restart | unpause | snooze) [{l:thing}] <timers>",
				"take {d:duration} off [{l:thing}] <timers>",
				"... alarm (for | at) {time:rest}",
				"wake me [up] at {time:rest}",
				"set [an | the] alarm [clock]",
				"[...] remind me [to | about] {label:rest} (at | tomorrow | on) [...]",
				"(set | make) [a] reminder [...]",
				"(snooze | pause)",
			},
		}, func(r *request) reply {
			return say("I can't do that yet, but I can set, check and cancel timers that run for a while, like ten minutes.")
		}},
	}
}

// thingTerms are the things that timers are often set for.
func thingTerms() []match.Term {
	var terms []match.Term
	for _, name := range strings.Fields("tea coffee pasta rice pizza bread cake egg eggs oven laundry cookies potatoes chicken turkey dinner lunch breakfast homework nap workout break") {
		terms = append(terms, match.Term{Value: name, Spoken: []string{name}})
	}
	return terms
}

const cannotTime = "I can't set timers here, sorry."

// asked is how the model asks for the length of a timer; a duration that
// answers it sets one.
const asked = "For how long?"

func answerAskDuration(r *request) reply {
	if !r.offers("set_timer") {
		return reply{text: cannotTime}
	}
	if label := r.label(); label != "" {
		return say("A %s timer. %s", label, asked)
	}
	return say("A timer. %s", asked)
}

// askedLabel returns the label of the timer that the model asked about in its
// last answer; ok is false if it did not ask.
func (r *request) askedLabel() (label string, ok bool) {
	question, ok := strings.CutSuffix(r.lastAnswer(), " timer. "+asked)
	if ok {
		return strings.TrimPrefix(question, "A "), true
	}
	return "", r.lastAnswer() == "A timer. "+asked
}

func answerDuration(r *request) reply {
	label, ok := r.askedLabel()
	if !ok {
		return r.decline()
	}
	d, given := r.Duration("d")
	if n, bare := r.Int("n"); bare { // "five" after "for how long" means minutes
		d, given = time.Duration(n)*time.Minute, true
	}
	if !given {
		return r.decline()
	}
	return r.setTimer(d, label)
}

// label is what the user called the timer, "" if nothing.
func (r *request) label() string {
	if l, ok := r.Term("l"); ok {
		return l
	}
	label := r.Text("label")
	for _, article := range []string{"the ", "my ", "a ", "an "} {
		label = strings.TrimPrefix(label, article)
	}
	for _, ending := range []string{" please", " in"} {
		label = strings.TrimSuffix(label, ending)
	}
	return label
}

func answerSetTimer(r *request) reply {
	d, _ := r.Duration("d")
	return r.setTimer(d, r.label())
}

// maxTimer bounds a timer; a longer one is a date.
const maxTimer = 7 * 24 * time.Hour

func (r *request) setTimer(d time.Duration, label string) reply {
	switch {
	case !r.offers("set_timer"):
		return reply{text: cannotTime}
	case d < time.Second:
		return say("That's too short for a timer.")
	case d > maxTimer:
		return say("That's too long for a timer. I can do up to a week.")
	}
	var set struct {
		Seconds int    `json:"seconds"`
		Label   string `json:"label"`
	}
	done, trouble := r.result("set_timer", &set)
	if !done {
		return r.ask("set_timer", struct {
			Seconds int    `json:"seconds"`
			Label   string `json:"label,omitempty"`
		}{int(d / time.Second), label})
	}
	if trouble != "" {
		return say("Sorry, I couldn't set the timer: %s.", trouble)
	}
	if set.Seconds > 0 {
		d = time.Duration(set.Seconds) * time.Second
	}
	if label != "" {
		return say("Okay, your %s timer is set for %s.", label, length(d))
	}
	return say("Okay, %s, starting now.", length(d))
}

// timers is the result of list_timers.
type timers struct {
	Timers []timer `json:"timers"`
}

type timer struct {
	ID        string `json:"id"`
	Label     string `json:"label"`
	Remaining int    `json:"remaining_seconds"`
	Seconds   int    `json:"seconds"`
}

// name is what to call the timer among others: "the pasta timer", "the ten
// minutes timer".
func (t timer) name() string {
	if t.Label != "" {
		return fmt.Sprintf("the %s timer", t.Label)
	}
	return fmt.Sprintf("the timer for %s", length(time.Duration(t.Seconds)*time.Second))
}

func (t timer) remaining() string { return length(time.Duration(t.Remaining) * time.Second) }

func answerListTimers(r *request) reply {
	if !r.offers("list_timers") {
		return say("I can't look at timers here, sorry.")
	}
	var list timers
	done, trouble := r.result("list_timers", &list)
	if !done {
		return r.ask("list_timers", struct{}{})
	}
	if trouble != "" {
		return say("Sorry, I couldn't check the timers: %s.", trouble)
	}
	if label := r.label(); label != "" {
		for _, t := range list.Timers {
			if strings.EqualFold(t.Label, label) {
				return say("Your %s timer has %s left.", t.Label, t.remaining())
			}
		}
	}
	switch len(list.Timers) {
	case 0:
		return say("There are no timers running.")
	case 1:
		t := list.Timers[0]
		if t.Label != "" {
			return say("Your %s timer has %s left.", t.Label, t.remaining())
		}
		return say("Your timer has %s left.", t.remaining())
	}
	var parts []string
	for _, t := range list.Timers {
		parts = append(parts, fmt.Sprintf("%s has %s left", t.name(), t.remaining()))
	}
	return say("You have %s timers: %s.", inWords(len(parts)), strings.Join(parts, "; "))
}
