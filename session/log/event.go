package log

import (
	"edged/dialog"
)

// Name is the stable name of an event, the value of the field "event".
type Name string

// The vocabulary. Names never change their meaning; a changed set of fields
// raises Version.
const (
	NameSessionStart     Name = "session.start"
	NameSessionEnd       Name = "session.end"
	NameSessionDetach    Name = "session.detach"
	NameSessionAttach    Name = "session.attach"
	NameWake             Name = "wake"
	NameSpeechStart      Name = "speech.start"
	NameSpeechEnd        Name = "speech.end"
	NameASRPartial       Name = "asr.partial"
	NameASRFinal         Name = "asr.final"
	NameGenFirstToken    Name = "gen.first_token"
	NameGenDone          Name = "gen.done"
	NameTTSFirstAudio    Name = "tts.first_audio"
	NameReplyFirstPacket Name = "reply.first_packet"
	NameReplyDone        Name = "reply.done"
	NameBargeInSuspect   Name = "barge_in.suspect"
	NameBargeInConfirm   Name = "barge_in.confirm"
	NameBargeInReject    Name = "barge_in.reject"
	NameHold             Name = "hold"
	NameResume           Name = "resume"
	NameInterrupt        Name = "interrupt"
	NameHistoryCommit    Name = "history.commit"
	NameToolCall         Name = "tool.call"
	NameToolResult       Name = "tool.result"
	NameUsage            Name = "usage"
	NameDrop             Name = "drop"
	NameError            Name = "error"
	NameGap              Name = "log.gap"
)

// Event is the payload of one log line. The set is closed; see Vocabulary.
type Event interface {
	// Name returns the event's name.
	Name() Name
}

// SessionStart: a device was admitted and its dialogue begins.
type SessionStart struct {
	// Profile is the name of the settings the session runs under.
	Profile string `json:"profile"`
	// Model and Version are the hardware and firmware, as the device told.
	Model   string `json:"model,omitempty"`
	Version string `json:"version,omitempty"`
	// Remote is the peer's network address.
	Remote string `json:"remote,omitempty"`
	// Tools counts the tools that the device offers.
	Tools int `json:"tools"`
	// Transcripts tells whether this log holds what was said.
	Transcripts bool `json:"transcripts"`
}

// SessionEnd: the dialogue is over.
type SessionEnd struct {
	// Reason is what ended it.
	Reason dialog.Cause `json:"reason"`
	// DurationMS is how long it was, with the times without a connection.
	DurationMS MS `json:"duration_ms"`
	// Turns counts the turns that were issued, Interrupted those cut off.
	Turns       int `json:"turns"`
	Interrupted int `json:"interrupted"`
}

// SessionDetach: the connection was lost; the session waits for its device.
type SessionDetach struct {
	// Reason is how the connection ended.
	Reason string `json:"reason"`
}

// SessionAttach: the device is back.
type SessionAttach struct {
	// AwayMS is how long it was gone.
	AwayMS MS `json:"away_ms"`
}

// Wake: the device's wake word was spoken.
type Wake struct {
	// Phrase is the wake word, as the device told.
	Phrase string `json:"phrase,omitempty"`
}

// SpeechStart: an utterance has begun.
type SpeechStart struct {
	// Utterance names it within the session.
	Utterance string `json:"utterance"`
	// AtMS is the media time of the onset.
	AtMS MS `json:"at_ms"`
}

// SpeechEnd: the utterance has ended.
type SpeechEnd struct {
	// Utterance names it within the session.
	Utterance string `json:"utterance"`
	// AtMS is the media time of the last speech.
	AtMS MS `json:"at_ms"`
	// MS is the wait from the last speech to the decision (the endpoint delay).
	MS MS `json:"ms"`
}

// ASRPartial: a preliminary transcript.
type ASRPartial struct {
	// Utterance names the speech within the session.
	Utterance string `json:"utterance"`
	// Text is what was understood so far.
	Text Text `json:"text"`
}

// ASRFinal: the transcript that stands.
type ASRFinal struct {
	// Utterance names the speech within the session.
	Utterance string `json:"utterance"`
	// Text is what was understood.
	Text Text `json:"text"`
	// MS is the time since the end of speech.
	MS MS `json:"ms"`
}

// GenFirstToken: the generator produced the first text.
type GenFirstToken struct {
	// MS is the time since the end of speech.
	MS MS `json:"ms"`
}

