package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"edged/dialog"
	"edged/realtime"
	"edged/transformers/turn"
)

// utteranceCapacity bounds the audio chunks of an utterance that wait for the
// recogniser: 10 s of 20 ms packets. Beyond it the microphone waits, and what
// that costs is dropped and counted at the edge.
const utteranceCapacity = 512

// hearing is the microphone of one connection.
type hearing struct {
	speech *turn.Detector
	// connection counts the connections of the session: it tells the routes of
	// one from those of another.
	connection int
	// thresholds are those of the barge-in policy; the open utterance has reached
	// the first passed of them.
	thresholds []time.Duration
	passed     int
}

// name makes the name of a route unique in the session.
func (h *hearing) name(route string) string {
	if h.connection == 1 {
		return route
	}
	return route + "@" + strconv.Itoa(h.connection)
}

// hear reads a microphone to its end: boundaries become events, the audio of
// utterances goes to the recogniser.
func (s *session) hear(ctx context.Context, device Device, connection int) (err error) {
	defer recoverTo(&err)
	speech := turn.New(device.Uplink(), s.Engines.VAD(), s.Profile.Endpointing)
	defer speech.Close()
	h := &hearing{speech: speech, connection: connection, thresholds: s.Profile.BargeIn.thresholds()}
	for {
		chunk, err := speech.Next()
		switch {
		case errors.Is(err, turn.ErrFormat):
			return fmt.Errorf("session: microphone: %w", err)
		case err != nil:
			return nil // the connection has ended; Events or ctx say why
		}
		s.media.Store(int64(speech.Position()))
		if strings.HasPrefix(chunk.Route(), turn.RoutePrefix) {
			s.hearUtterance(ctx, h, chunk)
		} else {
			s.hearBoundary(ctx, h, chunk)
		}
	}
}

// hearBoundary takes the beginning or the end of a microphone route.
func (s *session) hearBoundary(ctx context.Context, h *hearing, chunk *realtime.MessageChunk) {
	if chunk.IsBeginOfStream() {
		mode, ok := dialog.ModeOfLabel(chunk.Ctrl.Label)
		if !ok {
			mode = dialog.ModeAuto
		}
		s.post(ctx, ListenStarted{h.name(chunk.Route()), mode})
	}
	if chunk.IsEndOfStream() {
		s.post(ctx, ListenStopped{h.name(chunk.Route())})
	}
}

// hearUtterance takes a chunk of an utterance: beginning, audio or end.
func (s *session) hearUtterance(ctx context.Context, h *hearing, chunk *realtime.MessageChunk) {
	id := h.name(chunk.Route())
	at := time.Duration(chunk.Ctrl.Timestamp) * time.Millisecond
	switch {
	case chunk.IsBeginOfStream():
		h.passed = 0
		s.recognize(ctx, h.speech, chunk.Route(), id)
		s.post(ctx, SpeechStarted{id, at})
	case chunk.IsEndOfStream():
		s.post(ctx, SpeechStopped{id, at, max(0, h.speech.Position()-at)})
	default:
		s.measure(ctx, h, id)
	}
	s.recognitions.feed(ctx, id, chunk)
}

// measure reports when the utterance reaches a threshold of the policy.
func (s *session) measure(ctx context.Context, h *hearing, id string) {
	for _, threshold := range h.thresholds[h.passed:] {
		spoken := h.speech.Spoken()
		if spoken < threshold {
			return
		}
		h.passed++
		s.post(ctx, SpeechLasted{id, spoken})
	}
}

// recognize starts the recogniser for an utterance, which speech gives on route
// and the session calls id.
func (s *session) recognize(ctx context.Context, speech *turn.Detector, route, id string) {
	listening, cancel := context.WithCancelCause(ctx)
	audio := realtime.NewStreamBuilder(utteranceCapacity)
	s.recognitions.add(id, &recognition{audio: audio, cancel: cancel})
	s.workers.Go(func() {
		defer s.recognitions.remove(id)
		defer cancel(nil)
		expect := func(partial string) {
			if s.Profile.Judge != nil {
				speech.Expect(route, s.Profile.Judge(partial))
			}
		}
		if err := s.transcribe(listening, id, audio.Stream(), expect); err != nil && listening.Err() == nil {
			s.post(ctx, RecognizeFailed{id, err.Error()})
		}
	})
}

// transcribe posts what the recogniser makes of the utterance. expect is told
// what is understood so far.
func (s *session) transcribe(ctx context.Context, id string, audio realtime.Stream, expect func(partial string)) (err error) {
	defer recoverTo(&err)
	defer audio.Close()
	text, err := s.Engines.ASR.Transform(ctx, s.Profile.ASR, audio)
	if err != nil {
		return fmt.Errorf("session: recogniser: %w", err)
	}
	defer text.Close()
	for {
		chunk, err := text.Next()
		switch {
		case realtime.IsEnd(err):
			return errNoTranscript
		case err != nil:
			return fmt.Errorf("session: recogniser: %w", err)
		case chunk.Ctrl == nil:
			continue
		case chunk.Ctrl.Error != "":
			return fmt.Errorf("session: recogniser: %s", chunk.Ctrl.Error)
		}
		words, ok := chunk.Part.(realtime.Text)
		switch {
		case ok && chunk.Ctrl.Label == realtime.LabelTranscript:
			s.post(ctx, Final{id, strings.TrimSpace(string(words))})
			return nil
		case ok && chunk.Ctrl.Label == realtime.LabelPartial:
			expect(string(words))
			s.post(ctx, Partial{id, string(words)})
		}
	}
}

var errNoTranscript = errors.New("session: recogniser: ended without a transcript")

// recognition is an utterance on its way through the recogniser.
type recognition struct {
	audio  *realtime.StreamBuilder
	cancel context.CancelCauseFunc
}

// recognitions are those under way. The microphone feeds them, the loop
// discards them: all methods may be called concurrently. The zero value is
// ready.
type recognitions struct {
	mu      sync.Mutex
	running map[string]*recognition
}

func (r *recognitions) add(id string, one *recognition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running == nil {
		r.running = make(map[string]*recognition)
	}
	r.running[id] = one
}

func (r *recognitions) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, id)
}

func (r *recognitions) find(id string) *recognition {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running[id]
}

// feed gives the chunk to the recogniser, waiting for room. An utterance that
// was discarded or has failed takes no more.
func (r *recognitions) feed(ctx context.Context, id string, chunk *realtime.MessageChunk) {
	one := r.find(id)
	if one == nil {
		return
	}
	if err := one.audio.Add(ctx, chunk); err == nil && chunk.IsEndOfStream() {
		one.audio.Done()
	}
}

// errDiscarded is the cause with which an utterance that nobody needs is
// cancelled.
var errDiscarded = errors.New("session: utterance discarded")

func (r *recognitions) discard(id string) {
	if one := r.find(id); one != nil {
		one.cancel(errDiscarded)
		one.audio.Abort(errDiscarded)
	}
}
