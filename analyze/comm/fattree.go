package comm

import (
	"fmt"
	"math"
	"slices"
)

// fatTree is an extended generalized fat tree [ohring1995]. Level 0 is the processors. The nodes of level i are the
// switches below level i+1; each has up[i] switches above it, with parallel[i] links to each. A switch of level i+1
// has down[i] nodes below it.
//
// The number of a node of level i has digits: up[j] is the base of digit j < i, and down[j] that of the others. Digit 0
// is the lowest. A node and a switch above it differ in digit i at most.
type fatTree struct {
	name               string
	procs, hosts       int
	down, up, parallel []int
	partial            bool  // every part of the tree is as good as all of it
	below              []int // nodes of the level
	units              []int // place value of digit i at level i: the product of up[j] for j < i
	first              []int // pairs of links before those of the level
}

// FatTree is a k-ary n-tree of the least height that has enough processors. k is its arity, at
// least 2. It has n levels of k^(n-1) switches. Each switch has k links up and k down, so that
// every level can carry all that the level below sends.
//
// A message climbs to the lowest level that has switches above both ends. At level i it takes the
// switch whose digit i is that of the receiver's switch (d-mod-k routing [zahavi2010]). It descends
// the only possible way.
func FatTree(procs, arity int) Topology {
	t := arityTree(procs, arity, arity)
	t.partial = true
	return t.built()
}

// arityTree is a k-ary n-tree of the least height that has enough processors. Its leaf switches have fewer ports up.
func arityTree(procs, arity, leafUp int) *fatTree {
	t := &fatTree{name: fmt.Sprintf("fattree %d-ary", arity), procs: procs}
	for hosts := 1; hosts < procs || len(t.down) == 0; hosts *= arity {
		t.down, t.up, t.parallel = append(t.down, arity), append(t.up, arity), append(t.parallel, 1)
	}
	if t.up[0] = 1; len(t.up) > 1 {
		t.up[1] = leafUp
	}
	return t
}

var fatTreeKind = TopologyKind{Name: "fattree", Keys: []string{"arity", "taper", "down", "up", "parallel"}, Switched: true, Detours: true,
	OneRoute: oneRouteTree, Hosts: fatTreeHosts, New: newFatTree}

// oneRouteTree reports whether the levels of a fat tree have one link up from each node.
func oneRouteTree(s Shape) bool {
	return s.Down != nil && !slices.ContainsFunc(slices.Concat(s.Up, s.Parallel), func(n int) bool { return n > 1 })
}

// newFatTree returns the fat tree of a shape.
func newFatTree(s Shape, procs int) (Topology, error) {
	hosts, err := fatTreeHosts(s)
	if err != nil {
		return nil, err
	}
	if hosts > 0 {
		if err := room("fat tree", procs, hosts); err != nil {
			return nil, err
		}
		parallel := s.Parallel
		if parallel == nil {
			parallel = slices.Repeat([]int{1}, len(s.Down))
		}
		t := &fatTree{name: "fattree " + times(s.Down), procs: procs, down: s.Down, up: s.Up, parallel: parallel}
		return t.built(), nil
	}
	arity := s.arity()
	if s.Taper == 0 || s.Taper == 1 {
		return FatTree(procs, arity), nil
	}
	t := arityTree(procs, arity, int(float64(arity)/s.Taper))
	t.name += fmt.Sprintf(" %g:1", s.Taper)
	return t.built(), nil
}

// arity returns the arity of a fat tree without levels.
func (s Shape) arity() int {
	if s.Arity == 0 {
		return defaultArity
	}
	return s.Arity
}

// fatTreeHosts returns the number of processors of a fat tree with levels.
func fatTreeHosts(s Shape) (int, error) {
	levels := s.Down != nil || s.Up != nil || s.Parallel != nil
	arity := s.arity()
	switch {
	case levels && (s.Arity != 0 || s.Taper != 0):
		return 0, fmt.Errorf("network.down describes all levels; give it or network.arity and network.taper")
	case !levels && (arity < 2 || arity > maxProcs):
		return 0, fmt.Errorf("network.arity is %d; it must be from 2 to %d", arity, maxProcs)
	case !levels:
		if up := float64(arity) / s.Taper; s.Taper != 0 && !(s.Taper >= 1 && up >= 1 && up == math.Trunc(up)) {
			return 0, fmt.Errorf("network.taper is %g; %d ports down for %g ports up are not possible", s.Taper, arity, up)
		}
		return 0, nil
	case len(s.Down) == 0 || len(s.Down) != len(s.Up) || s.Parallel != nil && len(s.Parallel) != len(s.Down):
		return 0, fmt.Errorf("network.down has %d levels, network.up %d and network.parallel %d; give one number for each level",
			len(s.Down), len(s.Up), len(s.Parallel))
	}
	hosts, err := product("down", maxProcs, s.Down...)
	if err != nil {
		return 0, err
	}
	for i := range s.Down { // no level has more links than this
		links := append(append(slices.Clone(s.Up[:i+1]), s.Down[i:]...), s.Parallel[:min(i+1, len(s.Parallel))]...)
		if _, err := product("down with up and parallel", maxLinks/2/len(s.Down), links...); err != nil {
			return 0, err
		}
	}
	return hosts, nil
}

