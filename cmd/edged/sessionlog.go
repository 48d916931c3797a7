package main

import (
	"io"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/diode"
)

const (
	// logQueue bounds the lines of the session log that wait to be written.
	logQueue = 4096
	// logPoll is how often they are looked for.
	logPoll = 10 * time.Millisecond
)

// logWriter returns a logger for session events that never makes a session wait
// for whoever reads w: beyond a bounded queue, lines are dropped and counted in
// the notices. The function writes what waits and ends the writer.
func logWriter(w io.Writer, notices zerolog.Logger) (zerolog.Logger, func()) {
	queue := diode.NewWriter(w, logQueue, logPoll, func(missed int) {
		notices.Warn().Int("lines", missed).Msg("the session log is read too slowly: lines were dropped")
	})
	return zerolog.New(queue), func() { queue.Close() }
}
