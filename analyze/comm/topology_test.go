package comm

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
)

// all is every topology of so many processors, also some that allTopologies leaves out.
func all(procs int) []Topology {
	return append(allTopologies(procs), Mesh(procs, 1), Torus(procs, 1), FatTree(procs, 2), FatTree(procs, 3))
}

// nodes is every node with the ends of its links.
func nodes(t *testing.T, n Topology) map[int][]int {
	next, seen := map[int][]int{}, map[[2]int]bool{}
	for l := Link(-1); l <= Link(n.Links()); l++ {
		from, to, ok := n.Ends(l)
		if !ok {
			continue
		}
		if seen[[2]int{from, to}] {
			t.Fatalf("%s of %d: two links from %d to %d", n.Name(), n.Procs(), from, to)
		}
		seen[[2]int{from, to}] = true
		next[from] = append(next[from], to)
	}
	return next
}

// distances are the lengths of the shortest paths from a node, by breadth-first search.
func distances(next map[int][]int, from int) map[int]int {
	far := map[int]int{from: 0}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, to := range next[queue[0]] {
			if _, seen := far[to]; !seen {
				far[to] = far[queue[0]] + 1
				queue = append(queue, to)
			}
		}
	}
	return far
}

// Every route leads from its beginning to its end by links that there are, and no
// path is shorter.
func TestRoutesAreShortest(t *testing.T) {
	for procs := 1; procs <= 33; procs++ {
		for _, n := range all(procs) {
			if n.Name() == "bus" {
				continue
			}
			next := nodes(t, n)
			for from := range procs {
				far := distances(next, from)
				for to := range procs {
					route := n.Route(from, to, nil)
					if len(route) != far[to] {
						t.Fatalf("%s of %d: %d links from %d to %d, the shortest path has %d", n.Name(), procs, len(route), from, to, far[to])
					}
					at := from
					for _, l := range route {
						a, b, ok := n.Ends(l)
						if !ok || a != at || int64(l) >= n.Links() {
							t.Fatalf("%s of %d, %d to %d: link %d leads from %d to %d (%v), not from %d", n.Name(), procs, from, to, l, a, b, ok, at)
						}
						at = b
					}
					if at != to {
						t.Fatalf("%s of %d: the route from %d to %d ends at %d", n.Name(), procs, from, to, at)
					}
				}
			}
		}
	}
}

func TestBus(t *testing.T) {
	b := Bus(3)
	if l := b.Route(0, 2, nil); len(l) != 1 || l[0] != 0 || len(b.Route(1, 1, nil)) != 0 {
		t.Errorf("route %v", l)
	}
	if from, to, ok := b.Ends(0); from != 3 || to != 3 || !ok {
		t.Errorf("from %d to %d", from, to)
	}
	if _, _, ok := b.Ends(1); ok {
		t.Error("a second link")
	}
}

// The links between the lower half and the upper half of the processors, counted.
func TestBisection(t *testing.T) {
	for _, procs := range []int{2, 4, 8, 16, 32, 64} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			rows, cols := Grid(procs)
			cube, _ := Hypercube(procs)
			// Grids are cut across their longer dimension, which is that of the rows' numbers
			// when they stand upright.
			for _, n := range []Topology{Full(procs), cube, Mesh(cols, rows), Torus(cols, rows)} {
				crossing := int64(0)
				for from, ends := range nodes(t, n) {
					for _, to := range ends {
						if from < procs/2 != (to < procs/2) {
							crossing++
						}
					}
				}
				if n.Bisection() != crossing {
					t.Errorf("%s of %d: bisection %d, counted %d", n.Name(), procs, n.Bisection(), crossing)
				}
			}
		})
	}
	if n := FatTree(16, 4).Bisection(); n != 16 {
		t.Errorf("fat tree: %d", n)
	}
	for _, n := range allTopologies(1) {
		if n.Name() != "bus" && n.Bisection() != 0 {
			t.Errorf("%s of one: %d", n.Name(), n.Bisection())
		}
	}
}

// The fewest links between any two halves, odd numbers of processors included.
func TestBisectionIsLeast(t *testing.T) {
	for procs := 2; procs <= 18; procs++ {
		all := []Topology{Full(procs)}
		if cube, err := Hypercube(procs); err == nil {
			all = append(all, cube)
		}
		for rows := 1; rows <= procs; rows++ {
			if procs%rows == 0 {
				all = append(all, Mesh(rows, procs/rows), Torus(rows, procs/rows))
			}
		}
		for _, n := range all {
			if got, want := n.Bisection(), leastCut(procs, nodes(t, n)); got != want {
				t.Errorf("%s of %d: bisection %d, want %d", n.Name(), procs, got, want)
			}
		}
	}
}

// leastCut tries every half of the nodes, of which each has links to others.
func leastCut(procs int, ends map[int][]int) int64 {
	masks := make([]uint64, procs)
	for from, of := range ends {
		for _, to := range of {
			masks[from] |= 1 << to
		}
	}
	least := math.MaxInt
	for half := range uint64(1) << procs {
		if bits.OnesCount64(half) != procs/2 {
			continue
		}
		crossing := 0
		for from, to := range masks {
			if half>>from&1 == 0 {
				to &= half
			} else {
				to &^= half
			}
			crossing += bits.OnesCount64(to)
		}
		least = min(least, crossing)
	}
	return int64(least)
}

// A shift, in which every processor sends and receives once, puts no two messages on
// one link [d-mod-k routing].
func TestFatTreeSpreadsReceivers(t *testing.T) {
	n := FatTree(64, 4)
	load := map[Link]int{}
	for from := range 64 {
		to := (from + 16) % 64 // all through the top
		for _, l := range n.Route(from, to, nil) {
			load[l]++
		}
	}
	for l, c := range load {
		if c > 1 {
			t.Errorf("%d messages of a shift share link %d", c, l)
		}
	}
}

func TestGrid(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 1}, {2, 1, 2}, {4, 2, 2}, {8, 2, 4}, {16, 4, 4}, {32, 4, 8}, {12, 3, 4}, {13, 1, 13}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if rows, cols := Grid(c[0]); rows != c[1] || cols != c[2] {
				t.Errorf("%d: %dx%d", c[0], rows, cols)
			}
		})
	}
	if _, err := Hypercube(12); err == nil {
		t.Error("a hypercube of 12")
	}
}

func ExampleTopology() {
	n := Mesh(2, 3)
	for _, l := range n.Route(0, 5, nil) {
		from, to, _ := n.Ends(l)
		fmt.Println(from, "to", to)
	}
	// Output:
	// 0 to 1
	// 1 to 2
	// 2 to 5
}
