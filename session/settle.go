package session

import (
	"errors"
	"strings"

	"edged/session/log"
)

// errSettled is the cause with which the goroutines of a reply end that was
// settled.
var errSettled = errors.New("session: the turn is settled")

// settle closes the account of a turn: what was heard goes into the history.
func (s *session) settle(a Settle) {
	r := s.replies[a.Turn]
	delete(s.replies, a.Turn)
	if r != nil {
		r.cancel(errSettled)
	}
	if a.Interrupted {
		s.interrupted++
	}
	if r == nil {
		if a.Interrupted {
			s.log(a.Turn, log.Interrupt{Cause: a.Cause, ReactionMS: log.MS(s.clock.reaction(a.Cause))})
		}
		return
	}
	heard, unheard := r.ledger.All(), ""
	acknowledged := s.state.Played > 0
	if a.Interrupted {
		heard, unheard = r.ledger.Split(a.Progress.Played, r.isComplete())
		s.log(a.Turn, log.Interrupt{
			Cause: a.Cause, SentMS: log.MS(a.Progress.Sent), PlayedMS: log.MS(a.Progress.Played),
			Acknowledged: a.Progress.Acknowledged, Heard: log.Text(heard), Unheard: log.Text(unheard),
			ReactionMS: log.MS(s.clock.reaction(a.Cause)),
		})
	} else {
		if !r.isComplete() { // it broke off: what has no sound was not said
			heard, _ = r.ledger.Split(r.ledger.Length(), false)
		}
		s.log(a.Turn, log.ReplyDone{AudioMS: log.MS(r.ledger.Length()), Text: log.Text(heard), Acknowledged: acknowledged})
	}
	s.remember(r, heard, a.Interrupted)
}

// remember commits what was heard of the reply and logs what it cost.
func (s *session) remember(r *reply, heard string, cut bool) {
	r.mu.Lock()
	tools, usage := r.tools, r.usage
	r.mu.Unlock()
	s.log(r.turn, log.Usage{
		PromptTokens: int(usage.PromptTokens), CachedTokens: int(usage.CachedTokens),
		GeneratedTokens: int(usage.GeneratedTokens), AudioMS: log.MS(r.ledger.Length()),
	})
	if r.question == "" && heard == "" {
		return
	}
	e := exchange{user: r.question, tools: tools, assistant: strings.TrimSpace(heard), cut: cut}
	s.history.commit(e)
	s.log(r.turn, log.HistoryCommit{
		User: log.Text(e.user), Assistant: log.Text(e.assistant), Cut: cut, Messages: s.history.messages(),
	})
}
