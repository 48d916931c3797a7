package echo_test

import (
	"fmt"
	"time"

	"edged/audio/echo"
)

// Three seconds go to the speaker; 200 ms later they are in the microphone, a
// tenth as loud.
func Example() {
	g, err := echo.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()

	sound := make([]int16, 3*16000)
	seed := uint32(1)
	for i := range sound {
		seed = seed*1664525 + 1013904223
		sound[i] = int16(int32(seed) >> 18) // noise
	}
	g.Sent(0, sound)
	g.Place(0, 0)
	for at := 0; at < len(sound); at += echo.Frame {
		mic := make([]int16, echo.Frame)
		if at >= 3200 {
			for i := range mic {
				mic[i] = sound[at-3200+i] / 10
			}
		}
		g.Process(mic)
	}
	stats := g.Stats()
	fmt.Println(stats.Aligned, stats.Delay.Round(time.Millisecond), stats.Suppressed == stats.Active)
	// Output: true 200ms true
}
