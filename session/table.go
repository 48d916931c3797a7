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
		idle, listening, user = PhaseIdle, PhaseListening, PhaseUserSpeaking
		thinking, speaking    = PhaseThinking, PhaseSpeaking

		in  = func(p ...Phase) []Phase { return p }
		ask = func(a ...Action) []Action { return a }
	)
	interruption := ask(Discard{}, Flush{}, Cancel{}, StopTimer{})
	return []cell{
		on(in(idle, listening), in(listening), nil, "the microphone opens", listen),
		on(in(user), in(listening), ask(Discard{}), "the user begins anew", relisten),
		on(in(thinking, speaking), in(listening, thinking), append(interruption, Settle{}, Say{}, StartTimer{}), "the user talks over the turn, or has heard it", talkOver),

		on(in(listening), in(user), ask(Tell{}), "an utterance begins and with it a turn", speechStarted),
		on(in(idle, user, thinking, speaking), nil, ask(Discard{}), "not listening: the speech is nobody's turn", speechElsewhere),

		on(in(user), in(thinking), ask(Tell{}, StartTimer{}), "the utterance has ended", speechStopped),
		ignore[SpeechStopped](in(idle, listening, thinking, speaking), "no utterance is open"),

		on(in(listening), in(idle, thinking, listening), ask(Say{}, StartTimer{}), "the microphone closes without a word", silentStop),
		on(in(idle, user, thinking, speaking), nil, nil, "the end of the utterance says the rest", microphoneClosed),

		on(in(user, thinking), nil, ask(Tell{}), "what is understood so far", partial),
		ignore[Partial](in(idle, listening, speaking), "no utterance is open"),

		on(in(user, thinking), in(thinking), ask(Tell{}, Reply{}, Say{}), "the transcript stands: answer it", final),
		ignore[Final](in(idle, listening, speaking), "no utterance is open"),

		on(in(user, thinking), in(idle), ask(Tell{}, Flush{}, Cancel{}, StopTimer{}), "the recogniser gave up: say so", recognizeFailed),
		ignore[RecognizeFailed](in(idle, listening, speaking), "no utterance is open"),

		ignore[FirstToken](phases, "a fact for the log"),
		ignore[Generated](phases, "a fact for the log"),
		ignore[Sent](phases, "the ledger keeps it"),
		ignore[ToolReturned](phases, "the turn that called the tool waits for it elsewhere"),

		on(in(thinking), in(speaking), ask(StopTimer{}), "the reply begins to sound", firstAudio),
		ignore[FirstAudio](in(idle, listening, user, speaking), "no reply is being prepared"),

		on(in(thinking), in(idle), append(interruption, Tell{}), "nothing to hear: say so", replyFailed),
		on(in(speaking), nil, ask(Tell{}), "what there is of the reply is played", failedMidway),
		ignore[ReplyFailed](in(idle, listening, user), "no reply is being prepared"),

		on(in(thinking, speaking), in(speaking, idle, thinking), ask(StopTimer{}, Settle{}, Say{}, StartTimer{}), "the device has played so far", played),
		ignore[Played](in(idle, listening, user), "no reply is being played"),

		on(in(thinking, speaking), in(thinking, speaking, idle), ask(StartTimer{}, StopTimer{}, Settle{}, Say{}), "everything is with the device", delivered),
		ignore[Delivered](in(idle, listening, user), "no reply is being played"),

		on(phases, in(idle, listening), interruption, "stop; always answered by a flush", aborted),

		on(phases, in(idle, listening, user, thinking, speaking), ask(Settle{}, Say{}, StartTimer{}), "the interruption is complete", flushed),

		on(phases, in(idle, listening, user, thinking, speaking), ask(Say{}, StartTimer{}), "said now, or when nobody speaks", noticeDue),

		on(in(thinking, speaking), in(idle, thinking, speaking), append(interruption, Tell{}, Settle{}, Say{}, StartTimer{}), "out of patience, or played by now", timerFired),
		ignore[TimerFired](in(idle, listening, user), "the turn is over"),

		on(phases, in(idle), append(interruption, End{}), "the dialogue is over", ended),
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
