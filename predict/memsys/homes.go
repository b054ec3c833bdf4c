package memsys

import (
	"spoor/calibrate/machine"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Placement says whose memory holds what the program does not place itself.
type Placement struct {
	Policy machine.Placement
	Page   unit.Bytes // a power of two
}

// homes tells which node's memory holds a line: that of the processor which the trace's regions
// name, otherwise the one that Placement chooses for its page.
type homes struct {
	places    *trace.HomeMap
	layout    layout
	nodes     int // that take part
	placement Placement
	shift     uint // log2 of the line size
	touched   map[uint64]int32
}

// newHomes is the homes of lines of the given size.
func newHomes(c *Config, line unit.Bytes) *homes {
	h := &homes{places: c.Homes, layout: c.layout(), nodes: c.nodes(), placement: c.Placement,
		shift: line.Shift(), touched: map[uint64]int32{}}
	if h.places == nil {
		h.places = trace.NewHomeMap(trace.Header{Procs: c.Processors})
	}
	return h
}

// of is the home of a line, which is being touched from a node. A line that several regions share
// belongs to the first of them that has a byte of it.
func (h *homes) of(line uint64, toucher int) int {
	home, ok := h.known(line)
	if !ok {
		home = toucher
		h.touched[line<<h.shift>>h.placement.Page.Shift()] = int32(toucher)
	}
	return home
}

// known is the home of a line if it is known already, whoever touches it.
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
