package pcm_test

import (
	"fmt"

	"edged/audio/pcm"
)

// A stream of bytes arrives in pieces that cut samples in two.
func ExampleDecoder() {
	var decoder pcm.Decoder
	var samples []int16
	for _, piece := range [][]byte{{0x01}, {0x00, 0x02, 0x00, 0x03}, {0x00}} {
		samples = decoder.Append(samples, piece)
		fmt.Println(samples, decoder.Pending())
	}
	// Output:
	// [] true
	// [1 2] true
	// [1 2 3] false
}
