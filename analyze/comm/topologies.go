package comm

import (
	"fmt"
	"slices"
	"strings"
)

// TopologyKind is a kind of topologies. Machine files name it in network.model.
type TopologyKind struct {
	Name     string
	Keys     []string // of the section [network], which give the shape
	Switched bool     // messages pass switches, or nodes that act as such
	Detours  bool     // its topologies are Detourers
	// OneRoute reports whether the detours of a shape are minimal routes; nil: of none.
	OneRoute func(s Shape) bool
	// Hosts returns the number of processors that a shape has room for, or 0 if it adapts to any number. A shape that is
	// not possible is an error, which names the key.
	Hosts func(s Shape) (int, error)
	// New returns the topology of procs processors, at least 1. If the shape has room for more, the processors are the
	// first ones.
	New func(s Shape, procs int) (Topology, error)
}

// Topologies lists every kind, in the order of help.
var Topologies = []*TopologyKind{&busKind, &switchKind, &fullKind, &hypercubeKind, &meshKind, &torusKind, &fatTreeKind, &dragonflyKind}

// TopologyNamed returns the kind with a name, or nil.
func TopologyNamed(name string) *TopologyKind {
	if i := slices.IndexFunc(Topologies, func(k *TopologyKind) bool { return k.Name == name }); i >= 0 {
		return Topologies[i]
	}
	return nil
}

// Shape is the keys of a machine file that describe a topology. Zero values are not given.
type Shape struct {
	Rows, Cols int // of a mesh or torus of two dimensions
	Arity      int // of a fat tree: ports of a switch, down and up

	Dims []int // of a mesh or torus

	Down, Up, Parallel []int   // of each level of a fat tree, leaves first
	Taper              float64 // of a fat tree of an arity: ports down for each port up of a leaf switch

	Groups  int // of a dragonfly
	Chassis int // of a group
	Routers int // of a chassis
	Hosts   int // of a router
	Global  int // links between two groups
}

// Bounds of shapes.
const (
	maxProcs = 1 << 16
	maxDims  = 6
	maxLinks = 1 << 26 // in both directions
)

// anyHosts is TopologyKind.Hosts of topologies without a shape.
func anyHosts(Shape) (int, error) { return 0, nil }

// product returns the product of counts, or an error that names the key if a count is below 1, or the product is above
// the limit.
func product(key string, limit int, counts ...int) (int, error) {
	n := 1
	for _, c := range counts {
		if c < 1 || c > limit || n*c > limit {
			return 0, fmt.Errorf("network.%s is %s; the product must be from 1 to %d", key, times(counts), limit)
		}
		n *= c
	}
	return n, nil
}

// times returns counts as text, such as "4x4x2".
func times(counts []int) string {
	var each []string
	for _, c := range counts {
		each = append(each, fmt.Sprint(c))
	}
	return strings.Join(each, "x")
}

// room returns an error if procs processors are more than the hosts of a shape.
func room(what string, procs, hosts int) error {
	if procs < 1 || procs > hosts {
		return fmt.Errorf("the %s has room for 1 to %d nodes, not for %d", what, hosts, procs)
	}
	return nil
}
