package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"edged/audio/jitter"
	"edged/dialog"
	"edged/edge"
	"edged/realtime"
)

// Edge is what Connections reads. An edge.Server is one.
type Edge interface {
	// Totals returns what was counted on all connections. Nothing in it that
	// counts ever goes back.
	Totals() edge.Totals
	// Admissions returns who is there and who was turned away.
	Admissions() edge.AdmissionStats
}

// connections reads an Edge.
type connections struct {
	edge Edge

	live, places, awaited      reading
	admitted, evicted, limited reading
	forgotten                  reading
	served, ended, refused     reading
	packets, bytes             reading
	drops, faults, overflows   reading
	lost, reordered, held      reading
	heard, repaired            reading
	microphone, microphoneTime reading
	arrivals, lag, flushes     *prometheus.Desc
	underruns, unsent          reading
}

// Connections returns a collector of what happens on the connections of a server.
func Connections(of Edge) prometheus.Collector {
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	return &connections{
		edge: of,

		live:      newReading(gauge, "edged_connections", "Connections that are served now."),
		places:    newReading(gauge, "edged_connection_places", "Places for connections that are taken now."),
		awaited:   newReading(gauge, "edged_connections_awaited", "Connections now that have not said hello yet."),
		admitted:  newReading(counter, "edged_connections_admitted_total", "Connections that were given a place."),
		evicted:   newReading(counter, "edged_connections_evicted_total", "Connections whose device began a newer one."),
		limited:   newReading(counter, "edged_connections_limited_total", "Connections that a limit turned away, by limit.", "limit"),
		forgotten: newReading(counter, "edged_throttle_forgotten_total", "Addresses and devices whose rate of connecting was forgotten to bound memory."),
		served:    newReading(counter, "edged_connections_served_total", "Connections that were admitted and agreed upon."),
		ended:     newReading(counter, "edged_connections_ended_total", "Connections that are over: bye, lost, or the code of the error that the device was told.", "reason"),
		refused:   newReading(counter, "edged_connections_refused_total", "Connections that were turned away before they were served, by limits and for other reasons, by the code that they were told.", "code"),

		packets: newReading(counter, "edged_packets_total", "Audio packets from devices (up) and to them (down).", "direction"),
		bytes:   newReading(counter, "edged_packet_bytes_total", "Payload of audio packets.", "direction"),

		drops:     newReading(counter, "edged_uplink_drops_total", "Packets and messages of devices that were not used, by reason.", "reason"),
		faults:    newReading(counter, "edged_device_faults_total", "Bad input of devices, by code.", "code"),
		overflows: newReading(counter, "edged_overflows_total", "Messages that ended a connection: events that its session did not take, control that its device did not.", "queue"),

		lost:      newReading(counter, "edged_jitter_lost_packets_total", "Microphone packets that were given up as lost."),
		reordered: newReading(counter, "edged_jitter_reordered_packets_total", "Microphone packets that came behind a later one and were put in order."),
		held:      newReading(gauge, "edged_jitter_held_packets", "Microphone packets that wait in jitter buffers now."),
		heard:     newReading(counter, "edged_jitter_audio_seconds_total", "Microphone audio out of the jitter buffers: media, lost, gap (declared by the device), or silence.", "kind"),
		repaired:  newReading(counter, "edged_loss_seconds_total", "Lost microphone audio: recovered from redundancy (FEC), concealed (PLC), or missing.", "repair"),

		microphone:     newReading(counter, "edged_microphone_drops_total", "Chunks of decoded microphone audio that a session was too slow for, by reason.", "reason"),
		microphoneTime: newReading(counter, "edged_microphone_dropped_seconds_total", "Decoded microphone audio that a session was too slow for, by reason.", "reason"),

		arrivals:  prometheus.NewDesc("edged_arrival_jitter_seconds", "By how much the time between two microphone packets differed from that between their first samples.", nil, nil),
		lag:       prometheus.NewDesc("edged_pacing_lag_seconds", "How long after a reply packet was due and at hand it was written.", nil, nil),
		flushes:   prometheus.NewDesc("edged_flush_seconds", "From the decision to flush a reply to the flush that was written to the device.", nil, nil),
		underruns: newReading(counter, "edged_pacing_underruns_total", "Times that the queue of a device ran dry in the middle of a reply."),
		unsent:    newReading(counter, "edged_reply_unsent_seconds_total", "Reply audio that was given up unsent when its turn was interrupted."),
	}
}

