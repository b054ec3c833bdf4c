package trace

import (
	"cmp"
	"slices"
)

// HomeMap finds whose memory holds an address, as far as the regions of a trace say. It is not safe for
// concurrent use.
type HomeMap struct {
	regions []Region // by address; those that place nothing are left out
	lasts   []uint64 // bytes of the regions
	latest  int      // region that was looked for
	procs   int      // whom regions place parts with
}

// NewHomeMap is what h says.
func NewHomeMap(h Header) *HomeMap {
	p := &HomeMap{procs: h.Procs}
	p.Add(h.Regions...)
	return p
}

// Procs is the number of processors.
func (p *HomeMap) Procs() int { return p.procs }

// Add makes more regions known.
func (p *HomeMap) Add(regions ...Region) {
	for _, r := range regions {
		if r.Bytes > 0 && (r.Owner != Everyone || r.Home.Kind != AnyHome) {
			p.regions = append(p.regions, r)
		}
	}
	slices.SortStableFunc(p.regions, func(a, b Region) int { return cmp.Compare(a.Base, b.Base) })
	p.lasts, p.latest = p.lasts[:0], 0
	for _, r := range p.regions {
		p.lasts = append(p.lasts, r.Base+(r.Bytes-1))
	}
}

// Of is the processor whose memory holds the line of these first and last bytes; false if the machine decides. A line
// that several regions share belongs to the first of them that has a byte of it.
func (p *HomeMap) Of(first, last uint64) (Proc, bool) {
	i := p.latest
	if i == len(p.regions) || first < p.regions[i].Base || first > p.lasts[i] { // the search would not find this one
		i, _ = slices.BinarySearch(p.lasts, first)
		if i == len(p.regions) || p.regions[i].Base > last {
			return 0, false
		}
		p.latest = i
	}
	r := &p.regions[i]
	if r.Owner != Everyone {
		return r.Owner, true
	}
	return r.Home.Of(max(first, r.Base)-r.Base, r.Bytes, p.procs)
}
