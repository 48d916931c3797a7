package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"edged/ai"
	"edged/dialog"
	"edged/realtime"
)

// reply is the answer of one turn in the making. Its goroutines write it, the
// loop settles it.
type reply struct {
	turn dialog.Turn
	// question is what the user said; empty for the session's own words.
	question string
	// words are the session's own; empty for an answer of the generator.
	words  string
	ledger Ledger
	voice  *voice
	cancel context.CancelCauseFunc
	// again tells where to go on after the device came back. Capacity 1: the
	// latest counts.
	again chan place
	timed bool // owned by the loop: the device was told the timing

	mu       sync.Mutex
	tools    []toolUse
	usage    realtime.Usage
	complete bool // all audio is in the ledger
}

func newReply(turn dialog.Turn, question string) *reply {
	return &reply{turn: turn, question: question, voice: newVoice(), again: make(chan place, 1)}
}

// ownWords prepares a phrase of the session.
func (s *session) ownWords(a Say) *reply {
	r := newReply(a.Turn, "")
	r.words = a.Text
	if a.Phrase != PhraseNotice {
		r.words = s.Profile.Phrases[a.Phrase]
	}
	return r
}

// begin starts the reply. It reports its own end: as a Delivered from the edge,
// or as a ReplyFailed. Its goroutines stay until the turn is settled, since a
// device that comes back may have to be played the end again.
func (s *session) begin(ctx context.Context, r *reply) {
	if s.clock.turn != r.turn {
		s.clock.start(r.turn, time.Now())
	}
	working, cancel := context.WithCancelCause(ctx)
	r.cancel = cancel
	s.replies[r.turn] = r
	memory := s.history.snapshot()
	s.workers.Go(func() {
		defer cancel(nil)
		if err := s.answer(working, r, memory); err != nil && working.Err() == nil {
			s.post(ctx, ReplyFailed{r.turn, codeOf(err), err.Error()})
		}
	})
}

// answer runs the way of a reply: text, voice, device.
func (s *session) answer(ctx context.Context, r *reply, memory []exchange) (err error) {
	defer recoverTo(&err)
	sound, err := s.speak(ctx, r, memory)
	if err != nil {
		return err
	}
	return s.play(ctx, r, sound)
}

// wordsAhead bounds the tokens that wait for the synthesiser. A generator that is
// done is not taken for one that hangs because the synthesiser does.
const wordsAhead = 512

// speak returns the voice of the reply. The session's own phrases were spoken
// beforehand, so that it can say that its synthesiser has failed.
func (s *session) speak(ctx context.Context, r *reply, memory []exchange) (realtime.Stream, error) {
	if recording := s.Phrases.of(r.words); recording != nil {
		return recording.stream(ctx, r.turn.Route()), nil
	}
	text := realtime.Produce(ctx, wordsAhead, func(ctx context.Context, out *realtime.StreamBuilder) error {
		if r.words != "" {
			return s.recite(ctx, r, out)
		}
		return s.generate(ctx, r, memory, out)
	})
	sound, err := s.Engines.TTS.Transform(ctx, s.Profile.TTS, text)
	if err != nil {
		_ = text.Close() // err is what counts
		return nil, &stageError{dialog.ErrorTTS, err}
	}
	return sound, nil
}

// recite produces the session's own words.
func (s *session) recite(ctx context.Context, r *reply, out *realtime.StreamBuilder) error {
	return out.Add(ctx, r.text(r.words), r.end())
}

// generate produces the words of the generator, running the tools that it asks
// for in between.
func (s *session) generate(ctx context.Context, r *reply, memory []exchange, out *realtime.StreamBuilder) error {
	var all strings.Builder
	for round := 0; ; round++ {
		stream, err := s.Engines.Generator.GenerateStream(ctx, s.Profile.Generator, s.modelContext(memory, r))
		if err != nil {
			return &stageError{dialog.ErrorGenerate, err}
		}
		calls, err := s.relay(ctx, r, stream, out, &all)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			break
		}
		if round == s.Profile.ToolRounds {
			return &stageError{dialog.ErrorGenerate, fmt.Errorf("%w: tools were asked for %d times in one turn", ai.ErrMaxIterationsReached, round)}
		}
		r.used(s.callTools(ctx, r, calls))
		if ctx.Err() != nil {
			return context.Cause(ctx) // interrupted meanwhile: nobody is to answer any more
		}
	}
	if strings.TrimSpace(all.String()) == "" {
		return &stageError{dialog.ErrorGenerate, ai.ErrNoContent}
	}
	s.post(ctx, Generated{r.turn, all.String()})
	return out.Add(ctx, r.end())
}

// relay passes one generation on to the voice and gathers the tools that it
// asks for.
func (s *session) relay(ctx context.Context, r *reply, in realtime.Stream, out *realtime.StreamBuilder, all *strings.Builder) ([]realtime.ToolCall, error) {
	defer in.Close()
	var calls []realtime.ToolCall
	for {
		chunk, err := in.Next()
		if realtime.IsEnd(err) {
			r.spent(err)
			return calls, nil
		}
		if err != nil {
			return nil, &stageError{dialog.ErrorGenerate, err}
		}
		if chunk.ToolCall != nil {
			if len(calls) == maxCallsAtOnce {
				return nil, &stageError{dialog.ErrorGenerate, fmt.Errorf("%w: more than %d at once", errTooManyCalls, maxCallsAtOnce)}
			}
			calls = append(calls, *chunk.ToolCall)
		}
		words, ok := chunk.Part.(realtime.Text)
		if !ok || words == "" {
			continue
		}
		if all.Len() == 0 {
			s.post(ctx, FirstToken{r.turn})
		}
		all.WriteString(string(words))
		if err := out.Add(ctx, r.text(string(words))); err != nil {
			return nil, err
		}
	}
}

// chunks of the reply's route

func (r *reply) text(words string) *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text(words),
		Ctrl: &realtime.StreamCtrl{StreamID: r.turn.Route(), Label: realtime.LabelAssistant}}
}

// beginning is that of the reply, or of the rest of it from a position on.
func (r *reply) beginning(from time.Duration) *realtime.MessageChunk {
	ctrl := &realtime.StreamCtrl{StreamID: r.turn.Route(), Label: realtime.LabelAssistant, BeginOfStream: true}
	if from > 0 {
		ctrl.Timestamp = 1 + from.Milliseconds()
	}
	return &realtime.MessageChunk{Role: realtime.RoleModel, Ctrl: ctrl}
}

func (r *reply) end() *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleModel,
		Ctrl: &realtime.StreamCtrl{StreamID: r.turn.Route(), Label: realtime.LabelAssistant, EndOfStream: true}}
}

func (r *reply) used(uses []toolUse) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tools = append(r.tools, uses...)
}

// toolsUsed returns the tools of the turn so far.
func (r *reply) toolsUsed() []toolUse {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tools[:len(r.tools):len(r.tools)]
}

// spent adds what a generation has cost.
func (r *reply) spent(end error) {
	var state *realtime.State
	if !errors.As(end, &state) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.usage.PromptTokens += state.Usage.PromptTokens
	r.usage.CachedTokens += state.Usage.CachedTokens
	r.usage.GeneratedTokens += state.Usage.GeneratedTokens
}

func (r *reply) finished() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.complete = true
}

func (r *reply) isComplete() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.complete
}
