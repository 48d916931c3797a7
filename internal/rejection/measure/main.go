// Command measure has the recogniser hear a split of the corpus and reports what
// became of it:
//
//	go run ./internal/rejection/measure -split held-out -out outcomes.jsonl
//
// What outcomes.jsonl has already is not heard again, so that a run that was
// stopped can go on. It needs Debian's festival, festvox-kdlpc16k,
// asterisk-core-sounds-en-g722, asterisk-moh-opsound-g722, alsa-utils and
// pocketsphinx-testdata, and Python 3.11 with the package index for the voices that
// are Python packages.
//
//	go run ./internal/rejection/measure -draw 40 -seed 2026
//
// makes commands by chance from the grammar, as in texts/drawn.txt.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"

	"edged/ai/rules"
	"edged/internal/recordings"
	"edged/internal/rejection"
	"edged/transformers/asr/pocketsphinx"
)

// order is what to measure.
type order struct {
	split      recordings.Split
	kinds      []rejection.Kind
	conditions []rejection.Condition
	cache, out string
	decoders   int
	// sample: under conditions other than clean, one utterance in so many is heard.
	sample int
}

func main() {
	split := flag.String("split", string(recordings.Tuning), "measure this `split`: tuning or held-out")
	kinds := flag.String("kinds", "synthetic,pseudo,human,human; spliced,machine", "`speakers`, separated by commas; ; stands for a comma")
	conditions := flag.String("conditions", "", "`conditions` such as clean, separated by ;; all if empty. Pseudo speakers and machines are only heard clean")
	cache := flag.String("cache", ".cache/rejection", "keep the speech in this `directory`")
	out := flag.String("out", "", "add the outcomes to this `file`")
	decoders := flag.Int("decoders", 2, "hear so many utterances at the same time")
	sample := flag.Int("sample", 1, "hear one utterance in `n` under conditions other than clean")
	draw := flag.Int("draw", 0, "print `n` commands a split made by the grammar, and do nothing else")
	seed := flag.Uint64("seed", 1, "for -draw")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o := order{split: recordings.Split(*split), cache: *cache, out: *out, decoders: *decoders, sample: max(*sample, 1)}
	for kind := range strings.SplitSeq(*kinds, ",") {
		o.kinds = append(o.kinds, rejection.Kind(strings.ReplaceAll(kind, ";", ",")))
	}
	for _, c := range rejection.Conditions() {
		if *conditions == "" || slices.Contains(strings.Split(*conditions, ";"), string(c)) {
			o.conditions = append(o.conditions, c)
		}
	}
	err := error(nil)
	if *draw > 0 {
		var texts string
		if texts, err = rejection.Draw(*seed, *draw); err == nil {
			_, err = os.Stdout.WriteString(texts)
		}
	} else {
		err = o.measure(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// measure hears what is not yet in the file of outcomes, and reports on all.
func (o order) measure(ctx context.Context) error {
	outcomes, err := read(o.out)
	if err != nil {
		return err
	}
	corpus, err := rejection.Corpus(ctx, &rejection.Studio{Dir: o.cache}, o.split, o.kinds...)
	if err != nil {
		return err
	}
	log := io.Discard
	if o.out != "" {
		f, err := os.OpenFile(o.out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		log = f
	}
	heard, err := o.hear(ctx, corpus, outcomes, log)
	if err != nil {
		return err
	}
	return rejection.Report(os.Stdout, append(outcomes, heard...))
}

// job is one utterance under one condition.
type job struct {
	utterance rejection.Utterance
	condition rejection.Condition
}

func (j job) key() string {
	return strings.Join([]string{string(j.condition), string(j.utterance.Kind), j.utterance.Speaker, j.utterance.Said}, "\n")
}

// hear measures what outcomes lack and writes each outcome to log.
func (o order) hear(ctx context.Context, corpus []rejection.Utterance, outcomes []rejection.Outcome, log io.Writer) ([]rejection.Outcome, error) {
	known := map[string]bool{}
	for _, past := range outcomes {
		known[job{past.Utterance, past.Condition}.key()] = true
	}
	var jobs []job
	for _, c := range o.conditions {
		// Not every n-th: the speakers come in turn, too.
		chosen := rand.New(rand.NewPCG(uint64(o.sample), 0))
		for _, u := range corpus {
			j := job{u, c}
			drawn := chosen.IntN(o.sample) == 0
			onlyClean := u.Kind == rejection.Pseudo || u.Kind == rejection.Machine
			if !known[j.key()] && (c == rejection.Clean || !onlyClean && drawn) {
				jobs = append(jobs, j)
			}
		}
	}
	recognizer, err := pocketsphinx.New(pocketsphinx.Config{Grammar: rules.Grammar(), Decoders: o.decoders})
	if err != nil {
		return nil, err
	}
	defer recognizer.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan job)
	var mu sync.Mutex // guards heard and log
	var heard []rejection.Outcome
	lines := json.NewEncoder(log)
	var hearing sync.WaitGroup
	for range o.decoders {
		hearing.Go(func() {
			for j := range queue {
				outcome, err := rejection.Measure(ctx, recognizer, j.utterance, j.condition)
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				heard = append(heard, outcome)
				err = lines.Encode(outcome)
				mu.Unlock()
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	for i, j := range jobs {
		if ctx.Err() != nil {
			break
		}
		if i%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", i, len(jobs))
		}
		queue <- j
	}
	close(queue)
	hearing.Wait()
	return heard, context.Cause(ctx)
}

// read returns the outcomes in a file; none if there is no file.
func read(path string) ([]rejection.Outcome, error) {
	f, err := os.Open(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var outcomes []rejection.Outcome
	lines := json.NewDecoder(bufio.NewReader(f))
	for {
		var o rejection.Outcome
		err := lines.Decode(&o)
		if errors.Is(err, io.EOF) {
			return outcomes, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: outcome %d: %w", path, len(outcomes)+1, err)
		}
		outcomes = append(outcomes, o)
	}
}
