package windtunnel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"spoor/predict/accuracy"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// replicates of the bootstrap.
const replicates = 200

// uncertainty is how parameters may vary.
type uncertainty struct {
	base   *calculator
	known  map[system][2]float64 // see spread
	draws  []*calculator         // mu, sigma_intra, n_cxsw and n_fp together, as quanta are drawn
	singly [][2]*calculator
	covers string
	unseen bool              // it is of quanta as many as were sampled, and not of the mean of all: these vary as much again
	beyond model.ModelMargin // without samples, the model's own error on other programs; else see [calculator.missed]
}

// system is so many targets on so many hosts.
type system struct{ targets, hosts int }

// input is a parameter with the place where models take it from.
type input struct {
	name    string
	set     func(p *Parameters, v float64)
	sampled bool // it comes with the samples
}

// inputs are the parameters that are varied.
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

// setAverage leaves the largest at least as large.
func (f *Footprints) setAverage(v float64) { f.Average, f.Largest = v, max(v, f.Largest) }

// within is a mean that the quantum bounds, if it does.
func (p *Parameters) within(mu float64) unit.Cycles {
	if p.Quantum > 0 {
		return min(unit.Cycles(mu), p.Quantum)
	}
	return unit.Cycles(mu)
}

// newUncertainty is that of r under a model.
func newUncertainty(c *calculator, r *Run, seed uint64) *uncertainty {
	placements := c.placements()
	c = c.varied()
	u := &uncertainty{base: c, known: map[system][2]float64{}, covers: "parameters, by their intervals, one at a time"}
	if r.Samples != nil {
		u.draws, u.covers = r.draw(c, seed), fmt.Sprintf("the program's quanta, by %d bootstrap draws, the other parameters by their intervals, and how far the model is from the sampled quanta, with simulated misses if there are any, of targets placed %s", replicates, placements)
	} else if u.beyond = accuracy.WindTunnel().ModelMargin(accuracy.Kind{Model: c.model.Name, Target: accuracy.Quanta}, r.Program); u.beyond.Known() {
		u.covers += "; and " + u.beyond.Covers
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

// varied is c as its parameters are varied: models that take quanta apart vary as much, relative to themselves, as the same does of a mean
// quantum, and take sixteen times as long or more.
func (c *calculator) varied() *calculator {
	if !c.model.kinds {
		return c
	}
	m := c.model
	m.kinds, m.placed = false, false
	return &calculator{m, c.Parameters, c.misses, c.placement, map[int]Time{}}
}

// with is c with other parameters, and with other interference if footprints are.
func (c *calculator) with(set func(*Parameters), footprints bool) *calculator {
	p := *c.Parameters
	set(&p)
	out := &calculator{c.model, &p, map[place]float64{}, c.placement, map[int]Time{}}
	if !footprints {
		out.misses = c.misses
	}
	return out
}

// sums of a quantum.
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

// draw is draws of blocks of neighbouring quanta, which resemble each other. Parameters vary
// about those of all quanta as draws do about those of the sampled ones.
func (r *Run) draw(c *calculator, seed uint64) []*calculator {
	s := r.Samples
	n := s.Quanta()
	each, all := make([]sums, n), sums{}
	for q := range each {
		each[q] = s.sums(q)
		all.add(each[q])
	}
	block := blockOf(n)
	random := rand.New(rand.NewPCG(seed, 0))
	var out []*calculator
	for range replicates {
		var one sums
		for drawn := 0; drawn < n; {
			from := random.IntN(n)
			for j := 0; j < block && drawn < n; j++ {
				one.add(each[(from+j)%n])
				drawn++
			}
		}
		out = append(out, c.with(func(p *Parameters) { *p = *p.drawn(one, all) }, false))
	}
	return out
}

// quotient is a/b, and 1 if there is nothing that could vary.
func quotient(a, b float64) float64 {
	if b == 0 {
		return 1
	}
	return a / b
}

// sums are those of quantum q; squares are about its mean.
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

// interval is that of a speedup, with how far below and above it the truth was found, relative to it, besides.
func (u *uncertainty) interval(speedup float64, targets, hosts int, missed [2]float64) (lo, hi float64) {
	d := u.spread(targets, hosts)
	return speedup * (1 - d[0] - missed[0]), speedup * (1 + d[1] + missed[1])
}

// spread is how far below and above itself a speedup may be, relative to it, as parameters vary.
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
		least, most := u.drawn(base, targets, hosts)
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

// drawn is between what 95 % of the draws are, and base.
func (u *uncertainty) drawn(base float64, targets, hosts int) (least, most float64) {
	var values []float64
	for _, c := range u.draws {
		if v, err := c.speedup(targets, hosts); err == nil && !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if slices.Sort(values); len(values) == 0 {
		return base, base
	}
	wide := 1.0
	if u.unseen {
		wide = math.Sqrt2
	}
	return base + wide*min(0, stat.Quantile(0.025, stat.Empirical, values, nil)-base), base + wide*max(0, stat.Quantile(0.975, stat.Empirical, values, nil)-base)
}
