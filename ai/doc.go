// Package ai holds the contracts between edged and language models: messages,
// chat models, tools, agents, the streams they answer with, and a registry that
// finds models and agents by name. It knows no provider; a provider package
// implements ToolableChatModel and a program registers it.
//
// # Place in the flow
//
// A session hands the history of a dialogue as messages to a ChatModel and
// reads a MessageStream. Text chunks go on to speech synthesis while the model
// is still writing. When the answer asks for tools, the session runs them,
// appends one tool message for each call and asks the model again:
//
//	user      "set a timer for five minutes"
//	assistant ToolCalls: set_timer {"seconds":300}
//	tool      ToolResult: {"id":"t1","label":"","seconds":300}
//	assistant "Okay, five minutes, starting now."
//
// # Tools
//
// FuncTool is the tool implementation: a typed Go function whose JSON Schema is
// generated and whose arguments are validated before the function sees them.
// ToolInfo is the small common subset of JSON Schema; a tool that has more to
// say also implements SchemaTool, and providers send that document unchanged.
//
// # Errors
//
// The sentinels (ErrProviderNotFound and its kin) name states and are found
// with errors.Is. ToolError says which tool failed, ModelError which provider
// and with what status.
//
// # Concurrency
//
// Messages, options and infos are plain values: whoever holds one may read it,
// and nobody writes to it once it was handed on. Models, tools, agents and the
// Registry serve any number of goroutines. A stream has one reader; Close may
// be called from anywhere.
package ai
