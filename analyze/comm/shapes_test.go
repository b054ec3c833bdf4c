package comm

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
)

// leastCutOfAll tries every half of the processors, and every side of the switches.
func leastCutOfAll(n Topology) int64 {
	var links [][2]int
	nodes := n.Procs()
	for from, ends := range nodesWithLanes(n) {
		for _, to := range ends {
			links = append(links, [2]int{from, to})
			nodes = max(nodes, from+1, to+1)
		}
	}
	least := math.MaxInt
	procs := uint64(1)<<n.Procs() - 1
	for side := range uint64(1) << nodes {
		if bits.OnesCount64(side&procs) != n.Procs()/2 {
			continue
		}
		crossing := 0
		for _, l := range links {
			crossing += int((side>>l[0] ^ side>>l[1]) & 1)
		}
		least = min(least, crossing)
	}
	return int64(least)
}

// The bisection is the fewest links between any halves.
func TestBisectionsOfShapes(t *testing.T) {
	for _, c := range []struct {
		kind  string
		shape Shape
	}{
		{"torus", Shape{Dims: []int{2, 2, 2}}}, {"torus", Shape{Dims: []int{3, 2, 2}}}, {"torus", Shape{Dims: []int{3, 3, 2}}},
		{"mesh", Shape{Dims: []int{3, 3, 2}}}, {"mesh", Shape{Dims: []int{2, 2, 2, 2}}}, {"torus", Shape{Dims: []int{4, 2, 2}}},
		{"mesh", Shape{Dims: []int{5, 3}}}, {"torus", Shape{Dims: []int{3, 5}}}, {"mesh", Shape{Dims: []int{7, 2}}},
		{"fattree", Shape{Down: []int{4, 2}, Up: []int{1, 2}}}, {"fattree", Shape{Down: []int{2, 2, 2}, Up: []int{1, 2, 1}}},
		{"fattree", Shape{Down: []int{3, 2}, Up: []int{1, 1}, Parallel: []int{1, 2}}}, {"fattree", Shape{Down: []int{4, 2}, Up: []int{2, 1}}},
		{"fattree", Shape{Down: []int{2, 3}, Up: []int{1, 1}}}, {"fattree", Shape{Down: []int{3, 3}, Up: []int{1, 1}}},
		{"dragonfly", Shape{Groups: 2, Routers: 2, Hosts: 2}}, {"dragonfly", Shape{Groups: 4, Routers: 2, Hosts: 1}}, {"dragonfly", Shape{Groups: 2, Routers: 4, Hosts: 1, Global: 2}},
		{"dragonfly", Shape{Groups: 3, Routers: 2, Hosts: 1}}, {"dragonfly", Shape{Groups: 3, Routers: 2, Hosts: 2}}, {"dragonfly", Shape{Groups: 2, Chassis: 2, Routers: 2, Hosts: 1, Global: 3}},
	} {
		n := shaped(t, c.kind, c.shape)
		if got, want := n.Bisection(), leastCutOfAll(n); got != want {
			t.Errorf("%s %+v: bisection %d, want %d", n.Name(), c.shape, got, want)
		}
	}
	if n, err := newDragonfly(Shape{Groups: 2, Routers: 2, Hosts: 2}, 7); err != nil || n.Bisection() != 0 {
		t.Errorf("a part of a dragonfly: bisection %v, %v", n, err)
	}
}

