package windtunnel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"spoor/analyze/bootstrap"
	"spoor/predict/internal/accuracy"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// replicates is the number of bootstrap draws.
const replicates = 200

// uncertainty describes how parameters may vary.
type uncertainty struct {
	base       *calculator
	known      map[system][2]float64 // cache of spread
	draws      []*calculator         // bootstrap draws of mu, sigma_intra, n_cxsw and n_fp together
	singly     [][2]*calculator      // ends of the intervals of single parameters
	covers     string
	halfSample bool              // the prediction is for as many unseen quanta, not their mean; these vary as much again
	margin     model.ModelMargin // without samples, the model's error on other programs; with samples see [calculator.modelError]
}

// system is a number of targets on a number of hosts.
type system struct{ targets, hosts int }

// input is a parameter with its place in the inputs of models.
type input struct {
	name    string
	set     func(p *Parameters, v float64)
	sampled bool // it follows from the samples
}

// inputs lists the parameters to vary.
func inputs() []input {
	list := []input{
		{"mu", func(p *Parameters, v float64) { p.Mu = p.within(v) }, true},
		{"sigma_intra", func(p *Parameters, v float64) { p.Sigma = unit.Cycles(v) }, true},
		{"n_cxsw", func(p *Parameters, v float64) { p.Active = min(v, float64(p.Targets)) }, true},
		{"n_fp", func(p *Parameters, v float64) { p.Running = min(v, float64(p.Targets)) }, true},
		{"sigma_cxsw", func(p *Parameters, v float64) { p.SigmaActive = min(v, 1) }, true},
		{"sigma_fp", func(p *Parameters, v float64) { p.SigmaRunning = min(v, 1) }, true},
		{"t_cxsw", func(p *Parameters, v float64) { p.Switch = unit.Cycles(v) }, false},
		{"n_win", func(p *Parameters, v float64) { p.Underflows = v }, false},
		{"t_win", func(p *Parameters, v float64) { p.Underflow = unit.Cycles(v) }, false},
		{"t_fp", func(p *Parameters, v float64) { p.FloatingPt = unit.Cycles(v) }, false},
		{"t_quantum_overhead", func(p *Parameters, v float64) { p.Overhead = unit.Cycles(v) }, false},
	}
	for name, level := range map[string]func(p *Parameters) *Level{
		"cache": func(p *Parameters) *Level { return &p.Cache }, "tlb": func(p *Parameters) *Level { return &p.TLB }} {
		list = append(list, input{"t_" + name + "_miss", func(p *Parameters, v float64) { level(p).Miss = unit.Cycles(v) }, false},
			input{"f_s_" + name, func(p *Parameters, v float64) { level(p).Trace.Shared = v }, false},
			input{"f_avg_" + name, func(p *Parameters, v float64) { level(p).Trace.setAverage(v) }, false},
			input{"f_s_window_" + name, func(p *Parameters, v float64) { level(p).Turn.Shared = v }, false},
			input{"f_avg_window_" + name, func(p *Parameters, v float64) { level(p).Turn.setAverage(v) }, false})
	}
	slices.SortFunc(list, func(a, b input) int { return strings.Compare(a.name, b.name) })
	return list
}

// setAverage sets the average, and keeps the largest at least as large.
func (f *Footprints) setAverage(v float64) { f.Average, f.Largest = v, max(v, f.Largest) }

// within limits a mean to the quantum, if there is one.
func (p *Parameters) within(mu float64) unit.Cycles {
	if p.Quantum > 0 {
		return min(unit.Cycles(mu), p.Quantum)
	}
	return unit.Cycles(mu)
}

// newUncertainty returns the uncertainty of r under a model.
func newUncertainty(c *calculator, r *Run, seed uint64) *uncertainty {
	placements := c.placements()
	c = c.forVariation()
	u := &uncertainty{base: c, known: map[system][2]float64{}, covers: "parameters, by their intervals, one at a time"}
	if r.Samples != nil {
		u.draws, u.covers = r.bootstrap(c, seed), fmt.Sprintf("the program's quanta (%d bootstrap draws), the intervals of other parameters, and the model's error on the sampled quanta for targets placed %s", replicates, placements)
	} else if u.margin = accuracy.WindTunnel().ModelMargin(accuracy.Kind{Model: c.model.Name, Target: accuracy.Quanta}, r.Program); u.margin.Known() {
		u.covers += "; and " + u.margin.Covers
	}
	for _, in := range inputs() {
		p, known := r.Params.Lookup(in.name)
		if !known || !p.HasInterval() || p.Lo == p.Hi || in.sampled && r.Samples != nil {
			continue
		}
		var ends [2]*calculator
		for i, v := range [2]float64{max(0, p.Lo), p.Hi} {
			ends[i] = c.with(func(p *Parameters) { in.set(p, v) }, strings.HasPrefix(in.name, "f_"))
		}
		u.singly = append(u.singly, ends)
	}
	return u
}

