package digest

import (
	"time"
	"unicode/utf8"

	"edged/dialog"
	"edged/session/log"
)

// Said is something that was said, or its length where the log holds no
// transcripts.
type Said struct {
	Text  string `json:"text,omitempty"`
	Chars int    `json:"chars,omitempty"`
}

// IsEmpty reports that nothing was said.
func (s Said) IsEmpty() bool { return s.Chars == 0 }

// said returns the text of a field of the record.
func said(rec log.Record, field string, text log.Text) Said {
	if n, ok := rec.Chars[field]; ok {
		return Said{Chars: n}
	}
	return Said{Text: string(text), Chars: utf8.RuneCountInString(string(text))}
}

// Outcome is how a turn ended.
type Outcome string

// Outcomes.
const (
	// Open: it goes on.
	Open Outcome = "open"
	// Done: the reply was played to its end.
	Done Outcome = "done"
	// Interrupted: it was cut off.
	Interrupted Outcome = "interrupted"
	// Failed: a stage failed and there was no reply.
	Failed Outcome = "failed"
	// Silent: it is over, nothing was replied and nothing failed.
	Silent Outcome = "silent"
)

// Turn is what happened in one turn. Times of stages count from the end of the
// user's speech, or from the trigger of a reply that nobody asked for; nil means
// that the stage was not reached.
type Turn struct {
	Turn dialog.Turn `json:"turn"`
	// Began is when the log first speaks of it.
	Began   time.Time `json:"began"`
	Outcome Outcome   `json:"outcome"`
	// Question is what was understood, Reply what the model answered. Heard is
	// the part of it that was played, Unheard what was cut off.
	Question Said `json:"question"`
	Reply    Said `json:"reply"`
	Heard    Said `json:"heard"`
	Unheard  Said `json:"unheard"`

	// SpeechMS is how long the user spoke; 0 where that is not known.
	SpeechMS      log.MS  `json:"speech_ms"`
	EndpointMS    *log.MS `json:"endpoint_ms,omitempty"`
	ASRFinalMS    *log.MS `json:"asr_final_ms,omitempty"`
	FirstTokenMS  *log.MS `json:"first_token_ms,omitempty"`
	FirstAudioMS  *log.MS `json:"first_audio_ms,omitempty"`
	FirstPacketMS *log.MS `json:"first_packet_ms,omitempty"`
	GenDoneMS     *log.MS `json:"gen_done_ms,omitempty"`
	// AudioMS is the length of the reply that was played, Acknowledged whether
	// the device itself counted it.
	AudioMS      log.MS `json:"audio_ms"`
	Acknowledged bool   `json:"acknowledged"`

	Interrupt *Interrupt `json:"interrupt,omitempty"`
	BargeIns  []BargeIn  `json:"barge_ins,omitempty"`
	Tools     []Tool     `json:"tools,omitempty"`
	Errors    []Fault    `json:"errors,omitempty"`
	Usage     *log.Usage `json:"usage,omitempty"`

	utterance string
	origin    time.Time // of the times of stages
}

// Interrupt is how a turn was cut off.
type Interrupt struct {
	Cause    dialog.Cause `json:"cause"`
	SentMS   log.MS       `json:"sent_ms"`
	PlayedMS log.MS       `json:"played_ms"`
	// ReactionMS is the time from the onset of the speech to the flush; 0 where
	// it was not speech.
	ReactionMS log.MS `json:"reaction_ms,omitempty"`
}

// BargeIn is speech during the turn that was judged.
type BargeIn struct {
	Utterance string `json:"utterance"`
	// Held tells that the reply paused meanwhile.
	Held bool `json:"held"`
	// Verdict is "confirm", "reject", or "" while it is judged.
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	Text    Said   `json:"text"`
}

// Tool is a tool call. AtMS is when it began, on the scale of the stages.
type Tool struct {
	Call  string  `json:"call"`
	Tool  string  `json:"tool"`
	AtMS  log.MS  `json:"at_ms"`
	MS    *log.MS `json:"ms,omitempty"` // nil while it runs
	Error string  `json:"error,omitempty"`
}

