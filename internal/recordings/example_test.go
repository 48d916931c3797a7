package recordings_test

import (
	"fmt"

	"edged/internal/recordings"
)

func ExampleLoad() {
	all, err := recordings.Load("../../testdata/audio")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range all {
		if r.Split != recordings.Tuning || r.Intent != "coin" {
			continue
		}
		samples, err := r.PCM()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Text, r.ReplyWords, len(samples) > r.Offset)
	}
	// Output:
	// Flip a coin. [[heads tails]] true
}
