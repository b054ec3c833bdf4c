package memory

import (
	"fmt"
	"math"
	"slices"

	"spoor/traces/unit"
)

// How far a processor runs ahead of a miss is seen from outside. If several chains of loads that miss are followed at
// once, as many of their loads are under way together as the processor allows: the time of a load of one chain, over that of a
// load of many, is how many. And of instructions behind a miss that do not need it, those for which the processor has
// room cost nothing; each one after them takes what it takes where nothing misses.

// chains are how many chains of loads there are at once. No processor that one can buy has more misses under way for long.
var chains = []int{1, 16, mostChains}

const mostChains = 32

// aheadPlan is the points that show how far the processor runs ahead, in the largest region.
func aheadPlan(largest unit.Bytes) (plan []Point) {
	for _, k := range chains {
		plan = append(plan, Point{Chains, largest, largest / unit.Bytes(k)})
	}
	return append(plan, Point{Behind, leastChase, apart}, Point{Behind, largest, apart})
}

// count is how many chains p has.
func (p Point) count() int { return int(p.Region / p.Stride) }

// ahead finds how many misses are under way at most, and how many instructions behind one. Tables of before these were
// measured have neither.
func (s *study) ahead() {
	largest := unit.Bytes(0)
	for p := range s.least {
		if p.Kind == Chains {
			largest = max(largest, p.Region)
		}
	}
	if largest == 0 {
		return
	}
	single := s.least[Point{Chains, largest, largest}]
	if single == nil {
		return
	}
	most := 0
	row := slices.Repeat([]float64{math.NaN()}, len(s.launches))
	n := 0
	for p := range s.least {
		if p.Kind != Chains || p.Stride == 0 {
			continue
		}
		n += s.kept[p]
		most = max(most, p.count())
		for l, y := range s.least[p] {
			if under := single[l] / y; !(row[l] >= under) {
				row[l] = under
			}
		}
	}
	s.Outstanding = estimate(row, agreed)
	s.Outstanding.Name, s.Outstanding.Unit, s.Outstanding.N = "outstanding", "1", n
	s.Outstanding.Method = fmt.Sprintf("loads of up to %d chains at once in %v, beside those of one: %s", most, largest, s.Outstanding.Method)
	s.window(single, largest)
}

// window is how many instructions there is room for behind a miss.
func (s *study) window(single []float64, largest unit.Bytes) {
	hit, miss := s.least[Point{Behind, leastChase, apart}], s.least[Point{Behind, largest, apart}]
	if hit == nil || miss == nil {
		return
	}
	row := slices.Repeat([]float64{math.NaN()}, len(s.launches))
	for l := range row {
		if room := behindInstructions * (single[l] + hit[l] - miss[l]) / hit[l]; room > 0 {
			row[l] = room
		}
	}
	s.Window = estimate(row, agreed)
	s.Window.Name, s.Window.Unit, s.Window.N = "window", "1", s.kept[Point{Behind, largest, apart}]
	s.Window.Method = fmt.Sprintf("of %d instructions behind a load of %v that do not need it, those that cost nothing beside it: %s", behindInstructions, largest, s.Window.Method)
}
