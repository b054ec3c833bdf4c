package weigh

import "slices"

// A dominatorTree contains, for each block, the blocks that are on every path from the root to it. A post-dominator
// tree contains those on every path from it to the end.
type dominatorTree struct {
	parent  []int // of each block; a root is its own parent
	in, out []int // intervals of a depth-first walk through the tree
}

// dominates reports whether a is b or an ancestor of b.
func (t dominatorTree) dominates(a, b int) bool { return t.in[a] <= t.in[b] && t.out[b] <= t.out[a] }

// dominators builds the dominator tree of n nodes; next returns the successors of a node. Nodes that cannot be
// reached from the root have no parent. Algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
// Algorithm", 2001.
func dominators(n, root int, next func(int) []int) dominatorTree {
	order := postorder(n, root, next)
	d := dominatorBuilder{rank: make([]int, n), parent: make([]int, n), prev: make([][]int, n)}
	for i, b := range order {
		d.rank[b] = i
		for _, s := range next(b) {
			d.prev[s] = append(d.prev[s], b)
		}
	}
	for i := range d.parent {
		d.parent[i] = -1
	}
	d.parent[root] = root
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(order) {
			if b == root {
				continue
			}
			if p := d.nearest(b); p != d.parent[b] {
				d.parent[b], changed = p, true
			}
		}
	}
	return numberTree(d.parent)
}

// dominatorBuilder builds a dominator tree.
type dominatorBuilder struct {
	rank   []int // in postorder
	parent []int // -1 if not known yet
	prev   [][]int
}

// nearest returns the nearest node that dominates all known predecessors of b.
func (d dominatorBuilder) nearest(b int) int {
	p := -1
	for _, q := range d.prev[b] {
		switch {
		case d.parent[q] < 0:
		case p < 0:
			p = q
		default:
			p = d.intersect(p, q)
		}
	}
	return p
}

func (d dominatorBuilder) intersect(a, b int) int {
	for a != b {
		for d.rank[a] < d.rank[b] {
			a = d.parent[a]
		}
		for d.rank[b] < d.rank[a] {
			b = d.parent[b]
		}
	}
	return a
}

// postorder returns the nodes that can be reached from root.
func postorder(n, root int, next func(int) []int) []int {
	seen := make([]bool, n)
	var order []int
	var walk func(int)
	walk = func(b int) {
		seen[b] = true
		for _, s := range next(b) {
			if !seen[s] {
				walk(s)
			}
		}
		order = append(order, b)
	}
	walk(root)
	return order
}

// numberTree computes the intervals of a tree from the parents of its nodes.
func numberTree(parent []int) dominatorTree {
	t := dominatorTree{parent: parent, in: make([]int, len(parent)), out: make([]int, len(parent))}
	children := make([][]int, len(parent))
	for b, p := range parent {
		if p < 0 {
			t.parent[b] = b
		} else if p != b {
			children[p] = append(children[p], b)
		}
	}
	clock := 0
	var walk func(int)
	walk = func(b int) {
		clock++
		t.in[b] = clock
		for _, c := range children[b] {
			walk(c)
		}
		clock++
		t.out[b] = clock
	}
	for b, p := range t.parent {
		if p == b {
			walk(b)
		}
	}
	return t
}

// dominators returns the dominator tree of g.
func (g *graph) dominators() dominatorTree {
	return dominators(len(g.blocks), 0, func(b int) (next []int) {
		for _, e := range g.blocks[b].succ {
			next = append(next, e.to.id)
		}
		return next
	})
}

// postdominators returns the post-dominator tree of one iteration of l. The iteration ends when l is left or its
// header is reached again. If l is nil, the tree is that of the whole function.
func (g *graph) postdominators(l *loop) dominatorTree {
	end := len(g.blocks)
	ends := g.exitBlocks(l)
	return dominators(end+1, end, func(b int) (next []int) {
		if b == end {
			return ends
		}
		for _, e := range g.blocks[b].pred {
			if l.continues(e) {
				next = append(next, e.from.id)
			}
		}
		return next
	})
}

// continues reports whether e stays within an iteration of l.
func (l *loop) continues(e *edge) bool {
	return l == nil || l.blocks[e.from] && l.blocks[e.to] && e.to != l.header
}

// exitBlocks returns the blocks in which iterations of l can end, and one block of each inner loop that never ends.
// So every block leads to one of them.
func (g *graph) exitBlocks(l *loop) []int {
	var ends []int
	reached := make([]bool, len(g.blocks))
	var reach func(b *block)
	reach = func(b *block) {
		reached[b.id] = true
		for _, e := range b.pred {
			if !reached[e.from.id] && l.continues(e) {
				reach(e.from)
			}
		}
	}
	end := func(b *block) {
		ends = append(ends, b.id)
		reach(b)
	}
	leaves := func(e *edge) bool { return !l.continues(e) }
	for _, b := range g.blocks {
		if (l == nil || l.blocks[b]) && (len(b.succ) == 0 || slices.ContainsFunc(b.succ, leaves)) {
			end(b)
		}
	}
	for _, b := range slices.Backward(g.blocks) {
		if (l == nil || l.blocks[b]) && !reached[b.id] {
			end(b)
		}
	}
	return ends
}
