package cluster

import (
	"math"
	"math/rand/v2"
	"testing"
)

// simulate plays a closed queue: every customer thinks for an exponential time,
// waits first come first served, stalls for stalls[k] from the moment it gets the bus
// and leaves the bus held for holds[k] from then. It returns the mean wait of each customer per visit.
func simulate(r *rand.Rand, all []stretch, stalls [3]float64, visits int) []float64 {
	arrives := make([]float64, len(all))
	think := func(p int) float64 { return r.ExpFloat64() * all[p].ideal / all[p].visits }
	for p := range all {
		arrives[p] = think(p)
	}
	wait, count := make([]float64, len(all)), make([]float64, len(all))
	free := 0.0
	for v := range visits {
		p := 0
		for q := range arrives {
			if arrives[q] < arrives[p] {
				p = q
			}
		}
		start := max(free, arrives[p])
		if v > visits/10 { // until then the start is seen
			wait[p] += start - arrives[p]
			count[p]++
		}
		k, u := 0, r.Float64()
		for k < 2 && u >= all[p].holds[k].share {
			u -= all[p].holds[k].share
			k++
		}
		free = start + all[p].holds[k].time
		arrives[p] = start + stalls[k] + think(p)
	}
	for p := range wait {
		wait[p] /= max(1, count[p])
	}
	return wait
}

// Waits against an event simulation of the same queue. The errors are relative to the time from
// one visit to the next, which is what they add to E(Instr).
func TestWaitsAgainstEventSimulation(t *testing.T) {
	c := costs{instr: 1, memory: 50, occupancy: 50, invalidate: 50}
	work := func(think, dirty, upgrades float64) windowWork {
		return windowWork{Instr: think * (1 + upgrades), Misses: 1, Writebacks: dirty, Upgrades: upgrades}
	}
	for _, tc := range []struct {
		name      string
		tolerance float64
		work      []windowWork
	}{
		{"equal, light", 0.005, []windowWork{work(1000, 0, 0), work(1000, 0, 0), work(1000, 0, 0), work(1000, 0, 0)}},
		{"equal, medium", 0.005, []windowWork{work(200, 0, 0), work(200, 0, 0), work(200, 0, 0), work(200, 0, 0)}},
		{"equal, heavy", 0.005, []windowWork{work(50, 0, 0), work(50, 0, 0), work(50, 0, 0), work(50, 0, 0)}},
		{"alone with write-backs", 0.005, []windowWork{work(40, 0.7, 0)}},
		{"two with write-backs", 0.02, []windowWork{work(100, 0.5, 0), work(100, 0.5, 0)}},
		{"four with write-backs, light", 0.02, []windowWork{work(500, 0.5, 0.2), work(500, 0.5, 0.2), work(500, 0.5, 0.2), work(500, 0.5, 0.2)}},
		{"four with write-backs, heavy", 0.02, []windowWork{work(60, 1, 0), work(60, 1, 0), work(60, 1, 0), work(60, 1, 0)}},
		{"one busy, three idle", 0.02, []windowWork{work(20, 0, 0), work(2000, 0, 0), work(2000, 0, 0), work(2000, 0, 0)}},
		{"three busy, one idle", 0.03, []windowWork{work(50, 0, 0), work(50, 0, 0), work(50, 0, 0), work(1000, 0, 0)}},
		// Twelve-fold differences in think time: the mean of all is exact for equal customers only.
		{"all different", 0.06, []windowWork{work(50, 0.3, 0), work(150, 0, 0.5), work(300, 0.5, 0), work(600, 1, 0.1)}},
		{"eight, heavy", 0.02, []windowWork{work(200, 0, 0), work(200, 0, 0), work(200, 0, 0), work(200, 0, 0), work(300, 0, 0), work(300, 0, 0), work(300, 0, 0), work(300, 0, 0)}},
		{"sixteen, unequal", 0.03, func() (all []windowWork) {
			for i := range 16 {
				all = append(all, work(300+100*float64(i%4), 0.2, 0))
			}
			return all
		}()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var all []stretch
			var customers []customer
			var own []float64
			for _, w := range tc.work {
				s := c.stretch(w)
				customer, left := s.onBus(s.ideal / s.visits)
				all, customers, own = append(all, s), append(customers, customer), append(own, left)
			}
			want := simulate(rand.New(rand.NewPCG(7, 8)), all, [3]float64{50, 50, 50}, 400_000)
			worst := 0.0
			for p, w := range waits(customers) {
				got := w + own[p]
				cycle := (all[p].ideal+all[p].latency)/all[p].visits + want[p]
				worst = max(worst, math.Abs(got-want[p])/cycle)
				t.Logf("customer %d: wait %.2f, simulated %.2f (%+.2f %% of the cycle)", p, got, want[p], 100*(got-want[p])/cycle)
			}
			if worst > tc.tolerance {
				t.Errorf("%.2g of a cycle off", worst)
			}
		})
	}
}
