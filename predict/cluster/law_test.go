package cluster

import (
	"fmt"
	"strings"
	"testing"

	"spoor/calibrate/param"
)

// fitted returns a run with all fits, each with its own alpha.
func fitted(t *testing.T, more ...param.Param) *Run {
	t.Helper()
	r := lawRun(t, 1, 1.1, 90, 0.31)
	for name, alpha := range map[string]float64{"_log": 1.3, "_ml": 1.5} {
		for _, p := range []param.Param{{Name: "alpha" + name, Value: alpha, Unit: "1"}, {Name: "beta" + name, Value: 90, Unit: "lines"}} {
			p.Lo, p.Hi = p.Value, p.Value
			more = append(more, p)
		}
	}
	for _, p := range more {
		if err := r.Params.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// Each law predicts with its own alpha, and a file without fits with alpha itself.
func TestLaws(t *testing.T) {
	for law, want := range map[string]float64{LogLaw: 1.3, LeastSquares: 1.1, MaxLikelihood: 1.5} {
		t.Run("law "+law, func(t *testing.T) {
			p, err := Paper{Law: law}.Predict(&Case{Runs: []*Run{fitted(t)}, Machine: smpMachine(t), Processors: 4})
			plain, err2 := Paper{}.Predict(&Case{Runs: []*Run{lawRun(t, 1, want, 90, 0.31)}, Machine: smpMachine(t), Processors: 4})
			if err != nil || err2 != nil || p.EInstr != plain.EInstr {
				t.Errorf("%v %v, want %v %v", p.EInstr, err, plain.EInstr, err2)
			}
		})
	}
	old := lawRun(t, 1, 1.1, 90, 0.31)
	for _, p := range fitted(t).Params.All() {
		if strings.HasSuffix(p.Name, "_ml") {
			if err := old.Params.Add(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := (Paper{Law: LogLaw}).Predict(&Case{Runs: []*Run{old}, Machine: smpMachine(t), Processors: 4}); err == nil || !strings.Contains(err.Error(), "alpha_log") {
		t.Errorf("results of an older version: %v", err)
	}
}

// A given law replaces that of the runs, with its gamma and its unit of beta.
func TestWithLaw(t *testing.T) {
	table := paramsOf(t, map[string]float64{"alpha": 1.3, "beta": 90 * 64, "gamma": 0.31, "line": 1})
	runs, err := WithLaw([]*Run{fitted(t)}, table)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Paper{Law: "table"}.Predict(&Case{Runs: runs, Machine: smpMachine(t), Processors: 4})
	want, err2 := Paper{}.Predict(&Case{Runs: []*Run{lawRun(t, 1, 1.3, 90, 0.31)}, Machine: smpMachine(t), Processors: 4})
	if err != nil || err2 != nil || !near(float64(p.EInstr), float64(want.EInstr), 1e-12) || p.Model != "paper-table" {
		t.Errorf("%v %v, want %v %v", p.EInstr, err, want.EInstr, err2)
	}
	if _, err := WithLaw(runs, paramsOf(t, map[string]float64{"alpha": 1.3})); err == nil {
		t.Error("a law without beta")
	}
}

// The barrier term belongs to traces with barriers, and a setting leaves it out.
func TestBarrierTermNeedsBarriers(t *testing.T) {
	barriers := func(v float64) *Run {
		return fitted(t, param.Param{Name: "has_barriers", Value: v, Unit: "1", Lo: v, Hi: v})
	}
	predicted := func(p Paper, r *Run) (sync float64, warned bool) {
		out, err := p.Predict(&Case{Runs: []*Run{r}, Machine: smpMachine(t), Processors: 4})
		if err != nil {
			t.Fatal(err)
		}
		return float64(out.Split.Sync), strings.Contains(fmt.Sprint(out.Warnings), "barrier term")
	}
	with, warned := predicted(Paper{}, barriers(1))
	if !near(with, harmonicTail(4)*5e-9/4, 1e-12) || !warned {
		t.Errorf("with barriers: %v, warned %v", with, warned)
	}
	for _, c := range []struct {
		p Paper
		r *Run
	}{{Paper{}, barriers(0)}, {Paper{NoBarriers: true}, barriers(1)}} {
		if sync, warned := predicted(c.p, c.r); sync != 0 || warned {
			t.Errorf("%+v: %v, warned %v", c.p, sync, warned)
		}
	}
}

// What a fit says of its bound is a warning of the prediction, once.
func TestBoundIsAWarning(t *testing.T) {
	r := lawRun(t, 1, 1.1, 90, 0.31)
	r.Params = &param.Set{}
	for _, p := range lawRun(t, 1, 1.1, 90, 0.31).Params.All() {
		p.Method = "least squares; beta is at its bound 1: a smaller beta would fit"
		if err := r.Params.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Paper{}.Predict(&Case{Runs: []*Run{r}, Machine: smpMachine(t), Processors: 4})
	if err != nil || strings.Count(fmt.Sprint(p.Warnings), "at its bound") != 1 {
		t.Errorf("%v %v", p.Warnings, err)
	}
}
