package cluster

import (
	"cmp"
	"fmt"
	"math"

	"spoor/predict/model"
	"spoor/traces/unit"
)

// Curve is [Paper] with the measured stack distances in place of the power law:
// those of the run with c.Processors processors, each processor's own, pooled.
//
// Set-associative caches always get the binomial correction (see
// [distances.misses]). Data that fit into memory cause no disk accesses: the
// curve ends at the footprint. Memory is shared, so that of n processors each has
// an n-th of it for data of its own. In a cluster, first uses of blocks are remote too: see [Run.remote].
//
// Where a machine's memory is held for less than an access takes, the bus is a queue for that time only; of misses that overlap, a part
// is waited for (see [overlap]); and a cache that processors share has the misses of their interleaved order (see [Run.beyondShared]).
//
// If there is no run with so many processors, the next smaller one is scaled: see
// [distances.scaled].
type Curve struct{}

var _ model.Model[*Case] = Curve{}

// Name is "curve".
func (Curve) Name() string { return "curve" }

// Paper is the key of [du2000].
func (Curve) Paper() string { return paperKey }

// Predict needs the stack distances of a run at the line sizes of the machine's
// caches.
func (v Curve) Predict(c *Case) (model.Prediction, error) {
	if err := cmp.Or(c.check(), c.equal(v.Name())); err != nil {
		return model.Prediction{}, err
	}
	r, err := c.nearest()
	if err != nil {
		return model.Prediction{}, err
	}
	net, err := c.remote()
	if err != nil {
		return model.Prediction{}, err
	}
	in, err := v.inputs(c, r, net, distances.misses)
	if err != nil {
		return model.Prediction{}, err
	}
	pred := in.prediction(in.solve(response))
	if pred.Interval, err = v.interval(c, r, net, pred.EInstr); err != nil {
		return model.Prediction{}, err
	}
	if c.Processors > 1 {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("misses and upgrades by coherence and write-backs are not in the curve"))
	}
	if r.Processors != c.Processors {
		pred.Warnings = append(pred.Warnings, scaled("stack distances", r, c))
	}
	if c.nodes() > 1 {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("first uses of blocks are remote as often as if homes were anywhere"))
	}
	pred.Warnings = append(pred.Warnings, r.short(c, in.memory)...)
	pred.Warnings = append(pred.Warnings, published(c)...)
	return c.finish(pred, v.Name(), r)
}

// short is what speaks against a run so short that most of what misses all caches, such a share of all uses, is used for the first time.
func (r *Run) short(c *Case, misses float64) []error {
	d, err := r.pooled(last(c.Machine).Line)
	if err != nil || c.Machine.Shared != nil {
		return nil
	}
	if first := d.cold / max(1, misses*d.total()); first > 0.5 {
		return []error{fmt.Errorf("%.0f %% of the misses are first uses of lines: a longer run on the same data has fewer for each instruction", 100*first)}
	}
	return nil
}

// nearest is the run with as many processors as the case, or the next smaller one.
func (c *Case) nearest() (*Run, error) {
	var best *Run
	for _, r := range c.Runs {
		if r.Processors <= c.Processors {
			best = r
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no run with %d processors or fewer is given, only with %s", c.Processors, c.given())
	}
	return best, nil
}

// inputs are those of (3.16), misses of a cache as count counts them.
func (Curve) inputs(c *Case, r *Run, net remote, count func(d distances, sets, ways int) float64) (*smp, error) {
	gamma, err := r.gamma()
	if err != nil {
		return nil, err
	}
	s := &smp{costs: costsOf(c.Machine), n: c.perNode(), remote: net, gamma: gamma.Value, pipelined: true, overlaps: true}
	var d distances
	for _, level := range c.Machine.Caches {
		if d, err = r.pooled(level.Line); err != nil {
			return nil, err
		}
		if s.gamma, err = r.touches(d, gamma.Value); err != nil {
			return nil, err
		}
		d = d.scaled(float64(r.Processors) / float64(c.Processors))
		s.inner = append(s.inner, count(d, level.Sets(), level.Ways)/max(1, d.total()))
	}
	if c.Machine.Shared != nil {
		misses, err := r.beyondShared(c)
		if err != nil {
			return nil, err
		}
		s.inner = append(s.inner, misses/max(1, d.total()))
	}
	s.memory = s.inner[len(s.inner)-1]
	s.inner = s.inner[:len(s.inner)-1]
	if disk := c.Machine.Disk; disk != nil {
		s.disk = float64(c.Machine.At(disk.Latency))
		lines := float64(c.Machine.Memory.Size) / float64(last(c.Machine).Line) / float64(s.n)
		s.paging = d.beyond(lines) / max(1, d.total())
	}
	if s.nodes > 1 {
		if s.remote.share, err = r.remote(c); err != nil {
			return nil, err
		}
		s.remote.share /= max(1, d.total())
	}
	return s, nil
}

// remote is how many uses go to the memories of other nodes: those of blocks that one's own memory has no more, and first
// ones, if all nodes are equally likely to be a block's home.
func (r *Run) remote(c *Case) (float64, error) {
	m, n := c.Machine, float64(c.nodes())
	d, err := r.pooled(m.System.Block)
	if err != nil {
		return 0, err
	}
	d = d.scaled(float64(r.Processors) / float64(c.Processors))
	blocks := float64(m.Memory.Size) / float64(m.System.Block) / float64(c.perNode())
	return d.cold*(n-1)/n + d.beyond(blocks), nil
}

// touches is gamma in touches of lines: a reference that crosses lines is several.
func (r *Run) touches(d distances, gamma float64) (float64, error) {
	refs, ok := r.Params.Lookup("references")
	if !ok || refs.Value <= 0 {
		return gamma, nil
	}
	if refs.Unit != "1" || d.total() < refs.Value*(1-1e-9) {
		return 0, fmt.Errorf("%s: %s has %.0f uses of lines, fewer than the %.0f references of the parameters", r.Name, reuseFile, d.total(), refs.Value)
	}
	return gamma * d.total() / refs.Value, nil
}

// interval spans what the curve leaves open: how lines spread over the sets, from
// perfectly to at random, and how much bus times vary, from not at all to
// exponentially.
func (v Curve) interval(c *Case, r *Run, net remote, e unit.Seconds) (model.Interval, error) {
	out := model.Interval{Lo: e, Hi: e, Covers: "fully associative to binomial placement, fixed to exponential bus times"}
	for _, count := range []func(distances, int, int) float64{distances.misses, distances.missesOfOneSet} {
		in, err := v.inputs(c, r, net, count)
		if err != nil {
			return out, err
		}
		for _, t := range []func(int, float64, float64) float64{response, fixedResponse} {
			s := in.solve(t)
			x := unit.Seconds(s.eInstr(in.processors()))
			out.Lo, out.Hi = min(out.Lo, x), max(out.Hi, x)
		}
	}
	return out, nil
}

// fixedResponse is [response] of a server that takes the same time for everybody.
func fixedResponse(n int, lambda, tau float64) float64 {
	if lambda == 0 || math.IsInf(1/lambda, 0) {
		return tau
	}
	return tau + takacs(n, customer{think: 1 / lambda, holds: [3]hold{{tau, 1}}})
}
