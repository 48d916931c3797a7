package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"edged/ai"
	"edged/audio"
	"edged/dialog"
	"edged/realtime"
	"edged/session/log"
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
	cancel context.CancelCauseFunc
	timed  bool // owned by the loop: the device was told the timing

	mu       sync.Mutex
	tools    []toolUse
	usage    realtime.Usage
	complete bool // all audio is in the ledger
}

func newReply(turn dialog.Turn, question string) *reply {
	return &reply{turn: turn, question: question}
}

// ownWords prepares a phrase of the session.
func (s *session) ownWords(a Say) *reply {
	words := a.Text
	if a.Phrase != PhraseNotice {
		words = s.Profile.Phrases[a.Phrase]
	}
	return &reply{turn: a.Turn, words: words}
}

// begin starts the reply. It reports its own end: as a Delivered from the edge,
// or as a ReplyFailed.
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
	text := realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		if r.words != "" {
			return s.recite(ctx, r, out)
		}
		return s.generate(ctx, r, memory, out)
	})
	defer text.Close()
	voice, err := s.Engines.TTS.Transform(ctx, s.Profile.TTS, text)
	if err != nil {
		return &stageError{dialog.ErrorTTS, err}
	}
	return s.play(ctx, r, voice)
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
		r.used(s.callTools(ctx, r.turn, calls))
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

// storeCapacity bounds the voice of a reply that is synthesised ahead of its
// playback: 30 s in chunks of 100 ms, more than the longest segment. The voice
// waits there, not at the device, so that the ledger knows the length of what is
// being played.
const storeCapacity = 300

// play hands the voice to the device. A reply that failed before it had any
// sound gets no end: the flush of its turn ends it.
func (s *session) play(ctx context.Context, r *reply, voice realtime.Stream) error {
	store := realtime.Produce(ctx, storeCapacity, func(ctx context.Context, out *realtime.StreamBuilder) error {
		return r.account(ctx, voice, out)
	})
	defer store.Close()
	if err := s.device.Play(ctx, r.turn, r.beginning()); err != nil {
		return err
	}
	for sounding := false; ; {
		chunk, err := store.Next()
		if err != nil {
			if failed := !realtime.IsEnd(err); failed && !sounding {
				return err
			} else if end := s.device.Play(ctx, r.turn, r.end()); !failed {
				return end
			}
			return err
		}
		if _, ok := chunk.Part.(*realtime.Blob); ok && !sounding {
			sounding = true
			s.post(ctx, FirstAudio{r.turn})
		}
		if err := s.device.Play(ctx, r.turn, chunk); err != nil {
			return err
		}
	}
}

// account enters the voice into the ledger on its way to the store.
func (r *reply) account(ctx context.Context, voice realtime.Stream, out *realtime.StreamBuilder) error {
	defer voice.Close()
	for {
		chunk, err := voice.Next()
		if realtime.IsEnd(err) {
			r.finished()
			return nil
		}
		if err != nil {
			return err
		}
		if chunk.Ctrl != nil && chunk.Ctrl.Error != "" {
			return &stageError{dialog.ErrorTTS, errors.New(chunk.Ctrl.Error)}
		}
		switch part := chunk.Part.(type) {
		case realtime.Text:
			r.ledger.Text(string(part))
		case *realtime.Blob:
			rate, channels, err := audio.ParsePCMMIMEType(part.MIMEType)
			if err != nil {
				return &stageError{dialog.ErrorTTS, err}
			}
			r.ledger.Audio(rate.Duration(len(part.Data) / 2 / channels))
		default:
			continue
		}
		if err := out.Add(ctx, chunk); err != nil {
			return err
		}
	}
}

// settle closes the account of a turn: what was heard goes into the history.
func (s *session) settle(a Settle) {
	r := s.replies[a.Turn]
	delete(s.replies, a.Turn)
	if a.Interrupted {
		s.interrupted++
	}
	if r == nil {
		if a.Interrupted {
			s.log(a.Turn, log.Interrupt{Cause: a.Cause})
		}
		return
	}
	heard, unheard := r.ledger.All(), ""
	acknowledged := s.state.Played > 0
	if a.Interrupted {
		heard, unheard = r.ledger.Split(a.Progress.Played, r.isComplete())
		s.log(a.Turn, log.Interrupt{
			Cause: a.Cause, SentMS: log.MS(a.Progress.Sent), PlayedMS: log.MS(a.Progress.Played),
			Acknowledged: a.Progress.Acknowledged, Heard: log.Text(heard), Unheard: log.Text(unheard),
		})
	} else {
		s.log(a.Turn, log.ReplyDone{AudioMS: log.MS(r.ledger.Length()), Text: log.Text(heard), Acknowledged: acknowledged})
	}
	s.remember(r, heard, a.Interrupted)
}

// remember commits what was heard of the reply and logs what it cost.
func (s *session) remember(r *reply, heard string, cut bool) {
	r.mu.Lock()
	tools, usage := r.tools, r.usage
	r.mu.Unlock()
	s.log(r.turn, log.Usage{
		PromptTokens: int(usage.PromptTokens), CachedTokens: int(usage.CachedTokens),
		GeneratedTokens: int(usage.GeneratedTokens), AudioMS: log.MS(r.ledger.Length()),
	})
	if r.question == "" && heard == "" {
		return
	}
	e := exchange{user: r.question, tools: tools, assistant: strings.TrimSpace(heard), cut: cut}
	s.history.commit(e)
	s.log(r.turn, log.HistoryCommit{
		User: log.Text(e.user), Assistant: log.Text(e.assistant), Cut: cut, Messages: s.history.messages(),
	})
}

// chunks of the reply's route

func (r *reply) text(words string) *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text(words),
		Ctrl: &realtime.StreamCtrl{StreamID: r.turn.Route(), Label: realtime.LabelAssistant}}
}

func (r *reply) beginning() *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleModel,
		Ctrl: &realtime.StreamCtrl{StreamID: r.turn.Route(), Label: realtime.LabelAssistant, BeginOfStream: true}}
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
