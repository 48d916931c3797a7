package rules

import (
	"math/big"

	"edged/ai/match"
)

// unitSkills convert units of measurement.
func unitSkills() []skill {
	return []skill{
		{match.Rule{
			Name: "unit.convert",
			Patterns: []string{
				"(convert | what is | how much is) {n:number} {u:unit} (to | in | into) {v:unit}",
				"how many {v:unit} (are | is) [there] in ({n:number} | a | an) {u:unit}",
			},
			Loose: []string{
				"[<convert>] ({n:number} | a | an) {u:unit} (to | in | into | as | equal | equals | equate | is | are | be | make | makes) {v:unit}",
				"{v:unit} [there | equal | equals | are | is | make | makes | go | fit | does | do | contained | contain] [in | to | into] ({n:number} | a | an) {u:unit} [make | have | contain | equal | equals | hold | convert]",
				"({n:number} | a | an) {u:unit} [is | are | equal | equals | equates | has | make | makes | contain | contains] {v:unit}",
				"(far | long | tall | heavy | hot | warm | cold | fast | big | high | deep | wide | quick) [is | are] {n:number} {u:unit} [in | to] {v:unit}",
				"(amount | number) of {v:unit} [are | is | in] ({n:number} | a | an) {u:unit}",
				"{n:number} {u:unit} [<convert>] [in | to | into] {v:unit}",
				"... {n:number} {u:unit} [long | tall | high | wide | deep | heavy | old | far] [in | to | into | as] {v:unit}",
				"(the) {v:unit} (equivalent | conversion | value) [of | for] ({n:number} | a | an) {u:unit}",
				"({n:number} | a | an) {u:unit} (amount | come | work | converts | convert | converted | translate) [out] [to | into] {v:unit}",
				"[<convert>] [between | from] {u:unit} (to | into | and | in) {v:unit}",
				"[<convert>] {u:unit} [to | into | in] {v:unit}",
				"{v:unit} (in | to | make) {u:unit}",
			},
		}, answerConvert},
		{match.Rule{
			Name: "unit.degrees",
			Loose: []string{
				"[<convert>] {n:number} (degrees | degree) [in | to | into | as] {v:unit}",
				"(hot | warm | cold) {n:number} (degrees | degree) [in | to] {v:unit}",
				"{v:unit} {n:number} (degrees | degree)",
			},
		}, answerDegrees},
		{match.Rule{
			Name: "unit.compound",
			Loose: []string{
				"[<convert>] {n:number} (foot | feet) [and] {n2:number} [inches | inch] [to | in | into] {v:unit}",
				"{v:unit} [is | are] [in] {n:number} (foot | feet) [and] {n2:number} [inches | inch]",
				"(tall | high | long) {n:number} (foot | feet) [and] {n2:number} [inches | inch] [in] {v:unit}",
			},
		}, answerFeetAndInches},
		{match.Rule{
			Name:  "unit.help",
			Loose: []string{"(convert | conversion | conversions) [units | measurements | unit | measurement]"},
		}, func(r *request) reply {
			return say("I can convert length, weight, temperature, volume, speed and time. Try ten miles in kilometers.")
		}},
	}
}

func unitFragments() map[string]string {
	return map[string]string{"convert": "convert | change | turn | translate | switch | express | transform | calculate | conversion | converted | difference | relationship | figure out | compute | converting | changing"}
}

// Exact factors to the base unit of each dimension: meter, gram, milliliter, meter
// per hour, second. Temperature is not a factor; see toKelvin.
//
// Sources: the international yard and pound agreement of 1959 (1 yard =
// 0.9144 m, 1 pound = 453.59237 g); the nautical mile of 1,852 m (First
// International Extraordinary Hydrographic Conference, Monaco 1929); the light
// year of a Julian year at 299,792,458 m/s (International Astronomical Union);
// the US gallon of 231 cubic inches, with its parts, as in NIST Handbook 44,
// appendix C (1 cubic inch = 16.387064 ml); the short ton of 2,000 pounds and
// the stone of 14 pounds.
var unitFactors = map[string]*big.Rat{
	// length, in meters
	"millimeter": big.NewRat(1, 1000), "centimeter": big.NewRat(1, 100), "meter": big.NewRat(1, 1),
	"kilometer": big.NewRat(1000, 1), "inch": big.NewRat(254, 10000), "foot": big.NewRat(3048, 10000),
	"yard": big.NewRat(9144, 10000), "mile": big.NewRat(1609344, 1000), "nautical mile": big.NewRat(1852, 1),
	"light year": big.NewRat(9460730472580800, 1),
	// weight, in grams
	"milligram": big.NewRat(1, 1000), "gram": big.NewRat(1, 1), "kilogram": big.NewRat(1000, 1),
	"metric ton": big.NewRat(1000000, 1), "ounce": big.NewRat(45359237, 1600000),
	"pound": big.NewRat(45359237, 100000), "stone": big.NewRat(14*45359237, 100000),
	"ton": big.NewRat(2000*45359237, 100000),
	// volume, in milliliters
	"milliliter": big.NewRat(1, 1), "centiliter": big.NewRat(10, 1), "liter": big.NewRat(1000, 1),
	"cubic meter": big.NewRat(1000000, 1),
	"gallon":      gallonPart(1), "quart": gallonPart(4), "pint": gallonPart(8), "cup": gallonPart(16),
	"fluid ounce": gallonPart(128), "tablespoon": gallonPart(256), "teaspoon": gallonPart(768),
	// speed, in meters per hour
	"kilometer per hour": big.NewRat(1000, 1), "mile per hour": big.NewRat(1609344, 1000),
	"meter per second": big.NewRat(3600, 1), "foot per second": big.NewRat(3048*3600, 10000), "knot": big.NewRat(1852, 1),
	// time, in seconds; a year is a common year of 365 days and a month a
	// twelfth of it
	"millisecond": big.NewRat(1, 1000), "second": big.NewRat(1, 1), "minute": big.NewRat(60, 1),
	"hour": big.NewRat(3600, 1), "day": big.NewRat(86400, 1), "week": big.NewRat(7*86400, 1),
	"fortnight": big.NewRat(14*86400, 1), "month": big.NewRat(365*86400, 12), "year": big.NewRat(365*86400, 1),
	"decade": big.NewRat(3650*86400, 1), "century": big.NewRat(36500*86400, 1),
}