// Fault is an error of a stage.
type Fault struct {
	Time    time.Time        `json:"time"`
	Stage   string           `json:"stage"`
	Code    dialog.ErrorCode `json:"code"`
	Message string           `json:"message"`
	MS      log.MS           `json:"ms,omitempty"`
}

// Stage is a part of the time that the user waited.
type Stage struct {
	// Name is "endpoint", "asr", "generate", "tts", or "send".
	Name string
	// From and To count from the end of speech. From is not before the end of
	// the stage before it, and To not before From, whatever the log says.
	From, To time.Duration
}

// Stages returns those that were reached, in causal order.
func (t *Turn) Stages() []Stage {
	var stages []Stage
	at := time.Duration(0)
	for _, s := range []struct {
		name string
		end  *log.MS
	}{
		{"endpoint", t.EndpointMS}, {"asr", t.ASRFinalMS}, {"generate", t.FirstTokenMS},
		{"tts", t.FirstAudioMS}, {"send", t.FirstPacketMS},
	} {
		if s.end == nil {
			continue
		}
		end := max(at, time.Duration(*s.end))
		stages = append(stages, Stage{s.name, at, end})
		at = end
	}
	return stages
}

// add applies a record of the turn.
func (t *Turn) add(rec log.Record) {
	switch e := rec.Event.(type) {
	case log.GenFirstToken:
		t.FirstTokenMS = &e.MS
	case log.GenDone:
		t.GenDoneMS, t.Reply = &e.MS, said(rec, "text", e.Text)
	case log.TTSFirstAudio:
		t.FirstAudioMS = &e.MS
	case log.ReplyFirstPacket:
		t.FirstPacketMS = &e.MS
	case log.ReplyDone:
		t.Outcome, t.AudioMS, t.Acknowledged = Done, e.AudioMS, e.Acknowledged
		t.Heard = said(rec, "text", e.Text)
	case log.Interrupt:
		t.Outcome, t.AudioMS, t.Acknowledged = Interrupted, e.PlayedMS, e.Acknowledged
		t.Heard, t.Unheard = said(rec, "heard", e.Heard), said(rec, "unheard", e.Unheard)
		t.Interrupt = &Interrupt{Cause: e.Cause, SentMS: e.SentMS, PlayedMS: e.PlayedMS, ReactionMS: e.ReactionMS}
	case log.Usage:
		t.Usage = &e
	case log.Error:
		t.Errors = latest(append(t.Errors, fault(rec, e)), keepRest)
	case log.ToolCall:
		t.Tools = latest(append(t.Tools, Tool{Call: e.Call, Tool: e.Tool, AtMS: t.since(rec.Time)}), keepRest)
	case log.ToolResult:
		for i := range t.Tools {
			if t.Tools[i].Call == e.Call {
				t.Tools[i].MS, t.Tools[i].Error = &e.MS, e.Error
			}
		}
	case log.BargeInSuspect:
		t.BargeIns = latest(append(t.BargeIns, BargeIn{Utterance: e.Utterance, Held: e.Held}), keepRest)
	case log.BargeInConfirm:
		t.judge(e.Utterance, "confirm", e.Reason, Said{})
	case log.BargeInReject:
		t.judge(e.Utterance, "reject", e.Reason, said(rec, "text", e.Text))
	}
}

func fault(rec log.Record, e log.Error) Fault {
	return Fault{Time: rec.Time, Stage: e.Stage, Code: e.Code, Message: e.Message, MS: e.MS}
}

func (t *Turn) judge(utterance, verdict, reason string, text Said) {
	for i := range t.BargeIns {
		if b := &t.BargeIns[i]; b.Utterance == utterance {
			b.Verdict, b.Reason, b.Text = verdict, reason, text
			return
		}
	}
	t.BargeIns = latest(append(t.BargeIns, BargeIn{Utterance: utterance, Verdict: verdict, Reason: reason, Text: text}), keepRest)
}

// since places a moment on the scale of the stages.
func (t *Turn) since(at time.Time) log.MS {
	origin := t.origin
	if origin.IsZero() {
		origin = t.Began
	}
	return log.MS(max(0, at.Sub(origin)))
}
