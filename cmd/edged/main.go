// Command edged is the realtime voice edge server for embedded devices, and a
// simulated device to try it with.
//
//	edged serve     serves devices
//	edged token     signs a token for a device
//	edged device    is a device: asks recorded questions and plays the answers
//	edged tail      follows what happens on a server
//	edged replay    feeds a session's journal to the turn machine again
//	edged sessions  lists sessions, or shows one turn by turn
//	edged config    prints, checks and describes a configuration
//	edged doctor    finds out whether a server will work here, and what to do
//
// Run a command with --help for its flags. This package only wires packages
// together.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// cli is the command line.
type cli struct {
	Serve    serveCmd    `cmd:"" help:"Serve devices."`
	Token    tokenCmd    `cmd:"" help:"Sign a short-lived token for a device."`
	Device   DeviceCmd   `cmd:"" help:"Be a simulated device: ask recorded questions and play the answers."`
	Tail     tailCmd     `cmd:"" help:"Follow what happens on a server."`
	Replay   replayCmd   `cmd:"" help:"Feed a session's journal to the turn machine again."`
	Sessions sessionsCmd `cmd:"" help:"List sessions, or show one turn by turn."`
	Config   configCmd   `cmd:"" help:"Print, check or describe a configuration."`
	Doctor   doctorCmd   `cmd:"" help:"Find out whether a server will work here, and what to do where not."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(runWith(ctx, os.Args[1:], os.Stdout, os.Stderr, sighups))
}

// run is runWith where nobody reloads a configuration.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return runWith(ctx, args, stdout, stderr, nil)
}

// runWith runs one command and returns the exit code: 0 for success, 1 for a
// failure, 2 for a wrong command line.
func runWith(ctx context.Context, args []string, stdout, stderr io.Writer, reload hangups) int {
	var c cli
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("edged"),
		kong.Description("A realtime voice edge server for embedded devices."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code }),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(streams{stdout, stderr}, reload),
	)
	if err != nil {
		fmt.Fprintln(stderr, "edged:", err)
		return 1
	}
	command, err := parser.Parse(args)
	switch {
	case exit >= 0:
		return exit // --help
	case err != nil:
		fmt.Fprintln(stderr, "edged:", err)
		return 2
	}
	if err := command.Run(); err != nil && !errors.Is(err, errTold) {
		fmt.Fprintln(stderr, "edged:", err)
		return 1
	} else if err != nil {
		return 1
	}
	return 0
}

// streams are where a command writes.
type streams struct{ stdout, stderr io.Writer }

// errTold is returned by a command that has failed and has said so.
var errTold = errors.New("failed")
