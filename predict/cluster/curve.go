package cluster

import (
	"cmp"
	"fmt"
	"math"

	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// Curve is [Paper] with the measured stack distances in place of the power law. They are those of the run with
// c.Processors processors. Each processor has its own distances, and they are pooled.
//
//   - Set-associative caches always get the binomial correction (see [distances.misses]).
//   - Data that fits into memory causes no disk accesses, because the curve ends at the footprint.
//   - Memory is shared, so each of n processors has an n-th of it for its own data.
//   - In a cluster, first uses of blocks are remote too (see [Run.remoteUses]).
//   - If an access holds the memory for less than its whole time, the bus is a queue for that shorter time only.
//   - The processor waits for a part of the misses that overlap (see [overlap]).
//   - A cache that processors share has the misses of their interleaved order (see [Run.sharedCacheMisses]).
//
// Without a run with so many processors, the run with the next smaller number is scaled: see
// [distances.scaled].
type Curve struct{}

var _ model.Model[*Case] = Curve{}

// Name returns "curve".
func (Curve) Name() string { return "curve" }

// Paper returns the key of [du2000].
func (Curve) Paper() string { return paperKey }

// Predict needs the stack distances of a run at the line sizes of the machine's caches.
func (v Curve) Predict(c *Case) (model.Prediction, error) {
	c = c.ranksAlone().withoutBus()
	if err := cmp.Or(c.check(), c.requireEqualNodes(v.Name()), c.requireReferences(v.Name())); err != nil {
		return model.Prediction{}, err
	}
	r, err := c.nearest()
	if err != nil {
		return model.Prediction{}, err
	}
	net, err := c.remoteAccess()
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
	pred.Bounds = c.boundsOf(in.gamma, in.least())
	c.raise(&pred)
	if c.Processors > 1 {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("the curve has no coherence misses, no upgrades and no write-backs"))
	}
	if r.Processors != c.Processors {
		pred.Warnings = append(pred.Warnings, scaledWarning("stack distances are", r, c))
	}
	if c.nodes() > 1 {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("first uses of blocks are remote with probability (N-1)/N, as if homes were random"))
	}
	pred.Warnings = append(pred.Warnings, r.coldWarning(c, in.memory)...)
	pred.Warnings = append(pred.Warnings, barrierWarning(c, r)...)
	return c.complete(pred, v.Name(), r)
}

// coldWarning warns if most misses of all caches are first uses of lines, as in a short run. The argument
// misses is their share of all uses.
func (r *Run) coldWarning(c *Case, misses float64) []error {
	d, err := r.pooled(last(c.Machine).Line)
	if err != nil || c.Machine.Shared != nil {
		return nil
	}
	if first := d.cold / max(1, misses*d.total()); first > 0.5 {
		return []error{fmt.Errorf("%.0f %% of the misses are first uses of lines; a longer run on the same data has fewer per instruction", 100*first)}
	}
	return nil
}

// nearest returns the run with as many processors as the case, or the next smaller one.
func (c *Case) nearest() (*Run, error) {
	var best *Run
	for _, r := range c.Runs {
		if r.Processors <= c.Processors {
			best = r
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no run has %d processors or fewer; the runs have %s", c.Processors, c.runSizes())
	}
	return best, nil
}

// inputs returns the inputs of (3.16). The function count gives the misses of a cache.
func (Curve) inputs(c *Case, r *Run, net remoteAccess, count func(d distances, sets, ways int) float64) (*smp, error) {
	gamma, err := r.gamma()
	if err != nil {
		return nil, err
	}
	s := &smp{costs: costsOf(c.Machine), n: c.perNode(), remoteAccess: net, gamma: gamma.Value, pipelined: true, overlaps: true, noBarriers: !r.meetsAtBarriers()}
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
		misses, err := r.sharedCacheMisses(c)
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
		s.paging = d.atLeast(lines) / max(1, d.total())
	}
	if s.nodes > 1 {
		if s.remoteAccess.share, err = r.remoteUses(c); err != nil {
			return nil, err
		}
		s.remoteAccess.share /= max(1, d.total())
	}
	return s, nil
}

// remoteUses returns how many uses go to the memories of other nodes. These are uses of blocks that the node's
// own memory no longer holds, and first uses, if all nodes are equally likely to be the home of a block.
func (r *Run) remoteUses(c *Case) (float64, error) {
	m, n := c.Machine, float64(c.nodes())
	d, err := r.pooled(m.System.Block)
	if err != nil {
		return 0, err
	}
	d = d.scaled(float64(r.Processors) / float64(c.Processors))
	blocks := float64(m.Memory.Size) / float64(m.System.Block) / float64(c.perNode())
	return d.cold*(n-1)/n + d.atLeast(blocks), nil
}

// touches returns gamma in line accesses: a reference that crosses lines accesses several.
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

// interval spans what the curve leaves open. Lines spread over the sets perfectly or at random. Bus times are
// fixed or exponential.
func (v Curve) interval(c *Case, r *Run, net remoteAccess, e unit.Seconds) (model.Interval, error) {
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

// fixedResponse is [response] of a server with equal service times.
func fixedResponse(n int, lambda, tau float64) float64 {
	if lambda == 0 || math.IsInf(1/lambda, 0) {
		return tau
	}
	return tau + takacs(n, customer{think: 1 / lambda, holds: [3]hold{{tau, 1}}})
}
