package speakable

import "strings"

// units makes a table of lines "signs one many [f]"; signs are separated by
// commas, a _ in a name is a space, f marks a feminine noun.
func units(lines string) map[string]unit {
	table := make(map[string]unit)
	for line := range strings.Lines(lines) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		name := func(i int) string { return strings.ReplaceAll(fields[i], "_", " ") }
		u := unit{one: name(1), many: name(2), form: masculine}
		if len(fields) > 3 {
			u.form = feminine
		}
		for sign := range strings.SplitSeq(fields[0], ",") {
			table[sign] = u
		}
	}
	return table
}

var enUnits = units(`
	% percent percent
	km kilometer kilometers
	m meter meters
	cm centimeter centimeters
	mm millimeter millimeters
	mi mile miles
	ft foot feet
	kg kilogram kilograms
	g gram grams
	mg milligram milligrams
	lb,lbs pound pounds
	oz ounce ounces
	t ton tons
	l,L liter liters
	ml,mL milliliter milliliters
	km/h,kph,kmh kilometer_per_hour kilometers_per_hour
	mph mile_per_hour miles_per_hour
	m/s meter_per_second meters_per_second
	°C,℃ degree_Celsius degrees_Celsius
	°F,℉ degree_Fahrenheit degrees_Fahrenheit
	° degree degrees
	kB,KB kilobyte kilobytes
	MB megabyte megabytes
	GB gigabyte gigabytes
	TB terabyte terabytes
	Mbps,Mbit/s megabit_per_second megabits_per_second
	kWh kilowatt_hour kilowatt_hours
	kW kilowatt kilowatts
	W watt watts
	V volt volts
	Hz hertz hertz
	kHz kilohertz kilohertz
	MHz megahertz megahertz
	GHz gigahertz gigahertz
	h,hr,hrs hour hours
	min,mins minute minutes
	s,sec,secs second seconds
	ms millisecond milliseconds
	m²,m2 square_meter square_meters
	km²,km2 square_kilometer square_kilometers
	m³,m3 cubic_meter cubic_meters
	EUR euro euros
	USD dollar dollars
	GBP pound pounds
	¢ cent cents
	x times times
`)

var deUnits = units(`
	% Prozent Prozent
	km Kilometer Kilometer
	m Meter Meter
	cm Zentimeter Zentimeter
	mm Millimeter Millimeter
	mi Meile Meilen f
	kg Kilogramm Kilogramm
	g Gramm Gramm
	mg Milligramm Milligramm
	t Tonne Tonnen f
	l,L Liter Liter
	ml Milliliter Milliliter
	km/h Stundenkilometer Stundenkilometer
	m/s Meter_pro_Sekunde Meter_pro_Sekunde
	°C,℃ Grad_Celsius Grad_Celsius
	°F,℉ Grad_Fahrenheit Grad_Fahrenheit
	° Grad Grad
	kB,KB Kilobyte Kilobyte
	MB Megabyte Megabyte
	GB Gigabyte Gigabyte
	TB Terabyte Terabyte
	Mbps,Mbit/s Megabit_pro_Sekunde Megabit_pro_Sekunde
	kWh Kilowattstunde Kilowattstunden f
	kW Kilowatt Kilowatt
	W Watt Watt
	V Volt Volt
	Hz Hertz Hertz
	kHz Kilohertz Kilohertz
	MHz Megahertz Megahertz
	GHz Gigahertz Gigahertz
	h,Std,Std. Stunde Stunden f
	min,Min,Min. Minute Minuten f
	s,sek,Sek,Sek. Sekunde Sekunden f
	ms Millisekunde Millisekunden f
	m²,m2 Quadratmeter Quadratmeter
	km²,km2 Quadratkilometer Quadratkilometer
	m³,m3 Kubikmeter Kubikmeter
	EUR Euro Euro
	USD Dollar Dollar
	GBP Pfund Pfund
	Mio,Mio. Million Millionen f
	Mrd,Mrd. Milliarde Milliarden f
	Tsd. Tausend Tausend
	x mal mal
`)

var esUnits = units(`
	% por_ciento por_ciento
	km kilómetro kilómetros
	m metro metros
	cm centímetro centímetros
	mm milímetro milímetros
	mi milla millas f
	kg kilogramo kilogramos
	g gramo gramos
	mg miligramo miligramos
	t tonelada toneladas f
	l,L litro litros
	ml mililitro mililitros
	km/h kilómetro_por_hora kilómetros_por_hora
	m/s metro_por_segundo metros_por_segundo
	°C,℃ grado_Celsius grados_Celsius
	°F,℉ grado_Fahrenheit grados_Fahrenheit
	° grado grados
	kB,KB kilobyte kilobytes
	MB megabyte megabytes
	GB gigabyte gigabytes
	TB terabyte terabytes
	Mbps,Mbit/s megabit_por_segundo megabits_por_segundo
	kWh kilovatio_hora kilovatios_hora
	kW kilovatio kilovatios
	W vatio vatios
	V voltio voltios
	Hz hercio hercios
	kHz kilohercio kilohercios
	MHz megahercio megahercios
	GHz gigahercio gigahercios
	h hora horas f
	min minuto minutos
	s,seg segundo segundos
	ms milisegundo milisegundos
	m²,m2 metro_cuadrado metros_cuadrados
	km²,km2 kilómetro_cuadrado kilómetros_cuadrados
	m³,m3 metro_cúbico metros_cúbicos
	EUR euro euros
	USD dólar dólares
	GBP libra libras f
	x por por
`)