// Describe implements prometheus.Collector.
func (c *connections) Describe(to chan<- *prometheus.Desc) {
	describe(to, c.live, c.places, c.awaited, c.admitted, c.evicted, c.limited, c.forgotten, c.served, c.ended, c.refused, c.packets, c.bytes, c.drops, c.faults, c.overflows,
		c.lost, c.reordered, c.held, c.heard, c.repaired, c.microphone, c.microphoneTime, c.underruns, c.unsent)
	to <- c.arrivals
	to <- c.lag
	to <- c.flushes
}

// Collect implements prometheus.Collector.
func (c *connections) Collect(to chan<- prometheus.Metric) {
	t := c.edge.Totals()
	to <- c.live.of(float64(t.Live))
	to <- c.served.of(float64(t.Begun))
	eachOf(t.Ended, endReasons(), func(reason string, n float64) { to <- c.ended.of(n, reason) })
	eachOf(t.Refused, refusals, func(reason string, n float64) { to <- c.refused.of(n, reason) })
	c.collectAdmissions(to)
	to <- c.packets.of(float64(t.PacketsIn), "up")
	to <- c.packets.of(float64(t.PacketsOut), "down")
	to <- c.bytes.of(float64(t.BytesIn), "up")
	to <- c.bytes.of(float64(t.BytesOut), "down")
	eachOf(dropsOf(&t), dropReasons, func(reason string, n float64) { to <- c.drops.of(n, reason) })
	eachOf(t.Faults, faultCodes, func(code string, n float64) { to <- c.faults.of(n, code) })
	to <- c.overflows.of(float64(t.Untaken), "events")
	to <- c.overflows.of(float64(t.Unread), "control")
	c.collectAudio(&t, to)
}

func (c *connections) collectAdmissions(to chan<- prometheus.Metric) {
	a := c.edge.Admissions()
	to <- c.places.of(float64(a.Sessions))
	to <- c.awaited.of(float64(a.Awaited))
	to <- c.admitted.of(float64(a.Admitted))
	to <- c.evicted.of(float64(a.Evicted))
	to <- c.forgotten.of(float64(a.Forgotten))
	eachOf(a.Refused, limits, func(limit string, n float64) { to <- c.limited.of(n, limit) })
}

func (c *connections) collectAudio(t *edge.Totals, to chan<- prometheus.Metric) {
	to <- c.lost.of(float64(t.Jitter.Lost))
	to <- c.reordered.of(float64(t.Jitter.Reordered))
	to <- c.held.of(float64(t.Jitter.Held))
	to <- c.heard.seconds(t.Jitter.MediaTime, "media")
	to <- c.heard.seconds(t.Jitter.LostTime, "lost")
	to <- c.heard.seconds(t.Jitter.GapTime, "gap")
	to <- c.heard.seconds(t.Jitter.SilenceTime, "silence")
	to <- c.repaired.seconds(t.Recovered, "recovered")
	to <- c.repaired.seconds(t.Concealed, "concealed")
	to <- c.repaired.seconds(t.Missing, "missing")
	for reason, dropped := range t.Uplink.Dropped {
		word := realtime.DropReason(reason).String()
		to <- c.microphone.of(float64(dropped.Chunks), word)
		to <- c.microphoneTime.seconds(dropped.Duration, word)
	}
	to <- histogram(c.arrivals, &t.Arrivals)
	to <- histogram(c.lag, &t.Pacer.Lateness)
	to <- histogram(c.flushes, &t.Flushes)
	to <- c.underruns.of(float64(t.Pacer.Underruns))
	to <- c.unsent.seconds(t.Flushed)
}

