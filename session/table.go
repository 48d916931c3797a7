package session

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// table is the turn machine, cell by cell. Every event has a cell in every
// phase; the test of this package walks them all, and the picture in the
// package documentation is drawn from them.
func table() []cell {
	var (
		idle, listening, user    = PhaseIdle, PhaseListening, PhaseUserSpeaking
		thinking, speaking, held = PhaseThinking, PhaseSpeaking, PhaseHeld

		in  = func(p ...Phase) []Phase { return p }
		ask = func(a ...Action) []Action { return a }
		and = func(a []Action, more ...Action) []Action { return append(slices.Clip(a), more...) }
	)
	interruption := ask(Discard{}, Flush{}, Cancel{}, StopTimer{})
	bargeIn := ask(Flush{}, Cancel{}, StopTimer{}, Tell{}, StartTimer{})
	conclusion := ask(StopTimer{}, Settle{})
	moveOn := ask(Say{}, StartTimer{})
	return []cell{
		on(phases, nil, nil, "what the dialogue goes by", begun),

		on(in(idle, listening), in(listening), nil, "the microphone opens", listen),
		on(in(user), in(listening), ask(Discard{}), "the user begins anew", relisten),
		on(in(thinking, speaking, held), in(listening, thinking), and(interruption, Settle{}, Say{}, StartTimer{}), "the user talks over the turn, or has heard it", talkOver),

		on(in(listening), in(user), ask(Tell{}), "an utterance begins and with it a turn", speechStarted),
		on(in(thinking, speaking, held), in(held), ask(Discard{}, Hold{}, StopTimer{}, StartTimer{}), "perhaps an interruption: judge it", suspect),
		on(in(idle, user), nil, ask(Discard{}), "not listening: the speech is nobody's turn", speechElsewhere),

		on(in(thinking, speaking, held), in(user, thinking, held), and(bargeIn, Hold{}), "long enough to be an interruption?", lasted),
		ignore[SpeechLasted](in(idle, listening, user), "nothing to interrupt"),

		on(in(user), in(thinking), ask(Tell{}, StartTimer{}), "the utterance has ended", speechStopped),
		on(in(thinking, speaking, held), nil, nil, "its transcript will decide", suspectStopped),
		ignore[SpeechStopped](in(idle, listening), "no utterance is open"),

		on(in(listening), in(idle, thinking, listening), moveOn, "the microphone closes without a word", silentStop),
		on(in(idle, user, thinking, speaking, held), nil, nil, "the end of the utterance says the rest", microphoneClosed),

		on(in(user), nil, ask(Tell{}), "what is understood so far", partial),
		on(in(thinking, speaking, held), in(user, thinking, held), and(bargeIn, Hold{}), "what is understood so far: an interruption?", partial),
		ignore[Partial](in(idle, listening), "no utterance is open"),

		on(in(user), in(thinking), ask(Tell{}, Reply{}, Say{}, StartTimer{}), "the transcript stands: answer it", final),
		on(in(thinking), in(thinking, user), and(interruption, Tell{}, StartTimer{}, Reply{}, Say{}), "the transcript stands: answer it, unless the next one has begun", final),
		on(in(speaking, held), in(thinking, speaking), and(interruption, Tell{}, StartTimer{}, Release{}), "an interruption or none, by its words", final),
		ignore[Final](in(idle, listening), "no utterance is open"),

		on(in(user, thinking), in(idle, listening), and(interruption, Tell{}), "the recogniser gave up: say so", recognizeFailed),
		on(in(speaking, held), in(speaking), ask(Discard{}, StopTimer{}, Release{}, StartTimer{}), "not understood: the reply goes on", recognizeFailed),
		ignore[RecognizeFailed](in(idle, listening), "no utterance is open"),

		ignore[FirstToken](phases, "a fact for the log"),
		on(in(thinking), nil, ask(StartTimer{}), "all words are there: the synthesiser is waited for", generated),
		ignore[Generated](in(idle, listening, user, speaking, held), "a fact for the log"),
		ignore[ToolReturned](phases, "the turn that called the tool waits for it elsewhere"),

		on(in(thinking), nil, ask(StartTimer{}), "the synthesiser has something to say", firstSentence),
		ignore[FirstSentence](in(idle, listening, user, speaking, held), "the reply has its sound, or there is none"),

		on(in(thinking), in(speaking, held), ask(StartTimer{}, StopTimer{}, Hold{}), "the reply begins to sound", firstAudio),
		ignore[FirstAudio](in(idle, listening, user, speaking, held), "no reply is being prepared"),

		on(in(thinking), in(idle, listening), and(interruption, Tell{}), "nothing to hear: say so", replyFailed),
		on(in(speaking, held), nil, ask(Tell{}), "what there is of the reply is played", failedMidway),
		ignore[ReplyFailed](in(idle, listening, user), "no reply is being prepared"),

		on(in(thinking, speaking, held), in(held, user, thinking), and(bargeIn, Hold{}), "so far the reply has been sent", sent),
		ignore[Sent](in(idle, listening, user), "no reply is being played"),

		on(in(thinking, speaking, held), in(idle, listening, thinking, user, held), and(conclusion, Say{}, StartTimer{}, Tell{}, Flush{}, Cancel{}, Hold{}), "the device has played so far", played),
		ignore[Played](in(idle, listening, user), "no reply is being played"),

		on(in(thinking, speaking, held), in(idle, listening, thinking, user), and(conclusion, Say{}, StartTimer{}, Tell{}), "everything is with the device", delivered),
		ignore[Delivered](in(idle, listening, user), "no reply is being played"),

		on(phases, in(idle, listening), interruption, "stop; always answered by a flush", aborted),
		on(phases, in(idle, listening), interruption, "the wake word stops a turn", woken),

		on(phases, phases, ask(Settle{}, Say{}, StartTimer{}, Reply{}), "the interruption is complete", flushed),

		on(phases, in(thinking), moveOn, "said now, or when nobody speaks", noticeDue),

		on(phases, in(idle, speaking), ask(Discard{}, StopTimer{}, StartTimer{}), "the connection is lost: wait for the device", detached),
		on(phases, in(idle, thinking, listening), and(conclusion, Say{}, StartTimer{}, Resume{}), "the device is back", attached),

		on(phases, phases, and(interruption, Tell{}, Settle{}, Say{}, StartTimer{}, Release{}, End{}), "out of patience, or played by now", timerFired),

		on(phases, in(idle), and(interruption, End{}), "the dialogue is over", ended),
	}
}

// picture draws the table for the package documentation: one line a cell.
func picture() string {
	var b strings.Builder
	for _, c := range table() {
		if c.step == nil {
			continue
		}
		from, to := "any phase", "same phase"
		if len(c.from) < len(phases) {
			from = join(c.from)
		}
		if len(c.to) == len(phases) {
			to = "any phase"
		} else if c.to != nil {
			to = join(c.to)
		}
		fmt.Fprintf(&b, "%s: %s -> %s\n", kind(c.event), from, to)
		fmt.Fprintf(&b, "\t%s\n", strings.TrimSpace("("+c.why+") "+strings.Join(kinds(c.does), " ")))
	}
	return b.String()
}

func join(ps []Phase) string {
	words := make([]string, len(ps))
	for i, p := range ps {
		words[i] = string(p)
	}
	return strings.Join(words, " | ")
}

// kind names the type of an event or action without its package.
func kind(v any) string { return reflect.TypeOf(v).Name() }

func kinds(actions []Action) []string {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = kind(a)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
