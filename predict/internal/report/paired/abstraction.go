package paired

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/predict/internal/report/numeral"
	"spoor/traces/store"
)

// Abstractions compares simulations of machines with those of their simplifications. [sivasubramaniam1995] asks
// whether a few parameters can stand for a network.
type Abstractions struct {
	Pairs    []Pair   // by program, machine and abstraction in order of first appearance, then by processors
	Unpaired []string // simulations of abstractions without one of their machine
}

// Pair is one program with one number of processors on a machine and on an abstraction of it.
type Pair struct{ Real, Abstract Row }

// Kind is what the name of the abstraction has beyond that of the machine: "clogp".
func (p Pair) Kind() string { return p.Abstract.Machine[len(p.Real.Machine)+1:] }

// Abstract pairs simulations of the baselines with those of their simplifications. The name of a simplification
// begins with the baseline's and a hyphen: spasm-mesh-clogp is one of spasm-mesh.
func Abstract(rows []Row, baselines []string) (*Abstractions, error) {
	a := &Abstractions{}
	real := map[Key]Row{}
	for _, r := range rows {
		if r.Model == "" && slices.Contains(baselines, r.Machine) {
			if _, twice := real[r.Key()]; twice {
				return nil, fmt.Errorf("two simulations of %s, %s; leave one of them out", r.Program, r.Place())
			}
			real[r.Key()] = r
		}
	}
	seen := map[Key]bool{}
	for _, r := range rows {
		base := baselineOf(r.Machine, baselines)
		if r.Model != "" || base == "" {
			continue
		}
		if seen[r.Key()] {
			return nil, fmt.Errorf("two simulations of %s, %s; leave one of them out", r.Program, r.Place())
		}
		seen[r.Key()] = true
		if of, ok := real[Key{r.Program, base, r.Processors}]; ok {
			a.Pairs = append(a.Pairs, Pair{of, r})
		} else {
			a.Unpaired = append(a.Unpaired, fmt.Sprintf("%s: simulated on %s, not on %s", r.Program+", "+numeral.Plural(r.Processors, "processor"), r.Machine, base))
		}
	}
	a.sort()
	return a, nil
}

// baselineOf is the longest of the baselines that machine is an abstraction of, or "".
func baselineOf(machine string, baselines []string) (best string) {
	for _, b := range baselines {
		if strings.HasPrefix(machine, b+"-") && len(b) > len(best) && !slices.Contains(baselines, machine) {
			best = b
		}
	}
	return best
}

func (a *Abstractions) sort() {
	places := [3]map[string]int{{}, {}, {}}
	names := func(p Pair) [3]string { return [3]string{p.Real.Program, p.Real.Machine, p.Kind()} }
	for i, p := range a.Pairs {
		for k, name := range names(p) {
			if _, seen := places[k][name]; !seen {
				places[k][name] = i
			}
		}
	}
	slices.SortStableFunc(a.Pairs, func(p, q Pair) int {
		for k := range places {
			if d := cmp.Compare(places[k][names(p)[k]], places[k][names(q)[k]]); d != 0 {
				return d
			}
		}
		return cmp.Compare(p.Real.Processors, q.Real.Processors)
	})
}

// Table has a row for each pair: times per instruction of the whole machine, and how far the abstraction is off.
func (a *Abstractions) Table() *store.Table {
	column := func(name, unit string, of func(Pair) float64) store.Column {
		data := make([]float64, len(a.Pairs))
		for i, p := range a.Pairs {
			data[i] = of(p)
		}
		return store.Column{Name: name, Unit: unit, Data: data}
	}
	var program, machine, kind []string
	var processors []int32
	for _, p := range a.Pairs {
		program, machine, kind = append(program, p.Real.Program), append(machine, p.Real.Machine), append(kind, p.Kind())
		processors = append(processors, int32(p.Real.Processors))
	}
	table := &store.Table{Name: "abstraction", Columns: []store.Column{
		{Name: "program", Data: program}, {Name: "machine", Data: machine}, {Name: "abstraction", Data: kind}, {Name: "processors", Data: processors},
		column("e_instr", "ns", func(p Pair) float64 { return p.Real.EInstr }),
		column("abstract_e_instr", "ns", func(p Pair) float64 { return p.Abstract.EInstr }),
		column("error", "%", Pair.errorPercent),
		column("latency", "ns", func(p Pair) float64 { return p.Real.Split.Latency }),
		column("abstract_latency", "ns", func(p Pair) float64 { return p.Abstract.Split.Latency }),
		column("contention", "ns", func(p Pair) float64 { return p.Real.Split.Contention }),
		column("abstract_contention", "ns", func(p Pair) float64 { return p.Abstract.Split.Contention }),
	}}
	if slices.ContainsFunc(a.Pairs, func(p Pair) bool { return p.Real.IdealTime > 0 }) {
		table.Columns = append(table.Columns, column("ideal", "ns", func(p Pair) float64 { return p.Real.IdealTime * 1e9 / p.Real.Instr }))
	}
	return table
}

// errorPercent returns how far the abstraction is off: by E(Instr), or by the time if that is not known.
func (p Pair) errorPercent() float64 {
	if math.IsNaN(p.Real.EInstr) || math.IsNaN(p.Abstract.EInstr) {
		return 100 * (p.Abstract.Time - p.Real.Time) / p.Real.Time
	}
	return 100 * (p.Abstract.EInstr - p.Real.EInstr) / p.Real.EInstr
}

// Summary has a row for each machine and kind of abstraction: mean errors over programs and processors, more than one.
func (a *Abstractions) Summary() *store.Table {
	var machine, kind []string
	var rows []int32
	var means [3][]float64
	for _, pairs := range a.byKind() {
		var sums [3]float64
		n := 0
		for _, p := range pairs {
			if p.Real.Processors < 2 {
				continue
			}
			n++
			sums[0] += math.Abs(p.errorPercent())
			sums[1] += math.Abs(p.Abstract.Split.Latency - p.Real.Split.Latency)
			sums[2] += math.Abs(p.Abstract.Split.Contention - p.Real.Split.Contention)
		}
		if n == 0 {
			continue
		}
		machine, kind, rows = append(machine, pairs[0].Real.Machine), append(kind, pairs[0].Kind()), append(rows, int32(n))
		for i := range means {
			means[i] = append(means[i], sums[i]/float64(n))
		}
	}
	return &store.Table{Name: "abstraction summary", Columns: []store.Column{
		{Name: "machine", Data: machine}, {Name: "abstraction", Data: kind}, {Name: "rows", Data: rows},
		{Name: "mean error", Unit: "%", Data: means[0]},
		{Name: "of latency", Unit: "ns", Data: means[1]},
		{Name: "of contention", Unit: "ns", Data: means[2]},
	}}
}

// byKind is the pairs by machine and abstraction, in order of first appearance.
func (a *Abstractions) byKind() (groups [][]Pair) {
	place := map[string]int{}
	for _, p := range a.Pairs {
		n, seen := place[p.Abstract.Machine]
		if !seen {
			n, groups = len(groups), append(groups, nil)
			place[p.Abstract.Machine] = n
		}
		groups[n] = append(groups[n], p)
	}
	return groups
}