// forVariation returns the calculator to vary parameters with. Models of kinds of quanta vary as much, in
// relative terms, as the same model of a mean quantum, and take sixteen times as long or more.
func (c *calculator) forVariation() *calculator {
	if !c.model.kinds {
		return c
	}
	m := c.model
	m.kinds, m.placed = false, false
	return &calculator{m, c.Parameters, c.misses, c.placement, map[int]Time{}}
}

// with returns c with changed parameters. With footprints, interference is computed anew.
func (c *calculator) with(set func(*Parameters), footprints bool) *calculator {
	p := *c.Parameters
	set(&p)
	out := &calculator{c.model, &p, map[place]float64{}, c.placement, map[int]Time{}}
	if !footprints {
		out.misses = c.misses
	}
	return out
}

// sums are the sums over the targets of a quantum.
type sums struct {
	quantum                                                       int
	time, squares, active, running, activeSquares, runningSquares float64
}

func (s *sums) add(o sums) {
	s.time += o.time
	s.squares += o.squares
	s.active += o.active
	s.running += o.running
	s.activeSquares += o.activeSquares
	s.runningSquares += o.runningSquares
}

// bootstrap draws blocks of neighbouring quanta, because neighbours resemble each other. It returns a
// calculator for each draw. The parameters vary about those of all quanta as the draws vary about the sampled
// ones.
func (r *Run) bootstrap(c *calculator, seed uint64) []*calculator {
	s := r.Samples
	n := s.quanta()
	each, all := make([]sums, n), sums{}
	for q := range each {
		each[q] = s.sums(q)
		all.add(each[q])
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var out []*calculator
	for range replicates {
		var one sums
		for from, size := range bootstrap.Blocks(random, n) {
			for j := range size {
				one.add(each[(from+j)%n])
			}
		}
		out = append(out, c.with(func(p *Parameters) { *p = *p.resampled(one, all) }, false))
	}
	return out
}

// quotient returns a/b, or 1 if b is 0.
func quotient(a, b float64) float64 {
	if b == 0 {
		return 1
	}
	return a / b
}

// sums returns the sums of quantum q. Squares are about its mean.
func (s *Samples) sums(q int) (out sums) {
	out.quantum = q
	times := s.times[q*s.Targets:][:s.Targets]
	mean := stat.Mean(times, nil)
	for i, x := range times {
		out.time += x
		out.squares += (x - mean) * (x - mean)
		if s.active[q*s.Targets+i] {
			out.active++
		}
		if x > 0 {
			out.running++
		}
	}
	n := float64(s.Targets)
	out.activeSquares, out.runningSquares = out.active*(1-out.active/n), out.running*(1-out.running/n)
	return out
}

// interval returns the interval of a speedup. modelError adds the model's relative error below and above.
func (u *uncertainty) interval(speedup float64, targets, hosts int, modelError [2]float64) (lo, hi float64) {
	d := u.spread(targets, hosts)
	return speedup * (1 - d[0] - modelError[0]), speedup * (1 + d[1] + modelError[1])
}

// spread returns the relative variation of a speedup below and above itself, as parameters vary.
func (u *uncertainty) spread(targets, hosts int) [2]float64 {
	if d, known := u.known[system{targets, hosts}]; known {
		return d
	}
	var squares [2]float64
	base, err := u.base.speedup(targets, hosts)
	side := func(v float64, err error) {
		switch d := v/base - 1; {
		case err != nil || math.IsNaN(d):
		case d < 0:
			squares[0] += d * d
		default:
			squares[1] += d * d
		}
	}
	if err == nil {
		least, most := u.bootstrapRange(base, targets, hosts)
		side(least, nil)
		side(most, nil)
		for _, ends := range u.singly {
			for _, c := range ends {
				side(c.speedup(targets, hosts))
			}
		}
	}
	d := [2]float64{math.Sqrt(squares[0]), math.Sqrt(squares[1])}
	u.known[system{targets, hosts}] = d
	return d
}

// bootstrapRange returns the range of 95 % of the draws, widened to contain base.
func (u *uncertainty) bootstrapRange(base float64, targets, hosts int) (least, most float64) {
	var values []float64
	for _, c := range u.draws {
		if v, err := c.speedup(targets, hosts); err == nil && !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return base, base
	}
	least, most = bootstrap.Range(values)
	wide := 1.0
	if u.halfSample {
		wide = math.Sqrt2
	}
	return base + wide*min(0, least-base), base + wide*max(0, most-base)
}
