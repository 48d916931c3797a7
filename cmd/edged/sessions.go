package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"time"

	"edged/internal/operator"
)

// sessionsCmd is "edged sessions".
type sessionsCmd struct {
	List sessionsListCmd `cmd:"" default:"withargs" help:"List the sessions, live and recent."`
	Show sessionsShowCmd `cmd:"" help:"Show a session turn by turn, with every stage and its time."`
}

// sessionsListCmd is "edged sessions list".
type sessionsListCmd struct {
	operatorFlags
	Device string `placeholder:"ID" help:"Only those of this device."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

// Run prints the list.
func (c *sessionsListCmd) Run(ctx context.Context, out streams) error {
	sessions, err := c.client().Sessions(ctx, c.Device)
	if err != nil {
		return advise(err)
	}
	if c.JSON {
		return printJSON(out.stdout, sessions)
	}
	return operator.Table(out.stdout, styleOf(out.stdout, os.Getenv), sessions, time.Now())
}

// sessionsShowCmd is "edged sessions show".
type sessionsShowCmd struct {
	operatorFlags
	ID   string `arg:"" help:"The session, or how it begins."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run prints the session.
func (c *sessionsShowCmd) Run(ctx context.Context, out streams) error {
	detail, err := c.client().Session(ctx, c.ID)
	if err != nil {
		return advise(err)
	}
	if c.JSON {
		return printJSON(out.stdout, detail)
	}
	return operator.Waterfall(out.stdout, styleOf(out.stdout, os.Getenv), detail)
}

func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
