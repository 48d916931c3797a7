package main

import (
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/rs/zerolog"

	"edged/edge/admin"
	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/internal/edgetest/impair"
	"edged/internal/loader"
	"edged/session/log"
)

// scraped is what /metrics told, in the text format of Prometheus, as its own
// parser reads it.
type scraped map[string]*dto.MetricFamily

func parseMetrics(t *testing.T, text io.Reader) scraped {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		t.Fatalf("a scrape does not parse: %v", err)
	}
	return families
}

// find returns the metric with these labels, "name=value" each.
func (s scraped) find(t *testing.T, name string, labels ...string) *dto.Metric {
	t.Helper()
	for _, m := range s[name].GetMetric() {
		var got []string
		for _, l := range m.GetLabel() {
			got = append(got, l.GetName()+"="+l.GetValue())
		}
		if slices.Sort(got); slices.Equal(got, labels) {
			return m
		}
	}
	t.Fatalf("no %s %v was scraped", name, labels)
	return nil
}

// value returns a counter or a gauge.
func (s scraped) value(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	m := s.find(t, name, labels...)
	return m.GetCounter().GetValue() + m.GetGauge().GetValue()
}

// want compares counters and gauges, by "name label=value ...".
func (s scraped) want(t *testing.T, want map[string]float64) {
	t.Helper()
	for key, n := range want {
		words := strings.Fields(key)
		if got := s.value(t, words[0], words[1:]...); got != n {
			t.Errorf("%s is %v, want %v", key, got, n)
		}
	}
}

// scrape reads /metrics of the house once everything that happens has happened.
func (h *house) scrape() scraped {
	h.t.Helper()
	synctest.Wait()
	w := httptest.NewRecorder()
	h.meters.handlers()["/metrics"].ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		h.t.Fatalf("/metrics: %d %s", w.Code, w.Body)
	}
	return parseMetrics(h.t, w.Body)
}

// open has the meters read the house.
func (h *house) open() { h.meters.read(h.server, h.engines.gate, log.NewRing(log.RingConfig{})) }

// A conversation with a reply that is talked over, and what /metrics tells of it:
// the same as the device saw.
func TestMetricsOfAConversation(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		h.open()
		d := h.dial(openly(true))
		answers, err := d.Talk(context.Background(), []edgetest.Question{
			{PCM: recording(t, "what can you do")},
			{PCM: recording(t, "what is seven plus five"), BargeInAfter: 2 * time.Second, Onset: onsetOf(t, "what is seven plus five")},
			{PCM: recording(t, "what is six times eight")},
		})
		if err != nil || len(answers) != 3 || !answers[0].Interrupted {
			t.Fatalf("answers %v, %v", answers, err)
		}
		h.scrape().want(t, map[string]float64{"edged_sessions state=connected": 1, "edged_connections": 1, "edged_sessions_ended_total cause=disconnect": 0})
		h.hangUp(d)

		saw, turns := d.Stats(), d.Turns()
		interrupted, holds := 0, 0
		for _, a := range turns {
			holds += a.Holds
			if a.Interrupted {
				interrupted++
			}
		}
		s := h.scrape()
		s.want(t, map[string]float64{
			"edged_sessions state=connected": 0, "edged_connections": 0, "edged_connection_places": 0,
			"edged_sessions_started_total": 1, "edged_sessions_ended_total cause=disconnect": 1,
			"edged_connections_admitted_total": 1, "edged_connections_served_total": 1, "edged_connections_ended_total reason=bye": 1,
			"edged_turns_started_total":                   float64(len(turns)),
			"edged_turns_ended_total outcome=done":        float64(len(turns) - interrupted),
			"edged_turns_ended_total outcome=interrupted": float64(interrupted),
			"edged_interruptions_total cause=speech":      float64(interrupted),
			"edged_holds_total":                           float64(holds),
			"edged_packets_total direction=up":            float64(saw.Sent),
			"edged_packets_total direction=down":          float64(saw.Received),
			"edged_jitter_lost_packets_total":             0,
			"edged_pacing_underruns_total":                float64(saw.Starved),
		})
		wantStages(t, s, turns)
		over := answers[0].Seen.BargeIn
		reaction := s.find(t, "edged_barge_in_reaction_seconds").GetHistogram()
		if got := time.Duration(reaction.GetSampleSum() * float64(time.Second)); reaction.GetSampleCount() != 1 || (got-over).Abs() > 100*time.Millisecond {
			t.Errorf("%d reactions that took %v, the device saw the flush %v after the onset", reaction.GetSampleCount(), got, over)
		}
		if flushes := s.find(t, "edged_flush_seconds").GetHistogram(); flushes.GetSampleCount() != uint64(interrupted) || flushes.GetSampleSum() > 0.1 {
			t.Errorf("%d flushes in %v s, the device saw %d", flushes.GetSampleCount(), flushes.GetSampleSum(), interrupted)
		}
		if lag := s.find(t, "edged_pacing_lag_seconds").GetHistogram(); lag.GetSampleCount() != saw.Received {
			t.Errorf("the lag of %d packets, the device received %d", lag.GetSampleCount(), saw.Received)
		}
		for _, engine := range []string{"asr", "tts"} {
			if n := s.value(t, "edged_engine_calls_total", "engine="+engine); n < 3 {
				t.Errorf("%v calls of %s in three turns", n, engine)
			}
		}
		wantNothingRejected(t, s)
	})
}

