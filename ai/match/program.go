package match

import "slices"

// program is a pattern compiled to a nondeterministic automaton. Every edge
// leads to a state with a greater number, except that a gap stays where it is;
// so one pass over the states in order settles a position.
type program struct {
	states []state
	slots  []slotNode
	// exact: no soft word is skipped.
	exact bool
	// words are all the words that the pattern names; open tells that it also
	// takes words that it does not name. Together they rule most patterns out
	// before they are run.
	words map[string]bool
	open  bool
}

type state struct {
	edges []edge
	// gap: any word may be consumed here as free text.
	gap bool
}

type edgeKind uint8

const (
	edgeFree edgeKind = iota // consumes nothing
	edgeWord
	edgeSlot
)

type edge struct {
	kind edgeKind
	to   int
	word string
	slot int
}

// compileProgram returns the automaton of n, or false when it has more than
// maxStates states.
func compileProgram(n node) (*program, bool) {
	p := &program{states: make([]state, 1), words: map[string]bool{}}
	p.add(n, 0)
	return p, len(p.states) <= maxStates
}

func (p *program) newState() int {
	p.states = append(p.states, state{})
	return len(p.states) - 1
}

func (p *program) connect(from int, e edge) {
	p.states[from].edges = append(p.states[from].edges, e)
}

// add appends the automaton of n after the state from and returns its end.
func (p *program) add(n node, from int) int {
	switch n := n.(type) {
	case wordNode:
		to := p.newState()
		p.words[string(n)] = true
		p.connect(from, edge{kind: edgeWord, to: to, word: string(n)})
		return to
	case slotNode:
		to := p.newState()
		p.slots = append(p.slots, n)
		p.open = p.open || n.typ.read == nil
		p.connect(from, edge{kind: edgeSlot, to: to, slot: len(p.slots) - 1})
		return to
	case gapNode:
		to := p.newState() // a state of its own, so that the gap is no part of what came before
		p.connect(from, edge{to: to})
		p.states[to].gap, p.open = true, true
		return to
	case seqNode:
		for _, part := range n {
			from = p.add(part, from)
		}
		return from
	case altNode:
		ends := make([]int, len(n))
		for i, branch := range n {
			start := p.newState()
			p.connect(from, edge{to: start})
			ends[i] = p.add(branch, start)
		}
		return p.join(ends...)
	case maybeNode:
		start := p.newState()
		p.connect(from, edge{to: start})
		return p.join(p.add(n.inner, start), from)
	}
	return from
}

func (p *program) join(ends ...int) int {
	to := p.newState()
	for _, end := range ends {
		p.connect(end, edge{to: to})
	}
	return to
}

// cost orders the ways to match one utterance; see Ranking in the package
// documentation.
type cost struct {
	free, skipped, literal int
}

// better reports whether a explains the utterance better than b.
func (a cost) better(b cost) bool {
	if a.free != b.free {
		return a.free < b.free
	}
	if a.skipped != b.skipped {
		return a.skipped < b.skipped
	}
	return a.literal > b.literal
}

// filled is one filled slot in a chain back to the first one.
type filled struct {
	slot       int
	start, end int
	value      any
	before     *filled
}

// thread is the best way found so far to reach one state at one position.
type thread struct {
	alive bool
	cost  cost
	slots *filled
}

// hearing is one utterance with what slot readers found in it, shared by all
// the patterns it is compared with.
type hearing struct {
	words []string
	soft  []bool
	firm  []bool
	spans map[*slotType][][]span
	// covered tells which words lie within a reading of a slot type.
	covered map[*slotType][]bool
	// scratch is the memory of one run, used again by the next.
	scratch []thread
}

func newHearing(words []string, soft, firm map[string]bool) *hearing {
	h := &hearing{
		words: words,
		soft:  make([]bool, len(words)),
		firm:  make([]bool, len(words)),
		spans: map[*slotType][][]span{}, covered: map[*slotType][]bool{},
	}
	for i, w := range words {
		h.soft[i], h.firm[i] = soft[w], firm[w]
	}
	return h
}

// read returns the ways to read a slot of type t at position at.
func (h *hearing) read(t *slotType, at int) []span {
	table, ok := h.spans[t]
	if !ok {
		table = make([][]span, len(h.words))
		for i := range table {
			if t.read != nil {
				table[i] = t.read(h.words, i)
				continue
			}
			for end := i + 1; end <= len(h.words) && !h.firm[end-1]; end++ { // rest
				table[i] = append(table[i], span{end: end})
			}
		}
		h.spans[t] = table
	}
	return table[at]
}

// covers returns which words lie within a reading of t.
func (h *hearing) covers(t *slotType) []bool {
	covered, ok := h.covered[t]
	if !ok {
		covered = make([]bool, len(h.words))
		for at := range h.words {
			for _, sp := range h.read(t, at) {
				for i := at; i < sp.end; i++ {
					covered[i] = true
				}
			}
		}
		h.covered[t] = covered
	}
	return covered
}

// hopeless reports whether some word of the utterance has no place in p.
func (p *program) hopeless(h *hearing) bool {
	if p.open {
		return false
	}
	for i, w := range h.words {
		if p.words[w] || h.soft[i] && !p.exact {
			continue
		}
		if !slices.ContainsFunc(p.slots, func(s slotNode) bool { return h.covers(s.typ)[i] }) {
			return true
		}
	}
	return false
}

// threads returns n dead threads.
func (h *hearing) threads(n int) []thread {
	if cap(h.scratch) < n {
		h.scratch = make([]thread, n)
	}
	threads := h.scratch[:n]
	clear(threads)
	return threads
}

// run returns the best way to match the whole utterance.
func (p *program) run(h *hearing) (thread, bool) {
	if p.hopeless(h) {
		return thread{}, false
	}
	width := len(p.states)
	// threads[pos*width+state]; positions are settled from left to right.
	threads := h.threads((len(h.words) + 1) * width)
	threads[0].alive = true
	reach := func(pos, state int, c cost, slots *filled) {
		t := &threads[pos*width+state]
		if !t.alive || c.better(t.cost) {
			*t = thread{true, c, slots}
		}
	}
	for pos := range len(h.words) + 1 {
		for from := range p.states {
			t := threads[pos*width+from]
			if !t.alive {
				continue
			}
			if pos < len(h.words) {
				p.consume(h, pos, from, t, reach)
			}
			for _, e := range p.states[from].edges {
				if e.kind == edgeFree {
					reach(pos, e.to, t.cost, t.slots)
				}
			}
		}
	}
	last := threads[len(threads)-1]
	return last, last.alive
}

// consume follows the edges of state from that take the word at pos.
func (p *program) consume(h *hearing, pos, from int, t thread, reach func(int, int, cost, *filled)) {
	s := &p.states[from]
	if s.gap && !h.firm[pos] {
		c := t.cost
		c.free++
		reach(pos+1, from, c, t.slots)
	}
	if h.soft[pos] && !p.exact {
		c := t.cost
		c.skipped++
		reach(pos+1, from, c, t.slots)
	}
	for _, e := range s.edges {
		switch e.kind {
		case edgeWord:
			if e.word == h.words[pos] {
				c := t.cost
				c.literal++
				reach(pos+1, e.to, c, t.slots)
			}
		case edgeSlot:
			typ := p.slots[e.slot].typ
			for _, sp := range h.read(typ, pos) {
				c := t.cost
				if typ.name == restType {
					c.free += sp.end - pos
				}
				reach(sp.end, e.to, c, &filled{e.slot, pos, sp.end, sp.value, t.slots})
			}
		}
	}
}
