package speakable_test

import (
	"fmt"

	"edged/transformers/tts/speakable"
)

func ExampleLanguage_Speak() {
	fmt.Println(speakable.English.Speak("**Note:** $5.50 on 5/3/2026, see example.com").Spoken)
	fmt.Println(speakable.German.Speak("Am 3.5.2026 um 7.30 Uhr: 5,50 €").Spoken)
	fmt.Println(speakable.Japanese.Speak("2026年5月3日、7:30に").Spoken)
	// Output:
	// Note: five dollars and fifty cents on May third, twenty twenty-six, see example dot com
	// Am dritten Mai zweitausendsechsundzwanzig um sieben Uhr dreißig: fünf Euro fünfzig
	// 二千二十六年五月三日、七時三十分に
}

// The pieces lead from the spoken text back to the written one.
func ExampleText() {
	const written = "It is 7:30."
	text := speakable.English.Speak(written)
	for _, p := range text.Pieces {
		fmt.Printf("%q %q\n", written[p.Start:p.End], text.Spoken[p.At:p.Until])
	}
	// Output:
	// "It is " "It is "
	// "7:30" "seven thirty"
	// "." "."
}
