package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"edged/session/log/digest"
)

// Client talks to one server.
type Client struct {
	// URL is the server's, such as "http://127.0.0.1:8080".
	URL string
	// Token returns the operators' token; it is asked for each connection, since
	// a server that was started anew may have made another.
	Token func() string
	// HTTP makes the requests. Nil means http.DefaultClient. It must have no
	// timeout.
	HTTP *http.Client
}

// Error is an answer other than success.
type Error struct {
	// Status is the HTTP status, Message the sentence that came with it.
	Status  int
	Message string
}

// Error returns the sentence.
func (e *Error) Error() string {
	return fmt.Sprintf("the server says: %s (status %d)", e.Message, e.Status)
}

// again reports whether the same request may succeed later.
func (e *Error) again() bool {
	return e.Status == http.StatusTooManyRequests || e.Status >= 500
}

// ErrNoServer is matched by the error when nothing answers at the URL.
var ErrNoServer = errors.New("nothing answers")

// maxAnswer bounds an answer that is read whole, in bytes.
const maxAnswer = 64 << 20

// Sessions lists the sessions of a device, of all for "".
func (c *Client) Sessions(ctx context.Context, device string) ([]digest.Session, error) {
	var answer struct {
		Sessions []digest.Session `json:"sessions"`
	}
	query := url.Values{}
	if device != "" {
		query.Set("device", device)
	}
	err := c.read(ctx, "sessions", query, &answer)
	return answer.Sessions, err
}

// Session returns the session whose identifier is id, or begins with it.
func (c *Client) Session(ctx context.Context, id string) (digest.Detail, error) {
	var answer digest.Detail
	err := c.read(ctx, "sessions/"+url.PathEscape(id), nil, &answer)
	return answer, err
}

func (c *Client) read(ctx context.Context, path string, query url.Values, into any) error {
	response, err := c.get(ctx, path, query, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(into); err != nil {
		return fmt.Errorf("operator: the answer of %s cannot be read: %w", c.URL, err)
	}
	return nil
}

// get makes a request. The error is an *Error or matches ErrNoServer.
func (c *Client) get(ctx context.Context, path string, query url.Values, header http.Header) (*http.Response, error) {
	address, err := c.address(path, query)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("operator: %w", err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	if token := c.Token(); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w at %s: %w", ErrNoServer, c.URL, err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	return nil, refusal(response)
}

func (c *Client) address(path string, query url.Values) (string, error) {
	base, err := url.Parse(c.URL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return "", fmt.Errorf("operator: %q is not the URL of a server; it looks like http://127.0.0.1:8080", c.URL)
	}
	at := strings.TrimSuffix(c.URL, "/") + "/v1/admin/" + path
	if len(query) > 0 {
		at += "?" + query.Encode()
	}
	return at, nil
}

// refusal reads the sentence of an answer that is no success.
func refusal(response *http.Response) *Error {
	const most = 4 << 10 // bytes
	text, _ := io.ReadAll(io.LimitReader(response.Body, most))
	var told struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(text, &told) != nil || told.Error == "" {
		told.Error = http.StatusText(response.StatusCode) + ", without a reason: is this an edged server whose operators' API is on?"
	}
	return &Error{Status: response.StatusCode, Message: clean(told.Error)}
}

// Filter is what a tail asks for. The zero value asks for all that happens from
// now on.
type Filter struct {
	// Devices, Sessions and Events are patterns, see package edge/admin.
	Devices, Sessions, Events []string
	// Since is a duration back from now or a time; empty means from now on.
	Since string
	// NoFollow ends after what is there.
	NoFollow bool
}

func (f Filter) query() url.Values {
	query := url.Values{}
	for name, values := range map[string][]string{"device": f.Devices, "session": f.Sessions, "event": f.Events} {
		if len(values) > 0 {
			query[name] = values
		}
	}
	if f.Since != "" {
		query.Set("since", f.Since)
	}
	if f.NoFollow {
		query.Set("follow", strconv.FormatBool(false))
	}
	return query
}

const (
	// firstRetry and lastRetry are the pauses before a connection is tried
	// again; they double.
	firstRetry = 250 * time.Millisecond
	lastRetry  = 5 * time.Second
	// silence is how long a connection may bring nothing: the server sends its
	// position every 15 seconds.
	silence = 45 * time.Second
)

// Tail calls got with every line of the log that the filter asks for, until ctx
// is done, got returns an error, or the server refuses for good. When the
// connection is lost it goes on behind the last line that it had, and calls lost,
// which may be nil, with why and with when it tries again. The very first
// connection must succeed.
func (c *Client) Tail(ctx context.Context, f Filter, got func(line []byte) error, lost func(err error, retry time.Duration)) error {
	last, connected, pause := "", false, firstRetry
	for {
		up, err := c.follow(ctx, f, &last, got)
		connected = connected || up
		if up {
			pause = firstRetry
		}
		refused := new(Error)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case f.NoFollow && err == nil:
			return nil
		case errors.As(err, new(reading)):
			return errors.Unwrap(err)
		case errors.As(err, &refused) && !refused.again(), !connected:
			return err
		case err == nil:
			err = io.ErrUnexpectedEOF
		}
		if lost != nil {
			lost(err, pause)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		pause = min(2*pause, lastRetry)
	}
}

// reading is an error of whoever reads the tail.
type reading struct{ error }

// Unwrap returns the error itself.
func (r reading) Unwrap() error { return r.error }

// follow reads one connection. up tells whether there was one.
func (c *Client) follow(ctx context.Context, f Filter, last *string, got func([]byte) error) (up bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	header := http.Header{"Accept": {"text/event-stream"}}
	if *last != "" {
		header.Set("Last-Event-ID", *last)
	}
	response, err := c.get(ctx, "events", f.query(), header)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	stalled := time.AfterFunc(silence, func() { cancel(fmt.Errorf("nothing came for %v", silence)) })
	defer stalled.Stop()
	events := newEventReader(response.Body)
	for {
		e, err := events.next()
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil && context.Cause(ctx) != nil:
			return true, context.Cause(ctx)
		case err != nil:
			return true, err
		}
		stalled.Reset(silence)
		if e.data != nil {
			if err := got(e.data); err != nil {
				return true, reading{err}
			}
		}
		*last = e.id
	}
}
