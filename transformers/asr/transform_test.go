package asr_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"edged/realtime"
	"edged/transformers"
	"edged/transformers/asr"
)

var _ transformers.Transformer = (*asr.Transformer)(nil)

// An utterance becomes partials and one transcript on its own route, with role
// and name of the speaker, and the boundaries of the route stay (G32).
func TestUtterance(t *testing.T) {
	f := &fakeRecognizer{}
	out, err := transform(t, asr.New(f, asr.Config{}), nil,
		begin("mic/1", "listen.auto"),
		audioChunk("mic/1", 1001, 960, 1),
		audioChunk("mic/1", 1061, 960, 1),
		audioChunk("mic/1", 1121, 960, 1),
		audioChunk("mic/1", 1181, 960, 1),
		end("mic/1"),
	)
	if err != io.EOF {
		t.Errorf("the stream ended with %v, want io.EOF", err)
	}
	compare(t, out,
		"mic/1 user/ listen.auto BOS",
		`mic/1 user/anna "heard 1600" transcript.partial BOS @1121`,
		`mic/1 user/anna "heard 3200" transcript.partial @1241`,
		`mic/1 user/anna "3840 samples, sum 3840" transcript EOS @1241`,
		"mic/1 user/ EOS",
	)
	if want := []int{1600, 1600, 640}; !slices.Equal(f.blocks, want) {
		t.Errorf("the recogniser got blocks of %v samples, want %v: 100 ms each and the rest", f.blocks, want)
	}
	f.balanced(t)
}

// The end of the audio channel ends the utterance as well (G05), and the last
// chunk's audio counts (G09).
func TestEndOfAudioChannel(t *testing.T) {
	f := &fakeRecognizer{}
	tr := asr.New(f, asr.Config{})
	out, _ := transform(t, tr, nil,
		beginning(audioChunk("mic/1", 0, 160, 1)),
		ending(audioChunk("mic/1", 0, 160, 2)),
		end("mic/1"),                                      // of a route that has ended: of no meaning (G31)
		ending(beginning(audioChunk("mic/2", 0, 100, 1))), // all in one (G12)
	)
	compare(t, ofRoute(out, "mic/1"),
		`mic/1 user/anna "320 samples, sum 480" transcript BOS EOS`)
	compare(t, ofRoute(out, "mic/2"),
		`mic/2 user/anna "100 samples, sum 100" transcript BOS EOS`)
	f.balanced(t)
	if s := tr.Stats(); s.Utterances != 2 || s.Accepted != 2 || s.Empty != 0 || len(s.Failed) != 0 {
		t.Errorf("counted %+v, want two utterances", s)
	}
}

// Routes may interleave; each is its own utterance (G08, G17).
func TestRoutesInterleave(t *testing.T) {
	f := &fakeRecognizer{}
	var in []*realtime.MessageChunk
	for range 4 {
		in = append(in, audioChunk("mic/1", 0, 800, 1), audioChunk("mic/2", 0, 800, 2))
	}
	out, _ := transform(t, asr.New(f, asr.Config{}), nil, append(in, end("mic/2"), end("mic/1"))...)
	compare(t, ofRoute(out, "mic/1"),
		`mic/1 user/anna "heard 1600" transcript.partial BOS`,
		`mic/1 user/anna "heard 3200" transcript.partial`,
		`mic/1 user/anna "3200 samples, sum 3200" transcript EOS`,
		"mic/1 user/ EOS")
	compare(t, ofRoute(out, "mic/2"),
		`mic/2 user/anna "heard 1600" transcript.partial BOS`,
		`mic/2 user/anna "heard 3200" transcript.partial`,
		`mic/2 user/anna "3200 samples, sum 6400" transcript EOS`,
		"mic/2 user/ EOS")
	f.balanced(t)
}

