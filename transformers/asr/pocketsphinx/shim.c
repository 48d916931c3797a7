#include "shim.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pocketsphinx/pocketsphinx.h>
#include <sphinxbase/ckd_alloc.h>
#include <sphinxbase/cmn.h>
#include <sphinxbase/err.h>
#include <sphinxbase/fe.h>
#include <sphinxbase/feat.h>
#include <sphinxbase/jsgf.h>

// What is used of libpocketsphinx and of libsphinxbase, which it brings along.
#define FUNCTIONS(F)                                                          \
    F(ckd_free) F(ckd_free_2d) F(cmd_ln_init) F(cmd_ln_free_r)                \
    F(err_set_callback) F(err_set_logfp)                                      \
    F(fe_init_auto_r) F(fe_start_stream) F(fe_start_utt) F(fe_process_utt) F(fe_free) \
    F(hash_table_iter) F(hash_table_iter_next)                                \
    F(jsgf_parse_string) F(jsgf_rule_iter) F(jsgf_rule_public)                \
    F(jsgf_build_fsg) F(jsgf_grammar_free) F(fsg_model_free)                  \
    F(ps_args) F(ps_init) F(ps_free) F(ps_get_feat) F(ps_get_logmath)         \
    F(ps_set_search) F(ps_set_fsg) F(ps_add_word) F(ps_lookup_word)           \
    F(ps_start_stream) F(ps_start_utt) F(ps_process_raw) F(ps_end_utt) F(ps_get_hyp) \
    F(ps_seg_iter) F(ps_seg_next) F(ps_seg_word) F(ps_seg_frames) F(ps_seg_prob)

static struct {
#define DECLARE(name) __typeof__(name) *name;
    FUNCTIONS(DECLARE)
} lib;

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static int opened;

// CEPSTRA is the size of the vectors that the channel is estimated in.
enum { CEPSTRA = 13 };

// PRIOR is the weight, in frames of 10 ms, of the model's own idea of the
// channel beside what was heard in the settling time; see doc.go.
static const float PRIOR = 30;

// FEW is how many frames of speech an estimate needs at least.
enum { FEW = 10 };

struct eps_decoder {
    ps_decoder_t *ps;
    cmd_ln_t *config;
    fe_t *fe;             // a second front end, for eps_settle
    fsg_model_t *fsg;     // parsed and not yet in use
    int running;
    float prior[CEPSTRA]; // the model's own mean
    float mean[CEPSTRA];  // the mean that the next utterance starts with
};

// heard are the first errors that the library reports on this thread, trap is
// where to go when it is about to end the process.
static __thread char heard[EPS_MESSAGE];
static __thread jmp_buf *trap;

static void listen_to_library(void *unused, err_lvl_t level, const char *format, ...) {
    (void)unused;
    if (level < ERR_ERROR)
        return;
    size_t used = strlen(heard);
    if (used < sizeof heard - 1) {
        va_list args;
        va_start(args, format);
        vsnprintf(heard + used, sizeof heard - used, format, args);
        va_end(args);
    }
    if (level == ERR_FATAL) {
        if (trap)
            longjmp(*trap, 1);
        fputs(heard, stderr); // the last words of the process
    }
}

static int say(char *message, int status, const char *what) {
    snprintf(message, EPS_MESSAGE, "%s", heard[0] ? heard : what);
    return status;
}

// GUARD runs the rest of the function with fatal errors as EPS_BROKEN. The
// function must leave through LEAVE.
#define GUARD(message)                                                        \
    jmp_buf here;                                                             \
    heard[0] = 0;                                                             \
    trap = &here;                                                             \
    if (setjmp(here)) {                                                       \
        trap = NULL;                                                          \
        return say(message, EPS_BROKEN, "fatal error");                       \
    }
#define LEAVE(status) do { trap = NULL; return (status); } while (0)
#define FAIL(what) LEAVE(say(message, EPS_FAILED, what))

static int open_library(const char *name, char *message) {
    if (opened)
        return EPS_OK;
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(message, EPS_MESSAGE, "%s", dlerror());
        return EPS_FAILED;
    }
