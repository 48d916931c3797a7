// Package rules is a chat model that needs no network and no weights: it
// understands a few hundred ways to ask for everyday things by rule, answers in
// whole spoken sentences, and says so when it does not know.
//
// It tells time and date, counts days, sets, lists and cancels timers, changes
// the volume, calculates, converts units, flips coins, rolls dice, tells jokes
// and a story, makes small talk, repeats itself and explains what it can do.
//
// # Tools
//
// What the model cannot do by itself it asks tools for, by the names and shapes
// below. A request whose tool was not bound with WithTools is declined in words.
//
//	set_timer    {"seconds":300,"label":"tea"}    -> {"id":"t1","label":"tea","seconds":300}
//	list_timers  {}                               -> {"timers":[{"id":"t1","label":"tea","remaining_seconds":123,"seconds":300}]}
//	cancel_timer {"label":"tea"} or {"all":true}  -> {"cancelled":1}
//	set_volume   {"level":40}                     -> any object
//	get_volume   {}                               -> {"level":60}
//
// Levels are 0 to 100. Any result may instead be {"error":"text"}; the text is
// passed on to the user. The answer to a tool call comes back as the
// conversation with the tool message appended, and the model words the reply or
// asks for the next tool.
//
// # Messages
//
// The last user message is the request. Earlier ones matter for "say that
// again", "another one" and a duration that answers "For how long?". System
// messages and the state of other providers are ignored. Usage counts words:
// those of all messages as prompt, those of the reply as completion.
//
// # Grammar
//
// Grammar is the language of the model's own patterns as a JSGF grammar for a
// speech recogniser, Vocabulary its words. The model understands more than the
// grammar holds: digits, abbreviations, free labels and looser wording.
//
// # Concurrency
//
// A Model serves any number of goroutines. It keeps no state of a dialogue;
// only its source of chance is shared, behind a lock.
package rules
