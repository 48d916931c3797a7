package main

import (
	"context"

	"edged/internal/recordings"
)

// question is one recording to be made.
type question struct {
	voice  string
	text   string
	intent string
	reply  [][]string // as recordings.Recording.ReplyWords
}

// voice is a speaker. Its split is that of all its recordings.
type voice struct {
	source string
	split  recordings.Split
	speak  func(ctx context.Context, name, text string) (utterance, error)
}

// voices holds two speakers to tune with and three to measure with: a man and a
// woman from the United States; a Scot and two men whose voices are put together
// from diphones, one of them by another program with its own reading of English.
var voices = map[string]voice{
	"rms":   {"flite", recordings.Tuning, speakFlite},
	"slt":   {"flite", recordings.Tuning, speakFlite},
	"awb":   {"flite", recordings.HeldOut, speakFlite},
	"kal16": {"flite", recordings.HeldOut, speakFlite},
	"ked":   {"festival", recordings.HeldOut, speakFestival},
}

// needs and oneOf build what a reply must hold: all of these words, or one of
// them.
func needs(words ...string) (need [][]string) {
	for _, w := range words {
		need = append(need, []string{w})
	}
	return need
}

func oneOf(words ...string) [][]string { return [][]string{words} }

// questions are short and natural. No text is in both splits, and each split has
// most of the intents.
var questions = []question{
	{"rms", "What time is it?", "time", nil},
	{"slt", "What is the date today?", "date", nil},
	{"rms", "What day is it tomorrow?", "day", needs("tomorrow")},
	{"slt", "Set a timer for ten minutes.", "timer.set", needs("ten minutes")},
	{"rms", "How much time is left on my timer?", "timer.list", oneOf("timer", "timers")},
	{"slt", "Cancel my timer.", "timer.cancel", oneOf("timer", "timers")},
	{"rms", "What is seven plus five?", "sum", needs("twelve")},
	{"slt", "What is six times eight?", "sum", needs("forty eight")},
	{"rms", "How many inches are there in three feet?", "unit", needs("thirty six inches")},
	{"slt", "Flip a coin.", "coin", oneOf("heads", "tails")},
	{"rms", "Roll a dice.", "dice", oneOf("one", "two", "three", "four", "five", "six")},
	{"slt", "Tell me a joke.", "joke", nil},
	{"rms", "How are you?", "talk", nil},
	{"slt", "What can you do?", "help", nil},
	{"rms", "Turn the volume up.", "volume.up", needs("volume")},
	{"slt", "Who won the world cup in nineteen ninety eight?", recordings.Decline, nil},

	{"awb", "Do you know what time it is?", "time", nil},
	{"kal16", "What day is it today?", "day", nil},
	{"ked", "What day is it in three days?", "day", nil},
	{"awb", "Set a timer for twenty five seconds.", "timer.set", needs("twenty five seconds")},
	{"kal16", "Do I have any timers?", "timer.list", oneOf("timer", "timers")},
	{"ked", "Stop the timer.", "timer.cancel", oneOf("timer", "timers")},
	{"awb", "What is nine minus four?", "sum", needs("five")},
	{"kal16", "What is twelve divided by four?", "sum", needs("three")},
	{"awb", "How many grams are there in two kilograms?", "unit", needs("two thousand grams")},
	{"ked", "Convert five miles to kilometers.", "unit", needs("eight", "kilometers")},
	{"kal16", "Toss a coin.", "coin", oneOf("heads", "tails")},
	{"ked", "Make me laugh.", "joke", nil},
	{"awb", "Who are you?", "talk", nil},
	{"kal16", "What can I ask you?", "help", nil},
	{"awb", "Set the volume to fifty.", "volume.set", needs("fifty percent")},
	{"ked", "Turn the volume down.", "volume.down", needs("volume")},
	{"kal16", "How tall is the eiffel tower?", recordings.Decline, nil},
	{"ked", "What is the capital of france?", recordings.Decline, nil},
}
