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
	Outside    string       // a cost of the machine that is outside of the range that was simulated, in times of an instruction; or ""
}

// The contention of a machine is computed from so many samples with similar costs, and is that of the one which so many of them exceed.
const (
	near     = 16
	exceeded = 3
)

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
	e.Contention = t.contention(&m, float64(e.Alone))
	e.Outside = outside(&m)
	e.Alone *= 1e-12
	e.Time = e.Alone * unit.Seconds(e.Contention)
	return e, nil
}

// outside returns the first cost of a machine that is beyond the range of simulations: larger than all.
// Smaller costs matter little.
func outside(m *Machine) string {
	b := boxOf(&Program{instr: 1}, trace.WorkInstr)
	for c := Send; c < costs; c++ {
		times := m.Costs[c] / m.Costs[Instruction] * b[Instruction].low
		if m.Costs[Instruction] > 0 && times > 1.01*b[c].high {
			return costColumns[c]
		}
	}
	return ""
}

// contention returns how many times longer the program takes with contention on a machine. The paths of the samples with the nearest
// costs give times there, of which it takes the upper quartile: some paths are not those of the machine, and shorter. Others come from
// another order of messages, and are longer. On 24 random programs and 4 kernels and 5 machines, that is 0.3 % off on average.
// With the rendezvous protocol it is also contention at senders, and may be below 1.
func (t *Term) contention(m *Machine, alone float64) float64 {
	all := t.classes[m.Class]
	if exact := m.Ports == NoPort || m.Ports == SendPort && m.Costs[Gap] == 0; exact && m.Rendezvous < 0 || len(all) == 0 {
		return 1
	}
	type sample struct{ distance, time float64 }
	var samples []sample
	for i := range all {
		time := all[i].Counts.Times(&m.Costs)
		if m.Rendezvous < 0 {
			time = max(time, alone)
		}
		samples = append(samples, sample{distance(&all[i].Costs, &m.Costs), time})
	}
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.time, b.time)) })
	samples = samples[:min(near, len(samples))]
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.time, b.time) })
	return samples[max(0, len(samples)-1-exceeded)].time / alone
}

// distance returns the squared distance of two machines. The coordinates are the logarithms of costs in units of the first that both
// have, because a machine that is twice as slow in everything takes twice as long.
func distance(a *Vector, b *[costs]float64) (d float64) {
	first := math.NaN()
	for c, here := range b {
		if !(here > 0) || a[c] <= 0 {
			continue
		}
		apart := math.Log(here / float64(a[c]))
		if math.IsNaN(first) {
			first = apart
		}
		d += (apart - first) * (apart - first)
	}
	return d
}

// index sorts the paths by class.
func (t *Term) index() error {
	t.classes = map[Class][]Path{}
	for _, p := range t.paths {
		if p.Time <= 0 {
			return errors.New("a path takes no time")
		}
		t.classes[p.Class] = append(t.classes[p.Class], p)
	}
	return nil
}
