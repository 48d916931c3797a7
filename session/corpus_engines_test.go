package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"edged/realtime"
	"edged/transformers"
	"edged/transformers/tts"
	"edged/transformers/turn"
)

// cast are the engines of a conversation.
type cast struct {
	*conversation
	begin  time.Time
	jitter func()

	mu    sync.Mutex
	told  []string // what the model was told, call by call
	words []spokenWord
	well  bool // nothing fails: while the phrases are prepared
}

// spokenWord is a word that the voice has spoken; its samples have the value of
// its number, counted from 1, so that whoever hears them knows it.
type spokenWord struct {
	text    string
	samples int
}

func (c *cast) engines(t *testing.T) Engines {
	var synthesizer tts.Synthesizer = timedVoice{plainVoice{c}}
	if c.Voice.NoWordTiming {
		synthesizer = plainVoice{c}
	}
	voice, err := tts.New(synthesizer, tts.Config{Language: c.Profile.Language})
	if err != nil {
		t.Fatal(err)
	}
	return Engines{
		VAD:       func() turn.SpeechDetector { return loudDetector{} },
		ASR:       transformers.TransformerFunc(c.recognize),
		Generator: castGenerator{c},
		TTS:       voice,
	}
}

// subject is what the user has begun to say last.
func (c *cast) subject() moment {
	now, found := time.Since(c.begin), moment{}
	for _, m := range c.Timeline {
		if (m.Says != "" || m.Noise > 0) && m.At <= now {
			found = m
		}
	}
	return found
}

// recognize gives the partials one by one as sound comes in, and the transcript
// at the end.
func (c *cast) recognize(ctx context.Context, _ string, in realtime.Stream) (realtime.Stream, error) {
	said := c.subject()
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		defer in.Close()
		c.jitter()
		route, sound := "", 0
		for {
			chunk, err := in.Next()
			if realtime.IsEnd(err) {
				break
			}
			if err != nil {
				return err
			}
			route = chunk.Route()
			if _, ok := chunk.Part.(*realtime.Blob); !ok {
				continue
			}
			// A partial every 400 ms of sound, the first one at once.
			if sound%20 == 0 && sound/20 < len(said.Partials) {
				_ = out.Add(ctx, recognized(route, said.Partials[sound/20], realtime.LabelPartial, false))
			}
			sound++
		}
		if err := pass(ctx, said.FinalAfter); err != nil {
			return err
		}
		switch said.Recogniser {
		case "fails":
			return errors.New("the recogniser has no licence")
		case "hangs":
			<-ctx.Done()
			return context.Cause(ctx)
		case "ends":
			return nil
		}
		return out.Add(ctx, recognized(route, said.text(), realtime.LabelTranscript, true))
	}), nil
}

func recognized(route, text, label string, end bool) *realtime.MessageChunk {
	return &realtime.MessageChunk{Role: realtime.RoleUser, Part: realtime.Text(text),
		Ctrl: &realtime.StreamCtrl{StreamID: route, Label: label, EndOfStream: end}}
}

