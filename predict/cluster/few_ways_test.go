package cluster

import (
	"math"
	"testing"

	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// A cache of many ways is counted as one of few, with a size that differs by at most 5 %. Others stay as they are.
func TestFewWays(t *testing.T) {
	m := smpMachine(t)
	for ways := 1; ways <= 200; ways++ {
		sets := 64
		m.Caches = []machine.Cache{{Size: unit.Bytes(sets*ways) * 64, Line: 64, Ways: ways}}
		c, warnings := (&Case{Machine: m}).fewWays()
		got := c.Machine.Caches[0]
		off := float64(got.Size)/float64(m.Caches[0].Size) - 1
		if many := ways > phases.MaxWays; got.Ways > phases.MaxWays || math.Abs(off) > 0.05 || many != (len(warnings) == 1) || !many && off != 0 || got.Sets()&(got.Sets()-1) != 0 {
			t.Errorf("%d ways: %d ways, %d sets, size %+.3f, %v", ways, got.Ways, got.Sets(), off, warnings)
		}
		if m.Caches[0].Ways != ways {
			t.Fatal("the machine has changed")
		}
	}
}
