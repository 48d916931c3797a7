package edge

import (
	"time"

	"edged/audio"
	"edged/dialog"
)

// maxPads bounds how often silence is put into one reply. A synthesiser that
// stalls more often than that is waited for.
const maxPads = 64

// sentInterval is how much media passes at most between two reports of what was
// sent.
const sentInterval = 200 * time.Millisecond

// pad is silence that the edge put into a reply: it counts on the device's side
// of the edge only.
type pad struct {
	at, length int // samples per channel at the device's rate
}

// playback is the account of one reply on its way to the speaker. It speaks two
// languages: media time, which is the session's and holds only the session's
// audio, and samples at the device's rate, which include inserted silence.
type playback struct {
	turn dialog.Turn
	rate audio.SampleRate
	// origin is the pacer's media time at the first packet.
	origin time.Duration
	// first is the position of the first sample that is sent: not 0 for the rest
	// of a reply that goes on after a lost connection.
	first int

	samples int           // written to the device
	sent    time.Duration // the media time of that
	at      time.Time     // when the last packet was written
	pads    []pad
	// total is the media time of the whole reply, -1 while the end is not in
	// sight; done says that all of it was written.
	total time.Duration
	done  bool

	acked         bool
	playedSamples int
	played        time.Duration

	told     time.Duration // the offset of the last Sent event
	toldOnce bool
}

func newPlayback(turn dialog.Turn, rate audio.SampleRate, from, origin time.Duration) playback {
	first := rate.Samples(from)
	return playback{
		turn: turn, rate: rate, origin: origin, total: -1,
		first: first, samples: first, playedSamples: first, sent: from, played: from, told: from,
	}
}

// pacing converts a number of samples on the device's side to the pacer's media
// time.
func (p *playback) pacing(samples int) time.Duration {
	return p.origin + p.rate.Duration(samples-p.first)
}

// count is the inverse of media: the number of samples on the device's side
// before the media time.
func (p *playback) count(offset time.Duration) int {
	samples := p.rate.Samples(offset)
	for _, s := range p.pads {
		if samples <= s.at {
			break
		}
		samples += s.length
	}
	return max(samples, p.first)
}

// media converts a number of samples on the device's side to media time.
func (p *playback) media(samples int) time.Duration {
	silence := 0
	for _, s := range p.pads {
		if samples <= s.at {
			break
		}
		silence += min(s.length, samples-s.at)
	}
	offset := p.rate.Duration(samples - silence)
	// Resampling may round the end of the reply by a sample in either direction.
	switch {
	case p.done && samples >= p.samples:
		return p.total
	case p.total >= 0:
		return min(offset, p.total)
	}
	return offset
}

// wrote accounts for a packet of n samples, the last padding of which are
// silence.
func (p *playback) wrote(at time.Time, n, padding int) {
	if padding > 0 {
		p.pads = append(p.pads, pad{at: p.samples + n - padding, length: padding})
	}
	p.samples += n
	p.sent, p.at = p.media(p.samples), at
}

// finish says that the last packet of the reply was written.
func (p *playback) finish() {
	p.done, p.sent = true, p.total
	if p.acked {
		p.played = p.media(p.playedSamples)
	}
}

// acknowledge takes the device's count of played samples. ok is false when it is
// no news. More than was written counts as all that was written.
func (p *playback) acknowledge(samples int) (ok bool) {
	samples = min(samples, p.samples)
	if p.acked && samples <= p.playedSamples || samples < p.first {
		return false
	}
	p.acked, p.playedSamples = true, samples
	p.played = max(p.played, min(p.media(samples), p.sent))
	return true
}

// tell reports whether the progress is due to be told to the session: after the
// first packet, before sentInterval of media is exceeded by another packet, and
// after the last one.
func (p *playback) tell(ptime time.Duration) bool {
	if p.samples == p.first || p.toldOnce && (p.sent == p.told || !p.done && p.sent-p.told+ptime <= sentInterval) {
		return false
	}
	p.toldOnce, p.told = true, p.sent
	return true
}

// progress returns how far the reply got. playing is the pacer's estimate of the
// position of the speaker, in the pacer's media time.
func (p *playback) progress(playing time.Duration) dialog.Progress {
	progress := dialog.Progress{Turn: p.turn, Sent: p.sent, Played: p.played, Acknowledged: p.acked}
	if !p.acked {
		estimate := p.first + p.rate.Samples(max(0, playing-p.origin))
		progress.Played = min(p.media(min(estimate, p.samples)), p.sent)
	}
	return progress
}
