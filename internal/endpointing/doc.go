// Package endpointing holds no code but a measurement: how often the end of an
// utterance is found too early in speech with a pause inside, and how long after
// the last word it is found, with the voice activity detector, the recogniser and
// the judges that a session uses, against an endpointer that waits a fixed 700 ms.
// It counts audio time, so that it gives the same on any machine.
//
// A short form runs with the tests. The whole is
//
//	EDGED_ENDPOINTING=400 go test -v -run TestAdaptiveHold -timeout 60m ./internal/endpointing
//
// where 400 is how many utterances of the held-out split are spoken;
// EDGED_ENDPOINTING_SPLIT=tuning takes the other one, and shows what went wrong.
package endpointing
