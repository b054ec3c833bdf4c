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

// estimate decides one of the counts that the law leaves open, and reports whether
// there was one: what grows a slice is not executed; otherwise the ways into a
// block, or else those out of one, are taken equally often.
func (f *flow) estimate() bool {
	for _, b := range f.g.blocks {
		if b.rare && !f.blocks[b.id].known {
			f.blocks[b.id].known = true
			return true
		}
	}
	for _, b := range slices.Backward(f.g.blocks) {
		if b.id != 0 && f.share(b, b.pred) {
			return true
		}
	}
	for _, b := range f.g.blocks {
		if f.share(b, b.succ) {
			return true
		}
	}
	return false
}

// share gives each of the edges of b that are not known an equal share.
func (f *flow) share(b *block, edges []*edge) bool {
	n := f.blocks[b.id]
	if !n.known {
		return false
	}
	rest := n.count
	var open []*edge
	for _, e := range edges {
		if count, ok := f.edges[e]; ok {
			rest = rest.plus(count, -1)
		} else {
			open = append(open, e)
		}
	}
	for _, e := range open {
		f.edges[e] = form{}.plus(rest, 1/float64(len(open)))
	}
	return len(open) > 0
}
