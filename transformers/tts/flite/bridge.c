#include "bridge.h"
#include "_cgo_export.h"

/* The Debian package ships the voices without headers. */
cst_voice *register_cmu_us_rms(const char *voxdir);
cst_voice *register_cmu_us_slt(const char *voxdir);
cst_voice *register_cmu_us_awb(const char *voxdir);
cst_voice *register_cmu_us_kal16(const char *voxdir);

cst_voice *edged_flite_voice(const char *name)
{
    if (cst_streq(name, "rms"))
        return register_cmu_us_rms(NULL);
    if (cst_streq(name, "slt"))
        return register_cmu_us_slt(NULL);
    if (cst_streq(name, "awb"))
        return register_cmu_us_awb(NULL);
    if (cst_streq(name, "kal16"))
        return register_cmu_us_kal16(NULL);
    return NULL;
}

static int is_pause(const cst_item *segment)
{
    return cst_streq(item_name(segment), "pau");
}

/* Times of the first and the last sound, in seconds; onset < 0 if there is
   none. The segments are final before the first block of audio is made. */
void edged_flite_speech(const cst_utterance *u, float *onset, float *offset)
{
    const cst_item *s;
    float end = 0;

    *onset = -1;
    *offset = -1;
    for (s = relation_head(utt_relation(u, "Segment")); s; s = item_next(s)) {
        float start = end;
        end = item_feat_float(s, "end");
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
    cst_utterance *u = new_utterance();
    cst_audio_streaming_info *asi = new_audio_streaming_info();

    asi->min_buffsize = block;
    asi->asc = on_audio;
    asi->userdata = (void *)handle;
    utt_set_input_text(u, text);
    feat_set(u->features, "streaming_info", audio_streaming_info_val(asi));
    feat_set_float(u->features, "duration_stretch", stretch);
    *out = flite_do_synth(u, voice, utt_synth);
    return *out ? 0 : -1;
}

int edged_flite_word_count(const cst_utterance *u)
{
    const cst_item *w;
    int n = 0;

    for (w = relation_head(utt_relation(u, "Word")); w; w = item_next(w))
        n++;
    return n;
}

/* Fills words with those that have a sound and returns how many there are. */
int edged_flite_words(const cst_utterance *u, edged_word *words, int max)
{
    const cst_item *w;
    int n = 0;

    for (w = relation_head(utt_relation(u, "Word")); w && n < max; w = item_next(w)) {
        if (!path_to_item(w, "R:SylStructure.daughter1.daughter1.R:Segment"))
            continue;
        words[n].name = item_name(w);
        words[n].start = ffeature_float(w, "R:SylStructure.daughter1.daughter1.R:Segment.p.end");
        words[n].end = ffeature_float(w, "R:SylStructure.daughtern.daughtern.R:Segment.end");
        n++;
    }
    return n;
}
