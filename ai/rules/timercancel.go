package rules

import (
	"fmt"
	"strings"
	"time"
)

// cancelArguments are those of the tool cancel_timer.
type cancelArguments struct {
	Label string `json:"label,omitempty"`
	All   bool   `json:"all,omitempty"`
}

// answerCancelTimer cancels by name, all, or the only one. A timer that is
// meant by its length ("the five minute timer") is looked up first, where the
// caller offers that.
func answerCancelTimer(r *request) reply {
	if !r.offers("cancel_timer") {
		return say("I can't cancel timers here, sorry.")
	}
	arguments := cancelArguments{Label: r.label(), All: r.Has("all")}
	if d, byLength := r.Duration("d"); byLength && arguments == (cancelArguments{}) && r.offers("list_timers") {
		var list timers
		done, trouble := r.result("list_timers", &list)
		if !done {
			return r.ask("list_timers", struct{}{})
		}
		if trouble != "" {
			return say("Sorry, I couldn't check the timers: %s.", trouble)
		}
		t, unique := findByLength(list.Timers, d)
		switch {
		case !unique:
			return say("I can't tell which timer you mean. %s", nameTimers(list.Timers))
		case t.Label == "" && len(list.Timers) > 1:
			return say("I can't pick that one out of %s. I can cancel all of them if you like.", inWords(len(list.Timers)))
		}
		arguments.Label = t.Label
	}
	var result struct {
		Cancelled int `json:"cancelled"`
	}
	done, trouble := r.result("cancel_timer", &result)
	if !done {
		return r.ask("cancel_timer", arguments)
	}
	if trouble != "" {
		return say("Sorry, I couldn't cancel the timer: %s.", trouble)
	}
	switch {
	case result.Cancelled == 0 && arguments.Label != "":
		return say("There is no %s timer to cancel.", arguments.Label)
	case result.Cancelled == 0:
		return say("There is no timer to cancel.")
	case result.Cancelled > 1:
		return say("Okay, I cancelled %s timers.", inWords(result.Cancelled))
	case arguments.Label != "":
		return say("Okay, I cancelled the %s timer.", arguments.Label)
	}
	return say("Okay, I cancelled the timer.")
}

// findByLength returns the one timer that was set for d; unique is false when
// there is none or several.
func findByLength(list []timer, d time.Duration) (found timer, unique bool) {
	for _, t := range list {
		if time.Duration(t.Seconds)*time.Second == d {
			if unique {
				return timer{}, false
			}
			found, unique = t, true
		}
	}
	return found, unique
}

func nameTimers(list []timer) string {
	if len(list) == 0 {
		return "There are no timers running."
	}
	var names []string
	for _, t := range list {
		names = append(names, t.name())
	}
	return fmt.Sprintf("There is %s.", strings.Join(names, ", "))
}
