// Package topology routes messages over the links of networks: which links there
// are between processors 0, 1, ..., and which of them a message takes; and it counts what
// the messages of a program ask of them. It knows nothing of when they are sent.
//
// Links go one way; two neighbours have one each way, but for the bus, which is one
// link for all. Every route is a shortest one, and depends on its two ends
// alone. The networks are those of [sivasubramaniam1995] (full, hypercube, 2-D mesh), with
// the bus, the torus and the fat tree.
//
// [sivasubramaniam1995] A. Sivasubramaniam, A. Singla, U. Ramachandran, H.
// Venkateswaran: Abstracting network characteristics and locality properties of parallel
// systems.
package topology

import "fmt"

// Topology is a network of processors.
type Topology interface {
	// Name says what it is, and its dimensions: "mesh 4x8".
	Name() string
	// Procs is the number of processors.
	Procs() int
	// Route appends the links from one processor to another to into, in order; none
	// to itself.
	Route(from, to int, into []Link) []Link
	// Ends is the nodes that a link leads from and to; nodes from Procs on are
	// switches. It is false if there is no such link.
	Ends(l Link) (from, to int, ok bool)
	// Links is above the number of every link.
	Links() int64
	// Bisection is how many links lead from either half of the processors to the other, of the halves, as equal
	// as can be, between which there are fewest.
	Bisection() int64
}

// Link is the number of a link of a Topology, from 0.
type Link int64

// Arity is that of the fat tree that All lists.
const Arity = 4

// All is the topologies that can have so many processors, from 1: the hypercube needs a power of
// two.
func All(procs int) []Topology {
	all := []Topology{Bus(procs), Full(procs)}
	if cube, err := Hypercube(procs); err == nil {
		all = append(all, cube)
	}
	rows, cols := Grid(procs)
	return append(all, Mesh(rows, cols), Torus(rows, cols), FatTree(procs, Arity))
}

// Grid is the rows and columns of the grid of procs nodes that is nearest to a square,
// no more rows than columns: two columns a row where procs is an odd power of two
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

type bus int

// Bus is one link that every message takes, whatever its direction.
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

type full int

// Full has a link from every processor to every other.
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

type hypercube int // dimensions

// Hypercube has a link each way between processors whose numbers differ in one bit.
// Messages go by e-cube: the lowest bit first. It needs a power of two of processors.
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
