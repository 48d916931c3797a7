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
// microphone of each connection. An utterance adds one while it is recognised, a
// reply adds one for its playback, one for its account and one for its words,
// besides what the engines start. They reach the loop through one bounded inbox;
// Run joins them all.
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
// In dialog.ModeRealtime the user can talk over a reply. Such speech is suspected
// first, and the reply held if the device can; BargeIn says when it is an
// interruption. Until then it is nobody's turn: rejected, it leaves no trace but a
// pause; confirmed, it is the next turn from its first sample on.
//
// # Coming back
//
// Run serves one connection. A Host keeps a session for Profile.ResumeFor when its
// connection is lost. The voice of a reply stays in the session until it was
// heard, so a device that comes back is played the rest of it from the sample
// where it stopped.
//
// # Failures
//
// Each stage of a turn has a deadline. What fails, hangs or gives nothing is told
// to the device and the log, and the user hears a phrase from a Phrasebook, which
// does not need the synthesiser any more.
//
// # The turn machine
//
// Each line is a cell of the table that Step runs on: what happens, in which
// phases, where it leads, why, and what may have to be done. Everything else
// changes nothing.
//
//	Begun: any phase -> same phase
//		(what the dialogue goes by)
//	ListenStarted: idle | listening -> listening
//		(the microphone opens)
//	ListenStarted: user speaking -> listening
//		(the user begins anew) Discard
//	ListenStarted: thinking | speaking | held -> listening | thinking
//		(the user talks over the turn, or has heard it) Cancel Discard Flush Say Settle StartTimer StopTimer
//	SpeechStarted: listening -> user speaking
//		(an utterance begins and with it a turn) Tell
//	SpeechStarted: thinking | speaking | held -> held
//		(perhaps an interruption: judge it) Discard Hold StartTimer StopTimer
//	SpeechStarted: idle | user speaking -> same phase
//		(not listening: the speech is nobody's turn) Discard
//	SpeechLasted: thinking | speaking | held -> user speaking | thinking | held
//		(long enough to be an interruption?) Cancel Flush Hold StartTimer StopTimer Tell
//	SpeechStopped: user speaking -> thinking
//		(the utterance has ended) StartTimer Tell
//	SpeechStopped: thinking | speaking | held -> same phase
//		(its transcript will decide)
//	ListenStopped: listening -> idle | thinking | listening
//		(the microphone closes without a word) Say StartTimer
//	ListenStopped: idle | user speaking | thinking | speaking | held -> same phase
//		(the end of the utterance says the rest)
//	Partial: user speaking -> same phase
//		(what is understood so far) Tell
//	Partial: thinking | speaking | held -> user speaking | thinking | held
//		(what is understood so far: an interruption?) Cancel Flush Hold StartTimer StopTimer Tell
//	Final: user speaking -> thinking
//		(the transcript stands: answer it) Reply Say StartTimer Tell
//	Final: thinking -> thinking | user speaking
//		(the transcript stands: answer it, unless the next one has begun) Cancel Discard Flush Reply Say StartTimer StopTimer Tell
//	Final: speaking | held -> thinking | speaking
//		(an interruption or none, by its words) Cancel Discard Flush Release StartTimer StopTimer Tell
//	RecognizeFailed: user speaking | thinking -> idle | listening
//		(the recogniser gave up: say so) Cancel Discard Flush StopTimer Tell
//	RecognizeFailed: speaking | held -> speaking
//		(not understood: the reply goes on) Discard Release StartTimer StopTimer
//	Generated: thinking -> same phase
//		(all words are there: the synthesiser is waited for) StartTimer
//	FirstSentence: thinking -> same phase
//		(the synthesiser has something to say) StartTimer
//	FirstAudio: thinking -> speaking | held
//		(the reply begins to sound) Hold StartTimer StopTimer
//	ReplyFailed: thinking -> idle | listening
//		(nothing to hear: say so) Cancel Discard Flush StopTimer Tell
//	ReplyFailed: speaking | held -> same phase
//		(what there is of the reply is played) Tell
//	Sent: thinking | speaking | held -> held | user speaking | thinking
//		(so far the reply has been sent) Cancel Flush Hold StartTimer StopTimer Tell
//	Played: thinking | speaking | held -> idle | listening | thinking | user speaking | held
//		(the device has played so far) Cancel Flush Hold Say Settle StartTimer StopTimer Tell
//	Delivered: thinking | speaking | held -> idle | listening | thinking | user speaking
//		(everything is with the device) Say Settle StartTimer StopTimer Tell
//	Aborted: any phase -> idle | listening
//		(stop; always answered by a flush) Cancel Discard Flush StopTimer
//	Woken: any phase -> idle | listening
//		(the wake word stops a turn) Cancel Discard Flush StopTimer
//	Flushed: any phase -> any phase
//		(the interruption is complete) Reply Say Settle StartTimer
//	NoticeDue: any phase -> thinking
//		(said now, or when nobody speaks) Say StartTimer
//	Detached: any phase -> idle | speaking
//		(the connection is lost: wait for the device) Discard StartTimer StopTimer
//	Attached: any phase -> idle | thinking | listening
//		(the device is back) Resume Say Settle StartTimer StopTimer
//	TimerFired: any phase -> any phase
//		(out of patience, or played by now) Cancel Discard End Flush Release Say Settle StartTimer StopTimer Tell
//	Ended: any phase -> idle
//		(the dialogue is over) Cancel Discard End Flush StopTimer
package session
