package weigh

import "slices"

// A loop is a natural loop of the machine code.
type loop struct {
	header     *block
	parent     *loop
	blocks     map[*block]bool
	sourceLoop regionCopy // the loop of the source
	jumps      bool       // the source has a label and a goto instead of a loop
	trips      int        // constant number of iterations of a loop that the compiler made, or 0
}

// loops finds the natural loops and each block's innermost one. A natural loop has a back edge to a block that
// dominates the origin of the edge.
func (g *graph) loops() []*loop {
	var all []*loop
	for _, h := range g.blocks {
		l := &loop{header: h, blocks: map[*block]bool{h: true}}
		for _, e := range h.pred {
			if g.domTree.dominates(h.id, e.from.id) {
				l.collect(e.from)
			}
		}
		if len(l.blocks) > 1 || h.stepsTo(h) {
			all = append(all, l)
		}
	}
	for _, l := range all {
		for _, o := range all {
			if o != l && o.blocks[l.header] && (l.parent == nil || len(o.blocks) < len(l.parent.blocks)) {
				l.parent = o
			}
		}
	}
	for _, l := range all {
		for b := range l.blocks {
			if b.loop == nil || len(l.blocks) < len(b.loop.blocks) {
				b.loop = l
			}
		}
	}
	return outermostFirst(all)
}

// collect adds the blocks that lead to b without passing the header.
func (l *loop) collect(b *block) {
	if l.blocks[b] {
		return
	}
	l.blocks[b] = true
	for _, e := range b.pred {
		l.collect(e.from)
	}
}

func (b *block) stepsTo(to *block) bool {
	for _, e := range b.succ {
		if e.to == to {
			return true
		}
	}
	return false
}

func (l *loop) depth() int {
	n := 0
	for ; l != nil; l = l.parent {
		n++
	}
	return n
}

func outermostFirst(all []*loop) []*loop {
	var sorted []*loop
	for d := 1; len(sorted) < len(all); d++ {
		for _, l := range all {
			if l.depth() == d {
				sorted = append(sorted, l)
			}
		}
	}
	return sorted
}

// constantTrips returns the number of iterations of a loop that counts a register down from a constant, or 0. Such
// a loop has one block and one line. The compiler makes it to move or clear large values.
func (l *loop) constantTrips() int {
	code := l.header.code
	differs := func(x instruction) bool { return x.line != code[0].line }
	if len(l.blocks) > 1 || len(code) == 0 || slices.ContainsFunc(code, differs) {
		return 0
	}
	for _, x := range code {
		if x.op != countdown {
			continue
		}
		for _, e := range l.header.pred {
			if e.from != l.header {
				return int(e.from.loaded(len(e.from.code), x.register))
			}
		}
	}
	return 0
}

// loaded returns the constant in a register before instruction i, or 0 if it is not found.
func (b *block) loaded(i, register int) int64 {
	for _, x := range slices.Backward(b.code[:i]) {
		if x.op == load && x.register == register {
			return x.value
		}
	}
	return 0
}

// A controlClass is a set of blocks that are always executed equally often. All are in the same loops. One block
// dominates the others, and the others post-dominate it in each iteration.
type controlClass struct {
	blocks   []*block
	region   regionCopy   // the region with the same count, nil if none is known
	fixed    bool         // determined by the position of the class
	rejected []regionCopy // regions of other classes
}

func (c *controlClass) first() *block { return c.blocks[0] }

// classes puts each block into its class. It returns the classes in an order in which dominating classes come
// first.
func (g *graph) classes(loops []*loop) []*controlClass {
	g.postDomTrees = map[*loop]dominatorTree{nil: g.postdominators(nil)}
	for _, l := range loops {
		g.postDomTrees[l] = g.postdominators(l)
	}
	var all []*controlClass
	order := postorder(len(g.blocks), 0, func(b int) (next []int) {
		for _, e := range g.blocks[b].succ {
			next = append(next, e.to.id)
		}
		return next
	})
	for i := len(order) - 1; i >= 0; i-- {
		b := g.blocks[order[i]]
		if c := g.classAbove(b); c != nil {
			b.class = c
		} else {
			b.class = &controlClass{}
			all = append(all, b.class)
		}
		b.class.blocks = append(b.class.blocks, b)
	}
	return all
}

func (g *graph) classAbove(b *block) *controlClass {
	for id := b.id; g.domTree.parent[id] != id; {
		id = g.domTree.parent[id]
		a := g.blocks[id]
		if a.loop == b.loop && g.postDomTrees[b.loop].dominates(b.id, a.id) {
			return a.class
		}
	}
	return nil
}
