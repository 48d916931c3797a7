// Package log is the session log: what happened in a dialogue, as one JSON
// object a line, for the people who operate the server.
//
// The session writes it through a Recorder, a Reader reads it back into the
// same types. Every line has the fields v (schema version), time, event,
// session and device (empty where it is about none); turn where the event belongs to one, and media_ms, the
// position on the device's microphone route, where there is one. All durations
// are milliseconds.
//
// # Vocabulary
//
//	session.start       profile model version remote tools transcripts
//	session.end         reason duration_ms turns interrupted
//	session.detach      reason
//	session.attach      away_ms
//	wake                phrase
//	speech.start        utterance at_ms
//	speech.end          utterance at_ms ms
//	asr.partial         utterance text
//	asr.final           utterance text ms
//	gen.first_token     ms
//	gen.done            text ms
//	tts.first_audio     ms
//	reply.first_packet  ms
//	reply.done          audio_ms text acknowledged
//	barge_in.suspect    utterance at_ms held
//	barge_in.confirm    utterance reason ms
//	barge_in.reject     utterance reason text
//	hold                at_ms
//	resume              from_ms
//	interrupt           cause sent_ms played_ms acknowledged heard unheard reaction_ms
//	history.commit      user assistant cut messages
//	tool.call           call tool arguments
//	tool.result         call tool content error ms
//	usage               prompt_tokens cached_tokens generated_tokens audio_ms
//	drop                what reason ms packets
//	error               stage code message ms
//	log.gap             missed reason
//
// The ms of a stage counts from the end of the user's speech, or from the
// trigger of a reply that nobody asked for.
//
// # From the session to its readers
//
// Recorders write to a Ring, which keeps the newest lines in memory. Each reader
// of it is a Tail with a place of its own: standard output, a File, an operator
// who looks on. A Tail that is overtaken finds a log.gap line where lines are
// missing. Who must miss nothing, because he counts, is an Observer of the
// Recorder: it is told of each event before the line is written.
//
// # Concurrency
//
// Ring.Write never waits for a Tail: a Tail takes no lock that Write takes.
// Writers wait for each other only while one line is copied. The package starts
// no goroutines; Copy runs in its caller's.
//
// # Privacy
//
// What people said and were told is written only by a recorder made with
// transcripts enabled. Otherwise the field NAME is replaced by NAME_chars, its
// length in characters.
package log
