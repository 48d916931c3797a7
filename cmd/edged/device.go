package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/internal/edgetest/impair"
	"edged/internal/edgetest/interview"
)

// DeviceCmd is "edged device".
type DeviceCmd struct {
	URL         string        `default:"ws://127.0.0.1:8080/v1/ws" placeholder:"URL" help:"Server to connect to (${default})."`
	Token       string        `env:"EDGED_TOKEN" placeholder:"TOKEN" help:"Access token of the device."`
	Device      string        `default:"sim-1" placeholder:"NAME" help:"Name of the device; a token may be bound to one (${default})."`
	In          []string      `required:"" xor:"voice" sep:"none" placeholder:"FILE.wav" help:"Question to ask: a WAV file, or - for raw s16le mono 16 kHz PCM on standard input. Repeat it to ask several, one after another."`
	Interactive bool          `required:"" xor:"voice" help:"Talk yourself: microphone and speaker are the system's arecord and aplay, and the microphone stays open (--mode realtime)."`
	Out         string        `type:"path" placeholder:"FILE.wav" help:"Write what the speaker played to this file."`
	Mode        string        `enum:",auto,manual,realtime" default:"" placeholder:"MODE" help:"Who ends the utterance: the server (auto, the default) or the button (manual); realtime keeps the microphone open throughout."`
	Format      string        `enum:"opus,pcm" default:"opus" help:"Audio format, both ways: opus or pcm."`
	Frame       time.Duration `enum:"20ms,40ms,60ms" default:"60ms" help:"Duration of an audio packet: 20ms, 40ms or 60ms."`
	AbortAfter  time.Duration `placeholder:"DUR" help:"Press the stop button when so much of each reply has been played."`
	BargeIn     time.Duration `name:"barge-in-after" placeholder:"DUR" help:"Ask each further question when so much of the reply before has been played (--mode realtime)."`
	Resume      int           `placeholder:"N" help:"Come back to the session after a lost connection, with at most N attempts in a row (0: never)."`
	JSON        bool          `name:"json" help:"Print one JSON object at the end and nothing else."`

	FullDuplex bool `help:"Say that the microphone can stay open while a reply plays (--mode realtime always does)."`
	AEC        bool `name:"aec" negatable:"" default:"true" help:"Say that the device removes its own sound from its microphone (--mode realtime without --echo); --no-aec says that it does not."`
	Hold       bool `negatable:"" default:"true" help:"Be a device that can pause a reply (--mode realtime); --no-hold is one that cannot."`

	Impairments `embed:"" group:"What is between the device, its server and its user:"`
}

// Impairments are the flags of network, clock, room and queue.
type Impairments struct {
	Loss      float64       `placeholder:"PERCENT" help:"Lose so many of the audio packets, both ways."`
	Burst     float64       `placeholder:"N" help:"Lose N packets in a row on average (Gilbert-Elliott) instead of single ones."`
	Jitter    time.Duration `placeholder:"DUR" help:"Delay every message by a random time up to this, both ways."`
	Reorder   float64       `placeholder:"PERCENT" help:"Let so many of the audio packets be overtaken by the next one, both ways."`
	Duplicate float64       `placeholder:"PERCENT" help:"Send so many of the audio packets twice, both ways."`
	Skew      int           `placeholder:"PPM" help:"Let the clock of microphone and speaker run fast, or with a negative number (--skew=-200) slow, by so many parts per million."`
	Echo      *float64      `placeholder:"DB" help:"Let the microphone hear the speaker, weaker by so many dB."`
	EchoDelay time.Duration `default:"150ms" placeholder:"DUR" help:"How late the microphone hears the speaker (${default})."`
	EchoRoom  bool          `help:"Let the echo come with the reflections of a small room."`
	Queue     int           `placeholder:"N" help:"Hold at most N packets in the playback queue (as many as fit into 2.4 s)."`
	Seed      uint64        `placeholder:"N" help:"Seed of all that is random in this (0)."`
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
	talk := interview.Run
	if c.Interactive {
		talk = interview.Converse
	}
	report, err := talk(ctx, cfg, live)
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
	address, err := c.address()
	if err != nil {
		return interview.Config{}, err
	}
	mode, err := c.mode()
	if err != nil {
		return interview.Config{}, err
	}
	switch {
	case c.AbortAfter < 0:
		return interview.Config{}, fmt.Errorf("device: --abort-after %v is negative", c.AbortAfter)
	case c.AbortAfter != 0 && mode == wire.ModeRealtime:
		return interview.Config{}, fmt.Errorf("device: --abort-after %v: want --mode auto or manual; with realtime use --barge-in-after", c.AbortAfter)
	case c.BargeIn != 0 && (c.BargeIn < 0 || mode != wire.ModeRealtime || c.Interactive):
		return interview.Config{}, fmt.Errorf("device: --barge-in-after %v: want a time above 0, --in, and --mode realtime, which keeps the microphone open", c.BargeIn)
	case c.Resume < 0 || c.Resume > maxResume:
		return interview.Config{}, fmt.Errorf("device: --resume %d: want 0 to %d attempts", c.Resume, maxResume)
	case c.Resume > 0 && c.Interactive:
		return interview.Config{}, fmt.Errorf("device: --resume %d: want --in; an interactive session ends with its connection", c.Resume)
	}
	network, err := c.network()
	if err != nil {
		return interview.Config{}, err
	}
	echo, err := c.echo()
	if err != nil {
		return interview.Config{}, err
	}
	buffer, err := c.buffer(c.Frame)
	if err != nil {
		return interview.Config{}, err
	}
	format := wire.Format{Codec: wire.Codec(c.Format), SampleRate: 16000, Channels: 1, FrameMS: uint32(c.Frame / time.Millisecond)}
	return interview.Config{
		Device: edgetest.Config{
			URL: address, Token: c.Token, Device: c.Device, Mode: mode, Up: format, Down: format, Buffer: buffer,
			Capabilities: c.capabilities(mode), Comebacks: c.Resume, Network: network, Clock: impair.Clock(c.Skew), Echo: echo,
		},
		Inputs: c.In, Stdin: stdin, Out: c.Out, AbortAfter: c.AbortAfter, BargeInAfter: c.BargeIn,
	}, nil
}

