package comm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// shaped returns the topology of a kind, in the words of a machine file.
func shaped(t *testing.T, kind string, s Shape) Topology {
	t.Helper()
	k := TopologyNamed(kind)
	procs, err := k.Hosts(s)
	if err != nil {
		t.Fatal(err)
	}
	n, err := k.New(s, procs)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What is known of topologies in closed form. Distances are those of routes, between all pairs of different processors.
func TestClosedForms(t *testing.T) {
	mean := func(sum, procs float64) float64 { return sum / (procs * (procs - 1)) }
	for _, c := range []struct {
		kind      string
		shape     Shape
		links     int // in both directions
		diameter  int
		mean      float64
		bisection int64
	}{
		// A ring of k nodes: k/2 is the farthest; the distances to all sum up to (k/2)^2 = floor(k^2/4).
		{"torus", Shape{Dims: []int{8}}, 16, 4, 16. / 7, 4},
		{"torus", Shape{Dims: []int{7}}, 14, 3, 2, 4},
		// k-ary n-cubes: 2 n k^n links, n floor(k/2), and 4 k^(n-1) links across the bisection for even k [dally1990].
		{"torus", Shape{Dims: []int{4, 4, 4}}, 2 * 3 * 64, 6, mean(64*3*16*4, 64), 4 * 16},
		{"torus", Shape{Dims: []int{4, 4, 2}}, 2*2*32 + 32, 5, mean(32*(2*8*4+16), 32), 4 * 8},
		{"torus", Shape{Dims: []int{2, 2, 2, 2, 2, 2}}, 6 * 64, 6, mean(64*6*32, 64), 64}, // a hypercube
		// Odd sizes: 4 (k^n - 1)/(k - 1) [arjona2014].
		{"torus", Shape{Dims: []int{3, 3, 3}}, 6 * 27, 3, mean(27*27*2, 27), 4 * 13},
		// Meshes: 2 n (k-1) k^(n-1) links, n (k-1), (k^2-1)/3 k between two places of a line in k^2 pairs, 2 k^(n-1).
		{"mesh", Shape{Dims: []int{4, 4, 4}}, 2 * 3 * 3 * 16, 9, mean(64*64*3*1.25, 64), 2 * 16},
		{"mesh", Shape{Dims: []int{3, 3, 3}}, 2 * 3 * 2 * 9, 6, mean(27*27*3*8./9, 27), 2 * 13},
		{"mesh", Shape{Dims: []int{5}}, 8, 4, 2, 2},
		// A k-ary n-tree: 2 n k^n links, 2n links far, all processors' links across the bisection [petrini1997].
		{"fattree", Shape{Down: []int{4, 4, 4}, Up: []int{1, 4, 4}}, 2 * 3 * 64, 6, (3*2 + 12*4 + 48*6) / 63., 64},
		// Two levels: leaf switches of 6 ports down and 3 up. Half of the links between levels are cut.
		{"fattree", Shape{Down: []int{6, 4}, Up: []int{1, 3}}, 2 * (24 + 4*3), 4, (5*2 + 18*4) / 23., 12},
		{"fattree", Shape{Down: []int{6, 4}, Up: []int{1, 3}, Parallel: []int{1, 2}}, 2 * (24 + 4*3*2), 4, (5*2 + 18*4) / 23., 24},
		{"fattree", Shape{Down: []int{4, 4}, Up: []int{2, 2}}, 2 * (16*2 + 8*2), 4, (3*2 + 12*4) / 15., 16},
		// The largest dragonfly of p = h = 2, a = 4: g = a h + 1 = 9 groups, N = a p g = 72, N + g a (a-1)/2 + g (g-1)/2 links in
		// each direction, 5 links far [kim2008]. Two routers of different groups are 3 - 2/a apart, and those of a group 1.
		// Halves of four groups and half of the ninth have 4 4 links between groups, 2 2 in the ninth, and 4 from it.
		{"dragonfly", Shape{Groups: 9, Routers: 4, Hosts: 2}, 2*72 + 9*4*3 + 9*8, 5, (1*2 + 6*3 + 64*(2+3-2./4)) / 71., 2 * (4*4 + 4 + 4)},
		// An even number g of groups: g^2/4 links each way between halves.
		{"dragonfly", Shape{Groups: 4, Routers: 4, Hosts: 2, Global: 2}, 2*32 + 4*4*3 + 4*3*2, 5, math.NaN(), 2 * 4 * 2},
		{"dragonfly", Shape{Groups: 2, Chassis: 3, Routers: 4, Hosts: 1}, 2*24 + 2*12*(3+2) + 2, 7, math.NaN(), 2},
		{"dragonfly", Shape{Groups: 1, Routers: 4, Hosts: 2}, 2*8 + 4*3, 3, (1*2 + 6*3) / 7., 8},
	} {
		n := shaped(t, c.kind, c.shape)
		t.Run(fmt.Sprintf("%s %+v", n.Name(), c.shape), func(t *testing.T) {
			links, procs := 0, n.Procs()
			for l := range Link(n.Links()) {
				if _, _, ok := n.Ends(l); ok {
					links++
				}
			}
			diameter, sum := 0, 0
			for from := range procs {
				for to := range procs {
					hops := len(n.Route(from, to, nil))
					diameter, sum = max(diameter, hops), sum+hops
				}
			}
			distance := mean(float64(sum), float64(procs))
			if links != c.links || diameter != c.diameter || n.Bisection() != c.bisection || math.Abs(distance-c.mean) > 1e-12 {
				t.Errorf("%d links, %d far, %.6f on average, bisection %d; want %d, %d, %.6f, %d",
					links, diameter, distance, n.Bisection(), c.links, c.diameter, c.mean, c.bisection)
			}
		})
	}
}

// someShapes are topologies of all kinds that have shapes, small enough for all pairs.
func someShapes(t *testing.T) (all []Topology) {
	for _, dims := range [][]int{{6}, {2, 3}, {3, 2, 4}, {2, 2, 2, 2}, {1, 3, 1, 2, 1, 5}} {
		all = append(all, shaped(t, "mesh", Shape{Dims: dims}), shaped(t, "torus", Shape{Dims: dims}))
	}
	for _, s := range []Shape{{Down: []int{4, 4}, Up: []int{1, 2}}, {Down: []int{2, 3, 2}, Up: []int{2, 1, 3}, Parallel: []int{1, 3, 2}}, {Down: []int{5}, Up: []int{1}}} {
		all = append(all, shaped(t, "fattree", s))
	}
	for _, s := range []Shape{{Groups: 9, Routers: 4, Hosts: 2}, {Groups: 3, Chassis: 2, Routers: 3, Hosts: 2, Global: 3}, {Groups: 5, Routers: 2, Hosts: 1, Global: 2},
		{Groups: 2, Routers: 1, Hosts: 3, Global: 4}, {Groups: 1, Chassis: 3, Routers: 1, Hosts: 2}, {Groups: 6, Routers: 1, Hosts: 1}} {
		all = append(all, shaped(t, "dragonfly", s))
	}
	for _, k := range Topologies { // with fewer processors than there is room for
		for _, s := range []Shape{{}, {Arity: 4, Taper: 2}, {Down: []int{4, 4}, Up: []int{1, 2}}, {Groups: 3, Routers: 3, Hosts: 2}} {
			if n, err := k.New(s, 8); err == nil {
				all = append(all, n)
			}
		}
	}
	return all
}

// leads returns why a route does not lead from one processor to another over links that there are, each once.
func leads(n Topology, from, to int, route []Link) error {
	at, seen := from, map[Link]bool{}
	for _, l := range route {
		a, b, ok := n.Ends(l)
		if !ok || a != at || int64(l) >= n.Links() || seen[l] {
			return fmt.Errorf("%s, %d to %d: link %d leads from %d to %d (%v), not from %d, or is there twice", n.Name(), from, to, l, a, b, ok, at)
		}
		at, seen[l] = b, true
	}
	if at != to {
		return fmt.Errorf("%s: the route from %d to %d ends at %d", n.Name(), from, to, at)
	}
	return nil
}

// Routes lead to their ends, and so do detours. These are drawn among many.
func TestRoutesLead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range someShapes(t) {
		if n.Name() == "bus" {
			continue
		}
		detourer, several := n.(Detourer)
		drawn := map[string]bool{}
		for from := range n.Procs() {
			for to := range n.Procs() {
				if err := leads(n, from, to, n.Route(from, to, nil)); err != nil {
					t.Fatal(err)
				}
				for range 8 {
					if !several {
						break
					}
					route := detourer.Detour(from, to, r.Uint64(), nil)
					if err := leads(n, from, to, route); err != nil {
						t.Fatal("detour: ", err)
					}
					if !slices.Equal(route, n.Route(from, to, nil)) {
						drawn[fmt.Sprint(from, to)] = true
					}
				}
			}
		}
		if kind := TopologyNamed(strings.Fields(n.Name())[0]); kind != nil && kind.Detours != several {
			t.Errorf("%s: the kind has detours: %v, the topology %v", n.Name(), kind.Detours, several)
		}
		if several && n.Procs() > 6 && n.Name() != "fattree 8-ary" && len(drawn) == 0 {
			t.Errorf("%s: no detour is another route", n.Name())
		}
	}
}

