package footprint

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// tables holds the results.
type tables struct {
	footprint    footprints
	projection   projections
	interference interferences
	summary      summary
	switches     switches
}

func (t *tables) add(s *space) {
	t.footprint.add(s, trace.Interleaved, &s.all)
	for p := range s.processors {
		t.footprint.add(s, trace.Proc(p), &s.processors[p].counts)
		for i := range s.processors[p].fills {
			t.projection.add(s, trace.Proc(p), &s.processors[p].fills[i])
		}
	}
	means := s.footprints(byTrace)
	for i, turns := range s.schedules {
		for j, k := range turns.bySize {
			t.interference.add(s, turns, k, means)
			t.summary.add(s, turns, k, means)
			if j > 0 && k.reruns > 0 {
				t.interference.addPrediction(s, turns, k, s.spanModel.perSwitch(i, s.reruns())[j-1])
			}
		}
	}
	t.switches.add(s)
}

func (t *tables) result(meta []trace.Arg) analysis.Result {
	full := t.footprint.table(meta)
	r := analysis.Result{Tables: []*store.Table{full, t.projection.table(meta)}, Full: full, Summary: full}
	if len(t.interference.size) > 0 {
		r.Tables = append(r.Tables, t.interference.table(meta))
		r.Summary = t.summary.table(meta)
	}
	if len(t.switches.size) > 0 {
		r.Tables = append(r.Tables, t.switches.table(meta))
	}
	return r
}

// footprints has the columns of the table footprint.
type footprints struct {
	proc                                               []int32
	size                                               []int64
	windows, max, sharedMax, privateMax                []uint64
	mean, shared, private, windowShared, windowPrivate []float64
	total, totalShared                                 []uint64
}

func (t *footprints) add(s *space, p trace.Proc, c *counts) {
	t.proc, t.size = append(t.proc, int32(p)), append(t.size, int64(s.Size))
	t.windows, t.max = append(t.windows, c.windows), append(t.max, c.maxBlocks)
	t.mean = append(t.mean, c.mean(c.blocks))
	t.shared = append(t.shared, c.mean(c.traceShared))
	t.private = append(t.private, c.mean(c.blocks-c.traceShared))
	t.windowShared = append(t.windowShared, c.mean(c.shared))
	t.windowPrivate = append(t.windowPrivate, c.mean(c.blocks-c.shared))
	t.sharedMax, t.privateMax = append(t.sharedMax, c.maxShared), append(t.privateMax, c.maxPrivate)
	t.total, t.totalShared = append(t.total, c.total), append(t.totalShared, c.totalShared)
}

func (t *footprints) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "footprint", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: t.proc}, {Name: "block", Unit: "B", Data: t.size}, {Name: "windows", Data: t.windows},
		{Name: "mean", Unit: "blocks", Data: t.mean}, {Name: "max", Unit: "blocks", Data: t.max},
		{Name: "shared", Unit: "blocks", Data: t.shared}, {Name: "private", Unit: "blocks", Data: t.private},
		{Name: "window_shared", Unit: "blocks", Data: t.windowShared}, {Name: "window_private", Unit: "blocks", Data: t.windowPrivate},
		{Name: "window_shared_max", Unit: "blocks", Data: t.sharedMax}, {Name: "window_private_max", Unit: "blocks", Data: t.privateMax},
		{Name: "total", Unit: "blocks", Data: t.total}, {Name: "total_shared", Unit: "blocks", Data: t.totalShared},
	}}
}

// projections has the columns of the table projection.
type projections struct {
	proc             []int32
	size, sets, ways []int64
	quantity         []string
	value            []float64
}

