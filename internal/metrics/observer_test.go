package metrics_test

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"edged/dialog"
	"edged/internal/metrics"
	"edged/session/log"
)

// said is an event of a turn.
type said struct {
	turn  dialog.Turn
	event log.Event
}

func ms(n int) log.MS { return log.MS(time.Duration(n) * time.Millisecond) }

// values flattens what is gathered: "name{label=value}" is the value of a
// counter or gauge, or how many were observed by a histogram, and "sum of name" is
// their sum. What is 0 is left out.
func values(t *testing.T, from prometheus.Gatherer) map[string]float64 {
	t.Helper()
	all := make(map[string]float64)
	for _, f := range ours(gather(t, from)) {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			slices.Sort(labels)
			key := f.GetName()
			if len(labels) > 0 {
				key += "{" + strings.Join(labels, ",") + "}"
			}
			if h := m.GetHistogram(); h != nil {
				all[key] = float64(h.GetSampleCount())
				all["sum of "+key] = h.GetSampleSum()
			} else {
				all[key] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	maps.DeleteFunc(all, func(_ string, v float64) bool { return v == 0 })
	return all
}

// observed returns what was counted of the events of one session, written by a
// real Recorder.
func observed(t *testing.T, events ...said) map[string]float64 {
	t.Helper()
	sessions := metrics.NewSessions()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(sessions)
	record(sessions, events...)
	return values(t, registry)
}

func record(sessions *metrics.Sessions, events ...said) {
	r := log.NewRecorder(zerolog.New(io.Discard), "s1", "d1", false, sessions.Observer())
	for _, e := range events {
		r.Emit(e.turn, -1, e.event)
	}
}

// question is the way of an utterance to the first packet of its reply.
func question(turn dialog.Turn, utterance string) []said {
	return []said{
		{turn, log.SpeechStart{Utterance: utterance}},
		{turn, log.ASRPartial{Utterance: utterance}},
		{turn, log.SpeechEnd{Utterance: utterance, MS: ms(500)}},
		{turn, log.ASRFinal{Utterance: utterance, MS: ms(600)}},
		{turn, log.GenFirstToken{MS: ms(700)}},
		{turn, log.GenDone{MS: ms(750)}},
		{turn, log.TTSFirstAudio{MS: ms(800)}},
		{turn, log.ReplyFirstPacket{MS: ms(900)}},
	}
}

var (
	begun = said{0, log.SessionStart{}}
	done  = func(turn dialog.Turn) said { return said{turn, log.ReplyDone{}} }
	ended = func(turns int) said {
		return said{0, log.SessionEnd{Reason: dialog.CauseDisconnect, DurationMS: ms(20_000), Turns: turns}}
	}
	rejected = func(latency, reason string) string {
		return fmt.Sprintf("edged_latencies_rejected_total{latency=%s,reason=%s}", latency, reason)
	}
	stageOf = func(trigger, stage string) string {
		return fmt.Sprintf("edged_stage_latency_seconds{stage=%s,trigger=%s}", stage, trigger)
	}
	outcome = func(o string) string { return fmt.Sprintf("edged_turns_ended_total{outcome=%s}", o) }
)

// Each row is what is counted of a session, all that is not 0.
func TestObserver(t *testing.T) {
	over := map[string]float64{
		"edged_sessions_started_total": 1, "edged_sessions_ended_total{cause=disconnect}": 1,
		"edged_session_seconds": 1, "sum of edged_session_seconds": 20,
	}
	stagesOnce := map[string]float64{}
	for stage, seconds := range map[string]float64{"endpoint": 0.5, "asr_final": 0.6, "first_token": 0.7, "first_audio": 0.8, "first_packet": 0.9} {
		stagesOnce[stageOf("speech", stage)], stagesOnce["sum of "+stageOf("speech", stage)] = 1, seconds
	}
	suspicion := []said{
		{1, log.BargeInSuspect{Utterance: "u2", Held: true}}, {1, log.Hold{}},
		{1, log.SpeechEnd{Utterance: "u2", MS: ms(400)}},
	}
	tests := []struct {
		name   string
		events [][]said
		want   []map[string]float64
	}{
		{"nothing", nil, nil},
		{"a session that goes on", [][]said{{begun}}, []map[string]float64{
			{"edged_sessions_started_total": 1, "edged_sessions{state=connected}": 1}}},
		{"one whose device is gone", [][]said{{begun, {0, log.SessionDetach{Reason: "i/o timeout"}}}}, []map[string]float64{
			{"edged_sessions_started_total": 1, "edged_sessions{state=detached}": 1, "edged_session_detaches_total": 1}}},
		{"one whose device came back", [][]said{{begun, {0, log.SessionDetach{}}, {0, log.SessionAttach{AwayMS: ms(3000)}}}}, []map[string]float64{
			{"edged_sessions_started_total": 1, "edged_sessions{state=connected}": 1, "edged_session_detaches_total": 1, "edged_session_resumes_total": 1,
				"edged_session_away_seconds": 1, "sum of edged_session_away_seconds": 3}}},
		{"one that ended detached", [][]said{{begun, {0, log.SessionDetach{}}, ended(0)}}, []map[string]float64{
			over, {"edged_session_detaches_total": 1}}},
		{"a turn that is answered", [][]said{{begun}, question(1, "u1"), {done(1), {1, log.Usage{PromptTokens: 7, CachedTokens: 3, GeneratedTokens: 5, AudioMS: ms(1500)}}, ended(1)}},
			[]map[string]float64{over, stagesOnce, {"edged_turns_started_total": 1, outcome("done"): 1, "edged_synthesized_seconds_total": 1.5,
				"edged_tokens_total{kind=prompt}": 7, "edged_tokens_total{kind=cached}": 3, "edged_tokens_total{kind=generated}": 5}}},
		{"a turn that goes on", [][]said{{begun}, question(1, "u1")}, []map[string]float64{stagesOnce,
			{"edged_sessions_started_total": 1, "edged_sessions{state=connected}": 1, "edged_turns_started_total": 1}}},
		{"a turn without words", [][]said{{begun, {1, log.SpeechStart{Utterance: "u1"}}, ended(1)}}, []map[string]float64{over,
			{"edged_turns_started_total": 1, outcome("silent"): 1}}},
		{"turns of which the log knows nothing", [][]said{{begun, {3, log.SpeechStart{Utterance: "u1"}}, ended(5)}}, []map[string]float64{over,
			{"edged_turns_started_total": 5, outcome("silent"): 5}}},
		{"a stage that fails", [][]said{{begun, {1, log.SpeechStart{Utterance: "u1"}}, {1, log.Error{Stage: "asr", Code: dialog.ErrorASR}},
			{1, log.Interrupt{Cause: dialog.CauseError}}, {2, log.TTSFirstAudio{MS: ms(1)}}, {2, log.ReplyFirstPacket{MS: ms(2)}}, done(2), ended(2)}},
			[]map[string]float64{over, {"edged_turns_started_total": 2, outcome("failed"): 1, outcome("done"): 1,
				"edged_errors_total{code=asr_failed,stage=asr}": 1, "edged_interruptions_total{cause=error}": 1,
				stageOf("session", "first_audio"): 1, "sum of " + stageOf("session", "first_audio"): 0.001,
				stageOf("session", "first_packet"): 1, "sum of " + stageOf("session", "first_packet"): 0.002}}},
		{"a stage that fails and nothing is said", [][]said{{begun, {1, log.Error{Stage: "tts", Code: dialog.ErrorTTS}}, ended(1)}},
			[]map[string]float64{over, {"edged_turns_started_total": 1, outcome("failed"): 1, "edged_errors_total{code=tts_failed,stage=tts}": 1}}},
		{"errors that are not known here", [][]said{{begun, {0, log.Error{Stage: "sim-1", Code: "my own"}}, ended(0)}},
			[]map[string]float64{over, {"edged_errors_total{code=other,stage=other}": 1}}},
		{"a barge-in: the account of the old turn comes when the new one has begun",
			[][]said{{begun}, question(1, "u1"), suspicion, {
				{1, log.BargeInConfirm{Utterance: "u2", Reason: "final", MS: ms(700)}},
				{2, log.ASRFinal{Utterance: "u2", MS: ms(450)}},
				{1, log.Interrupt{Cause: dialog.CauseSpeech, ReactionMS: ms(710)}},
				done(2), ended(2)}},
			[]map[string]float64{over, stagesOnce, {"edged_turns_started_total": 2, outcome("interrupted"): 1, outcome("done"): 1,
				"edged_barge_in_suspects_total": 1, "edged_holds_total": 1, "edged_barge_in_confirms_total{reason=final}": 1, "edged_interruptions_total{cause=speech}": 1,
				"edged_barge_in_verdict_seconds": 1, "sum of edged_barge_in_verdict_seconds": 0.7,
				"edged_barge_in_reaction_seconds": 1, "sum of edged_barge_in_reaction_seconds": 0.71,
				stageOf("speech", "endpoint"): 2, "sum of " + stageOf("speech", "endpoint"): 0.9,
				stageOf("speech", "asr_final"): 2, "sum of " + stageOf("speech", "asr_final"): 1.05}}},
		{"a cough: its transcript is that of no turn", [][]said{{begun}, question(1, "u1"), suspicion, {
			{1, log.ASRFinal{Utterance: "u2", MS: -1}}, {1, log.BargeInReject{Utterance: "u2", Reason: "final"}}, done(1), ended(1)}},
			[]map[string]float64{over, stagesOnce, {"edged_turns_started_total": 1, outcome("done"): 1, "edged_barge_in_suspects_total": 1, "edged_holds_total": 1,
				"edged_barge_in_rejects_total{reason=final}": 1}}},
		{"a verdict by an event of another version", [][]said{{begun, {1, log.BargeInReject{Reason: "moonphase"}}, done(1), ended(1)}},
			[]map[string]float64{over, {"edged_turns_started_total": 1, outcome("done"): 1, "edged_barge_in_rejects_total{reason=other}": 1}}},
		{"tools", [][]said{{begun, {0, log.ToolCall{Tool: "lamp"}}, {0, log.ToolCall{Tool: "motor"}}, {0, log.ToolResult{Tool: "lamp", MS: ms(40)}},
			{0, log.ToolResult{Tool: "motor", Error: "stuck", MS: ms(60)}}, ended(0)}},
			[]map[string]float64{over, {"edged_tool_calls_total": 2, "edged_tool_results_total{outcome=ok}": 1, "edged_tool_results_total{outcome=error}": 1,
				"edged_tool_seconds": 2, "sum of edged_tool_seconds": 0.1}}},
		{"drops are counted by the edge", [][]said{{begun, {0, log.Drop{What: "uplink", Reason: "lost", MS: ms(60)}}, ended(0)}}, []map[string]float64{over}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { compare(t, observed(t, slices.Concat(tt.events...)...), tt.want) })
	}
}

// compare wants the union of the maps; later ones count more.
func compare(t *testing.T, got map[string]float64, want []map[string]float64) {
	t.Helper()
	all := make(map[string]float64)
	for _, w := range want {
		maps.Copy(all, w)
	}
	for name, w := range all {
		if math.Abs(got[name]-w) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], w)
		}
	}
	for name, n := range got {
		if _, ok := all[name]; !ok {
			t.Errorf("%s is %v, want 0", name, n)
		}
	}
}

