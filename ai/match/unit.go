package match

import "strings"

// Dimension is what a unit measures. Only units of one dimension convert into
// each other.
type Dimension string

const (
	Length      Dimension = "length"
	Weight      Dimension = "weight"
	Temperature Dimension = "temperature"
	Volume      Dimension = "volume"
	Speed       Dimension = "speed"
	Time        Dimension = "time"
)

// Unit is a unit of measurement, as found by a slot of type unit.
type Unit struct {
	// Name is the unit's name for one: "mile", "degree Celsius". It identifies
	// the unit.
	Name string
	// Plural is its name for any other amount: "miles", "degrees Celsius".
	Plural    string
	Dimension Dimension
}

// unitSpelling is a Unit with what it is called. The first word of a spelling
// may be followed by "s" in the plural where it is listed so.
type unitSpelling struct {
	unit Unit
	// spoken are the names people say; they are part of the grammar.
	spoken string
	// written are the names that only occur in writing, or that a recogniser
	// does not have in its dictionary.
	written string
}

// Units returns all units that a slot of type unit knows, in a fixed order.
func Units() []Unit {
	var units []Unit
	for _, s := range unitSpellings {
		units = append(units, s.unit)
	}
	return units
}

// unitPhrases returns the spellings of all units. Names are separated by
// commas in the table.
func unitPhrases() []phrase {
	var out []phrase
	for _, s := range unitSpellings {
		for _, name := range splitNames(s.spoken) {
			out = append(out, phrase{name, s.unit, true})
		}
		for _, name := range splitNames(s.written) {
			out = append(out, phrase{name, s.unit, false})
		}
	}
	return out
}

func splitNames(list string) [][]string {
	var names [][]string
	for name := range strings.SplitSeq(list, ",") {
		if words := strings.Fields(name); len(words) > 0 {
			names = append(names, words)
		}
	}
	return names
}

var unitSpellings = []unitSpelling{
	{Unit{"millimeter", "millimeters", Length}, "millimeter, millimeters", "millimetre, millimetres, mm"},
	{Unit{"centimeter", "centimeters", Length}, "centimeter, centimeters", "centimetre, centimetres, cm, cms"},
	{Unit{"meter", "meters", Length}, "meter, meters", "metre, metres, m"},
	{Unit{"kilometer", "kilometers", Length}, "kilometer, kilometers", "kilometre, kilometres, km, kms, k"},
	{Unit{"inch", "inches", Length}, "inch, inches", ""},
	{Unit{"foot", "feet", Length}, "foot, feet", "ft"},
	{Unit{"yard", "yards", Length}, "yard, yards", "yd, yds"},
	{Unit{"mile", "miles", Length}, "mile, miles", "mi"},
	{Unit{"nautical mile", "nautical miles", Length}, "nautical mile, nautical miles", ""},
	{Unit{"light year", "light years", Length}, "light year, light years", "lightyear, lightyears"},

	{Unit{"milligram", "milligrams", Weight}, "milligram, milligrams", "mg"},
	{Unit{"gram", "grams", Weight}, "gram, grams", "gramme, grammes, g"},
	{Unit{"kilogram", "kilograms", Weight}, "kilogram, kilograms, kilo, kilos", "kg, kgs"},
	{Unit{"metric ton", "metric tons", Weight}, "metric ton, metric tons, tonne, tonnes", ""},
	{Unit{"ounce", "ounces", Weight}, "ounce, ounces", "oz"},
	{Unit{"pound", "pounds", Weight}, "pound, pounds", "lb, lbs"},
	{Unit{"stone", "stone", Weight}, "stone", "stones"},
	{Unit{"ton", "tons", Weight}, "ton, tons", "short ton, short tons, us ton, us tons"},

	{Unit{"degree Celsius", "degrees Celsius", Temperature},
		"degrees celsius, celsius, degrees centigrade, centigrade", "degree celsius, degree centigrade, degrees c, c"},
	{Unit{"degree Fahrenheit", "degrees Fahrenheit", Temperature},
		"degrees fahrenheit, fahrenheit", "degree fahrenheit, degrees f, f"},
	{Unit{"kelvin", "kelvin", Temperature}, "kelvin, degrees kelvin", "kelvins, degree kelvin"},

	{Unit{"milliliter", "milliliters", Volume}, "milliliter, milliliters", "millilitre, millilitres, ml, mls"},
	{Unit{"centiliter", "centiliters", Volume}, "", "centiliter, centiliters, centilitre, centilitres, cl"},
	{Unit{"liter", "liters", Volume}, "liter, liters", "litre, litres, l"},
	{Unit{"cubic meter", "cubic meters", Volume}, "cubic meter, cubic meters", "cubic metre, cubic metres"},
	{Unit{"teaspoon", "teaspoons", Volume}, "teaspoon, teaspoons", "tsp, tsps"},
	{Unit{"tablespoon", "tablespoons", Volume}, "tablespoon, tablespoons", "tbsp, tbsps"},
	{Unit{"fluid ounce", "fluid ounces", Volume}, "fluid ounce, fluid ounces", "fl oz"},
	{Unit{"cup", "cups", Volume}, "cup, cups", ""},
	{Unit{"pint", "pints", Volume}, "pint, pints", "pt, pts"},
	{Unit{"quart", "quarts", Volume}, "quart, quarts", "qt, qts"},
	{Unit{"gallon", "gallons", Volume}, "gallon, gallons", "gal, gals"},

	{Unit{"kilometer per hour", "kilometers per hour", Speed},
		"kilometers per hour, kilometers an hour",
		"kilometer per hour, kilometres per hour, kilometres an hour, kph, kmh, k per hour"},
	{Unit{"mile per hour", "miles per hour", Speed}, "miles per hour, miles an hour", "mile per hour, mph"},
	{Unit{"meter per second", "meters per second", Speed},
		"meters per second, meters a second", "meter per second, metres per second, metres a second"},
	{Unit{"foot per second", "feet per second", Speed}, "feet per second", "foot per second, fps"},
	{Unit{"knot", "knots", Speed}, "knot, knots", "kt, kts"},

	{Unit{"millisecond", "milliseconds", Time}, "", "millisecond, milliseconds, ms, msec"},
	{Unit{"second", "seconds", Time}, "second, seconds", "sec, secs"},
	{Unit{"minute", "minutes", Time}, "minute, minutes", "min, mins"},
	{Unit{"hour", "hours", Time}, "hour, hours", "hr, hrs"},
	{Unit{"day", "days", Time}, "day, days", ""},
	{Unit{"week", "weeks", Time}, "week, weeks", "wk, wks"},
	{Unit{"fortnight", "fortnights", Time}, "fortnight", "fortnights"},
	{Unit{"month", "months", Time}, "month, months", ""},
	{Unit{"year", "years", Time}, "year, years", "yr, yrs"},
	{Unit{"decade", "decades", Time}, "decade, decades", ""},
	{Unit{"century", "centuries", Time}, "century, centuries", ""},
}
