// Package generate is the [transformers.Generator] over any chat model of
// package ai.
//
// # Place in the flow
//
// The session hands it the context of a turn; it translates that into the
// model's messages, tools and options, and what the model writes into chunks:
//
//	text         Role model, Label assistant, as it arrives
//	tool call    Role model, one chunk for each complete call
//	end          a control-only end of the route, then a *realtime.State with
//	             status and usage as the terminal error of the stream
//
// All chunks are on one route ([Config].StreamID). Tools are offered, never run.
//
// # What a chat model of package ai cannot be told
//
// Content other than text, a web search by the provider, and the name of a
// speaker: the first two are errors, names are left out. Neither can a model be
// forced to call a tool; see [Generator.Invoke].
//
// # Concurrency
//
// A Generator serves any number of goroutines. Each stream has one goroutine
// that reads the model; closing the stream, or ending its context, closes the
// model's stream, and Close returns after that goroutine.
package generate
