package edgetest

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"edged/firmware-protocol/wire"
)

// ErrClosed: the connection has ended. Device.Err says why.
var ErrClosed = errors.New("edgetest: connection closed")

// ServerError says why the server refused or ended a connection.
type ServerError struct {
	// Status is the HTTP status of a refused upgrade, else 0.
	Status int
	// RetryAfter is when to try again, from the HTTP header or the error
	// message; 0 means unstated.
	RetryAfter time.Duration
	// Failure is the fatal error message, or nil.
	Failure *wire.Failure
	// CloseCode is the WebSocket close code: -1 when the connection was lost
	// without one, 0 when it was never open.
	CloseCode int
	// Err is what the socket said.
	Err error
}

// Error formats what is known.
func (e *ServerError) Error() string {
	switch {
	case e.Failure != nil:
		return fmt.Sprintf("edgetest: server: %s: %s (close code %d)", e.Failure.Code, e.Failure.Message, e.CloseCode)
	case e.Status != 0:
		return fmt.Sprintf("edgetest: server refused the connection with HTTP %d %s", e.Status, http.StatusText(e.Status))
	default:
		return fmt.Sprintf("edgetest: connection ended: %v", e.Err)
	}
}

// Unwrap returns the socket's error.
func (e *ServerError) Unwrap() error { return e.Err }
