package ai_test

import (
	"context"
	"fmt"

	"edged/ai"
)

func ExampleNewFuncTool() {
	type arguments struct {
		Level int `json:"level" jsonschema:"minimum=0,maximum=100,description=percent"`
	}
	tool, err := ai.NewFuncTool("set_volume", "Sets the volume of the speaker.",
		func(_ context.Context, in arguments) (map[string]int, error) {
			return map[string]int{"level": in.Level}, nil
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, _ := tool.Invoke(context.Background(), `{"level":40}`)
	fmt.Println(result)
	_, err = tool.Invoke(context.Background(), `{"level":140}`)
	fmt.Println(err)
	// Output:
	// {"level":40}
	// ai: tool set_volume: argument "level": maximum: got 140, want 100
}

func ExampleRegistry() {
	var registry ai.Registry
	_, err := registry.NewChatModel(context.Background(), &ai.ModelConfig{Provider: "acme"})
	fmt.Println(err)
	// Output:
	// ai: model provider not found: "acme" (register it first)
}
