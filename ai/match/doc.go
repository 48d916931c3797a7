// Package match understands spoken commands by rules, without a model: it
// compares what was said with patterns, hands back the typed values found in it
// (numbers, durations, units, days), and turns the same patterns into a grammar
// for a speech recogniser. The offline model in ai/rules is built on it.
//
// # Patterns
//
// A pattern is a line of words in normal form (see Normalize) with
//
//	set [a] timer          words in brackets may be missing
//	(set | start) [a|the]  bars separate alternatives
//	{n:number}             a slot: its name and the type of its value
//	{number}               short for {number:number}
//	<polite>               a fragment of Config.Fragments
//
// and, in loose patterns only, which no grammar can hold,
//
//	{rest}                 one or more words of any kind
//	...                    none or more words of any kind, not captured
//
// The slot types are
//
//	number    twenty one, a hundred and five, three point five, minus two, 2.5
//	count     a whole number that is not negative
//	ordinal   first, twenty third, 3rd
//	duration  ten minutes, an hour and a half, half an hour, ninety seconds
//	unit      miles, degrees celsius, cups
//	weekday   monday
//	month     january
//	rest      free text
//
// and the names in Config.Lists, which the caller defines.
//
// # Ranking
//
// Several patterns may fit one utterance. The one that explains it best wins:
// first the one with the fewest words of free text, then the fewest soft words
// skipped, then the most words matched literally, then the rule that comes
// first in the Config, then its pattern that comes first. The outcome depends
// on nothing else.
//
// # The grammar
//
// Set.JSGF writes the language of all Patterns (not of the Loose ones) in the
// JSpeech Grammar Format, with one rule for each Rule and each slot type in
// use, and words spelled as in the CMU pronouncing dictionary: lower case,
// numbers as words, and with a few polite words around all rules but those that
// are Alone. Every sentence of the grammar is matched by the Set; where no two
// rules share a sentence, by the same rule and with the same captures. The Set understands more than the
// grammar says: digits, abbreviations, greater numbers, soft words, politeness
// in other places, and the Loose patterns.
//
// # Concurrency
//
// A Set never changes after Compile and serves any number of goroutines.
// Matching takes time proportional to the length of the utterance times the
// size of the patterns; there is no backtracking.
package match
