package comm

import "fmt"

// Topology is a network of processors.
type Topology interface {
	// Name returns the kind and the dimensions: "mesh 4x8".
	Name() string
	// Procs returns the number of processors.
	Procs() int
	// Route appends the links of the route to into, in order. The route to the same processor has
	// no links.
	Route(from, to int, into []Link) []Link
	// Ends returns the nodes that a link connects; nodes from Procs on are switches. It returns
	// false if the link does not exist.
	Ends(l Link) (from, to int, ok bool)
	// Links is higher than the number of every link.
	Links() int64
	// Bisection returns the number of links in both directions between two halves of the
	// processors. The halves are as equal as possible, and are chosen so that the number is
	// smallest. It is 0 if the number is not known, because the topology has room for more
	// processors.
	Bisection() int64
}

// Link is the number of a link of a Topology, from 0.
type Link int64

// defaultArity is the arity of a fat tree without a shape.
const defaultArity = 4

// allTopologies returns the topologies for a number of processors, at least 1. The hypercube needs a power of
// two.
func allTopologies(procs int) []Topology {
	all := []Topology{Bus(procs), Full(procs)}
	if cube, err := Hypercube(procs); err == nil {
		all = append(all, cube)
	}
	rows, cols := Grid(procs)
	return append(all, Mesh(rows, cols), Torus(rows, cols), FatTree(procs, defaultArity))
}

// Grid returns the rows and columns of the grid of procs nodes that is nearest to a square, with no
// more rows than columns. If procs is an odd power of two, there are twice as many columns as rows
// [sivasubramaniam1995, sec. 5].
func Grid(procs int) (rows, cols int) {
	rows = 1
	for n := 2; n*n <= procs; n++ {
		if procs%n == 0 {
			rows = n
		}
	}
	return rows, procs / rows
}

var busKind = TopologyKind{Name: "bus", Hosts: anyHosts, New: func(_ Shape, procs int) (Topology, error) { return Bus(procs), nil }}

// A switch is a fat tree of one level.
var switchKind = TopologyKind{Name: "switch", Switched: true, Hosts: anyHosts,
	New: func(_ Shape, procs int) (Topology, error) { return FatTree(procs, max(2, procs)), nil }}

type bus int

// Bus is one link that carries every message in any direction.
func Bus(procs int) Topology { return bus(procs) }

func (b bus) Name() string     { return "bus" }
func (b bus) Procs() int       { return int(b) }
func (b bus) Links() int64     { return 1 }
func (b bus) Bisection() int64 { return 1 }

func (b bus) Ends(l Link) (from, to int, ok bool) { return int(b), int(b), l == 0 }

func (b bus) Route(from, to int, into []Link) []Link {
	if from == to {
		return into
	}
	return append(into, 0)
}

var fullKind = TopologyKind{Name: "full", Detours: true, Hosts: anyHosts, New: func(_ Shape, procs int) (Topology, error) { return Full(procs), nil }}

type full int

// Full has a link from every processor to every other one.
func Full(procs int) Topology { return full(procs) }

func (f full) Name() string     { return "full" }
func (f full) Procs() int       { return int(f) }
func (f full) Links() int64     { return int64(f) * int64(f) }
func (f full) Bisection() int64 { return 2 * int64(f/2) * int64(f-f/2) }

func (f full) Ends(l Link) (from, to int, ok bool) {
	from, to = int(l/Link(f)), int(l%Link(f))
	return from, to, l >= 0 && from < int(f) && from != to
}

func (f full) Route(from, to int, into []Link) []Link {
	if from == to {
		return into
	}
	return append(into, Link(from)*Link(f)+Link(to))
}

// Detour goes by way of a random processor.
func (f full) Detour(from, to int, random uint64, into []Link) []Link {
	return via(f, from, to, random, into)
}

var hypercubeKind = TopologyKind{Name: "hypercube", Switched: true, Detours: true, Hosts: anyHosts,
	New: func(_ Shape, procs int) (Topology, error) { return Hypercube(procs) }}

type hypercube int // dimensions

// Hypercube has a link in each direction between processors whose numbers differ in one bit.
// Messages use e-cube routing: the lowest bit first. It needs a power of two of processors.
func Hypercube(procs int) (Topology, error) {
	dims := 0
	for 1<<dims < procs {
		dims++
	}
	if procs < 1 || 1<<dims != procs {
		return nil, fmt.Errorf("a hypercube of %d processors: their number must be a power of two; use as many, or another topology", procs)
	}
	return hypercube(dims), nil
}

func (h hypercube) Name() string     { return "hypercube" }
func (h hypercube) Procs() int       { return 1 << h }
func (h hypercube) Links() int64     { return int64(h) << h }
func (h hypercube) Bisection() int64 { return int64(1<<h) &^ 1 }

func (h hypercube) Ends(l Link) (from, to int, ok bool) {
	if l < 0 || int64(l) >= h.Links() {
		return 0, 0, false
	}
	from = int(l / Link(h))
	return from, from ^ 1<<(l%Link(h)), true
}

func (h hypercube) Route(from, to int, into []Link) []Link {
	for bit := range int(h) {
		if (from^to)>>bit&1 != 0 {
			into = append(into, Link(from)*Link(h)+Link(bit))
			from ^= 1 << bit
		}
	}
	return into
}

// Detour goes by way of a random processor.
func (h hypercube) Detour(from, to int, random uint64, into []Link) []Link {
	return via(h, from, to, random, into)
}