var frUnits = units(`
	% pour_cent pour_cent
	km kilomètre kilomètres
	m mètre mètres
	cm centimètre centimètres
	mm millimètre millimètres
	kg kilogramme kilogrammes
	g gramme grammes
	mg milligramme milligrammes
	t tonne tonnes f
	l,L litre litres
	ml millilitre millilitres
	km/h kilomètre_par_heure kilomètres_par_heure
	m/s mètre_par_seconde mètres_par_seconde
	°C,℃ degré_Celsius degrés_Celsius
	°F,℉ degré_Fahrenheit degrés_Fahrenheit
	° degré degrés
	kB,KB,ko,Ko kilooctet kilooctets
	MB,Mo mégaoctet mégaoctets
	GB,Go gigaoctet gigaoctets
	TB,To téraoctet téraoctets
	Mbps,Mbit/s mégabit_par_seconde mégabits_par_seconde
	kWh kilowattheure kilowattheures
	kW kilowatt kilowatts
	W watt watts
	V volt volts
	Hz hertz hertz
	kHz kilohertz kilohertz
	MHz mégahertz mégahertz
	GHz gigahertz gigahertz
	h heure heures f
	min minute minutes f
	s,sec seconde secondes f
	ms milliseconde millisecondes f
	m²,m2 mètre_carré mètres_carrés
	km²,km2 kilomètre_carré kilomètres_carrés
	m³,m3 mètre_cube mètres_cubes
	EUR euro euros
	USD dollar dollars
	GBP livre livres f
	x fois fois f
`)

var zhUnits = units(`
	km 公里 公里
	m 米 米
	cm 厘米 厘米
	mm 毫米 毫米
	mi 英里 英里
	kg 公斤 公斤
	g 克 克
	mg 毫克 毫克
	t 吨 吨
	l,L 升 升
	ml,mL 毫升 毫升
	km/h 公里每小时 公里每小时
	m/s 米每秒 米每秒
	°C,℃ 摄氏度 摄氏度
	°F,℉ 华氏度 华氏度
	° 度 度
	kB,KB 千字节 千字节
	MB 兆字节 兆字节
	GB 吉字节 吉字节
	TB 太字节 太字节
	kWh 千瓦时 千瓦时
	kW 千瓦 千瓦
	W 瓦 瓦
	V 伏 伏
	Hz 赫兹 赫兹
	kHz 千赫 千赫
	MHz 兆赫 兆赫
	GHz 吉赫 吉赫
	h 小时 小时
	min 分钟 分钟
	s 秒 秒
	ms 毫秒 毫秒
	m²,m2 平方米 平方米
	km²,km2 平方公里 平方公里
	m³,m3 立方米 立方米
	EUR 欧元 欧元
	USD 美元 美元
	GBP 英镑 英镑
`)

var jaUnits = units(`
	% パーセント パーセント
	km キロメートル キロメートル
	m メートル メートル
	cm センチメートル センチメートル
	mm ミリメートル ミリメートル
	mi マイル マイル
	kg キログラム キログラム
	g グラム グラム
	mg ミリグラム ミリグラム
	t トン トン
	l,L リットル リットル
	ml,mL ミリリットル ミリリットル
	km/h キロメートル毎時 キロメートル毎時
	m/s メートル毎秒 メートル毎秒
	°C,℃,° 度 度
	°F,℉ 華氏度 華氏度
	kB,KB キロバイト キロバイト
	MB メガバイト メガバイト
	GB ギガバイト ギガバイト
	TB テラバイト テラバイト
	kWh キロワット時 キロワット時
	kW キロワット キロワット
	W ワット ワット
	V ボルト ボルト
	Hz ヘルツ ヘルツ
	kHz キロヘルツ キロヘルツ
	MHz メガヘルツ メガヘルツ
	GHz ギガヘルツ ギガヘルツ
	h 時間 時間
	min 分 分
	s 秒 秒
	ms ミリ秒 ミリ秒
	m²,m2 平方メートル 平方メートル
	km²,km2 平方キロメートル 平方キロメートル
	m³,m3 立方メートル 立方メートル
	EUR ユーロ ユーロ
	USD ドル ドル
	GBP ポンド ポンド
`)
