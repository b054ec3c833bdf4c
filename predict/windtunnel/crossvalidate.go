package windtunnel

import (
	"errors"
	"math"

	"spoor/traces/unit"
)

// CrossValidate is as Compare, with everything that comes from quanta, intervals too, from one half of them and what was measured from the other, either
// way round: so it says what intervals are worth for quanta that nobody has seen. These vary as those do that were, which the intervals allow for. What switches
// cost is the same for both.
func (m *Measured) CrossValidate() (out []Comparison, err error) {
	if m.run.Samples.Quanta() < minCrossValidated {
		return nil, errors.New("there are too few samples of quanta for halves of them")
	}
	halves := m.run.halves()
	for i, h := range halves {
		rows, err := newMeasured(h).compare(newMeasured(halves[1-i]), i+1)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// minCrossValidated is how many quanta there must be, so that each half has a kind's.
const minCrossValidated = 2 * leastOfKind

// halves are r with every other block of neighbouring quanta, and with the rest; blocks are those of the bootstrap.
func (r *Run) halves() (out [2]*Run) {
	s := r.Samples
	n, parts := s.Quanta(), [2]*Samples{{Targets: s.Targets}, {Targets: s.Targets}}
	block := blockOf(n)
	for q := range n {
		half, from, to := parts[q/block%2], q*s.Targets, (q+1)*s.Targets
		half.times = append(half.times, s.times[from:to]...)
		half.active = append(half.active, s.active[from:to]...)
	}
	_, all := s.ordered()
	for i, half := range parts {
		of := *r
		of.Samples = half
		of.Parameters = *r.Parameters.from(half, all.over(n))
		out[i] = &of
	}
	return out
}

// blockOf is how many neighbours of n quanta, which resemble each other, are drawn or left out together.
func blockOf(n int) int { return int(math.Ceil(math.Sqrt(float64(n)))) }

// over is the mean of n.
func (s sums) over(n int) sums {
	f := 1 / float64(n)
	return sums{0, s.time * f, s.squares * f, s.active * f, s.running * f, s.activeSquares * f, s.runningSquares * f}
}

// from is p as it is by some quanta, which differ from the mean quantum as these do.
func (p *Parameters) from(s *Samples, mean sums) *Parameters {
	_, all := s.ordered()
	out := p.drawn(all.over(s.Quanta()), mean)
	out.Kinds, out.Sampled = s.kinds(), s
	return out
}

// drawn is p of quanta with such sums, if all have others.
func (p *Parameters) drawn(one, all sums) *Parameters {
	q, targets := *p, float64(p.Targets)
	q.Mu = p.within(float64(p.Mu) * quotient(one.time, all.time))
	q.Sigma *= unit.Cycles(math.Sqrt(quotient(one.squares, all.squares)))
	q.Active = min(p.Active*quotient(one.active, all.active), targets)
	q.Running = min(p.Running*quotient(one.running, all.running), targets)
	q.SigmaActive = min(1, p.SigmaActive*math.Sqrt(quotient(one.activeSquares, all.activeSquares)))
	q.SigmaRunning = min(1, p.SigmaRunning*math.Sqrt(quotient(one.runningSquares, all.runningSquares)))
	return &q
}