#define FIND(name)                                                            \
    if (!(lib.name = (__typeof__(name) *)dlsym(handle, #name))) {             \
        snprintf(message, EPS_MESSAGE, "%s", dlerror());                      \
        dlclose(handle);                                                      \
        return EPS_FAILED;                                                    \
    }
    FUNCTIONS(FIND)
    lib.err_set_callback(listen_to_library, NULL);
    lib.err_set_logfp(NULL); // or the configuration is printed to stderr
    opened = 1;
    return EPS_OK;
}

int eps_open_library(const char *name, char *message) {
    pthread_mutex_lock(&opening);
    int status = open_library(name, message);
    pthread_mutex_unlock(&opening);
    return status;
}

// configure returns the settings of a decoder.
static cmd_ln_t *configure(const char *hmm, const char *dict, const char *lm) {
    // compallsen: otherwise only what the search asks for is scored in a frame.
    // Scores count from the best in the frame, so that nearly any sound would
    // seem to fit a grammar, which asks for little; and what is asked for later
    // than the look-ahead did is scored with what an earlier utterance left.
    if (!lm) // not strict: a dictionary would be required
        return lib.cmd_ln_init(NULL, lib.ps_args(), FALSE, "-hmm", hmm, "-compallsen", "yes", NULL);
    // fwdflat is a second pass over the utterance: without it the final comes
    // about 100 ms sooner, and human speech was not recognised worse. 5,000 active
    // states (of 30,000) bound what the search takes in noise and cost nothing in
    // accuracy.
    return lib.cmd_ln_init(NULL, lib.ps_args(), TRUE, "-hmm", hmm, "-dict", dict, "-lm", lm,
        "-compallsen", "yes", "-fwdflat", "no", "-maxhmmpf", "5000", NULL);
}

int eps_load(const char *hmm, const char *dict, const char *lm, eps_decoder **out, char *message) {
    GUARD(message);
    eps_decoder *d = calloc(1, sizeof *d);
    if (!d)
        FAIL("out of memory");
    d->config = configure(hmm, dict, lm);
    if (!d->config || !(d->ps = lib.ps_init(d->config)) || (lm && !(d->fe = lib.fe_init_auto_r(d->config)))) {
        say(message, EPS_FAILED, "initialisation failed");
        eps_free(d);
        LEAVE(EPS_FAILED);
    }
    cmn_t *cmn = lib.ps_get_feat(d->ps)->cmn_struct;
    if (cmn->veclen != CEPSTRA) {
        say(message, EPS_FAILED, "the acoustic model has an unexpected kind of features");
        eps_free(d);
        LEAVE(EPS_FAILED);
    }
    memcpy(d->prior, cmn->cmn_mean, sizeof d->prior);
    memcpy(d->mean, d->prior, sizeof d->mean);
    *out = d;
    LEAVE(EPS_OK);
}

int eps_phones(eps_decoder *d, const char *word, char *phones) {
    char *found = lib.ps_lookup_word(d->ps, word);
    if (!found)
        return 0;
    snprintf(phones, EPS_MESSAGE, "%s", found);
    lib.ckd_free(found);
    return 1;
}

int eps_add_word(eps_decoder *d, const char *word, const char *phones, int rebuild, char *message) {
    GUARD(message);
    if (lib.ps_add_word(d->ps, word, phones, rebuild) < 0)
        FAIL("the word was refused");
    LEAVE(EPS_OK);
}

int eps_parse_grammar(eps_decoder *d, const char *text, char *message) {
    GUARD(message);
    jsgf_t *jsgf = lib.jsgf_parse_string(text, NULL);
    if (!jsgf)
        FAIL("the grammar does not parse");
    jsgf_rule_t *top = NULL;
    int tops = 0;
    for (jsgf_rule_iter_t *i = lib.jsgf_rule_iter(jsgf); i; i = lib.hash_table_iter_next(i)) {
        if (lib.jsgf_rule_public(jsgf_rule_iter_rule(i))) {
            top = jsgf_rule_iter_rule(i);
            tops++;
        }
    }
    // 6.5 is the library's own weight of grammar against sound (-lw).
    fsg_model_t *fsg = tops == 1 ? lib.jsgf_build_fsg(jsgf, top, lib.ps_get_logmath(d->ps), 6.5f) : NULL;
    lib.jsgf_grammar_free(jsgf);
    if (tops != 1)
        FAIL(tops ? "the grammar has several public rules" : "the grammar has no public rule");
    // Undefined rules and left recursion are reported, but give a grammar
    // nonetheless: one that accepts nothing.
    if (!fsg || heard[0]) {
        if (fsg)
            lib.fsg_model_free(fsg);
        FAIL("the grammar cannot be expanded");
    }
    if (d->fsg)
        lib.fsg_model_free(d->fsg);
    d->fsg = fsg;
    LEAVE(EPS_OK);
}

int eps_grammar_words(eps_decoder *d) { return d->fsg ? fsg_model_n_word(d->fsg) : 0; }

const char *eps_grammar_word(eps_decoder *d, int i) { return fsg_model_word_str(d->fsg, i); }

int eps_use_grammar(eps_decoder *d, char *message) {
    static const char name[] = "grammar";
    GUARD(message);
    int failed = lib.ps_set_fsg(d->ps, name, d->fsg);
    lib.fsg_model_free(d->fsg);
    d->fsg = NULL;
    if (failed || lib.ps_set_search(d->ps, name))
        FAIL("the grammar was refused");
    LEAVE(EPS_OK);
}

int eps_settle(eps_decoder *d, const int16_t *pcm, size_t n, char *message) {
    GUARD(message);
    mfcc_t **frames = NULL;
    int32 count = 0;
    lib.fe_start_stream(d->fe);
    lib.fe_start_utt(d->fe);
    if (lib.fe_process_utt(d->fe, pcm, n, &frames, &count) < 0)
        FAIL("no features");
    float sum[CEPSTRA] = {0};
    int speech = 0;
    for (int i = 0; i < count; i++) {
        if (frames[i][0] < 0) // the library does not count frames without energy either
            continue;
        speech++;
        for (int j = 0; j < CEPSTRA; j++)
            sum[j] += frames[i][j];
    }
    lib.ckd_free_2d(frames);
    memcpy(d->mean, d->prior, sizeof d->mean);
    if (speech >= FEW)
        for (int j = 0; j < CEPSTRA; j++)
            d->mean[j] = (sum[j] + PRIOR * d->prior[j]) / (speech + PRIOR);
    LEAVE(EPS_OK);
}

void eps_channel(const eps_decoder *from, eps_decoder *to) { memcpy(to->mean, from->mean, sizeof to->mean); }

int eps_start(eps_decoder *d, char *message) {
    GUARD(message);
    if (d->running) {
        d->running = 0;
        lib.ps_end_utt(d->ps);
    }
    lib.ps_start_stream(d->ps); // forgets the noise of the last utterance
    cmn_t *cmn = lib.ps_get_feat(d->ps)->cmn_struct;
    memcpy(cmn->cmn_mean, d->mean, sizeof d->mean);
    memset(cmn->sum, 0, sizeof d->mean);
    cmn->nframe = 0;
    if (lib.ps_start_utt(d->ps) < 0)
        FAIL("the utterance does not start");
    d->running = 1;
    LEAVE(EPS_OK);
}

int eps_feed(eps_decoder *d, const int16_t *pcm, size_t n, char *message) {
    GUARD(message);
    if (!d->running)
        FAIL("no utterance");
    if (lib.ps_process_raw(d->ps, pcm, n, FALSE, FALSE) < 0)
        FAIL("the search failed");
    LEAVE(EPS_OK);
}

int eps_stop(eps_decoder *d, char *message) {
    GUARD(message);
    if (!d->running)
        FAIL("no utterance");
    d->running = 0;
    if (lib.ps_end_utt(d->ps) < 0)
        FAIL("the search does not end");
    LEAVE(EPS_OK);
}

int eps_text(eps_decoder *d, const char **text, char *message) {
    GUARD(message);
    *text = lib.ps_get_hyp(d->ps, NULL);
    LEAVE(EPS_OK);
}

int eps_sound(eps_decoder *d, double *score, int *frames, char *message) {
    GUARD(message);
    // What the search with a language model gives at its end is scaled by this
    // (SENSCR_SHIFT).
    const double scale = d->fe && !d->running ? 1024 : 1;
    *score = 0;
    *frames = 0;
    for (ps_seg_t *seg = lib.ps_seg_iter(d->ps); seg; seg = lib.ps_seg_next(seg)) {
        int32 acoustic, language, backoff;
        int first, last;
        lib.ps_seg_prob(seg, &acoustic, &language, &backoff);
        lib.ps_seg_frames(seg, &first, &last);
        *score += acoustic / scale;
        const char *word = lib.ps_seg_word(seg);
        if (word && !strchr("<[+(", word[0])) // a filler or no word at all
            *frames += last - first + 1;
    }
    LEAVE(EPS_OK);
}

void eps_free(eps_decoder *d) {
    if (!d)
        return;
    if (d->fsg)
        lib.fsg_model_free(d->fsg);
    if (d->fe)
        lib.fe_free(d->fe);
    if (d->ps)
        lib.ps_free(d->ps);
    if (d->config)
        lib.cmd_ln_free_r(d->config);
    free(d);
#ifdef __GLIBC__
    malloc_trim(0); // it is much, and would be kept for this thread otherwise
#endif
}
