package edgetest

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"edged/audio"
	"edged/firmware-protocol/wire"
)

// charactersPerSecond is how fast text is taken to be spoken where its end is
// not known: 150 words of six characters a minute.
const charactersPerSecond = 15

// piece is one reply_text.
type piece struct {
	text string
	at   time.Duration // media position
}

// turn is what the device knows of one turn. Device.mu guards it.
type turn struct {
	number     uint32
	transcript string
	partials   []string

	begun   bool // reply_begin came, at begunAt
	begunAt time.Time
	audible bool // the BOS frame came
	closed  bool // reply_end came
	pieces  []piece
	// received is the media position behind the last frame that came, duration
	// that of the whole reply once reply_end told it.
	received uint32
	duration time.Duration

	// The speaker's side.
	keep     bool // keep pcm
	pcm      []int16
	pending  int    // blocks in the queue
	playing  bool   // the first block was queued
	played   uint32 // media position of the speaker
	playedAt time.Time
	leftAt   time.Time // when the newest sample of the media left
	acked    time.Time // when the last played was due
	ackedPos uint32

	resumed bool      // the next text takes the place of held ones
	holds   int       // how often the reply was held
	heldAt  time.Time // first

	starved    int
	starvedFor time.Duration
	overflowed int

	done        bool // nothing of it is to come and nothing waits
	doneAt      time.Time
	finalAck    bool // the last played is being sent
	told        bool // it was
	interrupted bool
	cause       wire.Cause
	abortedAt   time.Time
	overlap     Overlap // with the speech over it
	flushedAt   time.Time
	failure     *wire.Failure
	timing      *wire.Timing

	firstText, firstPacket time.Time
	finalAt                time.Time
	lastPacket             time.Time
}

// settle ends the turn at the moment at if it has been played to its end.
func (t *turn) settle(at time.Time) {
	if !t.done && t.closed && t.pending == 0 {
		t.done, t.doneAt = true, at
	}
}

// reply is the text of the reply so far.
func (t *turn) reply() string {
	var b strings.Builder
	for _, p := range t.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// heard is the text whose sound has left the speaker; see the package comment
// for the rule.
func (t *turn) heard(rate audio.SampleRate) string {
	if t.done && !t.interrupted {
		return t.reply()
	}
	played := rate.Duration(int(t.played))
	var b strings.Builder
	for i, p := range t.pieces {
		end := p.at + time.Duration(utf8.RuneCountInString(p.text))*time.Second/charactersPerSecond
		switch {
		case i+1 < len(t.pieces):
			end = t.pieces[i+1].at
		case t.closed:
			end = t.duration
		}
		if played >= end {
			b.WriteString(p.text)
			continue
		}
		if played > p.at {
			b.WriteString(wordsUpTo(p.text, played-p.at, end-p.at))
		}
		break
	}
	return strings.TrimRightFunc(b.String(), unicode.IsSpace)
}

// unheard is the rest of the reply text.
func (t *turn) unheard(rate audio.SampleRate) string {
	return strings.TrimLeftFunc(strings.TrimPrefix(t.reply(), t.heard(rate)), unicode.IsSpace)
}

// wordsUpTo returns the words of text that are over after passed of the whole
// span, when all characters take equally long.
func wordsUpTo(text string, passed, span time.Duration) string {
	total := time.Duration(utf8.RuneCountInString(text))
	count, over, inWord := time.Duration(0), 0, false
	for i, r := range text {
		if unicode.IsSpace(r) {
			if inWord && count*span <= passed*total {
				over = i
			}
			inWord = false
		} else {
			inWord = true
		}
		count++
	}
	return text[:over]
}
