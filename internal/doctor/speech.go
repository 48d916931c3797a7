package doctor

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"edged/audio/pcm"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
)

// The question that the simulated device asks, and what a right answer holds one of.
const Question = "What is seven plus five?"

var rightAnswers = []string{"12", "twelve"}

// Trip is one spoken question and its answer: a simulated device connects, speaks
// in real time and listens to the reply.
type Trip struct {
	// Device is what to be and where to connect.
	Device edgetest.Config
	// PCM is Question, spoken, at the rate of the device's microphone.
	PCM []int16
	// Recognise understands 16 kHz sound; nil leaves out whether the reply can be
	// understood.
	Recognise func(ctx context.Context, pcm []int16) (string, error)
}

const (
	// tripPatience bounds the whole: two seconds of question, a few of reply, and
	// models that are slow.
	tripPatience = 60 * time.Second
	// inaudible is a level that nobody hears; the voices of flite have -16 to -28.
	inaudible = -50
	// understandable is the share of the words of a reply that a recogniser must hear
	// for it to count as understandable. One for commands hears two or three of four
	// with the voices of flite; of noise, or of another sample rate, next to none.
	understandable = 0.25
)

// Look asks.
func (t Trip) Look(ctx context.Context) []Finding {
	ctx, cancel := context.WithTimeoutCause(ctx, tripPatience, edgetest.ErrNoAnswer)
	defer cancel()
	device, err := edgetest.Dial(ctx, t.Device)
	if err != nil {
		return []Finding{refused(t.Device.URL, err)}
	}
	answer, err := device.Ask(ctx, edgetest.Question{PCM: t.PCM})
	_ = device.Close(context.WithoutCancel(ctx)) // what it has to say, the server has said
	found := []Finding{okf("a device connected to %s, session %s", t.Device.URL, device.Hello().Session)}
	found = append(found, heard(answer)...)
	found = append(found, t.answered(ctx, answer, err)...)
	found = append(found, stages(answer)...)
	for _, fault := range device.Faults() {
		found = append(found, problemf("the server broke the protocol: %v", fault).
			because("devices are not made for that", Fix{Text: "report it with this line"}))
	}
	return append(found, sound(answer, device.Stats())...)
}

// refused says why there was no session.
func refused(url string, err error) Finding {
	const why = "no device can talk to this server"
	f := problemf("a device could not connect to %s: %v", url, err)
	refusal := new(edgetest.ServerError)
	switch {
	case errors.Is(err, unix.ECONNREFUSED):
		return problemf("nobody listens at %s", url).because(why, Fix{Text: "start the server, or name another with --url", Command: "edged serve"})
	case !errors.As(err, &refusal):
		return f.because(why, Fix{Text: "see that the name and the network are right"})
	case refusal.Status == 401 || refusal.Failure != nil && refusal.Failure.Code == wire.CodeUnauthorized:
		return problemf("%s refused the token", url).because("a device with this token cannot connect", Fix{Text: "give one that the server knows with --token or EDGED_TOKEN"})
	case refusal.Status == 503 || refusal.Failure != nil && refusal.Failure.Code == wire.CodeBusy:
		return problemf("%s is full or not ready", url).because("devices are told to try again later", Fix{Text: "wait, or admit more of them", Key: "server.max_sessions"})
	case refusal.Status == 404:
		return problemf("%s is a web server, but no edged", url).because(why, Fix{Text: "name edged's address, and what a proxy in front of it does with " + wire.Path})
	}
	return f.because(why, Fix{Text: "see what the server says on its standard error"})
}

// heard tells what the server understood of the question.
func heard(a edgetest.Answer) []Finding {
	asked, understood := words(Question), words(a.Transcript)
	const why = "who is not understood is not answered"
	switch {
	case len(understood) == 0 && a.Turn == 0 && a.Seen.SpeechStopped < 0:
		return []Finding{problemf("asked %q, and the server heard nobody speak", Question).
			because(why, Fix{Text: "see the engines above, and profiles.NAME.endpointing"})}
	case len(understood) == 0:
		return []Finding{problemf("asked %q, and nothing was understood", Question).because(why, Fix{Text: "see the engines above", Key: "profiles.default.asr"})}
	case strings.Join(asked, " ") != strings.Join(understood, " "):
		return []Finding{warningf("asked %q, and %q was understood", Question, a.Transcript).
			because("a clear voice without noise should be understood word for word", Fix{Text: "try the default model and voice", Key: "profiles.default.asr"})}
	}
	return []Finding{okf("asked %q, and understood word for word", Question)}
}

