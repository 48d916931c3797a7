package session

import (
	"slices"

	"edged/realtime"
)

// exchange is one turn as the conversation remembers it: what was asked, which
// tools were used, and what was heard of the answer.
type exchange struct {
	// user is empty for something the session said by itself.
	user      string
	tools     []toolUse
	assistant string
	// cut tells that the assistant was interrupted after what is recorded.
	cut bool
}

// toolUse is a tool call with its result.
type toolUse struct {
	call   realtime.ToolCall
	result string
}

// cutMark stands in the history where the assistant was interrupted, so that
// the model knows that the rest was never heard.
const cutMark = "[interrupted by the user]"

// history is the memory of the conversation. An exchange enters it whole, when
// its turn is settled, so questions and answers are always paired. It belongs
// to the session's loop.
type history struct {
	exchanges []exchange
	// limit bounds the exchanges; the oldest are forgotten first.
	limit int
}

func (h *history) commit(e exchange) {
	h.exchanges = append(h.exchanges, e)
	if over := len(h.exchanges) - h.limit; over > 0 {
		h.exchanges = slices.Delete(h.exchanges, 0, over)
	}
}

// messages returns how many messages the history holds.
func (h *history) messages() int {
	n := 0
	for _, e := range h.exchanges {
		n += 1 + 2*len(e.tools)
		if e.user != "" {
			n++
		}
	}
	return n
}

// snapshot returns the exchanges for a turn that begins now.
func (h *history) snapshot() []exchange { return slices.Clone(h.exchanges) }

// spoken returns the assistant's side for the model.
func (e exchange) spoken() string {
	switch {
	case !e.cut:
		return e.assistant
	case e.assistant == "":
		return cutMark
	default:
		return e.assistant + " " + cutMark
	}
}
