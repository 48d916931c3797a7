package tts_test

import (
	"context"
	"fmt"

	"edged/realtime"
	"edged/transformers/tts"
)

func ExampleTransformer() {
	ctx := context.Background()
	reply := realtime.Produce(ctx, 0, func(ctx context.Context, b *realtime.StreamBuilder) error {
		for _, token := range []string{"Hel", "lo. ", "It is 3", ".", "14", "."} {
			if err := b.Add(ctx, model("reply/1", token)); err != nil {
				return err
			}
		}
		return nil
	})
	// fakeEngine stands for a real one, such as *flite.Voice.
	speaker, err := tts.New(&fakeEngine{}, tts.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	speech, err := speaker.Transform(ctx, "tts", reply)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer speech.Close()
	for {
		chunk, err := speech.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		switch part := chunk.Part.(type) {
		case realtime.Text:
			fmt.Printf("%4d ms %q\n", chunk.Ctrl.Timestamp, part)
		case *realtime.Blob:
			// play part.Data
		}
	}
	// Output:
	//    1 ms "Hello. "
	//   71 ms "It is 3.14."
	// EOF
}

func ExampleSegmenter() {
	var s tts.Segmenter
	for _, token := range []string{"Dr", ". Who is", " in. ", "Pi is 3", ".", "14", "!"} {
		for _, segment := range s.Push(token) {
			fmt.Printf("%q\n", segment)
		}
	}
	for _, segment := range s.Close() {
		fmt.Printf("%q\n", segment)
	}
	// Output:
	// "Dr. Who is in. "
	// "Pi is 3.14!"
}