// wantStages compares the latencies of stages with what the device was told of
// each turn, to the millisecond.
func wantStages(t *testing.T, s scraped, turns []edgetest.Answer) {
	t.Helper()
	count, sum := make(map[string]uint64), make(map[string]float64)
	for _, a := range turns {
		if a.Timing == nil {
			t.Fatalf("turn %d has no timing", a.Turn)
		}
		for stage, ms := range map[string]*uint32{
			"endpoint": a.Timing.Endpoint, "asr_final": a.Timing.ASRFinal, "first_token": a.Timing.FirstToken,
			"first_audio": a.Timing.FirstAudio, "first_packet": a.Timing.FirstPacket,
		} {
			if ms != nil {
				count[stage]++
				sum[stage] += float64(*ms) / 1000
			}
		}
	}
	for stage, n := range count {
		h := s.find(t, "edged_stage_latency_seconds", "stage="+stage, "trigger=speech").GetHistogram()
		if h.GetSampleCount() != n || math.Abs(h.GetSampleSum()-sum[stage]) > 0.001*float64(n) {
			t.Errorf("%s: %d times, %.3f s in all; the device was told %d, %.3f s", stage, h.GetSampleCount(), h.GetSampleSum(), n, sum[stage])
		}
	}
	if len(count) != 5 {
		t.Errorf("the device was told of the stages %v, want five", count)
	}
}

// wantSettled: when all sessions are over nobody is counted as being there, every
// turn that began has ended in one way, and no time was one that cannot be.
func (h *house) wantSettled() {
	h.t.Helper()
	s := h.scrape()
	s.want(h.t, map[string]float64{"edged_sessions state=connected": 0, "edged_sessions state=detached": 0})
	ended := 0.0
	for _, m := range s["edged_turns_ended_total"].GetMetric() {
		ended += m.GetCounter().GetValue()
	}
	if began := s.value(h.t, "edged_turns_started_total"); began != ended {
		h.t.Errorf("%v turns began, %v have ended", began, ended)
	}
	wantNothingRejected(h.t, s)
}

// wantNothingRejected: in a real conversation no time is one that cannot be.
func wantNothingRejected(t *testing.T, s scraped) {
	t.Helper()
	for _, m := range s["edged_latencies_rejected_total"].GetMetric() {
		if n := m.GetCounter().GetValue(); n != 0 {
			t.Errorf("%v times were rejected: %v", n, m.GetLabel())
		}
	}
}

