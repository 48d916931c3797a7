package speakable

// tongue is what differs from language to language.
type tongue struct {
	language Language
	spaced   bool     // words are written with spaces between them
	groups   []string // between thousands
	decimal  byte
	point    string // how the decimal mark is said
	minus    string
	until    string // between the ends of a range
	cardinal func(n uint64, f form) string
	months   []string
	// signs by what they are called when they are said; "." is that of an address.
	signs        map[string]string
	addressSigns map[string]string
	units        map[string]unit
	money        map[string]currency
	scales       map[string]unit // words behind an amount: million
	// clock and date say a time of day and a date; year 0 is none.
	clock func(hour, minute, second uint64, half string) string
	date  func(year, month, day uint64, before string) string
	year  func(n uint64) string
	// fraction says n/d, "" if there is no such word.
	fraction func(n, d uint64) string
}

// unit is the noun for what is counted.
type unit struct {
	one, many string
	form      form
}

// currency is a unit with its hundredth.
type currency struct {
	unit
	cent, cents string
}

var tongues = [...]*tongue{
	English: {
		language: English, spaced: true, groups: []string{","}, decimal: '.', point: "point", minus: "minus", until: "to",
		cardinal: enCardinal, year: enYear, clock: enClock, date: enDate, fraction: enFraction,
		months: enMonths,
		signs: map[string]string{"&": "and", "@": "at", "#": "hashtag", "№": "number", "+": "plus", "=": "equals", "/": "slash", "→": "to", "⇒": "to",
			"<": "less than", ">": "greater than", "≤": "at most", "≥": "at least", "≈": "about", "~": "about", "×": "times", "÷": "divided by", "±": "plus or minus", "^": "to the power of", "%": "percent", "°": "degrees", "€": "euros", "£": "pounds", "¥": "yen", "$": "dollars", ".": "dot", "≠": "is not", "§": "section"},
		addressSigns: map[string]string{".": "dot", "/": "slash", "-": "dash", "_": "underscore", "+": "plus", ":": "colon", "@": "at", "~": "tilde"},
		units:        enUnits,
		money: map[string]currency{"$": {unit{"dollar", "dollars", masculine}, "cent", "cents"}, "€": {unit{"euro", "euros", masculine}, "cent", "cents"},
			"£": {unit{"pound", "pounds", masculine}, "penny", "pence"}, "¥": {unit{"yen", "yen", masculine}, "", ""}},
		scales: map[string]unit{"k": {"thousand", "thousand", alone}, "M": {"million", "million", alone}, "m": {"million", "million", alone}, "B": {"billion", "billion", alone},
			"bn": {"billion", "billion", alone}, "million": {"million", "million", alone}, "billion": {"billion", "billion", alone}, "trillion": {"trillion", "trillion", alone}, "thousand": {"thousand", "thousand", alone}},
	},
	German: {
		language: German, spaced: true, groups: []string{".", "'", "’", "\u00a0", "\u202f"}, decimal: ',', point: "Komma", minus: "minus", until: "bis",
		cardinal: deCardinal, year: deYear, clock: deClock, date: deDate, fraction: deFraction,
		months: deMonths,
		signs: map[string]string{"&": "und", "@": "at", "#": "Hashtag", "№": "Nummer", "+": "plus", "=": "gleich", "/": "Schrägstrich", "→": "nach", "⇒": "nach",
			"<": "kleiner als", ">": "größer als", "≤": "höchstens", "≥": "mindestens", "≈": "etwa", "~": "etwa", "×": "mal", "÷": "geteilt durch", "±": "plus minus", "^": "hoch", "%": "Prozent", "°": "Grad", "€": "Euro", "£": "Pfund", "¥": "Yen", "$": "Dollar", ".": "Punkt", "≠": "ungleich", "§": "Paragraf"},
		addressSigns: map[string]string{".": "Punkt", "/": "Schrägstrich", "-": "Bindestrich", "_": "Unterstrich", "+": "plus", ":": "Doppelpunkt", "@": "at", "~": "Tilde"},
		units:        deUnits,
		money: map[string]currency{"$": {unit{"Dollar", "Dollar", masculine}, "Cent", "Cent"}, "€": {unit{"Euro", "Euro", masculine}, "Cent", "Cent"},
			"£": {unit{"Pfund", "Pfund", masculine}, "Penny", "Pence"}, "¥": {unit{"Yen", "Yen", masculine}, "", ""}},
		scales: map[string]unit{"Mio": {"Million", "Millionen", feminine}, "Mio.": {"Million", "Millionen", feminine}, "Mrd": {"Milliarde", "Milliarden", feminine}, "Mrd.": {"Milliarde", "Milliarden", feminine},
			"Million": {"Million", "Millionen", feminine}, "Millionen": {"Million", "Millionen", feminine}, "Milliarden": {"Milliarde", "Milliarden", feminine}, "Milliarde": {"Milliarde", "Milliarden", feminine}, "Tsd.": {"Tausend", "Tausend", masculine}},
	},
	Spanish: {
		language: Spanish, spaced: true, groups: []string{".", "\u00a0", "\u202f"}, decimal: ',', point: "coma", minus: "menos", until: "a",
		cardinal: esCardinal, year: func(n uint64) string { return esCardinal(n, alone) }, clock: esClock, date: esDate, fraction: esFraction,
		months: esMonths,
		signs: map[string]string{"&": "y", "@": "arroba", "#": "almohadilla", "№": "número", "+": "más", "=": "igual a", "/": "barra", "→": "a", "⇒": "a",
			"<": "menor que", ">": "mayor que", "≤": "como máximo", "≥": "como mínimo", "≈": "aproximadamente", "~": "aproximadamente", "×": "por", "÷": "entre", "±": "más o menos", "^": "elevado a", "%": "por ciento", "°": "grados", "€": "euros", "£": "libras", "¥": "yenes", "$": "dólares", ".": "punto", "≠": "distinto de", "§": "sección"},
		addressSigns: map[string]string{".": "punto", "/": "barra", "-": "guion", "_": "guion bajo", "+": "más", ":": "dos puntos", "@": "arroba", "~": "tilde"},
		units:        esUnits,
		money: map[string]currency{"$": {unit{"dólar", "dólares", masculine}, "centavo", "centavos"}, "€": {unit{"euro", "euros", masculine}, "céntimo", "céntimos"},
			"£": {unit{"libra", "libras", feminine}, "penique", "peniques"}, "¥": {unit{"yen", "yenes", masculine}, "", ""}},
		scales: map[string]unit{"millón": {"millón de", "millones de", masculine}, "millones": {"millón de", "millones de", masculine}, "M": {"millón de", "millones de", masculine}, "mil": {"mil", "mil", alone}},
	},
	French: {
		language: French, spaced: true, groups: []string{"\u202f", "\u00a0", " ", "."}, decimal: ',', point: "virgule", minus: "moins", until: "à",
		cardinal: frCardinal, year: func(n uint64) string { return frCardinal(n, alone) }, clock: frClock, date: frDate, fraction: frFraction,
		months: frMonths,
		signs: map[string]string{"&": "et", "@": "arobase", "#": "dièse", "№": "numéro", "+": "plus", "=": "égale", "/": "barre oblique", "→": "vers", "⇒": "vers",
			"<": "inférieur à", ">": "supérieur à", "≤": "au plus", "≥": "au moins", "≈": "environ", "~": "environ", "×": "fois", "÷": "divisé par", "±": "plus ou moins", "^": "puissance", "%": "pour cent", "°": "degrés", "€": "euros", "£": "livres", "¥": "yens", "$": "dollars", ".": "point", "≠": "différent de", "§": "paragraphe"},
		addressSigns: map[string]string{".": "point", "/": "barre oblique", "-": "tiret", "_": "tiret bas", "+": "plus", ":": "deux points", "@": "arobase", "~": "tilde"},
		units:        frUnits,
		money: map[string]currency{"$": {unit{"dollar", "dollars", masculine}, "cent", "cents"}, "€": {unit{"euro", "euros", masculine}, "centime", "centimes"},
			"£": {unit{"livre", "livres", feminine}, "penny", "pence"}, "¥": {unit{"yen", "yens", masculine}, "", ""}},
		scales: map[string]unit{"million": {"million de", "millions de", masculine}, "millions": {"million de", "millions de", masculine}, "milliard": {"milliard de", "milliards de", masculine}, "milliards": {"milliard de", "milliards de", masculine}, "M": {"million de", "millions de", masculine}, "Md": {"milliard de", "milliards de", masculine}, "mille": {"mille", "mille", alone}},
	},
	Chinese: {
		language: Chinese, groups: []string{","}, decimal: '.', point: "点", minus: "负", until: "到",
		cardinal: zhCardinal, year: hanFigures, clock: zhClock, date: zhDate, fraction: zhFraction,
		signs: map[string]string{"&": "和", "@": "艾特", "#": "井号", "№": "第", "+": "加", "=": "等于", "/": "或", "→": "到", "⇒": "到",
			"<": "小于", ">": "大于", "≤": "小于等于", "≥": "大于等于", "≈": "约等于", "~": "大约", "×": "乘", "÷": "除以", "±": "正负", "%": "百分号", "°": "度", "€": "欧元", "£": "英镑", "¥": "元", "￥": "元", "$": "美元", ".": "点", "≠": "不等于", "§": "节"},
		addressSigns: map[string]string{".": "点", "/": "斜杠", "-": "杠", "_": "下划线", "+": "加", ":": "冒号", "@": "艾特", "~": "波浪号"},
		units:        zhUnits,
		money: map[string]currency{"$": {unit{"美元", "美元", masculine}, "", ""}, "€": {unit{"欧元", "欧元", masculine}, "", ""},
			"£": {unit{"英镑", "英镑", masculine}, "", ""}, "¥": {unit{"元", "元", masculine}, "", ""}, "￥": {unit{"元", "元", masculine}, "", ""}},
		scales: map[string]unit{"万": {"万", "万", masculine}, "亿": {"亿", "亿", masculine}},
	},
	Japanese: {
		language: Japanese, groups: []string{","}, decimal: '.', point: "点", minus: "マイナス", until: "から",
		cardinal: jaCardinal, year: func(n uint64) string { return jaCardinal(n, alone) }, clock: jaClock, date: jaDate, fraction: jaFraction,
		signs: map[string]string{"&": "アンド", "@": "アット", "#": "シャープ", "№": "ナンバー", "+": "プラス", "=": "イコール", "/": "スラッシュ", "→": "から", "⇒": "から",
			"<": "小なり", ">": "大なり", "≤": "以下", "≥": "以上", "≈": "約", "~": "約", "×": "かける", "÷": "割る", "±": "プラスマイナス", "%": "パーセント", "°": "度", "€": "ユーロ", "£": "ポンド", "¥": "円", "￥": "円", "$": "ドル", ".": "ドット", "≠": "ノットイコール", "§": "節"},
		addressSigns: map[string]string{".": "ドット", "/": "スラッシュ", "-": "ハイフン", "_": "アンダーバー", "+": "プラス", ":": "コロン", "@": "アット", "~": "チルダ"},
		units:        jaUnits,
		money: map[string]currency{"$": {unit{"ドル", "ドル", masculine}, "", ""}, "€": {unit{"ユーロ", "ユーロ", masculine}, "", ""},
			"£": {unit{"ポンド", "ポンド", masculine}, "", ""}, "¥": {unit{"円", "円", masculine}, "", ""}, "￥": {unit{"円", "円", masculine}, "", ""}},
		scales: map[string]unit{"万": {"万", "万", masculine}, "億": {"億", "億", masculine}},
	},
}
