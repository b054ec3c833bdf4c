package weigh

import "slices"

// A countSum is an execution count: a sum of counts of regions, each times a factor, in the order of the counters.
type countSum []term

type term struct {
	counter int
	factor  float64
}

// addScaled returns f + k*g.
func (f countSum) addScaled(g countSum, k float64) countSum {
	sum := make(countSum, 0, len(f)+len(g))
	for len(f) > 0 || len(g) > 0 {
		switch {
		case len(g) == 0 || len(f) > 0 && f[0].counter < g[0].counter:
			sum, f = append(sum, f[0]), f[1:]
		case len(f) == 0 || g[0].counter < f[0].counter:
			sum, g = append(sum, term{g[0].counter, k * g[0].factor}), g[1:]
		default:
			if x := f[0].factor + k*g[0].factor; x != 0 {
				sum = append(sum, term{f[0].counter, x})
			}
			f, g = f[1:], g[1:]
		}
	}
	return sum
}

// A flowSolver computes the counts of all blocks of a graph from those of classes with a known region. It uses
// Kirchhoff's law: a block is executed as often as it is entered, and as often as it is left.
type flowSolver struct {
	g        *graph
	counters []regionCopy
	blocks   []blockCount
	edges    map[*edge]countSum // known counts
}

type blockCount struct {
	count countSum
	known bool
}

// solve computes the counts of g's blocks.
func (m *matcher) solve() *flowSolver {
	f := &flowSolver{g: m.g, blocks: make([]blockCount, len(m.g.blocks)), edges: map[*edge]countSum{}}
	index := map[regionCopy]int{}
	for _, c := range m.classes {
		if !c.region.known() {
			continue
		}
		if _, ok := index[c.region]; !ok {
			index[c.region] = len(f.counters)
			f.counters = append(f.counters, c.region)
		}
		for _, b := range c.blocks {
			f.blocks[b.id] = blockCount{countSum{{index[c.region], 1}}, true}
		}
	}
	f.markRare()
	for f.propagate() || f.estimate() {
	}
	for _, b := range m.g.blocks {
		b.count = f.blocks[b.id].count
	}
	return f
}

// propagate applies the law once to every block, and reports whether it found a count.
func (f *flowSolver) propagate() (found bool) {
	for _, b := range f.g.blocks {
		if l := b.loop; l != nil && l.header == b && l.trips > 0 && f.setIterations(l, float64(l.trips-1)) {
			found = true
		}
		in := b.pred
		if b.id == 0 {
			in = nil // calls also enter it
		}
		if f.balance(b, in) {
			found = true
		}
		if f.balance(b, b.succ) {
			found = true
		}
	}
	return found
}

// setIterations sets the count of the back edge of l to again times the count of entries. It does so only if the
// count of entries is known and that of the one back edge is not.
func (f *flowSolver) setIterations(l *loop, again float64) bool {
	var entered countSum
	var back *edge
	for _, e := range l.header.pred {
		count, ok := f.edges[e]
		switch {
		case ok:
			entered = entered.addScaled(count, 1)
		case back != nil || !l.blocks[e.from]:
			return false
		default:
			back = e
		}
	}
	if back == nil {
		return false
	}
	f.edges[back] = countSum{}.addScaled(entered, again)
	return true
}

// balance computes the count of b from the counts of all edges, or the one unknown count of an edge from that of b.
func (f *flowSolver) balance(b *block, edges []*edge) bool {
	if len(edges) == 0 {
		return false
	}
	var sum countSum
	var unknown *edge
	n := &f.blocks[b.id]
	for _, e := range edges {
		count, ok := f.edges[e]
		switch {
		case ok:
			sum = sum.addScaled(count, 1)
		case unknown != nil:
			return false
		default:
			unknown = e
		}
	}
	switch {
	case unknown == nil && !n.known:
		*n = blockCount{sum, true}
	case unknown != nil && n.known:
		f.edges[unknown] = n.count.addScaled(sum, -1)
	default:
		return false
	}
	return true
}

// markRare extends rare to blocks without known counts that lead to rare blocks, or that only rare blocks lead to.
// Growing a slice takes many blocks.
func (f *flowSolver) markRare() {
	for changed := true; changed; {
		changed = false
		for _, b := range f.g.blocks {
			if b.rare || f.blocks[b.id].known {
				continue
			}
			leads := slices.ContainsFunc(b.succ, func(e *edge) bool { return e.to.rare && !f.blocks[e.to.id].known })
			normal := slices.ContainsFunc(b.pred, func(e *edge) bool { return !e.from.rare || f.blocks[e.from.id].known })
			if leads || !normal {
				b.rare, changed = true, true
			}
		}
	}
}