// pass waits in virtual time.
func pass(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

type castGenerator struct{ *cast }

func (castGenerator) Invoke(context.Context, string, transformers.ModelContext, *transformers.FuncTool) (realtime.Usage, *transformers.FuncCall, error) {
	return realtime.Usage{}, nil, errors.New("a session never invokes")
}

// GenerateStream does the steps of the round that the model is in.
func (g castGenerator) GenerateStream(ctx context.Context, _ string, mc transformers.ModelContext) (realtime.Stream, error) {
	told := transcript(mc)
	g.mu.Lock()
	g.told = append(g.told, told)
	g.mu.Unlock()
	question := lastQuestion(mc)
	todo, ok := g.Model[question]
	if !ok {
		todo = steps{{Say: "You said " + question + "."}}
	}
	// Results behind the last question tell the round.
	rounds := strings.Count(told[strings.LastIndex(told, "user: "):], " | result ")
	for ; rounds > 0; rounds-- {
		for len(todo) > 0 && todo[0].Call == "" {
			todo = todo[1:]
		}
		if len(todo) > 0 {
			todo = todo[1:]
		}
	}
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		g.jitter()
		calls := 0
		for _, s := range todo {
			if calls > 0 && s.Call == "" {
				break
			}
			if err := pass(ctx, s.Wait); err != nil {
				return err
			}
			for range max(1, s.Times) {
				for _, word := range strings.SplitAfter(s.Say, " ") {
					if word == "" {
						continue
					}
					if err := out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text(word)}); err != nil {
						return err
					}
					if err := pass(ctx, s.Every); err != nil {
						return err
					}
				}
			}
			switch {
			case s.Call != "":
				calls++
				name, arguments, _ := strings.Cut(s.Call, " ")
				call := realtime.ToolCall{ID: fmt.Sprint("c", calls), Name: name, Arguments: arguments}
				if err := out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleModel, ToolCall: &call}); err != nil {
					return err
				}
			case s.Fail != "":
				return errors.New(s.Fail)
			case s.Hang:
				<-ctx.Done()
				return context.Cause(ctx)
			}
		}
		return &realtime.State{Status: realtime.StatusDone, Usage: realtime.Usage{PromptTokens: 3, GeneratedTokens: 5}}
	}), nil
}

// The pace of the voice differs from word to word, as that of a speaker does:
// vowels are long, and there is a pause at the end of a sentence.
const (
	perConsonant = 45 * time.Millisecond
	perVowel     = 80 * time.Millisecond
	perIdeograph = 200 * time.Millisecond
	perSpace     = 30 * time.Millisecond
	perStop      = 180 * time.Millisecond
)

// plainVoice does not tell where the words are.
type plainVoice struct{ *cast }

func (plainVoice) SampleRate() int { return 16000 }

func (v plainVoice) Synthesize(ctx context.Context, text string, sink func([]int16) error) error {
	_, err := v.speak(ctx, text, sink)
	return err
}

// timedVoice tells.
type timedVoice struct{ plainVoice }

func (v timedVoice) SynthesizeWords(ctx context.Context, text string, sink func([]int16) error) ([]tts.SpokenWord, error) {
	return v.speak(ctx, text, sink)
}

func (v plainVoice) speak(ctx context.Context, text string, sink func([]int16) error) ([]tts.SpokenWord, error) {
	v.jitter()
	v.mu.Lock()
	well := v.well
	v.mu.Unlock()
	at := func(words string) bool { return !well && words != "" && strings.Contains(text, words) }
	if !well {
		if err := pass(ctx, v.Voice.Delay); err != nil {
			return nil, err
		}
	}
	switch {
	case at(v.Voice.FailsAt):
		return nil, errors.New("the voice has lost itself")
	case at(v.Voice.HangsAt):
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case at(v.Voice.StallsBefore):
		if err := pass(ctx, v.Voice.StallsFor); err != nil {
			return nil, err
		}
	}
	var pcm []int16
	var words []tts.SpokenWord
	for _, word := range strings.FieldsFunc(text, unicode.IsSpace) {
		spoken, stop := time.Duration(0), time.Duration(0)
		for _, r := range word {
			switch {
			case strings.ContainsRune("aeiouyAEIOUY", r):
				spoken += perVowel
			case isUnspaced(string(r)):
				spoken += perIdeograph
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				spoken += perConsonant
			case strings.ContainsRune(".?!。？！", r):
				stop = perStop
			}
		}
		start := len(pcm)
		n := v.number(word, int(spoken*16/time.Millisecond))
		for range int(spoken * 16 / time.Millisecond) {
			pcm = append(pcm, n)
		}
		words = append(words, tts.SpokenWord{Text: strings.Join(plainWords(word), ""), Start: start, End: len(pcm)})
		pcm = append(pcm, make([]int16, int((perSpace+stop)*16/time.Millisecond))...)
	}
	return words, sink(pcm)
}

// number gives the word its number.
func (c *cast) number(word string, samples int) int16 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.words = append(c.words, spokenWord{word, samples})
	return int16(len(c.words))
}
