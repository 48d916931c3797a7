// Package transformers holds the contracts of the capabilities that a dialogue
// is made of: a [Transformer] turns one stream into another (speech into text,
// text into speech), a [Generator] answers a [ModelContext] with a stream.
// Sub-packages implement them; package edged/realtime defines what travels.
//
// # Place in the flow
//
//	microphone stream -> Transformer (ASR) -> ModelContext -> Generator -> Transformer (TTS) -> reply stream
//
// # Choosing by pattern
//
// Every call names what it wants by a pattern such as "asr/local" or
// "chat/openai/fast". A [Mux] or [GeneratorMux] chooses the implementation by
// it and passes the pattern on whole, so that one implementation may serve many
// names. Registered patterns may hold wildcards:
//
//	asr/local     this name
//	tts/+/slow    any one segment in the middle
//	chat/#        "chat" and everything below it
//
// An exact segment goes before "+", "+" before "#", and earlier segments weigh
// more. What follows a "?" in a requested name is for the implementation and
// plays no part in the choice.
//
// # Tools
//
// A Generator never runs a tool. It reports the calls that the model asks for,
// and whoever owns the tool runs it and adds call and result to the context of
// the next request.
//
// # Concurrency
//
// Generators, Transformers, muxes and built ModelContexts may be used by any
// number of goroutines. A [ModelContextBuilder] serves one.
package transformers
