package asr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edged/realtime"
	"edged/transformers/asr"
)

// A failure ends its utterance with an error on the route (G10); what else comes
// there is dropped until a new beginning, and the other routes do not notice.
func TestFailureEndsItsRouteOnly(t *testing.T) {
	broken := errors.New("no such word")
	cases := []struct {
		name string
		f    *fakeRecognizer
		code asr.Code
	}{
		{"open", &fakeRecognizer{opening: once(func() error { return broken })}, asr.CodeEngine},
		{"busy", &fakeRecognizer{opening: once(func() error { return fmt.Errorf("fake: %w", asr.ErrBusy) })}, asr.CodeBusy},
		{"closed", &fakeRecognizer{opening: once(func() error { return fmt.Errorf("fake: %w", asr.ErrClosed) })}, asr.CodeClosed},
		{"write", &fakeRecognizer{writing: func(_ context.Context, pcm []int16) error { return failOn(pcm, broken) }}, asr.CodeEngine},
		{"panic", &fakeRecognizer{writing: func(_ context.Context, pcm []int16) error {
			if failOn(pcm, broken) != nil {
				panic(broken)
			}
			return nil
		}}, asr.CodeEngine},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tr := asr.New(c.f, asr.Config{})
			in := realtime.NewStreamBuilder(0)
			stream, err := tr.Transform(t.Context(), "asr/fake", in.Stream())
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			feed := func(chunks ...*realtime.MessageChunk) {
				if err := in.Add(t.Context(), chunks...); err != nil {
					t.Error(err)
				}
			}
			var out []*realtime.MessageChunk
			feed(begin("mic/1", "listen.auto"), audioChunk("mic/1", 0, 1600, 99)) // fails
			for len(out) == 0 || !out[len(out)-1].IsEndOfStream() {
				chunk, err := stream.Next()
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, chunk)
			}
			feed(audioChunk("mic/1", 0, 1600, 1), end("mic/1")) // dropped
			feed(audioChunk("mic/2", 0, 1600, 1), end("mic/2"))
			feed(begin("mic/1", ""), audioChunk("mic/1", 0, 100, 1), end("mic/1"))
			in.Done()
			rest, err := readAll(stream)
			out = append(out, rest...)
			if err != io.EOF {
				t.Errorf("the stream ended with %v, want io.EOF: the failure is the route's", err)
			}
			compare(t, ofRoute(out, "mic/1"),
				"mic/1 user/ listen.auto BOS",
				`mic/1 user/anna "" transcript BOS EOS error:`+string(c.code),
				"mic/1 user/ EOS",
				"mic/1 user/ BOS",
				`mic/1 user/anna "100 samples, sum 100" transcript BOS EOS`,
				"mic/1 user/ EOS")
			compare(t, ofRoute(out, "mic/2"),
				`mic/2 user/anna "heard 1600" transcript.partial BOS`,
				`mic/2 user/anna "1600 samples, sum 1600" transcript EOS`,
				"mic/2 user/ EOS")
			stats := tr.Stats()
			if stats.Failed[c.code] != 1 || stats.Dropped[asr.DropFailed] != 100*time.Millisecond {
				t.Errorf("counted %+v, want one %q and 100 ms dropped", stats, c.code)
			}
			c.f.balanced(t)
		})
	}
}

// once is a function for the first call only.
func once(f func() error) func(context.Context) error {
	called := make(chan struct{}, 1)
	return func(context.Context) error {
		select {
		case called <- struct{}{}:
			return f()
		default:
			return nil
		}
	}
}

func failOn(pcm []int16, err error) error {
	if pcm[0] == 99 {
		return err
	}
	return nil
}

func TestFailureOfTheLastStep(t *testing.T) {
	f := &fakeRecognizer{finishing: once(func() error { return errors.New("lattice") })}
	out, _ := transform(t, asr.New(f, asr.Config{}), nil, audioChunk("mic/1", 0, 1600, 1), end("mic/1"))
	compare(t, out,
		`mic/1 user/anna "heard 1600" transcript.partial BOS`,
		`mic/1 user/anna "" transcript EOS error:engine`,
		"mic/1 user/ EOS")
	f.balanced(t)
}

