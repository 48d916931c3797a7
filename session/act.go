package session

import (
	"context"
	"fmt"
	"time"

	"edged/dialog"
	"edged/session/log"
)

// do carries out one action. The event it returns, if any, is a consequence
// that must reach the machine before anything else.
func (s *session) do(ctx context.Context, a Action) Event {
	switch a := a.(type) {
	case Discard:
		s.recognitions.discard(a.Utterance)
	case Tell:
		s.tell(a.Event)
	case Reply:
		s.begin(ctx, newReply(a.Turn, a.Text))
	case Say:
		s.begin(ctx, s.ownWords(a))
	case Flush:
		return Flushed{s.flush(ctx, a)}
	case Hold:
		s.hold(a.Turn)
	case Release:
		s.clock.release()
		_ = s.device.Release(a.Turn) // it fails with the connection, which Events reports
	case Resume:
		s.resume(a)
	case Cancel:
		if r := s.replies[a.Turn]; r != nil {
			r.cancel(fmt.Errorf("session: turn %d interrupted: %s", a.Turn, a.Cause))
		}
	case Settle:
		s.settle(a)
	case StartTimer:
		s.startTimer(a)
	case StopTimer:
		s.alarms.of(a.Timer).Stop()
	case End:
		s.clock.reason = a.Cause
	}
	return nil
}

func (s *session) tell(e dialog.Downlink) {
	if f, ok := e.(dialog.Failure); ok {
		s.log(s.state.Turn, log.Error{Stage: stageOf(f.Code), Code: f.Code, Message: f.Message, MS: log.MS(s.clock.since())})
	}
	// A failed Send means that the connection is gone, which Events reports.
	_ = s.device.Send(e)
}

// flush is bounded by the edge's own write watchdog. It is carried out even
// when ctx is done, because a session that ends still silences its device.
func (s *session) flush(ctx context.Context, a Flush) dialog.Progress {
	progress, err := s.device.Flush(context.WithoutCancel(ctx), a.Turn, a.Cause)
	if err != nil && a.Cause != dialog.CauseDisconnect && !s.state.Detached {
		s.log(a.Turn, log.Error{Stage: "device", Code: dialog.ErrorInternal, Message: err.Error()})
	}
	progress.Turn = a.Turn
	return progress
}

// hold pauses the reply behind the word that is being played. How far that is
// at the device is known only as well as the network allows: the margin makes
// sure that the place has not passed when the device hears of it.
func (s *session) hold(turn dialog.Turn) {
	r := s.replies[turn]
	if r == nil {
		return
	}
	position := max(s.state.Played, min(s.state.Sent, s.clock.elapsed(turn)))
	at := r.ledger.Boundary(position + holdMargin)
	if at > position+longestWord {
		at = position
	}
	s.clock.hold()
	s.log(turn, log.Hold{AtMS: log.MS(at)})
	_ = s.device.Hold(turn, at) // it fails with the connection, which Events reports
}

const (
	// holdMargin is longer than a message takes to a device on an ordinary
	// Wi-Fi network, with a packet of 60 ms in its decoder.
	holdMargin = 80 * time.Millisecond
	// longestWord is how long at most a reply goes on that is to be held.
	longestWord = 700 * time.Millisecond
)

// resume plays the reply on the device that came back.
func (s *session) resume(a Resume) {
	s.clock.resume(a.From)
	s.log(a.Turn, log.Resume{FromMS: log.MS(a.From)})
	r := s.replies[a.Turn]
	if r == nil {
		return
	}
	select {
	case <-r.again: // the place before last
	default:
	}
	r.again <- place{s.device, a.From}
}

func (s *session) startTimer(a StartTimer) {
	after := a.After
	switch a.Timer {
	case TimerDeadline:
		after = s.Profile.Deadlines.of(a.Stage)
	case TimerResume:
		after = s.Profile.ResumeFor
	case TimerPlayout:
		if s.device.Hello().Capabilities.Ack {
			after += playoutMargin
		}
	}
	s.alarms.of(a.Timer).Reset(after)
}
