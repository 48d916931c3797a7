package rejection

import (
	"context"
	"fmt"

	"edged/internal/recordings"
)

// Utterance is a text as somebody says it.
type Utterance struct {
	Text
	Speaker string
	Kind    Kind

	samples []int16
}

// Corpus returns the utterances of a split by speakers of the given kinds. Every
// text is said by one speaker of each kind, in turn; people and machines say what
// they have said. Speech that is not in the studio's cache is recorded.
func Corpus(ctx context.Context, studio *Studio, split recordings.Split, kinds ...Kind) ([]Utterance, error) {
	var all []Utterance
	for _, kind := range kinds {
		var some []Utterance
		var err error
		switch kind {
		case Synthetic, Pseudo:
			some, err = synthesised(ctx, studio, split, kind)
		case Human:
			some, err = humans(split)
		case Spliced:
			if split == recordings.HeldOut {
				some, err = clipped("allison", kind, spliced)
			}
		case Machine:
			if split == Fresh {
				break // it has texts only
			}
			some, err = clipped("machine", kind, func() ([]clip, error) { return sounds(split) })
		default:
			err = fmt.Errorf("rejection: %q is no kind of speaker", kind)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func synthesised(ctx context.Context, studio *Studio, split recordings.Split, kind Kind) ([]Utterance, error) {
	of := split
	if of == Fresh {
		of = recordings.HeldOut
	}
	speakers, err := Speakers(of, kind)
	if err != nil {
		return nil, err
	}
	texts, err := Texts(split)
	if err != nil {
		return nil, err
	}
	orders := make([]Order, len(texts))
	for i, t := range texts {
		orders[i] = Order{speakers[i%len(speakers)], t.Said}
	}
	if err := studio.Record(ctx, orders); err != nil {
		return nil, err
	}
	all := make([]Utterance, len(texts))
	for i, o := range orders {
		samples, err := studio.Speech(o)
		if err != nil {
			return nil, err
		}
		all[i] = Utterance{texts[i], o.Speaker.Name, kind, samples}
	}
	return all, nil
}

func humans(split recordings.Split) ([]Utterance, error) {
	speakers, err := Speakers(split, Human)
	if err != nil {
		return nil, err
	}
	var all []Utterance
	for _, s := range speakers {
		some, err := clipped(s.Name, Human, func() ([]clip, error) { return people(s) })
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func clipped(speaker string, kind Kind, clips func() ([]clip, error)) ([]Utterance, error) {
	made, err := clips()
	if err != nil {
		return nil, err
	}
	all := make([]Utterance, len(made))
	for i, c := range made {
		all[i] = Utterance{c.Text, speaker, kind, c.samples}
	}
	return all, nil
}

// Under returns the utterance's samples under a condition: always the same.
func (u Utterance) Under(c Condition) ([]int16, error) {
	return Mix(u.samples, c, hash(u.Speaker+"\n"+u.Said))
}
