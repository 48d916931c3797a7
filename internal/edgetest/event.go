package edgetest

import (
	"slices"
	"time"

	"edged/firmware-protocol/wire"
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
	// ForgottenEvents did not fit into the memory of Events.
	ForgottenEvents uint64
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
