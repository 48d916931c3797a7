package wire

// ListenState says whether a listening period begins or ends.
type ListenState string

// States of Listen.
const (
	ListenStart ListenState = "start"
	ListenStop  ListenState = "stop"
)

// ListenMode says who ends an utterance.
type ListenMode string

const (
	// ModeAuto: the server ends the utterance by endpointing.
	ModeAuto ListenMode = "auto"
	// ModeManual: the device ends it with a listen stop (push to talk).
	ModeManual ListenMode = "manual"
	// ModeRealtime: the server ends utterances, and the period stays open until
	// a listen stop, also while a reply plays. For devices with the capability
	// FullDuplex.
	ModeRealtime ListenMode = "realtime"
)

// Listen opens or closes a listening period. Frames of the microphone between
// start and stop belong to it. A start while a turn is going on interrupts it.
type Listen struct {
	State ListenState `json:"state"`
	// Mode is set on start and empty on stop.
	Mode ListenMode `json:"mode,omitempty"`
}

// Kind returns KindListen.
func (Listen) Kind() Kind { return KindListen }

func (m Listen) check(c *checker) {
	oneOf(c, "state", m.State, ListenStart, ListenStop)
	if m.State == ListenStart {
		oneOf(c, "mode", m.Mode, ModeAuto, ModeManual, ModeRealtime)
	} else if m.Mode != "" {
		oneOf(c, "mode", m.Mode, ModeAuto, ModeManual, ModeRealtime)
	}
}

func decodeListen(o *object) Message {
	o.require("state")
	m := Listen{State: ListenState(o.str("state")), Mode: ListenMode(o.str("mode"))}
	if m.State == ListenStart {
		o.require("mode")
	}
	return m
}

// Wake says that the device's wake word was spoken. It stops a reply that is
// going on.
type Wake struct {
	// Phrase is the wake word, which is no part of the question. Empty means
	// untold.
	Phrase string `json:"phrase,omitempty"`
	// AudioMS is how much audio at the beginning of the listening period, which
	// is open or follows, is the wake word itself. The server hears silence for
	// it.
	AudioMS uint32 `json:"audio_ms,omitempty"`
}

// Kind returns KindWake.
func (Wake) Kind() Kind { return KindWake }

func (m Wake) check(c *checker) {
	c.text("phrase", m.Phrase, MaxLabel)
	if m.AudioMS > MaxWakeAudio {
		c.fail(fault(ErrTooLarge, -1, "audio_ms", "%d, at most %d", m.AudioMS, MaxWakeAudio))
	}
}

func decodeWake(o *object) Message {
	return Wake{Phrase: o.str("phrase"), AudioMS: o.count("audio_ms")}
}

// SpeechState says whether the user began or finished to speak.
type SpeechState string

// States of Speech.
const (
	SpeechStarted SpeechState = "started"
	SpeechStopped SpeechState = "stopped"
)

// Speech reports an edge of the user's speech. In ModeAuto the server no longer
// listens after SpeechStopped, and the device may close its microphone.
type Speech struct {
	State SpeechState `json:"state"`
	// AtMS is the media time of the onset or of the last speech, in
	// milliseconds since the first sample of the listening period.
	AtMS uint32 `json:"at_ms"`
}

// Kind returns KindSpeech.
func (Speech) Kind() Kind { return KindSpeech }

func (m Speech) check(c *checker) { oneOf(c, "state", m.State, SpeechStarted, SpeechStopped) }

func decodeSpeech(o *object) Message {
	o.require("state", "at_ms")
	return Speech{State: SpeechState(o.str("state")), AtMS: o.count("at_ms")}
}

// Transcript is what was understood so far. A later one replaces an earlier
// one of the same turn; the final one stands.
type Transcript struct {
	// Turn is the turn that the utterance became or will become; 0 when it
	// became none.
	Turn  uint32 `json:"turn"`
	Text  string `json:"text"`
	Final bool   `json:"final"`
}

// Kind returns KindTranscript.
func (Transcript) Kind() Kind { return KindTranscript }

func (m Transcript) check(c *checker) { c.text("text", m.Text, MaxText) }

func decodeTranscript(o *object) Message {
	o.require("turn", "text", "final")
	return Transcript{Turn: o.count("turn"), Text: o.str("text"), Final: o.flag("final")}
}

// Abort asks the server to stop the reply.
type Abort struct {
	// Turn is the turn to stop; 0 or absent means whatever is going on.
	Turn uint32 `json:"turn,omitempty"`
	// Reason is free text for the server's log.
	Reason string `json:"reason,omitempty"`
}

// Kind returns KindAbort.
func (Abort) Kind() Kind { return KindAbort }

func (m Abort) check(c *checker) { c.text("reason", m.Reason, MaxLabel) }

func decodeAbort(o *object) Message {
	return Abort{Turn: o.count("turn"), Reason: o.str("reason")}
}

// Timing reports when the stages of a turn were reached, in milliseconds since
// the last sample of the user's speech arrived. nil means not reached.
type Timing struct {
	Turn        uint32  `json:"turn"`
	Endpoint    *uint32 `json:"endpoint_ms,omitempty"`
	ASRFinal    *uint32 `json:"asr_final_ms,omitempty"`
	FirstToken  *uint32 `json:"first_token_ms,omitempty"`
	FirstAudio  *uint32 `json:"first_audio_ms,omitempty"`
	FirstPacket *uint32 `json:"first_packet_ms,omitempty"`
}

// Kind returns KindTiming.
func (Timing) Kind() Kind { return KindTiming }

func (m Timing) check(c *checker) { c.turn("turn", m.Turn) }

func decodeTiming(o *object) Message {
	o.require("turn")
	return Timing{
		Turn: o.count("turn"), Endpoint: o.optional("endpoint_ms"), ASRFinal: o.optional("asr_final_ms"),
		FirstToken: o.optional("first_token_ms"), FirstAudio: o.optional("first_audio_ms"),
		FirstPacket: o.optional("first_packet_ms"),
	}
}
