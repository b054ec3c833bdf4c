package paths

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Term is the time of a program that passes messages, as a function of the costs of a machine.
type Term struct {
	Messages     int
	Instructions int64 // of all processors
	Work         int64 // of all processors, in WorkUnit, besides instructions
	WorkUnit     trace.WorkUnit
	Largest      int64   // bytes of the largest message
	Collectives  string  // algorithm of recorded collectives
	Tried        int     // costs for which the program was simulated
	Missing      float64 // most by which it took longer than its paths so far, at the last random costs
	Deadlocks    []int64 // limits of the rendezvous protocol with which processors wait for ever
	Unfit        string  // why there are no paths, or ""
	paths        []Path
	classes      map[Class][]Path
	ratios       map[Class][]float64 // of classes with contention: by path, the time with contention over that without
}

// Machine is what a program's time depends on.
type Machine struct {
	Class
	Costs [costs]float64 // in picoseconds
}

// Estimate is the time of a program on a machine.
type Estimate struct {
	Time       unit.Seconds // with contention
	Alone      unit.Seconds // the longest path; without the rendezvous protocol never above the time of a replay
	Counts     Vector       // of the path that determines Alone
	Contention float64      // the ratio of both
}

// near is how many samples the contention of a machine is computed from.
const near = 8

// Time returns the time of the program on a machine.
func (t *Term) Time(m Machine) (e Estimate, err error) {
	if t.Unfit != "" {
		return e, fmt.Errorf("the program has no critical paths as functions of costs: %s", t.Unfit)
	}
	if m.Rendezvous >= t.Largest {
		m.Rendezvous = -1
	}
	if slices.Contains(t.Deadlocks, m.Rendezvous) {
		return e, fmt.Errorf("processors wait for ever if messages of more than %v use the rendezvous protocol", unit.Bytes(m.Rendezvous))
	}
	alone := t.classes[Class{NoPort, m.Rendezvous}]
	if alone == nil {
		return e, fmt.Errorf("messages of more than %v use the rendezvous protocol; count them with analyze --run paths --rendezvous none,%v", unit.Bytes(m.Rendezvous), unit.Bytes(m.Rendezvous))
	}
	for i := range alone {
		if ps := alone[i].Counts.Times(&m.Costs); ps > float64(e.Alone) {
			e.Alone, e.Counts = unit.Seconds(ps), alone[i].Counts
		}
	}
	if !(e.Alone > 0) || math.IsInf(float64(e.Alone), 1) {
		return e, fmt.Errorf("the program takes %v ps, which is no time", float64(e.Alone))
	}
	e.Contention = t.contention(&m, float64(e.Alone), &e.Counts)
	e.Alone *= 1e-12
	e.Time = e.Alone * unit.Seconds(e.Contention)
	return e, nil
}

// contention returns how many times longer the program takes with contention on a machine: the mean of the nearest samples, with the
// inverses of squared distances as weights. With the rendezvous protocol it is also that of contention at senders, and may be below 1.
func (t *Term) contention(m *Machine, alone float64, counts *Vector) float64 {
	all := t.classes[m.Class]
	if exact := m.Ports == NoPort || m.Ports == SendPort && m.Costs[Gap] == 0; exact && m.Rendezvous < 0 || len(all) == 0 {
		return 1
	}
	type sample struct{ distance, ratio float64 }
	var samples []sample
	for i := range all {
		samples = append(samples, sample{distance(&all[i], m, alone, counts), t.ratios[m.Class][i]})
	}
	slices.SortFunc(samples, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.ratio, b.ratio))
	})
	sum, weights := 0.0, 0.0
	for _, s := range samples[:min(near, len(samples))] {
		w := 1 / (s.distance + 1e-6)
		sum += w * s.ratio
		weights += w
	}
	return sum / weights
}

// mostApart bounds the difference of the logarithms of two costs.
const mostApart = 5

// distance returns the squared distance of a machine from a sample. The coordinates are the logarithms of all costs as shares of the
// time. Each counts as much as it has of the path.
func distance(s *Path, m *Machine, alone float64, counts *Vector) (d float64) {
	time := float64(s.Time)
	for c, here := range m.Costs {
		there := float64(s.Costs[c])
		share := (float64(s.Counts[c])*there/time + float64(counts[c])*here/alone) / 2
		if share == 0 {
			continue
		}
		apart := math.Abs(math.Log(here/alone) - math.Log(there/time))
		if !(apart < mostApart) { // a cost of 0, too
			apart = mostApart
		}
		d += share * apart * apart
	}
	return d
}

// index sorts the paths by class.
func (t *Term) index() error {
	t.classes, t.ratios = map[Class][]Path{}, map[Class][]float64{}
	for _, p := range t.paths {
		t.classes[p.Class] = append(t.classes[p.Class], p)
	}
	for c, all := range t.classes {
		alone := t.classes[Class{NoPort, c.Rendezvous}]
		for i := range all {
			costs := all[i].Costs.floats()
			without := longest(alone, &costs)
			if !(without > 0) || all[i].Time <= 0 {
				return errors.New("a path takes no time")
			}
			ratio := float64(all[i].Time) / without
			if c.Rendezvous < 0 {
				ratio = max(1, ratio)
			}
			t.ratios[c] = append(t.ratios[c], ratio)
		}
	}
	return nil
}
