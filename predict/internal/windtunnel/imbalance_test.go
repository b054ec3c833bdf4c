package windtunnel

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// samplesOf is quanta of 8 targets in which those for which busy says so execute all the time.
func samplesOf(quanta int, busy func(q, target int) bool) *Samples {
	s := &Samples{Targets: 8}
	for q := range quanta {
		for i := range s.Targets {
			x := 0.0
			if busy(q, i) {
				x = 100
			}
			s.times, s.active = append(s.times, x), append(s.active, x > 0)
		}
	}
	return s
}

// Where neighbours execute together, blocks are uneven; where every fourth target does, or some do more, turns are; at random
// neither.
func TestUnevenPlacements(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for _, c := range []struct {
		name, uneven string
		busy         func(q, i int) bool
	}{
		{"neighbours", "placement block", func(q, i int) bool { return q%4 == i/2 }},
		{"every fourth", "placement cyclic", func(q, i int) bool { return q%4 == i%4 }},
		{"some more", "placement cyclic", func(_, i int) bool { return i%4 == 3 || r.Float64() < 0.05 }},
		{"at random", "", func(int, int) bool { return r.Float64() < 0.3 }},
		{"all", "", func(int, int) bool { return true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := samplesOf(4000, c.busy).imbalanceWarnings()
			if c.uneven == "" && len(all) != 0 || c.uneven != "" && (len(all) != 1 || !strings.Contains(all[0].Error(), c.uneven)) {
				t.Errorf("%v, want %q", all, c.uneven)
			}
		})
	}
}
