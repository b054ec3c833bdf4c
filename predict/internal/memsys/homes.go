package memsys

import (
	"spoor/calibrate/machine"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Placement determines the home of pages that the program does not place.
type Placement struct {
	Policy machine.Placement
	Page   unit.Bytes // a power of two
}

// homes finds the node whose memory holds a line. The trace's regions may name a processor; then it is that
// processor's node. Otherwise Placement chooses a home for the page.
type homes struct {
	places    *trace.HomeMap
	layout    layout
	nodes     int // that take part
	placement Placement
	shift     uint // log2 of the line size
	touched   map[uint64]int32
}

// newHomes returns the homes of lines of the given size.
func newHomes(c *Config, line unit.Bytes) *homes {
	h := &homes{places: c.Homes, layout: c.layout(), nodes: c.nodes(), placement: c.Placement,
		shift: line.Shift(), touched: map[uint64]int32{}}
	if h.places == nil {
		h.places = trace.NewHomeMap(trace.Header{Procs: c.Processors})
	}
	return h
}

// of returns the home of a line that is touched from a node. A line that several regions share belongs to the first
// of them that has a byte of it.
func (h *homes) of(line uint64, toucher int) int {
	home, ok := h.known(line)
	if !ok {
		home = toucher
		h.touched[line<<h.shift>>h.placement.Page.Shift()] = int32(toucher)
	}
	return home
}

// known returns the home of a line if it does not depend on the node that touches it.
func (h *homes) known(line uint64) (home int, ok bool) {
	addr := line << h.shift
	if p, ok := h.places.Of(addr, addr+1<<h.shift-1); ok {
		return h.layout.of(p), true
	}
	page := addr >> h.placement.Page.Shift()
	if h.placement.Policy == machine.Interleaved {
		return int(page % uint64(h.nodes)), true
	}
	first, ok := h.touched[page]
	return int(first), ok
}
