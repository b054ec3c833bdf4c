package trace

import (
	"cmp"
	"slices"
)

// HomeMap finds the processor whose memory holds an address, according to the regions of a trace. It is
// not safe for concurrent use.
type HomeMap struct {
	regions []Region // by address, without those that have no home
	lasts   []uint64 // last byte of each region
	latest  int      // index of the region that Of found last
	procs   int      // processors over which the regions are distributed
}

// NewHomeMap returns the map of the regions of h.
func NewHomeMap(h Header) *HomeMap {
	p := &HomeMap{procs: h.Procs}
	p.Add(h.Regions...)
	return p
}

// Procs returns the number of processors.
func (p *HomeMap) Procs() int { return p.procs }

// Add adds regions.
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

// Of returns the processor whose memory holds the cache line with the given first and last bytes. It returns false if
// the machine decides. If several regions share a line, the line belongs to the first of them.
func (p *HomeMap) Of(first, last uint64) (Proc, bool) {
	i := p.latest
	if i == len(p.regions) || first < p.regions[i].Base || first > p.lasts[i] { // it is another region than the latest
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
