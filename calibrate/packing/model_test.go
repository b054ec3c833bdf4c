package packing_test

import (
	"strings"
	"testing"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
)

func model(name string) packing.Model {
	for _, m := range packing.All {
		if m.Name == name {
			return m
		}
	}
	panic(name)
}

// Worked by hand, lines of 64 B, pages of 4096 B.
func TestFeatures(t *testing.T) {
	for _, c := range []struct {
		name string
		p    packing.Point
		want packing.Features
	}{
		// 100 bytes from byte 60 of a line: lines 0, 1, 2. Bounds are 2 and 3.
		{"a row", packing.Point{Experiment: packing.Transfer, Rows: 1, Cols: 25, Item: 4, Stride: 100, Base: 60, Blocks: 1, Bytes: 100},
			packing.Features{N: 100, MLT: 2.5, Exact: 3, Pages: 1, Runs: 1, Space: 3*64 + 100}},
		// Two rows of a matrix of 25 items: contiguous, 200 bytes: bounds 4 and 5; from 60 to 259: lines 0 to 4.
		{"two rows", packing.Point{Experiment: packing.Transfer, Rows: 2, Cols: 25, Item: 4, Stride: 100, Base: 60, Blocks: 1, Bytes: 200},
			packing.Features{N: 200, MLT: 4.5, Exact: 5, Pages: 1, Runs: 2, Space: 5*64 + 200}},
		// One column of 2000 x 2000 items [FACTS 3.2]: bounds 2000 and 4000, 2000 lines; 8000 B apart, so a page each
		// but where two fall into one, which they cannot.
		{"a column", packing.Point{Experiment: packing.Transfer, Rows: 2000, Cols: 1, Item: 4, Stride: 8000, Base: 0, Blocks: 1, Bytes: 8000},
			packing.Features{N: 8000, MLT: 3000, Exact: 2000, Pages: 2000, Runs: 2000, Space: 2000*64 + 8000}},
		// Columns of a matrix of 30 items, 120 B < 2 lines, so no theorem: 3 rows of 4 B; holes of 116 B, so that rows
		// share no line, and a row of 4 aligned bytes touches one.
		{"no theorem", packing.Point{Experiment: packing.Transfer, Rows: 3, Cols: 1, Item: 4, Stride: 120, Base: 8, Blocks: 2, Bytes: 12},
			packing.Features{N: 12, MLT: 2 * 3, Exact: 2 * 3, Pages: 2, Runs: 2 * 3, Space: 6*64 + 12}},
		{"an array statement", packing.Point{Experiment: packing.Array, Accesses: 300, Ops: 100}, packing.Features{N: 300, Ops: 100}},
		{"a message", packing.Point{Experiment: timing.PingPong, Bytes: 7}, packing.Features{N: 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := packing.Of(&c.p, 64, 4096); err != nil || got != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestModelsAreAsPrinted(t *testing.T) {
	f := &packing.Features{N: 2, MLT: 3, Exact: 5, Pages: 7, Runs: 11, Space: 130}
	for name, want := range map[string]struct {
		equation string
		row      []float64
		units    string
	}{ // [hur1999, Table 1]; M1x, page and level are ours
		"S1":    {"t = alpha + beta n", []float64{1, 2}, "s s/B"},
		"S2":    {"t = alpha + beta n + beta2 n^2", []float64{1, 2, 4}, "s s/B s/B^2"},
		"S3":    {"t = alpha + beta n + beta2 n^2 + beta3 n^3", []float64{1, 2, 4, 8}, "s s/B s/B^2 s/B^3"},
		"M1":    {"t = alpha + beta n + gamma MLT", []float64{1, 2, 3}, "s s/B s/line"},
		"M2":    {"t = alpha + beta n + gamma MLT + cross n MLT", []float64{1, 2, 3, 6}, "s s/B s/line s/(B line)"},
		"M3":    {"t = alpha + beta n + gamma MLT + cross n MLT + beta2 n^2 + gamma2 MLT^2", []float64{1, 2, 3, 6, 4, 9}, "s s/B s/line s/(B line) s/B^2 s/line^2"},
		"M1x":   {"t = alpha + beta n + gamma MLT_exact", []float64{1, 2, 5}, "s s/B s/line"},
		"page":  {"t = alpha + beta n + gamma MLT_exact + pi pages", []float64{1, 2, 5, 7}, "s s/B s/line s/page"},
		"level": {"t = alpha + beta n + gamma MLT_exact + rho runs + lambda beyond", []float64{1, 2, 5, 11, 30}, "s s/B s/line s/run s/B"},
	} {
		t.Run(name, func(t *testing.T) {
			m := model(name).At(100)
			var units []string
			for _, term := range m.Terms {
				units = append(units, term.Unit(packing.Transfer))
			}
			if m.Equation() != want.equation || strings.Join(units, " ") != want.units || !equal(m.Row(f), want.row) {
				t.Errorf("%s, %v, %v", m.Equation(), units, m.Row(f))
			}
		})
	}
	if len(packing.All) != 9 {
		t.Errorf("%d models, and 9 here", len(packing.All))
	}
	if got := model("M1").Terms[1].Unit(packing.Array); got != "s/access" {
		t.Errorf("of an array statement: %s", got)
	}
}

func equal(a, b []float64) bool {
	for i := range a {
		if len(a) != len(b) || a[i] != b[i] {
			return false
		}
	}
	return true
}
