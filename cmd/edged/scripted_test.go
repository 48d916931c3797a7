package main

import (
	"context"
	"errors"
	"time"

	"edged/audio/vad"
	"edged/realtime"
	"edged/session"
	"edged/transformers"
	"edged/transformers/tts"
	"edged/transformers/turn"
)

// scripted returns engines that take no time around the real VAD: every utterance
// is heard as the same words, every answer is the same text, and the voice is what
// sound makes of each sentence.
func scripted(heard, answer string, sound func(sentence string) []int16) (session.Engines, error) {
	model, err := vad.Load()
	if err != nil {
		return session.Engines{}, err
	}
	voice, err := tts.New(scriptedVoice(sound), tts.Config{})
	if err != nil {
		return session.Engines{}, err
	}
	return session.Engines{
		VAD:       func() turn.SpeechDetector { return model.NewGate() },
		ASR:       scriptedASR(heard),
		Generator: scriptedGenerator(answer),
		TTS:       voice,
	}, nil
}

// scriptedASR hears the same in every utterance.
type scriptedASR string

func (heard scriptedASR) Transform(ctx context.Context, _ string, in realtime.Stream) (realtime.Stream, error) {
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		defer in.Close()
		stop := context.AfterFunc(ctx, func() { _ = in.CloseWithError(context.Cause(ctx)) })
		defer stop()
		route := ""
		for {
			chunk, err := in.Next()
			if realtime.IsEnd(err) {
				return out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser, Part: realtime.Text(heard),
					Ctrl: &realtime.StreamCtrl{StreamID: route, Label: realtime.LabelTranscript, EndOfStream: true}})
			}
			if err != nil {
				return err
			}
			route = chunk.Route()
		}
	}), nil
}

// scriptedGenerator gives the same answer to everything.
type scriptedGenerator string

func (answer scriptedGenerator) GenerateStream(ctx context.Context, _ string, _ transformers.ModelContext) (realtime.Stream, error) {
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		return out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text(answer)})
	}), nil
}

func (scriptedGenerator) Invoke(context.Context, string, transformers.ModelContext, *transformers.FuncTool) (realtime.Usage, *transformers.FuncCall, error) {
	return realtime.Usage{}, nil, errors.New("a session never invokes")
}

// scriptedVoice speaks a sentence as the function makes it, 16 kHz.
type scriptedVoice func(sentence string) []int16

func (scriptedVoice) SampleRate() int { return 16000 }

func (v scriptedVoice) Synthesize(_ context.Context, sentence string, sink func([]int16) error) error {
	return sink(v(sentence))
}

// pause is longer than a connection that was cut takes to be noticed.
const pause = 200 * time.Millisecond
