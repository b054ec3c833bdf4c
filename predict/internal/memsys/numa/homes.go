package numa

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

// Homes finds the node whose memory holds a line. The trace's regions may name a processor; then it is that
// processor's node. Otherwise Placement chooses a home for the page.
type Homes struct {
	places    *trace.HomeMap
	layout    Layout
	nodes     int // that take part
	placement Placement
	shift     uint // log2 of the line size
	touched   map[uint64]int32
}

// NewHomes returns the homes of lines of the given size. places has those that the program chooses; nil: none.
func NewHomes(places *trace.HomeMap, l Layout, placement Placement, line unit.Bytes) *Homes {
	h := &Homes{places: places, layout: l, nodes: l.Nodes(), placement: placement,
		shift: line.Shift(), touched: map[uint64]int32{}}
	if h.places == nil {
		h.places = trace.NewHomeMap(trace.Header{Procs: l.processors})
	}
	return h
}

// Of returns the home of a line that is touched from a node. A line that several regions share belongs to the first
// of them that has a byte of it.
func (h *Homes) Of(line uint64, toucher int) int {
	home, ok := h.Known(line)
	if !ok {
		home = toucher
		h.touched[line<<h.shift>>h.placement.Page.Shift()] = int32(toucher)
	}
	return home
}

// Known returns the home of a line if it does not depend on the node that touches it.
func (h *Homes) Known(line uint64) (home int, ok bool) {
	addr := line << h.shift
	if p, ok := h.places.Of(addr, addr+1<<h.shift-1); ok {
		return h.layout.Home(p), true
	}
	page := addr >> h.placement.Page.Shift()
	if h.placement.Policy == machine.Interleaved {
		return int(page % uint64(h.nodes)), true
	}
	first, ok := h.touched[page]
	return int(first), ok
}
