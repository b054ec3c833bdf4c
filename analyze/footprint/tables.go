package footprint

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// tables are the results, row by row.
type tables struct {
	footprint footprints
	projected projections
	taken     interferences
	summary   summary
	switched  switches
}

func (t *tables) add(s *space) {
	t.footprint.add(s, trace.Interleaved, &s.all)
	for p := range s.members {
		t.footprint.add(s, trace.Proc(p), &s.members[p].counts)
		for i := range s.members[p].fills {
			t.projected.add(s, trace.Proc(p), &s.members[p].fills[i])
		}
	}
	f := s.footprints(byTrace)
	for i, turns := range s.turns {
		for j, k := range turns.by {
			t.taken.add(s, turns, k, f)
			t.summary.add(s, turns, k, f)
			if j > 0 && k.runs > 0 {
				t.taken.predicted(s, turns, k, s.spans.perSwitch(i, s.again())[j-1])
			}
		}
	}
	t.switched.add(s)
}

func (t *tables) result(meta []trace.Arg) analysis.Result {
	full := t.footprint.table(meta)
	r := analysis.Result{Tables: []*store.Table{full, t.projected.table(meta)}, Full: full, Summary: full}
	if len(t.taken.size) > 0 {
		r.Tables = append(r.Tables, t.taken.table(meta))
		r.Summary = t.summary.table(meta)
	}
	if len(t.switched.size) > 0 {
		r.Tables = append(r.Tables, t.switched.table(meta))
	}
	return r
}

// footprints is the table of that name.
type footprints struct {
	proc                                    []int32
	size                                    []int64
	windows, most, sharedMost, privateMost  []uint64
	mean, shared, private, inShared, inPriv []float64
	total, totalShared                      []uint64
}

func (t *footprints) add(s *space, p trace.Proc, c *counts) {
	t.proc, t.size = append(t.proc, int32(p)), append(t.size, int64(s.Size))
	t.windows, t.most = append(t.windows, c.windows), append(t.most, c.most)
	t.mean = append(t.mean, c.mean(c.blocks))
	t.shared = append(t.shared, c.mean(c.traceShared))
	t.private = append(t.private, c.mean(c.blocks-c.traceShared))
	t.inShared = append(t.inShared, c.mean(c.shared))
	t.inPriv = append(t.inPriv, c.mean(c.blocks-c.shared))
	t.sharedMost, t.privateMost = append(t.sharedMost, c.mostShared), append(t.privateMost, c.mostPrivate)
	t.total, t.totalShared = append(t.total, c.total), append(t.totalShared, c.totalShared)
}

func (t *footprints) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "footprint", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: t.proc}, {Name: "block", Unit: "B", Data: t.size}, {Name: "windows", Data: t.windows},
		{Name: "mean", Unit: "blocks", Data: t.mean}, {Name: "max", Unit: "blocks", Data: t.most},
		{Name: "shared", Unit: "blocks", Data: t.shared}, {Name: "private", Unit: "blocks", Data: t.private},
		{Name: "window_shared", Unit: "blocks", Data: t.inShared}, {Name: "window_private", Unit: "blocks", Data: t.inPriv},
		{Name: "window_shared_max", Unit: "blocks", Data: t.sharedMost}, {Name: "window_private_max", Unit: "blocks", Data: t.privateMost},
		{Name: "total", Unit: "blocks", Data: t.total}, {Name: "total_shared", Unit: "blocks", Data: t.totalShared},
	}}
}

// projections is the table of that name.
type projections struct {
	proc             []int32
	size, sets, ways []int64
	quantity         []string
	value            []float64
}

func (t *projections) add(s *space, p trace.Proc, f *fill) {
	c := &s.members[p].counts
	if c.windows == 0 {
		return
	}
	footprint, projection := c.mean(c.blocks), c.mean(f.sum)
	row := func(quantity string, v float64, err error) {
		if err != nil { // the paper has no such cache, or it is full
			return
		}
		t.proc, t.size = append(t.proc, int32(p)), append(t.size, int64(s.Size))
		t.sets, t.ways = append(t.sets, int64(f.shape.Sets)), append(t.ways, int64(f.shape.Ways))
		t.quantity, t.value = append(t.quantity, quantity), append(t.value, v)
	}
	row("footprint", footprint, nil)
	row("projection", projection, nil)
	model, err := f.shape.Projection(footprint)
	row("model", model, err)
	paper, err := f.shape.PaperProjection(footprint)
	row("paper", paper, err)
	model, err = f.shape.Footprint(projection)
	row("model_inverse", model, err)
	paper, err = f.shape.PaperFootprint(projection)
	row("paper_inverse", paper, err)
}

