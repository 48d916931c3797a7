package edge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"edged/audio"
	"edged/dialog"
	"edged/realtime"
)

// Bounds of the queues towards the device.
const (
	// DefaultLookahead is how much reply audio a leg takes in beyond the lead
	// before Play blocks.
	DefaultLookahead = 400 * time.Millisecond
	// maxItems bounds the chunks of a reply that wait, whatever their duration:
	// texts last no time.
	maxItems = 128
	// maxUrgent bounds the control messages that wait. More of them mean that
	// the device does not read.
	maxUrgent = 64
)

// Errors of Play that are a fault of the caller.
var (
	errNoTurn  = errors.New("edge: play: turn 0 is no turn")
	errEnded   = errors.New("edge: play: the reply of this turn has ended")
	errContent = errors.New("edge: play: a reply holds control-only begin and end, text and mono PCM blobs only")
)

// itemKind says what an item of a reply is.
type itemKind uint8

const (
	itemBegin itemKind = iota
	itemText
	itemAudio
	itemEnd
)

// item is one piece of a reply on its way to the device, in order.
type item struct {
	turn dialog.Turn
	kind itemKind
	text string
	data []byte // s16le mono; never written to
	rate audio.SampleRate
	from time.Duration // of a begin: where in the reply
	at   time.Time     // when it was handed over
}

// duration of the audio in the item. Half a sample at its end counts when the
// next item completes it.
func (i *item) duration() time.Duration {
	if i.kind != itemAudio {
		return 0
	}
	return i.rate.Duration(len(i.data) / 2)
}

// urgent is a control message that overtakes the reply.
type urgent struct {
	control Control
	flush   *flushing // who waits for it, when control is a Flush
}

// flushing is a call of Flush that waits for its message to be written.
type flushing struct {
	turn    dialog.Turn
	began   time.Time
	written chan dialog.Progress // capacity 1
}

// downlink is what waits for the device. Leg.mu guards it.
type downlink struct {
	urgent ring[urgent]
	items  ring[item]
	queued time.Duration // audio in items
	// flushed is the audio that was given up unsent.
	flushed time.Duration

	epoch  dialog.Turn // turns up to this one are flushed
	newest dialog.Turn // the newest turn that has begun to play
	ended  bool        // the end of newest was handed over

	// hold is one of a reply that has not begun yet; turn 0 is none.
	hold dialog.Position

	room    chan struct{} // token for one of the waiting Plays
	waiting int           // Plays that wait
}

func newDownlink() downlink {
	return downlink{
		urgent: newRing[urgent](maxUrgent),
		items:  newRing[item](maxItems),
		room:   make(chan struct{}, 1),
	}
}

// makeRoom wakes a waiting Play, which passes the token on if there is more room.
func (d *downlink) makeRoom() {
	if d.waiting == 0 {
		return
	}
	select {
	case d.room <- struct{}{}:
	default:
	}
}

// dropReply forgets every item of the turns up to turn.
func (d *downlink) dropReply(turn dialog.Turn) {
	for n := d.items.len(); n > 0; n-- {
		it := d.items.pop()
		if it.turn <= turn {
			d.queued -= it.duration()
			d.flushed += it.duration()
			continue
		}
		d.items.push(it)
	}
	d.makeRoom()
}

// Send hands an event to the device. It overtakes reply audio and never blocks;
// the error matches ErrClosed once the connection is gone. A device that does
// not take its events any more loses its connection. A SpeechStopped ends a
// listening period in ModeAuto: what arrives of it afterwards is dropped. The times
// of both speech events are on the scale of the Timestamps of Uplink.
func (l *Leg) Send(e dialog.Downlink) error {
	if e == nil {
		return errors.New("edge: send: nil event")
	}
	switch speech := e.(type) {
	case dialog.SpeechStarted:
		e = dialog.SpeechStarted{At: l.up.sinceBegin(speech.At)}
	case dialog.SpeechStopped:
		e = dialog.SpeechStopped{At: l.up.sinceBegin(speech.At)}
		l.up.stopAuto()
	}
	return l.post(urgent{control: Event{e}})
}

// post queues a control message.
func (l *Leg) post(u urgent) error {
	l.mu.Lock()
	if err := l.cause; err != nil {
		l.mu.Unlock()
		return err
	}
	ok := l.down.urgent.push(u)
	l.mu.Unlock()
	if !ok {
		return l.unread()
	}
	l.wake()
	return nil
}

// unread ends the connection of a device that does not take its messages.
func (l *Leg) unread() error {
	l.mu.Lock()
	l.counters.unread++
	l.mu.Unlock()
	l.end(failure(dialog.ErrorTimeout, "%d control messages wait for the device: it does not read", maxUrgent))
	return l.closed()
}

