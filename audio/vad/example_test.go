package vad_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log"
	"os"

	"edged/audio/vad"
)

// One Model serves the whole program, one Gate each microphone.
func Example() {
	model, err := vad.Load()
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.ReadFile("testdata/stop.wav")
	if err != nil {
		log.Fatal(err)
	}
	_, data, _ := bytes.Cut(file, []byte("data"))
	pcm := make([]int16, (len(data)-4)/2)
	if _, err := binary.Decode(data[4:], binary.LittleEndian, pcm); err != nil {
		log.Fatal(err)
	}

	gate := model.NewGate()
	speech := false
	for ; len(pcm) >= vad.WindowSamples; pcm = pcm[vad.WindowSamples:] {
		speech = gate.Process(pcm[:vad.WindowSamples]) >= 0.5 || speech
	}
	fmt.Println("somebody speaks:", speech)
	// Output: somebody speaks: true
}
