package cluster

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"spoor/predict/internal/model"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// naive is P[Bin(d, 1/sets) >= ways] by adding up.
func naive(d, sets, ways int) float64 {
	p, below := 1/float64(sets), 0.0
	for k := 0; k < ways && k <= d; k++ {
		choose := 1.0
		for i := range k {
			choose *= float64(d-i) / float64(i+1)
		}
		below += choose * math.Pow(p, float64(k)) * math.Pow(1-p, float64(d-k))
	}
	return 1 - below
}

func TestSetAssociativityIsTheBinomialTail(t *testing.T) {
	for _, sets := range []int{1, 2, 64, 2048} {
		t.Run(fmt.Sprint(sets), func(t *testing.T) {
			for _, ways := range []int{1, 2, 4, 16} {
				for _, d := range []int{0, 1, 2, 3, 15, 16, 100, 4096, 100_000} {
					one := distances{at: []float64{float64(d)}, count: []float64{1}}
					if got, want := one.misses(sets, ways), naive(d, sets, ways); math.Abs(got-want) > 1e-9 {
						t.Errorf("%d sets, %d ways, distance %d: got %v, want %v", sets, ways, d, got, want)
					}
				}
			}
		})
	}
}

func TestMissesOfOneSet(t *testing.T) {
	d := distances{cold: 5, at: []float64{0, 7, 8, 9}, count: []float64{1, 10, 100, 1000}}
	if got := d.missesOfOneSet(4, 2); got != 1105 {
		t.Errorf("got %v, want 5 cold and those from 8 on", got)
	}
	if d.misses(1, 8) != 1105 || d.total() != 1116 || d.atLeast(8.5) != 1000 {
		t.Errorf("%v %v %v", d.misses(1, 8), d.total(), d.atLeast(8.5))
	}
}

// A half of the work: what is used again within a half of the 100 lines stays, the rest comes nearer.
func TestScaledDistances(t *testing.T) {
	d := distances{cold: 100, footprint: 100, at: []float64{3, 49, 50, 99}, count: []float64{1, 2, 3, 4}}
	got := d.scaled(0.5)
	for i, want := range []float64{3, 49, 25, 49.5} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got.at[i] != want {
				t.Errorf("distance %v becomes %v, want %v", d.at[i], got.at[i], want)
			}
		})
	}
	if got.total() != d.total() || got.footprint != 50 || d.at[3] != 99 {
		t.Errorf("%+v", got)
	}
}

// reuseTable has, for each processor, cold uses and uses at one distance.
func reuseTable(procs int, rows ...[3]int) *store.Table {
	var proc []int32
	var line, distance []int64
	var count []uint64
	for p := range procs {
		for _, r := range rows {
			proc, line = append(proc, int32(p)), append(line, int64(r[0]))
			distance, count = append(distance, int64(r[1])), append(count, uint64(r[2]))
		}
	}
	return &store.Table{Name: "reuse", Columns: []store.Column{{Name: "proc", Data: proc}, {Name: "line", Unit: "B", Data: line},
		{Name: "distance", Unit: "lines", Data: distance}, {Name: "count", Data: count}}}
}

func curveRun(t testing.TB, n int, rows ...[3]int) *Run {
	uses := 0
	for _, r := range rows {
		uses += n * r[2]
	}
	return &Run{Name: "run", Program: "p", Processors: n, reuseTable: reuseTable(n, rows...),
		Params: paramsOf(t, map[string]float64{"gamma": 0.25, "line": 64, "references": float64(uses), "instructions": 4 * float64(uses), "footprint": 1})}
}

// A fully associative cache of 4096 lines: 100 of 1000 uses are cold and 200 too far.
func TestCurveOnOneProcessor(t *testing.T) {
	run := curveRun(t, 1, [3]int{64, -1, 100}, [3]int{64, 10, 700}, [3]int{64, 5000, 200})
	m := smpMachine(t, "ways = 2", "ways = 4096")
	p, err := Curve{}.Predict(&Case{Runs: []*Run{run}, Machine: m, Processors: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := 5e-9 * (1 + 0.25*(1+50*0.3)); !near(float64(p.EInstr), want, 1e-12) || p.Split.Contention != 0 {
		t.Errorf("got %v, want %v", p.EInstr, want)
	}
	if p.Interval.Lo > p.EInstr || p.Interval.Hi < p.EInstr || !p.Interval.Known() {
		t.Errorf("interval %+v", p.Interval)
	}
}

// Of 4 processors, each has a quarter of the uses; disk accesses begin where the data of all
// four no longer fit into memory.
func TestCurveEndsAtTheFootprint(t *testing.T) {
	lines := 64 << 20 / 64 / 4
	for distance, pages := range map[int]bool{lines - 1: false, lines: true} {
		run := curveRun(t, 4, [3]int{64, -1, 100}, [3]int{64, distance, 900})
		m := smpMachine(t, "[system]", "[disk]\nlatency = \"1 ms\"\n[system]")
		p, err := Curve{}.Predict(&Case{Runs: []*Run{run}, Machine: m, Processors: 4})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Limit == "disk"; got != pages {
			t.Errorf("distance %d: limit %s", distance, p.Limit)
		}
	}
}

func TestCurveTakesTheNextSmallerRun(t *testing.T) {
	one := curveRun(t, 1, [3]int{64, -1, 10_000}, [3]int{64, 9000, 10_000})
	two := curveRun(t, 2, [3]int{64, -1, 1000}, [3]int{64, 1000, 9000})
	predict := func(n int, runs ...*Run) (string, error) {
		p, err := Curve{}.Predict(&Case{Runs: runs, Machine: smpMachine(t), Processors: n})
		var warnings []string
		for _, w := range p.Warnings {
			warnings = append(warnings, w.Error())
		}
		return strings.Join(warnings, "; "), err
	}
	for n, want := range map[int]string{1: "", 2: "", 4: "scaled from 2 processors to 4", 8: "scaled from 2 processors to 8"} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			got, err := predict(n, one, two)
			if err != nil || strings.Contains(got, "scaled") != (want != "") || !strings.Contains(got, want) {
				t.Errorf("n=%d: %q, %v", n, got, err)
			}
		})
	}
	if got, err := predict(2, one); err != nil || !strings.Contains(got, "scaled from 1 processor to 2: the model assumes that the program is parallel") {
		t.Errorf("of one: %q, %v", got, err)
	}
	if _, err := predict(1, two); err == nil || !strings.Contains(err.Error(), "no run has 1 processors or fewer; the runs have 2") {
		t.Errorf("got %v", err)
	}
}

