package weigh

import "slices"

// A loop is a natural loop of the machine code.
type loop struct {
	header *block
	parent *loop
	blocks map[*block]bool
	source spot // the source loop that it is
	trips  int  // iterations, if the compiler made the loop and a constant says how many
}

// loops finds the natural loops, of back edges to blocks that dominate their
// origin, and each block's innermost one.
func (g *graph) loops() []*loop {
	var all []*loop
	for _, h := range g.blocks {
		l := &loop{header: h, blocks: map[*block]bool{h: true}}
		for _, e := range h.pred {
			if g.before.above(h.id, e.from.id) {
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

// collect adds the blocks from which b can be reached without the header.
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

// constantTrips returns how often a loop of one block and one line is executed that
// counts a register down from a constant, as those do that move or clear large
// values; 0 if l is no such loop.
func (l *loop) constantTrips() int {
	code := l.header.code
	differs := func(x instruction) bool { return x.line != code[0].line }
	if len(l.blocks) > 1 || slices.ContainsFunc(code, differs) {
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

// loaded returns the constant in a register before instruction i, 0 if it is not
// found.
func (b *block) loaded(i, register int) int64 {
	for _, x := range slices.Backward(b.code[:i]) {
		if x.op == load && x.register == register {
			return x.value
		}
	}
	return 0
}

// A class are the blocks that are always executed equally often: all are in the same
// loops, one dominates the others, and in each iteration they post-dominate it.
type class struct {
	blocks  []*block
	spot    spot   // the region whose count is theirs; its region is nil if none is known
	decided bool   // by where the class stands
	lost    []spot // regions that other classes have
}

func (c *class) first() *block { return c.blocks[0] }

// classes puts each block into its class, and returns the classes so that those
// that dominate others come before them.
func (g *graph) classes(loops []*loop) []*class {
	g.after = map[*loop]tree{nil: g.postdominators(nil)}
	for _, l := range loops {
		g.after[l] = g.postdominators(l)
	}
	var all []*class
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
			b.class = &class{}
			all = append(all, b.class)
		}
		b.class.blocks = append(b.class.blocks, b)
	}
	return all
}

func (g *graph) classAbove(b *block) *class {
	for id := b.id; g.before.parent[id] != id; {
		id = g.before.parent[id]
		a := g.blocks[id]
		if a.loop == b.loop && g.after[b.loop].above(b.id, a.id) {
			return a.class
		}
	}
	return nil
}
