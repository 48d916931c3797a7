package edge

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"edged/audio"
	"edged/audio/jitter"
	"edged/audio/pcm"
	"edged/dialog"
	"edged/realtime"
)

// micRate is the rate at which the microphone is heard inside the server: that of
// the recogniser.
const micRate = audio.Rate16k

// maxSilence is how much audio that the device left out is heard as silence.
const maxSilence = 2 * time.Second

// Reasons of dialog.Gap events.
const (
	gapLost     = "lost"     // packets did not arrive
	gapDeclared = "declared" // the device left audio out
)

// Tags of packets in the jitter buffer that became gaps.
const (
	tagFaulty = 1 // the payload was refused
	tagExcess = 2 // it came faster than its limit
)

// uplink turns the packets of the microphone into chunks: jitter buffer, decoder,
// 16 kHz, stream. mu makes it safe between the reader, the timer of the jitter
// buffer and the session, whose words can end a listening period. It is taken
// before Leg.mu, never after it.
type uplink struct {
	leg    *Leg
	format audio.Format
	mic    *realtime.RealtimeStream

	mu     sync.Mutex
	period int         // number of the listening period
	mode   dialog.Mode // of the open period; empty: the microphone is closed
	route  string
	// begins are the media times at which this period and the one before began.
	begins [2]time.Duration
	// base is the media time, in samples at micRate since the leg began, of the
	// first sample of the period; samples counts on from there.
	base, samples int64
	// mute is how many samples at the beginning of the period are heard as
	// silence: the wake word. Told before the period, it waits in muteNext.
	mute, muteNext int64
	muteTold       time.Time

	buffer  *jitter.Buffer
	timer   *time.Timer // for the deadline of the buffer
	decoder decoder
	odd     bool // a packet of another duration than announced was reported

	packets, bytes               uint64
	outside, undecodable, uneven uint64
	ahead                        uint64
	missing                      time.Duration
	arrivals                     interarrival
}

func newUplink(format audio.Format, reorder time.Duration, leg *Leg) *uplink {
	if reorder <= 0 {
		reorder = jitter.NoDelay
	}
	u := &uplink{
		leg:    leg,
		format: format,
		mic:    realtime.NewRealtimeStream(realtime.RealtimeConfig{}),
		buffer: jitter.New(jitter.Config{Rate: format.Rate, Delay: reorder, MaxPayload: maxPacketPayload}),
	}
	if format.Codec == audio.CodecOpus {
		u.decoder = &opusDecoder{}
	} else {
		u.decoder = &pcmDecoder{rate: format.Rate}
	}
	u.timer = time.AfterFunc(time.Hour, u.overdue)
	u.timer.Stop()
	return u
}

// listen begins a listening period; one that is open ends.
func (u *uplink) listen(mode dialog.Mode) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.stopNow(); err != nil {
		return err
	}
	if err := u.decoder.reset(); err != nil {
		return &Error{Code: dialog.ErrorInternal, Message: "the decoder failed", Err: err}
	}
	u.buffer.Reset()
	u.arrivals.restart()
	u.period++
	u.mode = mode
	u.route = "mic/" + strconv.Itoa(u.period)
	// Routes follow each other on one time line, also when the one before was
	// longer than real time (a wake word sent in a burst). A millisecond lies
	// between them: at the same time a beginning would come before an end.
	const millisecond = int64(micRate) / 1000
	u.base = max(u.base+u.samples+millisecond, int64(micRate.Samples(time.Since(u.leg.began))))
	u.samples, u.mute = 0, 0
	if time.Since(u.muteTold) < wakeLead {
		u.mute = u.muteNext
	}
	u.muteNext = 0
	u.begins = [2]time.Duration{time.Duration(u.timestamp()) * time.Millisecond, u.begins[0]}
	return u.boundary(realtime.StreamCtrl{Label: mode.Label(), BeginOfStream: true})
}

const (
	// wakeLead is how long before its listening period a wake word may be told.
	wakeLead = 2 * time.Second
	// maxWake is the longest wake word.
	maxWake = 5 * time.Second
)

