package sivasubramaniam1995

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomGraph joins each vertex with some others, near ones more often.
func randomGraph(rng *rand.Rand, n, edges int) [][]int32 {
	graph := make([][]int32, n)
	for range edges {
		a := rng.IntN(n)
		b := (a + 1 + rng.IntN(1+rng.IntN(n))) % n
		if a != b && !slices.Contains(graph[a], int32(b)) {
			graph[a], graph[b] = append(graph[a], int32(b)), append(graph[b], int32(a))
		}
	}
	return graph
}

// gridGraph is a grid, whose vertices have many equal degrees.
func gridGraph(rows, cols int) [][]int32 {
	graph := make([][]int32, rows*cols)
	join := func(a, b int) { graph[a], graph[b] = append(graph[a], int32(b)), append(graph[b], int32(a)) }
	for v := range rows * cols {
		if v%cols+1 < cols {
			join(v, v+1)
		}
		if v+cols < rows*cols {
			join(v, v+cols)
		}
	}
	return graph
}

// eliminationGraph is a graph from which vertices are eliminated one by one: the definition.
type eliminationGraph []map[int32]bool

func newEliminationGraph(graph [][]int32) (e eliminationGraph) {
	for _, near := range graph {
		of := map[int32]bool{}
		for _, u := range near {
			of[u] = true
		}
		e = append(e, of)
	}
	return e
}

func (e eliminationGraph) eliminate(v int32) {
	for u := range e[v] {
		for w := range e[v] {
			if u != w {
				e[u][w] = true
			}
		}
		delete(e[u], v)
	}
	e[v] = nil
}

// TestMultipleMinimumDegreeIsItsDefinition: in each round, no two vertices are next to each other in the elimination
// graph of its start, and each has the minimum external degree there. No vertex has a smaller degree.
func TestMultipleMinimumDegreeIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	graphs := [][][]int32{{}, {{}}, {{}, {}}, gridGraph(1, 7), gridGraph(5, 8), gridGraph(9, 9)}
	for n := 2; n < 60; n += 3 {
		graphs = append(graphs, randomGraph(rng, n, n*(1+n%4)))
	}
	for i, graph := range graphs {
		t.Run(fmt.Sprint(i), func(t *testing.T) { isMultipleMinimumDegree(t, graph) })
	}
}

func isMultipleMinimumDegree(t *testing.T, graph [][]int32) {
	q := newQuotientGraph(graph).eliminate()
	order := q.order()
	if sorted := slices.Sorted(slices.Values(order)); len(sorted) != len(graph) || len(slices.Compact(sorted)) != len(graph) {
		t.Fatalf("order %v of %d vertices", order, len(graph))
	}
	e := newEliminationGraph(graph)
	gone, at := make([]bool, len(graph)), 0
	for _, round := range q.rounds {
		least := len(graph)
		for v, near := range e {
			if !gone[v] {
				least = min(least, len(near))
			}
		}
		for i, v := range round {
			for _, u := range round[:i] {
				if e[u][v] {
					t.Fatalf("%d and %d are next to each other", u, v)
				}
			}
		}
		for _, v := range round {
			if order[at] != v {
				t.Fatalf("vertex %d at %d, not %d", order[at], at, v)
			}
			with := 0 // merged before this round
			for end := at + 1; end < len(order) && q.state[order[end]] == merged && e.same(v, order[end]); end++ {
				with++
			}
			if len(e[v])-with > least {
				t.Fatalf("vertex %d has external degree %d, but another has %d", v, len(e[v])-with, least)
			}
			e.eliminate(v)
			for gone[v], at = true, at+1; at < len(order) && q.state[order[at]] == merged; at++ {
				w := order[at]
				// A merged vertex needs no fill: all its neighbours are next to each other.
				for a := range e[w] {
					for b := range e[w] {
						if a != b && !e[a][b] {
							t.Fatalf("vertex %d, merged with %d, joins %d and %d", w, v, a, b)
						}
					}
				}
				e.eliminate(w)
				gone[w] = true
			}
		}
	}
}

// same reports whether two vertices have the same neighbours besides each other.
func (e eliminationGraph) same(v, u int32) bool {
	if len(e[v]) != len(e[u]) || !e[v][u] {
		return false
	}
	for w := range e[v] {
		if w != u && !e[u][w] {
			return false
		}
	}
	return true
}

// TestMultipleMinimumDegreeOfAGrid has less fill than the natural order.
func TestMultipleMinimumDegreeOfAGrid(t *testing.T) {
	graph := gridGraph(20, 20)
	natural := make([]int32, len(graph))
	for i := range natural {
		natural[i] = int32(i)
	}
	fill := func(order []int32) (n int) {
		for _, below := range structure(graph, order) {
			n += len(below)
		}
		return n
	}
	if got, is := fill(multipleMinimumDegree(graph)), fill(natural); got*2 > is {
		t.Errorf("%d elements, %d in the natural order", got, is)
	}
}

// TestStructureIsThatOfElimination for any order.
func TestStructureIsThatOfElimination(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		graph := randomGraph(rng, 30, 60)
		order := multipleMinimumDegree(graph)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		below, e := structure(graph, order), newEliminationGraph(graph)
		for _, v := range order {
			var want []int32
			for u := range e[v] {
				want = append(want, u)
			}
			slices.Sort(want)
			if !slices.Equal(below[v], want) {
				t.Fatalf("vertex %d: %v, want %v", v, below[v], want)
			}
			e.eliminate(v)
		}
	}
}