// F62: a time that cannot be, negative, absurd, or against the causal order, is
// counted as such and moves no histogram and no counter back.
func TestTimesThatCannotBe(t *testing.T) {
	const year = 365 * 24 * 60 * 60 * 1000 // ms
	spoken := []said{begun, {1, log.SpeechStart{Utterance: "u1"}}}
	tests := []struct {
		name   string
		events []said
		want   map[string]float64 // of rejections and of stages
	}{
		{"a negative endpoint", []said{{1, log.SpeechEnd{Utterance: "u1", MS: ms(-3)}}}, map[string]float64{rejected("endpoint", "negative"): 1}},
		{"an endpoint of a year", []said{{1, log.SpeechEnd{Utterance: "u1", MS: ms(year)}}}, map[string]float64{rejected("endpoint", "excessive"): 1}},
		{"what follows a time that cannot be is measured all the same", []said{{1, log.SpeechEnd{Utterance: "u1", MS: ms(year)}}, {1, log.ASRFinal{Utterance: "u1", MS: ms(10)}}},
			map[string]float64{rejected("endpoint", "excessive"): 1, stageOf("speech", "asr_final"): 1}},
		{"a transcript before the end of speech", []said{{1, log.ASRFinal{Utterance: "u1", MS: ms(4000)}}, {1, log.SpeechEnd{Utterance: "u1", MS: ms(500)}}},
			map[string]float64{rejected("asr_final", "out_of_order"): 1, stageOf("speech", "endpoint"): 1}},
		{"a stage that took less than the one before", []said{{1, log.SpeechEnd{Utterance: "u1", MS: ms(500)}}, {1, log.ASRFinal{Utterance: "u1", MS: ms(499)}}},
			map[string]float64{stageOf("speech", "endpoint"): 1, rejected("asr_final", "out_of_order"): 1}},
		{"stages at the same moment", []said{{1, log.SpeechEnd{Utterance: "u1", MS: ms(500)}}, {1, log.ASRFinal{Utterance: "u1", MS: ms(500)}}},
			map[string]float64{stageOf("speech", "endpoint"): 1, stageOf("speech", "asr_final"): 1}},
		{"a packet before its audio", []said{{1, log.SpeechEnd{Utterance: "u1"}}, {1, log.ReplyFirstPacket{MS: ms(900)}}, {1, log.TTSFirstAudio{MS: ms(950)}}},
			map[string]float64{stageOf("speech", "endpoint"): 1, stageOf("speech", "first_packet"): 1, rejected("first_audio", "out_of_order"): 1}},
		{"a stage twice", []said{{1, log.SpeechEnd{Utterance: "u1"}}, {1, log.GenFirstToken{MS: ms(1)}}, {1, log.GenFirstToken{MS: ms(9)}}},
			map[string]float64{stageOf("speech", "endpoint"): 1, stageOf("speech", "first_token"): 1}},
		{"a negative first packet", []said{{1, log.SpeechEnd{Utterance: "u1"}}, {1, log.ReplyFirstPacket{MS: ms(-1)}}},
			map[string]float64{stageOf("speech", "endpoint"): 1, rejected("first_packet", "negative"): 1}},
		{"a negative reaction", []said{{1, log.Interrupt{Cause: dialog.CauseSpeech, ReactionMS: ms(-1)}}}, map[string]float64{rejected("reaction", "negative"): 1}},
		{"a negative verdict", []said{{1, log.BargeInConfirm{MS: ms(-1)}}}, map[string]float64{rejected("verdict", "negative"): 1}},
		{"a negative tool", []said{{1, log.ToolResult{MS: ms(-1)}}}, map[string]float64{rejected("tool", "negative"): 1}},
		{"back before it was gone", []said{{0, log.SessionDetach{}}, {0, log.SessionAttach{AwayMS: ms(-1)}}}, map[string]float64{rejected("away", "negative"): 1}},
		{"a session that ended before it began", []said{{0, log.SessionEnd{DurationMS: ms(-1), Turns: -4}}}, map[string]float64{rejected("session", "negative"): 1}},
		{"a session of a century", []said{{0, log.SessionEnd{DurationMS: ms(100 * year)}}}, map[string]float64{rejected("session", "excessive"): 1}},
		{"less than no tokens", []said{{1, log.Usage{PromptTokens: -5, CachedTokens: -1, GeneratedTokens: math.MinInt, AudioMS: ms(-9)}}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := observed(t, slices.Concat(spoken, tt.events)...)
			for name, n := range got {
				if n < 0 {
					t.Errorf("%s is %v", name, n)
				}
			}
			maps.DeleteFunc(got, func(name string, _ float64) bool {
				return !strings.HasPrefix(name, "edged_stage_") && !strings.HasPrefix(name, "edged_latencies_") && !strings.HasPrefix(name, "edged_tokens_") &&
					!strings.HasPrefix(name, "edged_synth")
			})
			if len(tt.want) == 0 && len(got) == 0 {
				return
			}
			compare(t, got, []map[string]float64{tt.want})
		})
	}
}