// wake makes the wake word at the beginning of the period silent: of the open one,
// unless so much of that was heard that the wake word cannot be at its beginning,
// else of the next.
func (u *uplink) wake(length time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	samples := int64(micRate.Samples(min(length, maxWake)))
	if u.mode != "" && u.samples < samples {
		u.mute = max(u.mute, samples)
		return
	}
	u.muteNext, u.muteTold = samples, time.Now()
}

// stop ends the listening period behind the audio that came before.
func (u *uplink) stop() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.stopNow()
}

// stopAuto ends a listening period that is the server's to end: it has heard
// enough, or it speaks itself.
func (u *uplink) stopAuto() {
	u.mu.Lock()
	var err error
	if u.mode == dialog.ModeAuto {
		err = u.stopNow()
	}
	u.mu.Unlock()
	if err != nil {
		u.leg.end(err)
	}
}

// sinceBegin converts a media time on the scale of the chunks' Timestamps to the
// time since the first sample of its listening period, which is how devices count.
func (u *uplink) sinceBegin(at time.Duration) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at < u.begins[0] {
		return max(0, at-u.begins[1])
	}
	return at - u.begins[0]
}

// stopNow needs mu.
func (u *uplink) stopNow() error {
	if u.mode == "" {
		return nil
	}
	u.timer.Stop()
	u.buffer.Drain()
	if err := u.emit(time.Now()); err != nil {
		return err
	}
	if err := u.audio(u.decoder.flush()); err != nil {
		return err
	}
	u.mode = ""
	return u.boundary(realtime.StreamCtrl{EndOfStream: true})
}

// packet takes one packet from the transport. ok is false when it came faster than
// the limit and was dropped.
func (u *uplink) packet(p Packet) (ok bool, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	u.packets++
	u.bytes += uint64(len(p.Payload))
	if u.mode == "" {
		u.outside++
		return u.leg.intake.packet(now, u.format.Ptime), nil
	}
	u.arrivals.arrived(now, p.Timestamp, u.format.Rate)
	arrived, err := u.inspect(p)
	if err != nil {
		return true, err
	}
	if ok = u.leg.intake.packet(now, heard(arrived)); !ok && arrived.Duration > 0 {
		arrived.Gap, arrived.Tag, arrived.Payload = true, tagExcess, nil
	}
	if u.buffer.Push(arrived, now) == jitter.Implausible {
		// Of a firmware that stamps wrongly all the time this is the only trace.
		if err := u.leg.fault(dialog.ErrorAudio, "a packet was dropped, since its number or timestamp does not follow those before it; "+
			"timestamps count samples at the sample_rate of the hello, in network byte order", false); err != nil {
			return ok, err
		}
	}
	if err := u.emit(now); err != nil {
		return ok, err
	}
	if deadline, waiting := u.buffer.Deadline(); waiting {
		u.timer.Reset(deadline.Sub(now))
	}
	return ok, nil
}

// heard is how much sound comes of a packet, be it decoded or concealed.
func heard(p jitter.Packet) time.Duration {
	if p.Gap && p.Tag != tagFaulty {
		return 0
	}
	return p.Duration
}

// inspect translates a packet for the jitter buffer and reports what is wrong with
// it. The error ends the connection.
func (u *uplink) inspect(p Packet) (jitter.Packet, error) {
	arrived := jitter.Packet{Seq: p.Seq, Timestamp: p.Timestamp}
	switch {
	case p.Void:
		return arrived, nil
	case p.Gap > 0:
		arrived.Gap, arrived.Duration = true, u.format.Rate.Duration(int(p.Gap))
		return arrived, nil
	case len(p.Payload) == 0 && (p.Begin || p.End):
		return arrived, nil // only a mark
	}
	duration, err := u.decoder.inspect(p.Payload)
	if err != nil {
		arrived.Gap, arrived.Duration, arrived.Tag = true, u.format.Ptime, tagFaulty
		return arrived, u.refuse(err)
	}
	arrived.Duration, arrived.Payload = duration, p.Payload
	if duration == u.format.Ptime {
		return arrived, nil
	}
	u.uneven++
	if u.odd {
		return arrived, nil
	}
	u.odd = true
	return arrived, u.leg.fault(dialog.ErrorAudio,
		fmt.Sprintf("packets of %s arrive, the hello announced %s; they are played as they are", duration, u.format.Ptime), false)
}

