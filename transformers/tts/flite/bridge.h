#ifndef EDGED_FLITE_BRIDGE_H
#define EDGED_FLITE_BRIDGE_H

#include <flite/flite.h>
#include <stdint.h>

typedef struct {
    const char *name; /* valid as long as the utterance */
    float start, end; /* seconds */
} edged_word;

cst_voice *edged_flite_voice(const char *name);
int edged_flite_speak(cst_voice *voice, const char *text, float stretch, int block, uintptr_t handle,
                      cst_utterance **out);
int edged_flite_word_count(const cst_utterance *u);
int edged_flite_words(const cst_utterance *u, edged_word *words, int max);
void edged_flite_speech(const cst_utterance *u, float *onset, float *offset);

#endif
