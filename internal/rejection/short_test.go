package rejection

import (
	"strings"
	"sync"
	"testing"

	"edged/ai/rules"
	"edged/internal/recordings"
	"edged/transformers/asr/pocketsphinx"
)

// shortSample are so many utterances of each class in the short form.
const shortSample = 24

// TestShortForm is the measurement in small, with what the tests have anyway: texts
// of the held-out split, said by voices of flite, which are those of the tuning
// split. It notices when the recogniser gets much worse; how good it is the whole
// run says (make rejection).
func TestShortForm(t *testing.T) {
	recognizer, err := pocketsphinx.New(pocketsphinx.Config{Grammar: rules.Grammar(), Decoders: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer recognizer.Close()
	outcomes := measured(t, recognizer, sample(t))
	for class, check := range map[Class]func(Summary) bool{
		// Three words of 140 and one utterance of 24 are wrong in the mean. With
		// rates that are four times as high, one run in fifty would pass.
		Command: func(s Summary) bool { return s.Wrong.Of <= 10 && s.Taken.Of >= shortSample-3 },
		Outside: func(s Summary) bool { return s.Declined().Of >= shortSample-3 },
	} {
		s := Summarise(outcomes[class])
		t.Logf("%s: words wrong %v; taken by the gate %v; answered %v", class, s.Wrong, s.Taken, s.Answered)
		if s.Taken.N != shortSample {
			t.Errorf("%s: %d utterances, want %d", class, s.Taken.N, shortSample)
		}
		if !check(s) {
			var b strings.Builder
			_ = Report(&b, outcomes[class])
			t.Errorf("%s: worse than chance allows:\n%s", class, &b)
		}
	}
}

// sample returns every so-and-so-many-th held-out text of both classes, said by the
// voices in turn.
func sample(t *testing.T) []Utterance {
	t.Helper()
	speakers, err := Speakers(recordings.Tuning, Synthetic)
	if err != nil {
		t.Fatal(err)
	}
	var orders []Order
	var said []Text
	for _, class := range []Class{Command, Outside} {
		var of []Text
		for _, text := range texts(t, recordings.HeldOut) {
			if text.Class == class {
				of = append(of, text)
			}
		}
		for i := range shortSample {
			said = append(said, of[i*len(of)/shortSample])
			orders = append(orders, Order{speakers[i%4], said[len(said)-1].Said}) // the fifth is of festival
		}
	}
	studio := &Studio{Dir: t.TempDir()}
	if err := studio.Record(t.Context(), orders); err != nil {
		t.Fatal(err)
	}
	all := make([]Utterance, len(orders))
	for i, o := range orders {
		samples, err := studio.Speech(o)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = Utterance{said[i], o.Speaker.Name, o.Speaker.Kind, samples}
	}
	return all
}

// measured hears all utterances, two at a time.
func measured(t *testing.T, recognizer *pocketsphinx.Recognizer, all []Utterance) map[Class][]Outcome {
	t.Helper()
	outcomes := make([]Outcome, len(all))
	var hearing sync.WaitGroup
	for half := range 2 {
		hearing.Go(func() {
			for i := half; i < len(all); i += 2 {
				var err error
				if outcomes[i], err = Measure(t.Context(), recognizer, all[i], Clean); err != nil {
					t.Error(err)
				}
			}
		})
	}
	hearing.Wait()
	by := map[Class][]Outcome{}
	for _, o := range outcomes {
		by[o.Class] = append(by[o.Class], o)
	}
	return by
}
