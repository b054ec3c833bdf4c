package cluster

import (
	"errors"
	"fmt"

	"spoor/analyze/phases"
	"spoor/traces/trace"
)

// node returns what processors of one node do in an order in which misses take time, or
// [phases.ErrNotCounted].
func (r *Run) node() (*phases.TrafficProfile, error) {
	if r.trafficTable == nil {
		return nil, fmt.Errorf("%w; run analyze with --run phases --per-node %d", phases.ErrNotCounted, r.Processors)
	}
	if r.timed == nil {
		n, err := phases.LoadNode(r.trafficTable, r.Processors)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		r.timed = n
	}
	return r.timed, nil
}

// singleNode reports whether all processors are in one node. They then wait only for each other.
func (c *Case) singleNode() bool { return c.nodes() == 1 && c.Processors > 1 }

// hitTime returns the mean time of an instruction or line access that hits, in seconds.
func (c *costs) hitTime(work program) float64 {
	all := work.sum()
	return (all.Instr*c.instr + all.Touches*c.touch) / (all.Instr + all.Touches)
}

// addTimed changes work to that of one node in an order in which misses take time and queue on the bus, and
// processors wait at locks and flags. That order was counted with caches of one shape. Its difference in
// misses from the order without time is added to the misses of m's caches.
func (r *Run) addTimed(c *Case, work program) error {
	node, err := r.node()
	if errors.Is(err, phases.ErrNotCounted) {
		return nil // addLockWarning warns of it
	}
	if err != nil {
		return err
	}
	profile, err := r.profile(node.Line)
	if err != nil {
		return err
	}
	same := node.Node == "" && last(c.Machine).Line == node.Line
	for phase := range work {
		for p := range work[phase] {
			for at := range work[phase][p] {
				w := &work[phase][p][at]
				timed := node.Window(trace.Proc(p), phase, profile.Windows[phase][at], 0)
				w.Remote.Waits = float64(timed.Waits)
				if !same {
					continue
				}
				counted, err := profile.WindowCounts(trace.Proc(p), phase, at, node.Sets, node.Ways)
				if err != nil {
					return err
				}
				w.addTimed(timed, counted)
			}
		}
	}
	return nil
}

// addTimed adds to w the difference of an order with time from the order without, as counted with caches of
// one shape.
func (w *windowWork) addTimed(timed phases.Traffic, counted phases.Counts) {
	flushed := max(0, w.Writebacks-w.Misses)
	add := func(to *float64, timed, counted uint64) { *to = max(0, *to+float64(timed)-float64(counted)) }
	add(&w.Misses, timed.Misses, counted.LoadMisses+counted.StoreMisses)
	add(&w.Upgrades, timed.Claims, counted.Upgrades)
	add(&w.Writebacks, timed.Writebacks, counted.Writebacks)
	w.Writebacks = min(w.Writebacks, w.Misses+flushed) // a miss evicts one line at most
}
