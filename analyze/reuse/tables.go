package reuse

import (
	"slices"
	"sync"

	"spoor/analyze/internal/capacity"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// histogram has the columns of the reuse table, sorted by proc, line, distance.
type histogram struct {
	proc           []int32
	line, distance []int64
	count          []uint64
}

func (h *histogram) add(p trace.Proc, d *Distances) {
	rows := 0
	if d.Cold > 0 {
		rows++
	}
	if d.Flushed > 0 {
		rows++
	}
	for range d.All() {
		rows++
	}
	var same sync.WaitGroup // filling these two takes as long as the others
	same.Go(func() { h.proc, h.line = repeated(h.proc, int32(p), rows), repeated(h.line, int64(d.Line), rows) })
	h.distance, h.count = slices.Grow(h.distance, rows), slices.Grow(h.count, rows)
	h.row(Flushed, d.Flushed)
	h.row(Cold, d.Cold)
	for distance, uses := range d.Uses {
		h.row(int64(distance), uses)
	}
	for _, f := range d.Far {
		h.row(f.Distance, f.Uses)
	}
	same.Wait()
}

func (h *histogram) row(distance int64, count uint64) {
	if count > 0 {
		h.distance, h.count = append(h.distance, distance), append(h.count, count)
	}
}

// repeated appends v the given number of times.
func repeated[T any](s []T, v T, times int) []T {
	s = slices.Grow(s, times)
	n := len(s)
	s = s[:n+times]
	for i := range s[n:] {
		s[n+i] = v
	}
	return s
}

func (h *histogram) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "reuse", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: h.proc},
		{Name: "line", Unit: "B", Data: h.line},
		{Name: "distance", Unit: "lines", Data: h.distance},
		{Name: "count", Data: h.count},
	}}
}

// curve has the columns of the miss-ratio curve.
type curve struct {
	proc         []int32
	line, lines  []int64
	misses, refs []uint64
	ratio        []float64
	lo, hi       []float64
	moves        capacity.Moves
}

func (c *curve) add(p trace.Proc, d *Distances) {
	capacities := capacity.Of(d.Footprint())
	misses, total := d.Misses(capacities), d.Total()
	for i, m := range misses {
		c.proc = append(c.proc, int32(p))
		c.line = append(c.line, int64(d.Line))
		c.ratio = append(c.ratio, float64(m)/float64(max(1, total)))
		c.refs = append(c.refs, total)
		c.lines = append(c.lines, capacities[i])
		c.misses = append(c.misses, m)
		lo, hi := d.Interval(capacities[i], c.ratio[len(c.ratio)-1])
		c.lo, c.hi = append(c.lo, lo), append(c.hi, hi)
	}
	c.moves.Add(len(capacities), d.Flushed, d.fills(capacities))
}

func (c *curve) table(meta []trace.Arg) *store.Table {
	t := &store.Table{Name: "curve", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: c.proc},
		{Name: "line", Unit: "B", Data: c.line},
		{Name: "lines", Unit: "lines", Data: c.lines},
		{Name: "misses", Data: c.misses},
		{Name: "refs", Data: c.refs},
		{Name: "ratio", Data: c.ratio},
		{Name: "lo", Data: c.lo},
		{Name: "hi", Data: c.hi},
	}}
	t.Columns = append(t.Columns, c.moves.Columns()...)
	return t
}

// summary has the columns of the summary that is printed first.
type summary struct {
	proc                  []int32
	line                  []int64
	refs, uses, footprint []uint64
	mean                  []float64
	ratio, lo, hi         [len(capacity.InSummary)][]float64
	sampled               bool
	rate                  []float64
	moves                 capacity.Moves
}

var summaryNames = [...]string{"miss16", "miss256", "miss4096", "miss65536"}

func (s *summary) add(shard *Shard, d *Distances) {
	s.proc = append(s.proc, int32(shard.Proc))
	s.line = append(s.line, int64(d.Line))
	s.refs = append(s.refs, shard.Refs)
	s.uses = append(s.uses, d.Total())
	s.footprint = append(s.footprint, d.Footprint())
	s.mean = append(s.mean, d.mean())
	total := float64(max(1, d.Total()))
	for i, m := range d.Misses(capacity.InSummary[:]) {
		ratio := float64(m) / total
		lo, hi := d.Interval(capacity.InSummary[i], ratio)
		s.ratio[i], s.lo[i], s.hi[i] = append(s.ratio[i], ratio), append(s.lo[i], lo), append(s.hi[i], hi)
	}
	s.rate = append(s.rate, d.Rate)
	s.moves.Add(1, d.Flushed, d.fills([]int64{0}))
}

func (s *summary) table(meta []trace.Arg) *store.Table {
	t := &store.Table{Name: "reuse summary", Meta: slices.Clone(meta), Columns: []store.Column{
		{Name: "proc", Data: s.proc},
		{Name: "line", Unit: "B", Data: s.line},
		{Name: "refs", Data: s.refs},
		{Name: "uses", Data: s.uses},
		{Name: "footprint", Unit: "lines", Data: s.footprint},
		{Name: "mean", Unit: "lines", Data: s.mean},
	}}
	if s.sampled {
		t.Columns = append(t.Columns, store.Column{Name: "sampled", Data: s.rate})
	}
	t.Columns = append(t.Columns, s.moves.Summary()...)
	for i, name := range summaryNames {
		t.Columns = append(t.Columns, store.Column{Name: name, Data: s.ratio[i]})
		if s.sampled {
			t.Columns = append(t.Columns, store.Column{Name: "lo", Data: s.lo[i]}, store.Column{Name: "hi", Data: s.hi[i]})
		}
	}
	return t
}
