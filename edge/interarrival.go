package edge

import (
	"time"

	"edged/audio"
)

// maxSpan is the longest media time between two packets that is compared with
// the time between their arrivals: beyond it the numbers, not the network, are
// off.
const maxSpan = time.Minute

// interarrival measures how unevenly the packets of the microphone arrive: by
// how much the time between two arrivals differs from the time between their
// first samples, which is |D(i-1,i)| of RFC 3550 section 6.4.1. It does not
// allocate. uplink.mu guards it.
type interarrival struct {
	begun     bool
	at        time.Time
	timestamp uint32
	jitter    Histogram
}

// restart begins a listening period: its first packet is compared with nothing.
func (a *interarrival) restart() { a.begun = false }

// arrived notes a packet of that timestamp, in samples at rate.
func (a *interarrival) arrived(now time.Time, timestamp uint32, rate audio.SampleRate) {
	if a.begun {
		media := rate.Duration(int(int32(timestamp - a.timestamp)))
		if media > -maxSpan && media < maxSpan {
			a.jitter.Add((now.Sub(a.at) - media).Abs())
		}
	}
	a.begun, a.at, a.timestamp = true, now, timestamp
}
