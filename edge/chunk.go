package edge

import (
	"edged/audio/pcm"
	"edged/realtime"
)

// micMIME is the MIME type of what the microphone hears.
const micMIME = "audio/pcm;rate=16000"

// A chunk of audio is one allocation with all of its parts. Devices send 20, 40 or
// 60 ms; each has a type whose size fits.
type (
	chunkParts struct {
		chunk realtime.MessageChunk
		blob  realtime.Blob
		ctrl  realtime.StreamCtrl
	}
	chunk20ms struct {
		chunkParts
		data [20 * 16 * pcm.SampleBytes]byte
	}
	chunk40ms struct {
		chunkParts
		data [40 * 16 * pcm.SampleBytes]byte
	}
	chunk60ms struct {
		chunkParts
		data [60 * 16 * pcm.SampleBytes]byte
	}
)

// newAudioChunk returns a chunk of samples at micRate.
func newAudioChunk(route string, timestamp int64, samples []int16) *realtime.MessageChunk {
	var parts *chunkParts
	var data []byte
	switch size := len(samples) * pcm.SampleBytes; {
	case size <= len(chunk20ms{}.data):
		c := &chunk20ms{}
		parts, data = &c.chunkParts, c.data[:0]
	case size <= len(chunk40ms{}.data):
		c := &chunk40ms{}
		parts, data = &c.chunkParts, c.data[:0]
	case size <= len(chunk60ms{}.data):
		c := &chunk60ms{}
		parts, data = &c.chunkParts, c.data[:0]
	default:
		parts, data = &chunkParts{}, make([]byte, 0, size)
	}
	data = pcm.Append(data, samples)
	parts.blob = realtime.Blob{MIMEType: micMIME, Data: data[:len(data):len(data)]}
	parts.ctrl = realtime.StreamCtrl{StreamID: route, Timestamp: timestamp}
	parts.chunk = realtime.MessageChunk{Role: realtime.RoleUser, Part: &parts.blob, Ctrl: &parts.ctrl}
	return &parts.chunk
}
