package realtime

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestCombinatorProperties runs every combinator over random inputs, paces and
// readers and checks what must hold whatever happens: nothing is lost, nothing
// doubled, and the order of each route is kept.
func TestCombinatorProperties(t *testing.T) {
	const runs = 150
	for name, run := range map[string]func(*testing.T, *rand.Rand){
		"Merge":            func(t *testing.T, rng *rand.Rand) { mergedRun(t, rng, Merge, true) },
		"CompositeSeq":     func(t *testing.T, rng *rand.Rand) { mergedRun(t, rng, CompositeSeq, true) },
		"MergeInterleaved": func(t *testing.T, rng *rand.Rand) { mergedRun(t, rng, MergeInterleaved, false) },
		"Split":            splitRun,
		"Tee":              teeRun,
		"Iter":             iterRun,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(runs) {
				synctest.Test(t, func(t *testing.T) { run(t, rand.New(rand.NewPCG(seed, 5))) })
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

// pace returns a pause of random length, or none.
func pace(rng *rand.Rand) func() {
	most := []time.Duration{0, 0, time.Millisecond, 30 * time.Millisecond}[rng.IntN(4)]
	rng = rand.New(rand.NewPCG(rng.Uint64(), 0)) // of its own: pauses run concurrently
	return func() {
		if most > 0 {
			time.Sleep(time.Duration(rng.Int64N(int64(most))))
		}
	}
}

// randomInput returns a stream of chunks of random kinds on a few routes named
// after it. Name and Timestamp number the chunks of each route from 1.
func randomInput(rng *rand.Rand, name string) (in *foreign, routes map[string]int64) {
	routes = map[string]int64{}
	var chunks []*MessageChunk
	for range rng.IntN(80) {
		route := fmt.Sprintf("%s/%d", name, rng.IntN(3))
		routes[route]++
		c := at(text(route, fmt.Sprintf("%s:%d ", route, routes[route])), routes[route])
		switch rng.IntN(8) {
		case 0:
			c.Part = nil
		case 1:
			c.Part = &Blob{MIMEType: "audio/opus", Data: []byte{byte(rng.IntN(256))}}
		case 2:
			c.Part, c.ToolCall = nil, &ToolCall{Name: "lamp"}
		}
		if rng.IntN(2) == 0 {
			c.Role = RoleUser
		}
		c.Ctrl.BeginOfStream, c.Ctrl.EndOfStream = rng.IntN(10) == 0, rng.IntN(10) == 0
		chunks = append(chunks, c)
	}
	in = script(io.EOF, chunks...)
	in.pause = pace(rng)
	return in, routes
}

// readAll reads s at its pace.
func readAll(t *testing.T, s Stream, pause func()) []*MessageChunk {
	var chunks []*MessageChunk
	for {
		pause()
		c, err := s.Next()
		if err == io.EOF {
			return chunks
		}
		if err != nil {
			t.Errorf("Next: %v", err)
			return chunks
		}
		chunks = append(chunks, c)
	}
}

func mergedRun(t *testing.T, rng *rand.Rand, merge func(...Stream) Stream, sequential bool) {
	var inputs []Stream
	want := map[string]int64{}
	for i := range 1 + rng.IntN(5) {
		in, routes := randomInput(rng, fmt.Sprint(i))
		inputs = append(inputs, in)
		for route, n := range routes {
			want[route] = n
		}
	}
	s := merge(inputs...)
	defer s.Close()
	got, input := map[string]int64{}, ""
	for _, c := range readAll(t, s, pace(rng)) {
		if c.Ctrl.Timestamp == 0 { // a marker of CompositeSeq
			if !c.IsEndOfStream() || !empty(c) || c.Route() == "" {
				t.Errorf("a chunk that no input had: %+v", c)
			}
			continue
		}
		if c.Ctrl.Timestamp != got[c.Route()]+1 {
			t.Errorf("route %s: chunk %d came after %d", c.Route(), c.Ctrl.Timestamp, got[c.Route()])
		}
		got[c.Route()]++
		if from, _, _ := strings.Cut(c.Route(), "/"); sequential && from < input {
			t.Errorf("a chunk of input %s came after one of input %s", from, input)
		} else {
			input = from
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("chunks by route: %v, want %v", got, want)
	}
}

func splitRun(t *testing.T, rng *rand.Rand) {
	in, _ := randomInput(rng, "0")
	all := in.chunks
	users, others := Split(in, isUser)
	defer users.Close()
	defer others.Close()
	var got [2][]*MessageChunk
	var reading sync.WaitGroup
	limit := -1 // chunks after which the others are abandoned
	if rng.IntN(2) == 0 {
		limit = rng.IntN(20)
	}
	usersPause, othersPause := pace(rng), pace(rng)
	reading.Go(func() { got[0] = readAll(t, users, usersPause) })
	reading.Go(func() {
		for limit < 0 || len(got[1]) < limit {
			othersPause()
			c, err := others.Next()
			if err != nil {
				return
			}
			got[1] = append(got[1], c)
		}
		_ = others.Close()
	})
	reading.Wait()
	var want [2][]*MessageChunk
	for _, c := range all {
		side := 1
		if isUser(c) {
			side = 0
		}
		want[side] = append(want[side], c)
	}
	if limit >= 0 {
		want[1] = want[1][:min(limit, len(want[1]))]
	}
	for side := range want {
		if fmt.Sprint(got[side]) != fmt.Sprint(want[side]) { // the very chunks: compared by address
			t.Errorf("side %d got %d chunks, want %d, the same in the same order", side, len(got[side]), len(want[side]))
		}
	}
}

func teeRun(t *testing.T, rng *rand.Rand) {
	in, _ := randomInput(rng, "0")
	all := in.chunks
	copied := NewStreamBuilder(1 + rng.IntN(5))
	s := Tee(in, copied)
	defer s.Close()
	var main, second []*MessageChunk
	var reading sync.WaitGroup
	mainPause, secondPause := pace(rng), pace(rng)
	reading.Go(func() { main = readAll(t, s, mainPause) })
	reading.Go(func() { second = readAll(t, copied.Stream(), secondPause) })
	reading.Wait()
	if fmt.Sprint(main) != fmt.Sprint(all) || fmt.Sprint(second) != fmt.Sprint(all) {
		t.Errorf("main got %d and the copy %d of %d chunks, want the same in the same order", len(main), len(second), len(all))
	}
}

func iterRun(t *testing.T, rng *rand.Rand) {
	in, _ := randomInput(rng, "0")
	want, calls := map[elementKey]string{}, 0
	for _, c := range in.chunks {
		switch p := c.Part.(type) {
		case Text:
			want[elementKey{c.Role, "", TextChannel}] += string(p)
		case *Blob:
			want[elementKey{c.Role, "", p.MIMEType}] += string(p.Data)
		}
		if c.ToolCall != nil {
			calls++
		}
	}
	it := Iter(in)
	defer it.Close()
	var mu sync.Mutex
	got := map[elementKey]string{}
	var reading sync.WaitGroup
	nextPause := pace(rng)
	for {
		nextPause()
		element, err := it.Next()
		if err != nil {
			if err != io.EOF {
				t.Errorf("Next: %v", err)
			}
			break
		}
		if element.ToolCall != nil {
			calls--
			continue
		}
		pause, size := pace(rng), 1+rng.IntN(9)
		reading.Go(func() {
			var content strings.Builder
			p := make([]byte, size)
			for {
				pause()
				n, err := element.Read(p)
				content.Write(p[:n])
				if err != nil {
					break
				}
			}
			mu.Lock()
			defer mu.Unlock()
			key := elementKey{element.Role, element.Name, element.MIMEType}
			if _, twice := got[key]; twice {
				t.Errorf("two elements for %v", key)
			}
			got[key] = content.String()
		})
	}
	reading.Wait()
	if fmt.Sprint(got) != fmt.Sprint(want) || calls != 0 {
		t.Errorf("content %q, want %q; %d tool calls missing", got, want, calls)
	}
}
