package windtunnel

import (
	"math"

	"spoor/traces/unit"
)

// placements describes the placements behind modelError.
func (c *calculator) placements() string {
	if c.model.placed {
		return c.placement.Doc
	}
	return "in blocks, in turn and at random"
}

// modelError returns the model's error on the sampled quanta: how far the speedups of the samples are below
// and above the model's, relative to it. The samples use the placements in blocks, in turn and at random. A
// model that uses the placement is compared with that placement only. For sizes that were not measured, the
// result is the worst over all numbers of hosts.
func (c *calculator) modelError(r *Run, targets, hosts int) (off [2]float64, err error) {
	if r.Samples == nil || hosts == 1 {
		return off, nil
	}
	if targets == c.Targets {
		return c.modelErrorAt(r, hosts)
	}
	for p := 2; p <= c.Targets; p *= 2 {
		if c.Targets%p == 0 {
			e, err := c.modelErrorAt(r, p)
			if err != nil {
				return off, err
			}
			off = [2]float64{max(off[0], e[0]), max(off[1], e[1])}
		}
	}
	return off, nil
}

// modelErrorAt is modelError for the measured size.
func (c *calculator) modelErrorAt(r *Run, hosts int) (off [2]float64, err error) {
	speedup, err := c.speedup(c.Targets, hosts)
	if err != nil {
		return off, err
	}
	var costs [2]cost
	for i, k := range [2]int{c.Targets, c.Targets / hosts} {
		if costs[i], err = c.observed(r, k, c.Targets/k); err != nil {
			return off, err
		}
	}
	one := Placements[0].critical(r.Samples, 1, costs[0])
	seen := []float64{one / c.placement.critical(r.Samples, hosts, costs[1])}
	if !c.model.placed {
		seen = []float64{one / r.Samples.random(hosts, 1, costs[1])}
		for _, p := range Placements {
			seen = append(seen, one/p.critical(r.Samples, hosts, costs[1]))
		}
	}
	for _, s := range seen {
		if e := s/speedup - 1; e < 0 {
			off[0] = max(off[0], -e)
		} else if e > 0 { // as printed, there may be no speedup
			off[1] = max(off[1], e)
		}
	}
	return off, nil
}

// observed returns the costs on hosts with k targets each, with simulated misses, or with those of the model
// if none were simulated.
func (c *calculator) observed(r *Run, k, hosts int) (cost, error) {
	out, err := r.cost(k)
	if err == nil {
		return out, nil
	}
	t, err := c.time(k, hosts)
	if active := c.mostOnHost(k, c.Active, c.SigmaActive, hosts); active > 0 {
		out.active += float64(t.Interference()) / active
	}
	return out, err
}

// simulationWarnings warns if simulated interference on one host differs so much that a time changes by 5 %.
func (c *calculator) simulationWarnings(r *Run, warn func(string, ...any)) {
	extra, err := r.Simulated.per(c.Parameters, c.Targets)
	t, err2 := c.time(c.Targets, 1)
	if err != nil || err2 != nil {
		return
	}
	for i, l := range []struct {
		name  string
		model unit.Cycles
	}{{"cache", t.Cache}, {"TLB", t.TLB}} {
		simulated := extra[i] * unit.Cycles(c.Active)
		if math.Abs(float64(l.model-simulated)) > 0.05*float64(t.total()) {
			warn("interference in the %s of one host is %.4g cycles by the model, but %.4g cycles in simulation", l.name, float64(l.model), float64(simulated))
		}
	}
}
