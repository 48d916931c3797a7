package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"edged/realtime"
	"edged/transformers"
	"edged/transformers/tts"
	"edged/transformers/turn"
)

// script is what the engines of a test do.
type script struct {
	// heard are the transcripts of the utterances, in order.
	heard []string
	// partials are given one an utterance as soon as there is sound; "so far"
	// when there are none.
	partials []string
	// recognizing, if set, runs before a transcript is given.
	recognizing func(ctx context.Context) error
	// answer generates: words go to say; it returns the tools it wants called.
	answer func(ctx context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error)
	// speaking, if set, runs before a segment is synthesised.
	speaking func(ctx context.Context, text string) error

	mu       sync.Mutex
	contexts []transformers.ModelContext
}

// perCharacter is the pace of the scripted voice: 20 characters a second.
const perCharacter = 50 * time.Millisecond

func (s *script) engines(t *testing.T) Engines {
	voice, err := tts.New(scriptedVoice{s}, tts.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return Engines{
		VAD:       func() turn.SpeechDetector { return loudDetector{} },
		ASR:       transformers.TransformerFunc(s.recognize),
		Generator: scriptedGenerator{s},
		TTS:       voice,
	}
}

// recognize gives a partial as soon as it hears something, and the next
// transcript of the script at the end of the utterance.
func (s *script) recognize(ctx context.Context, _ string, in realtime.Stream) (realtime.Stream, error) {
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		defer in.Close()
		route := ""
		for first := true; ; {
			chunk, err := in.Next()
			if realtime.IsEnd(err) {
				break
			}
			if err != nil {
				return err
			}
			route = chunk.Route()
			if _, ok := chunk.Part.(*realtime.Blob); ok && first {
				first = false
				out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser, Part: realtime.Text(s.partial()),
					Ctrl: &realtime.StreamCtrl{StreamID: route, Label: realtime.LabelPartial}})
			}
		}
		if recognizing, _, _ := s.now(); recognizing != nil {
			if err := recognizing(ctx); err != nil {
				return err
			}
		}
		return out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleUser, Part: realtime.Text(s.next()),
			Ctrl: &realtime.StreamCtrl{StreamID: route, Label: realtime.LabelTranscript, EndOfStream: true}})
	}), nil
}

func (s *script) next() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.heard) == 0 {
		return ""
	}
	text := s.heard[0]
	s.heard = s.heard[1:]
	return text
}

// recover ends all failures.
func (s *script) recover() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recognizing, s.speaking, s.answer = nil, nil, echo
}

// answerer is what a generator of a script does.
type answerer func(ctx context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error)

// now returns what the engines do at present.
func (s *script) now() (recognizing func(context.Context) error, answer answerer, speaking func(context.Context, string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recognizing, s.answer, s.speaking
}

func (s *script) partial() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.partials) == 0 {
		return "so far"
	}
	text := s.partials[0]
	s.partials = s.partials[1:]
	return text
}

type scriptedGenerator struct{ *script }

func (g scriptedGenerator) GenerateStream(ctx context.Context, _ string, mc transformers.ModelContext) (realtime.Stream, error) {
	g.mu.Lock()
	g.contexts = append(g.contexts, mc)
	g.mu.Unlock()
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		_, answer, _ := g.now()
		calls, err := answer(ctx, mc, func(words string) {
			out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text(words)})
		})
		for _, call := range calls {
			out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleModel, ToolCall: &call})
		}
		if err != nil {
			return err
		}
		return &realtime.State{Status: realtime.StatusDone, Usage: realtime.Usage{PromptTokens: 3, GeneratedTokens: 5}}
	}), nil
}

func (scriptedGenerator) Invoke(context.Context, string, transformers.ModelContext, *transformers.FuncTool) (realtime.Usage, *transformers.FuncCall, error) {
	return realtime.Usage{}, nil, errors.New("a session never invokes")
}

type scriptedVoice struct{ *script }

func (scriptedVoice) SampleRate() int { return 16000 }

func (v scriptedVoice) Synthesize(ctx context.Context, text string, sink func([]int16) error) error {
	if _, _, speaking := v.now(); speaking != nil {
		if err := speaking(ctx, text); err != nil {
			return err
		}
	}
	return sink(make([]int16, len(text)*int(perCharacter*16/time.Millisecond)))
}

// echo answers each question with itself.
func echo(_ context.Context, mc transformers.ModelContext, say func(string)) ([]realtime.ToolCall, error) {
	say("You said ")
	say(lastQuestion(mc) + ".")
	return nil, nil
}

func lastQuestion(mc transformers.ModelContext) string {
	question := ""
	for m := range mc.Messages() {
		if c, ok := m.Payload.(realtime.Contents); ok && m.Role == realtime.RoleUser {
			question = c.Text()
		}
	}
	return question
}

// transcript renders what a model was told: "user: ... | model: ..." and tools.
func transcript(mc transformers.ModelContext) string {
	var lines []string
	for m := range mc.Messages() {
		switch p := m.Payload.(type) {
		case realtime.Contents:
			lines = append(lines, string(m.Role)+": "+p.Text())
		case *realtime.ToolCall:
			lines = append(lines, "call "+p.Name+p.Arguments)
		case *realtime.ToolResult:
			lines = append(lines, "result "+p.Content)
		}
	}
	return strings.Join(lines, " | ")
}

// last returns what the generator was told last.
func (s *script) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.contexts) == 0 {
		return ""
	}
	return transcript(s.contexts[len(s.contexts)-1])
}
