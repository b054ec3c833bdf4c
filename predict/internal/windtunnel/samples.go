package windtunnel

import (
	"fmt"
	"math"
	"math/rand/v2"

	"spoor/traces/lookup"
	"spoor/traces/store"
)

// Samples are whole quanta of a fully parallel run: for every target, how long it executes in each, and
// whether it is active.
type Samples struct {
	Targets int
	times   []float64 // in cycles, by quantum and target
	active  []bool
}

// quanta returns the number of sampled quanta.
func (s *Samples) quanta() int { return len(s.times) / s.Targets }

// readQuanta reads the samples of r.
func (r *Run) readQuanta(path string) error {
	t, err := store.ReadTable(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if hash := t.Fact("trace"); r.Trace != "" && hash != r.Trace {
		return fmt.Errorf("%s is of trace %.12s, but the parameters are of %.12s; delete it, or analyze the trace again into another folder", path, hash, r.Trace)
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

// newSamples reads the samples of so many targets from a table of analyze.
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
			return nil, fmt.Errorf("row %d is of processor %d, but rows of a quantum must be in order from 0 to %d", i, proc[i], targets-1)
		}
		if !(x >= 0) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("row %d: the time is %v cycles, not 0 or more", i, x)
		}
		s.active = append(s.active, active[i] != 0)
	}
	return s, nil
}

// A Placement assigns targets to hosts.
type Placement struct {
	Name, Doc string
	// Of returns the host of every target, with k targets on each host.
	Of func(k, hosts int) []int
}

// Placements lists all fixed placements.
var Placements = []Placement{
	{"block", "in blocks", func(k, hosts int) []int { return assign(k*hosts, func(i int) int { return i / k }) }},
	{"cyclic", "in turn", func(k, hosts int) []int { return assign(k*hosts, func(i int) int { return i % hosts }) }},
}

// PlacementNamed returns the placement called name.
func PlacementNamed(name string) (Placement, error) {
	var names []string
	for _, p := range Placements {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Placement{}, lookup.Unknown("placement", name, names)
}

func assign(n int, of func(int) int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = of(i)
	}
	return out
}

// cost is the cost of a target for its host in a quantum, besides its processing time.
type cost struct {
	active, running float64 // cycles if the target is active, if it runs
	quantum         float64 // cycles per quantum
}

// loads returns the work of each host in quantum q. The slice of has the host of each target.
func (s *Samples) loads(q, hosts int, of []int, c cost) []float64 {
	out := make([]float64, hosts)
	for i, h := range of {
		out[h] += s.load(q*s.Targets+i, c)
	}
	return out
}

// load returns the time that a host spends on a target in a quantum.
func (s *Samples) load(at int, c cost) float64 {
	x := s.times[at]
	if s.times[at] > 0 {
		x += c.running
	}
	if s.active[at] {
		x += c.active
	}
	return x
}

// critical returns the mean over quanta of the time of the slowest host. The function of returns the host of
// each target.
func (s *Samples) critical(hosts int, of func(quantum int) []int, c cost) float64 {
	sum, time := 0.0, make([]float64, hosts)
	for q := range s.quanta() {
		clear(time)
		most := 0.0
		for i, h := range of(q) {
			time[h] += s.load(q*s.Targets+i, c)
			most = max(most, time[h])
		}
		sum += most
	}
	return sum/float64(s.quanta()) + c.quantum
}

// critical is the same with a fixed placement.
func (p Placement) critical(s *Samples, hosts int, c cost) float64 {
	of := p.Of(s.Targets/hosts, hosts)
	return s.critical(hosts, func(int) []int { return of }, c)
}

// random is critical with targets placed at random in every quantum, which is what the models assume.
func (s *Samples) random(hosts int, seed uint64, c cost) float64 {
	r := rand.New(rand.NewPCG(seed, uint64(hosts)))
	of := Placements[0].Of(s.Targets/hosts, hosts)
	return s.critical(hosts, func(int) []int {
		r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		return of
	}, c)
}
