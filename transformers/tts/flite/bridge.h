#ifndef EDGED_FLITE_BRIDGE_H
#define EDGED_FLITE_BRIDGE_H

#include <flite/flite.h>
#include <stdint.h>

typedef struct {
    const char *name; /* valid as long as the utterance */
    float start, end; /* seconds */
} edged_word;

#define EDGED_FLITE_REASON 512 /* bytes of a reason */

/* Opens the libraries of the engine and of a voice, unless they are open, and
   calls the voice's entry function. Returns 0 with the voice in *out (NULL if the
   entry gave none), or -1 with the dynamic loader's words in reason. Any thread
   may call it; the functions below need a voice. */
int edged_flite_open(const char *engine, const char *voice, const char *entry, cst_voice **out, char *reason);
int edged_flite_speak(cst_voice *voice, const char *text, float stretch, int block, uintptr_t handle,
                      cst_utterance **out);
void edged_flite_delete(cst_utterance *u);
int edged_flite_word_count(const cst_utterance *u);
int edged_flite_words(const cst_utterance *u, edged_word *words, int max);
void edged_flite_speech(const cst_utterance *u, float *onset, float *offset);

#endif
