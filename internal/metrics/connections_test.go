package metrics_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"edged/audio/jitter"
	"edged/dialog"
	"edged/edge"
	"edged/internal/engine"
	"edged/internal/metrics"
	"edged/realtime"
	"edged/session/log"
)

// counted is an edge that has counted so much.
type counted edge.Totals

func (c counted) Totals() edge.Totals { return edge.Totals(c) }
func (c counted) Admissions() edge.AdmissionStats {
	return edge.AdmissionStats{Sessions: 3, Awaited: 36, Admitted: 37, Evicted: 38, Forgotten: 41, Refused: map[edge.Refusal]uint64{edge.RefusedAwaited: 39, "moonlight": 40}}
}

// Each count of the edge is found under one name, and what is not known under
// other.
func TestConnections(t *testing.T) {
	var lag edge.Histogram
	for _, d := range []time.Duration{0, 10 * time.Microsecond, 5 * time.Millisecond, time.Minute} {
		lag.Add(d)
	}
	s := edge.Stats{
		PacketsIn: 101, BytesIn: 102, PacketsOut: 103, BytesOut: 104,
		Drops:   map[edge.DropReason]uint64{edge.DropOutsideListening: 7, edge.DropUndecodable: 8, "moonlight": 2, "eclipse": 3},
		Faults:  map[dialog.ErrorCode]uint64{dialog.ErrorMalformed: 9, "moonlight": 1},
		Untaken: 11, Unread: 12,
		Jitter: jitter.Stats{Late: 13, Duplicate: 14, Overflow: 15, Oversize: 16, Implausible: 17, Invalid: 18, Cleared: 19, Held: 20, Reordered: 21, Lost: 22,
			MediaTime: 23 * time.Second, LostTime: 24 * time.Second, GapTime: 25 * time.Second, SilenceTime: 26 * time.Second},
		Recovered: 27 * time.Second, Concealed: 28 * time.Second, Missing: 29 * time.Second,
		Pacer:   edge.PacerStats{Underruns: 30, Lateness: lag},
		Flushed: 31 * time.Second,
	}
	s.Uplink.Dropped[realtime.DropWindow] = realtime.DropCount{Chunks: 32, Duration: 33 * time.Second}
	s.Uplink.Dropped[realtime.DropAborted] = realtime.DropCount{Chunks: 34, Duration: 35 * time.Second}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(metrics.Connections(counted(edge.Totals{
		Begun: 5, Live: 2, Ended: map[edge.EndReason]uint64{edge.EndBye: 1, edge.EndReason(dialog.ErrorTimeout): 2},
		Refused: map[dialog.ErrorCode]uint64{dialog.ErrorBusy: 6}, Stats: s,
	})))
	compare(t, values(t, registry), []map[string]float64{{
		"edged_connections": 2, "edged_connection_places": 3, "edged_connections_served_total": 5, "edged_connections_awaited": 36,
		"edged_connections_admitted_total": 37, "edged_connections_evicted_total": 38, "edged_throttle_forgotten_total": 41,
		"edged_connections_limited_total{limit=awaited}": 39, "edged_connections_limited_total{limit=other}": 40,
		"edged_connections_ended_total{reason=bye}": 1, "edged_connections_ended_total{reason=timeout}": 2, "edged_connections_refused_total{code=busy}": 6,
		"edged_packets_total{direction=up}": 101, "edged_packet_bytes_total{direction=up}": 102,
		"edged_packets_total{direction=down}": 103, "edged_packet_bytes_total{direction=down}": 104,
		"edged_uplink_drops_total{reason=outside_listening}": 7, "edged_uplink_drops_total{reason=undecodable}": 8, "edged_uplink_drops_total{reason=other}": 5,
		"edged_device_faults_total{code=malformed}": 9, "edged_device_faults_total{code=other}": 1,
		"edged_overflows_total{queue=events}": 11, "edged_overflows_total{queue=control}": 12,
		"edged_uplink_drops_total{reason=late}": 13, "edged_uplink_drops_total{reason=duplicate}": 14, "edged_uplink_drops_total{reason=overflow}": 15,
		"edged_uplink_drops_total{reason=oversize}": 16, "edged_uplink_drops_total{reason=implausible}": 17, "edged_uplink_drops_total{reason=invalid}": 18,
		"edged_uplink_drops_total{reason=cleared}": 19, "edged_jitter_held_packets": 20, "edged_jitter_reordered_packets_total": 21, "edged_jitter_lost_packets_total": 22,
		"edged_jitter_audio_seconds_total{kind=media}": 23, "edged_jitter_audio_seconds_total{kind=lost}": 24,
		"edged_jitter_audio_seconds_total{kind=gap}": 25, "edged_jitter_audio_seconds_total{kind=silence}": 26,
		"edged_loss_seconds_total{repair=recovered}": 27, "edged_loss_seconds_total{repair=concealed}": 28, "edged_loss_seconds_total{repair=missing}": 29,
		"edged_pacing_underruns_total": 30, "edged_reply_unsent_seconds_total": 31,
		"edged_microphone_drops_total{reason=window}": 32, "edged_microphone_dropped_seconds_total{reason=window}": 33,
		"edged_microphone_drops_total{reason=aborted}": 34, "edged_microphone_dropped_seconds_total{reason=aborted}": 35,
		"edged_pacing_lag_seconds": 4, "sum of edged_pacing_lag_seconds": 60.00501,
	}})
	below := make(map[float64]uint64)
	for _, b := range gather(t, registry)["edged_pacing_lag_seconds"].GetMetric()[0].GetHistogram().GetBucket() {
		below[b.GetUpperBound()] = b.GetCumulativeCount()
	}
	// 2^14, 2^22, 2^23 and 2^33 ns.
	for upper, want := range map[float64]uint64{0.000016384: 2, 0.004194304: 2, 0.008388608: 3, 8.589934592: 3} {
		if below[upper] != want {
			t.Errorf("%d lags below %v s, want %d of %v", below[upper], upper, want, below)
		}
	}
}

