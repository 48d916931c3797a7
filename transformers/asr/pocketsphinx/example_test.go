//go:build cgo

package pocketsphinx_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"edged/audio/wav"
	"edged/transformers/asr/pocketsphinx"
)

// A recording is recognised with a small grammar.
func Example() {
	recognizer, err := pocketsphinx.New(pocketsphinx.Config{
		Grammar:  "#JSGF V1.0; grammar tea; public <order> = set a timer for (five | twenty five) minutes;",
		Decoders: 1,
	})
	var missing *pocketsphinx.Error
	if errors.As(err, &missing) && missing.Install() != "" {
		fmt.Println("run:", missing.Install())
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer recognizer.Close()

	file, err := os.Open("testdata/rms-timer.wav")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	_, pcm, err := wav.ReadAll(file)
	if err != nil {
		fmt.Println(err)
		return
	}

	utterance, err := recognizer.Open(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer utterance.Close()
	if _, err := utterance.Write(context.Background(), pcm); err != nil {
		fmt.Println(err)
		return
	}
	result, err := utterance.Finish(context.Background())
	fmt.Println(result.Text, result.Accepted, err)
	// Output: set a timer for twenty five minutes true <nil>
}
