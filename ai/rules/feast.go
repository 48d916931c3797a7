package rules

import (
	"time"

	"edged/ai/match"
)

// feastTerms are the holidays the calendar knows. The value is their name.
func feastTerms() []match.Term {
	return []match.Term{
		{Value: "Christmas", Spoken: []string{"christmas"}, Written: []string{"christmas day", "xmas", "x mas", "christmas this year"}},
		{Value: "Christmas Eve", Spoken: []string{"christmas eve"}, Written: []string{"xmas eve"}},
		{Value: "Boxing Day", Written: []string{"boxing day"}},
		{Value: "New Year's Eve", Spoken: []string{"new year's eve"}, Written: []string{"new years eve", "silvester"}},
		{Value: "New Year's Day", Spoken: []string{"new year's day"}, Written: []string{
			"new year's", "new years", "new years day", "new year", "the new year", "the next year", "next year"}},
		{Value: "Valentine's Day", Spoken: []string{"valentine's day"}, Written: []string{"valentines day", "valentine's", "valentines"}},
		{Value: "Saint Patrick's Day", Written: []string{
			"saint patrick's day", "st patrick's day", "saint patricks day", "st patricks day", "saint paddy's day"}},
		{Value: "April Fools' Day", Written: []string{"april fools", "april fools day", "april fool's day", "april fool's"}},
		{Value: "Easter", Spoken: []string{"easter"}, Written: []string{"easter sunday"}},
		{Value: "Good Friday", Written: []string{"good friday"}},
		{Value: "Earth Day", Written: []string{"earth day"}},
		{Value: "Mother's Day", Written: []string{"mother's day", "mothers day"}},
		{Value: "Father's Day", Written: []string{"father's day", "fathers day"}},
		{Value: "Memorial Day", Written: []string{"memorial day"}},
		{Value: "Independence Day", Written: []string{"independence day"}},
		{Value: "Labor Day", Written: []string{"labor day", "labour day"}},
		{Value: "Halloween", Spoken: []string{"halloween"}},
		{Value: "Veterans Day", Written: []string{"veterans day", "veteran's day"}},
		{Value: "Thanksgiving", Spoken: []string{"thanksgiving"}, Written: []string{"thanksgiving day"}},
	}
}

// feastDay returns noon of the holiday in a year. Holidays that countries keep
// on different days are those of the United States, as the spelling is.
func feastDay(name string, year int, loc *time.Location) time.Time {
	on := func(m time.Month, d int) time.Time { return time.Date(year, m, d, 12, 0, 0, 0, loc) }
	switch name {
	case "Christmas":
		return on(time.December, 25)
	case "Christmas Eve":
		return on(time.December, 24)
	case "Boxing Day":
		return on(time.December, 26)
	case "New Year's Eve":
		return on(time.December, 31)
	case "Valentine's Day":
		return on(time.February, 14)
	case "Saint Patrick's Day":
		return on(time.March, 17)
	case "April Fools' Day":
		return on(time.April, 1)
	case "Easter":
		return easter(year, loc)
	case "Good Friday":
		return addDays(easter(year, loc), -2)
	case "Earth Day":
		return on(time.April, 22)
	case "Mother's Day":
		return nthWeekday(on(time.May, 1), time.Sunday, 2)
	case "Father's Day":
		return nthWeekday(on(time.June, 1), time.Sunday, 3)
	case "Memorial Day": // the last Monday in May
		return addDays(nthWeekday(on(time.June, 1), time.Monday, 1), -7)
	case "Independence Day":
		return on(time.July, 4)
	case "Labor Day":
		return nthWeekday(on(time.September, 1), time.Monday, 1)
	case "Halloween":
		return on(time.October, 31)
	case "Veterans Day":
		return on(time.November, 11)
	case "Thanksgiving":
		return nthWeekday(on(time.November, 1), time.Thursday, 4)
	}
	return on(time.January, 1) // New Year's Day
}

// nthWeekday returns the nth w of the month that begins on first.
func nthWeekday(first time.Time, w time.Weekday, n int) time.Time {
	return addDays(first, (int(w-first.Weekday())+7)%7+7*(n-1))
}

// easter returns Easter Sunday of the Gregorian calendar, by the anonymous
// algorithm published in Nature, 20 April 1876, and in Meeus, Astronomical
// Algorithms, chapter 8.
func easter(year int, loc *time.Location) time.Time {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	f := (b + 8) / 25
	g := (b - f + 1) / 3
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	month, day := (h+l-7*m+114)/31, (h+l-7*m+114)%31+1
	return time.Date(year, time.Month(month), day, 12, 0, 0, 0, loc)
}