// answered tells what came back.
func (t Trip) answered(ctx context.Context, a edgetest.Answer, err error) []Finding {
	const why = "a user would hear nothing"
	switch {
	case a.Failure != nil:
		return []Finding{problemf("the server failed: %s: %s", a.Failure.Code, a.Failure.Message).
			because("the user hears an apology instead of an answer", Fix{Text: "see the engines above and what the server says on its standard error"})}
	case err != nil:
		return []Finding{problemf("there was no answer: %v", err).because(why, Fix{Text: "see the engines above and what the server says on its standard error"})}
	case a.Received == 0:
		return []Finding{problemf("the reply %q came without sound", a.Reply).because(why, Fix{Text: "see the engines above", Key: "profiles.default.tts"})}
	case pcm.Level(a.PCM) < inaudible:
		return []Finding{problemf("the reply %q came as silence (%.0f dB of full scale)", a.Reply, pcm.Level(a.PCM)).
			because(why, Fix{Text: "see the engines above, and try another voice", Key: "profiles.default.tts"})}
	}
	found := []Finding{okf("answered %q, %.1f s of sound at %.0f dB of full scale", a.Reply, a.Received.Seconds(), pcm.Level(a.PCM))}
	if !containsWord(words(a.Reply), rightAnswers) {
		found = append(found, warningf("that is not the answer: it should say %s", rightAnswers[0]).
			because("what was understood, or the model, is wrong", Fix{Text: "try the default model", Key: "profiles.default.generator"}))
	}
	return append(found, t.understood(ctx, a)...)
}

// understood has the recogniser listen to the reply.
func (t Trip) understood(ctx context.Context, a edgetest.Answer) []Finding {
	if t.Recognise == nil {
		return nil
	}
	text, err := t.Recognise(ctx, a.PCM)
	if err != nil {
		return []Finding{skippedf("whether the reply can be understood is not known: %v", err)}
	}
	// Figures are spoken as words.
	all, got := 0, 0
	recognised := words(text)
	for _, w := range words(a.Reply) {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			continue
		}
		all++
		if containsWord(recognised, []string{w}) {
			got++
		}
	}
	if all == 0 {
		return nil
	}
	if float64(got) < understandable*float64(all) {
		return []Finding{warningf("of the words of the reply, the recogniser heard %d of %d: %q", got, all, text).
			because("a user may not understand it, either", Fix{Text: "listen to it (edged device --out reply.wav), and try another voice", Key: "profiles.default.tts"})}
	}
	return []Finding{okf("the recogniser understands the reply, too: %d of %d words", got, all)}
}

// sound tells how the reply's sound arrived.
func sound(a edgetest.Answer, s edgetest.Stats) []Finding {
	if a.Received == 0 {
		return nil
	}
	if s.Starved == 0 && s.Lost == 0 && s.Undecodable == 0 && s.Overflowed == 0 {
		return []Finding{okf("%d packets of sound came without a gap", s.Received)}
	}
	return []Finding{warningf("the sound had gaps: %d packets lost, %d not decodable, %d found the device's queue full; it ran dry %d times for %v",
		s.Lost, s.Undecodable, s.Overflowed, s.Starved, s.StarvedFor.Round(time.Millisecond)).
		because("replies stutter", Fix{Text: "see what else runs on this machine, and the network in between", Command: "ps -e --sort=-pcpu -o pcpu,args | head"})}
}

// words are the words of a text without case and marks.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
}

func containsWord(words, any []string) bool {
	for _, w := range words {
		for _, a := range any {
			if w == a {
				return true
			}
		}
	}
	return false
}