func (t *projections) add(s *space, p trace.Proc, f *fill) {
	c := &s.processors[p].counts
	if c.windows == 0 {
		return
	}
	footprint, projection := c.mean(c.blocks), c.mean(f.sum)
	row := func(quantity string, v float64, err error) {
		if err != nil { // the paper has no such cache, or the cache is full
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
	paper, err := f.shape.paperProjection(footprint)
	row("paper", paper, err)
	model, err = f.shape.Footprint(projection)
	row("model_inverse", model, err)
	paper, err = f.shape.paperFootprint(projection)
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

// add adds the simulated interference and the results of the models.
func (t *interferences) add(s *space, turns *schedules, k *schedule, means footprintMeans) {
	alone := turns.bySize[0]
	if k.reruns == 0 || k == alone {
		return
	}
	others := float64(k.processes - 1)
	runs, groups := float64(k.reruns), float64(k.rounds)
	evicted := float64(k.evicted)
	extra := 0.0
	for p := range len(k.caches) * k.processes { // excludes processes that make no full group
		extra += float64(k.misses[p]) - float64(alone.misses[p])
	}
	row := func(source string, perSwitch, perTurn float64) {
		t.size, t.sets, t.ways = append(t.size, int64(s.Size)), append(t.sets, int64(turns.shape.Sets)), append(t.ways, int64(turns.shape.Ways))
		t.processes, t.source = append(t.processes, int64(k.processes)), append(t.source, source)
		t.perSwitch, t.perTurn = append(t.perSwitch, perSwitch), append(t.perTurn, perTurn)
		t.errors = append(t.errors, perSwitch-evicted/runs)
	}
	row("loss", evicted/runs, evicted/groups)
	row("extra_misses", extra/runs, extra/groups)
	addModel := func(source string, i interferenceModel) {
		perSwitch, err := i(means.shared, means.average, others*means.average)
		if err != nil {
			return // the paper has no such cache, or footprints are too large for the sums
		}
		if perTurn, err := TurnInterference(i, k.processes, means.shared, means.average, means.largest); err == nil {
			row(source, perSwitch, perTurn)
		}
	}
	addOthers := func(source string, means footprintMeans) {
		if perSwitch, err := turns.shape.sequentialInterference(k.processes-1, means.shared, means.average, means.average); err == nil {
			if perTurn, err := turns.shape.TurnInterference(k.processes, means.shared, means.average, means.largest); err == nil {
				row(source, perSwitch, perTurn)
			}
		}
	}
	addOthers("model", means)
	addOthers("model_window", s.footprints(byWindow))
	addModel("as_one", turns.shape.Interference)
	addModel("paper", turns.shape.PaperInterference)
	if turns.shape.Ways == 1 && turns.shape.Sets > 1 {
		addModel("printed", func(fs, fa, fb float64) (float64, error) {
			return Printed{}.Interference(turns.shape.Sets, rounded(fs), rounded(fa), rounded(fb))
		})
	}
}

// addPrediction adds the extra misses that the span model predicts. Call it after add.
func (t *interferences) addPrediction(s *space, turns *schedules, k *schedule, perSwitch float64) {
	at := len(t.source) - 1
	for t.source[at] != "extra_misses" {
		at--
	}
	t.size, t.sets, t.ways = append(t.size, int64(s.Size)), append(t.sets, int64(turns.shape.Sets)), append(t.ways, int64(turns.shape.Ways))
	t.processes, t.source = append(t.processes, int64(k.processes)), append(t.source, "model_sets")
	t.perSwitch, t.perTurn = append(t.perSwitch, perSwitch), append(t.perTurn, perSwitch*float64(k.reruns)/float64(k.rounds))
	t.errors = append(t.errors, perSwitch-t.perSwitch[at])
}

// switches has the columns of the table footprint_switches: predictions of the span model for all numbers of
// processes.
type switches struct {
	size, sets, ways, processes []int64
	perSwitch                   []float64
}

func (t *switches) add(s *space) {
	if s.spanModel == nil || s.reruns() == 0 {
		return
	}
	for i, shape := range s.spanModel.shapes {
		for j, each := range s.spanModel.perSwitch(i, s.reruns()) {
			t.size, t.sets, t.ways = append(t.size, int64(s.Size)), append(t.sets, int64(shape.Sets)), append(t.ways, int64(shape.Ways))
			t.processes, t.perSwitch = append(t.processes, int64(s.spanModel.sharers[j])), append(t.perSwitch, each)
		}
	}
}

func (t *switches) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "footprint_switches", Meta: meta, Columns: []store.Column{
		{Name: "block", Unit: "B", Data: t.size}, {Name: "sets", Data: t.sets}, {Name: "ways", Data: t.ways},
		{Name: "processes", Data: t.processes}, {Name: "per_switch", Unit: "blocks", Data: t.perSwitch},
	}}
}

// rounded rounds a number of blocks.
func rounded(f float64) int { return int(math.Round(min(f, maxPrinted+1))) }

func (t *interferences) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "interference", Meta: meta, Columns: []store.Column{
		{Name: "block", Unit: "B", Data: t.size}, {Name: "sets", Data: t.sets}, {Name: "ways", Data: t.ways},
		{Name: "processes", Data: t.processes}, {Name: "source", Data: t.source},
		{Name: "per_switch", Unit: "blocks", Data: t.perSwitch}, {Name: "per_turn", Unit: "blocks", Data: t.perTurn},
		{Name: "error", Unit: "blocks", Data: t.errors},
	}}
}

// footprintMeans has the footprints of [falsafi1997], in blocks.
type footprintMeans struct {
	shared, average, largest float64   // F_S, F_avg, F_max
	shareds, privates        []float64 // means of each processor
}

// byTrace returns the blocks that are shared over the trace, summed over windows.
func byTrace(c *counts) uint64 { return c.traceShared }

// footprints returns the footprints of the processors that use any block.
func (s *space) footprints(shared func(*counts) uint64) (f footprintMeans) {
	for i := range s.processors {
		c := &s.processors[i].counts
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

// byWindow returns the blocks that are shared within a window, summed over windows.
func byWindow(c *counts) uint64 { return c.shared }