// GenDone: the generator has finished.
type GenDone struct {
	// Text is the whole answer.
	Text Text `json:"text"`
	// MS is the time since the end of speech.
	MS MS `json:"ms"`
}

// TTSFirstAudio: the first audio of the reply is ready.
type TTSFirstAudio struct {
	// MS is the time since the end of speech.
	MS MS `json:"ms"`
}

// ReplyFirstPacket: the first audio of the reply was written to the device.
type ReplyFirstPacket struct {
	// MS is the time since the end of speech.
	MS MS `json:"ms"`
}

// ReplyDone: the reply was played to its end.
type ReplyDone struct {
	// AudioMS is the length of the reply.
	AudioMS MS `json:"audio_ms"`
	// Text is what was spoken.
	Text Text `json:"text"`
	// Acknowledged tells whether the device itself counted the playback.
	Acknowledged bool `json:"acknowledged"`
}

// BargeInSuspect: somebody speaks during a turn; it may be an interruption.
type BargeInSuspect struct {
	// Utterance names the speech within the session.
	Utterance string `json:"utterance"`
	// AtMS is the media time of the onset.
	AtMS MS `json:"at_ms"`
	// Held tells that the reply pauses meanwhile.
	Held bool `json:"held"`
}

// BargeInConfirm: it is one; the interrupt follows.
type BargeInConfirm struct {
	// Utterance names the speech within the session.
	Utterance string `json:"utterance"`
	// Reason names the event that decided it.
	Reason string `json:"reason"`
	// MS is the time since the onset of the speech.
	MS MS `json:"ms"`
}

// BargeInReject: it is none; the reply goes on.
type BargeInReject struct {
	// Utterance names the speech within the session.
	Utterance string `json:"utterance"`
	// Reason names the event that decided it.
	Reason string `json:"reason"`
	// Text is what was understood.
	Text Text `json:"text"`
}

// Hold: the reply pauses.
type Hold struct {
	// AtMS is where in the reply: the end of a word.
	AtMS MS `json:"at_ms"`
}

// Resume: the reply goes on, on a device that came back.
type Resume struct {
	// FromMS is where in the reply.
	FromMS MS `json:"from_ms"`
}

// Interrupt: a turn was cut off.
type Interrupt struct {
	// Cause is what cut it off.
	Cause dialog.Cause `json:"cause"`
	// SentMS and PlayedMS are how far the reply got.
	SentMS   MS `json:"sent_ms"`
	PlayedMS MS `json:"played_ms"`
	// Acknowledged is false when PlayedMS is estimated from the pace of sending.
	Acknowledged bool `json:"acknowledged"`
	// Heard is the reply up to the last word that left the speaker, Unheard the rest.
	Heard   Text `json:"heard"`
	Unheard Text `json:"unheard"`
	// ReactionMS is the time from the onset of the speech that interrupted to
	// the written flush; 0 where it was not speech.
	ReactionMS MS `json:"reaction_ms,omitempty"`
}

// HistoryCommit: the turn entered the history, as heard.
type HistoryCommit struct {
	// User is the question, Assistant the reply as far as it was heard.
	User      Text `json:"user"`
	Assistant Text `json:"assistant"`
	// Cut tells that the assistant was interrupted there.
	Cut bool `json:"cut"`
	// Messages is the length of the history now.
	Messages int `json:"messages"`
}

// ToolCall: the model asked for a tool.
type ToolCall struct {
	// Call pairs the call with its result.
	Call string `json:"call"`
	// Tool is its name.
	Tool string `json:"tool"`
	// Arguments are JSON, as the model wrote them.
	Arguments Text `json:"arguments"`
}

// ToolResult: the tool answered.
type ToolResult struct {
	// Call is that of the tool.call.
	Call string `json:"call"`
	// Tool is its name.
	Tool string `json:"tool"`
	// Content is what the model was told.
	Content Text `json:"content"`
	// Error is the failure that the model was told of.
	Error string `json:"error,omitempty"`
	// MS is how long the tool took.
	MS MS `json:"ms"`
}

// Usage: what the turn has cost.
type Usage struct {
	// PromptTokens were read by the model, CachedTokens of them from its cache;
	// GeneratedTokens were written by it.
	PromptTokens    int `json:"prompt_tokens"`
	CachedTokens    int `json:"cached_tokens"`
	GeneratedTokens int `json:"generated_tokens"`
	// AudioMS is the audio that was synthesised.
	AudioMS MS `json:"audio_ms"`
}

