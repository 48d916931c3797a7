package ai_test

import (
	"maps"
	"slices"
	"testing"

	"edged/ai"
)

func TestV09NewOptions(t *testing.T) {
	o := ai.NewOptions()
	if o.Meta == nil || len(o.Meta) != 0 {
		t.Errorf("Meta is %#v, want an empty map that is not nil", o.Meta)
	}
	if o.Temperature != nil || o.MaxTokens != nil || o.StopSequences != nil {
		t.Errorf("a setting is not unset: %+v", o)
	}
}

func TestV10ApplyReturnsReceiver(t *testing.T) {
	o := ai.NewOptions()
	if got := o.Apply(ai.WithMaxTokens(7)); got != o {
		t.Error("Apply returned another pointer")
	}
	if o.MaxTokens == nil || *o.MaxTokens != 7 {
		t.Errorf("MaxTokens is %v, want 7 on the receiver", o.MaxTokens)
	}
}

func TestV11LaterOptionWins(t *testing.T) {
	o := ai.NewOptions().Apply(
		ai.WithTemperature(0.2), ai.WithMeta("k", "a"),
		ai.WithTemperature(0.9), ai.WithMeta("k", "b"),
	)
	if *o.Temperature != 0.9 || o.Meta["k"] != "b" {
		t.Errorf("temperature %v, meta %q: want those given last, 0.9 and \"b\"", *o.Temperature, o.Meta["k"])
	}
}

func TestV12ZeroIsAValue(t *testing.T) {
	o := ai.NewOptions().Apply(ai.WithTemperature(0), ai.WithMaxTokens(0))
	if o.Temperature == nil || *o.Temperature != 0 {
		t.Error("temperature 0 cannot be told from unset")
	}
	if o.MaxTokens == nil || *o.MaxTokens != 0 {
		t.Error("max tokens 0 cannot be told from unset")
	}
}

func TestV13StopSequencesReplace(t *testing.T) {
	o := ai.NewOptions().Apply(ai.WithStopSequences("a", "b"), ai.WithStopSequences("c"))
	if !slices.Equal(o.StopSequences, []string{"c"}) {
		t.Errorf("stop sequences %q, want [c]: the second replaces the first", o.StopSequences)
	}
	if o.Apply(ai.WithStopSequences()); len(o.StopSequences) != 0 {
		t.Errorf("stop sequences %q, want none after an empty replacement", o.StopSequences)
	}
}

func TestV14MetaOnZeroOptions(t *testing.T) {
	var o ai.Options
	o.Apply(ai.WithMeta("a", "1"), ai.WithMeta("b", "2"), ai.WithMeta("a", "3"))
	if want := map[string]string{"a": "3", "b": "2"}; !maps.Equal(o.Meta, want) {
		t.Errorf("meta is %v, want %v", o.Meta, want)
	}
}

func TestV15OptionsShareNothing(t *testing.T) {
	words := []string{"a", "b"}
	opts := []ai.Option{
		ai.WithTemperature(0.5), ai.WithMaxTokens(5),
		ai.WithStopSequences(words...), ai.WithMeta("k", "v"),
	}
	words[0] = "changed by the caller"
	x, y := ai.NewOptions().Apply(opts...), ai.NewOptions().Apply(opts...)
	*x.Temperature, *x.MaxTokens, x.StopSequences[0], x.Meta["k"] = 9, 9, "z", "z"
	if *y.Temperature != 0.5 || *y.MaxTokens != 5 || y.StopSequences[0] != "a" || y.Meta["k"] != "v" {
		t.Errorf("changing one accumulator changed the other: %v %v %v %v",
			*y.Temperature, *y.MaxTokens, y.StopSequences, y.Meta)
	}
	z := ai.NewOptions().Apply(nil, ai.WithMaxTokens(1))
	if *z.MaxTokens != 1 {
		t.Error("a nil option stopped the others")
	}
}
