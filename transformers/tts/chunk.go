package tts

import (
	"encoding/json"
	"strings"
	"unicode"

	"edged/realtime"
)

const (
	sampleBytes = 2
	// maxChunkSamples is 100 ms at 16 kHz, the rate of the built-in engine.
	maxChunkSamples = 1600
)

// chunkSamples returns the samples of an audio chunk at rate: at most 100 ms,
// at most maxChunkSamples, and a multiple of 20 ms, which most packets are.
func chunkSamples(rate int) int {
	packet := rate / 50
	return max(1, min(maxChunkSamples, rate/10)/packet) * packet
}

// audioChunk is a chunk of audio in one allocation.
type audioChunk struct {
	chunk realtime.MessageChunk
	ctrl  realtime.StreamCtrl
	blob  realtime.Blob
	data  [maxChunkSamples * sampleBytes]byte
}

// audioChunk is the chunk of the next n samples of a segment at the route's
// position, which moves on.
func (d *deliverer) audioChunk(it *item, n int) *realtime.MessageChunk {
	c := new(audioChunk)
	it.speech.take(c.data[:n*sampleBytes])
	c.blob = realtime.Blob{MIMEType: d.mimeType, Data: c.data[: n*sampleBytes : n*sampleBytes]}
	c.ctrl = realtime.StreamCtrl{StreamID: it.route.id, Label: it.from.label, Timestamp: d.timestamp(it.route)}
	c.chunk = realtime.MessageChunk{Role: realtime.RoleModel, Name: it.from.name, Part: &c.blob, Ctrl: &c.ctrl}
	it.route.position += int64(n)
	it.route.spoken = true
	return &c.chunk
}

// timestamp is the media time of the route's position in ms, from 1.
func (t *Transformer) timestamp(route *routeAudio) int64 {
	return 1 + route.position*1000/int64(t.rate)
}

// controlled is a chunk with its StreamCtrl in one allocation.
type controlled struct {
	chunk realtime.MessageChunk
	ctrl  realtime.StreamCtrl
}

func (it *item) newChunk(part realtime.Part, ctrl realtime.StreamCtrl) *realtime.MessageChunk {
	c := &controlled{ctrl: ctrl}
	c.ctrl.StreamID, c.ctrl.Label = it.route.id, it.from.label
	c.chunk = realtime.MessageChunk{Role: realtime.RoleModel, Name: it.from.name, Part: part, Ctrl: &c.ctrl}
	return &c.chunk
}

// textChunk is the Text of a segment at the route's position.
func (t *Transformer) textChunk(it *item) *realtime.MessageChunk {
	chunk := it.newChunk(realtime.Text(it.segment.text), realtime.StreamCtrl{BeginOfStream: it.begins, Timestamp: t.timestamp(it.route)})
	if it.segment.kind == thought {
		chunk.Ctrl.Label = LabelThought
	}
	return chunk
}

// wordsChunk tells where the words of the segment lie in its audio.
func (t *Transformer) wordsChunk(it *item, words []Word) *realtime.MessageChunk {
	data, err := json.Marshal(words)
	if err != nil {
		data = []byte("[]") // numbers always marshal
	}
	return it.newChunk(&realtime.Blob{MIMEType: WordsMIME, Data: data}, realtime.StreamCtrl{Timestamp: t.timestamp(it.route)})
}

// audioEnd ends the audio channel of a route whose text channel ends.
func (t *Transformer) audioEnd(it *item) *realtime.MessageChunk {
	return it.newChunk(&realtime.Blob{MIMEType: t.mimeType}, realtime.StreamCtrl{EndOfStream: true})
}

// end is the control-only EOS of the item's route, with the text of its failure
// if there was one.
func (it *item) end(failure string) *realtime.MessageChunk {
	return it.newChunk(nil, realtime.StreamCtrl{EndOfStream: true, Error: failure})
}

// chunkSource is whose text it is, as its audio will be.
type chunkSource struct{ name, label string }

func sourceOf(chunk *realtime.MessageChunk) chunkSource {
	source := chunkSource{name: chunk.Name, label: realtime.LabelAssistant}
	if chunk.Ctrl != nil && chunk.Ctrl.Label != "" {
		source.label = chunk.Ctrl.Label
	}
	return source
}

// speechOf returns the text of a chunk that is to be spoken: text of the model
// for its listener, not a transcript of somebody else.
func speechOf(chunk *realtime.MessageChunk) (text string, ok bool) {
	if chunk.Role != realtime.RoleModel {
		return "", false
	}
	if chunk.Ctrl != nil && chunk.Ctrl.Label != "" && chunk.Ctrl.Label != realtime.LabelAssistant {
		return "", false
	}
	switch part := chunk.Part.(type) {
	case realtime.Text:
		return string(part), true
	case *realtime.Blob:
		if chunk.Channel() == realtime.TextChannel {
			return string(part.Data), true
		}
	}
	return "", false
}

// restOf returns what a chunk of text carries beside its text, nil if nothing:
// a tool call, the end of the channel, an error, or a beginning that no segment
// has carried yet.
func restOf(chunk *realtime.MessageChunk, begins bool) *realtime.MessageChunk {
	if chunk.Ctrl == nil || !chunk.Ctrl.EndOfStream && chunk.Ctrl.Error == "" {
		if chunk.ToolCall == nil {
			return nil
		}
		rest := *chunk
		rest.Part, rest.Ctrl = nil, nil
		if chunk.Ctrl != nil {
			rest.Ctrl = &realtime.StreamCtrl{StreamID: chunk.Ctrl.StreamID, Label: chunk.Ctrl.Label, Timestamp: chunk.Ctrl.Timestamp}
		}
		return &rest
	}
	rest, ctrl := *chunk, *chunk.Ctrl
	rest.Part, rest.Ctrl = realtime.Text(""), &ctrl
	ctrl.BeginOfStream = begins
	return &rest
}

// sayable reports whether there is anything in what is to be said that has a
// sound.
func sayable(spoken string) bool {
	return strings.ContainsFunc(spoken, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}
