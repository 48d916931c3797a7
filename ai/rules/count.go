package rules

import (
	"fmt"
	"time"
)

// The answers of the calendar skills.

func answerLeapYear(r *request) reply {
	year, given := r.Int("y")
	if !given {
		year = r.now.Year()
	}
	if monthLength(year, time.February) == 29 {
		return say("Yes, %d is a leap year.", year)
	}
	return say("No, %d is not a leap year.", year)
}

func answerNearDay(r *request) reply {
	k, _ := r.Term("k")
	offset := nearDayOffset(k)
	verb := "is"
	if offset < 0 {
		verb = "was"
	}
	return say("%s %s %s.", capitalised(nearDayName(offset)), verb, fullDate(addDays(r.now, offset)))
}

// maxOffset bounds date arithmetic: four-digit years.
const maxOffset = 2_000_000

func answerOffset(r *request) reply {
	n, given := r.Int("n")
	switch {
	case !given && r.Has("n"), n > maxOffset:
		return say("That's further than my calendar goes.")
	case !given:
		n = 1
	}
	period, _ := r.Term("p")
	back := r.Has("b")
	signed := n
	if back {
		signed = -n
	}
	day := addPeriod(r.now, signed, period)
	if day.Year() < 1 || day.Year() > 9999 {
		return say("That's further than my calendar goes.")
	}
	distance := amount(n, period, period+"s")
	if back {
		return say("%s ago it was %s.", capitalised(distance), fullDate(day))
	}
	return say("In %s it will be %s.", distance, fullDate(day))
}

func answerWeekday(r *request) reply {
	w, _ := r.Weekday("w")
	way, _ := r.Term("way")
	day := r.weekdayDate(w, way == "last", way == "next")
	if way == "last" {
		return say("Last %s was %s, %s ago.", w, day.Format("January 2, 2006"), r.distance(day))
	}
	if dayNumber(day) == dayNumber(r.now) {
		return say("Today is %s, %s.", w, day.Format("January 2, 2006"))
	}
	return say("%s is %s, %s from now.", w, day.Format("January 2, 2006"), r.distance(day))
}

// distance is how far day is from today, in words without a direction.
func (r *request) distance(day time.Time) string {
	n := dayNumber(day) - dayNumber(r.now)
	if n < 0 {
		n = -n
	}
	return amount(n, "day", "days")
}

func answerCheck(r *request) reply {
	if m, is := r.Month("m"); is {
		if m == r.now.Month() {
			return say("Yes, it's %s.", m)
		}
		return say("No, it's %s.", r.now.Month())
	}
	w, _ := r.Weekday("w")
	k, _ := r.Term("k")
	offset := nearDayOffset(k) // "" is today
	day, verb := addDays(r.now, offset), "is"
	if offset < 0 {
		verb = "was"
	}
	yes := "No"
	if day.Weekday() == w {
		yes = "Yes"
	}
	return say("%s, %s %s %s.", yes, nearDayName(offset), verb, fullDate(day))
}

func answerWeekend(r *request) reply {
	k, _ := r.Term("k")
	day := addDays(r.now, nearDayOffset(k))
	if w := day.Weekday(); w == time.Saturday || w == time.Sunday {
		return say("Yes, %s is %s.", nearDayName(nearDayOffset(k)), w)
	}
	if k != "" && k != "0" {
		return say("No, %s is %s.", nearDayName(nearDayOffset(k)), day.Weekday())
	}
	n := int(time.Saturday - day.Weekday())
	return say("Not yet. It's %s, so it's %s until Saturday.", day.Weekday(), amount(n, "day", "days"))
}

func answerUntilDay(r *request) reply {
	day, wrong, ok := r.dayNamed("", false)
	if !ok {
		return reply{text: wrong}
	}
	what := fullDate(day.Time)
	if day.name != "" {
		what = fmt.Sprintf("%s is on %s", day.name, what)
	} else {
		what = "It's " + what
	}
	n := dayNumber(day.Time) - dayNumber(r.now)
	switch {
	case n == 0:
		return say("%s. That's today!", what)
	case n == 1:
		return say("%s. That's tomorrow, one day from now.", what)
	case n < 0:
		return say("%s, %s ago.", what, amount(-n, "day", "days"))
	}
	return say("%s. That's %s from now.", what, r.inPeriods(n))
}

// inPeriods words n days, and the same in weeks or months where those were asked
// for.
func (r *request) inPeriods(n int) string {
	days := amount(n, "day", "days")
	switch q, _ := r.Term("q"); {
	case q == "week" && n >= 7:
		weeks := amount(n/7, "week", "weeks")
		if n%7 > 0 {
			weeks += " and " + amount(n%7, "day", "days")
		}
		return weeks + ", or " + days + ","
	case q == "month" && n >= 28:
		months := 0
		for dayNumber(addMonths(r.now, months+1)) <= dayNumber(r.now)+n {
			months++
		}
		rest := dayNumber(r.now) + n - dayNumber(addMonths(r.now, months))
		text := amount(months, "month", "months")
		if rest > 0 {
			text += " and " + amount(rest, "day", "days")
		}
		return text + ", or " + days + ","
	}
	return days
}

func answerLeft(r *request) reply {
	span, _ := r.Term("span")
	y, m, _ := r.now.Date()
	var n int
	switch span {
	case "month":
		n = monthLength(y, m) - r.now.Day()
	case "week": // weeks end on Sunday
		n = (7 - int(r.now.Weekday())) % 7
	default:
		span = "year"
		n = dayNumber(time.Date(y, time.December, 31, 12, 0, 0, 0, r.now.Location())) - dayNumber(r.now)
	}
	if n == 0 {
		return say("Today is the last day of the %s.", span)
	}
	return say("There %s left in this %s after today.", areDays(n), span)
}

func areDays(n int) string {
	if n == 1 {
		return "is one day"
	}
	return "are " + inWords(n) + " days"
}

func answerSince(r *request) reply {
	day, wrong, ok := r.dayNamed("", true)
	if !ok {
		return reply{text: wrong}
	}
	n := dayNumber(r.now) - dayNumber(day.Time)
	name := fullDate(day.Time)
	if day.name != "" {
		name = fmt.Sprintf("%s on %s", day.name, name)
	}
	if n == 0 {
		return say("That's today: %s.", fullDate(day.Time))
	}
	return say("It has been %s since %s.", amount(n, "day", "days"), name)
}

func answerBetween(r *request) reply {
	from, wrong, ok := r.dayNamed("", false)
	if !ok {
		return reply{text: wrong}
	}
	to, wrong, ok := r.dayNamed("2", false)
	if !ok {
		return reply{text: wrong}
	}
	n := dayNumber(to.Time) - dayNumber(from.Time)
	if n < 0 && from.Year() == to.Year()+1 { // the first one is next year's only because it has passed
		from.Time = from.AddDate(-1, 0, 0)
		n = dayNumber(to.Time) - dayNumber(from.Time)
	}
	if n < 0 {
		n = -n
	}
	return say("From %s to %s it's %s.", from.Format("January 2"), to.Format("January 2"), amount(n, "day", "days"))
}

func answerMonthLength(r *request) reply {
	m, given := r.Month("m")
	if !given {
		m = r.now.Month()
	}
	year := r.now.Year()
	if m == time.February {
		return say("February has %d days this year.", monthLength(year, m))
	}
	return say("%s has %d days.", m, monthLength(year, m))
}
