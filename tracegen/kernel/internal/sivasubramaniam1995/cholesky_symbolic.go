package sivasubramaniam1995

import (
	"slices"

	"spoor/tracegen/spmd"
)

// supernodes is the structure of L. A supernode has the columns from its first to before the next supernode's
// first, and a block of values. The block has its columns one after the other, each with all rows of the supernode:
// its own columns, then those below.
type supernodes struct {
	place    []int32 // of each row and column of A in L
	first    []int32 // first column of each supernode, and the order of the matrix
	owner    []int32 // supernode of each column
	rowStart []int32 // of each supernode in rows, and the end
	rows     []int32
	start    []int64 // of each block in the values, and the end
	tallest  int     // largest number of rows of a supernode
}

// share places the structure in the memory of all ranks.
func (s *supernodes) share(r *spmd.Rank) supernodes {
	return supernodes{
		first:    spmd.Shared(r, "first", s.first),
		owner:    spmd.Shared(r, "owner", s.owner),
		rowStart: spmd.Shared(r, "row starts", s.rowStart),
		rows:     spmd.Shared(r, "rows", s.rows),
		start:    spmd.Shared(r, "block starts", s.start),
	}
}

func (s *supernodes) rowsOf(i int32) []int32 { return s.rows[s.rowStart[i]:s.rowStart[i+1]] }

func (s *supernodes) width(i int32) int { return int(s.first[i+1] - s.first[i]) }

// block returns the start and the end of the values of a supernode.
func (s *supernodes) block(i int32) (from, to int) { return int(s.start[i]), int(s.start[i+1]) }

// size returns the number of values of all blocks.
func (s *supernodes) size() int { return int(s.start[len(s.start)-1]) }

// index returns the position of element (row, column) of L.
func (s *supernodes) index(row, column int32) int {
	owner := s.owner[column]
	rows := s.rowsOf(owner)
	at, _ := slices.BinarySearch(rows, row)
	return int(s.start[owner]) + int(column-s.first[owner])*len(rows) + at
}

// modifications returns the number of supernodes that modify each supernode.
func (s *supernodes) modifications() []int32 {
	due := make([]int32, len(s.first)-1)
	for i := range int32(len(due)) {
		last := i
		for _, row := range s.rowsOf(i) {
			if t := s.owner[row]; t != last {
				due[t]++
				last = t
			}
		}
	}
	return due
}

// newSupernodes finds the supernodes of the factor of a matrix whose blocks are eliminated in an order. below has the
// structure of each block column below the diagonal.
func newSupernodes(freedom int, order []int32, below [][]int32) supernodes {
	order = postorder(order, below)
	n := len(order)
	position := make([]int32, n) // of each block row in L
	for i, v := range order {
		position[v] = int32(i)
	}
	s := supernodes{place: make([]int32, n*freedom), rowStart: []int32{0}, start: []int64{0}}
	for v := range n {
		for k := range freedom {
			s.place[v*freedom+k] = position[v]*int32(freedom) + int32(k)
		}
	}
	children := make([]int, n)
	for _, v := range order {
		if len(below[v]) > 0 {
			children[firstBelow(below[v], position)]++
		}
	}
	for i := 0; i < n; {
		end := i + 1
		for end < n && isSameSupernode(below[order[end-1]], below[order[end]], order[end], position, children) {
			end++
		}
		s.append(freedom, order[i:end], below[order[end-1]], position)
		i = end
	}
	s.first = append(s.first, int32(n*freedom))
	return s
}

// structure returns the neighbours of each vertex of a graph when it is eliminated in an order. They are its later
// neighbours, and those of the vertices of the elimination tree that are directly below it.
func structure(graph [][]int32, order []int32) (below [][]int32) {
	below = make([][]int32, len(graph))
	position := make([]int32, len(graph))
	for i, v := range order {
		position[v] = int32(i)
	}
	children := make([][]int32, len(graph))
	for _, v := range order {
		for _, u := range graph[v] {
			if position[u] > position[v] {
				below[v] = append(below[v], u)
			}
		}
		slices.Sort(below[v])
		for _, c := range children[v] {
			below[v] = unionWithout(below[v], below[c], v, v)
		}
		if len(below[v]) > 0 {
			p := firstBelow(below[v], position)
			children[p] = append(children[p], v)
		}
	}
	return below
}

