package rules

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"edged/ai"
	"edged/ai/match"
)

// reply is what the model says, or the tool it asks for first.
type reply struct {
	text string
	call *ai.ToolCall
	// declined: the text says that the model does not know.
	declined bool
}

// say formats a reply in words.
func say(format string, args ...any) reply { return reply{text: fmt.Sprintf(format, args...)} }

// request is one user message as a skill sees it.
type request struct {
	*match.Match
	book  *book
	model *Model
	now   time.Time
	// before are the messages that precede the user's.
	before []*ai.Message
	// steps are the tools already asked for in this turn, with their results.
	steps []step
	// callID names the next tool call.
	callID string
}

// step is one tool call of this turn with its result.
type step struct {
	name   string
	result json.RawMessage
}

// reply answers the last user message of a dialogue.
func (m *Model) reply(messages []*ai.Message) reply {
	last := -1
	for i, msg := range messages {
		if msg.IsUser() {
			last = i
		}
	}
	if last < 0 {
		return m.notHeard()
	}
	r := &request{book: theBook(), model: m, now: time.Now().In(m.location), before: messages[:last]}
	r.steps = stepsOf(messages[last+1:])
	r.callID = nextCallID(messages)
	text := m.withoutOwnName(messages[last].Content)
	if len(match.Normalize(text)) == 0 {
		if len(match.Normalize(messages[last].Content)) > 0 { // only the name was called
			return say("Yes? I'm listening.")
		}
		return m.notHeard()
	}
	return r.dispatch(text)
}

// dispatch finds the skill for text and asks it.
func (r *request) dispatch(text string) reply {
	found, ok := r.book.set.Match(text)
	if !ok || narrates(text) {
		return r.decline()
	}
	r.Match = found
	return r.book.skills[found.Rule].answer(r)
}

func (m *Model) notHeard() reply {
	return reply{declined: true, text: m.pick("Sorry, I didn't catch that.", "I didn't catch that. Could you say it again?",
		"Sorry, I didn't hear anything. Please try again.")}
}

// pick returns one of the wordings.
func (m *Model) pick(wordings ...string) string { return wordings[m.chance.below(len(wordings))] }

// withoutOwnName drops the assistant's name from the beginning or the end of
// what was said, with a hey or an okay before it.
func (m *Model) withoutOwnName(text string) string {
	name := match.Normalize(m.name)
	words := match.Normalize(text)
	if len(name) == 0 || len(words) < len(name) {
		return text
	}
	for _, greeting := range [][]string{{"hey"}, {"okay"}, {"ok"}, {}} {
		if lead := append(greeting, name...); startsWith(words, lead) {
			return strings.Join(words[len(lead):], " ")
		}
	}
	if startsWith(words[len(words)-len(name):], name) && len(words) > len(name) {
		// "what is your name, edged" but not "are you edged".
		return strings.Join(words[:len(words)-len(name)], " ")
	}
	return text
}

func startsWith(words, prefix []string) bool {
	if len(words) < len(prefix) {
		return false
	}
	for i, w := range prefix {
		if words[i] != w {
			return false
		}
	}
	return true
}

// stepsOf pairs the tool calls after the user's message with their results.
func stepsOf(messages []*ai.Message) []step {
	names := map[string]string{}
	var steps []step
	for _, msg := range messages {
		for _, call := range msg.ToolCalls {
			names[call.ID] = call.Name
		}
		if msg.ToolResult != nil {
			if name, ok := names[msg.ToolResult.CallID]; ok {
				steps = append(steps, step{name, json.RawMessage(msg.ToolResult.Content)})
			}
		}
	}
	return steps
}

// nextCallID returns an id that no call of the dialogue has.
func nextCallID(messages []*ai.Message) string {
	n := 1
	for _, msg := range messages {
		n += len(msg.ToolCalls)
	}
	return fmt.Sprintf("call_%d", n)
}

// offers reports whether the caller bound the tool.
func (r *request) offers(tool string) bool { return r.model.tools[tool] }

// ask is a reply that asks for a tool.
func (r *request) ask(tool string, arguments any) reply {
	text, err := json.Marshal(arguments)
	if err != nil { // all arguments are plain structs of this package
		return say("Sorry, I could not put that into a request: %v.", err)
	}
	return reply{call: &ai.ToolCall{ID: r.callID, Name: tool, Arguments: string(text)}}
}

// result decodes the latest result of the tool into v. done is false while the
// tool was not asked for in this turn. trouble is not empty when the tool
// reported an error or its result makes no sense.
func (r *request) result(tool string, v any) (done bool, trouble string) {
	for i := len(r.steps) - 1; i >= 0; i-- {
		if r.steps[i].name != tool {
			continue
		}
		var failure struct {
			Error string `json:"error"`
		}
		text := r.steps[i].result
		if err := json.Unmarshal(text, &failure); err != nil {
			return true, "the answer made no sense to me"
		}
		if failure.Error != "" {
			return true, strings.TrimRight(failure.Error, ". ")
		}
		if v != nil && json.Unmarshal(text, v) != nil {
			return true, "the answer made no sense to me"
		}
		return true, ""
	}
	return false, ""
}

// lastAnswer returns what the assistant said last before this request, "" if
// nothing.
func (r *request) lastAnswer() string {
	for i := len(r.before) - 1; i >= 0; i-- {
		if r.before[i].IsAssistant() && strings.TrimSpace(r.before[i].Content) != "" {
			return r.before[i].Content
		}
	}
	return ""
}
