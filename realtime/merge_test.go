package realtime

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestG44MergeOneAfterAnother(t *testing.T) {
	for _, test := range []struct {
		name   string
		inputs []Stream
		want   string
	}{
		{"none is empty", nil, "[]"},
		{"nil inputs are left out", []Stream{nil, nil}, "[]"},
		{"two", []Stream{script(io.EOF, texts("1", "a", "b")...), script(io.EOF, texts("2", "c")...)}, "[a b c]"},
		{"empty ones between", []Stream{script(io.EOF), script(io.EOF, texts("1", "a")...), script(io.EOF), script(io.EOF, texts("2", "b")...), script(io.EOF)}, "[a b]"},
		{"same route", []Stream{script(io.EOF, texts("1", "a")...), script(io.EOF, texts("1", "b")...)}, "[a b]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			words, end := drain(Merge(test.inputs...))
			if fmt.Sprint(words) != test.want || end != io.EOF {
				t.Errorf("stream = %v, %v, want %s, EOF", words, end, test.want)
			}
		})
	}
}

func TestG44OneInputIsItself(t *testing.T) {
	for name, merge := range map[string]func(...Stream) Stream{
		"Merge": Merge, "MergeInterleaved": MergeInterleaved, "CompositeSeq": CompositeSeq,
	} {
		t.Run(name, func(t *testing.T) {
			only := script(io.EOF)
			if got := merge(nil, only); got != Stream(only) {
				t.Errorf("got %T, want the input itself: nothing is to be gained by wrapping it", got)
			}
			if words, end := drain(merge()); len(words) != 0 || end != io.EOF {
				t.Errorf("of no inputs: %v, %v, want an empty stream", words, end)
			}
		})
	}
}

func TestG44MergeReadsOnlyWhoseTurnItIs(t *testing.T) {
	first, second := script(io.EOF, texts("1", "a", "b")...), script(io.EOF, texts("2", "c")...)
	s := Merge(first, second)
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	if first.delivered() != 1 || second.delivered() != 0 {
		t.Errorf("%d and %d chunks were pulled for one, want 1 and 0: what is not read must not be produced", first.delivered(), second.delivered())
	}
	_ = s.Close()
}

func TestG44MergeErrorStops(t *testing.T) {
	failure := errors.New("model went away")
	first, second, third := script(io.EOF, texts("1", "a")...), script(failure), script(nil, texts("3", "c")...)
	s := Merge(first, second, third)
	words, end := drain(s)
	if fmt.Sprint(words) != "[a]" || end != failure {
		t.Errorf("stream = %v, %v, want [a] and the failure: what follows it would read as if nothing were missing", words, end)
	}
	_ = s.Close()
	if _, again := s.Next(); again != failure {
		t.Errorf("G37: Next after the failure = %v, want it again", again)
	}
	if _, cause := third.told(); cause != failure || third.delivered() != 0 {
		t.Errorf("the third input: %d chunks pulled, closed with %v; want none, and the failure", third.delivered(), cause)
	}
}

func TestMergedEndsKeepStateAndUsage(t *testing.T) {
	done := &State{Usage: Usage{PromptTokens: 10, CachedTokens: 4, GeneratedTokens: 3}}
	cut := &State{Status: StatusTruncated, Reason: "length", Usage: Usage{PromptTokens: 1, GeneratedTokens: 5}}
	refused := &State{Status: StatusRefused, Reason: "policy"}
	for _, test := range []struct {
		name string
		ends []error
		want State
	}{
		{"done and done", []error{done, done}, State{Status: StatusDone, Usage: Usage{PromptTokens: 20, CachedTokens: 8, GeneratedTokens: 6}}},
		{"done, EOF and truncated", []error{done, io.EOF, cut}, State{Status: StatusTruncated, Reason: "length", Usage: Usage{PromptTokens: 11, CachedTokens: 4, GeneratedTokens: 8}}},
		{"refused before truncated", []error{refused, cut}, State{Status: StatusRefused, Reason: "policy", Usage: Usage{PromptTokens: 1, GeneratedTokens: 5}}},
		{"a wrapped State", []error{fmt.Errorf("second attempt: %w", cut), done}, State{Status: StatusTruncated, Reason: "length", Usage: Usage{PromptTokens: 11, CachedTokens: 4, GeneratedTokens: 8}}},
	} {
		for name, merge := range map[string]func(...Stream) Stream{"Merge": Merge, "MergeInterleaved": MergeInterleaved} {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				var inputs []Stream
				for _, end := range test.ends {
					inputs = append(inputs, script(end))
				}
				_, end := merge(inputs...).Next()
				var state *State
				if !errors.As(end, &state) || *state != test.want {
					t.Errorf("end = %+v, want %+v: every token is paid for, and a cut answer must not look whole", state, test.want)
				}
			})
		}
	}
}