// A route that begins anew before it has ended is two utterances; a StreamID
// that is used again keeps the order of its utterances.
func TestRouteBeginsAnew(t *testing.T) {
	f := &fakeRecognizer{}
	out, _ := transform(t, asr.New(f, asr.Config{}), nil,
		audioChunk("mic", 0, 100, 1),
		begin("mic", ""),
		audioChunk("mic", 0, 200, 1),
		end("mic"),
		begin("mic", ""),
		audioChunk("mic", 0, 300, 1),
		end("mic"),
	)
	compare(t, out,
		`mic user/anna "100 samples, sum 100" transcript BOS EOS`,
		"mic user/ BOS",
		`mic user/anna "200 samples, sum 200" transcript BOS EOS`,
		"mic user/ EOS",
		"mic user/ BOS",
		`mic user/anna "300 samples, sum 300" transcript BOS EOS`,
		"mic user/ EOS",
	)
	f.balanced(t)
}

// Whoever waits for a transcript gets one, even of nothing: no decoder is
// needed for that.
func TestNothingSaid(t *testing.T) {
	f := &fakeRecognizer{}
	tr := asr.New(f, asr.Config{})
	out, _ := transform(t, tr, nil, begin("mic/1", "listen.manual"), end("mic/1"))
	compare(t, out,
		"mic/1 user/ listen.manual BOS",
		`mic/1 user/ "" transcript BOS EOS`,
		"mic/1 user/ EOS")
	if s := tr.Stats(); f.opened != 0 || s.Utterances != 1 || s.Empty != 1 {
		t.Errorf("%d utterances opened, counted %+v; want one empty utterance and no decoder", f.opened, s)
	}
}

// The end of the stream ends its utterances (G36), and is passed on.
func TestEndOfStream(t *testing.T) {
	truncated := &realtime.State{Status: realtime.StatusTruncated}
	for name, finish := range map[string]error{"EOF": nil, "a state": truncated} {
		t.Run(name, func(t *testing.T) {
			f := &fakeRecognizer{}
			out, err := transform(t, asr.New(f, asr.Config{}), finish, audioChunk("mic/1", 0, 160, 1), audioChunk("mic/2", 0, 320, 1))
			if want := cmpOr(finish, io.EOF); err != want {
				t.Errorf("the stream ended with %v, want %v", err, want)
			}
			compare(t, ofRoute(out, "mic/1"),
				`mic/1 user/anna "160 samples, sum 160" transcript BOS EOS`)
			compare(t, ofRoute(out, "mic/2"),
				`mic/2 user/anna "320 samples, sum 320" transcript BOS EOS`)
			f.balanced(t)
		})
	}
}

func cmpOr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// A failure of the input is no end of an utterance: what was said is unknown.
func TestFailureOfTheInput(t *testing.T) {
	broken := errors.New("the connection broke")
	f := &fakeRecognizer{}
	out, err := transform(t, asr.New(f, asr.Config{}), broken, audioChunk("mic/1", 0, 160, 1))
	if !errors.Is(err, broken) || len(out) != 0 {
		t.Errorf("%d chunks and %v, want the input's failure alone", len(out), err)
	}
	f.balanced(t)
}

// A Gap is silence of its duration, up to a limit (F52: time goes on).
func TestGaps(t *testing.T) {
	f := &fakeRecognizer{}
	tr := asr.New(f, asr.Config{})
	out, _ := transform(t, tr, nil,
		audioChunk("mic/1", 1, 160, 3),
		gap("mic/1", 60*time.Millisecond),
		gap("mic/1", 10*time.Second),
		audioChunk("mic/1", 10071, 160, 3),
		end("mic/1"),
	)
	// 160 + 960 + 16000 + 160
	last := out[len(out)-2]
	if got, want := show(last), `mic/1 user/anna "17280 samples, sum 960" transcript EOS @10081`; got != want {
		t.Errorf("transcript is\n\t%s\nwant\n\t%s", got, want)
	}
	if d := tr.Stats().Dropped[asr.DropGap]; d != 9*time.Second {
		t.Errorf("%v of gaps were left out, want 9s", d)
	}
}

