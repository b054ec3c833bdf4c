package memsys

import (
	"cmp"
	"slices"

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
	regions   []trace.Region // by address; those that place nothing are left out
	procs     int            // of the trace, whom regions place parts with
	perNode   int
	nodes     int // that take part
	placement Placement
	shift     uint // log2 of the line size
	touched   map[uint64]int32
	lasts     []uint64 // bytes of the regions
	latest    int      // region that was looked for
}

// newHomes is the homes of lines of the given size on nodes of perNode processors.
func newHomes(head trace.Header, perNode int, line unit.Bytes, p Placement) *homes {
	h := &homes{procs: head.Procs, perNode: perNode, nodes: (head.Procs + perNode - 1) / perNode, placement: p,
		shift: line.Shift(), touched: map[uint64]int32{}}
	for _, r := range head.Regions {
		if r.Bytes > 0 && (r.Owner != trace.Everyone || r.Home.Kind != trace.AnyHome) {
			h.regions = append(h.regions, r)
		}
	}
	slices.SortStableFunc(h.regions, func(a, b trace.Region) int { return cmp.Compare(a.Base, b.Base) })
	for _, r := range h.regions {
		h.lasts = append(h.lasts, r.Base+(r.Bytes-1))
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
	if home, ok = h.placed(addr); ok {
		return home, true
	}
	page := addr >> h.placement.Page.Shift()
	if h.placement.Policy == machine.Interleaved {
		return int(page % uint64(h.nodes)), true
	}
	first, ok := h.touched[page]
	return int(first), ok
}

// placed is where the program has put the line at addr, if it has.
func (h *homes) placed(addr uint64) (home int, ok bool) {
	last := addr + 1<<h.shift - 1
	i := h.latest
	if i == len(h.regions) || addr < h.regions[i].Base || addr > h.lasts[i] { // the search would not find this one
		i, _ = slices.BinarySearch(h.lasts, addr)
		if i == len(h.regions) || h.regions[i].Base > last {
			return 0, false
		}
		h.latest = i
	}
	r := &h.regions[i]
	p := r.Owner
	if p == trace.Everyone {
		if p, ok = r.Home.Of(max(addr, r.Base)-r.Base, r.Bytes, h.procs); !ok {
			return 0, false
		}
	}
	return int(p) / h.perNode, true
}