// Audio of another format is refused: whoever sends it must convert it.
func TestOtherFormats(t *testing.T) {
	cases := []struct {
		mimeType string
		ok       bool
	}{
		{"audio/pcm;rate=16000", true},
		{"Audio/PCM; rate=16000", true},
		{`audio/pcm;channels=1;rate="16000"`, true},
		{"audio/pcm;rate=24000", false},
		{"audio/pcm;rate=16000;channels=2", false},
		{"audio/pcm", false},
		{"audio/pcm;rate=x", false},
		{"audio/opus", false},
		{"audio/", false},
	}
	for _, c := range cases {
		t.Run(c.mimeType, func(t *testing.T) {
			f := &fakeRecognizer{}
			out, err := transform(t, asr.New(f, asr.Config{}), nil,
				withMIME(audioChunk("mic/1", 0, 160, 1), c.mimeType), end("mic/1"))
			if err != io.EOF || len(out) < 2 {
				t.Fatalf("%d chunks and %v, want a transcript or an error on the route", len(out), err)
			}
			last := out[len(out)-2].Ctrl
			if c.ok != (last.Error == "") {
				t.Errorf("error is %q, want one: %v", last.Error, !c.ok)
			}
			if !c.ok && (asr.CodeOf(last.Error) != asr.CodeFormat || !strings.Contains(last.Error, c.mimeType) ||
				!strings.Contains(last.Error, pcm16k) || !strings.Contains(last.Error, `"mic/1"`)) {
				t.Errorf("error %q does not say route, what came and what is wanted", last.Error)
			}
			if !c.ok && f.opened != 0 {
				t.Error("a decoder was taken for audio that cannot be recognised")
			}
		})
	}
	if out, _ := transform(t, asr.New(&fakeRecognizer{}, asr.Config{}), nil, &realtime.MessageChunk{
		Role: realtime.RoleUser, Part: &realtime.Gap{MIMEType: "audio/opus", Duration: time.Second},
		Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"},
	}); len(out) != 1 || asr.CodeOf(out[0].Ctrl.Error) != asr.CodeFormat {
		t.Errorf("a gap in Opus gave %d chunks, want the format refused", len(out))
	}
}

func TestErrorText(t *testing.T) {
	cause := errors.New("boom")
	e := &asr.Error{Code: asr.CodeBusy, Route: "mic/1", Err: cause}
	if got, want := e.Error(), `asr: busy: route "mic/1": boom`; got != want {
		t.Errorf("text is %q, want %q", got, want)
	}
	if !errors.Is(e, cause) {
		t.Error("the cause cannot be found")
	}
	for text, want := range map[string]asr.Code{
		e.Error(): asr.CodeBusy, "": "", "asr: busy": "", "asr: strange: route \"x\": y": "", "tts: busy: route x": "",
	} {
		if got := asr.CodeOf(text); got != want {
			t.Errorf("the code of %q is %q, want %q", text, got, want)
		}
	}
}

// Late audio of a route that has ended begins nothing (G31).
func TestLateAudio(t *testing.T) {
	f := &fakeRecognizer{}
	tr := asr.New(f, asr.Config{})
	out, _ := transform(t, tr, nil,
		audioChunk("mic/1", 0, 100, 1), end("mic/1"),
		audioChunk("mic/1", 0, 1600, 1), end("mic/1"), end("mic/1"))
	compare(t, out,
		`mic/1 user/anna "100 samples, sum 100" transcript BOS EOS`,
		"mic/1 user/ EOS")
	if d := tr.Stats().Dropped[asr.DropLate]; d != 100*time.Millisecond {
		t.Errorf("%v counted as late, want 100ms", d)
	}
}

// Streams with endless routes take bounded memory: a route beyond the limit is
// refused, and one that was refused may come again.
func TestTooManyRoutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeRecognizer{}
		tr := asr.New(f, asr.Config{Routes: 2})
		out, _ := transform(t, tr, nil,
			audioChunk("a", 0, 10, 1), audioChunk("b", 0, 10, 1),
			audioChunk("c", 0, 10, 1), audioChunk("c", 0, 1600, 1), end("c"),
			end("a"), begin("c", ""), audioChunk("c", 0, 20, 1), end("c"))
		compare(t, ofRoute(out, "c"),
			`c user/anna "" transcript BOS EOS error:busy`,
			"c user/ BOS",
			`c user/anna "20 samples, sum 20" transcript BOS EOS`,
			"c user/ EOS")
		if n := tr.Stats().Failed[asr.CodeBusy]; n != 1 {
			t.Errorf("%d routes counted as refused, want 1", n)
		}
	})
}

