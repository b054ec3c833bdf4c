package paired

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// The claim includes its bound: the last double at or below 5 % is within.
func TestClaimIncludesItsBound(t *testing.T) {
	for _, row := range []struct {
		e    float64
		want int
	}{{105, 1}, {95, 1}, {math.Nextafter(105, 200), 0}, {94.9, 0}} {
		t.Run(fmt.Sprint(row.e), func(t *testing.T) {
			c, err := Compare([]Row{{Program: "p", Machine: "m", Processors: 1, EInstr: 100}, {Program: "p", Machine: "m", Processors: 1, Model: "x", EInstr: row.e}})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Summary(0).Within; got != row.want {
				t.Errorf("predicted %v of 100: %d within, want %d", row.e, got, row.want)
			}
		})
	}
}

func TestCompareNamesRowsWithoutPartner(t *testing.T) {
	c, err := Compare([]Row{
		{Program: "fft", Machine: "a", Processors: 2, Model: "mva", EInstr: 1},
		{Program: "fft", Machine: "a", Processors: 4, EInstr: 1},
		{Program: "lu", Machine: "a", Processors: 1, EInstr: 2},
		{Program: "lu", Machine: "a", Processors: 1, Model: "mva", EInstr: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"fft, 2 processors, a: predicted by mva, not simulated", "fft, 4 processors, a: simulated, not predicted"}
	if len(c.Cases) != 1 || strings.Join(c.Unpaired, "|") != strings.Join(want, "|") {
		t.Errorf("%d cases, unpaired %q", len(c.Cases), c.Unpaired)
	}
}

func TestCompareRefusesDoubles(t *testing.T) {
	sim, pred := Row{Program: "fft", Machine: "a", Processors: 2, EInstr: 1}, Row{Program: "fft", Machine: "a", Processors: 2, Model: "mva", EInstr: 1}
	for name, rows := range map[string][]Row{"two simulations": {sim, sim}, "two predictions by mva": {sim, pred, pred}} {
		if _, err := Compare(rows); err == nil || !strings.Contains(err.Error(), name+" of fft, 2 processors, a") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestLongestBaseline: a machine abstracts the one whose name says most, and no baseline abstracts another.
func TestLongestBaseline(t *testing.T) {
	for machine, want := range map[string]string{"mesh-8-clogp": "mesh-8", "mesh-clogp": "mesh", "mesh-8": "", "mesh": "", "torus": ""} {
		t.Run(machine, func(t *testing.T) {
			if got := baselineOf(machine, []string{"mesh", "mesh-8"}); got != want {
				t.Errorf("%s abstracts %q, want %q", machine, got, want)
			}
		})
	}
}
