package interview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
)

// ErrUnanswered: at least one question got no answer. The Report says which.
var ErrUnanswered = errors.New("interview: not every question was answered")

// Config says what to ask and of whom.
type Config struct {
	// Device is the device to be; its OnEvent is taken by the live output.
	Device edgetest.Config
	// Inputs are the questions, in order: WAV files, or "-" for Stdin.
	Inputs []string
	// Stdin is read to its end as s16le mono at 16 kHz where an input is "-".
	Stdin io.Reader
	// Out is the WAV file to write what the speaker played; empty writes none.
	Out string
	// AbortAfter presses the stop button when that much of each reply has been
	// played; 0 never does.
	AbortAfter time.Duration
	// BargeInAfter asks each further question when that much of the reply before
	// it has been played; 0 waits for its end. It needs Device.Mode
	// wire.ModeRealtime.
	BargeInAfter time.Duration
}

// Run connects, asks all questions, hangs up and reports. live gets what happens
// as text, for people; nil is silent.
//
// The inputs are read before the server is called, so that a wrong file costs no
// session. The report is complete also when the error is not nil: it matches
// ErrUnanswered when a question failed or went unanswered, wraps a
// *edgetest.ServerError when there was no session, and else tells of a file or of
// ctx.
func Run(ctx context.Context, cfg Config, live io.Writer) (Report, error) {
	report := newReport()
	questions, err := load(cfg)
	if err != nil {
		return report.with(err), err
	}
	recording, err := newRecording(cfg.Out)
	if err != nil {
		return report.with(err), err
	}
	defer recording.discard()
	screen := newScreen(live)
	defer screen.close()
	cfg.Device.OnEvent = screen.event
	caller, err := edgetest.Call(ctx, cfg.Device)
	if err != nil {
		return report.with(err), fmt.Errorf("interview: %w", err)
	}
	hello := caller.Device().Hello()
	report.Session = hello.Session
	screen.say("connected to %s as %s, session %s (up %s, down %s)",
		cfg.Device.URL, hello.Device, hello.Session, formatText(hello.Audio.Up), formatText(hello.Audio.Down))
	unanswered, asked := 0, len(questions)
	if cfg.Device.Mode == wire.ModeRealtime {
		unanswered = talk(ctx, caller, cfg, questions, screen, &report)
		questions = nil
	}
	for i, q := range questions {
		screen.say("\nquestion %d: %s (%.1f s)", i+1, q.name, q.duration().Seconds())
		a, err := caller.Ask(ctx, edgetest.Question{PCM: q.pcm, AbortAfter: cfg.AbortAfter})
		if a.Interrupted {
			screen.say("  interrupted after %.1f s: heard %q", a.Played.Seconds(), a.Heard)
		}
		if err == nil && a.Answered() {
			continue
		}
		unanswered++
		if err == nil {
			err = silence(a)
		}
		report.Errors = append(report.Errors, fmt.Sprintf("question %d (%s): %v", i+1, q.name, err))
		if errors.Is(err, edgetest.ErrClosed) || ctx.Err() != nil {
			unanswered += len(questions) - i - 1
			break
		}
	}
	// Hanging up works even when the interview itself was cut off.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), hangUp)
	defer cancel()
	closeErr := caller.Close(closing)
	report.fill(caller, cfg.Device)
	report.ended(caller.Device())
	report.returned(caller.Comebacks())
	screen.close()
	report.show(live)
	err = nil
	if unanswered > 0 {
		err = fmt.Errorf("%w: %d of %d are missing", ErrUnanswered, unanswered, asked)
	}
	err = errors.Join(err, closeErr, recording.keep(caller.Turns(), cfg.Device))
	if ctx.Err() != nil {
		err = errors.Join(err, fmt.Errorf("interview: %w", context.Cause(ctx)))
	}
	return report, err
}

// talk asks all questions on one open microphone and returns how many went
// unanswered.
func talk(ctx context.Context, d *edgetest.Caller, cfg Config, questions []question, screen *screen, report *Report) (unanswered int) {
	var all []edgetest.Question
	for i, q := range questions {
		screen.say("question %d: %s (%.1f s)", i+1, q.name, q.duration().Seconds())
		all = append(all, edgetest.Question{PCM: q.pcm, Onset: q.onset(), BargeInAfter: cfg.BargeInAfter})
	}
	answers, err := d.Talk(ctx, all)
	if err != nil {
		report.Errors = append(report.Errors, err.Error())
	}
	for i, a := range answers {
		if a.Interrupted {
			screen.say("  question %d: interrupted (%s) after %.1f s of the reply", i+1, a.Cause, a.Played.Seconds())
		}
		if !a.Answered() {
			unanswered++
			report.Errors = append(report.Errors, fmt.Sprintf("question %d (%s): %v", i+1, questions[i].name, silence(a)))
		}
	}
	return unanswered + len(questions) - len(answers)
}

// hangUp bounds the end of the session.
const hangUp = 5 * time.Second

// silence says why an answer is none.
func silence(a edgetest.Answer) error {
	switch {
	case a.Failure != nil:
		return fmt.Errorf("%s: %s", a.Failure.Code, a.Failure.Message)
	case a.Interrupted:
		return fmt.Errorf("stopped by the server (%s) before it was answered", a.Cause)
	default:
		return errors.New("the reply has no sound")
	}
}
