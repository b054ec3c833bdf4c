// Package paired reads predictions and simulations of programs, pairs those of one case, and says how far they are
// apart. The claim that it tests models against is that of [du2000].
package paired

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spoor/traces/store"
)

// Claim is the largest error that the paper claims for SMPs: the difference to simulation "is below 5 percent"
// [du2000, sec. 4.3.1].
const Claim = 0.05

// Comparison is predictions beside simulations.
type Comparison struct {
	Models []string // in order of first appearance
	Cases  []Case   // by program and machine in order of first appearance, then by processors
	// Unpaired names each prediction without a simulation, and each simulation
	// without a prediction, where anything is predicted.
	Unpaired []string
	// Doubts are reasons why a prediction and its simulation may not belong together.
	Doubts []string
}

// Case is one program on one machine with one number of processors: its simulation and its predictions.
type Case struct {
	Simulated Row
	Predicted []Row // by Comparison.Models; a model that says nothing has Model == ""
}

// Name returns the name of the case: "fft points=65536, 4 processors, du2000-smp-256k".
func (c Case) Name() string { return c.Simulated.Program + ", " + c.Simulated.Place() }

// Error returns the error of model i as a fraction of the simulated E(Instr); a positive error means a prediction
// that is too slow. ok is false if the model has no prediction.
func (c Case) Error(i int) (e float64, ok bool) {
	if c.Predicted[i].Model == "" {
		return 0, false
	}
	return (c.Predicted[i].EInstr - c.Simulated.EInstr) / c.Simulated.EInstr, true
}

// Summary is the error of one model over all cases.
type Summary struct {
	Model       string
	Cases       int
	Mean, Worst float64 // absolute errors, as fractions of the simulated E(Instr)
	WorstCase   Case
	Within      int // cases with an absolute error of at most Claim
}

// Summary sums up model i; with no case, Mean and Worst are NaN.
func (c *Comparison) Summary(i int) Summary {
	s := Summary{Model: c.Models[i], Mean: math.NaN(), Worst: math.NaN()}
	sum := 0.0
	for _, k := range c.Cases {
		e, ok := k.Error(i)
		if !ok {
			continue
		}
		e = math.Abs(e)
		if s.Cases == 0 || e > s.Worst {
			s.Worst, s.WorstCase = e, k
		}
		if e <= Claim {
			s.Within++
		}
		s.Cases++
		sum += e
	}
	if s.Cases > 0 {
		s.Mean = sum / float64(s.Cases)
	}
	return s
}

// Key is what a prediction and a simulation of the same thing share.
type Key struct {
	program, machine string
	processors       int
}

// Key is what a prediction and its simulation have in common.
func (r Row) Key() Key { return Key{r.Program, r.Machine, r.Processors} }

// Compare joins predictions and simulations by program, machine and processors. Two predictions by the same model,
// or two simulations, of one case are an error.
func Compare(rows []Row) (*Comparison, error) {
	c := &Comparison{}
	var simulated, predicted []Row
	for _, r := range rows {
		if r.Model == "" {
			simulated = append(simulated, r)
			continue
		}
		predicted = append(predicted, r)
		if !slices.Contains(c.Models, r.Model) {
			c.Models = append(c.Models, r.Model)
		}
	}
	return c, c.join(simulated, predicted)
}

