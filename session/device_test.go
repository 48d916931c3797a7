package session

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"edged/dialog"
	"edged/realtime"
	"edged/session/log"
)

// testDevice is a device with its leg, in memory: a microphone that the test
// speaks into and a speaker that plays in (virtual) real time and acknowledges.
// It is strict: what the edge would never see fails the test.
type testDevice struct {
	t      *testing.T
	hello  dialog.Hello
	uplink *realtime.StreamBuilder
	events chan dialog.Uplink
	// trailing is the silence after a question.
	trailing sync.WaitGroup

	mu      sync.Mutex
	route   int
	media   int64 // ms on the microphone route
	speaker speaker
	epoch   dialog.Turn
	told    []dialog.Downlink
	replies map[dialog.Turn]string
	flushes []dialog.Turn
	gone    bool
	err     error // why the connection ended
	// calls answers tool calls; nil leaves them unanswered.
	calls func(dialog.ToolCall) dialog.ToolResult
}

func newTestDevice(t *testing.T) *testDevice {
	return &testDevice{
		t:       t,
		hello:   dialog.Hello{Session: "s1", Device: "d1", Capabilities: dialog.Capabilities{Flush: true, Ack: true}},
		uplink:  realtime.NewStreamBuilder(4096),
		events:  make(chan dialog.Uplink, 256),
		replies: make(map[dialog.Turn]string),
	}
}

func (d *testDevice) Hello() dialog.Hello          { return d.hello }
func (d *testDevice) Uplink() realtime.Stream      { return d.uplink.Stream() }
func (d *testDevice) Events() <-chan dialog.Uplink { return d.events }

func (d *testDevice) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *testDevice) Send(e dialog.Downlink) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return errFlushed
	}
	d.told = append(d.told, e)
	if call, ok := e.(dialog.ToolCall); ok && d.calls != nil {
		d.events <- d.calls(call)
	}
	return nil
}

// disconnect says goodbye.
func (d *testDevice) disconnect() { d.leave(nil) }

// lose breaks the connection.
func (d *testDevice) lose() { d.leave(errors.New("test device: connection reset")) }

func (d *testDevice) leave(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return
	}
	d.speaker.stop(time.Now())
	d.gone, d.err = true, err
	close(d.events)
	d.uplink.Abort(err)
}

// open starts a listening period.
func (d *testDevice) open(mode dialog.Mode) {
	d.trailing.Wait()
	d.route++
	d.media = 0
	d.push(&realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{
		StreamID: d.mic(), Label: mode.Label(), BeginOfStream: true}})
}

// shut ends it.
func (d *testDevice) shut() {
	d.push(&realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &realtime.StreamCtrl{StreamID: d.mic(), EndOfStream: true}})
}

// state returns how many turns the device was told of.
func (d *testDevice) state() (turns dialog.Turn) {
	for _, e := range tells[dialog.Transcript](d) {
		turns = max(turns, e.Turn)
	}
	return turns
}

func (d *testDevice) mic() string { return "mic/" + string(rune('0'+d.route)) }

// loud is the sample value that loudDetector takes for speech.
const loud = 8000

// speak sends audio in real time: loud for speech, zero for silence.
func (d *testDevice) speak(length time.Duration, sample int16) {
	const frame = 20 * time.Millisecond
	for range length / frame {
		time.Sleep(frame)
		data := make([]byte, 2*320)
		for i := 0; i < len(data); i += 2 {
			data[i], data[i+1] = byte(sample), byte(sample>>8)
		}
		d.push(&realtime.MessageChunk{
			Role: realtime.RoleUser,
			Part: &realtime.Blob{MIMEType: "audio/pcm;rate=16000", Data: data},
			Ctrl: &realtime.StreamCtrl{StreamID: d.mic(), Timestamp: d.media + 1},
		})
		d.media += frame.Milliseconds()
	}
}

// ask speaks one question in ModeAuto and returns at the end of speech; the
// microphone stays open for the silence that ends the utterance.
func (d *testDevice) ask() {
	d.open(dialog.ModeAuto)
	d.speak(200*time.Millisecond, 0)
	d.speak(time.Second, loud)
	d.trailing.Go(func() { d.speak(900*time.Millisecond, 0) })
}

func (d *testDevice) push(chunk *realtime.MessageChunk) {
	if err := d.uplink.Add(context.Background(), chunk); err != nil && !errors.Is(err, realtime.ErrStreamClosed) {
		d.t.Errorf("microphone: %v", err)
	}
}

// tells returns what the device was told of the kind E.
func tells[E dialog.Downlink](d *testDevice) []E {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []E
	for _, e := range d.told {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

// reply returns what was shown of the reply of the turn.
func (d *testDevice) replyOf(turn dialog.Turn) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.replies[turn]
}

// loudDetector takes loud windows for speech.
type loudDetector struct{}

func (loudDetector) Process(window []int16) float32 {
	loudness := 0
	for _, s := range window {
		if s > loud/2 {
			loudness++
		}
	}
	return float32(loudness) / float32(len(window))
}

func (loudDetector) Reset() {}

// sessionLog collects the log of a session.
type sessionLog struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (l *sessionLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(p)
}

func (l *sessionLog) recorder(transcripts bool) *log.Recorder {
	return log.NewRecorder(zerolog.New(l), "s1", "d1", transcripts)
}

// events reads back what was logged of the kind E.
func logged[E log.Event](t *testing.T, l *sessionLog) []E {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	reader := log.NewReader(bytes.NewReader(l.lines.Bytes()))
	var all []E
	for {
		rec, err := reader.Next()
		if err != nil {
			if !realtime.IsEnd(err) {
				t.Errorf("session log: %v", err)
			}
			return all
		}
		if e, ok := rec.Event.(E); ok {
			all = append(all, e)
		}
	}
}