// firstBelow returns the first of the blocks below in L: its parent in the elimination tree.
func firstBelow(below, position []int32) int32 {
	return slices.MinFunc(below, func(a, b int32) int { return int(position[a] - position[b]) })
}

// isSameSupernode reports whether the column of block next has the structure of the one before it, and no other
// child.
func isSameSupernode(before, below []int32, next int32, position []int32, children []int) bool {
	return len(before) == len(below)+1 && firstBelow(before, position) == next && children[next] == 1
}

// append adds a supernode of these block columns and of the blocks below the last.
func (s *supernodes) append(freedom int, columns, below, position []int32) {
	rows := make([]int32, 0, (len(columns)+len(below))*freedom)
	for _, v := range slices.Concat(columns, below) {
		for k := range int32(freedom) {
			rows = append(rows, position[v]*int32(freedom)+k)
		}
	}
	slices.Sort(rows)
	width := len(columns) * freedom
	s.first = append(s.first, rows[0])
	s.owner = append(s.owner, slices.Repeat([]int32{int32(len(s.first) - 1)}, width)...)
	s.rows = append(s.rows, rows...)
	s.rowStart = append(s.rowStart, int32(len(s.rows)))
	s.start = append(s.start, s.start[len(s.start)-1]+int64(width*len(rows)))
	s.tallest = max(s.tallest, len(rows))
}

// minimumDegree eliminates the vertices of a graph one by one. It takes the first of those with the fewest
// neighbours. The neighbours of an eliminated vertex become neighbours of each other [george1989].
// It returns the order, and
// the neighbours of each vertex when it was eliminated: the structure of its column below the diagonal.
func minimumDegree(graph [][]int32) (order []int32, below [][]int32) {
	below = make([][]int32, len(graph))
	for v, neighbours := range graph {
		below[v] = slices.Sorted(slices.Values(neighbours))
	}
	gone := make([]bool, len(graph))
	for len(order) < len(graph) {
		least := int32(-1)
		for v := range int32(len(graph)) {
			if !gone[v] && (least < 0 || len(below[v]) < len(below[least])) {
				least = v
			}
		}
		gone[least] = true
		order = append(order, least)
		for _, v := range below[least] {
			below[v] = unionWithout(below[v], below[least], v, least)
		}
	}
	return order, below
}

// unionWithout returns the union of two ascending lists without two vertices.
func unionWithout(a, b []int32, without, and int32) []int32 {
	union := make([]int32, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		var v int32
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			v, a = a[0], a[1:]
		case len(a) == 0 || b[0] < a[0]:
			v, b = b[0], b[1:]
		default:
			v, a, b = a[0], a[1:], b[1:]
		}
		if v != without && v != and {
			union = append(union, v)
		}
	}
	return union
}

// postorder reorders so that every vertex of the elimination tree comes after all vertices below it, directly after
// the last one. This changes no structure.
func postorder(order []int32, below [][]int32) []int32 {
	position := make([]int32, len(order))
	for i, v := range order {
		position[v] = int32(i)
	}
	children := make([][]int32, len(order))
	var stack []int32 // roots, then what is to be visited
	for _, v := range order {
		if len(below[v]) == 0 {
			stack = append(stack, v)
		} else {
			p := firstBelow(below[v], position)
			children[p] = append(children[p], v)
		}
	}
	// Parents before children, last child first, is the reverse of the required order.
	reversed := make([]int32, 0, len(order))
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], children[v]...)
		reversed = append(reversed, v)
	}
	slices.Reverse(reversed)
	return reversed
}