// built computes what follows from the levels.
func (t *fatTree) built() *fatTree {
	t.hosts = 1
	for _, d := range t.down {
		t.hosts *= d
	}
	nodes, unit, pairs := t.procs, 1, 0
	high := t.hosts
	for i := range t.down {
		t.below, t.units, t.first = append(t.below, nodes), append(t.units, unit), append(t.first, pairs)
		pairs += nodes * t.up[i] * t.parallel[i]
		unit *= t.up[i]
		high /= t.down[i]
		nodes = unit * high
	}
	t.units, t.first = append(t.units, unit), append(t.first, pairs)
	return t
}

func (t *fatTree) Name() string { return t.name }
func (t *fatTree) Procs() int   { return t.procs }

// Links: two of each node of a level, and port to the level above.
func (t *fatTree) Links() int64 { return 2 * int64(t.first[len(t.down)]) }

// Bisection: the switches of a level, and all above, are on one side; half of the links to the level below go to nodes
// of the other side. The least of all levels cannot be undercut, because routes spread traffic equally over the links of
// each. If down is odd at that level, the true number may be larger.
func (t *fatTree) Bisection() int64 {
	if t.procs < t.hosts && !t.partial {
		return 0
	}
	half := int64(t.procs / 2)
	least := half
	for i := range t.down {
		if t.partial {
			break
		}
		links := int64(t.first[i+1] - t.first[i])
		least = min(least, (half*links+int64(t.hosts)-1)/int64(t.hosts))
	}
	return 2 * least
}

// between is the link from a node of a level to the switch above it by digit, or back.
func (t *fatTree) between(level, number, digit, lane int, downward bool) Link {
	l := 2 * Link(t.first[level]+(number*t.parallel[level]+lane)*t.up[level]+digit)
	if downward {
		l++
	}
	return l
}

// above is the switch above a node of a level, by digit.
func (t *fatTree) above(level, number, digit int) int {
	unit := t.units[level]
	return number%unit + unit*(digit+t.up[level]*(number/unit/t.down[level]))
}

// under is the node of a level below a switch, by digit.
func (t *fatTree) under(level, number, digit int) int {
	unit := t.units[level]
	return number%unit + unit*(digit+t.down[level]*(number/unit/t.up[level]))
}

func (t *fatTree) Ends(l Link) (from, to int, ok bool) {
	if l < 0 || int64(l) >= t.Links() {
		return 0, 0, false
	}
	at, level, lower := int(l/2), 0, 0
	for ; at >= t.first[level+1]; level++ {
		lower += t.below[level]
	}
	at -= t.first[level]
	digit, number := at%t.up[level], at/t.up[level]/t.parallel[level]
	from, to = lower+number, lower+t.below[level]+t.above(level, number, digit)
	if l%2 == 1 {
		from, to = to, from
	}
	return from, to, true
}

// Lane returns the number of a link among the parallel ones with the same ends.
func (t *fatTree) Lane(l Link) int {
	level := 0
	for int(l/2) >= t.first[level+1] {
		level++
	}
	return (int(l/2) - t.first[level]) / t.up[level] % t.parallel[level]
}

func (t *fatTree) Route(from, to int, into []Link) []Link {
	return t.route(from, to, to, to, into)
}

// Detour takes random links up, and random ones of parallel links. All routes are equally long.
func (t *fatTree) Detour(from, to int, random uint64, into []Link) []Link {
	return t.route(from, to, int(random&math.MaxInt32), int(random>>32), into)
}

// route climbs by the digits of a number to bases up, and takes those of parallel links that the digits above choose in
// another number.
//
// As in [zahavi2010], a port is the number modulo up times parallel.
//
// Differs: SimGrid takes only the first of parallel links down.
func (t *fatTree) route(from, to, ports, lanes int, into []Link) []Link {
	top := 0
	for a, b := from, to; a != b; top++ {
		a, b = a/t.down[top], b/t.down[top]
	}
	at := from
	for level := range top {
		digit := ports / t.units[level] % t.up[level]
		into = append(into, t.between(level, at, digit, lanes/t.units[level+1]%t.parallel[level], false))
		at = t.above(level, at, digit)
	}
	place := 1 // of the digits of to
	for _, d := range t.down[:top] {
		place *= d
	}
	for level := top - 1; level >= 0; level-- {
		place /= t.down[level]
		digit := at / t.units[level] % t.up[level]
		at = t.under(level, at, to/place%t.down[level])
		into = append(into, t.between(level, at, digit, lanes/t.units[level+1]%t.parallel[level], true))
	}
	return into
}
