package reusetime

import (
	"math"
	"slices"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// Kinds of times in the table.
const (
	reuseTimes = "reuse"
	firstTimes = "first"
	lastTimes  = "last"
)

// timeRows has the columns of the reuse_time table, sorted by proc, line, kind of time, time.
type timeRows struct {
	proc                    []int32
	line                    []int64
	time                    []string
	least, most, count, sum []uint64
}

func (r *timeRows) add(p trace.Proc, t *Times) {
	for _, h := range []struct {
		name string
		bins *Histogram
	}{{reuseTimes, &t.Reuse}, {firstTimes, &t.First}, {lastTimes, &t.Last}} {
		for b := range h.bins.All() {
			r.proc = append(r.proc, int32(p))
			r.line = append(r.line, int64(t.Line))
			r.time = append(r.time, h.name)
			r.least = append(r.least, b.Least)
			r.most = append(r.most, b.Most)
			r.count = append(r.count, b.Count)
			r.sum = append(r.sum, b.Sum)
		}
	}
}

func (r *timeRows) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "reuse_time", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: r.proc},
		{Name: "line", Unit: "B", Data: r.line},
		{Name: "time", Data: r.time},
		{Name: "least", Unit: "uses", Data: r.least},
		{Name: "most", Unit: "uses", Data: r.most},
		{Name: "count", Data: r.count},
		{Name: "sum", Unit: "uses", Data: r.sum},
	}}
}

// Windows returns the window lengths of the working_set table for a stream of the given uses. They are the
// ends of the bins that hold the powers of the fourth root of two, where footprints are exact, and all uses.
func Windows(uses uint64) (out []uint64) {
	for i := 0; uses > 0; i++ {
		w := binEnd(indexOf(uint64(math.Round(math.Exp2(float64(i) / 4)))))
		if w >= uses {
			return append(out, uses)
		}
		if len(out) == 0 || w > out[len(out)-1] {
			out = append(out, w)
		}
	}
	return out
}

// windowRows has the columns of the working_set table.
type windowRows struct {
	proc                                []int32
	line                                []int64
	window                              []uint64
	instructions, footprint, workingSet []float64
}

func (r *windowRows) add(s *Shard, t *Times, p *Profile) {
	for _, w := range Windows(t.Uses) {
		r.proc = append(r.proc, int32(s.Proc))
		r.line = append(r.line, int64(t.Line))
		r.window = append(r.window, w)
		r.instructions = append(r.instructions, float64(s.Elapsed)*(float64(w)/float64(t.Uses)))
		r.footprint = append(r.footprint, p.Footprint(float64(w)))
		r.workingSet = append(r.workingSet, p.WorkingSet(float64(w)))
	}
}

func (r *windowRows) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "working_set", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: r.proc},
		{Name: "line", Unit: "B", Data: r.line},
		{Name: "window", Unit: "uses", Data: r.window},
		{Name: "instructions", Unit: "instr", Data: r.instructions},
		{Name: "footprint", Unit: "lines", Data: r.footprint},
		{Name: "working_set", Unit: "lines", Data: r.workingSet},
	}}
}

// summary has the columns of the summary that is printed first.
type summary struct {
	proc        []int32
	line        []int64
	uses, lines []uint64
	mean        []float64
	models      [2 * len(summaryCapacities)][]float64
}

// summaryCapacities are the capacities whose miss ratios are in the summary.
var summaryCapacities = [...]struct {
	lines     float64
	hotl, aet string
}{{256, "hotl256", "aet256"}, {4096, "hotl4096", "aet4096"}, {65536, "hotl65536", "aet65536"}}

func (s *summary) add(proc trace.Proc, t *Times, p *Profile) {
	s.proc = append(s.proc, int32(proc))
	s.line = append(s.line, int64(t.Line))
	s.uses = append(s.uses, t.Uses)
	s.lines = append(s.lines, t.Lines)
	s.mean = append(s.mean, t.Reuse.mean())
	for i, c := range summaryCapacities {
		s.models[2*i] = append(s.models[2*i], p.HOTL(c.lines))
		s.models[2*i+1] = append(s.models[2*i+1], p.AET(c.lines))
	}
}

func (s *summary) table(meta []trace.Arg) *store.Table {
	t := &store.Table{Name: "reuse_time summary", Meta: slices.Clone(meta), Columns: []store.Column{
		{Name: "proc", Data: s.proc},
		{Name: "line", Unit: "B", Data: s.line},
		{Name: "uses", Data: s.uses},
		{Name: "footprint", Unit: "lines", Data: s.lines},
		{Name: "mean", Unit: "uses", Data: s.mean},
	}}
	for i, c := range summaryCapacities {
		t.Columns = append(t.Columns, store.Column{Name: c.hotl, Data: s.models[2*i]}, store.Column{Name: c.aet, Data: s.models[2*i+1]})
	}
	return t
}

// mean returns the mean time; 0 if there is none.
func (h *Histogram) mean() float64 {
	var sum, n float64
	for b := range h.All() {
		sum += float64(b.Sum)
		n += float64(b.Count)
	}
	return sum / max(1, n)
}
