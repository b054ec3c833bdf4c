package sivasubramaniam1995

import (
	"math"
	"slices"
)

// multipleMinimumDegree orders the vertices of a graph by the multiple-minimum-degree algorithm of GENMMD with
// delta = 0 [liu1985], which the program of SPLASH uses. It eliminates, before it computes any degree again, all
// vertices of minimum external degree that are not next to each other. Eliminated vertices are elements of a quotient
// graph. Vertices with the same neighbours are merged: they count as one, and follow each other in the order.
//
// Ties are broken as in GENMMD: the vertices of one degree are a list, and each that is added comes first.
func multipleMinimumDegree(graph [][]int32) (order []int32) {
	return newQuotientGraph(graph).eliminate().order()
}

// eliminate eliminates all vertices.
func (q *quotientGraph) eliminate() *quotientGraph {
	for q.left > 0 {
		if round := q.eliminateRound(); q.left > 0 {
			q.updateDegrees(round)
		}
	}
	return q
}

// vertexState is what a vertex of a quotient graph is.
type vertexState uint8

const (
	inDegreeList vertexState = 1 + iota
	needsUpdate              // its degree is to be computed
	outmatched               // another vertex is eliminated before it: its degree need not be known
	isElement                // eliminated
	merged                   // into its representative
)

// quotientGraph is a partly eliminated graph. The external degree of a vertex is the weight of its neighbours in the
// elimination graph, without those that are merged with it.
type quotientGraph struct {
	near   [][]int32 // of a vertex: vertices and elements next to it; of an element: the vertices next to it
	state  []vertexState
	weight []int32 // vertices that are merged into a vertex, with itself; 0 if it is merged itself
	father []int32 // of a merged vertex: into which it was merged
	lists  degreeLists
	marker []int64
	tag    int64
	rounds [][]int32 // of each round, the vertices in the order of elimination, without merged ones
	left   int32     // weight of what is not eliminated
}

const markedForGood = math.MaxInt64

func newQuotientGraph(graph [][]int32) *quotientGraph {
	n := len(graph)
	q := &quotientGraph{near: make([][]int32, n), state: make([]vertexState, n), weight: make([]int32, n), father: make([]int32, n),
		lists: newDegreeLists(n), marker: make([]int64, n), left: int32(n)}
	for v, neighbours := range graph {
		q.near[v] = append([]int32(nil), neighbours...)
		q.weight[v], q.state[v] = 1, inDegreeList
		q.lists.add(int32(v), int32(len(neighbours)))
	}
	return q
}

// eliminateRound eliminates vertices of minimum degree until none is left in the list of that degree. It returns
// them in order.
func (q *quotientGraph) eliminateRound() (round []int32) {
	degree := q.lists.minimum()
	for v := q.lists.first[degree]; v != noVertex && q.left > 0; v = q.lists.first[degree] {
		q.lists.remove(v)
		q.tag++
		q.marker[v] = q.tag
		if q.left > q.weight[v] {
			q.makeElement(v)
		}
		q.state[v] = isElement
		q.left -= q.weight[v]
		round = append(round, v)
	}
	q.rounds = append(q.rounds, round)
	return round
}

// makeElement replaces v and the elements next to it by one element. Its neighbours leave the lists of degrees.
func (q *quotientGraph) makeElement(v int32) {
	var near, elements []int32
	for _, u := range q.near[v] {
		if q.marker[u] >= q.tag {
			continue
		}
		q.marker[u] = q.tag
		if q.state[u] == isElement {
			elements = append(elements, u)
		} else {
			near = append(near, u)
		}
	}
	for i := len(elements) - 1; i >= 0; i-- {
		for _, u := range q.near[elements[i]] {
			if q.marker[u] < q.tag && q.state[u] != isElement {
				q.marker[u] = q.tag
				near = append(near, u)
			}
		}
		q.near[elements[i]] = nil
	}
	q.near[v] = near
	for _, u := range near {
		q.attach(u, v)
	}
}