// Play hands over the next chunk of the reply of turn: a control-only chunk with
// BeginOfStream begins the reply (the first other chunk does, too), in the middle
// if its Timestamp is above 1: at Timestamp-1 ms of the reply, which all positions
// of this leg then count from the reply's true beginning. Text is sent
// to the device when the audio handed over before it has been sent, a Blob is
// mono s16le audio of any rate from 8 to 48 kHz, and a control-only chunk with
// EndOfStream ends the reply. The chunk's StreamID does not matter. Play keeps
// the bytes of the Blob and does not write to them.
//
// Play blocks while the leg holds more than its look-ahead of audio. It returns
// ErrFlushed once turn was flushed or a newer turn plays, an error matching
// ErrClosed once the connection is gone, or ctx's error. A leg plays one reply at
// a time: one goroutine calls Play for a turn.
func (l *Leg) Play(ctx context.Context, turn dialog.Turn, chunk *realtime.MessageChunk) error {
	it, err := newItem(turn, chunk)
	if err != nil {
		return err
	}
	l.mu.Lock()
	for {
		if err := l.playable(turn); err != nil {
			l.down.makeRoom()
			l.mu.Unlock()
			return err
		}
		if l.down.queued < l.terms.Lookahead && l.down.items.free() > 1 { // one for a begin
			break
		}
		l.down.waiting++
		l.mu.Unlock()
		select {
		case <-l.down.room:
		case <-ctx.Done():
		}
		l.mu.Lock()
		l.down.waiting--
		if ctx.Err() != nil {
			l.down.makeRoom()
			l.mu.Unlock()
			return fmt.Errorf("edge: play turn %d: %w", turn, context.Cause(ctx))
		}
	}
	begins := it.turn > l.down.newest
	told := !begins || l.letGo()
	l.enqueue(it)
	l.down.makeRoom()
	l.mu.Unlock()
	if !told {
		return l.unread()
	}
	if begins {
		l.up.stopAuto() // half duplex: the device hears nothing while it speaks
	}
	l.wake()
	return nil
}

// newItem translates a chunk.
func newItem(turn dialog.Turn, chunk *realtime.MessageChunk) (item, error) {
	it := item{turn: turn, at: time.Now()}
	if turn == 0 {
		return it, errNoTurn
	}
	if chunk == nil {
		return it, errContent
	}
	switch part := chunk.Part.(type) {
	case nil:
		switch {
		case chunk.IsBeginOfStream():
			it.kind = itemBegin
			if chunk.Ctrl.Timestamp > 1 {
				it.from = time.Duration(chunk.Ctrl.Timestamp-1) * time.Millisecond
			}
		case chunk.IsEndOfStream():
			it.kind = itemEnd
		default:
			return it, errContent
		}
	case realtime.Text:
		it.kind, it.text = itemText, string(part)
	case *realtime.Blob:
		rate, channels, err := audio.ParsePCMMIMEType(part.MIMEType)
		if err != nil {
			return it, fmt.Errorf("edge: play turn %d: %w", turn, err)
		}
		if channels != 1 {
			return it, errContent
		}
		it.kind, it.rate, it.data = itemAudio, rate, part.Data
	default:
		return it, errContent
	}
	return it, nil
}

// playable reports why nothing of turn may be queued. It needs mu.
func (l *Leg) playable(turn dialog.Turn) error {
	d := &l.down
	switch {
	case l.cause != nil:
		return l.cause
	case turn <= d.epoch || turn < d.newest:
		return ErrFlushed
	case turn == d.newest && d.ended:
		return errEnded
	}
	return nil
}

// enqueue needs mu and room for two items: the first chunk of a turn brings its
// own begin if it is none.
func (l *Leg) enqueue(it item) {
	d := &l.down
	if it.turn > d.newest {
		d.newest, d.ended = it.turn, false
		if it.kind != itemBegin {
			d.items.push(item{turn: it.turn, kind: itemBegin, at: it.at})
		}
	} else if it.kind == itemBegin {
		return // begun already
	}
	d.ended = it.kind == itemEnd
	d.queued += it.duration()
	d.items.push(it)
}

// Flush makes the device drop the reply of turn and of every older one. From its
// call on nothing of them is queued or sent (Play returns ErrFlushed); it returns
// when the flush itself was written, with how far the reply got by then. The
// flush is sent even if nothing of the turn was.
//
// When ctx is done first, or the connection is gone (the error matches
// ErrClosed), the promise holds all the same and the progress is what is known.
func (l *Leg) Flush(ctx context.Context, turn dialog.Turn, cause dialog.Cause) (dialog.Progress, error) {
	wait := &flushing{turn: turn, began: time.Now(), written: make(chan dialog.Progress, 1)}
	l.mu.Lock()
	if turn > l.down.epoch {
		l.down.epoch = turn
		l.epoch.Store(uint32(turn))
		l.down.dropReply(turn)
		if l.down.hold.Turn <= turn {
			l.down.hold = dialog.Position{}
		}
	}
	l.mu.Unlock()
	if err := l.post(urgent{control: Flush{Turn: turn, Cause: cause}, flush: wait}); err != nil {
		return l.progress(turn), err
	}
	select {
	case progress := <-wait.written:
		return progress, nil
	case <-l.gone:
		select {
		case progress := <-wait.written:
			return progress, nil
		default:
			return l.progress(turn), l.closed()
		}
	case <-ctx.Done():
		return l.progress(turn), fmt.Errorf("edge: flush turn %d: %w", turn, context.Cause(ctx))
	}
}

// progress returns how far the reply of turn got, as known now.
func (l *Leg) progress(turn dialog.Turn) dialog.Progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.progressNow(turn, time.Now())
}

// progressNow needs mu.
func (l *Leg) progressNow(turn dialog.Turn, now time.Time) dialog.Progress {
	for _, p := range []*playback{&l.current, &l.previous} {
		if p.turn == turn && turn != 0 {
			return p.progress(l.pacer.Playing(now))
		}
	}
	return dialog.Progress{Turn: turn}
}
