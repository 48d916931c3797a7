package session_test

import (
	"fmt"
	"time"

	"edged/dialog"
	"edged/session"
)

// The turn machine decides, whoever feeds it obeys: here a question that is
// answered and then cut off by the device's button.
func ExampleStep() {
	var s session.State
	for _, e := range []session.Event{
		session.ListenStarted{Route: "mic/1", Mode: dialog.ModeAuto},
		session.SpeechStarted{Utterance: "utterance/1", At: 400 * time.Millisecond},
		session.SpeechStopped{Utterance: "utterance/1", At: 1700 * time.Millisecond, Lag: 600 * time.Millisecond},
		session.Final{Utterance: "utterance/1", Text: "tell me a story"},
		session.FirstAudio{Turn: 1},
		session.Aborted{Turn: 1, Reason: "button"},
	} {
		var actions []session.Action
		s, actions = session.Step(s, e)
		fmt.Printf("%T -> %s\n", e, s.Phase)
		for _, a := range actions {
			fmt.Printf("\t%T\n", a)
		}
	}
	// Output:
	// session.ListenStarted -> listening
	// session.SpeechStarted -> user speaking
	// 	session.Tell
	// session.SpeechStopped -> thinking
	// 	session.Tell
	// 	session.StartTimer
	// session.Final -> thinking
	// 	session.Tell
	// 	session.StartTimer
	// 	session.Reply
	// session.FirstAudio -> speaking
	// 	session.StartTimer
	// session.Aborted -> idle
	// 	session.Flush
	// 	session.Cancel
	// 	session.StopTimer
	// 	session.StopTimer
	// 	session.StopTimer
}

// The ledger knows what a listener has heard who stopped the reply after a
// second.
func ExampleLedger() {
	var l session.Ledger
	l.Text("It is half past nine. ")
	l.Audio(1400 * time.Millisecond)
	l.Text("Good night.")
	l.Audio(900 * time.Millisecond)
	heard, unheard := l.Split(time.Second, true)
	fmt.Printf("%q %q\n", heard, unheard)
	// Output: "It is half past " "nine. Good night."
}
