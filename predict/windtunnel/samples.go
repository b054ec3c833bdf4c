package windtunnel

import (
	"fmt"
	"math"
	"math/rand/v2"

	"spoor/traces/store"
)

// Samples are whole quanta of a fully parallel run: of every target, how long it executes in each, and whether it is active.
type Samples struct {
	Targets int
	times   []float64 // in cycles, by quantum and target
	active  []bool
}

// Quanta is how many there are.
func (s *Samples) Quanta() int { return len(s.times) / s.Targets }

// sample reads the samples of r.
func (r *Run) sample(path string) error {
	t, err := store.ReadTable(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if hash := t.Fact("trace"); r.Trace != "" && hash != r.Trace {
		return fmt.Errorf("%s is of trace %.12s, the parameters are of %.12s; take it away, or analyze the trace again into a folder of its own", path, hash, r.Trace)
	}
	if program := t.Fact("program"); program != "" {
		r.Program = program
	}
	if r.Samples, err = newSamples(t, r.Parameters.Targets); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	r.Parameters.Kinds, r.Parameters.Sampled = r.Samples.kinds(), r.Samples
	return nil
}

// newSamples takes the samples of so many targets from a table of analyze.
func newSamples(t *store.Table, targets int) (*Samples, error) {
	if t.Name != quantaTable {
		return nil, fmt.Errorf("a %s table, not a %s table", t.Name, quantaTable)
	}
	proc, err := store.Data[int32](t, "proc")
	if err != nil {
		return nil, err
	}
	times, err := store.Data[float64](t, "time")
	if err != nil {
		return nil, err
	}
	active, err := store.Data[int32](t, "active")
	if err != nil {
		return nil, err
	}
	if len(times) == 0 || len(times)%targets != 0 {
		return nil, fmt.Errorf("%d rows are not whole quanta of %d targets", len(times), targets)
	}
	s := &Samples{Targets: targets, times: times}
	for i, x := range times {
		if int(proc[i]) != i%targets {
			return nil, fmt.Errorf("row %d is of processor %d; those of a quantum come in order, from 0 to %d", i, proc[i], targets-1)
		}
		if !(x >= 0) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("row %d: a time of %v cycles", i, x)
		}
		s.active = append(s.active, active[i] != 0)
	}
	return s, nil
}

// A Placement puts targets on hosts.
type Placement struct {
	Name, Doc string
	// Of is the host of every target, k on each of so many hosts.
	Of func(k, hosts int) []int
}

// Placements lists those that are simulated.
var Placements = []Placement{
	{"block", "in blocks", func(k, hosts int) []int { return placed(k*hosts, func(i int) int { return i / k }) }},
	{"cyclic", "in turn", func(k, hosts int) []int { return placed(k*hosts, func(i int) int { return i % hosts }) }},
}

// Placed is the placement called name.
func Placed(name string) (Placement, error) {
	for _, p := range Placements {
		if p.Name == name {
			return p, nil
		}
	}
	return Placement{}, fmt.Errorf("there is no placement %q; there are block and cyclic", name)
}

func placed(n int, of func(int) int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = of(i)
	}
	return out
}

// cost is what a host pays for a target in a quantum, besides its processing time.
type cost struct {
	active, running float64 // cycles if it is active, if it runs
	quantum         float64 // per quantum, once
}

// loads is what each host has to do in quantum q, with targets placed by of.
func (s *Samples) loads(q, hosts int, of []int, c cost) []float64 {
	out := make([]float64, hosts)
	for i, h := range of {
		out[h] += s.pays(q*s.Targets+i, c)
	}
	return out
}

// pays is what a host pays for a target in a quantum.
func (s *Samples) pays(at int, c cost) float64 {
	x := s.times[at]
	if s.times[at] > 0 {
		x += c.running
	}
	if s.active[at] {
		x += c.active
	}
	return x
}

// critical is the mean over quanta of the time of the slowest host, with targets placed by of.
func (s *Samples) critical(hosts int, of func(quantum int) []int, c cost) float64 {
	sum, time := 0.0, make([]float64, hosts)
	for q := range s.Quanta() {
		clear(time)
		most := 0.0
		for i, h := range of(q) {
			time[h] += s.pays(q*s.Targets+i, c)
			most = max(most, time[h])
		}
		sum += most
	}
	return sum/float64(s.Quanta()) + c.quantum
}

// critical with a fixed placement.
func (p Placement) critical(s *Samples, hosts int, c cost) float64 {
	of := p.Of(s.Targets/hosts, hosts)
	return s.critical(hosts, func(int) []int { return of }, c)
}

// random is critical with targets placed at random in every quantum: what the models are about.
func (s *Samples) random(hosts int, seed uint64, c cost) float64 {
	r := rand.New(rand.NewPCG(seed, uint64(hosts)))
	of := Placements[0].Of(s.Targets/hosts, hosts)
	return s.critical(hosts, func(int) []int {
		r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		return of
	}, c)
}