// The engines are told of while they run, with how long calls waited, ran, and
// gave up.
func TestEngines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := engine.NewGate(1)
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(metrics.Engines(gate))
		call := func() error { time.Sleep(2 * time.Second); return nil }
		go gate.Do(context.Background(), "asr", call)
		synctest.Wait()
		go gate.Do(context.Background(), "tts", call)
		impatient, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		go gate.Do(impatient, "tts", call)
		synctest.Wait()
		compare(t, values(t, registry), []map[string]float64{{"edged_engine_capacity": 1, "edged_engine_running": 1, "edged_engine_waiting": 2}})
		time.Sleep(time.Minute)
		compare(t, values(t, registry), []map[string]float64{{
			"edged_engine_capacity": 1, "edged_engine_calls_total{engine=asr}": 1, "edged_engine_calls_total{engine=tts}": 1,
			"edged_engine_abandoned_total{engine=tts}": 1, "edged_engine_busy_seconds_total{engine=asr}": 2, "edged_engine_busy_seconds_total{engine=tts}": 2,
			"edged_engine_wait_seconds_total{engine=tts}": 3,
		}})
	})
}

// Lines that readers of the log have missed are counted, by whose fault it was.
func TestSessionLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := log.NewRing(log.RingConfig{Events: 10})
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(metrics.SessionLog(ring))
		slow, copied := ring.Tail(log.Start{}), ring.Tail(log.Start{})
		copying := make(chan struct{})
		go func() {
			defer close(copying)
			log.Copy(context.Background(), broken{}, copied, nil)
		}()
		for range 25 {
			io.WriteString(ring, "{}\n")
			synctest.Wait()
		}
		slow.Ready() // the gap
		compare(t, values(t, registry), []map[string]float64{{
			"edged_log_lines_total": 25, "edged_log_kept_lines": 10, "edged_log_tails": 2,
			"edged_log_missed_lines_total{reason=overtaken}": 15, "edged_log_missed_lines_total{reason=unwritable}": 25,
		}})
		ring.Close()
		<-copying
		slow.Close()
		copied.Close()
		compare(t, values(t, registry), []map[string]float64{{
			"edged_log_lines_total": 25, "edged_log_kept_lines": 10,
			"edged_log_missed_lines_total{reason=overtaken}": 15, "edged_log_missed_lines_total{reason=unwritable}": 25,
		}})
	})
}

// broken is a sink that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }
