package report

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"spoor/predict/internal/report/numeral"
	"spoor/predict/internal/report/paired"
	"spoor/traces/store"
)

// ran is a simulation of program "p".
func ran(machine string, processors int, e, latency, contention float64) paired.Row {
	return paired.Row{Program: "p", Machine: machine, Processors: processors, EInstr: e, Instr: 1e6,
		Split: paired.Split{Ideal: e - latency - contention, Latency: latency, Contention: contention}}
}

var abstractRows = []paired.Row{
	ran("mesh-clogp", 4, 12, 2, 3), ran("mesh", 4, 10, 2, 1), ran("mesh-clogp", 2, 11, 2, 2), ran("mesh", 2, 10, 1, 1),
	ran("mesh", 1, 9, 0, 0), ran("mesh-clogp", 1, 9, 0, 0), ran("mesh-logp", 8, 30, 10, 10), ran("cube-clogp", 2, 1, 0, 0), ran("meshes", 2, 1, 0, 0),
	{Program: "p", Machine: "mesh-clogp", Processors: 2, EInstr: 1, Model: "paper"},
}

func TestAbstract(t *testing.T) {
	a, err := paired.Abstract(abstractRows, []string{"mesh"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range a.Pairs {
		got = append(got, p.Real.Machine+" "+p.Kind()+" "+numeral.Plural(p.Abstract.Processors, "processor"))
	}
	want := []string{"mesh clogp 1 processor", "mesh clogp 2 processors", "mesh clogp 4 processors"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := []string{"p, 8 processors: simulated on mesh-logp, not on mesh"}; !reflect.DeepEqual(a.Unpaired, want) {
		t.Errorf("unpaired %q", a.Unpaired)
	}
	s := a.Summary() // of 2 and 4 processors: 10 and 20 %, 1 and 0 ns of latency, 1 and 2 ns of contention
	for name, want := range map[string]float64{"mean error": 15, "of latency": .5, "of contention": 1.5} {
		t.Run(name, func(t *testing.T) {
			if got, err := store.Data[float64](s, name); err != nil || len(got) != 1 || got[0] != want {
				t.Errorf("%s %v, want %v (%v)", name, got, want, err)
			}
		})
	}
	if got, _ := store.Data[float64](a.Table(), "error"); !reflect.DeepEqual(got, []float64{0, 10, 20}) {
		t.Errorf("errors %v", got)
	}
	if _, err := paired.Abstract(append(abstractRows, abstractRows[0]), []string{"mesh"}); err == nil {
		t.Error("two simulations of one run were accepted")
	}
	if _, err := paired.Abstract(append(abstractRows, abstractRows[1]), []string{"mesh"}); err == nil {
		t.Error("two simulations of one run on the machine were accepted")
	}
}

func TestAbstractionPage(t *testing.T) {
	s := &Study{Comparison: &paired.Comparison{}, rows: abstractRows}
	if err := s.Abstract([]string{"torus"}); err == nil {
		t.Error("no error without any pair")
	}
	if err := s.Abstract([]string{"mesh"}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.WriteHTML(&b, "t"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="abstractions"`, "contention, mesh", "execution time, mesh", "clogp: 0 ms on 1, 2 ms on 2, 3 ms on 4"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(b.String(), want) {
				t.Errorf("the page has no %q", want)
			}
		})
	}
}
