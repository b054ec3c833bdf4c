package windtunnel

import (
	"fmt"
	"math"

	"spoor/traces/unit"
)

// A calculator computes times by one model from one set of parameters. It caches interference, which takes
// longest, for variations with the same footprints.
type calculator struct {
	model Model
	*Parameters
	misses    map[place]float64
	placement Placement    // of targets on hosts, for models that use it
	known     map[int]Time // times with this placement, by number of hosts
}

// place is k targets at a level of the host.
type place struct {
	level string
	k     int
}

func newCalculator(m Model, p *Parameters) (*calculator, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := m.applies(p); err != nil {
		return nil, err
	}
	return &calculator{m, p, map[place]float64{}, Placements[0], map[int]Time{}}, nil
}

// on returns c with placement p.
func (c *calculator) on(p Placement) *calculator {
	return &calculator{c.model, c.Parameters, c.misses, p, map[int]Time{}}
}

// check returns an error if p is impossible.
func (p *Parameters) check() error {
	n := float64(p.Targets)
	switch {
	case p.Targets < 2:
		return fmt.Errorf("%d targets: a parallel simulation needs at least two", p.Targets)
	case !(p.Mu > 0) || math.IsInf(float64(p.Mu), 0):
		return fmt.Errorf("mu = %v cycles: it must be above 0", float64(p.Mu))
	case !(p.Sigma >= 0) || math.IsInf(float64(p.Sigma), 0):
		return fmt.Errorf("sigma_intra = %v cycles: it must be 0 or more", float64(p.Sigma))
	case p.Quantum != 0 && !(p.Quantum >= p.Mu):
		return fmt.Errorf("quantum = %v cycles: it must be at least mu = %v", float64(p.Quantum), float64(p.Mu))
	case !(p.Active >= 0 && p.Active <= n):
		return fmt.Errorf("n_cxsw = %v: it must be from 0 to the %d targets", p.Active, p.Targets)
	case !(p.Running >= 0 && p.Running <= n):
		return fmt.Errorf("n_fp = %v: it must be from 0 to the %d targets", p.Running, p.Targets)
	case p.SigmaActive < 0 || p.SigmaActive > 1 || p.SigmaRunning < 0 || p.SigmaRunning > 1:
		return fmt.Errorf("sigma_cxsw = %v, sigma_fp = %v: they must be from 0 to 1", p.SigmaActive, p.SigmaRunning)
	}
	for _, c := range []struct {
		name  string
		value float64
	}{{"t_cxsw", float64(p.Switch)}, {"n_win", p.Underflows}, {"t_win", float64(p.Underflow)}, {"t_fp", float64(p.FloatingPt)},
		{"t_quantum_overhead", float64(p.Overhead)}, {"t_cache_miss", float64(p.Cache.Miss)}, {"t_tlb_miss", float64(p.TLB.Miss)}} {
		if !(c.value >= 0 && c.value <= maxHostTime) {
			return fmt.Errorf("%s = %v: it must be from 0 to %v", c.name, c.value, maxHostTime)
		}
	}
	return nil
}

// maxHostTime bounds the times of host operations, to detect wrong units.
const maxHostTime = 1e9

// mostTargets bounds the size of predicted systems.
const mostTargets = 1 << 14

// time returns T(K,p) of k targets on each of so many hosts [falsafi1997, eq. 16]. The system may be larger or
// smaller than the measured one, under memory-constrained scaling: mu, sigma_intra, the shares of active
// targets and their footprints stay the same [falsafi1997, sec. 5.1].
//
// Differs: for K above those measured, the paper extends switches along a straight line and keeps interference
// constant. Unless published, the model is evaluated there. Interference of one target cannot exceed its
// projection, so it saturates by itself.
//
// Differs: unless published, targets cause interference when the host switches to them, M(K)/K each time, not
// all in every quantum.
func (c *calculator) time(k, hosts int) (Time, error) {
	switch {
	case c.model.placed && hosts > 1 && k*hosts == c.Targets:
		return c.placed(k, hosts)
	case c.model.kinds:
		return c.overKinds(k, hosts)
	}
	return c.quantum(k, hosts)
}

// quantum returns the time of a quantum if all quanta are alike.
func (c *calculator) quantum(k, hosts int) (Time, error) {
	t := Time{Work: unit.Cycles(k) * c.Mu, Overhead: c.Overhead}
	t.Imbalance = unit.Cycles(c.model.longest(work{float64(c.Mu), float64(c.Sigma), float64(c.Quantum)}, k, hosts)) - t.Work
	active := c.mostOnHost(k, c.Active, c.SigmaActive, hosts)
	t.Switch = unit.Cycles(c.direct(active, c.mostOnHost(k, c.Running, c.SigmaRunning, hosts)))
	share := active / float64(k)
	if c.model.published {
		share = 1
	}
	for _, l := range []struct {
		*Level
		time *unit.Cycles
		name string
	}{{&c.Cache, &t.Cache, "cache"}, {&c.TLB, &t.TLB, "TLB"}} {
		m, err := c.missesOf(l.name, l.Level, k)
		if err != nil {
			return Time{}, fmt.Errorf("interference in the %s of a host: %w", l.name, err)
		}
		*l.time = unit.Cycles(m*share) * l.Miss // [falsafi1997, eq. 15]
	}
	return t, nil
}

// mostOnHost returns the number of the k targets on the critical path that are active, or run. The argument of
// is the number among all measured targets, and sigma its standard deviation within quanta, if known.
func (c *calculator) mostOnHost(k int, of, sigma float64, hosts int) float64 {
	probability := of / float64(c.Targets)
	if !c.model.published && !math.IsNaN(sigma) {
		return boundedActive(k, probability, sigma, hosts)
	}
	if n := c.Targets; c.model.published && k > n {
		last := mostActive(n, probability, hosts)
		return last + float64(k-n)*(last-mostActive(n-1, probability, hosts))
	}
	return mostActive(k, probability, hosts)
}

// missesOf returns M(k) at a level.
func (c *calculator) missesOf(name string, l *Level, k int) (float64, error) {
	if l.Miss == 0 {
		return 0, nil
	}
	if c.model.published {
		k = min(k, c.Targets)
	}
	m, known := c.misses[place{name, k}]
	if known {
		return m, nil
	}
	m, err := l.interference(c.model, k)
	c.misses[place{name, k}] = m
	return m, err
}

// speedup returns T(Kp,1)/T(K,p).
func (c *calculator) speedup(targets, hosts int) (float64, error) {
	one, err := c.time(targets, 1)
	if err != nil {
		return 0, err
	}
	t, err := c.time(targets/hosts, hosts)
	if err != nil {
		return 0, err
	}
	return ratio(one, t), nil
}

// ratio returns the speedup from one host to several. It is NaN if one of the times is not positive: the
// paper's equations as printed can be negative.
func ratio(one, several Time) float64 {
	if one.total() <= 0 || several.total() <= 0 {
		return math.NaN()
	}
	return float64(one.total() / several.total())
}
