package generate_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"edged/ai"
	"edged/realtime"
	"edged/transformers"
	"edged/transformers/generate"
)

// parrot is a chat model that repeats the question.
type parrot struct{}

func (parrot) Generate(_ context.Context, messages []*ai.Message, _ ...ai.Option) (*ai.Message, error) {
	return ai.NewAssistantMessage(messages[len(messages)-1].Content), nil
}

func (p parrot) Stream(ctx context.Context, messages []*ai.Message, opts ...ai.Option) (ai.MessageStream, error) {
	answer, err := p.Generate(ctx, messages, opts...)
	said := false
	return ai.NewMessageStream(func() (*ai.MessageChunk, error) {
		if said {
			return nil, io.EOF
		}
		said = true
		return &ai.MessageChunk{Content: answer.Content}, nil
	}, nil, nil), err
}

func Example() {
	generator := generate.New(parrot{}, generate.Config{StreamID: "reply/1"})

	var question transformers.ModelContextBuilder
	question.Text(realtime.RoleUser, "", "Who is there?")
	stream, err := generator.GenerateStream(context.Background(), "chat/parrot", question.Build())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stream.Close()
	for {
		chunk, err := stream.Next()
		var state *realtime.State
		if errors.As(err, &state) {
			fmt.Println(state.Status)
			return
		}
		if text, ok := chunk.Part.(realtime.Text); ok {
			fmt.Println(chunk.Route(), text)
		}
	}
	// Output:
	// reply/1 Who is there?
	// done
}
