package metrics

import (
	"sync"
	"time"

	"edged/dialog"
	"edged/session/log"
)

// Observer returns the observer of one session, for its log.Recorder. One that is
// told nothing counts nothing.
func (s *Sessions) Observer() log.Observer { return &observer{counts: s} }

// observer follows one session. Its events come from several goroutines; mu is
// of this session alone.
type observer struct {
	counts *Sessions

	mu       sync.Mutex
	detached bool
	story    story
}

// Observe implements log.Observer. Drops are not counted here: the edge counts
// them where they happen, and the session repeats it.
func (o *observer) Observe(turn dialog.Turn, e log.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.story.follow(o.counts, turn, e)
	c := o.counts
	switch e := e.(type) {
	case log.SessionStart:
		c.started.Inc()
		c.connected.Inc()
	case log.SessionDetach:
		c.detaches.Inc()
		o.move(true)
	case log.SessionAttach:
		c.resumes.Inc()
		c.away.observe(time.Duration(e.AwayMS))
		o.move(false)
	case log.SessionEnd:
		o.move(false)
		c.connected.Dec()
		c.ended.inc(e.Reason)
		c.lasted.observe(time.Duration(e.DurationMS))
	case log.BargeInSuspect:
		c.suspects.Inc()
	case log.BargeInConfirm:
		c.confirmed.inc(e.Reason)
		c.verdict.observe(time.Duration(e.MS))
	case log.BargeInReject:
		c.refuted.inc(e.Reason)
	case log.Hold:
		c.holds.Inc()
	case log.Interrupt:
		c.interruptions.inc(e.Cause)
		if e.Cause == dialog.CauseSpeech {
			c.reaction.observe(time.Duration(e.ReactionMS))
		}
	case log.ToolCall:
		c.toolCalls.Inc()
	case log.ToolResult:
		c.toolAnswered(e)
	case log.Usage:
		c.used(e)
	case log.Error:
		c.errors.WithLabelValues(known(e.Stage, errorStages), known(e.Code, errorCodes)).Inc()
	}
}

// move counts the session among the detached or the connected ones.
func (o *observer) move(detached bool) {
	if o.detached == detached {
		return
	}
	o.detached = detached
	from, to := o.counts.connected, o.counts.detached
	if !detached {
		from, to = to, from
	}
	from.Dec()
	to.Inc()
}

func (s *Sessions) toolAnswered(e log.ToolResult) {
	outcome := toolOK
	if e.Error != "" {
		outcome = toolError
	}
	s.tools.inc(outcome)
	s.toolTime.observe(time.Duration(e.MS))
}

// used counts what a turn has cost. What a provider says is not believed where it
// is negative: a counter never goes back.
func (s *Sessions) used(e log.Usage) {
	s.tokens.at(tokensPrompt).Add(float64(max(0, e.PromptTokens)))
	s.tokens.at(tokensCached).Add(float64(max(0, e.CachedTokens)))
	s.tokens.at(tokensGenerated).Add(float64(max(0, e.GeneratedTokens)))
	s.synthesized.Add(max(0, time.Duration(e.AudioMS).Seconds()))
}
