package speakable_test

import "testing"

func TestSpanish(t *testing.T) {
	speaks(t, "es", []row{
		{"plain words", "¿Qué tal? ¡Bien!", "¿Qué tal? ¡Bien!"},
		{"small numbers", "1, 16, 22 y 45", "uno, dieciséis, veintidós y cuarenta y cinco"},
		{"hundreds", "100, 101 y 555", "cien, ciento uno y quinientos cincuenta y cinco"},
		{"thousands separator", "1.234.567", "un millón doscientos treinta y cuatro mil quinientos sesenta y siete"},
		{"a thousand", "1000 y 2000", "mil y dos mil"},
		{"decimal comma", "3,5 y 3,14", "tres coma cinco y tres coma catorce"},
		{"negative", "a -5 grados", "a menos cinco grados"},
		{"ordinals", "el 1.er piso, la 2ª vez, el 3º", "el primer piso, la segunda vez, el tercero"},
		{"date", "el 3 de mayo de 2026", "el tres de mayo de dos mil veintiséis"},
		{"first of the month", "el 1 de enero", "el primero de enero"},
		{"date in figures", "el 5/3/2026", "el cinco de marzo de dos mil veintiséis"},
		{"ISO date", "2026-05-03", "tres de mayo de dos mil veintiséis"},
		{"year", "en 1998", "en mil novecientos noventa y ocho"},
		{"clock", "a las 7:30 y a la 1:05", "a las siete y treinta y a la una y cinco"},
		{"full hour", "a las 21:00", "a las veintiuna en punto"},
		{"half of the day", "a las 5:30 p. m. en casa", "a las cinco y treinta de la tarde en casa"},
		{"duration", "2 h y 1 min", "dos horas y un minuto"},
		{"euros", "5 €, 1 € y 5,50 €", "cinco euros, un euro y cinco euros con cincuenta céntimos"},
		{"dollars and pounds", "$21 y 21 £", "veintiún dólares y veintiuna libras"},
		{"millions", "3 millones €", "tres millones de euros"},
		{"feminine hundreds", "200 £", "doscientas libras"},
		{"units", "120 km/h, 1 kg y 20 m²", "ciento veinte kilómetros por hora, un kilogramo y veinte metros cuadrados"},
		{"temperature", "22,5 °C", "veintidós coma cinco grados Celsius"},
		{"percent", "50 %", "cincuenta por ciento"},
		{"fractions", "1/2, 2/3 y 3/4", "un medio, dos tercios y tres cuartos"},
		{"range", "3-5 días", "tres a cinco días"},
		{"phone number", "+34 912 345 678", "más tres cuatro, nueve uno dos, tres cuatro cinco, seis siete ocho"},
		{"Roman numerals", "Felipe VI, siglo XXI", "Felipe sexto, siglo veintiuno"},
		{"URL", "en ejemplo.es/ayuda", "en ejemplo punto es barra ayuda"},
		{"e-mail", "ana_b@ejemplo.com", "ana guion bajo b arroba ejemplo punto com"},
		{"signs", "A & B, 2 + 2 = 4", "A y B, dos más dos igual a cuatro"},
		{"markdown", "*Hola* [aquí](http://x.es)", "Hola aquí"},
		{"one and its noun", "1 hora, 1 libro, 21 personas, 31 años y 1 día", "una hora, un libro, veintiuna personas, treinta y un años y un día"},
		{"one without a noun", "el 1 y el 21 por ejemplo", "el uno y el veintiuno por ejemplo"},
		{"number name", "el n.º 5", "el número cinco"},
		{"hours up to others", "10:30-11:15", "diez y treinta a once y quince"},
	})
}
