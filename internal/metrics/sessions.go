package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"edged/dialog"
	"edged/session/log/digest"
)

// Outcomes of a tool call, and kinds of tokens.
const (
	toolOK    = "ok"
	toolError = "error"

	tokensPrompt    = "prompt"
	tokensCached    = "cached"
	tokensGenerated = "generated"
)

// What began a turn.
const (
	triggerSpeech  = iota // somebody spoke
	triggerSession        // the session had something to say, such as a due timer
	triggers
)

var triggerNames = [triggers]string{"speech", "session"}

// stage is one of the stages of a turn, in causal order.
type stage int

const (
	stageEndpoint stage = iota
	stageASRFinal
	stageFirstToken
	stageFirstAudio
	stageFirstPacket
	stages
)

var stageNames = [stages]string{"endpoint", "asr_final", "first_token", "first_audio", "first_packet"}

var (
	causes = []dialog.Cause{dialog.CauseAbort, dialog.CauseListen, dialog.CauseSpeech, dialog.CauseWake,
		dialog.CauseDisconnect, dialog.CauseError, dialog.CauseShutdown, other}
	endings = []dialog.Cause{dialog.CauseDisconnect, dialog.CauseError, dialog.CauseShutdown, other}
	// errorStages and errorCodes are what a log.Error may say.
	errorStages = []string{"device", "asr", "generate", "tts", "tool", "session"}
	errorCodes  = []dialog.ErrorCode{dialog.ErrorMalformed, dialog.ErrorProtocol, dialog.ErrorVersion, dialog.ErrorTooLarge, dialog.ErrorTooFast, dialog.ErrorAudio,
		dialog.ErrorUnauthorized, dialog.ErrorTimeout, dialog.ErrorBusy, dialog.ErrorReplaced, dialog.ErrorShutdown,
		dialog.ErrorASR, dialog.ErrorGenerate, dialog.ErrorTTS, dialog.ErrorInternal}
	// usualErrors are there from the start.
	usualErrors = [][2]string{{"asr", string(dialog.ErrorASR)}, {"generate", string(dialog.ErrorGenerate)}, {"tts", string(dialog.ErrorTTS)},
		{"session", string(dialog.ErrorInternal)}, {"device", string(dialog.ErrorMalformed)}, {"device", string(dialog.ErrorAudio)}}
	// verdicts are the events that decide about a barge-in.
	verdicts = []string{"speechlasted", "partial", "final", "timerfired", "recognizefailed", "sent", "played", other}
)

// Buckets, in seconds.
var (
	// A reply that begins within 0.3 s feels immediate, after 2 s one asks again.
	waitBuckets = []float64{.05, .1, .2, .3, .4, .5, .6, .8, 1, 1.25, 1.5, 2, 3, 5, 10, 20}
	// An interruption is meant to be quick.
	reactionBuckets = []float64{.05, .1, .15, .2, .25, .3, .35, .4, .5, .6, .8, 1, 1.5, 2, 5}
	toolBuckets     = []float64{.001, .005, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30}
	awayBuckets     = []float64{.5, 1, 2, 5, 10, 20, 30, 60, 300, 3600}
	sessionBuckets  = []float64{10, 30, 60, 300, 900, 3600, 4 * 3600, 24 * 3600}
)

// Sessions counts what happens in all sessions of a server. It is a
// prometheus.Collector. Make one with NewSessions.
type Sessions struct {
	collectors []prometheus.Collector

	connected, detached prometheus.Gauge
	started             prometheus.Counter
	ended               family[dialog.Cause]
	lasted              *latency
	detaches, resumes   prometheus.Counter
	away                *latency

	turns         prometheus.Counter
	outcomes      family[digest.Outcome]
	interruptions family[dialog.Cause]
	stages        [triggers][stages]*latency

	suspects           prometheus.Counter
	confirmed, refuted family[string]
	verdict, reaction  *latency
	holds              prometheus.Counter
	tools              family[string]
	toolCalls          prometheus.Counter
	toolTime           *latency
	errors             *prometheus.CounterVec
	tokens             family[string]
	synthesized        prometheus.Counter
	rejected           *prometheus.CounterVec
}

// NewSessions returns one that has counted nothing.
func NewSessions() *Sessions {
	s := &Sessions{}
	s.rejected = prometheus.NewCounterVec(counterOpts("edged_latencies_rejected_total",
		"Times that were not observed because they cannot be: negative, excessive, or of a stage that came too early."), []string{"latency", "reason"})
	s.add(s.rejected)
	s.makeSessions()
	s.makeTurns()
	s.makeBargeIn()
	s.makeTools()
	return s
}