// refuse counts a packet that does not decode and reports it. The error ends the
// connection: nothing useful will ever come.
func (u *uplink) refuse(err error) error {
	u.undecodable++
	var fatal *Error
	if errors.As(err, &fatal) {
		return fatal
	}
	return u.leg.fault(dialog.ErrorAudio, "a packet does not decode and was concealed: "+err.Error(), false)
}

// overdue is the deadline of the jitter buffer: what waits behind a hole goes on
// without it.
func (u *uplink) overdue() {
	u.mu.Lock()
	var err error
	if u.mode != "" {
		now := time.Now()
		if err = u.emit(now); err == nil {
			if deadline, waiting := u.buffer.Deadline(); waiting {
				u.timer.Reset(deadline.Sub(now))
			}
		}
	}
	u.mu.Unlock()
	if err != nil {
		u.leg.end(err)
	}
}

// emit moves what the jitter buffer has ready to the stream. It needs mu.
func (u *uplink) emit(now time.Time) error {
	for {
		item, ok := u.buffer.Pop(now)
		if !ok {
			return nil
		}
		if err := u.item(item, now); err != nil {
			return err
		}
	}
}

func (u *uplink) item(item jitter.Item, now time.Time) error {
	switch item.Kind {
	case jitter.Media:
		samples, err := u.decoder.decode(item.Payload, item.Duration)
		if err != nil {
			if err := u.refuse(err); err != nil {
				return err
			}
		}
		return u.audio(samples)
	case jitter.Gap:
		if item.Tag == tagFaulty {
			return u.audio(u.decoder.conceal(item.Duration, nil))
		}
		return u.absent(item, now)
	case jitter.Lost, jitter.Silence:
		return u.absent(item, now)
	}
	return nil // a mark
}

// absent puts something in the place of audio that did not come, as far as the
// time line needs it.
func (u *uplink) absent(item jitter.Item, now time.Time) error {
	missing := u.owed(item.Duration, now)
	if missing < item.Duration {
		if err := u.leg.fault(dialog.ErrorAudio, "more audio was declared or stamped than time has passed, and the silence beyond that was left out; "+
			"timestamps count samples at the sample_rate of the hello", false); err != nil {
			return err
		}
	}
	switch {
	case missing == 0:
		return nil
	case item.Tag == tagExcess:
		return u.gap(missing)
	case item.Kind == jitter.Lost:
		u.leg.raise(dialog.Gap{Duration: missing, Reason: gapLost})
		next, _ := u.buffer.PeekNext()
		if samples := u.decoder.conceal(missing, next.Payload); samples != nil {
			return u.audio(samples)
		}
		return u.gap(missing)
	case item.Kind == jitter.Gap:
		u.leg.raise(dialog.Gap{Duration: missing, Reason: gapDeclared})
	}
	return u.silence(missing)
}

// owed is how much of d the time line of the microphone is behind the clock, the
// credit of audio in bursts included. Audio is missing only where time has passed:
// a device that declares more, or whose timestamps run away, does not make the
// session listen to hours of silence.
func (u *uplink) owed(d time.Duration, now time.Time) time.Duration {
	behind := now.Sub(u.leg.began) + audioCredit - micRate.Duration(int(u.base+u.samples))
	if d <= behind {
		return d
	}
	u.ahead++
	return max(0, behind)
}

