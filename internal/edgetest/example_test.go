package edgetest_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
)

// A device asks a fake server one question, by button.
func ExampleDevice_Ask() {
	reply := edgetest.Line{Transcript: "hello", Pieces: []edgetest.Sound{{Text: "Good morning.", PCM: make([]int16, 3200)}}}
	server := httptest.NewServer(&edgetest.Server{Script: edgetest.Converse(reply)})
	defer server.Close()

	ctx := context.Background()
	d, err := edgetest.Dial(ctx, edgetest.Config{
		URL: "ws" + strings.TrimPrefix(server.URL, "http") + wire.Path, Mode: wire.ModeManual,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := d.Ask(ctx, edgetest.Question{PCM: make([]int16, 1600)}) // 100 ms
	fmt.Printf("understood %q, heard %q, error %v\n", answer.Transcript, answer.Heard, err)
	fmt.Println("closed:", d.Close(ctx))
	// Output:
	// understood "hello", heard "Good morning.", error <nil>
	// closed: <nil>
}
