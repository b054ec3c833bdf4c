package cluster

import (
	"fmt"
	"math"
	"slices"

	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// fewWays returns the case with caches of at most phases.MaxWays ways, which analyze counts. A cache with more ways gets 2, 4, ... times as
// many sets, and as many ways less, rounded. Caches of many ways miss nearly alike. The warnings say what was changed.
func (c *Case) fewWays() (*Case, []error) {
	if !slices.ContainsFunc(c.Machine.Caches, hasManyWays) {
		return c, nil
	}
	few, m := *c, *c.Machine
	var warnings []error
	m.Caches = slices.Clone(m.Caches)
	for i, level := range m.Caches {
		if hasManyWays(level) {
			m.Caches[i] = inFewWays(level)
			warnings = append(warnings, fmt.Errorf("the cache of %d ways is counted as one of %d ways and %v: model mva has at most %d ways",
				level.Ways, m.Caches[i].Ways, m.Caches[i].Size, phases.MaxWays))
		}
	}
	few.Machine, few.exact = &m, c.Machine
	return &few, warnings
}

func hasManyWays(level machine.Cache) bool { return level.Ways > phases.MaxWays }

// inFewWays returns a cache of nearly the same size with few ways.
func inFewWays(level machine.Cache) machine.Cache {
	sets, ways := level.Sets(), float64(level.Ways)
	for math.Round(ways) > phases.MaxWays {
		sets, ways = 2*sets, ways/2
	}
	level.Ways = int(math.Round(ways))
	level.Size = unit.Bytes(sets*level.Ways) * level.Line
	return level
}
