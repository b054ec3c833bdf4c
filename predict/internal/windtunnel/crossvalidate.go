package windtunnel

import (
	"errors"
	"math"

	"spoor/analyze/bootstrap"
	"spoor/traces/unit"
)

// CrossValidate is like Compare, but predicts one half of the quanta from the other half, in both directions
// (2-fold cross-validation). Intervals come from one half too. So it shows how good the intervals are for
// unseen quanta. The intervals allow for the variation of both halves. Both halves use the same costs of
// switches.
func (m *Measured) CrossValidate() (out []Comparison, err error) {
	if m.run.Samples.quanta() < minCrossValidated {
		return nil, errors.New("there are too few samples of quanta to divide them into halves")
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

// minCrossValidated is the least number of quanta, so that each half has enough for one kind.
const minCrossValidated = 2 * minPerKind

// halves returns two copies of r: one with every other block of neighbouring quanta, one with the rest. Blocks
// are those of the bootstrap.
func (r *Run) halves() (out [2]*Run) {
	s := r.Samples
	n, parts := s.quanta(), [2]*Samples{{Targets: s.Targets}, {Targets: s.Targets}}
	block := bootstrap.BlockOf(n)
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

// over divides the sums by n.
func (s sums) over(n int) sums {
	f := 1 / float64(n)
	return sums{0, s.time * f, s.squares * f, s.active * f, s.running * f, s.activeSquares * f, s.runningSquares * f}
}

// from returns p for some of the quanta, which differ from the mean quantum as given.
func (p *Parameters) from(s *Samples, mean sums) *Parameters {
	_, all := s.ordered()
	out := p.resampled(all.over(s.quanta()), mean)
	out.Kinds, out.Sampled = s.kinds(), s
	return out
}

// resampled returns p for quanta with the sums one, where all quanta have the sums all.
func (p *Parameters) resampled(one, all sums) *Parameters {
	q, targets := *p, float64(p.Targets)
	q.Mu = p.within(float64(p.Mu) * quotient(one.time, all.time))
	q.Sigma *= unit.Cycles(math.Sqrt(quotient(one.squares, all.squares)))
	q.Active = min(p.Active*quotient(one.active, all.active), targets)
	q.Running = min(p.Running*quotient(one.running, all.running), targets)
	q.SigmaActive = min(1, p.SigmaActive*math.Sqrt(quotient(one.activeSquares, all.activeSquares)))
	q.SigmaRunning = min(1, p.SigmaRunning*math.Sqrt(quotient(one.runningSquares, all.runningSquares)))
	return &q
}