// gallonPart returns milliliters: a US gallon is 231 cubic inches of
// 16.387064 ml.
func gallonPart(n int64) *big.Rat { return big.NewRat(231*16387064, n*1000000) }

// convert returns n of from in units of to. ok is false when they measure
// different things.
func convert(n *big.Rat, from, to match.Unit) (result *big.Rat, ok bool) {
	if from.Dimension != to.Dimension {
		return nil, false
	}
	if from.Dimension == match.Temperature {
		return fromKelvin(toKelvin(n, from), to), true
	}
	result = new(big.Rat).Mul(n, unitFactors[from.Name])
	return result.Quo(result, unitFactors[to.Name]), true
}

// The zero of the Celsius scale is 273.15 kelvin; a degree Fahrenheit is five
// ninths of a kelvin and 32 of them lie below the zero of Celsius.
var (
	celsiusZero = big.NewRat(27315, 100)
	fiveNinths  = big.NewRat(5, 9)
	thirtyTwo   = big.NewRat(32, 1)
)

func toKelvin(n *big.Rat, from match.Unit) *big.Rat {
	k := new(big.Rat).Set(n)
	switch from.Name {
	case "degree Fahrenheit":
		k.Sub(k, thirtyTwo)
		k.Mul(k, fiveNinths)
		return k.Add(k, celsiusZero)
	case "degree Celsius":
		return k.Add(k, celsiusZero)
	}
	return k
}

func fromKelvin(k *big.Rat, to match.Unit) *big.Rat {
	n := new(big.Rat).Set(k)
	switch to.Name {
	case "degree Fahrenheit":
		n.Sub(n, celsiusZero)
		n.Quo(n, fiveNinths)
		return n.Add(n, thirtyTwo)
	case "degree Celsius":
		return n.Sub(n, celsiusZero)
	}
	return n
}

func answerConvert(r *request) reply {
	u, _ := r.Unit("u")
	v, _ := r.Unit("v")
	n, given := r.Number("n")
	if !given {
		n = big.NewRat(1, 1)
	}
	return conversion(n, u, v)
}

// conversionDecimals is to how many decimals a conversion is given.
const conversionDecimals = 2

func conversion(n *big.Rat, u, v match.Unit) reply {
	u, v = fluid(u, v), fluid(v, u)
	result, ok := convert(n, u, v)
	if !ok {
		return say("I can't turn %s into %s: one is a %s and the other a %s.", u.Plural, v.Plural, u.Dimension, v.Dimension)
	}
	return say("%s %s %s.", capitalised(quantity(n, u, 6)), be(n), quantity(result, v, conversionDecimals))
}

// fluid reads ounces as fluid ounces beside a unit of volume.
func fluid(u, beside match.Unit) match.Unit {
	if u.Name == "ounce" && beside.Dimension == match.Volume {
		return match.Unit{Name: "fluid ounce", Plural: "fluid ounces", Dimension: match.Volume}
	}
	return u
}

// quantity writes a number with its unit.
func quantity(n *big.Rat, u match.Unit, decimals int) string {
	if n.Cmp(big.NewRat(1, 1)) == 0 {
		return "one " + u.Name
	}
	if decimals == 6 {
		return operand(n) + " " + u.Plural
	}
	return about(n, decimals) + " " + u.Plural
}

func be(n *big.Rat) string {
	if n.Cmp(big.NewRat(1, 1)) == 0 {
		return "is"
	}
	return "are"
}

var (
	celsius    = match.Unit{Name: "degree Celsius", Plural: "degrees Celsius", Dimension: match.Temperature}
	fahrenheit = match.Unit{Name: "degree Fahrenheit", Plural: "degrees Fahrenheit", Dimension: match.Temperature}
	inch       = match.Unit{Name: "inch", Plural: "inches", Dimension: match.Length}
)

// answerDegrees converts degrees of a scale that was not said: the other of the
// two.
func answerDegrees(r *request) reply {
	v, _ := r.Unit("v")
	n := r.number("n")
	switch {
	case v.Name == celsius.Name:
		return conversion(n, fahrenheit, v)
	case v.Dimension == match.Temperature:
		return conversion(n, celsius, v)
	}
	return say("Degrees of temperature don't turn into %s.", v.Plural)
}

func answerFeetAndInches(r *request) reply {
	v, _ := r.Unit("v")
	n, n2 := r.number("n"), r.number("n2")
	inches := new(big.Rat).Mul(n, big.NewRat(12, 1))
	inches.Add(inches, n2)
	result, ok := convert(inches, inch, v)
	if !ok {
		return say("I can't turn feet and inches into %s.", v.Plural)
	}
	return say("%s feet and %s inches are %s.", capitalised(operand(n)), operand(n2), quantity(result, v, conversionDecimals))
}