// Three utterances at once on one decoder: the third is refused at its
// deadline, the second waits and loses nothing.
func TestWaitForADecoder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeRecognizer{decoders: make(chan struct{}, 1)}
		tr := asr.New(f, asr.Config{})
		in := realtime.NewStreamBuilder(0)
		out, err := tr.Transform(t.Context(), "asr/fake", in.Stream())
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		feed := func(chunks ...*realtime.MessageChunk) {
			if err := in.Add(t.Context(), chunks...); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		feed(audioChunk("a", 0, 1600, 1))
		time.Sleep(time.Second) // the third waits longer than the second
		feed(audioChunk("b", 0, 1600, 1), audioChunk("b", 0, 1600, 1))
		time.Sleep(time.Second)
		feed(end("a"), end("b"))
		in.Done()
		chunks, end := readAll(out)
		if end != io.EOF {
			t.Errorf("the stream ended with %v", end)
		}
		compare(t, ofRoute(chunks, "b"),
			`b user/anna "heard 1600" transcript.partial BOS`,
			`b user/anna "heard 3200" transcript.partial`,
			`b user/anna "3200 samples, sum 3200" transcript EOS`,
			"b user/ EOS")
		f.balanced(t)
	})
}

// A full queue stops the reading: the chunks wait where they come from, none
// is lost.
func TestBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		f := &fakeRecognizer{opening: func(context.Context) error { <-release; return nil }}
		in := realtime.NewStreamBuilder(1)
		out, err := asr.New(f, asr.Config{Queue: 4}).Transform(t.Context(), "asr/fake", in.Stream())
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		const chunks = 20
		added := 0
		go func() {
			for range chunks {
				if in.Add(t.Context(), audioChunk("mic/1", 0, 1600, 1)) != nil {
					return
				}
				added++
			}
			in.Done()
		}()
		synctest.Wait()
		// One is with the recogniser, four in the queue, one with the reader,
		// one in the input.
		if added != 7 {
			t.Errorf("%d chunks were taken while the recogniser stood still, want 7", added)
		}
		close(release)
		all, _ := readAll(out)
		if got := show(all[len(all)-1]); got != fmt.Sprintf("mic/1 user/anna %q transcript EOS", "32000 samples, sum 32000") {
			t.Errorf("the transcript is %s, want all %d chunks in it", got, chunks)
		}
	})
}

// Closing the result ends everything, wherever it waits, and joins it.
func TestCloseUnblocks(t *testing.T) {
	waitForever := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	cases := map[string]*fakeRecognizer{
		"reading":   {},
		"opening":   {opening: waitForever},
		"writing":   {writing: func(ctx context.Context, _ []int16) error { return waitForever(ctx) }},
		"finishing": {finishing: waitForever},
	}
	for name, f := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := asr.New(f, asr.Config{})
				in := realtime.NewStreamBuilder(0)
				out, err := tr.Transform(t.Context(), "asr/fake", in.Stream())
				if err != nil {
					t.Fatal(err)
				}
				if err := in.Add(t.Context(), audioChunk("mic/1", 0, 1600, 1)); err != nil {
					t.Fatal(err)
				}
				if name == "finishing" {
					if err := in.Add(t.Context(), end("mic/1")); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				if err := out.Close(); err != nil {
					t.Error(err)
				}
				// The input is closed too: its producer is not left waiting.
				if err := in.Add(t.Context(), end("mic/1")); !errors.Is(err, realtime.ErrStreamClosed) {
					t.Errorf("the input still takes chunks: %v", err)
				}
				f.balanced(t)
				if s := tr.Stats(); len(s.Failed) != 0 {
					t.Errorf("counted %+v: a closed stream is no failure of an utterance", s)
				}
			})
		})
	}
}

// A consumer that does not read holds up its own stream only, and no engine.
func TestSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeRecognizer{decoders: make(chan struct{}, 1)}
		var in []*realtime.MessageChunk
		for i := range 100 {
			route := fmt.Sprint("mic/", i)
			in = append(in, audioChunk(route, 0, 160, 1), end(route))
		}
		out, err := asr.New(f, asr.Config{}).Transform(t.Context(), "asr/fake", source(nil, in...))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the output is full
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		f.balanced(t)
	})
}

// When ctx is done the stream fails with its cause.
func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("the session ended")
		ctx, cancel := context.WithCancelCause(t.Context())
		in := realtime.NewStreamBuilder(0)
		out, err := asr.New(&fakeRecognizer{}, asr.Config{}).Transform(ctx, "asr/fake", in.Stream())
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if err := in.Add(t.Context(), audioChunk("mic/1", 0, 160, 1)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cancel(gone)
		if _, err := readAll(out); !errors.Is(err, gone) {
			t.Errorf("the stream ended with %v, want the cause %v", err, gone)
		}
	})
}
