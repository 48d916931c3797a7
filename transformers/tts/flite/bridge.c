#include "bridge.h"
#include "_cgo_export.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* What is used of libflite. */
#define FUNCTIONS(F)                                                                       \
    F(audio_streaming_info_val) F(delete_utterance) F(feat_set) F(feat_set_float)          \
    F(ffeature_float) F(flite_do_synth) F(flite_init) F(item_feat_float)                   \
    F(item_feat_string) F(item_next) F(new_audio_streaming_info) F(new_utterance)          \
    F(path_to_item) F(relation_head) F(utt_relation) F(utt_set_input_text) F(utt_synth)

typedef struct {
#define DECLARE(function) __typeof__(function) *function;
    FUNCTIONS(DECLARE)
} functions;

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* Filled before the first voice exists and only read from then on. */
static functions lib;

static int fail(char *reason)
{
    snprintf(reason, EDGED_FLITE_REASON, "%s", dlerror());
    return -1;
}

/* Opens libflite unless it is open. The name is looked up either way, so that
   the answer does not depend on what was opened before. */
static int open_engine(const char *name, char *reason)
{
    functions found;
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        return fail(reason);
#define FIND(function)                                                                     \
    if (!(found.function = (__typeof__(function) *)dlsym(handle, #function))) {            \
        fail(reason);                                                                      \
        dlclose(handle);                                                                   \
        return -1;                                                                         \
    }
    FUNCTIONS(FIND)
    if (lib.flite_init) {
        dlclose(handle); /* it was open, and stays so */
        return 0;
    }
    lib = found;
    lib.flite_init();
    return 0;
}

/* Voices bring the lexicon and the rules of their language along. Once opened
   they stay: libflite keeps pointers into them. */
static int open_voice(const char *name, const char *entry, cst_voice **out, char *reason)
{
    cst_voice *(*enter)(const char *voxdir);
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        return fail(reason);
    enter = (cst_voice * (*)(const char *)) dlsym(handle, entry);
    if (!enter) {
        fail(reason);
        dlclose(handle);
        return -1;
    }
    *out = enter(NULL);
    return 0;
}

int edged_flite_open(const char *engine, const char *voice, const char *entry, cst_voice **out, char *reason)
{
    int status;

    pthread_mutex_lock(&opening);
    status = open_engine(engine, reason);
    if (status == 0)
        status = open_voice(voice, entry, out, reason);
    pthread_mutex_unlock(&opening);
    return status;
}

static int is_pause(const cst_item *segment)
{
    return cst_streq(lib.item_feat_string(segment, "name"), "pau");
}

/* Times of the first and the last sound, in seconds; onset < 0 if there is
   none. The segments are final before the first block of audio is made. */
void edged_flite_speech(const cst_utterance *u, float *onset, float *offset)
{
    const cst_item *s;
    float end = 0;

    *onset = -1;
    *offset = -1;
    for (s = lib.relation_head(lib.utt_relation(u, "Segment")); s; s = lib.item_next(s)) {
        float start = end;
        end = lib.item_feat_float(s, "end");
        if (is_pause(s))
            continue;
        if (*onset < 0)
            *onset = start;
        *offset = end;
    }
}

static int on_audio(const cst_wave *w, int start, int size, int last, cst_audio_streaming_info *asi)
{
    int onset = 0;

    (void)last;
    if (start == 0) {
        float from, to;
        edged_flite_speech(asi->utt, &from, &to);
        onset = from < 0 ? -1 : (int)(from * w->sample_rate);
    }
    return edgedFliteAudio((uintptr_t)asi->userdata, w->samples + start, size, onset)
               ? CST_AUDIO_STREAM_CONT
               : CST_AUDIO_STREAM_STOP;
}

/* Synthesises text and returns 0 with the finished utterance in *out, to be
   deleted by the caller, or -1. The streaming info and the stretch are features
   of the utterance, which owns and frees them: the voice is only read. */
int edged_flite_speak(cst_voice *voice, const char *text, float stretch, int block, uintptr_t handle,
                      cst_utterance **out)
{
    cst_utterance *u = lib.new_utterance();
    cst_audio_streaming_info *asi = lib.new_audio_streaming_info();

    asi->min_buffsize = block;
    asi->asc = on_audio;
    asi->userdata = (void *)handle;
    lib.utt_set_input_text(u, text);
    lib.feat_set(u->features, "streaming_info", lib.audio_streaming_info_val(asi));
    lib.feat_set_float(u->features, "duration_stretch", stretch);
    *out = lib.flite_do_synth(u, voice, lib.utt_synth);
    return *out ? 0 : -1;
}

void edged_flite_delete(cst_utterance *u)
{
    lib.delete_utterance(u);
}

int edged_flite_word_count(const cst_utterance *u)
{
    const cst_item *w;
    int n = 0;

    for (w = lib.relation_head(lib.utt_relation(u, "Word")); w; w = lib.item_next(w))
        n++;
    return n;
}

/* Fills words with those that have a sound and returns how many there are. */
int edged_flite_words(const cst_utterance *u, edged_word *words, int max)
{
    const cst_item *w;
    int n = 0;

    for (w = lib.relation_head(lib.utt_relation(u, "Word")); w && n < max; w = lib.item_next(w)) {
        if (!lib.path_to_item(w, "R:SylStructure.daughter1.daughter1.R:Segment"))
            continue;
        words[n].name = lib.item_feat_string(w, "name");
        words[n].start = lib.ffeature_float(w, "R:SylStructure.daughter1.daughter1.R:Segment.p.end");
        words[n].end = lib.ffeature_float(w, "R:SylStructure.daughtern.daughtern.R:Segment.end");
        n++;
    }
    return n;
}
