//go:build cgo

package pocketsphinx

import (
	"testing"
	"time"
)

// BenchmarkUtterance is a command of 2.6 s from first to last sample, as fast as
// the engine goes: both searches as a part of the audio's duration (rtf), and
// how long Finish takes (finish-ms).
func BenchmarkUtterance(b *testing.B) {
	r := commands.get(b)
	pcm := endpointed(b, "testdata/rms-timer.wav")
	audio := time.Duration(len(pcm)) * time.Second / 16000
	var finish time.Duration
	b.ReportAllocs()
	for b.Loop() {
		h := mustRecognize(b, r, pcm)
		finish += h.Took
	}
	all, n := b.Elapsed(), time.Duration(b.N)
	b.ReportMetric(float64(all)/float64(n*audio), "rtf")
	b.ReportMetric(float64(finish/n)/1e6, "finish-ms")
}

// BenchmarkGrammar is the grammar's search alone, over the same command.
func BenchmarkGrammar(b *testing.B) {
	r := commands.get(b)
	pcm := endpointed(b, "testdata/rms-timer.wav")
	audio := time.Duration(len(pcm)) * time.Second / 16000
	p := <-r.free
	defer func() { r.free <- p }()
	if err := p.language.settle(pcm[:settleSamples]); err != nil {
		b.Fatal(err)
	}
	p.language.shareChannel(p.command)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.command.start(); err != nil {
			b.Fatal(err)
		}
		if err := p.command.feed(pcm); err != nil {
			b.Fatal(err)
		}
		if heard, err := p.command.stop(); err != nil || heard.text == "" {
			b.Fatalf("heard %q, %v", heard.text, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(time.Duration(b.N)*audio), "rtf")
}

// BenchmarkLoad makes the decoders of one utterance and warms them up; MB is
// what they keep.
func BenchmarkLoad(b *testing.B) {
	text := grammar(b)
	kept := 0
	for b.Loop() {
		before := resident(b)
		r, err := New(Config{Grammar: text, Decoders: 1})
		if err != nil {
			b.Fatal(err)
		}
		kept = resident(b) - before
		b.StopTimer()
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(kept)/(1<<20), "MB")
}

// BenchmarkDistance is the comparison of two readings.
func BenchmarkDistance(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		distance("set a timer for twenty five minutes", "said a diner for twenty five minutes")
	}
}
