package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"edged/ai"
	"edged/dialog"
	"edged/session/log"
	"edged/transformers"
	"edged/transformers/turn"
)

// Engines are what a session thinks and speaks with. They are shared by all
// sessions; the profile's patterns choose among what stands behind them.
type Engines struct {
	// VAD returns a speech detector for one session.
	VAD func() turn.SpeechDetector
	// ASR turns the audio of an utterance into text.
	ASR transformers.Transformer
	// Generator answers.
	Generator transformers.Generator
	// TTS turns the answer into audio.
	TTS transformers.Transformer
}

// Config is what a session is made of. All fields but Journal are required.
type Config struct {
	Engines Engines
	Profile Profile
	Log     *log.Recorder
	// Journal receives the events of the turn machine, one JSON object a line.
	// It holds what people said. Nil keeps none. The session closes it at its
	// end, if it can be closed.
	Journal io.Writer
	// Phrases are the profile's phrases, spoken beforehand. Nil has them
	// synthesised when they are said.
	Phrases *Phrasebook
}

// inboxCapacity bounds the events that wait for the loop. Who raises one waits
// while it is full; that is back pressure on engines, never on audio.
const inboxCapacity = 64

// session is one dialogue. Its loop owns the fields of the second group; other
// goroutines reach it through the inbox only.
type session struct {
	Config
	line    *line
	returns *returns
	tools   []ai.Tool
	timers  *timers
	calls   *deviceCalls
	inbox   chan Event
	workers sync.WaitGroup

	device       Device
	connections  int           // of the device, the present one included
	parted       chan struct{} // see arrival; nil while nobody waits
	lostAt       time.Time
	state        State
	journal      *journal
	history      history
	replies      map[dialog.Turn]*reply
	recognitions recognitions
	clock        turnClock
	alarms       alarms
	interrupted  int

	// media is the position on the microphone route, written by hear.
	media atomic.Int64
}

// Run serves the dialogue with one device until the device leaves, ctx is done
// or the session fails; it returns after the last goroutine of the session has
// ended. The error is nil when the device left or ctx was done. A ctx that was
// cancelled with a cause of its own, other than dialog.ErrShutdown, means that
// the connection was lost. A panic inside the session is returned as an error:
// other sessions do not notice.
//
// A session that Run serves ends with its connection; those of a Host outlive it.
func Run(ctx context.Context, device Device, cfg Config) error {
	cfg.Profile.ResumeFor = 0
	return run(ctx, arrival{device: device}, cfg, newReturns())
}

func run(ctx context.Context, first arrival, cfg Config, returns *returns) (err error) {
	s := &session{
		Config:      cfg,
		device:      first.device,
		parted:      first.parted,
		connections: 1,
		line:        newLine(first.device),
		returns:     returns,
		timers:      newTimers(),
		inbox:       make(chan Event, inboxCapacity),
		journal:     newJournal(cfg.Journal),
		replies:     make(map[dialog.Turn]*reply),
	}
	s.calls = newDeviceCalls(s.line)
	s.Profile = s.Profile.withDefaults()
	s.history.limit = s.Profile.HistoryTurns
	if s.tools, err = s.offeredTools(); err != nil {
		return err
	}
	begin := time.Now()
	s.logStart()
	defer func() {
		if closer, ok := cfg.Journal.(io.Closer); ok {
			err = errors.Join(err, closer.Close())
		}
		s.logEnd(time.Since(begin), err)
	}()
	return s.serve(ctx)
}

// serve runs the loop and the microphone and joins everything they started.
func (s *session) serve(ctx context.Context) (err error) {
	working, cancel := context.WithCancelCause(ctx)
	defer s.workers.Wait()
	defer func() { _ = s.device.Uplink().CloseWithError(errSessionOver) }()
	defer cancel(errSessionOver)
	defer recoverTo(&err)
	s.alarms = newAlarms()
	defer s.alarms.stop()
	s.listenTo(working, s.device)
	return s.loop(working)
}

// listenTo starts to read the microphone of a connection.
func (s *session) listenTo(ctx context.Context, device Device) {
	connection := s.connections
	s.workers.Go(func() {
		if err := s.hear(ctx, device, connection); err != nil {
			s.log(0, log.Error{Stage: "session", Code: dialog.ErrorInternal, Message: err.Error()})
			s.post(ctx, Ended{Cause: dialog.CauseError})
		}
	})
}

// errSessionOver is the cause with which a session's work is cancelled at its
// end.
var errSessionOver = errors.New("session: over")

