package turn

import (
	"slices"
	"strconv"
	"time"

	"edged/audio/pcm"
	"edged/realtime"
)

// listen begins a listening period with chunk; one that is open ends.
func (d *Detector) listen(chunk *realtime.MessageChunk) {
	d.stop()
	d.route, d.ended = chunk.Route(), ""
	d.role, d.name, d.label = chunk.Role, chunk.Name, chunk.Ctrl.Label
	d.timeline.begin(chunk.Ctrl.Timestamp)
	d.advance()
	d.endpoint.listen(d.label == LabelManual)
	d.speech.Reset()
	d.history.reset(d.timeline.at)
	d.filled, d.half = 0, d.half[:0]
}

// stop ends the listening period, if one is open, and the utterance in it.
func (d *Detector) stop() {
	d.closeUtterance("")
	if d.route != "" {
		d.route, d.ended = "", d.route
	}
}

// gap hears lost audio.
func (d *Detector) gap(length time.Duration) {
	samples := int64(rate.Samples(max(length, 0)))
	if d.utterance != "" {
		d.pushGap(d.timeline.at, length)
	} else {
		d.history.addGap(samples)
	}
	d.timeline.at += samples
	d.half = d.half[:0] // its other half is in the gap
	if length > longGap {
		d.speech.Reset()
		d.endpoint.freeze()
		d.filled = 0
	}
}

// audio hears s16le bytes: it fills windows, and sends each stretch between two
// decisions where it belongs.
func (d *Detector) audio(data []byte) {
	data = d.align(data)
	sent := 0 // bytes, what timeline.at stands at
	for at := 0; at < len(data); {
		here := d.timeline.at + int64(at-sent)/sampleBytes
		if d.filled == 0 {
			d.begun = here
		}
		n := pcm.Decode(d.window[d.filled:], data[at:])
		d.filled += n
		at += n * sampleBytes
		if d.filled < WindowSamples {
			break
		}
		d.filled = 0
		d.expect()
		decision := d.endpoint.window(d.speech.Process(d.window[:]), d.begun, here+int64(n))
		d.publish()
		if decision == nothing {
			continue
		}
		d.deliver(data[sent:at])
		sent = at
		switch decision {
		case begins:
			d.openUtterance()
		case ends:
			d.closeUtterance("")
		case pauses:
			d.pushBoundary(realtime.StreamCtrl{Label: LabelPause, Timestamp: d.timeline.stamp(d.endpoint.lastSpeech)})
		}
	}
	d.deliver(data[sent:])
}

// align returns the whole samples in what is left from the chunk before and
// data. Half a sample waits for the rest.
func (d *Detector) align(data []byte) []byte {
	if len(d.half) > 0 && len(data) > 0 {
		data = slices.Concat(d.half, data)
		d.half = d.half[:0]
	}
	if odd := len(data) % sampleBytes; odd > 0 {
		whole := len(data) - odd
		d.half = append(d.half[:0], data[whole:]...)
		data = data[:whole]
	}
	return data
}

// deliver sends audio to the open utterance, or else remembers it.
func (d *Detector) deliver(data []byte) {
	if d.utterance != "" {
		d.pushAudio(d.timeline.at, data)
	} else {
		d.history.addAudio(data)
	}
	d.timeline.at += int64(len(data) / sampleBytes)
}

// openUtterance begins an utterance with the pre-roll and the speech so far.
func (d *Detector) openUtterance() {
	d.utterances++
	d.utterance = RoutePrefix + strconv.Itoa(d.utterances)
	d.pushBoundary(realtime.StreamCtrl{
		BeginOfStream: true, Label: d.label, Timestamp: d.timeline.stamp(d.endpoint.onset),
	})
	d.history.replay(d.endpoint.onset-d.preRoll, func(start, samples int64, pcm []byte) {
		if pcm == nil {
			d.pushGap(start, rate.Duration(int(samples)))
			return
		}
		d.pushAudio(start, pcm)
	})
}

// closeUtterance ends the open utterance, if there is one. What it had is no
// pre-roll of the next.
func (d *Detector) closeUtterance(failure string) {
	if d.utterance == "" {
		return
	}
	d.pushBoundary(realtime.StreamCtrl{
		EndOfStream: true, Error: failure, Timestamp: d.timeline.stamp(d.endpoint.lastSpeech),
	})
	d.utterance = ""
	d.publish()
	d.history.reset(d.timeline.at)
}

// pushBoundary gives a control-only chunk of the utterance.
func (d *Detector) pushBoundary(ctrl realtime.StreamCtrl) {
	ctrl.StreamID = d.utterance
	d.push(&realtime.MessageChunk{Role: d.role, Name: d.name, Ctrl: &ctrl})
}

// audioChunk is a chunk of audio in one allocation, its bytes aside.
type audioChunk struct {
	chunk realtime.MessageChunk
	ctrl  realtime.StreamCtrl
	blob  realtime.Blob
}

// pushAudio gives the utterance audio that begins at the media position start.
func (d *Detector) pushAudio(start int64, data []byte) {
	if len(data) == 0 {
		return
	}
	c := &audioChunk{
		ctrl: realtime.StreamCtrl{StreamID: d.utterance, Timestamp: d.timeline.stamp(start)},
		blob: realtime.Blob{MIMEType: d.mime, Data: data[:len(data):len(data)]},
	}
	c.chunk = realtime.MessageChunk{Role: d.role, Name: d.name, Part: &c.blob, Ctrl: &c.ctrl}
	d.push(&c.chunk)
}

// pushGap gives the utterance a gap that begins at the media position start.
func (d *Detector) pushGap(start int64, length time.Duration) {
	d.push(&realtime.MessageChunk{
		Role: d.role,
		Name: d.name,
		Part: &realtime.Gap{MIMEType: d.mime, Duration: length},
		Ctrl: &realtime.StreamCtrl{StreamID: d.utterance, Timestamp: d.timeline.stamp(start)},
	})
}

// advance publishes how far the microphone has been heard.
func (d *Detector) advance() {
	now := d.timeline.time(d.timeline.at)
	d.position.Store(max(d.position.Load(), int64(now)))
}
