package wire

// ReplyBegin opens the reply of a turn. The audio frames up to its ReplyEnd
// belong to it.
type ReplyBegin struct {
	Turn uint32 `json:"turn"`
	// Resumed: the reply goes on after a lost connection, from the timestamp of
	// its first frame.
	Resumed bool `json:"resumed,omitempty"`
}

// Kind returns KindReplyBegin.
func (ReplyBegin) Kind() Kind { return KindReplyBegin }

func (m ReplyBegin) check(c *checker) { c.turn("turn", m.Turn) }

func decodeReplyBegin(o *object) Message {
	o.require("turn")
	return ReplyBegin{Turn: o.count("turn"), Resumed: o.flag("resumed")}
}

// ReplyText is a piece of what the reply says. The concatenation of all pieces
// is the whole text.
type ReplyText struct {
	Turn uint32 `json:"turn"`
	Text string `json:"text"`
	// AtMS is where the piece begins in the reply's audio, in milliseconds.
	AtMS uint32 `json:"at_ms"`
}

// Kind returns KindReplyText.
func (ReplyText) Kind() Kind { return KindReplyText }

func (m ReplyText) check(c *checker) {
	c.turn("turn", m.Turn)
	c.text("text", m.Text, MaxText)
}

func decodeReplyText(o *object) Message {
	o.require("turn", "text", "at_ms")
	return ReplyText{Turn: o.count("turn"), Text: o.str("text"), AtMS: o.count("at_ms")}
}

// ReplyEnd closes the reply: all of it was sent.
type ReplyEnd struct {
	Turn uint32 `json:"turn"`
	// DurationMS is how much audio the reply has, in milliseconds, rounded up.
	DurationMS uint32 `json:"duration_ms"`
}

// Kind returns KindReplyEnd.
func (ReplyEnd) Kind() Kind { return KindReplyEnd }

func (m ReplyEnd) check(c *checker) { c.turn("turn", m.Turn) }

func decodeReplyEnd(o *object) Message {
	o.require("turn", "duration_ms")
	return ReplyEnd{Turn: o.count("turn"), DurationMS: o.count("duration_ms")}
}

// Hold makes the device pause the reply. It keeps what it has queued and takes
// in what still comes. Only devices with the capability Hold are told.
type Hold struct {
	Turn uint32 `json:"turn"`
	// Samples is the position, on the scale of Played, where the speaker stops;
	// at once if that has passed.
	Samples uint32 `json:"samples"`
}

// Kind returns KindHold.
func (Hold) Kind() Kind { return KindHold }

func (m Hold) check(c *checker) { c.turn("turn", m.Turn) }

func decodeHold(o *object) Message {
	o.require("turn", "samples")
	return Hold{Turn: o.count("turn"), Samples: o.count("samples")}
}

// Release makes the device go on where a Hold made it pause.
type Release struct {
	Turn uint32 `json:"turn"`
}

// Kind returns KindRelease.
func (Release) Kind() Kind { return KindRelease }

func (m Release) check(c *checker) { c.turn("turn", m.Turn) }

func decodeRelease(o *object) Message {
	o.require("turn")
	return Release{Turn: o.count("turn")}
}

// Flush makes void whatever the device still holds of this turn and of older
// ones. Nothing of them is sent afterwards, not even a ReplyEnd.
type Flush struct {
	// Turn is the newest turn that was stopped; 0 when there was none.
	Turn  uint32 `json:"turn"`
	Cause Cause  `json:"cause"`
}

// Kind returns KindFlush.
func (Flush) Kind() Kind { return KindFlush }

func (m Flush) check(c *checker) { c.ident("cause", string(m.Cause)) }

func decodeFlush(o *object) Message {
	o.require("turn", "cause")
	return Flush{Turn: o.count("turn"), Cause: Cause(o.str("cause"))}
}

// Played acknowledges playback.
type Played struct {
	Turn uint32 `json:"turn"`
	// Samples is the media position of the speaker: how much of the reply, in
	// samples per channel at the rate of the down format, has left it. Silence
	// that the device put in while its queue was empty does not count.
	Samples uint32 `json:"samples"`
}

// Kind returns KindPlayed.
func (Played) Kind() Kind { return KindPlayed }

func (m Played) check(c *checker) { c.turn("turn", m.Turn) }

func decodePlayed(o *object) Message {
	o.require("turn", "samples")
	return Played{Turn: o.count("turn"), Samples: o.count("samples")}
}
