package generate

import (
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"edged/ai"
	"edged/realtime"
	"edged/transformers"
)

// request is what a ModelContext becomes for a chat model.
type request struct {
	model    ai.ChatModel // with the tools bound
	messages []*ai.Message
	options  []ai.Option
}

func (g *Generator) request(c transformers.ModelContext) (*request, error) {
	messages, err := messagesOf(c)
	if err != nil {
		return nil, err
	}
	options, err := optionsOf(c.Params())
	if err != nil {
		return nil, err
	}
	model, err := g.withTools(c.Tools())
	if err != nil {
		return nil, err
	}
	return &request{model: model, messages: messages, options: options}, nil
}

func (g *Generator) withTools(offered iter.Seq[transformers.Tool]) (ai.ChatModel, error) {
	var tools []ai.Tool
	for t := range offered {
		switch t := t.(type) {
		case *transformers.FuncTool:
			tools = append(tools, t.Tool) // its own schema, if it has one, shows
		case *transformers.SearchWebTool:
			return nil, fmt.Errorf("%w: web search", transformers.ErrUnsupportedTool)
		default:
			return nil, fmt.Errorf("%w: %T", transformers.ErrUnsupportedTool, t)
		}
	}
	if len(tools) == 0 {
		return g.model, nil
	}
	model, ok := g.model.(ai.ToolableChatModel)
	if !ok {
		return nil, fmt.Errorf("%w: it takes none, and %d are offered, %s first",
			transformers.ErrUnsupportedTool, len(tools), tools[0].Info().Name)
	}
	return model.WithTools(tools...), nil
}

// messagesOf translates prompts, reasoning and history, in this order.
func messagesOf(c transformers.ModelContext) ([]*ai.Message, error) {
	var messages []*ai.Message
	for p := range c.Prompts() {
		messages = append(messages, ai.NewSystemMessage(p.Text))
	}
	for thought := range c.CoTs() {
		messages = append(messages, ai.NewSystemMessage("Your reasoning so far: "+thought))
	}
	// The assistant message at the end of messages that calls may still be
	// added to: models want text and calls of one answer together.
	var answer *ai.Message
	for m := range c.Messages() {
		switch payload := m.Payload.(type) {
		case *realtime.ToolCall:
			if answer == nil {
				answer = ai.NewAssistantMessage("")
				messages = append(messages, answer)
			}
			answer.ToolCalls = append(answer.ToolCalls, ai.ToolCall{ID: payload.ID, Name: payload.Name, Arguments: payload.Arguments})
		case *realtime.ToolResult:
			answer = nil
			messages = append(messages, ai.NewToolMessage(payload.ID, payload.Content))
		case realtime.Contents:
			message, err := contentMessage(m.Role, payload)
			if err != nil {
				return nil, err
			}
			messages = append(messages, message)
			if answer = nil; message.IsAssistant() {
				answer = message
			}
		default:
			return nil, fmt.Errorf("%w: a message of role %q without payload", ErrUnsupportedContent, m.Role)
		}
	}
	return messages, nil
}

func contentMessage(role realtime.Role, contents realtime.Contents) (*ai.Message, error) {
	for _, part := range contents {
		if _, isText := part.(realtime.Text); !isText {
			return nil, fmt.Errorf("%w: %s in a message of role %q, want text", ErrUnsupportedContent, partName(part), role)
		}
	}
	switch role {
	case realtime.RoleUser:
		return ai.NewUserMessage(contents.Text()), nil
	case realtime.RoleModel:
		return ai.NewAssistantMessage(contents.Text()), nil
	}
	return nil, fmt.Errorf("%w: contents of role %q", ErrUnsupportedContent, role)
}

func partName(part realtime.Part) string {
	if key := realtime.ChannelKey(part); key != "" {
		return key
	}
	return fmt.Sprintf("%T", part)
}

// optionsOf passes the settings on. What package ai has no option for travels
// as metadata: "top_p", and each extra field under its name, strings as they
// are and everything else as JSON.
func optionsOf(p *transformers.ModelParams) ([]ai.Option, error) {
	if p == nil {
		return nil, nil
	}
	var options []ai.Option
	if p.MaxTokens != nil {
		options = append(options, ai.WithMaxTokens(*p.MaxTokens))
	}
	if p.Temperature != nil {
		options = append(options, ai.WithTemperature(*p.Temperature))
	}
	if p.TopP != nil {
		options = append(options, ai.WithMeta("top_p", strconv.FormatFloat(*p.TopP, 'g', -1, 64)))
	}
	for key, value := range p.Extra {
		text, isString := value.(string)
		if !isString {
			encoded, err := json.Marshal(value)
			if err != nil {
				return nil, fmt.Errorf("parameter %q: %w", key, err)
			}
			text = strings.TrimSpace(string(encoded))
		}
		options = append(options, ai.WithMeta(key, text))
	}
	return options, nil
}

// onlyTool is a context whose only tool is the given one.
type onlyTool struct {
	transformers.ModelContext
	tool *transformers.FuncTool
}

func (c onlyTool) Tools() iter.Seq[transformers.Tool] {
	return func(yield func(transformers.Tool) bool) { yield(c.tool) }
}
