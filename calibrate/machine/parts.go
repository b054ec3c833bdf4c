package machine

import "spoor/traces/unit"

// Processor describes each of the System.Processors equal processors of a node.
type Processor struct {
	Clock unit.Hertz
	CPI   unit.Cycles // periods of an instruction whose references cost nothing: 1/S in [du2000, eq. 3.3]
	CPF   unit.Cycles // periods of a floating-point operation, for traces that count work in these; 0: not known
	// Outstanding is the largest number of misses in progress while instructions continue; 0: the processor waits
	// for each miss. Window is the time of the instructions that can execute behind a miss.
	Outstanding int
	Window      unit.Cycles
	// Ahead is the number of lines that the processor prefetches when accesses go from line to line within a page
	// of memory; 0: none. Streams is the number of such sequences that it follows at once.
	Ahead, Streams int
	// Exposed is the share of the time of misses that the processor waits for, as calibrate instructions measures
	// it. If it is 0, Outstanding decides. No description has it; the caller of a model sets it.
	Exposed float64
}

// Cache is one level of the private caches of a processor. The number of sets is a power of two; each has Ways
// lines.
type Cache struct {
	Size, Line unit.Bytes
	Ways       int
	// Latency is added to the CPI by a reference that hits in this level: tau_1 of [du2000, eq. 3.5] in the first
	// level. In outer levels it is added to the latencies of the inner levels.
	Latency Latency
}

// Sets returns the number of sets of c.
func (c Cache) Sets() int { return int(c.Size / c.Line / unit.Bytes(c.Ways)) }

// Lines returns the number of lines that fit into c.
func (c Cache) Lines() int { return int(c.Size / c.Line) }

// Memory describes the memory and the bus of one node. All latencies are added to those of the caches.
type Memory struct {
	Size       unit.Bytes
	Latency    Latency // time of a line on an idle bus: tau_2 of [du2000, eq. 3.5]
	Occupancy  Latency // time that the transfer of a line occupies the bus
	Invalidate Latency // time that an address-only transaction takes and occupies the bus
	Placement  Placement
	Page       unit.Bytes // unit of placement, a power of two
}

// Placement decides the home node of pages that the program does not place itself.
type Placement string

// Placement policies.
const (
	FirstTouch  Placement = "first-touch" // of the processor that touches it first
	Interleaved Placement = "interleaved" // page i with node i mod nodes
)

var placements = []Placement{FirstTouch, Interleaved}

// Disk holds data that do not fit into memory.
type Disk struct {
	Latency Latency // of a line: tau_3 of [du2000, eq. 3.5]
}
