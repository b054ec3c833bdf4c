package report

import (
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/param"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/paired"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// fake makes prediction and simulation tables of the shape that predict cluster
// and predict replay write: programs × two machines × processors, with models
// that are off by a known fraction.
type fake struct {
	programs   []string
	processors []int32
	off        map[string]float64 // model -> relative error of every row
	models     []string
}

var quick = fake{
	programs:   []string{"edge size=64", "fft points=16384", "lu n=256", "radix keys=262144"},
	processors: []int32{1, 2, 4},
	models:     []string{"paper", "curve", "mva"},
	off:        map[string]float64{"paper": .31, "curve": -.07, "mva": .02},
}

func (f fake) machines() []string { return []string{"du2000-smp-256k", "du2000-smp-512k"} }

// each calls do for every case with its simulated E(Instr).
func (f fake) each(do func(program, machine string, processors int32, e float64)) {
	for i, program := range f.programs {
		for j, machine := range f.machines() {
			for _, n := range f.processors {
				do(program, machine, n, (6+2*float64(i)-1.3*float64(j))/float64(n))
			}
		}
	}
}

func (f fake) simulation() *store.Table {
	var c fakeColumns
	f.each(func(program, machine string, n int32, e float64) { c.add(program, machine, n, "", e, "") })
	return &store.Table{Name: "simulation", Columns: c.simulated()}
}

func (f fake) prediction() *store.Table {
	var c fakeColumns
	f.each(func(program, machine string, n int32, e float64) {
		for _, m := range f.models {
			c.add(program, machine, n, m, e*(1+f.off[m]), "4096 lines is beyond the measured curve; few phases")
		}
	})
	return &store.Table{Name: "prediction", Columns: c.predicted(),
		Meta: []trace.Arg{{Key: "tool", Value: "predict 0.1.0"}}}
}

type fakeColumns struct {
	program, trace, machine, model, limit, warnings []string
	processors                                      []int32
	e, lo, hi, ideal, latency, contention, sync     []float64
}

func (c *fakeColumns) add(program, machine string, n int32, model string, e float64, warning string) {
	c.program, c.trace, c.machine = append(c.program, program), append(c.trace, "5f1c"), append(c.machine, machine)
	c.model, c.limit, c.warnings = append(c.model, model), append(c.limit, "latency"), append(c.warnings, warning)
	c.processors = append(c.processors, n)
	c.e, c.lo, c.hi = append(c.e, e), append(c.lo, .98*e), append(c.hi, 1.03*e)
	sync := .1 * float64(n-1) * e
	c.ideal, c.latency = append(c.ideal, .4*e), append(c.latency, .5*e-sync)
	c.contention, c.sync = append(c.contention, .1*e), append(c.sync, sync)
}

func (c fakeColumns) simulated() []store.Column {
	return []store.Column{{Name: "program", Data: c.program}, {Name: "trace", Data: c.trace}, {Name: "machine", Data: c.machine},
		{Name: "processors", Data: c.processors}, {Name: "e_instr", Unit: "ns", Data: c.e}, c.part("time", c.e), c.part("ideal", c.ideal), c.part("memory_latency", c.latency),
		c.part("memory_contention", c.contention), c.part("sync", c.sync), c.none("overhead"), c.none("message_latency"), c.none("message_contention"), c.none("wait"), c.none("end"),
		{Name: "instructions", Data: slices.Repeat([]uint64{1000}, len(c.e))}, {Name: "messages", Data: make([]uint64, len(c.e))}, {Name: "miss_ratio", Data: make([]float64, len(c.e))}}
}

// part is a part of the time of 1000 instructions.
func (c fakeColumns) part(name string, nanos []float64) store.Column {
	return store.ColumnOf(nanos, name, "s", func(e float64) float64 { return e * 1000 / 1e9 })
}

func (c fakeColumns) none(name string) store.Column { return c.part(name, make([]float64, len(c.e))) }

func (c fakeColumns) predicted() []store.Column {
	all := []store.Column{{Name: "program", Data: c.program}, {Name: "trace", Data: c.trace}, {Name: "machine", Data: c.machine},
		{Name: "processors", Data: c.processors}, {Name: "e_instr", Unit: "ns", Data: c.e}, {Name: "ideal", Unit: "ns", Data: c.ideal},
		{Name: "latency", Unit: "ns", Data: c.latency}, {Name: "contention", Unit: "ns", Data: c.contention}, {Name: "sync", Unit: "ns", Data: c.sync}}
	return append(all, store.Column{Name: "model", Data: c.model}, store.Column{Name: "lo", Unit: "ns", Data: c.lo},
		store.Column{Name: "hi", Unit: "ns", Data: c.hi}, store.Column{Name: "parameters_lo", Unit: "ns", Data: c.lo}, store.Column{Name: "parameters_hi", Unit: "ns", Data: c.hi},
		store.Column{Name: "target", Data: c.limit}, store.Column{Name: "limit", Data: c.limit}, store.Column{Name: "interval", Data: c.limit}, store.Column{Name: "warnings", Data: c.warnings})
}

// study is a whole study around the tables of f.
func (f fake) study() *Study {
	predicted, err := paired.Rows(f.prediction())
	if err != nil {
		panic(err)
	}
	simulated, err := paired.Rows(f.simulation())
	if err != nil {
		panic(err)
	}
	c, err := paired.Compare(append(predicted, simulated...))
	if err != nil {
		panic(err)
	}
	s := &Study{Comparison: c, rows: append(predicted, simulated...), Commands: []string{"tracegen fft --set points=16384 --procs 2 -o out/fft"}}
	for i, program := range f.programs {
		for _, n := range f.processors {
			s.Traces = append(s.Traces, fakeTrace(columns.Clean(program), int(n), 1.3+.2*float64(i), 60+100*float64(i)/float64(n)))
		}
	}
	return s
}

// fakeTrace has a curve that follows its law with a wave on it, up to a footprint.
func fakeTrace(program string, procs int, alpha, beta float64) Trace {
	t := Trace{Program: program, Processors: procs, Line: 64, Digest: fmt.Sprintf("%064x", procs), Params: new(param.Set)}
	for _, p := range []param.Param{
		{Name: "alpha", Value: alpha, Lo: alpha - .02, Hi: alpha + .02, Unit: "1"}, {Name: "beta", Value: beta, Lo: beta - 3, Hi: beta + 3, Unit: "lines"},
		{Name: "gamma", Value: .31, Lo: .31, Hi: .31, Unit: "1"}, {Name: "instructions", Value: 61234567, Lo: 61234567, Hi: 61234567, Unit: "1"},
		{Name: "references", Value: 18982715, Lo: math.NaN(), Hi: math.NaN(), Unit: "1"}, {Name: "footprint", Value: 8192, Lo: 8192, Hi: 8192, Unit: "lines"},
		{Name: "alpha_capped", Value: alpha, Lo: alpha, Hi: alpha, Unit: "1"}, {Name: "beta_capped", Value: beta, Lo: beta, Hi: beta, Unit: "lines"},
		{Name: "cold", Value: .0003, Lo: .0003, Hi: .0003, Unit: "1"},
		{Name: "fit_mean_error", Value: .004, Lo: .004, Hi: .004, Unit: "1"}, {Name: "fit_max_error", Value: .04, Lo: .04, Hi: .04, Unit: "1"}} {
		if err := t.Params.Add(p); err != nil {
			panic(err)
		}
	}
	for e := 0.0; e <= 16; e += .5 {
		size := math.Exp2(e) * t.Line
		ratio := t.published().miss(size) * (1 + .25*math.Sin(e))
		if size > 8192*t.Line {
			ratio = .0003
		}
		t.Curve = append(t.Curve, CurvePoint{size, min(ratio, 1)})
	}
	return t
}
