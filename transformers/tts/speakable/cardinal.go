package speakable

import "strings"

// form is how the number one is said in front of something.
type form int

const (
	alone     form = iota // eins, uno, un
	masculine             // ein, un, un
	feminine              // eine, una, une
)

var (
	enSmall = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	enTens  = strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	enScale = strings.Fields("- thousand million billion trillion")

	deSmall = strings.Fields("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn")
	deTens  = strings.Fields("- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
	deScale = [][2]string{{"eine Million", "Millionen"}, {"eine Milliarde", "Milliarden"}, {"eine Billion", "Billionen"}}

	esSmall = strings.Fields("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve " +
		"veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve")
	esTens     = strings.Fields("- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa")
	esHundreds = strings.Fields("- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos")

	frSmall = strings.Fields("zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf")
	frTens  = strings.Fields("- - vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt")
	frScale = strings.Fields("- - million milliard billion")

	hanDigits = strings.Split("零 一 二 三 四 五 六 七 八 九", " ")
)

func enCardinal(n uint64, _ form) string {
	if n == 0 {
		return enSmall[0]
	}
	var parts []string
	for scale := 0; n > 0; scale, n = scale+1, n/1000 {
		group := n % 1000
		if group == 0 {
			continue
		}
		words := enBelow1000(group)
		if scale > 0 {
			words += " " + enScale[scale]
		}
		parts = append([]string{words}, parts...)
	}
	return strings.Join(parts, " ")
}

func enBelow1000(n uint64) string {
	var words []string
	if n >= 100 {
		words = append(words, enSmall[n/100], "hundred")
		n %= 100
	}
	switch {
	case n >= 20 && n%10 > 0:
		words = append(words, enTens[n/10]+"-"+enSmall[n%10])
	case n >= 20:
		words = append(words, enTens[n/10])
	case n > 0:
		words = append(words, enSmall[n])
	}
	return strings.Join(words, " ")
}

func deCardinal(n uint64, f form) string {
	if n == 0 {
		return deSmall[0]
	}
	var parts []string
	for scale, unit := len(deScale)-1, uint64(1_000_000_000_000); scale >= 0; scale, unit = scale-1, unit/1000 {
		switch group := n / unit; {
		case group == 1:
			parts = append(parts, deScale[scale][0])
		case group > 1:
			parts = append(parts, deBelowMillion(group, feminine)+" "+deScale[scale][1])
		}
		n %= unit
	}
	if n > 0 {
		parts = append(parts, deBelowMillion(n, f))
	}
	return strings.Join(parts, " ")
}

func deBelowMillion(n uint64, f form) string {
	words := ""
	if n >= 1000 {
		words = deBelow1000(n/1000, masculine) + "tausend"
		n %= 1000
	}
	if n > 0 {
		words += deBelow1000(n, f)
	}
	return words
}

func deBelow1000(n uint64, f form) string {
	words := ""
	if n >= 100 {
		words = deBelow1000(n/100, masculine) + "hundert"
		n %= 100
	}
	switch {
	case n == 1 && f == masculine:
		return words + "ein"
	case n == 1 && f == feminine:
		return words + "eine"
	case n >= 20 && n%10 == 1:
		return words + "einund" + deTens[n/10]
	case n >= 20 && n%10 > 0:
		return words + deSmall[n%10] + "und" + deTens[n/10]
	case n >= 20:
		return words + deTens[n/10]
	case n > 0:
		return words + deSmall[n]
	}
	return words
}

func esCardinal(n uint64, f form) string {
	if n == 0 {
		return esSmall[0]
	}
	var parts []string
	if b := n / 1_000_000_000_000; b > 0 {
		parts = append(parts, esScale(b, "billón", "billones"))
		n %= 1_000_000_000_000
	}
	if m := n / 1_000_000; m > 0 {
		parts = append(parts, esScale(m, "millón", "millones"))
		n %= 1_000_000
	}
	if n > 0 {
		parts = append(parts, esBelowMillion(n, f))
	}
	return strings.Join(parts, " ")
}

func esScale(n uint64, one, many string) string {
	if n == 1 {
		return "un " + one
	}
	return esBelowMillion(n, masculine) + " " + many
}

func esBelowMillion(n uint64, f form) string {
	var parts []string
	switch t := n / 1000; {
	case t == 1:
		parts = append(parts, "mil")
	case t > 1 && f == feminine:
		parts = append(parts, esBelow1000(t, feminine)+" mil")
	case t > 1:
		parts = append(parts, esBelow1000(t, masculine)+" mil")
	}
	if n %= 1000; n > 0 {
		parts = append(parts, esBelow1000(n, f))
	}
	return strings.Join(parts, " ")
}

func esBelow1000(n uint64, f form) string {
	if n == 100 {
		return "cien"
	}
	var parts []string
	if n > 100 {
		hundred := esHundreds[n/100]
		if f == feminine && n >= 200 {
			hundred = strings.TrimSuffix(hundred, "os") + "as"
		}
		parts = append(parts, hundred)
		n %= 100
	}
	one := [...]string{alone: "uno", masculine: "un", feminine: "una"}[f]
	switch {
	case n == 0:
	case n == 1:
		parts = append(parts, one)
	case n == 21 && f == masculine:
		parts = append(parts, "veintiún")
	case n == 21 && f == feminine:
		parts = append(parts, "veintiuna")
	case n < 30:
		parts = append(parts, esSmall[n])
	case n%10 == 0:
		parts = append(parts, esTens[n/10])
	case n%10 == 1:
		parts = append(parts, esTens[n/10]+" y "+one)
	default:
		parts = append(parts, esTens[n/10]+" y "+esSmall[n%10])
	}
	return strings.Join(parts, " ")
}

func frCardinal(n uint64, f form) string {
	if n == 0 {
		return frSmall[0]
	}
	var parts []string
	for scale, unit := 4, uint64(1_000_000_000_000); scale >= 2; scale, unit = scale-1, unit/1000 {
		if group := n / unit; group > 0 {
			name := frScale[scale]
			if group > 1 {
				name += "s"
			}
			parts = append(parts, frBelow1000(group, masculine, true)+" "+name)
		}
		n %= unit
	}
	switch t := n / 1000; {
	case t == 1:
		parts = append(parts, "mille")
	case t > 1:
		parts = append(parts, frBelow1000(t, masculine, false)+" mille")
	}
	if n %= 1000; n > 0 {
		parts = append(parts, frBelow1000(n, f, true))
	}
	return strings.Join(parts, " ")
}

// frBelow1000 writes cents and quatre-vingts with s where last is true.
func frBelow1000(n uint64, f form, last bool) string {
	var parts []string
	if h := n / 100; h > 0 {
		n %= 100
		if h > 1 {
			parts = append(parts, frSmall[h])
		}
		if h > 1 && n == 0 && last {
			parts = append(parts, "cents")
		} else {
			parts = append(parts, "cent")
		}
	}
	one := "un"
	if f == feminine {
		one = "une"
	}
	tens, ones := n/10, n%10
	if tens == 7 || tens == 9 {
		ones += 10
	}
	switch {
	case n == 0:
	case n == 1:
		parts = append(parts, one)
	case n < 20:
		parts = append(parts, frSmall[n])
	case n == 80 && last:
		parts = append(parts, "quatre-vingts")
	case ones == 0:
		parts = append(parts, frTens[tens])
	case ones == 1 && tens < 8:
		parts = append(parts, frTens[tens]+" et "+one)
	case n == 71:
		parts = append(parts, "soixante et onze")
	case ones == 1:
		parts = append(parts, frTens[tens]+"-"+one)
	default:
		parts = append(parts, frTens[tens]+"-"+frSmall[ones])
	}
	return strings.Join(parts, " ")
}

// zhCardinal says one as 一 everywhere and marks holes by 零; in front of a
// measure (masculine) a bare two is 两.
func zhCardinal(n uint64, f form) string {
	switch {
	case n == 0:
		return hanDigits[0]
	case n == 2 && f != alone:
		return "两"
	case n >= 10 && n < 20:
		return strings.TrimPrefix(zhBelowMyriad(n), "一")
	}
	var out strings.Builder
	hole := false
	for unit, name := uint64(1_000_000_000_000), "万亿"; ; {
		group := n / unit % 10000
		switch {
		case group == 0:
			hole = out.Len() > 0
		default:
			if out.Len() > 0 && (hole || group < 1000) {
				out.WriteString("零")
			}
			hole = false
			out.WriteString(zhBelowMyriad(group) + name)
		}
		if unit == 1 {
			return out.String()
		}
		unit /= 10000
		name = map[uint64]string{100_000_000: "亿", 10000: "万", 1: ""}[unit]
	}
}

func zhBelowMyriad(n uint64) string {
	var out strings.Builder
	hole := false
	for unit, name := range []string{"千", "百", "十", ""} {
		d := n / [...]uint64{1000, 100, 10, 1}[unit] % 10
		if d == 0 {
			hole = out.Len() > 0
			continue
		}
		if hole {
			out.WriteString("零")
		}
		hole = false
		out.WriteString(hanDigits[d] + name)
	}
	return out.String()
}

func jaCardinal(n uint64, _ form) string {
	if n == 0 {
		return hanDigits[0]
	}
	var out strings.Builder
	for unit, name := uint64(1_000_000_000_000), "兆"; ; {
		if group := n / unit % 10000; group > 0 {
			out.WriteString(jaBelowMyriad(group) + name)
		}
		if unit == 1 {
			return out.String()
		}
		unit /= 10000
		name = map[uint64]string{100_000_000: "億", 10000: "万", 1: ""}[unit]
	}
}

func jaBelowMyriad(n uint64) string {
	var out strings.Builder
	for unit, name := range []string{"千", "百", "十", ""} {
		switch d := n / [...]uint64{1000, 100, 10, 1}[unit] % 10; {
		case d == 0:
		case d == 1 && name != "":
			out.WriteString(name)
		default:
			out.WriteString(hanDigits[d] + name)
		}
	}
	return out.String()
}
