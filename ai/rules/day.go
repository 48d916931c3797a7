package rules

import (
	"fmt"
	"time"

	"edged/ai/match"
)

// Days are compared and counted by number, so that daylight saving time does
// not matter.

// dayNumber numbers the calendar days of t's own location.
func dayNumber(t time.Time) int {
	y, m, d := t.Date()
	return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// addDays returns noon of the day n days after t.
func addDays(t time.Time, n int) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d+n, 12, 0, 0, 0, t.Location())
}

// addMonths returns the same day n months after t, or the last day of that
// month where it is shorter.
func addMonths(t time.Time, n int) time.Time {
	y, m, d := t.Date()
	first := time.Date(y, m+time.Month(n), 1, 12, 0, 0, 0, t.Location())
	return first.AddDate(0, 0, min(d, monthLength(first.Year(), first.Month()))-1)
}

func monthLength(year int, m time.Month) int {
	return time.Date(year, m+1, 0, 12, 0, 0, 0, time.UTC).Day()
}

// calendarDay is a day that somebody named.
type calendarDay struct {
	time.Time
	// name is what it was called, empty for a plain date.
	name string
}

// dayNamed reads the day that the slots with the given suffix name. Days
// without a year are the next ones from today on, or the latest ones up to
// today when past is set. ok is false when there is no such day, and wrong then
// says why.
func (r *request) dayNamed(suffix string, past bool) (day calendarDay, wrong string, ok bool) {
	if f, is := r.Term("f" + suffix); is {
		return calendarDay{nearest(r.now, past, func(year int) time.Time { return feastDay(f, year, r.now.Location()) }), f}, "", true
	}
	if k, is := r.Term("k" + suffix); is {
		return calendarDay{addDays(r.now, nearDayOffset(k)), ""}, "", true
	}
	if w, is := r.Weekday("w" + suffix); is {
		way, _ := r.Term("way" + suffix)
		return calendarDay{r.weekdayDate(w, past || way == "last", way == "next"), ""}, "", true
	}
	return r.dateNamed(suffix, past)
}

// dateNamed reads a date with a month, or an ordinal alone.
func (r *request) dateNamed(suffix string, past bool) (calendarDay, string, bool) {
	d, isDay := r.Int("o" + suffix)
	if !isDay {
		d, isDay = r.Int("c" + suffix)
	}
	if !isDay {
		return calendarDay{}, "I didn't get which day you mean.", false
	}
	m, isMonth := r.Month("m" + suffix)
	if !isMonth {
		m = r.now.Month()
		if d < r.now.Day() {
			m++
		}
		t := time.Date(r.now.Year(), m, d, 12, 0, 0, 0, r.now.Location())
		return calendarDay{t, ""}, "That month is too short for that.", d >= 1 && t.Day() == d
	}
	// 2024 is a leap year: February 29 exists.
	if d < 1 || d > monthLength(2024, m) {
		return calendarDay{}, fmt.Sprintf("%s doesn't have a day %d.", m, d), false
	}
	on := func(year int) time.Time { return time.Date(year, m, d, 12, 0, 0, 0, r.now.Location()) }
	if y, is := r.Int("y" + suffix); is {
		return calendarDay{on(y), ""}, fmt.Sprintf("There is no %s %d in %d.", m, d, y), on(y).Day() == d && y > 0 && y < 10000
	}
	return calendarDay{nearest(r.now, past, on), ""}, "", true
}

// nearest returns the first day that on gives for a year, today or later, or
// the last one up to today when past is set.
func nearest(now time.Time, past bool, on func(year int) time.Time) time.Time {
	day := on(now.Year())
	switch {
	case past && dayNumber(day) > dayNumber(now):
		return on(now.Year() - 1)
	case !past && dayNumber(day) < dayNumber(now):
		return on(now.Year() + 1)
	}
	return day
}

// weekdayDate returns the next w from today on, after today when strictly is
// set; or the last one before today.
func (r *request) weekdayDate(w time.Weekday, past, strictly bool) time.Time {
	ahead := (int(w-r.now.Weekday()) + 7) % 7
	switch {
	case past:
		return addDays(r.now, ahead-7)
	case ahead == 0 && strictly:
		ahead = 7
	}
	return addDays(r.now, ahead)
}

// nearDayTerms are the days next to today. The value is the offset.
func nearDayTerms() []match.Term {
	return []match.Term{
		{Value: "0", Written: []string{"today"}},
		{Value: "1", Spoken: []string{"tomorrow", "tomorrow's"}, Written: []string{"tomorrows", "the day after today", "day after today", "next day", "tmrw"}},
		{Value: "-1", Spoken: []string{"yesterday", "yesterday's"}, Written: []string{"yesterdays", "the day before today", "day before today"}},
		{Value: "2", Spoken: []string{"the day after tomorrow"}, Written: []string{"day after tomorrow"}},
		{Value: "-2", Spoken: []string{"the day before yesterday"}, Written: []string{"day before yesterday"}},
	}
}

func nearDayOffset(value string) int {
	var n int
	if _, err := fmt.Sscan(value, &n); err != nil {
		return 0
	}
	return n
}

func nearDayName(offset int) string {
	return map[int]string{0: "today", 1: "tomorrow", -1: "yesterday", 2: "the day after tomorrow", -2: "the day before yesterday"}[offset]
}

func periodTerms() []match.Term {
	return []match.Term{
		{Value: "day", Spoken: []string{"day", "days"}, Written: []string{"nights", "day's"}},
		{Value: "week", Spoken: []string{"week", "weeks"}, Written: []string{"wk", "wks"}},
		{Value: "month", Spoken: []string{"month", "months"}},
		{Value: "year", Spoken: []string{"year", "years"}, Written: []string{"yr", "yrs"}},
		{Value: "fortnight", Written: []string{"fortnight", "fortnights"}},
		{Value: "decade", Written: []string{"decade", "decades"}},
	}
}

// addPeriod returns the day n periods after t.
func addPeriod(t time.Time, n int, period string) time.Time {
	switch period {
	case "week":
		return addDays(t, 7*n)
	case "fortnight":
		return addDays(t, 14*n)
	case "month":
		return addMonths(t, n)
	case "year":
		return addMonths(t, 12*n)
	case "decade":
		return addMonths(t, 120*n)
	}
	return addDays(t, n)
}
