package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/internal/edgetest/interview"
)

// DeviceCmd is "edged device".
type DeviceCmd struct {
	URL        string        `default:"ws://127.0.0.1:8080/v1/ws" placeholder:"URL" help:"Server to connect to (${default})."`
	Token      string        `env:"EDGED_TOKEN" placeholder:"TOKEN" help:"Access token of the device."`
	Device     string        `default:"sim-1" placeholder:"NAME" help:"Name of the device; a token may be bound to one (${default})."`
	In         []string      `required:"" sep:"none" placeholder:"FILE.wav" help:"Question to ask: a WAV file, or - for raw s16le mono 16 kHz PCM on standard input. Repeat it to ask several, one after another."`
	Out        string        `type:"path" placeholder:"FILE.wav" help:"Write what the speaker played to this file."`
	Mode       string        `enum:"auto,manual,realtime" default:"auto" help:"Who ends the utterance: the server (auto) or the button (manual); realtime keeps the microphone open throughout."`
	Format     string        `enum:"opus,pcm" default:"opus" help:"Audio format, both ways: opus or pcm."`
	Frame      time.Duration `enum:"20ms,40ms,60ms" default:"60ms" help:"Duration of an audio packet: 20ms, 40ms or 60ms."`
	AbortAfter time.Duration `placeholder:"DUR" help:"Press the stop button when so much of each reply has been played."`
	BargeIn    time.Duration `name:"barge-in-after" placeholder:"DUR" help:"Ask each further question when so much of the reply before has been played (--mode realtime)."`
	NoHold     bool          `help:"Be a device that cannot pause a reply (--mode realtime)."`
	JSON       bool          `name:"json" help:"Print one JSON object at the end and nothing else."`
}

// Run asks the questions. It fails unless every one of them was answered.
func (c *DeviceCmd) Run(ctx context.Context, out streams) error {
	return c.ask(ctx, os.Stdin, out.stdout)
}

func (c *DeviceCmd) ask(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	cfg, err := c.config(stdin)
	if err != nil {
		return err
	}
	live := stdout
	if c.JSON {
		live = nil
	}
	report, err := interview.Run(ctx, cfg, live)
	if !c.JSON {
		return err
	}
	enc := json.NewEncoder(stdout)
	enc.SetEscapeHTML(false)
	if encErr := enc.Encode(report); encErr != nil {
		return fmt.Errorf("device: write report: %w", encErr)
	}
	return err
}

// config translates the flags.
func (c *DeviceCmd) config(stdin io.Reader) (interview.Config, error) {
	server, err := url.Parse(c.URL)
	if err != nil {
		return interview.Config{}, fmt.Errorf("device: --url: %w", err)
	}
	if server.Scheme != "ws" && server.Scheme != "wss" || server.Host == "" {
		return interview.Config{}, fmt.Errorf("device: --url %q: want ws://HOST:PORT%s or wss://HOST:PORT%s", c.URL, wire.Path, wire.Path)
	}
	if server.Path == "" || server.Path == "/" {
		server.Path = wire.Path
	}
	if c.AbortAfter < 0 {
		return interview.Config{}, fmt.Errorf("device: --abort-after %v is negative", c.AbortAfter)
	}
	if c.BargeIn != 0 && (c.BargeIn < 0 || c.Mode != string(wire.ModeRealtime)) {
		return interview.Config{}, fmt.Errorf("device: --barge-in-after %v: want a time above 0, and --mode realtime, which keeps the microphone open", c.BargeIn)
	}
	var capabilities *wire.Capabilities
	if c.Mode == string(wire.ModeRealtime) {
		capabilities = &wire.Capabilities{FullDuplex: true, AEC: true, Flush: true, Ack: true, Hold: !c.NoHold}
	}
	format := wire.Format{Codec: wire.Codec(c.Format), SampleRate: 16000, Channels: 1, FrameMS: uint32(c.Frame / time.Millisecond)}
	return interview.Config{
		Device: edgetest.Config{
			URL: server.String(), Token: c.Token, Device: c.Device, Mode: wire.ListenMode(c.Mode), Up: format, Down: format,
			Capabilities: capabilities,
		},
		Inputs: c.In, Stdin: stdin, Out: c.Out, AbortAfter: c.AbortAfter, BargeInAfter: c.BargeIn,
	}, nil
}
