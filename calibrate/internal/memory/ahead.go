package memory

import (
	"fmt"
	"math"
	"slices"

	"spoor/traces/unit"
)

// The number of outstanding misses is measured from outside. If the processor follows several chains of missing
// loads at once, it overlaps as many loads as it can: their number is the time of a load of one chain over that of
// a load of many chains. Independent instructions behind a miss cost nothing if the processor has room for them.
// Each further instruction takes its usual time.

// chains are the numbers of chains that are followed at once. No commercial processor sustains more misses.
var chains = []int{1, 16, mostChains}

const mostChains = 32

// aheadPlan returns the points that determine outstanding misses and window, in the largest region.
func aheadPlan(largest unit.Bytes) (plan []Point) {
	for _, k := range chains {
		plan = append(plan, Point{Chains, largest, largest / unit.Bytes(k)})
	}
	return append(plan, Point{Behind, leastChase, apart}, Point{Behind, largest, apart})
}

// count returns the number of chains of p.
func (p Point) count() int { return int(p.Region / p.Stride) }

// ahead computes the outstanding misses, and the window of instructions behind one. Old tables have neither.
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

// window returns the number of instructions for which there is room behind a miss.
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