// silence pushes what the device did not send on purpose: most devices that leave
// out audio leave out silence, and only silence that is heard ends an utterance.
// What is longer than any endpointer waits for is a gap.
func (u *uplink) silence(d time.Duration) error {
	if err := u.audio(u.decoder.flush()); err != nil {
		return err
	}
	var still [3 * 320]int16 // 60 ms
	heard := min(d, maxSilence)
	for left := micRate.Samples(heard); left > 0; {
		n := min(left, len(still))
		clear(still[:n]) // the echo guard may have changed it
		if err := u.audio(still[:n]); err != nil {
			return err
		}
		left -= n
	}
	return u.gap(d - heard)
}

// audio pushes samples as one chunk.
func (u *uplink) audio(samples []int16) error {
	if len(samples) == 0 {
		return nil
	}
	at := u.timestamp()
	if u.leg.echo != nil && u.mode == dialog.ModeRealtime {
		u.leg.echo.hear(samples, 0, time.Now().Add(-micRate.Duration(len(samples))))
	}
	if left := u.mute - u.samples; left > 0 {
		clear(samples[:min(left, int64(len(samples)))])
	}
	u.samples += int64(len(samples))
	return u.push(newAudioChunk(u.route, at, samples))
}

// gap pushes a gap.
func (u *uplink) gap(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	// What a resampler holds back belongs before the gap.
	if err := u.audio(u.decoder.flush()); err != nil {
		return err
	}
	at := u.timestamp()
	if u.leg.echo != nil && u.mode == dialog.ModeRealtime {
		u.leg.echo.hear(nil, micRate.Samples(d), time.Now().Add(-d))
	}
	u.samples += int64(micRate.Samples(d))
	u.missing += d
	return u.push(&realtime.MessageChunk{
		Role: realtime.RoleUser,
		Part: &realtime.Gap{MIMEType: micMIME, Duration: d},
		Ctrl: &realtime.StreamCtrl{StreamID: u.route, Timestamp: at},
	})
}

// boundary pushes a control-only chunk.
func (u *uplink) boundary(ctrl realtime.StreamCtrl) error {
	ctrl.StreamID, ctrl.Timestamp = u.route, u.timestamp()
	return u.push(&realtime.MessageChunk{Role: realtime.RoleUser, Ctrl: &ctrl})
}

// timestamp is the media time of the next sample, in milliseconds from 1.
func (u *uplink) timestamp() int64 {
	return 1 + (u.base+u.samples)*1000/int64(micRate)
}

// push hands a chunk to the stream. A session that does not read any more is no
// fault of the device; audio that it is too slow for becomes a gap in the stream.
func (u *uplink) push(chunk *realtime.MessageChunk) error {
	err := u.mic.Push(chunk)
	if errors.Is(err, realtime.ErrOverflow) {
		return &Error{Code: dialog.ErrorInternal, Message: "the session does not hear the device", Err: err}
	}
	return nil
}

// end ends the stream: normally after a bye of the device, else with the cause.
// It takes no lock, since it may be called from within.
func (u *uplink) end(cause, closed error) {
	if cause == nil {
		_ = u.mic.Close() // cannot fail
		return
	}
	_ = u.mic.CloseWithError(closed)
}

// close frees what the garbage collector does not know. Nothing may be called
// afterwards.
func (u *uplink) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.timer.Stop()
	u.mode = ""
	u.decoder.close()
}

func (u *uplink) stats() Stats {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := Stats{
		PacketsIn: u.packets, BytesIn: u.bytes, Missing: u.missing, UnevenPackets: u.uneven,
		Jitter: u.buffer.Stats(), Arrivals: u.arrivals.jitter, Uplink: u.mic.Stats(), Drops: make(map[DropReason]uint64),
	}
	s.Recovered, s.Concealed = u.decoder.losses()
	for reason, n := range map[DropReason]uint64{DropOutsideListening: u.outside, DropUndecodable: u.undecodable, DropAhead: u.ahead} {
		if n > 0 {
			s.Drops[reason] = n
		}
	}
	return s
}

// maxPacketPayload is the largest payload of one packet: 120 ms of mono PCM at
// 48 kHz.
const maxPacketPayload = 120 * 48 * pcm.SampleBytes
