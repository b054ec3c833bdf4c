// Package machine reads descriptions of machines: processors, caches, memory,
// network, and which of the simulated targets they are.
//
// A description is a TOML document; see data/machine for examples. It is read
// strictly: unknown and missing keys, quantities without a unit and values that
// no machine has are errors that name file, line and key.
//
//	name = "du2000-smp-256k"
//	about = "SMP of 4 processors" # optional: one line that 'calibrate machines' prints
//	source = "measured"      # optional: where the numbers come from, printed there too
//	[processor]
//	clock = "200 MHz"
//	cpi = 1                  # clock periods of an instruction whose references all cost nothing
//	cpf = 0.25               # clock periods of a floating-point operation, for traces whose work is in flop; if absent, these cannot be replayed
//	outstanding = 10         # misses under way at most while instructions go on; if absent, the processor waits for each
//	window = 224             # instructions that go on behind a miss; needed with outstanding
//	ahead = 20               # lines fetched ahead of touches of one line after the other, within a page; if absent, none
//	streams = 16             # of such touches that the processor follows at once; needed with ahead
//	[[cache]]                # nearest first
//	size = "256 KiB"
//	line = "64 B"
//	ways = 2
//	latency = "1 cycle"      # what a reference that hits here adds to cpi; 0 if it is overlapped
//	[shared_cache]           # optional: the last level, one for the processors of a node, of which it need not have all lines
//	size = "32 MiB"
//	line = "64 B"
//	ways = 16
//	latency = "40 cycles"
//	[memory]
//	size = "64 MiB"
//	latency = "50 cycles"    # what a reference adds that misses in all caches, on an idle bus
//	occupancy = "50 cycles"  # for which it holds the bus; if absent, its latency
//	invalidate = "50 cycles" # for which an address-only transaction holds the bus; if absent, the occupancy
//	placement = "first-touch" # of pages among nodes, or "interleaved"; arrays that the program distributes are where it says
//	page = "4 KiB"           # what is placed as a whole; if absent, 4 KiB
//	[disk]                   # optional
//	latency = "10 ms"        # what a reference adds that misses in memory
//	[network]                # between nodes; optional for a single one
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
//	protocol = "msi"         # of coherence: msi, mesi, moesi, berkeley; if absent, what the target's paper has
//	block = "256 B"          # of what nodes of a cow or clump share; if absent, 256 B
//
// Clusters (cow, clump) may have nodes of other kinds, in place of the last ones in this order. Each has what is written for it,
// and else what the others have; its latencies in cycles are of its own clock:
//
//	[[node]]
//	name = "old"
//	count = 2                # of such nodes; if absent, 1
//	processors = 1           # if absent, as many as the others
//	[node.processor]
//	clock = "100 MHz"
//	cpi = 1
//	[[node.cache]]           # instead of all caches of the others; lines are as long
//	size = "128 KiB"
//	line = "64 B"
//	ways = 2
//	latency = "1 cycle"
//	[node.memory]            # size, latency, occupancy and invalidate as above; pages are placed alike
//	size = "32 MiB"
//	latency = "50 cycles"
//	[node.disk]
//	latency = "20 ms"
//
// Machines with a directory (ccnuma, dir1sw) may have
//
//	[directory]              # of who has copies, where the home of a line is; if absent, a full map
//	kind = "limited"         # or "full": a bit for every processor; or "sparse": full, with few entries
//	pointers = 4             # of a limited directory, for each line
//	overflow = "broadcast"   # of the pointers: the next store tells all; or "no-broadcast": another loses its copy
//	entries = 4096           # of a sparse directory, in each node; who loses the entry loses all copies
//	ways = 4                 # of a sparse directory: entries / ways is a power of two of sets
//	latency = "10 cycles"    # of a look into the directory, for which it is held; if absent, 0: as long as memory is read
//	hints = true             # caches tell the home of clean lines that they replace; if absent, false
//	trap = "250 cycles"      # dir1sw: software holds the home so long where the hardware leaves the rest to it
//
// and those that send messages (also logp and clogp)
//
//	[messages]
//	control = "8 B"          # size of a message without data; if absent, 8 B
//	data = "40 B"            # of one with a line; if absent, the line and control, or 32 B without caches
//
// and dir1sw
//
//	[tlb]                    # of each processor; if absent, translation costs nothing
//	entries = 64
//	ways = 64                # of the sets; if absent, fully associative
//	page = "4 KiB"
//	latency = "30 cycles"    # of a miss
//
// The model of the network is one of ideal, bus, switch, full, hypercube, mesh, torus,
// fattree, logp, loggp and plogp (see predict/network). The first eight have links:
//
//	[network]
//	model = "mesh"
//	bandwidth = "20 MB/s"    # of a link; needed, but by ideal
//	efficiency = "48/53"     # share of it that messages have: here ATM's, whose cells of 53 bytes carry 48; if absent, 1
//	header = "25 B"          # that every message has besides its bytes; if absent, none
//	latency = "75 cycles"    # fixed part of every message's latency, holds no link; if absent, none
//	switch = "10 ns"         # of every switch on the way; if absent, none
//	sharing = "max-min"      # its messages share a link's bandwidth fairly, where programs pass messages; or "packets": they take turns; if absent, "exclusive": it has one at a time
//	packet = "2 KiB"         # of sharing = "packets", each of which has the header: what a link carries at a time
//	rows = 4                 # of a mesh or torus; if rows and cols are absent, as near to a square as can be
//	cols = 8
//	arity = 4                # of a fattree, links up and down of a switch; if absent, 4
//
// Where they have no latency and no bandwidth, L and 1/G are taken, so that what is known of LogGP
// serves them too. The abstraction of a network by L and g, whatever the length of messages, is
//
//	[network]
//	model = "logp"
//	L = "1.6 us"
//	gap = "traffic"          # or "bisection": g by a topology's links; or instead: g = "3.2 us"
//	topology = "mesh"        # that gap is about; rows, cols and arity as above
//	spacing = "same-kind"    # g is between messages sent and between messages received; if absent, "any": between all
//
// Where programs pass messages (see predict/engine), each model may also have
//
//	o = "0.5 us"             # of the processor that sends or receives a message; if absent, none
//	o_s = "0.4 us"           # of the one that sends; if absent, o
//	o_r = "0.6 us"           # of the one that receives; if absent, o
//	S = "64 KiB"             # longer messages wait for their receiver; if absent, none does
//	gamma = "60 ns/line"     # more for each line that the buffer of a message touches [hur1999]; if absent, none
//
// and loggp, in which the message after one of s bytes leaves g + (s-1) G later,
//
//	ports = "both"           # bytes hold the port of the receiver too, for G each; if absent, "send"
//
// The model plogp has o_s, o_r and g by size. Between two sizes they are on the line from one to the next, below the least
// those of the least, and beyond the largest on the line of the last two. 'calibrate transport' and 'calibrate fit' write
// such a section, PREFIX.network.toml, to put behind a machine that has none:
//
//	[network]
//	model = "plogp"
//	L = "2 us"               # half a round trip less g, of the least size
//	o_r = "0.5 us"           # o, o_s and o_r, where they are not by size
//	[[network.size]]         # by rising bytes; each with what is known of it, g of one at least
//	bytes = "1 B"
//	o_s = "0.4 us"
//	g = "0.7 us"
//	[[network.size]]
//	bytes = "64 KiB"
//	o_s = "20 us"
//	g = "70 us"
//
// The memory hierarchy and its costs are those of
//
//   - [du2000] Xing Du, Xiaodong Zhang, Zhichun Zhu: Memory Hierarchy
//     Considerations for Cost-Effective Cluster Computing. IEEE Transactions on
//     Computers 49(9), September 2000, pp. 915-933.
//
// and L and g those of
//
//   - [sivasubramaniam1995] Anand Sivasubramaniam, Aman Singla, Umakishore
//     Ramachandran, H. Venkateswaran: Abstracting network characteristics and
//     locality properties of parallel systems. HPCA 1995.
//
// gamma is that of
//
//   - [hur1999] J. Hur, C. Lin: modelling cache effects in communication costs.
//
// and o, g, G, S and ports those of
//
//   - [alexandrov1995] Albert Alexandrov, Mihai Ionescu, Klaus Schauser, Chris Scheiman:
//     LogGP: Incorporating long messages into the LogP model. SPAA 1995.
//
// and those by size those of
//
//   - [kielmann2000] Thilo Kielmann, Henri Bal, Kees Verstoep: Fast measurement of LogP
//     parameters for message passing platforms. IPDPS 2000 Workshops.
package machine

