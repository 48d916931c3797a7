package rejection

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"edged/ai"
	"edged/ai/rules"
)

// tools are those that the server gives the model, by name.
var tools = []string{"set_timer", "list_timers", "cancel_timer", "set_volume", "get_volume"}

// assistant returns a model with all tools, whose coins and jokes are those of
// every other.
func assistant() *rules.Model {
	bound := make([]ai.Tool, len(tools))
	for i, name := range tools {
		tool, err := ai.NewRawTool(name, name, json.RawMessage(`{"type":"object"}`), func(context.Context, json.RawMessage) (string, error) {
			return "{}", nil
		})
		if err != nil { // names and schema are those above
			panic(fmt.Sprintf("rejection: %v", err))
		}
		bound[i] = tool
	}
	return rules.New(rules.Config{Location: time.UTC, Seed: 1}).WithTools(bound...).(*rules.Model)
}

// Answered reports whether the offline model answers a transcript, instead of
// saying that it did not hear or does not know.
func Answered(transcript string) bool { return assistant().Understands(transcript) }

// SameAnswer reports whether the model does the same for both transcripts: the
// same words and the same tool calls, with the same luck.
func SameAnswer(ctx context.Context, a, b string) (bool, error) {
	// The clock may strike between the two; not twice in a row.
	for range 2 {
		first, err := answerTo(ctx, a)
		if err != nil {
			return false, err
		}
		second, err := answerTo(ctx, b)
		if err != nil {
			return false, err
		}
		if first == second {
			return true, nil
		}
	}
	return false, nil
}

func answerTo(ctx context.Context, transcript string) (string, error) {
	reply, err := assistant().Generate(ctx, []*ai.Message{ai.NewUserMessage(transcript)})
	if err != nil {
		return "", fmt.Errorf("rejection: answer %q: %w", transcript, err)
	}
	answer := reply.Content
	for _, call := range reply.ToolCalls {
		answer += "\n" + call.Name + " " + call.Arguments
	}
	return answer, nil
}