func (t *projections) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "projection", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: t.proc}, {Name: "block", Unit: "B", Data: t.size}, {Name: "sets", Data: t.sets}, {Name: "ways", Data: t.ways},
		{Name: "quantity", Data: t.quantity}, {Name: "value", Unit: "blocks", Data: t.value},
	}}
}

// interferences is the table interference.
type interferences struct {
	size, sets, ways, processes []int64
	source                      []string
	perSwitch, perTurn, errors  []float64
}

// add adds what was measured with so many processes in a cache, and what the models say of it.
func (t *interferences) add(s *space, turns *turns, k *turn, f inputs) {
	alone := turns.by[0]
	if k.runs == 0 || k == alone {
		return
	}
	others := float64(k.processes - 1)
	runs, groups := float64(k.runs), float64(k.turns)
	lost := float64(k.lost)
	extra := 0.0
	for p := range len(k.caches) * k.processes { // processes that make no full group are left out
		extra += float64(k.misses[p]) - float64(alone.misses[p])
	}
	row := func(source string, perSwitch, perTurn float64) {
		t.size, t.sets, t.ways = append(t.size, int64(s.Size)), append(t.sets, int64(turns.shape.Sets)), append(t.ways, int64(turns.shape.Ways))
		t.processes, t.source = append(t.processes, int64(k.processes)), append(t.source, source)
		t.perSwitch, t.perTurn = append(t.perSwitch, perSwitch), append(t.perTurn, perTurn)
		t.errors = append(t.errors, perSwitch-lost/runs)
	}
	row("loss", lost/runs, lost/groups)
	row("extra_misses", extra/runs, extra/groups)
	model := func(source string, i Interference) {
		perSwitch, err := i(f.shared, f.average, others*f.average)
		if err != nil {
			return // no such cache in the paper, or footprints too large to be summed over
		}
		if perTurn, err := Several(i, k.processes, f.shared, f.average, f.largest); err == nil {
			row(source, perSwitch, perTurn)
		}
	}
	of := func(source string, f inputs) {
		if perSwitch, err := turns.shape.Others(k.processes-1, f.shared, f.average, f.average); err == nil {
			if perTurn, err := turns.shape.Turns(k.processes, f.shared, f.average, f.largest); err == nil {
				row(source, perSwitch, perTurn)
			}
		}
	}
	of("model", f)
	of("model_window", s.footprints(byWindow))
	model("as_one", turns.shape.Interference)
	model("paper", turns.shape.PaperInterference)
	if turns.shape.Ways == 1 && turns.shape.Sets > 1 {
		model("printed", func(fs, fa, fb float64) (float64, error) {
			return Printed{}.Interference(turns.shape.Sets, whole(fs), whole(fa), whole(fb))
		})
	}
}

// predicted adds what spans predicts of the extra misses, which follow the loss.
func (t *interferences) predicted(s *space, turns *turns, k *turn, perSwitch float64) {
	at := len(t.source) - 1
	for t.source[at] != "extra_misses" {
		at--
	}
	t.size, t.sets, t.ways = append(t.size, int64(s.Size)), append(t.sets, int64(turns.shape.Sets)), append(t.ways, int64(turns.shape.Ways))
	t.processes, t.source = append(t.processes, int64(k.processes)), append(t.source, "model_sets")
	t.perSwitch, t.perTurn = append(t.perSwitch, perSwitch), append(t.perTurn, perSwitch*float64(k.runs)/float64(k.turns))
	t.errors = append(t.errors, perSwitch-t.perSwitch[at])
}

// switches is the table footprint_switches: what spans predicts of all numbers of processes.
type switches struct {
	size, sets, ways, processes []int64
	perSwitch                   []float64
}

func (t *switches) add(s *space) {
	if s.spans == nil || s.again() == 0 {
		return
	}
	for i, shape := range s.spans.shapes {
		for j, each := range s.spans.perSwitch(i, s.again()) {
			t.size, t.sets, t.ways = append(t.size, int64(s.Size)), append(t.sets, int64(shape.Sets)), append(t.ways, int64(shape.Ways))
			t.processes, t.perSwitch = append(t.processes, int64(s.spans.sharers[j])), append(t.perSwitch, each)
		}
	}
}

