// A thin layer over libpocketsphinx 0.8 (5prealpha) for Go. It loads the
// library at run time, so that a program that was built with it starts without
// it and can say what is missing.
//
// Where a function can fail it returns 0 for success and otherwise writes the
// library's own words to message, which has room for EPS_MESSAGE bytes. The
// library ends the process on what it calls a fatal error (a damaged model
// file, say); here that is a failure too, but the decoder is broken from then
// on: it must not be used again, and not be freed either.
//
// A decoder serves one thread at a time, whichever.
#ifndef EDGED_POCKETSPHINX_SHIM_H
#define EDGED_POCKETSPHINX_SHIM_H

#include <stddef.h>
#include <stdint.h>

#define EPS_MESSAGE 512

enum { EPS_OK = 0, EPS_FAILED = 1, EPS_BROKEN = 2 };

typedef struct eps_decoder eps_decoder;

// eps_open_library finds the library by its name, once per process: after a
// success it does nothing. Any thread may call it.
int eps_open_library(const char *name, char *message);

// eps_load makes a decoder: one with a dictionary and a language model to search
// with, or, if both are NULL, one with neither, which can be given words and a
// grammar.
int eps_load(const char *hmm, const char *dict, const char *lm, eps_decoder **out, char *message);

// eps_phones writes the phones of word, which may name a further pronunciation
// as in "the(2)", to phones, which has room for EPS_MESSAGE bytes. It returns 0
// if the dictionary has no such word.
int eps_phones(eps_decoder *d, const char *word, char *phones);

// eps_add_word adds a word with its phones. rebuild must be set for the last one
// if the decoder has a search already.
int eps_add_word(eps_decoder *d, const char *word, const char *phones, int rebuild, char *message);

// eps_parse_grammar reads a JSGF grammar; eps_grammar_words and eps_grammar_word
// then tell its words. Grammars with no or several public rules are refused.
int eps_parse_grammar(eps_decoder *d, const char *jsgf, char *message);
int eps_grammar_words(eps_decoder *d);
const char *eps_grammar_word(eps_decoder *d, int i);
// eps_use_grammar makes the parsed grammar the decoder's search. All its words
// must have been added.
int eps_use_grammar(eps_decoder *d, char *message);

// eps_settle estimates the level and colour of the channel from n samples of an
// utterance's beginning. It needs a decoder with a language model; eps_channel
// hands the estimate of one decoder to another.
int eps_settle(eps_decoder *d, const int16_t *pcm, size_t n, char *message);
void eps_channel(const eps_decoder *from, eps_decoder *to);

// eps_start begins an utterance. One that was not stopped is given up.
int eps_start(eps_decoder *d, char *message);
int eps_feed(eps_decoder *d, const int16_t *pcm, size_t n, char *message);
int eps_stop(eps_decoder *d, char *message);

// eps_text returns the text so far, or of the whole utterance after eps_stop;
// *text may be NULL and is valid until the next call.
int eps_text(eps_decoder *d, const char **text, char *message);

// eps_sound tells, after eps_stop, how well the sound fits the text: the sum of
// the acoustic scores of all frames (0 at most, in the library's logarithms), and
// how many frames of 10 ms are words and not silence or noise.
int eps_sound(eps_decoder *d, double *score, int *frames, char *message);

void eps_free(eps_decoder *d);

#endif
