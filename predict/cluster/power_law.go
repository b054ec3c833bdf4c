package cluster

import (
	"fmt"
	"math"

	"spoor/calibrate/param"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// powerLaw is the locality of a program on n processors [du2000, eq. 2.1]. Its method miss returns the share
// of references that go beyond the nearest x lines.
type powerLaw struct{ alpha, beta, n float64 }

func (l powerLaw) miss(x float64) float64 {
	return math.Pow(l.n*x/l.beta+1, 1-l.alpha)
}

// powerLawFit holds the parameters of a run. Lengths are in lines of line bytes.
type powerLawFit struct {
	alpha, beta, gamma param.Param
	line               float64
	printed            bool // see [Paper]
	noBarriers         bool // see [Paper]
}

// locality returns the parameters of model p.
func (r *Run) locality(p Paper) (l powerLawFit, err error) {
	l.printed, l.noBarriers = p.Printed, p.NoBarriers || !r.meetsAtBarriers()
	if l.alpha, l.beta, err = p.law(r); err != nil {
		return l, err
	}
	if l.gamma, err = r.gamma(); err != nil {
		return l, err
	}
	line, err := r.parameter("line", "B")
	l.line = line.Value
	switch {
	case err != nil:
		return l, err
	case !(l.alpha.Value > 1):
		return l, fmt.Errorf("%s: parameter alpha is %v, but the power law needs a value above 1", r.Name, l.alpha.Value)
	case !(l.beta.Value > 0):
		return l, fmt.Errorf("%s: parameter beta is %v, but the power law needs a value above 0", r.Name, l.beta.Value)
	case !(l.line >= 1):
		return l, fmt.Errorf("%s: parameter line is %v bytes", r.Name, l.line)
	}
	return l, nil
}

// smp returns the inputs of (3.16) for the given parameters. Distances of the measured run are divided by the
// factor by which the number of processors is larger.
func (l powerLawFit) smp(c *Case, r *Run, net remoteAccess, alpha, beta, gamma float64) *smp {
	s := &smp{}
	l.fill(s, c, r, net, alpha, beta, gamma)
	return s
}

// fill sets s to the inputs of [powerLawFit.smp]. It reuses the costs if s had them, which must be of the same
// machine.
func (l powerLawFit) fill(s *smp, c *Case, r *Run, net remoteAccess, alpha, beta, gamma float64) {
	law := powerLaw{alpha, beta, float64(c.Processors) / float64(r.Processors)}
	if s.instr == 0 {
		s.costs = costsOf(c.Machine)
	}
	s.n, s.remoteAccess, s.gamma, s.inner, s.printed = c.perNode(), net, gamma, s.inner[:0], l.printed
	s.noBarriers = l.noBarriers
	memory := float64(c.Machine.Memory.Size) / l.line
	if net.nodes > 1 {
		s.remoteAccess.share = law.miss(memory) * (1 + net.raise)
	}
	for _, level := range c.Machine.Caches {
		s.inner = append(s.inner, law.miss(float64(level.Size)/l.line))
	}
	if shared := c.Machine.Shared; shared != nil {
		// Each processor has its part of the cache for its private data.
		s.inner = append(s.inner, law.miss(float64(shared.Size)/l.line/float64(s.n)))
	}
	s.memory = s.inner[len(s.inner)-1]
	s.inner = s.inner[:len(s.inner)-1]
	if d := c.Machine.Disk; d != nil {
		s.disk = float64(c.Machine.At(d.Latency))
		s.paging = law.miss(memory * float64(c.nodes())) // (3.18)
	}
}

// interval returns E(Instr) over the box of the three parameters' intervals. E(Instr) falls with alpha and
// rises with beta and gamma, so two corners bound it. The argument e is E(Instr) at the values, which rounding
// must not put outside.
func (l powerLawFit) interval(c *Case, r *Run, net remoteAccess, e unit.Seconds) model.Interval {
	if !l.alpha.HasInterval() || !l.beta.HasInterval() || !l.gamma.HasInterval() || l.beta.Lo <= 0 {
		return model.Interval{}
	}
	at := func(alpha, beta, gamma float64) unit.Seconds {
		in := l.smp(c, r, net, max(1, alpha), beta, gamma)
		out := in.solve(response)
		return unit.Seconds(out.eInstr(in.processors()))
	}
	return model.Interval{
		Lo:     min(e, at(l.alpha.Hi, l.beta.Lo, max(0, l.gamma.Lo))),
		Hi:     max(e, at(l.alpha.Lo, l.beta.Hi, l.gamma.Hi)),
		Covers: "the 95 % intervals of alpha, beta and gamma at once, but not a poor fit of the power law",
	}
}
