package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/ai"
)

// What is answered, at midnight before Saturday, 1 January 2000, in UTC.
func TestAnswers(t *testing.T) {
	tests := []struct{ question, reply string }{
		{"what time is it", `^It's 12:00 AM\.$`},
		{"what's the date today?", `Saturday, January 1, 2000`},
		{"what day is tomorrow", `Sunday, January 2`},
		{"what day was it three days ago", `Wednesday, December 29, 1999`},
		{"what day is it in two weeks", `Saturday, January 15`},
		{"how many days until christmas", `December 25, 2000.* 359 days`},
		{"is two thousand a leap year", `^Yes`},
		{"seven plus five", `is 12\.$`},
		{"what is 3.5 times two", `is seven\.$|is 7\.$`},
		{"what is ten divided by zero", `divided by zero`},
		{"one divided by three", `0\.3333`},
		{"what is fifteen percent of eighty", `is 12\.$`},
		{"square root of one hundred and forty four", `is 12\.$`},
		{"what is four minus nine", `minus (5|five)|-5`},
		{"convert one hundred celsius to fahrenheit", `212`},
		{"how many ounces are in a pound", `16`},
		{"how many inches are in three miles", `190,080`},
		{"convert two cups to kilograms", `can't`},
		{"what is your name", `Edged`},
		{"", `(?i)catch that|sorry|pardon`},
	}
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range tests {
			if reply, _ := ask(t, tt.question); !regexp.MustCompile(tt.reply).MatchString(reply) {
				t.Errorf("%q was answered %q, want %s", tt.question, reply, tt.reply)
			}
		}
	})
}

// The clock is that of the configured place.
func TestLocation(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		msg, err := New(Config{Location: tokyo}).Generate(t.Context(), []*ai.Message{ai.NewUserMessage("what time is it")})
		if err != nil || msg.Content != "It's 9:00 AM." {
			t.Errorf("%q (%v), want nine in the morning", msg.Content, err)
		}
	})
}

// Without the tools it says so, instead of pretending.
func TestWithoutTools(t *testing.T) {
	for _, question := range []string{"set a timer for five minutes", "turn the volume up", "set the volume to fifty", "mute"} {
		msg, err := New(Config{}).Generate(t.Context(), []*ai.Message{ai.NewUserMessage(question)})
		if err != nil {
			t.Fatal(err)
		}
		if msg.HasToolCalls() || !strings.Contains(msg.Content, "can't") {
			t.Errorf("%q without tools was answered %q %v", question, msg.Content, msg.ToolCalls)
		}
	}
}

// A tool that fails is told in words.
func TestFailingTool(t *testing.T) {
	tool, err := ai.NewRawTool("set_timer", "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	model := New(Config{}).WithTools(tool)
	messages := []*ai.Message{ai.NewUserMessage("set a timer for five minutes")}
	msg, err := model.Generate(t.Context(), messages)
	if err != nil || len(msg.ToolCalls) != 1 || !json.Valid([]byte(msg.ToolCalls[0].Arguments)) {
		t.Fatalf("%+v, %v: want one tool call with a JSON object", msg, err)
	}
	messages = append(messages, msg, ai.NewToolMessage(msg.ToolCalls[0].ID, `{"error":"the clock is broken"}`))
	msg, err = model.Generate(t.Context(), messages)
	if err != nil || msg.HasToolCalls() || !strings.Contains(msg.Content, "the clock is broken") {
		t.Errorf("after the failure: %+v, %v", msg, err)
	}
}

// It can repeat itself, and what it repeats is what stands in the history.
func TestRepeat(t *testing.T) {
	msg, err := New(Config{}).Generate(t.Context(), []*ai.Message{
		ai.NewUserMessage("tell me a joke"), ai.NewAssistantMessage("A short one."), ai.NewUserMessage("say that again"),
	})
	if err != nil || msg.Content != "A short one." {
		t.Errorf("%q, %v", msg.Content, err)
	}
}

// Coins fall on both sides, dice on all six, jokes differ; with a seed it is all
// repeatable.
func TestChance(t *testing.T) {
	collect := func(seed uint64, question string, n int) []string {
		model := New(Config{Seed: seed})
		var all []string
		for range n {
			msg, err := model.Generate(t.Context(), []*ai.Message{ai.NewUserMessage(question)})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, msg.Content)
		}
		return all
	}
	distinct := func(all []string, pattern string) int {
		found := make(map[string]bool)
		for _, one := range all {
			found[strings.ToLower(regexp.MustCompile(pattern).FindString(one))] = true
		}
		return len(found)
	}
	if n := distinct(collect(1, "flip a coin", 60), `(?i)heads|tails`); n != 2 {
		t.Errorf("60 coins fell on %d sides", n)
	}
	if n := distinct(collect(1, "roll a die", 200), `(?i)\b(one|two|three|four|five|six)\b`); n != 6 {
		t.Errorf("200 dice fell on %d sides", n)
	}
	if len(jokes) < 10 || distinct(collect(1, "tell me a joke", 100), `.*`) < 8 {
		t.Errorf("%d jokes, too few of them told in 100", len(jokes))
	}
	if a, b := collect(5, "roll two dice", 20), collect(5, "roll two dice", 20); !slices.Equal(a, b) {
		t.Errorf("one seed, two outcomes: %q and %q", a, b)
	}
}

// The stream is the answer word by word, with its usage at the end.
func TestStreamIsTheAnswer(t *testing.T) {
	question := []*ai.Message{ai.NewUserMessage("tell me a story")}
	whole, err := New(Config{Seed: 3}).Generate(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := New(Config{Seed: 3}).Stream(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var text strings.Builder
	chunks := 0
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := len(strings.Fields(chunk.Content)); n > 1 {
			t.Errorf("a chunk of %d words: %q", n, chunk.Content)
		}
		text.WriteString(chunk.Content)
		chunks++
	}
	if text.String() != whole.Content {
		t.Errorf("the stream says %q, Generate %q", text.String(), whole.Content)
	}
	// A story takes about a minute at 150 words a minute.
	if words := len(strings.Fields(whole.Content)); words < 120 || chunks < words {
		t.Errorf("the story has %d words in %d chunks", words, chunks)
	}
	result, ok := stream.(ai.ResultStream)
	if !ok || result.Result().Usage == nil || result.Result().Usage.CompletionTokens < 120 {
		t.Error("the stream does not tell its usage")
	}
}

// Every word of the grammar is in the recogniser's dictionary, which Debian
// ships.
func TestVocabularyIsInTheDictionary(t *testing.T) {
	dictionary, err := os.ReadFile("/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict")
	if err != nil {
		t.Fatalf("%v: install pocketsphinx-en-us", err)
	}
	known := make(map[string]bool)
	for line := range strings.Lines(string(dictionary)) {
		word, _, _ := strings.Cut(line, " ")
		known[word] = true
	}
	words := Vocabulary()
	for _, word := range words {
		if !known[word] {
			t.Errorf("%q is not in the dictionary", word)
		}
	}
	if len(words) < 150 {
		t.Errorf("only %d words: numbers alone are thirty", len(words))
	}
}

func ExampleModel() {
	model := New(Config{})
	msg, err := model.Generate(context.Background(), []*ai.Message{ai.NewUserMessage("What is seven times eight?")})
	fmt.Println(msg.Content, err)
	// Output: Seven times eight is 56. <nil>
}
