package sharing

import (
	"cmp"
	"math"
	"slices"

	"spoor/traces/trace"
)

// Special numbers of regions.
const (
	outside int32 = 0  // of an address in no named array; named arrays count from 1
	mixed   int32 = -1 // of a line with parts in several regions
)

// regions finds the named array of an address.
type regions struct {
	names  []array   // by number; 0 is outside
	spans  []segment // disjoint, ascending, the first from address 0, to the end of memory
	latest int       // the span found last
}

// array is a region by name. Regions of one name and owner are one array.
type array struct {
	name  string
	owner trace.Proc
}

type segment struct {
	from   uint64
	region int32
}

// piece is the address range of a region; last is inclusive.
type piece struct {
	from, last uint64
	region     int32
}

// newRegions divides memory at the ends of the regions. If regions overlap, an address belongs to
// the region that begins last, and of several that begin together to the shortest.
func newRegions(list []trace.Region) *regions {
	r := &regions{names: []array{{owner: trace.Everyone}}}
	numbers := map[array]int32{}
	var pieces []piece
	for _, g := range list {
		if g.Bytes > 0 {
			last := g.Base + min(g.Bytes-1, math.MaxUint64-g.Base)
			pieces = append(pieces, piece{g.Base, last, r.number(numbers, array{g.Name, g.Owner})})
		}
	}
	slices.SortStableFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.last, a.last))
	})
	r.cut(0, outside)
	var open []piece // regions that have begun and not ended; the last one owns the addresses
	for _, p := range pieces {
		open = r.close(open, p.from)
		r.cut(p.from, p.region)
		open = append(open, p)
	}
	for len(open) > 0 && open[len(open)-1].last < math.MaxUint64 {
		open = r.close(open, open[len(open)-1].last+1)
	}
	return r
}

// close ends the open pieces that own addresses before end and do not continue. It returns those
// that remain.
func (r *regions) close(open []piece, end uint64) []piece {
	for len(open) > 0 && open[len(open)-1].last < end {
		last, under := open[len(open)-1].last, outside
		for len(open) > 0 && open[len(open)-1].last <= last {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			under = open[len(open)-1].region
		}
		r.cut(last+1, under)
	}
	return open
}

// number returns the number of an array. It assigns a new one if necessary.
func (r *regions) number(known map[array]int32, a array) int32 {
	if known[a] == 0 {
		r.names = append(r.names, a)
		known[a] = int32(len(r.names) - 1)
	}
	return known[a]
}

// cut begins a span.
func (r *regions) cut(from uint64, region int32) {
	last := len(r.spans) - 1
	if last >= 0 && r.spans[last].from == from {
		r.spans = r.spans[:last]
		last--
	}
	if last < 0 || r.spans[last].region != region {
		r.spans = append(r.spans, segment{from, region})
	}
}

// at returns the array of an address.
func (r *regions) at(addr uint64) int32 { return r.spans[r.span(addr)].region }

// within returns the array of all addresses from first to last, or mixed.
func (r *regions) within(first, last uint64) int32 {
	i := r.span(first)
	if i+1 < len(r.spans) && r.spans[i+1].from <= last {
		return mixed
	}
	return r.spans[i].region
}

// all returns the arrays of the addresses from first to last, each once, in order.
func (r *regions) all(first, last uint64) (out []int32) {
	for i := r.span(first); i < len(r.spans) && r.spans[i].from <= last; i++ {
		if !slices.Contains(out, r.spans[i].region) {
			out = append(out, r.spans[i].region)
		}
	}
	return out
}

// first returns the first named array of the addresses from first to last, or outside.
func (r *regions) first(first, last uint64) int32 {
	for _, region := range r.all(first, last) {
		if region != outside {
			return region
		}
	}
	return outside
}

func (r *regions) span(addr uint64) int {
	if r.spans[r.latest].from > addr || r.latest+1 < len(r.spans) && r.spans[r.latest+1].from <= addr {
		i, found := slices.BinarySearchFunc(r.spans, addr, func(s segment, a uint64) int { return cmp.Compare(s.from, a) })
		if !found {
			i--
		}
		r.latest = i
	}
	return r.latest
}
