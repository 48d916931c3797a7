package edgetest

import (
	"slices"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest/impair"
)

// Event is a control message that the device sent or received.
type Event struct {
	// At is when it was received, or handed to the writer.
	At time.Time
	// From is wire.FromDevice or wire.FromServer.
	From    wire.Direction
	Message wire.Message
}

// maxEvents and maxGaps bound what a Device remembers; a five-minute reply in
// 20 ms packets has 15,000 of them.
const (
	maxEvents = 1 << 16
	maxGaps   = 1 << 16
)

// Stats counts what a device saw. Packets are audio frames.
type Stats struct {
	// Sent and Received packets; Lost are holes in the sequence of the received
	// ones.
	Sent, Received, Lost uint64
	// Stale packets and reply texts came after a flush that had made their turn
	// void, or belong to no reply.
	Stale uint64
	// Overflowed packets found the playback queue full and were dropped.
	Overflowed uint64
	// Late packets came behind their successors, or twice, and were dropped.
	Late uint64
	// Concealed packets stand in for lost ones.
	Concealed uint64
	// Undecodable packets were replaced by silence.
	Undecodable uint64
	// Unsent packets of the microphone found the socket stalled; a gap frame
	// stands for them.
	Unsent uint64
	// Starved counts how often the queue ran dry in the middle of a reply,
	// StarvedFor how long the silence was in all.
	Starved    uint64
	StarvedFor time.Duration
	// Skipped are messages and frames of a kind or track that is not known;
	// Faults are those that break the protocol.
	Skipped, Faults uint64
	// Up and Down are what the Network did to the messages of the device and to
	// those of the server.
	Up, Down impair.Counts
	// Echoed samples of the microphone hold sound of the speaker.
	Echoed uint64
	// ForgottenEvents did not fit into the memory of Events.
	ForgottenEvents uint64
}

// Add returns the sum of both.
func (s Stats) Add(o Stats) Stats {
	s.Sent, s.Received, s.Lost, s.Stale = s.Sent+o.Sent, s.Received+o.Received, s.Lost+o.Lost, s.Stale+o.Stale
	s.Overflowed, s.Late, s.Concealed = s.Overflowed+o.Overflowed, s.Late+o.Late, s.Concealed+o.Concealed
	s.Undecodable, s.Unsent = s.Undecodable+o.Undecodable, s.Unsent+o.Unsent
	s.Starved, s.StarvedFor = s.Starved+o.Starved, s.StarvedFor+o.StarvedFor
	s.Skipped, s.Faults = s.Skipped+o.Skipped, s.Faults+o.Faults
	s.Up, s.Down, s.Echoed = s.Up.Add(o.Up), s.Down.Add(o.Down), s.Echoed+o.Echoed
	s.ForgottenEvents += o.ForgottenEvents
	return s
}

// Percentile returns the value below or at which the share p (0 to 1) of the
// durations lies, by nearest rank; 0 for none. It does not modify ds.
func Percentile(ds []time.Duration, p float64) time.Duration {
	if len(ds) == 0 {
		return 0
	}
	sorted := slices.Clone(ds)
	slices.Sort(sorted)
	rank := int(p*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}
