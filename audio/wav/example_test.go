package wav_test

import (
	"bytes"
	"fmt"

	"edged/audio"
	"edged/audio/wav"
)

func Example() {
	var file bytes.Buffer
	w, err := wav.NewWriter(&file, audio.Rate16k, 1)
	if err != nil {
		panic(err)
	}
	if err := w.Write(make([]int16, 8000)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	info, samples, err := wav.ReadAll(&file)
	fmt.Println(info.Rate, info.Duration(), len(samples), err)
	// Output: 16000 Hz 500ms 8000 <nil>
}
