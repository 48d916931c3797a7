package resample_test

import (
	"fmt"

	"edged/audio"
	"edged/audio/resample"
)

// A synthesiser's sound at 22.05 kHz for a device that plays 16 kHz.
func Example() {
	r, err := resample.New(22050, audio.Rate16k)
	if err != nil {
		panic(err)
	}
	defer r.Close()
	total := 0
	block := make([]int16, 2205) // 100 ms
	out := make([]int16, r.MaxOutput(len(block)))
	for range 10 {
		n, _ := r.Process(out, block)
		total += n
	}
	fmt.Println("all of the second is out:", total == 16000)
	total += r.Flush(out)
	fmt.Println("after Flush:", total)
	// Output:
	// all of the second is out: false
	// after Flush: 16000
}