func (t *switches) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "footprint_switches", Meta: meta, Columns: []store.Column{
		{Name: "block", Unit: "B", Data: t.size}, {Name: "sets", Data: t.sets}, {Name: "ways", Data: t.ways},
		{Name: "processes", Data: t.processes}, {Name: "per_switch", Unit: "blocks", Data: t.perSwitch},
	}}
}

// whole is a number of blocks, rounded.
func whole(f float64) int { return int(math.Round(min(f, maxPrinted+1))) }

func (t *interferences) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "interference", Meta: meta, Columns: []store.Column{
		{Name: "block", Unit: "B", Data: t.size}, {Name: "sets", Data: t.sets}, {Name: "ways", Data: t.ways},
		{Name: "processes", Data: t.processes}, {Name: "source", Data: t.source},
		{Name: "per_switch", Unit: "blocks", Data: t.perSwitch}, {Name: "per_turn", Unit: "blocks", Data: t.perTurn},
		{Name: "error", Unit: "blocks", Data: t.errors},
	}}
}

// inputs are the footprints of [falsafi1997], in blocks.
type inputs struct {
	shared, average, largest float64   // F_S, F_avg, F_max
	shareds, privates        []float64 // means of processors
}

// byTrace is the blocks that are shared over the trace, summed over windows.
func byTrace(c *counts) uint64 { return c.traceShared }

// footprints are those of the processors that use anything.
func (s *space) footprints(shared func(*counts) uint64) (f inputs) {
	for i := range s.members {
		c := &s.members[i].counts
		if c.windows == 0 {
			continue
		}
		f.shareds = append(f.shareds, c.mean(shared(c)))
		f.privates = append(f.privates, c.mean(c.blocks-shared(c)))
		f.largest = max(f.largest, f.privates[len(f.privates)-1])
	}
	if len(f.shareds) > 0 {
		f.shared, f.average = stat.Mean(f.shareds, nil), stat.Mean(f.privates, nil)
	}
	return f
}

// byWindow is the blocks that are shared within a window, summed over windows.
func byWindow(c *counts) uint64 { return c.shared }

// parameters are F_S, F_avg and F_max of both ways of sharing, with the name of the blocks, and what they are of.
func (s *space) parameters(source string, w Window) (out []analysis.Param) {
	for _, by := range []struct {
		infix, shared, private string
		sum                    func(*counts) uint64
	}{
		{"", "that several processors use in the trace", "that no other processor uses in the trace", byTrace},
		{"window_", "that several processors use in the window", "that no other processor uses in the window", byWindow},
	} {
		f := s.footprints(by.sum)
		if len(f.shareds) == 0 {
			return nil
		}
		what := fmt.Sprintf("distinct blocks of %v in windows of %v, mean of the windows in which a processor uses any; those ", s.Size, w)
		mean := func(name, of string, values []float64) analysis.Param {
			return analysis.Param{Name: name + by.infix + s.Name, Unit: "blocks", N: uint64(len(values)), Source: source,
				Estimate: meanOf(values), Method: what + of + ", mean over processors; Student's interval over processors"}
		}
		out = append(out, mean("f_s_", by.shared, f.shareds), mean("f_avg_", by.private, f.privates),
			analysis.Exact("f_max_"+by.infix+s.Name, f.largest, "blocks", uint64(len(f.privates)), what+by.private+", of the processor that has most", source))
	}
	out = append(out, analysis.Exact("block_"+s.Name, float64(s.Size), "B", 1, "chosen: size of a block", source))
	if w.Cut == Quanta {
		out = append(out, analysis.Exact("window_"+s.Name, float64(w.Length), "instructions", 1, "chosen: length of a window", source))
	}
	return out
}

// meanOf is the mean of values that are not negative.
func meanOf(values []float64) analysis.Estimate {
	mean, sd := stat.MeanStdDev(values, nil)
	if len(values) < 2 {
		return analysis.Estimate{Value: mean, Lo: mean, Hi: mean}
	}
	n := float64(len(values))
	width := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * sd / math.Sqrt(n)
	return analysis.Estimate{Value: mean, Lo: max(0, mean-width), Hi: mean + width}
}
