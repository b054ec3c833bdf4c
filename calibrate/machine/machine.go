// Package machine reads machine descriptions and price lists: processors, caches, memory, network, and the target
// that Spoor simulates.
//
// A description is a TOML document; data/machine has examples, and FindFile finds them by name. The decoder is strict:
// an unknown or missing key, a quantity without a unit, and an impossible value are errors with file, line and key.
// docs/reference/machine.md lists every key with unit, default, meaning and the commands that use it. A test compares
// that page with [Keys] and [PriceKeys].
//
// Sources: the memory hierarchy and its costs are those of [du2000], L and g those of [sivasubramaniam1995], gamma that
// of [hur1999]. The keys o, g, G, S and ports are those of [alexandrov1995], tables by size those of [kielmann2000].
// docs/bibliography.md lists the papers.
package machine

import "spoor/traces/unit"

// Machine is a valid description of a machine.
type Machine struct {
	Name       string
	About      string // one line for lists, or ""
	Source     Source
	Processor  Processor
	Caches     []Cache // nearest first; empty for targets without caches
	Shared     *Cache  // last level, shared by the processors of a node; nil: none
	Memory     Memory
	Disk       *Disk    // nil: all data fit into memory
	Network    *Network // nil: a single node
	Directory  Directory
	Messages   Messages
	TLB        *TLB // nil: translation costs nothing
	System     System
	OtherNodes []*Machine // cow, clump: nodes of other kinds, which replace the last ones; each has processors, caches, memory and disk
	Placed     []int      // node of each rank of a program; nil: ranks fill the nodes in order
	Whole      bool       // Placed is on the network of all nodes; false: on one of the nodes up to the last
	Missing    []Section  // absent sections; nil except for ReadPart
	Assumed    []string   // absent keys, and the values that were assumed
	Given      []string   // keys that the description has, in its order, as [Keys] names them
}

// Count returns the number of processors in all nodes of m.
func (m *Machine) Count() int {
	n := (m.System.Nodes - len(m.OtherNodes)) * m.System.Processors
	for _, o := range m.OtherNodes {
		n += o.System.Processors
	}
	return n
}

// Node returns the description of node i: m itself, or one of the OtherNodes.
func (m *Machine) Node(i int) *Machine {
	if first := m.System.Nodes - len(m.OtherNodes); i >= first {
		return m.OtherNodes[i-first]
	}
	return m
}

// System describes how the parts form a machine.
type System struct {
	Target     Target
	Processors int // in each node: n of [du2000]
	Nodes      int // N of [du2000]
	Protocol   Protocol
	Block      unit.Bytes // coherence unit of the shared memory of a COW or CLUMP, else 0
}

// Protocol is a cache coherence protocol.
type Protocol string

// Protocols. The zero value is the protocol of the target's paper.
const (
	MSI      Protocol = "msi"      // modified, shared, invalid
	MESI     Protocol = "mesi"     // with exclusive, clean lines
	MOESI    Protocol = "moesi"    // with lines that one cache owns and others share
	Berkeley Protocol = "berkeley" // msi with owned lines
)

var protocols = []Protocol{MSI, MESI, MOESI, Berkeley}

// Target is the kind of machine that is simulated.
type Target string

// Targets.
const (
	SMP    Target = "smp"    // processors with private caches on one memory bus
	COW    Target = "cow"    // cluster of workstations
	CLUMP  Target = "clump"  // cluster of SMPs
	CCNUMA Target = "ccnuma" // distributed memory with coherent caches
	LogP   Target = "logp"   // distributed memory without caches
	CLogP  Target = "clogp"  // LogP with ideally coherent caches
	PRAM   Target = "pram"   // memory of unit cost without latency, contention or cost of synchronization
	Dir1SW Target = "dir1sw" // directory of one pointer, with software for other cases
	WWT    Target = "wwt"    // dir1sw whose nodes affect each other only by messages
)

var targets = []Target{SMP, COW, CLUMP, CCNUMA, LogP, CLogP, Dir1SW, WWT, PRAM}

// hasCaches reports whether machines of the target have caches.
func (t Target) hasCaches() bool { return t != LogP && t != PRAM }

// At returns the duration of l at m's clock.
func (m *Machine) At(l Latency) unit.Seconds { return l.at(m.Processor.Clock) }