// estimate decides one of the counts that the law does not determine, and reports whether there was one. First it
// uses rules about the usual behaviour of the compiler and the runtime. If none applies, it assumes that all edges
// into a block, or else all edges out of a block, are equally frequent. Last, it assumes that an unknown loop is
// executed once.
func (f *flowSolver) estimate() bool {
	for _, rule := range []func(*block) bool{f.assumeRareUnexecuted, f.followFallThrough, f.followUsual, f.countBackEdge} {
		if slices.ContainsFunc(f.g.blocks, rule) {
			return true
		}
	}
	for _, b := range slices.Backward(f.g.blocks) {
		if b.id != 0 && f.splitEvenly(b, b.pred) {
			return true
		}
	}
	return slices.ContainsFunc(f.g.blocks, func(b *block) bool { return f.splitEvenly(b, b.succ) }) ||
		slices.ContainsFunc(f.g.blocks, func(b *block) bool {
			return b.loop != nil && b.loop.header == b && f.setIterations(b.loop, 1)
		})
}

// assumeRareUnexecuted assumes that code which grows a slice is not executed.
func (f *flowSolver) assumeRareUnexecuted(b *block) bool {
	if !b.rare || f.blocks[b.id].known {
		return false
	}
	f.blocks[b.id].known = true
	return true
}

// unknownEdges returns the edges of b with unknown counts, if the count of b is known.
func (f *flowSolver) unknownEdges(b *block, edges []*edge) (open []*edge) {
	if !f.blocks[b.id].known {
		return nil
	}
	for _, e := range edges {
		if _, ok := f.edges[e]; !ok {
			open = append(open, e)
		}
	}
	return open
}

// followFallThrough takes the edge from the condition of an if to the next address as the one to the first branch,
// because the compiler puts the branch there. It does so only if the branch has no known block.
func (f *flowSolver) followFallThrough(b *block) bool {
	if b.thenBranch.region == nil || len(f.unknownEdges(b, b.succ)) < 2 || slices.Contains(f.counters, b.thenBranch) {
		return false
	}
	then, other := b.succ[1], b.succ[0]
	if then.to.skipsBranch() && len(other.to.pred) > 1 {
		then = other
	}
	f.counters = append(f.counters, b.thenBranch)
	f.edges[then] = countSum{{len(f.counters) - 1, 1}}
	return true
}

// skipsBranch reports whether b leads from a condition to the code after its statement. Then its jump has the line
// of the condition, not that of a branch.
func (b *block) skipsBranch() bool {
	if len(b.pred) != 1 {
		return false
	}
	condition, end := b.pred[0].from.last(), b.last()
	return end.op == jump && end.in == condition.in && end.line == condition.line
}

// countBackEdge takes the back edge of a loop as its body, if the body has no known block.
func (f *flowSolver) countBackEdge(b *block) bool {
	if b.loop == nil || b.loop.header != b || !b.loop.sourceLoop.known() || slices.Contains(f.counters, b.loop.sourceLoop) {
		return false
	}
	var back []*edge
	for _, e := range b.pred {
		if _, ok := f.edges[e]; !ok && b.loop.blocks[e.from] {
			back = append(back, e)
		}
	}
	if len(back) != 1 {
		return false
	}
	f.counters = append(f.counters, b.loop.sourceLoop)
	f.edges[back[0]] = countSum{{len(f.counters) - 1, 1}}
	return true
}

// followUsual takes the edge of b that leads to usual code, if there is one.
func (f *flowSolver) followUsual(b *block) bool {
	open := f.unknownEdges(b, b.succ)
	if len(open) < 2 || !slices.ContainsFunc(open, func(e *edge) bool { return e.to.usual }) {
		return false
	}
	for _, e := range open {
		if !e.to.usual {
			f.edges[e] = nil
		}
	}
	return true
}

// splitEvenly gives each unknown edge of b an equal part of the remaining count.
func (f *flowSolver) splitEvenly(b *block, edges []*edge) bool {
	n := f.blocks[b.id]
	if !n.known {
		return false
	}
	rest := n.count
	for _, e := range edges {
		rest = rest.addScaled(f.edges[e], -1)
	}
	open := f.unknownEdges(b, edges)
	for _, e := range open {
		f.edges[e] = countSum{}.addScaled(rest, 1/float64(len(open)))
	}
	return len(open) > 0
}
