package session

import (
	"context"
	"errors"
	"time"

	"edged/audio"
	"edged/dialog"
	"edged/realtime"
	"edged/transformers/tts"
)

// place is where a reply is to be played: on which device, from where on.
type place struct {
	device Device
	from   time.Duration
}

// lossNotice is how long after a failed Play the loss of the connection must
// have been noticed; a failure without one is a fault.
const lossNotice = time.Second

// play hands the voice to the device, and to the one that comes back when the
// connection is lost. It returns when the reply has failed or ctx is done, which
// it is once the turn is settled.
func (s *session) play(ctx context.Context, r *reply, sound realtime.Stream) error {
	ctx, cancel := context.WithCancelCause(ctx)
	accounting := make(chan struct{})
	defer func() {
		cancel(errSettled)
		_ = sound.Close() // whatever it says, nobody listens any more
		<-accounting
	}()
	go func() {
		defer close(accounting)
		r.voice.finish(s.account(ctx, r, sound))
	}()
	at := place{device: s.line.current()}
	sounding := false
	for {
		err := s.playOn(ctx, r, at, &sounding)
		var failed *stageError
		if errors.As(err, &failed) {
			return err
		}
		if at, err = s.elsewhere(ctx, r, at, err); err != nil {
			return err
		}
	}
}

// elsewhere waits for the place where the reply goes on after playing ended with
// err, nil if that was its end.
func (s *session) elsewhere(ctx context.Context, r *reply, at place, err error) (place, error) {
	var noticed <-chan time.Time
	if err != nil && s.line.current() == at.device {
		timer := time.NewTimer(lossNotice)
		defer timer.Stop()
		noticed = timer.C
	}
	for {
		select {
		case next := <-r.again:
			next.from = r.voice.rewind(next.from)
			return next, nil
		case <-noticed:
			if s.line.connected(at.device) {
				return at, err
			}
			noticed = nil
		case <-ctx.Done():
			return at, context.Cause(ctx)
		}
	}
}

// playOn plays on one device. A reply that failed before it had any sound gets
// no end: the flush of its turn ends it.
func (s *session) playOn(ctx context.Context, r *reply, at place, sounding *bool) error {
	if err := at.device.Play(ctx, r.turn, r.beginning(at.from)); err != nil {
		return err
	}
	for {
		item, err := r.voice.take(ctx)
		if err != nil {
			if failed := !realtime.IsEnd(err); failed && !*sounding {
				return err
			} else if end := at.device.Play(ctx, r.turn, r.end()); !failed {
				return end
			}
			return err
		}
		if item.audio > 0 && !*sounding {
			*sounding = true
			s.post(ctx, FirstAudio{r.turn})
		}
		if err := at.device.Play(ctx, r.turn, item.chunk); err != nil {
			return err
		}
	}
}

// account takes note of text, words and audio as the voice goes into its store.
// It returns how the voice ended: with an end, or a *stageError.
func (s *session) account(ctx context.Context, r *reply, sound realtime.Stream) (err error) {
	defer func() {
		if !realtime.IsEnd(err) {
			err = asStage(err)
		}
	}()
	defer recoverTo(&err)
	for first := true; ; {
		chunk, err := sound.Next()
		if err != nil {
			if realtime.IsEnd(err) {
				r.finished()
			}
			return err
		}
		if chunk.Ctrl != nil && chunk.Ctrl.Error != "" {
			return &stageError{dialog.ErrorTTS, errors.New(chunk.Ctrl.Error)}
		}
		lasts, playable, err := r.note(chunk)
		if err != nil {
			return err
		}
		if !playable {
			continue
		}
		if lasts == 0 && first {
			first = false
			s.post(ctx, FirstSentence{r.turn})
		}
		if err := r.voice.add(ctx, chunk, lasts); err != nil {
			return err
		}
	}
}

// note enters a chunk in the ledger. playable tells whether it is for the
// device, and lasts how much audio it holds.
func (r *reply) note(chunk *realtime.MessageChunk) (lasts time.Duration, playable bool, err error) {
	switch part := chunk.Part.(type) {
	case realtime.Text:
		if chunk.Ctrl != nil && chunk.Ctrl.Label == tts.LabelThought {
			return 0, false, nil // what a model thinks is not for the listener
		}
		r.ledger.Text(string(part))
		return 0, true, nil
	case *realtime.Blob:
		if part.MIMEType == tts.WordsMIME {
			words, err := tts.ParseWords(part)
			if err != nil {
				return 0, false, &stageError{dialog.ErrorTTS, err}
			}
			r.ledger.Words(words)
			return 0, false, nil
		}
		rate, channels, err := audio.ParsePCMMIMEType(part.MIMEType)
		if err != nil {
			return 0, false, &stageError{dialog.ErrorTTS, err}
		}
		lasts = rate.Duration(len(part.Data) / 2 / channels)
		r.ledger.Audio(lasts)
		return lasts, lasts > 0, nil
	}
	return 0, false, nil
}