// A tree of an arity is the same as one of its levels; a taper is fewer ports up.
func TestArityIsLevels(t *testing.T) {
	for _, c := range [][2]Shape{
		{{Arity: 4}, {Down: []int{4, 4, 4}, Up: []int{1, 4, 4}}},
		{{Arity: 4, Taper: 2}, {Down: []int{4, 4, 4}, Up: []int{1, 2, 4}, Parallel: []int{1, 1, 1}}},
	} {
		a, b := must(newFatTree(c[0], 64)), shaped(t, "fattree", c[1])
		for l := range Link(a.Links()) {
			from, to, _ := a.Ends(l)
			if x, y, _ := b.Ends(l); x != from || y != to {
				t.Fatalf("%+v: link %d from %d to %d, by levels from %d to %d", c[0], l, from, to, x, y)
			}
		}
		for from := range 64 {
			for to := range 64 {
				if !slices.Equal(a.Route(from, to, nil), b.Route(from, to, nil)) {
					t.Fatalf("%+v: other routes from %d to %d", c[0], from, to)
				}
			}
		}
		if a.Links() != b.Links() || a.Bisection() != b.Bisection() {
			t.Errorf("%+v: %d links, bisection %d; by levels %d, %d", c[0], a.Links(), a.Bisection(), b.Links(), b.Bisection())
		}
	}
}

func must(n Topology, err error) Topology {
	if err != nil {
		panic(err)
	}
	return n
}

func TestBadShapes(t *testing.T) {
	for _, c := range []struct {
		kind  string
		shape Shape
		procs int
		want  string
	}{
		{"torus", Shape{Dims: []int{4, 4}, Rows: 4, Cols: 4}, 16, "network.dims is given besides network.rows"},
		{"torus", Shape{Dims: []int{4, 4}}, 8, "network.dims is 4x4; the product must be 8 nodes"},
		{"mesh", Shape{Dims: []int{2, 2, 2, 2, 2, 2, 2}}, 128, "network.dims has 7 dimensions; a grid has 1 to 6"},
		{"mesh", Shape{Dims: []int{math.MaxInt, 2}}, 4, "network.dims is"},
		{"mesh", Shape{Dims: []int{4, 0}}, 4, "network.dims is 4x0; the product must be from 1"},
		{"fattree", Shape{Down: []int{4, 4}, Arity: 4}, 16, "network.down describes all levels; give it or network.arity"},
		{"fattree", Shape{Down: []int{4, 4}, Up: []int{1}}, 16, "network.down has 2 levels, network.up 1 and network.parallel 0; give one number for each level"},
		{"fattree", Shape{Up: []int{1}}, 16, "network.down has 0 levels"},
		{"fattree", Shape{Down: []int{4, 4}, Up: []int{1, 2}, Parallel: []int{1}}, 16, "network.down has 2 levels, network.up 2 and network.parallel 1;"},
		{"fattree", Shape{Down: []int{4, 4}, Up: []int{1, 2}}, 17, "the fat tree has room for 1 to 16 nodes, not for 17"},
		{"fattree", Shape{Down: []int{4, 4}, Up: []int{1, 1 << 40}}, 16, "network.down with up and parallel is"},
		{"fattree", Shape{Down: []int{1 << 9, 1 << 9}, Up: []int{1, 2}}, 16, "network.down is 512x512; the product must be from 1 to 65536"},
		{"fattree", Shape{Arity: 4, Taper: 3}, 16, "network.taper is 3; 4 ports down for 1.3"},
		{"fattree", Shape{Arity: 4, Taper: 0.5}, 16, "network.taper is 0.5"},
		{"fattree", Shape{Arity: 4, Taper: math.NaN()}, 16, "network.taper is NaN"},
		{"fattree", Shape{Taper: 8}, 16, "network.taper is 8"},
		{"dragonfly", Shape{Groups: 3}, 4, "network.groups times chassis, routers and hosts is 3x1x0x0"},
		{"dragonfly", Shape{Groups: 3, Routers: 2, Hosts: 2}, 13, "the dragonfly has room for 1 to 12 nodes, not for 13"},
		{"dragonfly", Shape{Groups: 3, Routers: 2, Hosts: 2, Global: 1 << 30}, 12, "network.groups times groups and global"},
		{"dragonfly", Shape{Groups: 1, Routers: 2, Hosts: 2, Global: 2}, 4, "network.global has no effect with one group"},
	} {
		if n, err := TopologyNamed(c.kind).New(c.shape, c.procs); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %+v: got %v, %v, want %q", c.kind, c.shape, n, err, c.want)
		}
	}
}
