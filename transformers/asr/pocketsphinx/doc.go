// Package pocketsphinx is the speech recogniser that runs offline: an
// asr.Recognizer on libpocketsphinx with Debian's American English model.
//
// # Place in the flow
//
//	asr.Transformer -> Recognizer (pool of decoders) -> libpocketsphinx
//
// # How an utterance is recognised
//
// Two decoders hear it side by side: one with a language model, whose reading so
// far is the partial, and one with a grammar of the commands that the assistant
// knows. Neither alone will do: the grammar hears a command in whatever is said,
// the language model has never heard of most commands and gets every fifth word
// wrong. So the grammar's reading is taken if the two agree, which has two
// sides: how near their texts are (edit distance in characters, divided by the
// length of the longer), and how much worse the sound fits the grammar's text
// than the language model's (acoustic scores, per frame of words). The
// asr.Result.Distance is the weighted mean of both. Above Config.Threshold the
// language model's reading stands, and the result says that it is no command.
//
// Where the sound hardly fits the grammar's reading at all, as with music, the
// distance grows; where the language model hears a single word and the grammar
// several, it is 1.
//
// How often commands are understood and everything else is declined, by whom it is
// said and through what, stands in docs/recognition.md; internal/rejection measures
// it.
//
// # The channel
//
// The acoustic model wants features whose mean over the utterance is taken off:
// how loud and how muffled a microphone is. The library guesses that mean from
// the utterances before, of whoever spoke, which makes a result depend on what
// the decoder did last. Here every utterance starts anew: decoding begins when
// 1.2 s of audio are there and starts with the mean of these, to which the
// model's own mean is added with the weight of 0.3 s. Compared with starting from
// the model's mean alone, that brought the word error rate on ten human
// recordings from 39 to 25 %, and at a level 20 dB lower from 33 to 28 %.
// The price is that the first partial is not there before, unless the user falls
// silent: at such a pause decoding begins with what is there, and begins again
// with 1.2 s if the utterance goes on.
//
// # Cost
//
// For each utterance that can be open: about 110 MB, of which 97 are dictionary
// and language model, and some 0.3 s to load. Decoding takes about 0.27 of real
// time on one core, 0.18 for the language model and 0.09 for a grammar such as
// that of ai/rules. Since both have kept up, the result is there some 10 ms after
// the last audio; a second pass with the grammar instead would take 130 ms.
//
// # What is needed
//
// libpocketsphinx is looked up when the first Recognizer is made, so that a
// program starts without it; headers are needed to build. If the library or the
// model is missing the error says which package has it.
//
// # Concurrency
//
// A Recognizer may be used by any number of goroutines, each of its Utterances by
// one at a time. It starts no goroutine that outlives a call. All calls into the
// library go through Config.Gate in pieces of at most 100 ms of audio.
package pocketsphinx
