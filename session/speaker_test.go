package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"edged/audio"
	"edged/dialog"
	"edged/realtime"
)

var errFlushed = errors.New("test device: flushed")

const (
	// speakerLead is how far ahead of playback the device takes audio.
	speakerLead = 300 * time.Millisecond
	// speakerTick is how often it looks and acknowledges.
	speakerTick = 5 * time.Millisecond
	ackInterval = 100 * time.Millisecond
)

// speaker plays one reply at a time in (virtual) real time.
type speaker struct {
	turn   dialog.Turn // 0: none
	ended  bool        // its end has come
	text   strings.Builder
	begin  time.Duration // where it begins; not 0 for a resumed reply
	sent   time.Duration
	played time.Duration
	at     time.Time // when played was true
	pause  time.Duration
	held   bool
	acked  time.Duration
}

// advance plays up to now.
func (p *speaker) advance(now time.Time) {
	limit := p.sent
	if p.held {
		limit = min(limit, max(p.pause, p.played))
	}
	if !p.at.IsZero() {
		p.played = min(limit, p.played+now.Sub(p.at))
	}
	p.at = now
	if p.sent == p.begin {
		p.at = time.Time{} // nothing has come
	}
}

// stop drops what is not played.
func (p *speaker) stop(now time.Time) {
	p.advance(now)
	p.sent = p.played
}

func (d *testDevice) Play(ctx context.Context, turn dialog.Turn, chunk *realtime.MessageChunk) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if turn <= d.epoch || d.gone {
		return errFlushed
	}
	if chunk.Route() != turn.Route() {
		d.t.Errorf("a chunk of route %q is played for turn %d", chunk.Route(), turn)
	}
	p := &d.speaker
	switch {
	case chunk.Part == nil && chunk.IsBeginOfStream():
		if p.turn != 0 && !p.ended {
			d.t.Errorf("reply %d begins inside reply %d", turn, p.turn)
		}
		*p = speaker{turn: turn}
		if chunk.Ctrl.Timestamp > 0 {
			p.begin = time.Duration(chunk.Ctrl.Timestamp-1) * time.Millisecond
			p.sent, p.played, p.acked = p.begin, p.begin, p.begin
		}
		return nil
	case turn != p.turn || p.ended:
		d.t.Errorf("a chunk of turn %d outside its reply", turn)
	case chunk.Part == nil && chunk.IsEndOfStream():
		d.end()
		return nil
	}
	switch part := chunk.Part.(type) {
	case realtime.Text:
		p.text.WriteString(string(part))
		d.replies[turn] = p.text.String()
	case *realtime.Blob:
		return d.take(ctx, part)
	}
	return nil
}

// take needs mu; it waits without it until the audio is due.
func (d *testDevice) take(ctx context.Context, blob *realtime.Blob) error {
	rate, _, err := audio.ParsePCMMIMEType(blob.MIMEType)
	if err != nil {
		d.t.Errorf("reply audio: %v", err)
	}
	p, turn := &d.speaker, d.speaker.turn
	for {
		d.tick()
		if p.sent-p.played <= speakerLead {
			break
		}
		if err := d.pass(ctx); err != nil {
			return err
		}
		if turn <= d.epoch || d.gone {
			return errFlushed
		}
	}
	p.sent += rate.Duration(len(blob.Data) / 2)
	d.events <- dialog.Sent{Position: dialog.Position{Turn: turn, Offset: p.sent}, At: time.Now()}
	d.tick()
	return nil
}

// pass lets a tick of time pass without mu.
func (d *testDevice) pass(ctx context.Context) error {
	d.mu.Unlock()
	defer d.mu.Lock()
	select {
	case <-time.After(speakerTick):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tick plays on and acknowledges. It needs mu.
func (d *testDevice) tick() {
	p := &d.speaker
	p.advance(time.Now())
	done := p.ended && p.played == p.sent
	if !d.hello.Capabilities.Ack || p.played == p.acked || p.played-p.acked < ackInterval && !done {
		return
	}
	p.acked = p.played
	d.events <- dialog.Played{Position: dialog.Position{Turn: p.turn, Offset: p.played}}
}

// end needs mu. The rest is played in the background.
func (d *testDevice) end() {
	p := &d.speaker
	p.ended = true
	turn := p.turn
	d.events <- dialog.Delivered{Position: dialog.Position{Turn: turn, Offset: p.sent}}
	go func() { // ends with the reply; the bubble notices if it does not
		d.mu.Lock()
		defer d.mu.Unlock()
		for !d.gone && d.speaker.turn == turn && turn > d.epoch && p.played < p.sent {
			_ = d.pass(context.Background()) // never done
			if !d.gone && d.speaker.turn == turn {
				d.tick()
			}
		}
	}()
}

func (d *testDevice) Hold(turn dialog.Turn, at time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.hello.Capabilities.Hold {
		d.t.Errorf("a device that cannot hold is told to")
	}
	if p := &d.speaker; p.turn == turn {
		p.advance(time.Now())
		p.held, p.pause = true, at
	}
	return nil
}

func (d *testDevice) Release(turn dialog.Turn) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := &d.speaker; p.turn == turn {
		p.advance(time.Now())
		p.held = false
	}
	return nil
}

// Locate counts in samples at 16 kHz.
func (d *testDevice) Locate(_ dialog.Turn, samples uint32) time.Duration {
	return audio.Rate16k.Duration(int(samples))
}

// position returns what was played of the reply of the turn, as the device
// knows.
func (d *testDevice) position(turn dialog.Turn) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.speaker.turn != turn {
		return 0
	}
	if !d.gone && turn > d.epoch {
		d.speaker.advance(time.Now())
	}
	return d.speaker.played
}

func (d *testDevice) Flush(_ context.Context, turn dialog.Turn, _ dialog.Cause) (dialog.Progress, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.epoch = max(d.epoch, turn)
	d.flushes = append(d.flushes, turn)
	p := &d.speaker
	progress := dialog.Progress{Turn: turn, Acknowledged: d.hello.Capabilities.Ack}
	if p.turn == turn {
		p.advance(time.Now())
		progress.Sent, progress.Played = p.sent, p.played
		p.sent, p.ended = p.played, true
	}
	if d.gone {
		return progress, errors.New("test device: gone")
	}
	return progress, nil
}
