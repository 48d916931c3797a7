// Package session is the dialogue between one device and the models that serve
// it: it takes turns, answers, can be interrupted, and remembers what was
// really heard.
//
// # The way of a turn
//
//	microphone -> VAD and endpointing -> recogniser -> generator (and tools) -> synthesiser -> speaker
//
// Run serves one device. It sees a Device (the edge's leg, whatever transport
// and dialect lie behind it) and Engines (shared by all sessions), and takes
// everything that can be set from a Profile.
//
// # Concurrency
//
// One goroutine, the loop, owns the state of the dialogue. A second reads the
// microphone. An utterance adds one while it is recognised, a reply adds one
// for its playback and one for its words, besides what the engines start. They
// reach the loop through one bounded inbox; Run joins them all.
//
// Every event reaches the turn machine (Step) in one order, the journal keeps
// that order, and only the actions that the machine asks for are carried out.
// Measuring and logging see each event too and decide nothing.
//
// # Interruption
//
// Whatever the cause, a turn is cut off in one way: the reply is flushed at the
// edge (from then on nothing of it is sent), its work is cancelled with the
// cause, the ledger is settled, and the history receives what was heard.
//
// # The turn machine
//
// Each line is a cell of the table that Step runs on: what happens, in which
// phases, where it leads, why, and what may have to be done. Everything else
// changes nothing.
//
//	ListenStarted: idle | listening -> listening
//		(the microphone opens)
//	ListenStarted: user speaking -> listening
//		(the user begins anew) Discard
//	ListenStarted: thinking | speaking -> listening | thinking
//		(the user talks over the turn, or has heard it) Cancel Discard Flush Say Settle StartTimer StopTimer
//	SpeechStarted: listening -> user speaking
//		(an utterance begins and with it a turn) Tell
//	SpeechStarted: idle | user speaking | thinking | speaking -> same phase
//		(not listening: the speech is nobody's turn) Discard
//	SpeechStopped: user speaking -> thinking
//		(the utterance has ended) StartTimer Tell
//	ListenStopped: listening -> idle | thinking | listening
//		(the microphone closes without a word) Say StartTimer
//	ListenStopped: idle | user speaking | thinking | speaking -> same phase
//		(the end of the utterance says the rest)
//	Partial: user speaking | thinking -> same phase
//		(what is understood so far) Tell
//	Final: user speaking | thinking -> thinking
//		(the transcript stands: answer it) Reply Say Tell
//	RecognizeFailed: user speaking | thinking -> idle
//		(the recogniser gave up: say so) Cancel Flush StopTimer Tell
//	FirstAudio: thinking -> speaking
//		(the reply begins to sound) StopTimer
//	ReplyFailed: thinking -> idle
//		(nothing to hear: say so) Cancel Discard Flush StopTimer Tell
//	ReplyFailed: speaking -> same phase
//		(what there is of the reply is played) Tell
//	Played: thinking | speaking -> speaking | idle | thinking
//		(the device has played so far) Say Settle StartTimer StopTimer
//	Delivered: thinking | speaking -> thinking | speaking | idle
//		(everything is with the device) Say Settle StartTimer StopTimer
//	Aborted: any phase -> idle | listening
//		(stop; always answered by a flush) Cancel Discard Flush StopTimer
//	Flushed: any phase -> any phase
//		(the interruption is complete) Say Settle StartTimer
//	NoticeDue: any phase -> any phase
//		(said now, or when nobody speaks) Say StartTimer
//	TimerFired: thinking | speaking -> idle | thinking | speaking
//		(out of patience, or played by now) Cancel Discard Flush Say Settle StartTimer StopTimer Tell
//	Ended: any phase -> idle
//		(the dialogue is over) Cancel Discard End Flush StopTimer
package session
