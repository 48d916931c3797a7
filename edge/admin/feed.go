package admin

import (
	"context"
	"errors"
	"time"
)

// Errors of a Feed and a Directory, for what the client has got wrong.
var (
	// ErrPosition: the id is not one of the feed.
	ErrPosition = errors.New("admin: not the id of an event")
	// ErrUnknown: there is no such session.
	ErrUnknown = errors.New("admin: no such session")
	// ErrAmbiguous: several sessions begin like that.
	ErrAmbiguous = errors.New("admin: several sessions begin like that")
)

// Feed is the session log.
type Feed interface {
	// Tail begins to read. The error matches ErrPosition if From.After is no id.
	Tail(From) (Tail, error)
}

// From says where a Tail begins. The zero value begins with what comes next.
type From struct {
	// After is the id of the last line that the reader has.
	After string
	// Since is a time. It does not count where After is set.
	Since time.Time
}

// Tail reads a Feed, for one goroutine. The lines that it brings must be safe to
// keep for as long as a write takes; nobody waits for a Tail that is not read.
type Tail interface {
	// Next waits for the next line. The error is io.EOF at the end of the feed,
	// or that of ctx.
	Next(ctx context.Context) (Line, error)
	// Ready returns the next line if there is one.
	Ready() (Line, bool)
	// Position is the id behind which a later Tail has to begin.
	Position() string
	// Close ends the tail.
	Close()
}

// Line is one event.
type Line struct {
	ID string
	// Event, Session and Device are what the line can be chosen by.
	Event, Session, Device string
	// JSON is the line, an object, without a newline. It is only read.
	JSON []byte
	// Gap tells that the line stands for others that are missing.
	Gap bool
}

// Directory knows the sessions. What it returns is encoded as JSON. It is called
// by several goroutines at once.
type Directory interface {
	// Sessions returns the sessions of a device, of all for "".
	Sessions(device string) any
	// Session returns one whose identifier is id or begins with it. The error
	// matches ErrUnknown or ErrAmbiguous.
	Session(id string) (any, error)
}
