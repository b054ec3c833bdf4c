package weigh

import "slices"

// A form is how often something is executed: a sum of counts of regions, each
// times a factor, in the order in which the counters were made.
type form []term

type term struct {
	counter int
	factor  float64
}

// plus returns f + k*g.
func (f form) plus(g form, k float64) form {
	sum := make(form, 0, len(f)+len(g))
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

// A flow finds the counts of all blocks of a graph from those of the classes whose
// region is known, by Kirchhoff's law: a block is executed as often as it is
// entered and as often as it is left.
type flow struct {
	g        *graph
	counters []spot
	blocks   []node
	edges    map[*edge]form // known ones
}

type node struct {
	count form
	known bool
}

// solve fills the counts of g's blocks.
func (m *matcher) solve() *flow {
	f := &flow{g: m.g, blocks: make([]node, len(m.g.blocks)), edges: map[*edge]form{}}
	index := map[spot]int{}
	for _, c := range m.classes {
		if !c.spot.known() {
			continue
		}
		if _, ok := index[c.spot]; !ok {
			index[c.spot] = len(f.counters)
			f.counters = append(f.counters, c.spot)
		}
		for _, b := range c.blocks {
			f.blocks[b.id] = node{form{{index[c.spot], 1}}, true}
		}
	}
	f.spreadRare()
	for f.propagate() || f.estimate() {
	}
	for _, b := range m.g.blocks {
		b.count = f.blocks[b.id].count
	}
	return f
}

// propagate applies the law once to every block, and reports whether it found
// something.
func (f *flow) propagate() (found bool) {
	for _, b := range f.g.blocks {
		if l := b.loop; l != nil && l.header == b && l.trips > 0 && f.iterate(l, float64(l.trips-1)) {
			found = true
		}
		in := b.pred
		if b.id == 0 {
			in = nil // calls enter it too
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

// iterate makes the header of l be reached again as many times as given for each
// time that l is entered, if it is known how often it is, and how it is reached again
// is not.
func (f *flow) iterate(l *loop, again float64) bool {
	var entered form
	var back *edge
	for _, e := range l.header.pred {
		count, ok := f.edges[e]
		switch {
		case ok:
			entered = entered.plus(count, 1)
		case back != nil || !l.blocks[e.from]:
			return false
		default:
			back = e
		}
	}
	if back == nil {
		return false
	}
	f.edges[back] = form{}.plus(entered, again)
	return true
}

// balance finds the count of b from all of edges, or that of the one of them that
// is not known.
func (f *flow) balance(b *block, edges []*edge) bool {
	if len(edges) == 0 {
		return false
	}
	var sum form
	var unknown *edge
	n := &f.blocks[b.id]
	for _, e := range edges {
		count, ok := f.edges[e]
		switch {
		case ok:
			sum = sum.plus(count, 1)
		case unknown != nil:
			return false
		default:
			unknown = e
		}
	}
	switch {
	case unknown == nil && !n.known:
		*n = node{sum, true}
	case unknown != nil && n.known:
		f.edges[unknown] = n.count.plus(sum, -1)
	default:
		return false
	}
	return true
}

// spreadRare makes rare what leads to rare blocks, and what only rare blocks lead
// to, among the blocks that nothing is known of: the growth of a slice takes many.
func (f *flow) spreadRare() {
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

// estimate decides one of the counts that the law leaves open, and reports whether
// there was one: by what the compiler and the runtime usually do; or, if that does not
// help, the ways into a block, or else those out of one, are taken equally often, and
// a loop of which nothing is known is executed once.
func (f *flow) estimate() bool {
	for _, rule := range []func(*block) bool{f.neverRare, f.fallsThrough, f.usually, f.comesBack} {
		if slices.ContainsFunc(f.g.blocks, rule) {
			return true
		}
	}
	for _, b := range slices.Backward(f.g.blocks) {
		if b.id != 0 && f.share(b, b.pred) {
			return true
		}
	}
	return slices.ContainsFunc(f.g.blocks, func(b *block) bool { return f.share(b, b.succ) }) ||
		slices.ContainsFunc(f.g.blocks, func(b *block) bool {
			return b.loop != nil && b.loop.header == b && f.iterate(b.loop, 1)
		})
}

// neverRare takes it that what grows a slice is not executed.
func (f *flow) neverRare(b *block) bool {
	if !b.rare || f.blocks[b.id].known {
		return false
	}
	f.blocks[b.id].known = true
	return true
}

// open returns the edges of b that are not known, if its count is.
func (f *flow) open(b *block, edges []*edge) (open []*edge) {
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

// fallsThrough takes the way from the condition of an if to the next address, where
// the compiler puts it, for that to the first branch, unless it is known where that is.
func (f *flow) fallsThrough(b *block) bool {
	if b.fork.region == nil || len(f.open(b, b.succ)) < 2 || slices.Contains(f.counters, b.fork) {
		return false
	}
	then, other := b.succ[1], b.succ[0]
	if then.to.isDetour() && len(other.to.pred) > 1 {
		then = other
	}
	f.counters = append(f.counters, b.fork)
	f.edges[then] = form{{len(f.counters) - 1, 1}}
	return true
}

// isDetour reports whether b stands on the way from a condition to what follows its
// statement: its jump has the line of the condition, not that of a branch.
func (b *block) isDetour() bool {
	if len(b.pred) != 1 {
		return false
	}
	condition, end := b.pred[0].from.last(), b.last()
	return end.op == jump && end.in == condition.in && end.line == condition.line
}

// comesBack takes the way back to the header of a loop for its body, unless it is
// known where that is.
func (f *flow) comesBack(b *block) bool {
	if b.loop == nil || b.loop.header != b || !b.loop.source.known() || slices.Contains(f.counters, b.loop.source) {
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
	f.counters = append(f.counters, b.loop.source)
	f.edges[back[0]] = form{{len(f.counters) - 1, 1}}
	return true
}

// usually takes the way from b that leads to what is usually done, if there is one.
func (f *flow) usually(b *block) bool {
	open := f.open(b, b.succ)
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

// share gives each of the edges of b that are not known an equal share.
func (f *flow) share(b *block, edges []*edge) bool {
	n := f.blocks[b.id]
	if !n.known {
		return false
	}
	rest := n.count
	for _, e := range edges {
		rest = rest.plus(f.edges[e], -1)
	}
	open := f.open(b, edges)
	for _, e := range open {
		f.edges[e] = form{}.plus(rest, 1/float64(len(open)))
	}
	return len(open) > 0
}