// Sessions side by side lose nothing, and whoever scrapes meanwhile never sees a
// count go back, nor more turns that ended than began.
func TestSessionsSideBySide(t *testing.T) {
	const devices, turns = 8, 300
	sessions := metrics.NewSessions()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(sessions)
	var talking sync.WaitGroup
	for range devices {
		talking.Go(func() {
			events := []said{begun}
			for turn := dialog.Turn(1); turn <= turns; turn++ {
				events = append(append(events, question(turn, fmt.Sprint("u", turn))...), done(turn))
			}
			record(sessions, append(events, ended(turns))...)
		})
	}
	over := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		before := values(t, registry)
		for {
			now := values(t, registry)
			for name, n := range before {
				if now[name] < n && name != "edged_sessions{state=connected}" {
					t.Errorf("%s went from %v back to %v", name, n, now[name])
				}
			}
			before = now
			select {
			case <-over:
				return
			default:
			}
		}
	})
	talking.Wait()
	close(over)
	looking.Wait()
	got := values(t, registry)
	for name, want := range map[string]float64{
		"edged_sessions_started_total": devices, "edged_sessions_ended_total{cause=disconnect}": devices, "edged_sessions{state=connected}": 0,
		"edged_turns_started_total": devices * turns, outcome("done"): devices * turns, stageOf("speech", "first_packet"): devices * turns,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}
