package session

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"edged/audio"
	"edged/dialog"
	"edged/realtime"
)

// micFrame is how much audio the device sends at once.
const micFrame = 20 * time.Millisecond

// ear keeps what a device has heard, turn by turn, across its connections.
type ear struct {
	mu     sync.Mutex
	audio  map[dialog.Turn][]int16
	played map[dialog.Turn]time.Duration
	gap    time.Duration // the longest within a reply while it was not held
}

// corpusDevice is a testDevice that listens to what it plays.
type corpusDevice struct {
	*testDevice
	ear   *ear
	tools map[string]toolSpec

	state   sync.Mutex
	mode    string // of the open microphone, "" while it is closed
	runsOut time.Time
	heldAt  time.Time
	busy    sync.WaitGroup
}

func newCorpusDevice(t *testing.T, c *conversation, e *ear) *corpusDevice {
	d := &corpusDevice{testDevice: newTestDevice(t), ear: e, tools: c.Tools}
	d.hello.Capabilities.FullDuplex = c.Device.FullDuplex
	d.hello.Capabilities.AEC = c.Device.FullDuplex
	d.hello.Capabilities.Hold = c.Device.Hold
	d.hello.Capabilities.Ack = !c.Device.NoAck
	for name := range c.Tools {
		d.hello.Tools = append(d.hello.Tools, dialog.Tool{Name: name, Parameters: []byte(`{"type":"object"}`)})
	}
	slices.SortFunc(d.hello.Tools, func(a, b dialog.Tool) int { return len(a.Name) - len(b.Name) })
	return d
}

func (d *corpusDevice) microphone(mode string) {
	d.state.Lock()
	defer d.state.Unlock()
	d.mode = mode
}

func (d *corpusDevice) isOpen() bool {
	d.state.Lock()
	defer d.state.Unlock()
	return d.mode != ""
}

// shutAuto closes the microphone as a device does by itself in mode auto.
func (d *corpusDevice) shutAuto() {
	d.state.Lock()
	defer d.state.Unlock()
	if d.mode == "auto" {
		d.mode = ""
	}
}

// frame sends one frame of the microphone.
func (d *corpusDevice) frame(sample int16) {
	data := make([]byte, 2*320)
	for i := 0; i < len(data); i += 2 {
		data[i], data[i+1] = byte(sample), byte(sample>>8)
	}
	d.send(&realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: data})
}

// missing is a frame that never came: lost, or not sent by DTX.
func (d *corpusDevice) missing() {
	d.send(&realtime.Gap{MIMEType: "audio/pcm;rate=16000", Duration: micFrame})
}

func (d *corpusDevice) send(part realtime.Part) {
	d.push(&realtime.MessageChunk{Role: realtime.RoleUser, Part: part,
		Ctrl: &realtime.StreamCtrl{StreamID: d.mic(), Timestamp: d.media + 1}})
	d.media += micFrame.Milliseconds()
}

func (d *corpusDevice) Send(e dialog.Downlink) error {
	if _, ok := e.(dialog.SpeechStopped); ok {
		d.shutAuto()
	}
	if call, ok := e.(dialog.ToolCall); ok && !d.tools[call.Name].Never {
		tool := d.tools[call.Name]
		d.busy.Go(func() {
			time.Sleep(tool.After)
			d.report(dialog.ToolResult{Call: call.Call, Content: tool.Result, Error: tool.Error})
		})
	}
	return d.testDevice.Send(e)
}

// report says something to the server unless the connection is gone.
func (d *corpusDevice) report(e dialog.Uplink) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.gone {
		d.events <- e
	}
}

func (d *corpusDevice) Play(ctx context.Context, turn dialog.Turn, chunk *realtime.MessageChunk) error {
	if chunk.Part == nil && chunk.IsBeginOfStream() {
		d.shutAuto()
		d.note()
		if d.ear.begin(turn, chunk.Ctrl.Timestamp) {
			d.state.Lock()
			d.runsOut, d.heldAt = time.Time{}, time.Time{}
			d.state.Unlock()
		}
	}
	if blob, ok := chunk.Part.(*realtime.Blob); ok {
		d.ear.hear(turn, blob)
		d.supply(audio.Rate16k.Duration(len(blob.Data) / 2))
	}
	return d.testDevice.Play(ctx, turn, chunk)
}

// note takes down how much was played of the present reply.
func (d *corpusDevice) note() {
	d.mu.Lock()
	turn := d.speaker.turn
	d.mu.Unlock()
	if turn != 0 {
		d.ear.count(turn, d.position(turn))
	}
}

// supply looks whether the audio that has come now is late.
func (d *corpusDevice) supply(length time.Duration) {
	d.state.Lock()
	defer d.state.Unlock()
	now := time.Now()
	if !d.runsOut.IsZero() && d.heldAt.IsZero() && now.After(d.runsOut) {
		d.ear.late(now.Sub(d.runsOut))
	}
	if d.runsOut.Before(now) {
		d.runsOut = now
	}
	d.runsOut = d.runsOut.Add(length)
}

func (d *corpusDevice) Hold(turn dialog.Turn, at time.Duration) error {
	d.state.Lock()
	d.heldAt = time.Now()
	d.state.Unlock()
	return d.testDevice.Hold(turn, at)
}

func (d *corpusDevice) Release(turn dialog.Turn) error {
	d.state.Lock()
	if !d.heldAt.IsZero() {
		d.runsOut, d.heldAt = d.runsOut.Add(time.Since(d.heldAt)), time.Time{}
	}
	d.state.Unlock()
	return d.testDevice.Release(turn)
}

func (d *corpusDevice) Flush(ctx context.Context, turn dialog.Turn, cause dialog.Cause) (dialog.Progress, error) {
	progress, err := d.testDevice.Flush(ctx, turn, cause)
	d.note()
	return progress, err
}

// begin reports whether the reply is one whose audio is to be heard.
func (e *ear) begin(turn dialog.Turn, timestamp int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	heard := 0
	if timestamp > 0 {
		heard = audio.Rate16k.Samples(time.Duration(timestamp-1) * time.Millisecond)
	}
	if before := e.audio[turn]; heard <= len(before) {
		e.audio[turn] = slices.Clone(before[:heard])
	}
	return true
}

func (e *ear) hear(turn dialog.Turn, blob *realtime.Blob) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := 0; i+1 < len(blob.Data); i += 2 {
		e.audio[turn] = append(e.audio[turn], int16(blob.Data[i])|int16(blob.Data[i+1])<<8)
	}
}

func (e *ear) count(turn dialog.Turn, played time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.played[turn] = played
}

func (e *ear) late(by time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gap = max(e.gap, by)
}

// heardWords returns the words of the turn that were played, as the voice knows
// its samples. faults are words that were torn or came out of order.
func (e *ear) heardWords(turn dialog.Turn, spoken []spokenWord) (words, faults []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	samples := e.audio[turn]
	samples = samples[:min(len(samples), audio.Rate16k.Samples(e.played[turn]))]
	last := int16(0)
	for i := 0; i < len(samples); {
		n, from := samples[i], i
		for i < len(samples) && samples[i] == n {
			i++
		}
		if n == 0 {
			continue
		}
		word := spoken[n-1]
		if n <= last {
			faults = append(faults, "again: "+word.text)
		}
		last = n
		// The 20 ms at its end may be missing, as for the ledger.
		switch whole := i-from >= word.samples-320; {
		case whole && i-from <= word.samples+16:
			words = append(words, word.text)
		case i < len(samples) || i-from > word.samples+16:
			faults = append(faults, "torn: "+word.text)
		}
	}
	return words, faults
}