// Of a run of which most misses are first uses, a longer one would have others.
func TestCurveOfAShortRun(t *testing.T) {
	for cold, want := range map[int]bool{300: true, 150: false} {
		run := curveRun(t, 1, [3]int{64, -1, cold}, [3]int{64, 10, 700}, [3]int{64, 5000, 200})
		p, err := Curve{}.Predict(&Case{Runs: []*Run{run}, Machine: smpMachine(t, "ways = 2", "ways = 4096"), Processors: 1})
		if err != nil {
			t.Fatal(err)
		}
		said := false
		for _, w := range p.Warnings {
			said = said || strings.Contains(w.Error(), "60 % of the misses are first uses of lines")
		}
		if said != want {
			t.Errorf("%d first uses: warnings %v", cold, p.Warnings)
		}
	}
}

func TestCurveRefuses(t *testing.T) {
	for want, run := range map[string]*Run{
		"run has no reuse.arrow":                     {Name: "run", Program: "p", Processors: 1, Params: paramsOf(t, map[string]float64{"gamma": 0.2})},
		"has lines of [32] bytes, the machine of 64": curveRun(t, 1, [3]int{32, -1, 10}),
		"distance -3 of processor 0 is impossible":   curveRun(t, 1, [3]int{64, -3, 10}),
	} {
		t.Run(want, func(t *testing.T) {
			if p, err := (Curve{}).Predict(&Case{Runs: []*Run{run}, Machine: smpMachine(t), Processors: 1}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %+v, %v, want an error with %q", p, err, want)
			}
		})
	}
	wrong := curveRun(t, 2, [3]int{64, -1, 10})
	wrong.Processors = 1
	if _, err := (Curve{}).Predict(&Case{Runs: []*Run{wrong}, Machine: smpMachine(t), Processors: 1}); err == nil || !strings.Contains(err.Error(), "of processor 1 is impossible") {
		t.Errorf("got %v", err)
	}
}

// Without phases there is no mva: its intervals are of what it says of phases.
func TestMVAWithoutPhases(t *testing.T) {
	run := curveRun(t, 4, [3]int{64, -1, 100}, [3]int{64, 10, 700})
	if p, err := (MVA{}).Predict(&Case{Runs: []*Run{run}, Machine: smpMachine(t), Processors: 4}); err == nil || !strings.Contains(err.Error(), "has no phases.arrow; run analyze with --run phases") {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestMVANeedsItsOwnRun(t *testing.T) {
	_, err := MVA{}.Predict(&Case{Runs: []*Run{curveRun(t, 1, [3]int{64, -1, 100}), curveRun(t, 2, [3]int{64, -1, 100})}, Machine: smpMachine(t), Processors: 4})
	if err == nil || err.Error() != "model mva needs a run with 4 processors; there are runs with 1, 2" {
		t.Errorf("got %v", err)
	}
}

func TestSortRefusesToMix(t *testing.T) {
	a, b, c := lawRun(t, 2, 1.2, 9, 0.2), lawRun(t, 1, 1.2, 9, 0.2), lawRun(t, 1, 1.2, 9, 0.2)
	runs := []*Run{a, b}
	if err := Sort(runs); err != nil || runs[0] != b {
		t.Errorf("%v, %v", runs, err)
	}
	if err := Sort([]*Run{a, b, c}); err == nil || !strings.Contains(err.Error(), "both have 1 processors") {
		t.Errorf("got %v", err)
	}
	c.Program, c.Processors = "q", 4
	if err := Sort([]*Run{a, b, c}); err == nil || !strings.Contains(err.Error(), "one program at a time") {
		t.Errorf("got %v", err)
	}
	if err := Sort(nil); err != nil {
		t.Error(err)
	}
}

func TestTableRows(t *testing.T) {
	p, err := Paper{}.Predict(&Case{Runs: []*Run{lawRun(t, 1, 1.3, 90, 0.31)}, Machine: smpMachine(t), Processors: 4})
	if err != nil {
		t.Fatal(err)
	}
	table := Table([]model.Prediction{p, p}, []trace.Arg{{Key: "tool", Value: "test"}})
	e, err := store.Data[float64](table, "e_instr")
	if err != nil || len(e) != 2 || !near(e[0], float64(p.EInstr)*1e9, 1e-12) {
		t.Errorf("%v, %v", e, err)
	}
	r, err := store.Data[string](table, "warnings")
	if err != nil || !strings.Contains(r[0], "barrier term") || strings.Count(r[0], ";") != len(p.Warnings)-1 {
		t.Errorf("%q, %v", r, err)
	}
	if terms := TermsTable([]model.Prediction{p}, nil); terms.Rows() != len(p.Terms) {
		t.Errorf("%d terms", terms.Rows())
	}
}
