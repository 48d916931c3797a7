package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"edged/internal/operator"
)

// operatorFlags say which server, and who asks.
type operatorFlags struct {
	URL   string `default:"http://127.0.0.1:8080" env:"EDGED_OPERATOR_URL" placeholder:"URL" help:"The server (${default}; environment: ${env})."`
	Token string `env:"EDGED_OPERATOR_TOKEN" placeholder:"TOKEN" help:"The operators' token (environment: ${env}). Without one, that of a server of this user on this machine is found."`
}

// client returns a client of the server.
func (f operatorFlags) client() *operator.Client {
	return &operator.Client{URL: f.URL, Token: func() string {
		if f.Token != "" {
			return f.Token
		}
		return localToken(f.URL)
	}}
}

// localToken reads the token that a server on this machine has made for its
// user, "" if there is none.
func localToken(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return ""
	}
	if ip, err := netip.ParseAddr(u.Hostname()); u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
		return ""
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return ""
	}
	path, err := tokenFile(port)
	if err != nil {
		return ""
	}
	token, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(token))
}

// tailCmd is "edged tail".
type tailCmd struct {
	operatorFlags
	Device  []string `placeholder:"ID" help:"Only these devices; * stands for anything. May be repeated."`
	Session []string `placeholder:"ID" help:"Only these sessions; * stands for anything. May be repeated."`
	Event   []string `placeholder:"NAME" help:"Only these events, such as interrupt, or all of a family: asr, barge_in. May be repeated."`
	Since   string   `placeholder:"TIME" help:"Begin in the past: a duration such as 10m, or a time such as 2026-01-31T12:00:00Z."`
	JSON    bool     `name:"json" help:"Print the log as it is, a JSON object a line."`
	Follow  bool     `default:"true" negatable:"" help:"Go on when everything there is was printed."`
}

// Run prints what happens until ctx is done.
func (c *tailCmd) Run(ctx context.Context, out streams) error {
	show := operator.NewView(out.stdout, styleOf(out.stdout, os.Getenv)).Print
	if c.JSON {
		show = func(line []byte) error {
			_, err := fmt.Fprintf(out.stdout, "%s\n", line)
			return err
		}
	}
	err := c.client().Tail(ctx, operator.Filter{
		Devices: c.Device, Sessions: c.Session, Events: c.Event, Since: c.Since, NoFollow: !c.Follow,
	}, show, func(err error, retry time.Duration) {
		fmt.Fprintf(out.stderr, "edged tail: the connection is gone (%v); trying again in %v\n", err, retry)
	})
	if ctx.Err() != nil {
		return nil // Ctrl-C
	}
	return advise(err)
}

// advise adds to an error what an operator can do.
func advise(err error) error {
	refused := new(operator.Error)
	switch {
	case errors.Is(err, operator.ErrNoServer):
		return fmt.Errorf("%w; is edged serve running there? --url names another server", err)
	case errors.As(err, &refused) && refused.Status == 401:
		return fmt.Errorf("%w; --token or EDGED_OPERATOR_TOKEN gives it", err)
	case errors.As(err, &refused) && refused.Status == 404:
		return fmt.Errorf("%w; edged sessions lists those there are", err)
	}
	return err
}
