package main

import "spoor/traces/trace"

// phase is what all processors do until they meet. A phase has rounds; in each, a processor touches memory by patterns, and then
// synchronizes or passes messages.
type phase struct {
	patterns []pattern
	rounds   int
	each     []int // references of a round of each processor
	instr    int   // most instructions before a reference
	end      func(g *program, p, round int)
}

// phase draws a phase and lets all processors go through it.
func (g *program) phase(references int, last bool) {
	ph := phase{rounds: int(g.between(1, 64)), instr: 1 + g.IntN(16), end: g.drawEnd()}
	for range 1 + g.IntN(3) {
		ph.patterns = append(ph.patterns, g.drawPattern())
	}
	uneven := g.Float64() * g.Float64()
	for range g.processors {
		n := float64(references) / float64(ph.rounds) * (1 + uneven*(2*g.Float64()-1))
		ph.each = append(ph.each, max(1, int(n)))
	}
	for round := range ph.rounds {
		for p := range g.processors {
			g.work(&ph, p, round)
		}
		for p := range g.processors {
			ph.end(g, p, round)
		}
	}
	if last || g.chance(0.8) {
		for _, p := range g.processors {
			p.add(trace.Barrier, func(*trace.Event) {})
		}
	}
}

// work is the references of a processor in a round.
func (g *program) work(ph *phase, p, round int) {
	for k := range ph.each[p] {
		pt := &ph.patterns[k%len(ph.patterns)]
		op := trace.Load
		if g.chance(pt.stores) {
			op = trace.Store
		}
		g.processors[p].touch(uint32(1+g.IntN(ph.instr)), pt.address(g, p, round*ph.each[p]+k), op)
	}
}

// pattern is how a processor walks through an array.
type pattern struct {
	array  array
	own    bool // each processor has its own array
	stores float64
	step   uint64 // in words, of those that walk in steps
	place  func(g *program, pt *pattern, a array, p int, k uint64) uint64
}

// places are the ways to choose word k of a processor.
var places = []func(g *program, pt *pattern, a array, p int, k uint64) uint64{
	sequential, strided, anywhere, often, interleaved, stencil, transposed,
}

// drawPattern draws a pattern. Programs that pass messages share no array.
func (g *program) drawPattern() pattern {
	pt := pattern{own: g.messages || g.chance(0.3), step: uint64(g.between(1, 512)), place: places[g.IntN(len(places))]}
	pt.array = g.shared[g.IntN(len(g.shared))]
	if g.chance(0.7) {
		pt.stores = g.Float64() * g.Float64()
	}
	return pt
}

// address is that of the reference number k of processor p.
func (pt *pattern) address(g *program, p, k int) uint64 {
	a := pt.array
	if pt.own {
		a = g.own[p]
	}
	return a.base + 8*(pt.place(g, pt, a, p, uint64(k))%a.words)
}

// part is where the part of a processor begins, and its length.
func (g *program) part(a array, p int) (first, words uint64) {
	words = max(1, a.words/uint64(len(g.processors)))
	return uint64(p) * words, words
}

// sequential walks through the part of the processor, word by word.
func sequential(g *program, _ *pattern, a array, p int, k uint64) uint64 {
	first, words := g.part(a, p)
	return first + k%words
}

// strided walks through the whole array in steps, from the part of the processor on.
func strided(g *program, pt *pattern, a array, p int, k uint64) uint64 {
	first, _ := g.part(a, p)
	return first + k*pt.step + k*pt.step/a.words
}

// anywhere draws a word.
func anywhere(g *program, _ *pattern, a array, _ int, _ uint64) uint64 { return g.Uint64N(a.words) }

// often draws a word, of which those at the beginning are more frequent.
func often(g *program, _ *pattern, a array, _ int, _ uint64) uint64 {
	return uint64(g.between(1, float64(a.words))) - 1
}

// interleaved deals out single words in turn, so that processors share lines.
func interleaved(g *program, _ *pattern, _ array, p int, k uint64) uint64 {
	return k*uint64(len(g.processors)) + uint64(p)
}

// stencil walks through the part of the processor, and touches words beside, before and behind each.
func stencil(g *program, pt *pattern, a array, p int, k uint64) uint64 {
	first, words := g.part(a, p)
	beside := []uint64{0, 1, a.words - 1, pt.step, a.words - pt.step%a.words}
	return first + k/5%words + beside[k%5]
}

// transposed walks through the parts of all processors in turn, from the next one on.
func transposed(g *program, _ *pattern, a array, p int, k uint64) uint64 {
	_, words := g.part(a, 0)
	n := uint64(len(g.processors))
	return (uint64(p)+1+k)%n*words + k/n%words
}