// attach removes from the neighbours of u what the new element v covers, and adds v. If nothing else is left, u is
// eliminated together with v, because that needs no more fill.
func (q *quotientGraph) attach(u, v int32) {
	if q.state[u] == inDegreeList {
		q.lists.remove(u)
	}
	kept := q.near[u][:0]
	for _, w := range q.near[u] {
		if q.marker[w] < q.tag {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		q.merge(u, v)
		return
	}
	q.near[u], q.state[u] = append(kept, v), needsUpdate
}

// merge makes u one with v.
func (q *quotientGraph) merge(u, v int32) {
	q.weight[v] += q.weight[u]
	q.weight[u], q.marker[u], q.state[u], q.father[u], q.near[u] = 0, markedForGood, merged, v, nil
}

// updateDegrees computes the degrees of the vertices next to the elements of a round, the last element first. It
// begins with vertices between two elements, because they may be the same as others.
func (q *quotientGraph) updateDegrees(round []int32) {
	for _, e := range slices.Backward(round) {
		base := q.tag + int64(len(q.near)) + 1 // above all tags that are used for e
		var two, more []int32
		weight := int32(0) // of the element
		for _, v := range q.near[e] {
			if q.weight[v] == 0 {
				continue
			}
			weight += q.weight[v]
			q.marker[v] = base
			if q.state[v] == needsUpdate && len(q.near[v]) == 2 {
				two = append(two, v)
			} else if q.state[v] == needsUpdate {
				more = append(more, v)
			}
		}
		for i := len(two) - 1; i >= 0; i-- {
			if v := two[i]; q.state[v] == needsUpdate {
				q.setDegree(v, weight+q.besideElement(v, e))
			}
		}
		for i := len(more) - 1; i >= 0; i-- {
			if v := more[i]; q.state[v] == needsUpdate {
				q.setDegree(v, weight+q.besideMarked(v))
			}
		}
		q.tag = base
	}
}

// setDegree puts v into the list of its degree. reached is the weight of its neighbours and of itself.
func (q *quotientGraph) setDegree(v, reached int32) {
	q.state[v] = inDegreeList
	q.lists.add(v, reached-q.weight[v])
}

// besideElement returns the weight of what v reaches by its other neighbour, without the vertices of element e. It
// merges vertices between the same two elements with v.
func (q *quotientGraph) besideElement(v, e int32) (weight int32) {
	q.tag++
	other := q.near[v][0]
	if other == e {
		other = q.near[v][1]
	}
	if q.state[other] != isElement {
		return q.weight[other]
	}
	for _, u := range q.near[other] {
		switch {
		case u == v || q.weight[u] == 0:
		case q.marker[u] < q.tag:
			q.marker[u] = q.tag
			weight += q.weight[u]
		case q.state[u] == needsUpdate && len(q.near[u]) == 2:
			q.merge(u, v)
		case q.state[u] == needsUpdate:
			q.state[u] = outmatched
		}
	}
	return weight
}

// besideMarked returns the weight of what v reaches and is not marked.
func (q *quotientGraph) besideMarked(v int32) (weight int32) {
	q.tag++
	for _, near := range q.near[v] {
		if q.marker[near] >= q.tag {
			continue
		}
		q.marker[near] = q.tag
		if q.state[near] != isElement {
			weight += q.weight[near]
			continue
		}
		for _, u := range q.near[near] {
			if q.marker[u] < q.tag {
				q.marker[u] = q.tag
				weight += q.weight[u]
			}
		}
	}
	return weight
}

// order returns all vertices in the order of elimination. Merged ones follow their representative by number.
func (q *quotientGraph) order() (order []int32) {
	with := make([][]int32, len(q.near))
	for v := range int32(len(q.near)) {
		root := v
		for q.state[root] == merged {
			root = q.father[root]
		}
		if root != v {
			with[root] = append(with[root], v)
		}
	}
	for _, round := range q.rounds {
		for _, v := range round {
			order = append(append(order, v), with[v]...)
		}
	}
	return order
}

const noVertex = -1

// degreeLists holds vertices by degree, in doubly linked lists.
type degreeLists struct {
	first          []int32 // of each degree
	next, previous []int32
	degree         []int32
	least          int32 // no smaller degree has vertices
}

func newDegreeLists(n int) degreeLists {
	l := degreeLists{first: make([]int32, n+1), next: make([]int32, n), previous: make([]int32, n), degree: make([]int32, n)}
	for i := range l.first {
		l.first[i] = noVertex
	}
	return l
}

// add puts v at the start of the list of a degree.
func (l *degreeLists) add(v, degree int32) {
	next := l.first[degree]
	if next != noVertex {
		l.previous[next] = v
	}
	l.next[v], l.previous[v], l.degree[v], l.first[degree] = next, noVertex, degree, v
	l.least = min(l.least, degree)
}

func (l *degreeLists) remove(v int32) {
	next, previous := l.next[v], l.previous[v]
	if next != noVertex {
		l.previous[next] = previous
	}
	if previous != noVertex {
		l.next[previous] = next
	} else {
		l.first[l.degree[v]] = next
	}
}

// minimum returns the smallest degree that has vertices. There must be one.
func (l *degreeLists) minimum() int32 {
	for l.first[l.least] == noVertex {
		l.least++
	}
	return l.least
}