// Blobs may be cut inside a sample (F07).
func TestOddBlobs(t *testing.T) {
	f := &fakeRecognizer{}
	whole := audioChunk("mic/1", 0, 100, 0x0102).Part.(*realtime.Blob).Data
	piece := func(data []byte) *realtime.MessageChunk {
		c := audioChunk("mic/1", 0, 0, 0)
		c.Part.(*realtime.Blob).Data = data
		return c
	}
	out, _ := transform(t, asr.New(f, asr.Config{}), nil,
		piece(whole[:1]), piece(nil), piece(whole[1:2]), piece(whole[2:77]), piece(whole[77:200]), end("mic/1"))
	if got := show(out[len(out)-2]); got != `mic/1 user/anna "100 samples, sum 25800" transcript BOS EOS` {
		t.Errorf("transcript is %s, want 100 samples of 258", got)
	}
}

// What is not speech of the user passes through, whatever it is; audio that is
// kept for the history is none (G16).
func TestOtherChunksPass(t *testing.T) {
	f := &fakeRecognizer{}
	spoken := audioChunk("reply/1", 0, 160, 1)
	spoken.Role = realtime.RoleModel
	kept := audioChunk("mic/0", 0, 160, 1)
	kept.Ctrl.Label = realtime.LabelHistoryUserAudio
	others := []*realtime.MessageChunk{
		{Role: realtime.RoleUser, Part: realtime.Text("typed")}, // no Ctrl (G01)
		{Role: realtime.RoleModel, ToolCall: &realtime.ToolCall{ID: "1", Name: "lamp"}, Ctrl: &realtime.StreamCtrl{StreamID: "reply/1"}},
		{Role: realtime.RoleUser, Part: &realtime.Blob{MIMEType: "image/png"}, Ctrl: &realtime.StreamCtrl{StreamID: "camera"}},
		spoken,
		kept,
		{Ctrl: &realtime.StreamCtrl{StreamID: "reply/1", Error: "a remark", EndOfStream: true}},
	}
	out, _ := transform(t, asr.New(f, asr.Config{}), nil, others...)
	if !slices.Equal(out, others) {
		t.Errorf("%d chunks came through, want the %d that went in, unchanged", len(out), len(others))
	}
	if f.opened != 0 {
		t.Error("an utterance was opened for what is no speech of the user")
	}
}

// Text of the user on the route of an utterance keeps its place.
func TestTextAmidSpeechKeepsItsPlace(t *testing.T) {
	typed := &realtime.MessageChunk{Role: realtime.RoleUser, Part: realtime.Text("typed"), Ctrl: &realtime.StreamCtrl{StreamID: "mic/1"}}
	out, _ := transform(t, asr.New(&fakeRecognizer{}, asr.Config{}), nil,
		audioChunk("mic/1", 0, 1600, 1), typed, end("mic/1"))
	compare(t, out,
		`mic/1 user/anna "heard 1600" transcript.partial BOS`,
		`mic/1 user/ "typed"`,
		`mic/1 user/anna "1600 samples, sum 1600" transcript EOS`,
		"mic/1 user/ EOS")
}

// A partial that says nothing new is not sent.
func TestUnchangedPartials(t *testing.T) {
	out, _ := transform(t, asr.New(constantRecognizer{}, asr.Config{}), nil,
		audioChunk("mic/1", 0, 16000, 1), end("mic/1"))
	compare(t, out,
		`mic/1 user/anna "hello" transcript.partial BOS`,
		`mic/1 user/anna "hello world" transcript EOS`,
		"mic/1 user/ EOS")
}

// constantRecognizer hears the same at once.
type constantRecognizer struct{}

func (constantRecognizer) Open(context.Context) (asr.Utterance, error) {
	return constantRecognizer{}, nil
}

func (constantRecognizer) Write(context.Context, []int16) (string, error) { return "hello", nil }

func (constantRecognizer) Finish(context.Context) (asr.Result, error) {
	return asr.Result{Text: "hello world"}, nil
}

func (constantRecognizer) Close() error { return nil }
