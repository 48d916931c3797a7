package session

import (
	"edged/realtime"
	"edged/transformers"
)

// modelContext builds what the generator is told for the next round of a reply:
// the prompt, the conversation as it was heard, the question, the tools used so
// far in this turn, and the tools on offer.
func (s *session) modelContext(memory []exchange, r *reply) transformers.ModelContext {
	var b transformers.ModelContextBuilder
	if s.Profile.Prompt != "" {
		b.Prompt("", s.Profile.Prompt)
	}
	for _, e := range memory {
		if e.user != "" {
			b.Text(realtime.RoleUser, "", e.user)
		}
		addTools(&b, e.tools)
		b.Text(realtime.RoleModel, "", e.spoken())
	}
	b.Text(realtime.RoleUser, "", r.question)
	addTools(&b, r.toolsUsed())
	for _, t := range s.tools {
		b.Tool(transformers.NewFuncTool(t))
	}
	return b.Build()
}

func addTools(b *transformers.ModelContextBuilder, uses []toolUse) {
	for _, u := range uses {
		b.ToolCall(u.call)
		b.ToolResult(realtime.ToolResult{ID: u.call.ID, Content: u.result})
	}
}