// loop is the one place where events reach the machine.
func (s *session) loop(ctx context.Context) error {
	notices := stoppedTimer()
	defer notices.Stop()
	s.handle(ctx, Begun{Policy: s.Profile.BargeIn, CanHold: canHold(s.device)})

	for !s.state.Ended {
		var events <-chan dialog.Uplink
		if !s.state.Detached {
			events = s.device.Events()
		}
		select {
		case e := <-s.inbox:
			s.handle(ctx, e)
		case e, ok := <-events:
			if !ok {
				s.leave(ctx)
				break
			}
			s.uplink(ctx, e)
		case ask := <-s.returns.asked:
			s.expect(ctx, ask)
		case back := <-s.returns.came:
			s.welcome(ctx, back)
		case <-ctx.Done():
			s.handle(ctx, Ended{Cause: endOf(ctx)})
		case <-s.alarms.deadline.C:
			s.handle(ctx, TimerFired{TimerDeadline, s.state.Turn})
		case <-s.alarms.playout.C:
			s.handle(ctx, TimerFired{TimerPlayout, s.state.Turn})
		case <-s.alarms.hold.C:
			s.handle(ctx, TimerFired{TimerHold, s.state.Turn})
		case <-s.alarms.resume.C:
			s.handle(ctx, TimerFired{TimerResume, s.state.Turn})
		case <-s.timers.changed:
			if due, ok := s.timers.next(); ok {
				notices.Reset(time.Until(due))
			} else {
				notices.Stop()
			}
		case now := <-notices.C:
			for _, text := range s.timers.expire(now) {
				s.handle(ctx, NoticeDue{text})
			}
			if due, ok := s.timers.next(); ok {
				notices.Reset(time.Until(due))
			}
		}
	}
	return nil
}

// endOf tells why a session's context is done: whoever runs the session stops
// it, with or without a word, or cancels it with why the connection was lost.
func endOf(ctx context.Context) dialog.Cause {
	cause := context.Cause(ctx)
	for _, stop := range []error{dialog.ErrShutdown, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(cause, stop) {
			return dialog.CauseShutdown
		}
	}
	return dialog.CauseDisconnect
}

// uplink translates what the device reports into events of the machine.
func (s *session) uplink(ctx context.Context, e dialog.Uplink) {
	switch e := e.(type) {
	case dialog.Abort:
		s.handle(ctx, Aborted{e.Turn, e.Reason})
	case dialog.Wake:
		s.log(0, log.Wake{Phrase: e.Phrase})
		s.handle(ctx, Woken{e.Phrase})
	case dialog.Sent:
		s.clock.sent(e.Turn, e.At)
		s.handle(ctx, Sent{e.Position})
	case dialog.Played:
		s.handle(ctx, Played{e.Position})
	case dialog.Delivered:
		s.handle(ctx, Delivered{e.Position, s.clock.remaining(e.Position)})
	case dialog.ToolResult:
		s.calls.resolve(e)
		s.handle(ctx, ToolReturned{e.Call})
	case dialog.Gap:
		s.log(0, log.Drop{What: "uplink", Reason: e.Reason, MS: log.MS(e.Duration)})
	case dialog.Fault:
		s.log(0, log.Error{Stage: "device", Code: e.Code, Message: e.Message})
	}
}

// handle steps the machine, journals the step and does what is asked for. The
// events that actions themselves cause (a Flushed) come directly after.
func (s *session) handle(ctx context.Context, e Event) {
	before := s.state
	var actions []Action
	s.state, actions = Step(before, e)
	if err := s.journal.append(e, s.state.Phase, actions); err != nil {
		s.log(0, log.Error{Stage: "session", Code: dialog.ErrorInternal, Message: err.Error()})
	}
	s.observe(before, e)
	var caused []Event
	for _, a := range actions {
		if e := s.do(ctx, a); e != nil {
			caused = append(caused, e)
		}
	}
	for _, e := range caused {
		s.handle(ctx, e)
	}
}

// post hands an event to the loop from another goroutine. It gives up when ctx
// is done, which it is at the latest when the session ends.
func (s *session) post(ctx context.Context, e Event) {
	select {
	case s.inbox <- e:
	case <-ctx.Done():
	}
}

// log writes an event of the turn, or of none.
func (s *session) log(turn dialog.Turn, e log.Event) {
	s.Log.Emit(turn, time.Duration(s.media.Load()), e)
}

func (s *session) logStart() {
	hello := s.device.Hello()
	s.log(0, log.SessionStart{
		Profile: s.Profile.Name, Model: hello.Model, Version: hello.Version, Remote: hello.Remote,
		Tools: len(hello.Tools), Transcripts: s.Log.Transcripts(),
	})
}

func (s *session) logEnd(lasted time.Duration, err error) {
	reason := s.clock.reason
	if err != nil {
		reason = dialog.CauseError
		s.log(0, log.Error{Stage: "session", Code: dialog.ErrorInternal, Message: err.Error()})
	}
	if counted, ok := s.device.(Counting); ok {
		drops := counted.Drops()
		for _, reason := range slices.Sorted(maps.Keys(drops)) {
			s.log(0, log.Drop{What: "packets", Reason: reason, Packets: int(drops[reason])})
		}
	}
	s.log(0, log.SessionEnd{Reason: reason, DurationMS: log.MS(lasted), Turns: int(s.state.Turn), Interrupted: s.interrupted})
}

// recoverTo turns a panic into an error with the stack.
func recoverTo(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("session: panic: %v\n%s", v, debug.Stack())
	}
}
