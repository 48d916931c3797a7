// Package pocketsphinx is the speech recogniser that runs offline: an
// asr.Recognizer on libpocketsphinx with Debian's American English model.
//
// # Place in the flow
//
//	asr.Transformer -> Recognizer (pool of decoders) -> libpocketsphinx
//
// # How an utterance is recognised
//
// While the audio comes, the search with the language model runs and gives the
// partials. At the end a second search, which follows a grammar of the commands
// that the assistant knows, goes over the same audio; that takes a tenth of the
// time. Neither alone will do: the grammar hears a command in whatever is said,
// the language model has never heard of most commands and gets every fifth word
// wrong. So the grammar's reading is taken if the language model heard nearly
// the same: if the edit distance of the two in characters, divided by the length
// of the longer, is at most Config.Threshold. Otherwise the language model's
// reading stands and the result says that it is no command.
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
// recordings from 39 to 25 %, and it stays there when the level is 20 dB
// lower. The price is that the first partial is not there before. The search
// with the grammar starts with the mean over the whole utterance.
//
// # Cost
//
// A decoder takes about 97 MB and 0.3 to 1 s to load. The language model takes
// 0.15 to 0.3 of real time on one core, the grammar 0.02; see the benchmarks.
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
