package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"edged/internal/loader"
	"edged/session/log"
	"edged/session/log/digest"
)

// logPatience is how long the end of the server waits for whoever reads its
// standard output.
const logPatience = 2 * time.Second

// sessionLog is the session log of a server: the ring that sessions write to, and
// its readers, none of whom they wait for.
type sessionLog struct {
	ring    *log.Ring
	book    *digest.Book
	notices zerolog.Logger
	files   sync.WaitGroup
	printed chan struct{} // closed when standard output has it all
}

// openSessionLog begins to copy the log to stdout and to the configured file.
// Whoever calls it calls Close.
func openSessionLog(cfg loader.Log, stdout io.Writer, notices zerolog.Logger) (*sessionLog, error) {
	l := &sessionLog{
		ring:    log.NewRing(log.RingConfig{Events: cfg.KeepEvents, Bytes: cfg.KeepBytes}),
		book:    digest.NewBook(digest.BookConfig{}),
		notices: notices,
		printed: make(chan struct{}),
	}
	if cfg.File != "" {
		file := log.NewFile(log.FileConfig{Path: cfg.File, Bytes: cfg.FileBytes, Files: cfg.Files})
		if _, err := file.Write(nil); err != nil { // opens it
			return nil, fmt.Errorf("log.file: %w", err)
		}
		tail := l.ring.Tail(log.Start{})
		l.files.Go(func() {
			defer file.Close()
			defer tail.Close()
			log.Copy(context.Background(), file, tail, l.tell("log.file"))
		})
	}
	printing := l.ring.Tail(log.Start{})
	go func() {
		defer close(l.printed)
		defer printing.Close()
		log.Copy(context.Background(), stdout, printing, l.tell("standard output"))
	}()
	reading := l.ring.Tail(log.Start{})
	l.files.Go(func() {
		defer reading.Close()
		l.read(reading)
	})
	return l, nil
}

// tell returns what Copy calls when a sink fails and when it has recovered.
func (l *sessionLog) tell(sink string) func(error) {
	return func(err error) {
		if err != nil {
			l.notices.Error().Err(err).Msg("the session log cannot be written to " + sink + ": lines are lost until it can")
		} else {
			l.notices.Info().Msg("the session log is written to " + sink + " again")
		}
	}
}

// read keeps the book of sessions.
func (l *sessionLog) read(tail *log.Tail) {
	for {
		e, err := tail.Next(context.Background())
		if err != nil {
			return
		}
		if rec, ok, err := log.Parse(e.Line); ok && err == nil {
			l.book.Add(rec)
		}
	}
}

// Logger returns the logger that sessions write to.
func (l *sessionLog) Logger() zerolog.Logger { return zerolog.New(l.ring) }

// Close writes what is left to the sinks. Sessions must have ended. It does not
// wait for ever for somebody who does not read standard output.
func (l *sessionLog) Close() {
	l.ring.Close()
	l.files.Wait()
	patience := time.NewTimer(logPatience)
	defer patience.Stop()
	select {
	case <-l.printed:
	case <-patience.C:
		l.notices.Warn().Msg("nobody reads the session log on standard output: its end is lost")
	}
}