// Random numbers draw all routes of a fat tree equally often, and all third groups of a dragonfly.
func TestDetoursAreDrawnEqually(t *testing.T) {
	for _, c := range []struct {
		kind     string
		shape    Shape
		from, to int
		links    []int // of a route, which differ
		routes   int
	}{
		{"fattree", Shape{Down: []int{4, 4}, Up: []int{1, 4}}, 0, 15, []int{1, 2}, 4},
		{"fattree", Shape{Down: []int{4, 2, 2}, Up: []int{1, 2, 3}, Parallel: []int{1, 3, 1}}, 0, 15, []int{1, 2, 3}, 18},
		{"dragonfly", Shape{Groups: 9, Routers: 1, Hosts: 2}, 0, 17, []int{1, 2}, 7},
	} {
		r, drawn := rand.New(rand.NewPCG(7, 8)), map[string]int{}
		const draws = 100_000
		n := shaped(t, c.kind, c.shape).(Detourer)
		for range draws {
			route, key := n.Detour(c.from, c.to, r.Uint64(), nil), ""
			for _, l := range c.links {
				key += fmt.Sprint(route[l], " ")
			}
			drawn[key]++
		}
		if len(drawn) != c.routes {
			t.Errorf("%s: %d routes, want %d", n.Name(), len(drawn), c.routes)
		}
		for key, count := range drawn {
			if want := draws / c.routes; count < want*9/10 || count > want*11/10 {
				t.Errorf("%s: route over %s %d times, want about %d", n.Name(), key, count, want)
			}
		}
	}
}

