package transformers_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"edged/realtime"
	"edged/transformers"
)

// mask is a Transformer that hides the digits of what a user said.
type mask struct{}

// Transform implements transformers.Transformer.
func (m mask) Transform(ctx context.Context, _ string, input realtime.Stream) (realtime.Stream, error) {
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		// Whoever closes our output ends ctx, which has to wake a waiting Next.
		stop := context.AfterFunc(ctx, func() { _ = input.CloseWithError(context.Cause(ctx)) })
		defer stop()
		defer input.Close()
		for {
			chunk, err := input.Next()
			if err != nil {
				return err // its end is our end, its failure ours
			}
			if err := out.Add(ctx, m.hide(chunk)); err != nil {
				return err
			}
		}
	}), nil
}

// hide returns chunk, or a copy with other text. The chunk is not ours to change.
func (mask) hide(chunk *realtime.MessageChunk) *realtime.MessageChunk {
	text, ok := chunk.Part.(realtime.Text)
	if !ok || chunk.Role != realtime.RoleUser {
		return chunk
	}
	hidden := *chunk // with its route, label and boundaries
	hidden.Part = realtime.Text(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '*'
		}
		return r
	}, string(text)))
	return &hidden
}

func Example_transformer() {
	var mux transformers.Mux
	if err := mux.Handle("privacy/digits", mask{}); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	transcript := realtime.NewStreamBuilder(0)
	text := func(role realtime.Role, words string, ctrl realtime.StreamCtrl) *realtime.MessageChunk {
		return &realtime.MessageChunk{Role: role, Part: realtime.Text(words), Ctrl: &ctrl}
	}
	if err := transcript.Add(ctx,
		text(realtime.RoleUser, "my pin is 47", realtime.StreamCtrl{StreamID: "mic/1", Label: realtime.LabelTranscript, BeginOfStream: true}),
		text(realtime.RoleUser, "11", realtime.StreamCtrl{StreamID: "mic/1", EndOfStream: true}),
		text(realtime.RoleModel, "It is 9 o'clock.", realtime.StreamCtrl{StreamID: "reply/1"}),
	); err != nil {
		fmt.Println(err)
		return
	}
	transcript.Done()

	masked, err := mux.Transform(ctx, "privacy/digits", transcript.Stream())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer masked.Close()
	for {
		chunk, err := masked.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %q end=%v\n", chunk.Route(), chunk.Part, chunk.IsEndOfStream())
	}
	// Output:
	// mic/1 "my pin is **" end=false
	// mic/1 "**" end=true
	// reply/1 "It is 9 o'clock." end=false
}
