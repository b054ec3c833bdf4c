package weigh

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// graphOf makes a graph of n blocks from pairs of numbers of blocks.
func graphOf(n int, edges ...[2]int) *graph {
	g := &graph{}
	for i := range n {
		g.blocks = append(g.blocks, &block{id: i, code: []instruction{{addr: uint64(i)}}})
	}
	for _, e := range edges {
		from, to := g.blocks[e[0]], g.blocks[e[1]]
		x := &edge{from: from, to: to}
		from.succ, to.pred = append(from.succ, x), append(to.pred, x)
	}
	return g
}

func randomGraph(rng *rand.Rand) *graph {
	n := 2 + rng.IntN(9)
	var edges [][2]int
	for i := 1; i < n; i++ {
		edges = append(edges, [2]int{rng.IntN(i), i}) // all are reached
	}
	for range rng.IntN(2 * n) {
		edges = append(edges, [2]int{rng.IntN(n), rng.IntN(n)})
	}
	return graphOf(n, edges...)
}

// reaches reports whether b can be reached from the first block without without.
func reaches(g *graph, b, without int) bool {
	seen := make([]bool, len(g.blocks))
	var walk func(i int)
	walk = func(i int) {
		if i == without || seen[i] {
			return
		}
		seen[i] = true
		for _, e := range g.blocks[i].succ {
			walk(e.to.id)
		}
	}
	walk(0)
	return seen[b]
}

func TestDominatorsAreOnEveryPath(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		g := randomGraph(rng)
		tree := g.dominators()
		for a := range g.blocks {
			for b := range g.blocks {
				if got, want := tree.dominates(a, b), a == b || !reaches(g, b, a); got != want {
					t.Fatalf("%d dominates %d: got %v, want %v", a, b, got, want)
				}
			}
		}
	}
}

// endsWithout reports whether an iteration of l can go from block b to its end
// without block without.
func endsWithout(g *graph, l *loop, b, without int) bool {
	seen := make([]bool, len(g.blocks))
	var walk func(b *block) bool
	walk = func(b *block) bool {
		if b.id == without || seen[b.id] {
			return false
		}
		seen[b.id] = true
		if len(b.succ) == 0 {
			return true
		}
		return slices.ContainsFunc(b.succ, func(e *edge) bool { return !l.continues(e) || walk(e.to) })
	}
	return walk(g.blocks[b])
}

func TestPostdominatorsAreOnEveryWayOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		g := randomGraph(rng)
		g.domTree = g.dominators()
		for _, l := range append(g.loops(), nil) {
			in := func(b *block) bool { return l == nil || l.blocks[b] }
			if slices.ContainsFunc(g.blocks, func(b *block) bool { return in(b) && !endsWithout(g, l, b.id, -1) }) {
				continue // then some loop within never ends, and counts as an end
			}
			tree := g.postdominators(l)
			for _, b := range g.blocks {
				for _, a := range g.blocks {
					if !in(a) || !in(b) {
						continue
					}
					if got, want := tree.dominates(a.id, b.id), a == b || !endsWithout(g, l, b.id, a.id); got != want {
						t.Fatalf("%d post-dominates %d: got %v, want %v", a.id, b.id, got, want)
					}
				}
			}
		}
	}
}

func TestFormsAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	random := func() (f countSum) {
		for i := range 6 {
			if rng.IntN(2) == 0 {
				f = append(f, term{i, float64(rng.IntN(7) - 3)})
			}
		}
		return f
	}
	value := func(f countSum) (sum float64) {
		for _, t := range f {
			sum += t.factor * float64(10+t.counter*t.counter)
		}
		return sum
	}
	for range 1000 {
		f, g := random(), random()
		if got, want := value(f.addScaled(g, -2)), value(f)-2*value(g); got != want {
			t.Fatalf("%v - 2 * %v is %v: worth %v, want %v", f, g, f.addScaled(g, -2), got, want)
		}
	}
}

// TestFlow gives the counts of some blocks by hand; the others follow.
func TestFlow(t *testing.T) {
	entry, body, then := &region{kind: funcRegion}, &region{kind: bodyRegion}, &region{kind: branchRegion}
	for _, c := range []struct {
		name  string
		g     *graph
		known map[int]*region
		want  []countSum // of entry, body and then
	}{
		{"if without else", graphOf(4, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 3}, [2]int{2, 3}),
			map[int]*region{0: entry, 1: then, 3: entry},
			[]countSum{{{0, 1}}, {{1, 1}}, {{0, 1}, {1, -1}}, {{0, 1}}}},
		{"loop that tests first", graphOf(4, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 1}, [2]int{1, 3}),
			map[int]*region{0: entry, 2: body},
			[]countSum{{{0, 1}}, {{0, 1}, {1, 1}}, {{1, 1}}, {{0, 1}}}},
		{"loop with a way out", graphOf(5, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}, [2]int{2, 4}, [2]int{3, 1}, [2]int{1, 4}),
			map[int]*region{0: entry, 2: body, 3: then},
			[]countSum{{{0, 1}}, {{0, 1}, {2, 1}}, {{1, 1}}, {{2, 1}}, {{0, 1}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &matcher{g: c.g}
			c.g.domTree = c.g.dominators()
			c.g.loops()
			for _, b := range c.g.blocks {
				b.class = &controlClass{blocks: []*block{b}}
				if r := c.known[b.id]; r != nil {
					b.class.region = regionCopy{region: r}
				}
				m.classes = append(m.classes, b.class)
			}
			m.solve()
			for i, b := range c.g.blocks {
				if !slices.Equal(b.count, c.want[i]) {
					t.Errorf("block %d is executed %v, want %v", i, b.count, c.want[i])
				}
			}
		})
	}
}
