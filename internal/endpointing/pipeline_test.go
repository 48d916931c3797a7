package endpointing

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"

	"edged/audio/vad"
	"edged/internal/recordings"
	"edged/internal/recordings/pausing"
	"edged/realtime"
	"edged/transformers/asr"
	"edged/transformers/turn"
)

const (
	packet = 20 * time.Millisecond
	// lag is how much audio goes by before a judgement reaches the endpointer.
	// Once the decoding has begun the recogniser needs less. For a pause in the
	// first 1.2 s it needs 0.3 to 0.4 s on a busy machine, which this leaves out:
	// there, the end of a short command is found that much later.
	lag = 60 * time.Millisecond
	// labelMark is the label of the chunks by which the pipeline learns that the
	// recogniser has taken everything before them.
	labelMark = "test.mark"
)

// ending is where an endpointer ended utterances in one recording.
type ending struct {
	// cut: one ended before the speaker was done.
	cut bool
	// delay is from the last sample of speech to the end behind it; found tells
	// whether there was one.
	delay time.Duration
	found bool
	// judged is what was understood and expected, for those who tune.
	judged []string
}

// microphone gives an utterance in packets and calls before in front of each.
type microphone struct {
	pcm    []int16
	at     int
	begun  bool
	before func()
}

func (m *microphone) Next() (*realtime.MessageChunk, error) {
	chunk := &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: "mic/1", Timestamp: 1}}
	if !m.begun {
		m.begun = true
		chunk.Ctrl.BeginOfStream, chunk.Ctrl.Label = true, "listen.auto"
		return chunk, nil
	}
	if m.at >= len(m.pcm) {
		return nil, io.EOF
	}
	m.before()
	end := min(m.at+recordings.Rate.Samples(packet), len(m.pcm))
	data := make([]byte, 0, 2*(end-m.at))
	for _, s := range m.pcm[m.at:end] {
		data = binary.LittleEndian.AppendUint16(data, uint16(s))
	}
	chunk.Part = &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: data}
	chunk.Ctrl.Timestamp += recordings.Rate.Duration(m.at).Milliseconds()
	m.at = end
	return chunk, nil
}

func (m *microphone) Close() error               { return nil }
func (m *microphone) CloseWithError(error) error { return nil }

// note takes down an end of an utterance at a media position.
func (e *ending) note(u pausing.Utterance, at time.Duration) {
	offset := recordings.Rate.Duration(u.Offset)
	switch {
	case at < offset:
		e.cut = true
	case !e.found:
		e.delay, e.found = at-offset, true
	}
}

// fixed has an endpointer listen that waits for so much silence.
func fixed(model *vad.Model, u pausing.Utterance, silence time.Duration) (e ending) {
	d := turn.New(&microphone{pcm: u.PCM, before: func() {}}, model.NewGate(), turn.Config{MinSilence: silence})
	for {
		chunk, err := d.Next()
		if err != nil {
			return e
		}
		if strings.HasPrefix(chunk.Route(), turn.RoutePrefix) && chunk.IsEndOfStream() {
			e.note(u, d.Position()-time.Millisecond)
		}
	}
}

// judgement waits for its time.
type judgement struct {
	at        time.Duration
	utterance string
	expected  turn.Expectation
}

// adaptive has an endpointer listen that is told what judge makes of the partials
// of recognizer.
func adaptive(ctx context.Context, model *vad.Model, recognizer asr.Recognizer, judge turn.Judge, cfg turn.Config, u pausing.Utterance) (e ending, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var pending []judgement
	var d *turn.Detector
	d = turn.New(&microphone{pcm: u.PCM, before: func() {
		for len(pending) > 0 && d.Position() >= pending[0].at {
			d.Expect(pending[0].utterance, pending[0].expected)
			pending = pending[1:]
		}
	}}, model.NewGate(), cfg)

	speech := realtime.NewStreamBuilder(64)
	text, err := asr.New(recognizer, asr.Config{}).Transform(ctx, "", speech.Stream())
	if err != nil {
		return e, err
	}
	defer text.Close()
	defer speech.Done()
	// give hands chunk to the recogniser and takes what comes of it.
	give := func(chunk *realtime.MessageChunk) error {
		if err := speech.Add(ctx, chunk); err != nil {
			return err
		}
		ends := chunk.IsEndOfStream()
		if !ends {
			mark := &realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: chunk.Route(), Label: labelMark}}
			if err := speech.Add(ctx, mark); err != nil {
				return err
			}
		}
		for {
			heard, err := text.Next()
			if err != nil {
				return err
			}
			switch {
			case heard.Ctrl.Error != "":
				return fmt.Errorf("recogniser: %s", heard.Ctrl.Error)
			case heard.Ctrl.Label == labelMark:
				return nil
			case ends && heard.ControlOnly() && heard.IsEndOfStream():
				return nil
			case heard.Ctrl.Label == realtime.LabelPartial:
				words := string(heard.Part.(realtime.Text))
				expected := judge(words)
				pending = append(pending, judgement{d.Position() + lag, chunk.Route(), expected})
				e.judged = append(e.judged, fmt.Sprintf("%d %q %v", d.Position().Milliseconds(), words, expected))
			}
		}
	}
	for {
		chunk, err := d.Next()
		if err == io.EOF {
			return e, nil
		}
		if err != nil {
			return e, err
		}
		if !strings.HasPrefix(chunk.Route(), turn.RoutePrefix) {
			continue
		}
		if err := give(chunk); err != nil {
			return e, err
		}
		if chunk.IsEndOfStream() {
			e.note(u, d.Position()-time.Millisecond)
			e.judged = append(e.judged, fmt.Sprintf("%d end", d.Position().Milliseconds()))
		}
	}
}
