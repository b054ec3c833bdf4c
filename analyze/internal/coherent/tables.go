package coherent

import (
	"slices"
	"strconv"

	"spoor/analyze/internal/capacity"
	"spoor/analyze/internal/paramfile"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// histogram holds the columns of the table coherent, sorted by proc, line and distance.
type histogram struct {
	proc           []int32
	line, distance []int64
	count          []uint64
}

func (h *histogram) add(p trace.Proc, d *Distances) {
	h.row(p, d, Flushed, d.Flushed)
	h.row(p, d, Lost, d.Coherence())
	h.row(p, d, Cold, d.Cold)
	for i, n := range d.Uses {
		h.row(p, d, int64(i), n)
	}
}

func (h *histogram) row(p trace.Proc, d *Distances, distance int64, count uint64) {
	if count == 0 {
		return
	}
	h.proc = append(h.proc, int32(p))
	h.line = append(h.line, int64(d.Line))
	h.distance = append(h.distance, distance)
	h.count = append(h.count, count)
}

func (h *histogram) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "coherent", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: h.proc},
		{Name: "line", Unit: "B", Data: h.line},
		{Name: "distance", Unit: "lines", Data: h.distance},
		{Name: "count", Data: h.count},
	}}
}

// curve holds the columns of the table coherent_curve.
type curve struct {
	proc                          []int32
	line, lines                   []int64
	misses, cold, coherence, refs []uint64
	ratio                         []float64
	moves                         capacity.Moves
}

func (c *curve) add(p trace.Proc, d *Distances) {
	capacities, total := capacity.Of(d.Footprint()), d.Total()
	misses, coherence := d.Misses(capacities)
	for i, m := range misses {
		c.proc = append(c.proc, int32(p))
		c.line = append(c.line, int64(d.Line))
		c.lines = append(c.lines, capacities[i])
		c.misses = append(c.misses, m)
		c.cold = append(c.cold, d.Cold)
		c.coherence = append(c.coherence, coherence[i])
		c.refs = append(c.refs, total)
		c.ratio = append(c.ratio, float64(m)/float64(total))
	}
	c.moves.Add(len(capacities), d.Flushed, d.fills(capacities))
}

func (c *curve) table(meta []trace.Arg) *store.Table {
	t := &store.Table{Name: "coherent_curve", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: c.proc},
		{Name: "line", Unit: "B", Data: c.line},
		{Name: "lines", Unit: "lines", Data: c.lines},
		{Name: "misses", Data: c.misses},
		{Name: "cold", Data: c.cold},
		{Name: "coherence", Data: c.coherence},
		{Name: "refs", Data: c.refs},
		{Name: "ratio", Data: c.ratio},
	}}
	t.Columns = append(t.Columns, c.moves.Columns()...)
	return t
}

// summary holds the columns of the table for people.
type summary struct {
	proc                  []int32
	line                  []int64
	uses, cold, coherence []uint64
	moves                 capacity.Moves
	ratio                 [len(capacity.InSummary)][]float64
}

func (s *summary) add(p trace.Proc, d *Distances) {
	s.proc = append(s.proc, int32(p))
	s.line = append(s.line, int64(d.Line))
	s.uses = append(s.uses, d.Total())
	s.cold = append(s.cold, d.Cold)
	s.coherence = append(s.coherence, d.Coherence())
	s.moves.Add(1, d.Flushed, d.fills([]int64{0}))
	misses, _ := d.Misses(capacity.InSummary[:])
	for i, m := range misses {
		s.ratio[i] = append(s.ratio[i], float64(m)/float64(max(1, d.Total())))
	}
}

func (s *summary) table(meta []trace.Arg) *store.Table {
	t := &store.Table{Name: "coherent summary", Meta: slices.Clone(meta), Columns: []store.Column{
		{Name: "proc", Data: s.proc},
		{Name: "line", Unit: "B", Data: s.line},
		{Name: "uses", Data: s.uses},
		{Name: "cold", Data: s.cold},
		{Name: "coherence", Data: s.coherence},
	}}
	for i, lines := range capacity.InSummary {
		t.Columns = append(t.Columns, store.Column{Name: "miss" + strconv.FormatInt(lines, 10), Data: s.ratio[i]})
	}
	t.Columns = append(t.Columns, s.moves.Summary()...)
	return t
}

// pool adds the distances of all processors.
func pool(all []*Distances) *Distances {
	sum := new(Distances)
	for _, d := range all {
		sum.add(d)
	}
	return sum
}

// params are the rates of caches without limit. Rates of nothing are left out.
func (d *Distances) params(line unit.Bytes, source string) []paramfile.Param {
	uses, lost := d.Total(), d.Coherence()
	out := []paramfile.Param{paramfile.Exact("line", float64(line), "B", 1, "chosen: size of a line", source)}
	if uses > 0 {
		out = append(out, paramfile.Exact("coherence", float64(lost)/float64(uses), "1", uses,
			"counted: uses of lines that another processor has stored since the processor's last use, per use, all processors", source))
	}
	if again := uses - d.Cold; again > 0 {
		out = append(out, paramfile.Exact("lost", float64(lost)/float64(again), "1", again,
			"counted: coherence misses per use that is not the processor's first of its line: the share of stack distances that stores of others make infinite", source))
	}
	return out
}
