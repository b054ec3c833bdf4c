package machine

import "spoor/traces/unit"

// Processor is one of System.Processors equal processors.
type Processor struct {
	Clock unit.Hertz
	CPI   unit.Cycles // of an instruction, its references aside: 1/S in [du2000, eq. 3.3]
	CPF   unit.Cycles // of a floating-point operation, where work is counted in these; 0: not known
	// Outstanding is how many misses are under way at most while instructions go on; 0: the processor
	// waits for each. Window is the time that the instructions take for which it has room behind a miss.
	Outstanding int
	Window      unit.Cycles
	// Ahead is how many lines the processor fetches ahead of touches that go from line to line within a page of the memory, of
	// the Streams that it follows at once; 0: none.
	Ahead, Streams int
	// Exposed is the share of the time of misses that the processor waits for, as calibrate instructions measures it; 0 leaves
	// it to Outstanding. Descriptions have none: models are told.
	Exposed float64
}

// Cache is one level of the caches that each processor has for itself. Every
// level is a power of two of sets, each of Ways lines.
type Cache struct {
	Size, Line unit.Bytes
	Ways       int
	// Latency is what a reference that hits in this level adds to the CPI: tau_1 of
	// [du2000, eq. 3.5] in the first level. In the levels behind the first it comes
	// on top of the latencies before it.
	Latency Latency
}

// Sets is the number of sets of c.
func (c Cache) Sets() int { return int(c.Size / c.Line / unit.Bytes(c.Ways)) }

// Lines is the number of lines that fit into c.
func (c Cache) Lines() int { return int(c.Size / c.Line) }

// Memory is the memory of one node behind its bus. All latencies come on top of
// what the levels before it cost.
type Memory struct {
	Size       unit.Bytes
	Latency    Latency // of a line on an idle bus: tau_2 of [du2000, eq. 3.5]
	Occupancy  Latency // for which the transfer of a line holds the bus
	Invalidate Latency // for which a transaction without data takes and holds the bus
	Placement  Placement
	Page       unit.Bytes // that is placed as a whole, a power of two
}

// Placement says in which node's memory a page lies that the program does not place itself.
type Placement string

// The placements.
const (
	FirstTouch  Placement = "first-touch" // of the processor that touches it first
	Interleaved Placement = "interleaved" // page i with node i mod nodes
)

var placements = []Placement{FirstTouch, Interleaved}

// Disk is where data are that do not fit into memory.
type Disk struct {
	Latency Latency // of a line: tau_3 of [du2000, eq. 3.5]
}