import "spoor/traces/unit"

// Machine is a valid description of a machine.
type Machine struct {
	Name       string
	About      string // one line for lists, or ""
	Source     string // where the numbers come from, or ""
	Processor  Processor
	Caches     []Cache // nearest first; none for targets without caches
	Shared     *Cache  // the last level, which the processors of a node share; nil: none
	Memory     Memory
	Disk       *Disk    // nil: data never leave the memory
	Network    *Network // nil: a single node
	Directory  Directory
	Messages   Messages
	TLB        *TLB // nil: translation costs nothing
	System     System
	OtherNodes []*Machine // nodes of other kinds, in place of the last ones of a cow or clump: their processors, caches, memory and disk
	Assumed    []string   // what the description left open, and what was put in its place
}

// Count is how many processors m has in all nodes.
func (m *Machine) Count() int {
	n := (m.System.Nodes - len(m.OtherNodes)) * m.System.Processors
	for _, o := range m.OtherNodes {
		n += o.System.Processors
	}
	return n
}

// Node is what node i of m is like: m itself, or one of the OtherNodes.
func (m *Machine) Node(i int) *Machine {
	if first := m.System.Nodes - len(m.OtherNodes); i >= first {
		return m.OtherNodes[i-first]
	}
	return m
}

// System says which machine is made of the parts.
type System struct {
	Target     Target
	Processors int // of each node: n of [du2000]
	Nodes      int // N of [du2000]
	Protocol   Protocol
	Block      unit.Bytes // of the shared memory of a COW or CLUMP, else 0
}

// Protocol names what keeps caches coherent.
type Protocol string

// The protocols. The zero Protocol leaves it to the target.
const (
	MSI      Protocol = "msi"      // modified, shared, invalid
	MESI     Protocol = "mesi"     // with exclusive, clean lines
	MOESI    Protocol = "moesi"    // with lines owned by one and shared by others too
	Berkeley Protocol = "berkeley" // msi with owned lines
)

var protocols = []Protocol{MSI, MESI, MOESI, Berkeley}

// Target names what kind of machine it is.
type Target string

// The targets.
const (
	SMP    Target = "smp"    // processors with private caches on one memory bus
	COW    Target = "cow"    // cluster of workstations
	CLUMP  Target = "clump"  // cluster of SMPs
	CCNUMA Target = "ccnuma" // distributed memory with coherent caches
	LogP   Target = "logp"   // distributed memory without caches
	CLogP  Target = "clogp"  // LogP with ideally coherent caches
	Dir1SW Target = "dir1sw" // directory of one pointer, software for the rest
)

var targets = []Target{SMP, COW, CLUMP, CCNUMA, LogP, CLogP, Dir1SW}

// At is the time of c cycles of m's clock.
func (m *Machine) At(l Latency) unit.Seconds { return l.At(m.Processor.Clock) }
