package cluster

import (
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/traces/trace"
)

// unequalRun is a run of two processors with 300000 and 2 instructions.
func unequalRun(t *testing.T, m *machine.Machine) *Run {
	t.Helper()
	src := &trace.Memory{Head: trace.Header{Program: "unequal", Format: "test", Procs: 2, WorkUnit: trace.WorkInstr}}
	for p, instr := range []uint32{100_000, 1} {
		refs := trace.Refs{Proc: trace.Proc(p)}
		for i := range uint64(3 - p) {
			refs.Append(instr, uint64(p)<<16+64*i, 8, trace.Load)
		}
		src.RefsOf, src.EventsOf = append(src.RefsOf, refs), append(src.EventsOf, trace.Events{Proc: trace.Proc(p)})
	}
	return measuredRun(t, src, m)
}

// By hand: the instructions of the first processor take 0.125 ns each on example-desktop.
func TestOneProcessorWorks(t *testing.T) {
	m, err := machine.Read("../../data/machine/example-desktop.toml")
	if err != nil {
		t.Fatal(err)
	}
	run := unequalRun(t, m)
	c := &Case{Runs: []*Run{run}, Machine: m, Processors: 2}
	p, err := Curve{}.Predict(c)
	if err != nil {
		t.Fatal(err)
	}
	const least = 0.125e-9 * 300_000 / 300_002
	if in := p.FullInterval(); float64(p.EInstr) < least || float64(in.Lo) < least || float64(p.EInstr) > least*1.01 {
		t.Errorf("%v in %+v, of processors that need %v", p.EInstr, in, least)
	}
	if said := warnings(p); !strings.Contains(said, "with most work between barriers need") {
		t.Errorf("no word about the work of the processors: %s", said)
	}
	series, err := NewSeries(Curve{}, c.Runs, m)
	if err != nil {
		t.Fatal(err)
	}
	series.c.Processors = 2
	if e, err := series.solve(1, response); err != nil || e != p.EInstr {
		t.Errorf("the series says %v %v, not %v", e, err, p.EInstr)
	}
}