// What a bad network takes is found on the side of the server, packet by packet,
// and is told of as recovered, concealed or missing.
func TestMetricsOfALossyLink(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		h.open()
		format := wire.Format{Codec: wire.CodecOpus, SampleRate: 16000, Channels: 1, FrameMS: 20}
		d := h.dial(func(cfg *edgetest.Config) {
			cfg.Mode, cfg.Up, cfg.Down = wire.ModeManual, format, format
			cfg.Network = impair.Network{Loss: 0.1, Burst: 3, Duplicate: 0.02, Jitter: 20 * time.Millisecond, Seed: 11}
		})
		for _, question := range []string{"what is seven plus five", "what is six times eight"} {
			if _, err := d.Ask(context.Background(), edgetest.Question{PCM: recording(t, question)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		up := d.Stats().Up
		if up.Lost < 10 || up.Duplicated == 0 {
			t.Fatalf("the network was too good: %+v", up)
		}
		s := h.scrape()
		s.want(t, map[string]float64{
			"edged_jitter_lost_packets_total":            float64(up.Lost),
			"edged_uplink_drops_total reason=duplicate":  float64(up.Duplicated),
			"edged_jitter_audio_seconds_total kind=lost": float64(up.Lost) * 0.02,
			"edged_sessions_started_total":               1,
		})
		repaired := 0.0
		for _, repair := range []string{"recovered", "concealed", "missing"} {
			repaired += s.value(t, "edged_loss_seconds_total", "repair="+repair)
		}
		if want := float64(up.Lost) * 0.02; math.Abs(repaired-want) > 1e-9 {
			t.Errorf("%.3f s of lost audio were dealt with, %.3f s were lost", repaired, want)
		}
		jitter := s.find(t, "edged_arrival_jitter_seconds").GetHistogram()
		if jitter.GetSampleCount() == 0 || jitter.GetSampleSum() == 0 {
			t.Errorf("packets that were delayed by up to %v arrived without jitter", up.MostDelayed)
		}
		wantNothingRejected(t, s)
	})
}

// A device that loses its connection and comes back, and one that does not.
func TestMetricsOfLostConnections(t *testing.T) {
	visit(t, func(t *testing.T, h *house) {
		h.open()
		lose := func(device string) *edgetest.Device {
			d := h.dial(func(cfg *edgetest.Config) { cfg.Device = device })
			asked := make(chan struct{})
			go func() {
				defer close(asked)
				_, _ = d.Ask(context.Background(), edgetest.Question{PCM: recording(t, "what can you do")}) // the cut ends it
			}()
			for turns := d.Turns(); len(turns) == 0 || turns[0].Played < time.Second; turns = d.Turns() {
				time.Sleep(10 * time.Millisecond)
			}
			d.Drop()
			<-asked
			return d
		}
		d, gone := lose("kitchen"), lose("hall")
		s := h.scrape()
		s.want(t, map[string]float64{"edged_sessions state=detached": 2, "edged_sessions state=connected": 0, "edged_session_detaches_total": 2, "edged_connections_ended_total reason=lost": 2})
		before := s.value(t, "edged_packets_total", "direction=down")
		if want := d.Stats().Received + gone.Stats().Received; before < float64(want) {
			t.Errorf("%v packets were sent, the devices received %d", before, want)
		}
		back, err := d.Return(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := back.Await(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
		h.hangUp(back)
		time.Sleep(time.Minute) // nobody waits for the other any more
		s = h.scrape()
		s.want(t, map[string]float64{
			"edged_sessions state=detached": 0, "edged_sessions state=connected": 0, "edged_session_resumes_total": 1,
			"edged_sessions_started_total": 2, "edged_sessions_ended_total cause=disconnect": 2, "edged_connections_admitted_total": 3,
			"edged_turns_ended_total outcome=done": 1, "edged_turns_ended_total outcome=interrupted": 1, "edged_interruptions_total cause=disconnect": 1,
		})
		if now := s.value(t, "edged_packets_total", "direction=down"); now < before+float64(back.Stats().Received) {
			t.Errorf("%v packets after %v and the %d of the rest", now, before, back.Stats().Received)
		}
		if away := s.find(t, "edged_session_away_seconds").GetHistogram(); away.GetSampleCount() != 1 {
			t.Errorf("%d devices came back, want 1", away.GetSampleCount())
		}
		wantNothingRejected(t, s)
	})
}

// /metrics and pprof are for who has the operators' token, on their own listener
// and, where they have none, on that of the devices.
func TestMetricsAreForOperators(t *testing.T) {
	config := t.TempDir() + "/edged.yaml"
	write(t, config, "devices: {kitchen: {token: $EDGED_TEST_TOKEN}}\noperators: {token: $EDGED_TEST_OPERATORS}\n")
	t.Setenv("EDGED_TEST_TOKEN", "kitchen-kitchen-kitchen")
	t.Setenv("EDGED_TEST_OPERATORS", operatorToken)
	url, _ := served(t, "--config", config)
	shared := "http" + strings.TrimSuffix(strings.TrimPrefix(url, "ws"), wire.Path)

	_, err := edgetest.Dial(t.Context(), edgetest.Config{URL: url, Device: "kitchen", Token: "somebody-else"})
	if err == nil {
		t.Fatal("a wrong token is let in")
	}

	meters := newMeters()
	sessions, err := openSessionLog(loader.Log{}, io.Discard, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer sessions.Close()
	ops, err := openOperators(t.Context(), loader.Operators{Listen: "127.0.0.1:0", Token: operatorToken}, nil, sessions, meters.handlers(), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()

	for name, at := range map[string]string{"shared": shared, "own": ops.url} {
		for _, tt := range []struct {
			path, token string
			status      int
			says        string
		}{
			{"/metrics", operatorToken, 200, "edged_sessions_started_total 0"},
			{"/metrics", "", 401, "Bearer TOKEN"},
			{"/metrics", "kitchen-kitchen-kitchen", 401, "Bearer TOKEN"},
			{"/debug/pprof/", operatorToken, 200, "goroutine"},
			{"/debug/pprof/", "", 401, "Bearer TOKEN"},
			{"/debug/pprof/goroutine?debug=1", operatorToken, 200, "goroutine profile: total"},
			{"/debug/pprof/goroutine", "x", 401, "Bearer TOKEN"},
			{"/debug/pprof/profile?seconds=1", "", 401, "Bearer TOKEN"},
			{"/debug/pprof/heap", operatorToken, 200, "\x1f\x8b"}, // gzip: a profile for go tool pprof
			{"/debug/pprof/moon", operatorToken, 404, "Unknown profile"},
			{admin.Prefix + "sessions", operatorToken, 200, "sessions"},
		} {
			status, text := fetch(t, at+tt.path, tt.token)
			if status != tt.status || !strings.Contains(text, tt.says) {
				t.Errorf("%s %s with token %q: %d, want %d and %q in\n%.300s", name, tt.path, tt.token, status, tt.status, tt.says, text)
			}
		}
	}
	_, text := fetch(t, shared+"/metrics", operatorToken)
	s := parseMetrics(t, strings.NewReader(text))
	s.want(t, map[string]float64{"edged_connections_refused_total code=unauthorized": 1, "edged_connections_admitted_total": 0})
	if tails := s.value(t, "edged_log_tails"); tails != 2 {
		t.Errorf("%v tails of the log, want standard output and the book of sessions", tails)
	}
}

// fetch asks as an operator with the token does.
func fetch(t *testing.T, url, token string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// Somebody who scrapes and reads nothing holds up neither sessions nor others who
// scrape.
func TestStuckScrape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		meters := newMeters()
		w := &stuckWriter{ResponseRecorder: httptest.NewRecorder(), may: make(chan struct{})}
		done := make(chan struct{})
		go func() {
			defer close(done)
			meters.handlers()["/metrics"].ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		}()
		synctest.Wait()
		r := log.NewRecorder(zerolog.Nop(), "s1", "d1", false, meters.sessions.Observer())
		r.Emit(0, -1, log.SessionStart{})
		talk(r, 1)
		other := httptest.NewRecorder()
		meters.handlers()["/metrics"].ServeHTTP(other, httptest.NewRequest("GET", "/metrics", nil))
		s := parseMetrics(t, other.Body)
		s.want(t, map[string]float64{"edged_sessions_started_total": 1, "edged_turns_ended_total outcome=interrupted": 1})
		select {
		case <-done:
			t.Error("the first scrape was not stuck")
		default:
		}
		close(w.may)
		<-done
		if s := parseMetrics(t, w.Body); s.value(t, "edged_sessions_started_total") != 0 {
			t.Error("an answer was collected while it was written")
		}
	})
}

// stuckWriter writes nothing before it may.
type stuckWriter struct {
	*httptest.ResponseRecorder
	may chan struct{}
}

func (w *stuckWriter) Write(p []byte) (int, error) {
	<-w.may
	return w.ResponseRecorder.Write(p)
}