// Random routes are minimal ones if the kind says that a shape has one route.
func TestOneRoute(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		kind  string
		shape Shape
	}{
		{"fattree", Shape{Down: []int{2, 3}, Up: []int{1, 1}}}, {"fattree", Shape{Down: []int{2, 3}, Up: []int{1, 2}}},
		{"fattree", Shape{Down: []int{2, 3}, Up: []int{1, 1}, Parallel: []int{1, 2}}}, {"dragonfly", Shape{Groups: 2, Routers: 1, Hosts: 2, Global: 2}},
		{"dragonfly", Shape{Groups: 1, Routers: 1, Hosts: 2}}, {"dragonfly", Shape{Groups: 3, Routers: 1, Hosts: 2}}, {"dragonfly", Shape{Groups: 1, Routers: 3, Hosts: 1}},
	} {
		n, one := shaped(t, c.kind, c.shape).(Detourer), true
		for range 1000 {
			from, to := r.IntN(n.Procs()), r.IntN(n.Procs())
			one = one && slices.Equal(n.Detour(from, to, r.Uint64(), nil), n.Route(from, to, nil))
		}
		if said := TopologyNamed(c.kind).OneRoute(c.shape); said != one {
			t.Errorf("%s %+v: one route: %v, said %v", n.Name(), c.shape, one, said)
		}
	}
}

// Ends of links are different, or the links have different lanes.
func TestLanes(t *testing.T) {
	for _, n := range someShapes(t) {
		seen := map[[3]int]Link{}
		for l := range Link(n.Links()) {
			from, to, ok := n.Ends(l)
			if !ok {
				continue
			}
			lane := 0
			if of, is := n.(interface{ Lane(Link) int }); is {
				lane = of.Lane(l)
			}
			if other, twice := seen[[3]int{from, to, lane}]; twice {
				t.Errorf("%s: links %d and %d lead from %d to %d, in lane %d", n.Name(), other, l, from, to, lane)
			}
			seen[[3]int{from, to, lane}] = l
		}
	}
}

// Minimal routes of a dragonfly are the shortest of those with at most one link between groups.
func TestDragonflyRoutesAreShortest(t *testing.T) {
	for _, s := range []Shape{{Groups: 9, Routers: 4, Hosts: 2}, {Groups: 3, Chassis: 2, Routers: 3, Hosts: 2, Global: 3}, {Groups: 5, Routers: 2, Hosts: 1, Global: 2}} {
		d := shaped(t, "dragonfly", s).(dragonfly)
		next := map[int][]int{}
		for node, ends := range nodesWithLanes(d) { // a state for before and after the link between groups
			group := func(n int) int {
				if n < d.procs {
					return n / d.hosts / d.group()
				}
				return (n - d.procs) / d.group()
			}
			for _, end := range ends {
				if group(node) == group(end) {
					next[2*node], next[2*node+1] = append(next[2*node], 2*end), append(next[2*node+1], 2*end+1)
				} else {
					next[2*node] = append(next[2*node], 2*end+1)
				}
			}
		}
		for from := range d.procs {
			far := distances(next, 2*from)
			for to := range d.procs {
				want, known := far[2*to]
				if !known {
					want = far[2*to+1]
				}
				if got := len(d.Route(from, to, nil)); got != want {
					t.Errorf("%s from %d to %d: %d links, want %d", d.Name(), from, to, got, want)
				}
			}
		}
	}
}

// nodesWithLanes is every node with the ends of its links, of which several may have the same.
func nodesWithLanes(n Topology) map[int][]int {
	next := map[int][]int{}
	for l := range Link(n.Links()) {
		if from, to, ok := n.Ends(l); ok {
			next[from] = append(next[from], to)
		}
	}
	return next
}