func (s *Sessions) makeSessions() {
	now := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "edged_sessions", Help: "Sessions now: connected, or detached and waiting for their device."}, []string{"state"})
	s.add(now)
	s.connected, s.detached = now.WithLabelValues("connected"), now.WithLabelValues("detached")
	s.started = s.counter("edged_sessions_started_total", "Sessions that have begun.")
	s.ended = newFamily("edged_sessions_ended_total", "Sessions that are over, by cause.", "cause", endings...)
	s.add(s.ended)
	s.lasted = s.latency("edged_session_seconds", "How long sessions were, with the times without a connection.", sessionBuckets, "session")
	s.lasted.most = longestSession
	s.detaches = s.counter("edged_session_detaches_total", "Times that a session lost its connection and waited for its device.")
	s.resumes = s.counter("edged_session_resumes_total", "Times that a device came back to its session.")
	s.away = s.latency("edged_session_away_seconds", "How long devices were away that came back.", awayBuckets, "away")
	s.away.most = longestSession
}

func (s *Sessions) makeTurns() {
	s.turns = s.counter("edged_turns_started_total", "Turns that have begun.")
	s.outcomes = newFamily("edged_turns_ended_total", "Turns that are over, by outcome.", "outcome", digest.Done, digest.Interrupted, digest.Failed, digest.Silent)
	s.interruptions = newFamily("edged_interruptions_total", "Turns that were cut off, by cause; error is a stage that failed.", "cause", causes...)
	s.add(s.outcomes, s.interruptions)
	waits := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "edged_stage_latency_seconds",
		Help:    "When a turn reached a stage, since the end of the user's speech, or since the session had something to say.",
		Buckets: waitBuckets,
	}, []string{"trigger", "stage"})
	s.add(waits)
	for trigger := range s.stages {
		for st := range s.stages[trigger] {
			if trigger == triggerSession && stage(st) < stageFirstAudio {
				continue // nobody spoke, and the words are its own
			}
			s.stages[trigger][st] = newLatency(waits.WithLabelValues(triggerNames[trigger], stageNames[st]), longestWait, s.rejected, stageNames[st])
		}
	}
}

func (s *Sessions) makeBargeIn() {
	s.suspects = s.counter("edged_barge_in_suspects_total", "Speech during a turn that might be an interruption.")
	s.confirmed = newFamily("edged_barge_in_confirms_total", "Speech during a turn that was an interruption, by the event that decided it.", "reason", verdicts...)
	s.refuted = newFamily("edged_barge_in_rejects_total", "Speech during a turn that was no interruption, by the event that decided it.", "reason", verdicts...)
	s.add(s.confirmed, s.refuted)
	s.verdict = s.latency("edged_barge_in_verdict_seconds", "From the onset of speech over a turn to the verdict that it interrupts.", reactionBuckets, "verdict")
	s.reaction = s.latency("edged_barge_in_reaction_seconds", "From the onset of speech over a turn to the flush that was written to the device.", reactionBuckets, "reaction")
	s.holds = s.counter("edged_holds_total", "Times that a reply was held while speech over it was judged.")
}

func (s *Sessions) makeTools() {
	s.toolCalls = s.counter("edged_tool_calls_total", "Tools that models have called.")
	s.tools = newFamily("edged_tool_results_total", "Tools that have answered, by outcome.", "outcome", toolOK, toolError)
	s.toolTime = s.latency("edged_tool_seconds", "How long tools took, those that failed included.", toolBuckets, "tool")
	s.errors = prometheus.NewCounterVec(counterOpts("edged_errors_total", "What went wrong in sessions, by stage and code."), []string{"stage", "code"})
	for _, e := range usualErrors {
		s.errors.WithLabelValues(e[0], e[1])
	}
	s.tokens = newFamily("edged_tokens_total", "Tokens that generators have used, by kind.", "kind", tokensPrompt, tokensCached, tokensGenerated)
	s.synthesized = s.counter("edged_synthesized_seconds_total", "Audio of replies that was made.")
	s.add(s.tools, s.errors, s.tokens)
}

func (s *Sessions) add(c ...prometheus.Collector) { s.collectors = append(s.collectors, c...) }

func (s *Sessions) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(counterOpts(name, help))
	s.add(c)
	return c
}

// latency makes a histogram of times; as names it among those that are rejected.
func (s *Sessions) latency(name, help string, buckets []float64, as string) *latency {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	s.add(h)
	return newLatency(h, longestWait, s.rejected, as)
}

// Describe implements prometheus.Collector.
func (s *Sessions) Describe(descs chan<- *prometheus.Desc) {
	for _, c := range s.collectors {
		c.Describe(descs)
	}
}

// Collect implements prometheus.Collector.
func (s *Sessions) Collect(metrics chan<- prometheus.Metric) {
	for _, c := range s.collectors {
		c.Collect(metrics)
	}
}
