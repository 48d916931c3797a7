package interview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"edged/audio"
	"edged/internal/edgetest"
)

// The programs that move sound between a pipe and the sound card.
const (
	recorder = "arecord"
	player   = "aplay"
)

// Converse lets a person talk: the microphone is arecord, the speaker is aplay,
// both of the system, and the microphone stays open. It returns when ctx is done,
// which is the ordinary end, when arecord ends, or when the connection is lost.
// Config.Inputs is not looked at.
func Converse(ctx context.Context, cfg Config, live io.Writer) (Report, error) {
	report := newReport()
	for _, program := range []string{recorder, player} {
		if _, err := exec.LookPath(program); err != nil {
			err := fmt.Errorf("interview: --interactive needs %s, which is not on PATH: install it (Debian: apt-get install alsa-utils)", program)
			return report.with(err), err
		}
	}
	recording, err := newRecording(cfg.Out)
	if err != nil {
		return report.with(err), err
	}
	defer recording.discard()
	screen := newScreen(live)
	defer screen.close()
	cfg.Device.OnEvent, cfg.Device.Monitor = screen.event, true
	d, err := edgetest.Dial(ctx, cfg.Device)
	if err != nil {
		return report.with(err), fmt.Errorf("interview: %w", err)
	}
	report.Session = d.Hello().Session
	screen.say("connected to %s, session %s: speak; Ctrl-C ends", cfg.Device.URL, report.Session)
	err = soundCard(ctx, d, cfg.Device)
	if errors.Is(err, edgetest.ErrClosed) && d.Err() != nil {
		err = d.Err()
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), hangUp)
	defer cancel()
	closeErr := d.Close(closing)
	report.fill(d, cfg.Device)
	report.ended(d)
	screen.close()
	report.show(live)
	return report, errors.Join(err, closeErr, recording.keep(d.Turns(), cfg.Device))
}

// soundCard runs both programs until one of them or the connection ends.
func soundCard(ctx context.Context, d *edgetest.Device, cfg edgetest.Config) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	in, speech, err := start(running, recorder, cfg.MicrophoneRate(), func(c *exec.Cmd) (io.ReadCloser, error) { return c.StdoutPipe() })
	if err != nil {
		return err
	}
	out, sound, err := start(running, player, cfg.SpeakerRate(), func(c *exec.Cmd) (io.WriteCloser, error) { return c.StdinPipe() })
	if err != nil {
		stop()
		return errors.Join(err, in.wait(running))
	}
	var playing sync.WaitGroup
	var played error
	playing.Go(func() {
		defer stop() // whatever ended the one ends the other
		played = d.Monitor(running, sound)
		_ = sound.Close() // the player plays what it has and ends
	})
	playing.Go(func() {
		select {
		case <-d.Done():
			stop()
		case <-running.Done():
		}
	})
	heard := d.Stream(context.WithoutCancel(ctx), speech)
	stop()
	playing.Wait()
	if ctx.Err() != nil {
		// Ctrl-C: the programs were stopped, nothing went wrong.
		_, _ = in.wait(running), out.wait(running)
		return nil
	}
	return errors.Join(heard, played, in.wait(running), out.wait(running))
}

// program is a running arecord or aplay.
type program struct {
	cmd  *exec.Cmd
	says *strings.Builder
}

// start runs a program on raw s16le mono of the given rate.
func start[P io.Closer](ctx context.Context, name string, rate audio.SampleRate, open func(*exec.Cmd) (P, error)) (*program, P, error) {
	p := &program{says: &strings.Builder{}}
	p.cmd = exec.CommandContext(ctx, name, "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", strconv.Itoa(int(rate)))
	p.cmd.Stderr = p.says
	p.cmd.WaitDelay = time.Second
	pipe, err := open(p.cmd)
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, pipe, fmt.Errorf("interview: %s: %w", name, err)
	}
	return p, pipe, nil
}

// wait returns why a program failed; being stopped is no failure.
func (p *program) wait(ctx context.Context) error {
	err := p.cmd.Wait()
	if said := strings.TrimSpace(p.says.String()); err != nil && said != "" {
		return fmt.Errorf("interview: %s: %s", p.cmd.Args[0], said)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("interview: %s: %w", p.cmd.Args[0], err)
	}
	return nil
}
