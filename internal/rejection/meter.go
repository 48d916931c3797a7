package rejection

import (
	"context"
	"fmt"
	"strings"

	"edged/internal/edits"
	"edged/transformers/asr"
)

// Outcome is what became of an utterance.
type Outcome struct {
	Utterance
	Condition Condition
	Heard     asr.Result
	// Answered tells that the model answers what was heard, Right that it does what
	// it would do for what was said.
	Answered, Right bool
	// Wrong is the edit distance of what was said and what was heard, in words.
	Wrong int
}

// Words is how many were said.
func (o Outcome) Words() int { return len(strings.Fields(o.Said)) }

// Measure has the recogniser hear an utterance under a condition, as a server
// does: in pieces of 100 ms.
func Measure(ctx context.Context, recognizer asr.Recognizer, u Utterance, c Condition) (o Outcome, err error) {
	pcm, err := u.Under(c)
	if err != nil {
		return Outcome{}, fmt.Errorf("rejection: %s: %q: %w", u.Speaker, u.Said, err)
	}
	o = Outcome{Utterance: u, Condition: c}
	if o.Heard, err = hear(ctx, recognizer, pcm); err != nil {
		return Outcome{}, fmt.Errorf("rejection: %s: %q: %w", u.Speaker, u.Said, err)
	}
	o.Wrong = edits.Count(strings.Fields(u.Said), strings.Fields(o.Heard.Text))
	o.Answered = o.Heard.Text != "" && Answered(o.Heard.Text)
	if u.Class == Command || u.Class == Paraphrase {
		o.Right, err = SameAnswer(ctx, u.Said, o.Heard.Text)
	}
	return o, err
}

func hear(ctx context.Context, recognizer asr.Recognizer, pcm []int16) (asr.Result, error) {
	u, err := recognizer.Open(ctx)
	if err != nil {
		return asr.Result{}, err
	}
	defer u.Close()
	for len(pcm) > 0 {
		n := min(asr.SampleRate/10, len(pcm))
		if _, err := u.Write(ctx, pcm[:n]); err != nil {
			return asr.Result{}, err
		}
		pcm = pcm[n:]
	}
	return u.Finish(ctx)
}