func (c *Comparison) join(simulated, predicted []Row) error {
	cases := map[Key]*Case{}
	var list []*Case
	var pairs [][2]Row
	for _, s := range simulated {
		if cases[s.Key()] != nil {
			return fmt.Errorf("two simulations of %s, %s; leave one of them out", s.Program, s.Place())
		}
		k := &Case{Simulated: s, Predicted: make([]Row, len(c.Models))}
		cases[s.Key()] = k
		list = append(list, k)
	}
	for _, p := range predicted {
		k, i := cases[p.Key()], slices.Index(c.Models, p.Model)
		if k != nil && math.IsNaN(k.Simulated.EInstr) {
			c.Unpaired = append(c.Unpaired, fmt.Sprintf("%s: predicted by %s, but the table of the simulation has no instructions, so E(Instr) is not known", p.Program+", "+p.Place(), p.Model))
			continue
		}
		if k == nil {
			c.Unpaired = append(c.Unpaired, fmt.Sprintf("%s: predicted by %s, not simulated", p.Program+", "+p.Place(), p.Model))
			continue
		}
		if k.Predicted[i].Model != "" {
			return fmt.Errorf("two predictions by %s of %s, %s; leave one of them out", p.Model, p.Program, p.Place())
		}
		if err := k.Simulated.differs(p); err != nil {
			return err
		}
		k.Predicted[i] = p
		pairs = append(pairs, [2]Row{k.Simulated, p})
	}
	c.Doubts = doubts(pairs)
	if len(predicted) == 0 {
		return nil // simulations alone: there is nothing to compare
	}
	for _, k := range list {
		if !slices.ContainsFunc(k.Predicted, func(p Row) bool { return p.Model != "" }) {
			c.Unpaired = append(c.Unpaired, k.Name()+": simulated, not predicted")
			continue
		}
		c.Cases = append(c.Cases, *k)
	}
	c.sort(simulated)
	return nil
}

// sort orders the cases: programs and machines as they first appear.
func (c *Comparison) sort(appearance []Row) {
	programs, machines := map[string]int{}, map[string]int{}
	for i, r := range appearance {
		if _, seen := programs[r.Program]; !seen {
			programs[r.Program] = i
		}
		if _, seen := machines[r.Machine]; !seen {
			machines[r.Machine] = i
		}
	}
	slices.SortStableFunc(c.Cases, func(a, b Case) int {
		return cmp.Or(
			cmp.Compare(programs[a.Simulated.Program], programs[b.Simulated.Program]),
			cmp.Compare(machines[a.Simulated.Machine], machines[b.Simulated.Machine]),
			cmp.Compare(a.Simulated.Processors, b.Simulated.Processors))
	})
}

// Long returns a row for each case and model. For beyond see [Row.beyond]; inside is 1 if the simulation is within
// lo to hi.
func (c *Comparison) Long() *store.Table {
	type line struct {
		Row
		simulated, err float64
	}
	var lines []line
	for _, k := range c.Cases {
		for i, p := range k.Predicted {
			if e, ok := k.Error(i); ok {
				lines = append(lines, line{p, k.Simulated.EInstr, e})
			}
		}
	}
	text := func(name string, of func(l line) string) store.Column { return store.ColumnOf(lines, name, "", of) }
	number := func(name, unit string, of func(l line) float64) store.Column {
		return store.ColumnOf(lines, name, unit, of)
	}
	inside := func(l line) float64 {
		switch {
		case !l.HasInterval():
			return math.NaN()
		case holds(l.Lo, l.Hi, l.simulated):
			return 1
		}
		return 0
	}
	return &store.Table{Name: "comparison", Columns: []store.Column{
		text("program", func(l line) string { return l.Program }), text("machine", func(l line) string { return l.Machine }),
		text("target", func(l line) string { return l.Target }), store.ColumnOf(lines, "processors", "", func(l line) int32 { return int32(l.Processors) }),
		text("model", func(l line) string { return l.Model }),
		number("simulated", "ns", func(l line) float64 { return l.simulated }), number("predicted", "ns", func(l line) float64 { return l.EInstr }),
		number("lo", "ns", func(l line) float64 { return l.Lo }), number("hi", "ns", func(l line) float64 { return l.Hi }),
		number("parameters_lo", "ns", func(l line) float64 { return l.ParametersLo }), number("parameters_hi", "ns", func(l line) float64 { return l.ParametersHi }),
		number("error", "%", func(l line) float64 { return 100 * l.err }),
		number("beyond", "%", func(l line) float64 { return 100 * l.beyond(l.simulated) }), store.ColumnOf(lines, "inside", "", inside)}}
}

// All is the simulation and then every model that says something.
func (c Case) All() []Row {
	list := []Row{c.Simulated}
	for _, r := range c.Predicted {
		if r.Model != "" {
			list = append(list, r)
		}
	}
	return list
}