// histogram makes one of an edge.Histogram, with a bucket for each octave. What
// lies on the edge of a bucket to the nanosecond counts as above it.
func histogram(desc *prometheus.Desc, h *edge.Histogram) prometheus.Metric {
	buckets := make(map[float64]uint64)
	for upper, below := range h.Octaves() {
		buckets[upper.Seconds()] = below
	}
	return prometheus.MustNewConstHistogram(desc, h.Count(), h.Sum().Seconds(), buckets)
}

// dropsOf gathers what was dropped on the way from the device to the decoder.
func dropsOf(t *edge.Totals) map[edge.DropReason]uint64 {
	drops := make(map[edge.DropReason]uint64, len(dropReasons))
	for reason, n := range t.Drops {
		drops[reason] += n
	}
	for reason, n := range map[jitter.Drop]uint64{
		jitter.Late: t.Jitter.Late, jitter.Duplicate: t.Jitter.Duplicate, jitter.Overflow: t.Jitter.Overflow, jitter.Oversize: t.Jitter.Oversize,
		jitter.Implausible: t.Jitter.Implausible, jitter.Invalid: t.Jitter.Invalid, dropCleared: t.Jitter.Cleared,
	} {
		drops[edge.DropReason(reason)] += n
	}
	return drops
}

// dropCleared: the packet waited in the jitter buffer when the next listening
// period began.
const dropCleared = "cleared"

// The values of labels.
var (
	refusals = []dialog.ErrorCode{dialog.ErrorUnauthorized, dialog.ErrorBusy, dialog.ErrorProtocol, dialog.ErrorMalformed,
		dialog.ErrorTooLarge, dialog.ErrorTooFast, dialog.ErrorVersion, dialog.ErrorTimeout, dialog.ErrorShutdown, dialog.ErrorInternal, other}
	faultCodes = []dialog.ErrorCode{dialog.ErrorMalformed, dialog.ErrorProtocol, dialog.ErrorTooLarge, dialog.ErrorTooFast, dialog.ErrorAudio, other}
	limits     = []edge.Refusal{edge.RefusedShutdown, edge.RefusedSessions, edge.RefusedAddressSessions, edge.RefusedAddressRate,
		edge.RefusedDeviceRate, edge.RefusedAwaited, edge.RefusedAddressAwaited, other}
	dropReasons = []edge.DropReason{edge.DropOutsideListening, edge.DropUnknownMessage, edge.DropUnknownFrame, edge.DropUndecodable,
		edge.DropAudioRate, edge.DropAhead, edge.DropStaleAck, edge.DropExcessAck, edge.DropReason(jitter.Late), edge.DropReason(jitter.Duplicate), edge.DropReason(jitter.Overflow),
		edge.DropReason(jitter.Oversize), edge.DropReason(jitter.Implausible), edge.DropReason(jitter.Invalid), dropCleared, other}
)

// stageCodes are those of stages of a turn, which a connection survives.
var stageCodes = []dialog.ErrorCode{dialog.ErrorASR, dialog.ErrorGenerate, dialog.ErrorTTS}

// endReasons are bye, lost, and the codes of errors that a device can be told at
// the end.
func endReasons() []edge.EndReason {
	reasons := []edge.EndReason{edge.EndBye, edge.EndLost}
	for _, code := range errorCodes {
		if !slices.Contains(stageCodes, code) {
			reasons = append(reasons, edge.EndReason(code))
		}
	}
	return append(reasons, other)
}

// eachOf yields a count for every value, with what is none of them as other.
func eachOf[K ~string](counts map[K]uint64, values []K, yield func(value string, n float64)) {
	sums := make(map[string]uint64, len(values))
	for k, n := range counts {
		sums[known(k, values)] += n
	}
	for _, v := range values {
		yield(string(v), float64(sums[string(v)]))
	}
}
