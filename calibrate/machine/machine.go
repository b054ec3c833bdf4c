// Package machine reads machine descriptions and price lists: processors, caches, memory, network, and the target
// that Spoor simulates.
//
// A description is a TOML document; data/machine has examples, and FindFile finds them by name. The decoder is strict:
// an unknown or missing key, a quantity without a unit, and an impossible value are errors with file, line and key.
//
//	name = "du2000-smp-256k"
//	about = "SMP of 4 processors" # optional: one line for 'calibrate machines'
//	source = "measured"      # optional: where the numbers come from, for the same list
//	[processor]
//	clock = "200 MHz"
//	cpi = 1                  # clock periods of an instruction whose references cost nothing
//	cpf = 0.25               # clock periods of a floating-point operation; needed for traces that count work in flop
//	outstanding = 10         # most misses in progress while instructions continue; if absent, the processor waits for each
//	window = 224             # instructions that can execute behind a miss; needed with outstanding
//	ahead = 20               # lines prefetched when accesses go from line to line within a page; if absent, none
//	streams = 16             # such sequences that the processor follows at once; needed with ahead
//	[[cache]]                # nearest first
//	size = "256 KiB"
//	line = "64 B"
//	ways = 2
//	latency = "1 cycle"      # added to cpi by a reference that hits here; 0 if it is overlapped
//	[shared_cache]           # optional: the last level, shared by the processors of a node; it need not include their lines
//	size = "32 MiB"
//	line = "64 B"
//	ways = 16
//	latency = "40 cycles"
//	[memory]
//	size = "64 MiB"
//	latency = "50 cycles"    # added by a reference that misses in all caches, on an idle bus
//	occupancy = "50 cycles"  # time that it occupies the bus; if absent, the latency
//	invalidate = "50 cycles" # time that an address-only transaction occupies the bus; if absent, the occupancy
//	placement = "first-touch" # of pages among nodes, or "interleaved"; a program can place its distributed arrays itself
//	page = "4 KiB"           # unit of placement; if absent, 4 KiB
//	[disk]                   # optional
//	latency = "10 ms"        # added by a reference that misses in memory
//	[network]                # between nodes; optional for a single node
//	model = "loggp"
//	L = "2 us"
//	o = "0.5 us"
//	g = "0.7 us"
//	G = "2 ns/B"
//	S = "65535 B"
//	[system]
//	target = "smp"
//	processors = 4           # of each node
//	nodes = 1                # if absent, 1
//	protocol = "msi"         # cache coherence: msi, mesi, moesi, berkeley; if absent, the one of the target's paper
//	block = "256 B"          # coherence unit between the nodes of a cow or clump; if absent, 256 B
//
// Clusters (cow, clump) may have nodes of other kinds, which replace the last nodes in this order. A section or key
// that is absent is the one of the other nodes. Latencies in cycles are of the node's own clock:
//
//	[[node]]
//	name = "old"
//	count = 2                # number of such nodes; if absent, 1
//	processors = 1           # if absent, as many as the other nodes
//	[node.processor]
//	clock = "100 MHz"
//	cpi = 1
//	[[node.cache]]           # replaces all caches; lines must be as long
//	size = "128 KiB"
//	line = "64 B"
//	ways = 2
//	latency = "1 cycle"
//	[node.memory]            # size, latency, occupancy and invalidate as above; placement is that of [memory]
//	size = "32 MiB"
//	latency = "50 cycles"
//	[node.disk]
//	latency = "20 ms"
//
// Machines with a directory (ccnuma, dir1sw) may have
//
//	[directory]              # at the home of each line; if absent, a full map
//	kind = "limited"         # or "full": a bit for every processor; or "sparse": a full map with few entries
//	pointers = 4             # limited: pointers of each line
//	overflow = "broadcast"   # limited: the next store is broadcast; or "no-broadcast": another copy is invalidated
//	entries = 4096           # sparse: entries of each node; if a line loses its entry, all copies are invalidated
//	ways = 4                 # sparse: entries / ways is a power of two of sets
//	latency = "10 cycles"    # of a lookup, during which the directory is busy; if absent, 0: overlaps the memory access
//	hints = true             # caches report clean lines that they replace; if absent, false
//	trap = "250 cycles"      # dir1sw: time for which software keeps the home busy when hardware cannot handle a request
//
// Machines that send messages (also logp and clogp) may have
//
//	[messages]
//	control = "8 B"          # size of a message without data; if absent, 8 B
//	data = "40 B"            # size of a message with a line; if absent, line plus control, or 32 B without caches
//
// dir1sw may have
//
//	[tlb]                    # of each processor; if absent, translation costs nothing
//	entries = 64
//	ways = 64                # if absent, fully associative
//	page = "4 KiB"
//	latency = "30 cycles"    # of a miss
//
// Network models are ideal, bus, switch, full, hypercube, mesh, torus, fattree, logp, loggp and plogp; package
// predict/network implements them. The first eight have links:
//
//	[network]
//	model = "mesh"
//	bandwidth = "20 MB/s"    # of a link; all models except ideal need it
//	efficiency = "48/53"     # share of it that messages can use, here for ATM cells with 48 of 53 bytes; if absent, 1
//	header = "25 B"          # bytes that every message has besides its payload; if absent, none
//	latency = "75 cycles"    # fixed part of every message's latency, occupies no link; if absent, none
//	switch = "10 ns"         # latency of every switch on the route; if absent, none
//	sharing = "max-min"      # messages share a link's bandwidth fairly; or "packets"; if absent, "exclusive": one at a time
//	packet = "2 KiB"         # sharing = "packets": unit that a link carries at a time; each packet has the header
//	rows = 4                 # of a mesh or torus; if rows and cols are absent, as near to a square as possible
//	cols = 8
//	arity = 4                # of a fattree: links up and down of a switch; if absent, 4
//
// Sharing "max-min" and "packets" apply to programs that pass messages. A link model without latency and bandwidth uses
// L and 1/G instead, so that LogGP parameters serve it, too.
//
// Model logp abstracts a network by L and g, whatever the length of messages:
//
//	[network]
//	model = "logp"
//	L = "1.6 us"
//	gap = "traffic"          # or "bisection": g from a topology's links; or give g = "3.2 us" instead
//	topology = "mesh"        # that gap uses; rows, cols and arity as above
//	spacing = "same-kind"    # g separates sends, and separates receives; if absent, "any": it separates all events
//
// For programs that pass messages (package predict/engine), each model may also have
//
//	o = "0.5 us"             # time of the processor that sends or receives a message; if absent, none
//	o_s = "0.4 us"           # of the sender; if absent, o
//	o_r = "0.6 us"           # of the receiver; if absent, o
//	S = "64 KiB"             # longer messages wait for their receiver; if absent, none waits
//	gamma = "60 ns/line"     # time for each memory line of a message's buffer [hur1999]; if absent, none
//
// In loggp, the message after one of s bytes leaves g + (s-1) G later. It may have
//
//	ports = "both"           # each byte also occupies the receiver's port for G; if absent, "send"
//
// Model plogp has o_s, o_r and g by size. They are interpolated between two sizes. Below the least size its values hold.
// Beyond the largest size, the line through the last two continues. 'calibrate transport' and 'calibrate fit' write
// such a section, PREFIX.network.toml, to append to a machine that has none:
//
//	[network]
//	model = "plogp"
//	L = "2 us"               # half a round trip less g, of the least size
//	o_r = "0.5 us"           # o, o_s and o_r, if they are not by size
//	[[network.size]]         # by rising bytes; each has at least one of o_s, o_r and g, and at least one size has g
//	bytes = "1 B"
//	o_s = "0.4 us"
//	g = "0.7 us"
//	[[network.size]]
//	bytes = "64 KiB"
//	o_s = "20 us"
//	g = "70 us"
//
// Sources: the memory hierarchy and its costs are those of [du2000], L and g those of [sivasubramaniam1995], gamma that
// of [hur1999]. The keys o, g, G, S and ports are those of [alexandrov1995], tables by size those of [kielmann2000].
package machine

import "spoor/traces/unit"

// Machine is a valid description of a machine.
type Machine struct {
	Name       string
	About      string // one line for lists, or ""
	Source     string // where the numbers come from, or ""
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
	Assumed    []string   // absent keys, and the values that were assumed
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
	Dir1SW Target = "dir1sw" // directory of one pointer, with software for other cases
)

var targets = []Target{SMP, COW, CLUMP, CCNUMA, LogP, CLogP, Dir1SW}

// At returns the duration of l at m's clock.
func (m *Machine) At(l Latency) unit.Seconds { return l.At(m.Processor.Clock) }