// maxResume bounds the attempts to come back: a device that has not managed by
// then has lost its session long ago.
const maxResume = 100

// address is the URL with its path.
func (c *DeviceCmd) address() (string, error) {
	server, err := url.Parse(c.URL)
	if err != nil {
		return "", fmt.Errorf("device: --url: %w", err)
	}
	if server.Scheme != "ws" && server.Scheme != "wss" || server.Host == "" {
		return "", fmt.Errorf("device: --url %q: want ws://HOST:PORT%s or wss://HOST:PORT%s", c.URL, wire.Path, wire.Path)
	}
	if server.Path == "" || server.Path == "/" {
		server.Path = wire.Path
	}
	return server.String(), nil
}

// mode is --mode or its default.
func (c *DeviceCmd) mode() (wire.ListenMode, error) {
	mode := wire.ListenMode(c.Mode)
	switch {
	case c.Interactive && mode != "" && mode != wire.ModeRealtime:
		return "", fmt.Errorf("device: --mode %s: want realtime or nothing with --interactive, whose microphone stays open", mode)
	case c.Interactive:
		return wire.ModeRealtime, nil
	case mode == "":
		return wire.ModeAuto, nil
	}
	return mode, nil
}

// capabilities are those of a plain device; one with an open microphone has more.
// A device that hears its own echo does not say that it removes it.
func (c *DeviceCmd) capabilities(mode wire.ListenMode) *wire.Capabilities {
	all := wire.Capabilities{Flush: true, Ack: true, FullDuplex: c.FullDuplex}
	if mode == wire.ModeRealtime || c.FullDuplex {
		all.FullDuplex, all.AEC, all.Hold = true, c.AEC && c.Echo == nil, c.Hold
	}
	return &all
}

// network is what the flags say of it.
func (i *Impairments) network() (impair.Network, error) {
	n := impair.Network{
		Loss: i.Loss / 100, Burst: i.Burst, Jitter: i.Jitter, Reorder: i.Reorder / 100, Duplicate: i.Duplicate / 100, Seed: i.Seed,
	}
	for _, share := range []struct {
		flag    string
		percent float64
		most    float64
	}{{"--loss", i.Loss, 99}, {"--reorder", i.Reorder, 100}, {"--duplicate", i.Duplicate, 100}} {
		if !(share.percent >= 0 && share.percent <= share.most) {
			return n, fmt.Errorf("device: %s %v: want a percentage from 0 to %v", share.flag, share.percent, share.most)
		}
	}
	if !(i.Burst == 0 || i.Burst >= 1 && i.Burst <= 1000) || i.Burst > 0 && i.Loss == 0 {
		return n, fmt.Errorf("device: --burst %v: want 1 to 1000 packets in a row, together with --loss", i.Burst)
	}
	if i.Burst > 1 && n.Check() != nil && i.Jitter >= 0 {
		return n, fmt.Errorf("device: --loss %v: want at most %.0f with --burst %v, since a good packet stands between two bursts", i.Loss, 100*i.Burst/(i.Burst+1), i.Burst)
	}
	if err := n.Check(); err != nil {
		return n, fmt.Errorf("device: --jitter %v: want 0s to 5s", i.Jitter)
	}
	return n, nil
}

// echo is what the flags say of it, and of the clock.
func (i *Impairments) echo() (*impair.Echo, error) {
	if impair.Clock(i.Skew).Check() != nil {
		return nil, fmt.Errorf("device: --skew %d: want -%d to %d parts per million", i.Skew, impair.MaxSkew, impair.MaxSkew)
	}
	if i.EchoDelay < 0 || i.EchoDelay > time.Second {
		return nil, fmt.Errorf("device: --echo-delay %v: want 0s to 1s", i.EchoDelay)
	}
	if i.Echo == nil {
		if i.EchoRoom {
			return nil, errors.New("device: --echo-room: want --echo DB with it")
		}
		return nil, nil
	}
	e := &impair.Echo{Level: *i.Echo, Delay: i.EchoDelay, Room: i.EchoRoom}
	if e.Check() != nil {
		return nil, fmt.Errorf("device: --echo %v: want 0 to 90 dB below the speaker", *i.Echo)
	}
	return e, nil
}

// maxQueue is how many packets a playback queue may hold.
const maxQueue = 10_000

// buffer is the capacity of the playback queue.
func (i *Impairments) buffer(frame time.Duration) (time.Duration, error) {
	if i.Queue < 0 || i.Queue > maxQueue {
		return 0, fmt.Errorf("device: --queue %d: want 1 to %d packets, or 0 for 2.4 s of them", i.Queue, maxQueue)
	}
	return time.Duration(i.Queue) * frame, nil
}