// Drop: something that was lost or thrown away. Losses of microphone audio are
// told as they happen, what was not used of the rest at the end of the session.
type Drop struct {
	// What names it: "uplink" audio, or "packets" of any kind.
	What string `json:"what"`
	// Reason is why, such as "late" or "overflow".
	Reason string `json:"reason"`
	// MS is how much media it was, where that is known.
	MS MS `json:"ms"`
	// Packets counts the packets or messages, where they were counted.
	Packets int `json:"packets"`
}

// Error: something went wrong; the session goes on unless it ends next.
type Error struct {
	// Stage is where: "device", "asr", "generate", "tts", "tool", "session".
	Stage string `json:"stage"`
	// Code is what the device was told.
	Code dialog.ErrorCode `json:"code"`
	// Message says what went wrong, for operators.
	Message string `json:"message"`
	// MS is the time since the end of speech, where a stage of a turn failed.
	MS MS `json:"ms,omitempty"`
}

// Gap: here lines are missing for this reader, or in this file. It belongs to no
// session.
type Gap struct {
	// Missed counts the lines, of all sessions; 0 where that is not known.
	Missed int `json:"missed"`
	// Reason is why they are missing.
	Reason GapReason `json:"reason"`
}

// GapReason says why lines are missing.
type GapReason string

// Reasons of gaps.
const (
	// GapSlow: the reader was so slow that lines were thrown away unread.
	GapSlow GapReason = "slow"
	// GapForgotten: the reader began at a line, or a time, that is not kept any
	// more.
	GapForgotten GapReason = "forgotten"
	// GapRestart: the reader wanted to go on behind a line of another process:
	// the server was started anew.
	GapRestart GapReason = "restart"
	// GapUnwritable: the sink could not be written.
	GapUnwritable GapReason = "unwritable"
)

func (SessionStart) Name() Name     { return NameSessionStart }
func (SessionEnd) Name() Name       { return NameSessionEnd }
func (SessionDetach) Name() Name    { return NameSessionDetach }
func (SessionAttach) Name() Name    { return NameSessionAttach }
func (Wake) Name() Name             { return NameWake }
func (SpeechStart) Name() Name      { return NameSpeechStart }
func (SpeechEnd) Name() Name        { return NameSpeechEnd }
func (ASRPartial) Name() Name       { return NameASRPartial }
func (ASRFinal) Name() Name         { return NameASRFinal }
func (GenFirstToken) Name() Name    { return NameGenFirstToken }
func (GenDone) Name() Name          { return NameGenDone }
func (TTSFirstAudio) Name() Name    { return NameTTSFirstAudio }
func (ReplyFirstPacket) Name() Name { return NameReplyFirstPacket }
func (ReplyDone) Name() Name        { return NameReplyDone }
func (BargeInSuspect) Name() Name   { return NameBargeInSuspect }
func (BargeInConfirm) Name() Name   { return NameBargeInConfirm }
func (BargeInReject) Name() Name    { return NameBargeInReject }
func (Hold) Name() Name             { return NameHold }
func (Resume) Name() Name           { return NameResume }
func (Interrupt) Name() Name        { return NameInterrupt }
func (HistoryCommit) Name() Name    { return NameHistoryCommit }
func (ToolCall) Name() Name         { return NameToolCall }
func (ToolResult) Name() Name       { return NameToolResult }
func (Usage) Name() Name            { return NameUsage }
func (Drop) Name() Name             { return NameDrop }
func (Error) Name() Name            { return NameError }
func (Gap) Name() Name              { return NameGap }

// Vocabulary returns one zero event of every kind, in the order of a turn.
func Vocabulary() []Event {
	return []Event{
		SessionStart{}, SessionEnd{}, SessionDetach{}, SessionAttach{}, Wake{}, SpeechStart{}, SpeechEnd{}, ASRPartial{}, ASRFinal{},
		GenFirstToken{}, GenDone{}, TTSFirstAudio{}, ReplyFirstPacket{}, ReplyDone{},
		BargeInSuspect{}, BargeInConfirm{}, BargeInReject{}, Hold{}, Resume{}, Interrupt{}, HistoryCommit{}, ToolCall{}, ToolResult{}, Usage{}, Drop{}, Error{}, Gap{},
	}
}
