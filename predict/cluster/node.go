package cluster

import (
	"errors"
	"fmt"

	"spoor/analyze/phases"
	"spoor/traces/trace"
)

// node is what processors of one node do in an order that takes time, or [phases.ErrNotCounted].
func (r *Run) node() (*phases.NodeProfile, error) {
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

// alone reports whether all processors are in one node, and wait for nobody else.
func (c *Case) alone() bool { return c.nodes() == 1 && c.Processors > 1 }

// hits is how long an instruction or use of a line takes on average, in seconds, where none misses.
func (c *costs) hits(work program) float64 {
	all := work.sum()
	return (all.Instr*c.instr + all.Touches*c.touch) / (all.Instr + all.Touches)
}

// inTime makes work that of one node in an order in which misses take time and turns on the bus, and locks and flags are waited for. That was
// counted with caches of one shape: those of m have as many misses more or less as these have in the order without time.
func (r *Run) inTime(c *Case, work program) error {
	node, err := r.node()
	if errors.Is(err, phases.ErrNotCounted) {
		return nil // a warning says so
	}
	if err != nil {
		return err
	}
	profile, err := r.profile(node.Line)
	if err != nil {
		return err
	}
	same := last(c.Machine).Line == node.Line
	for phase := range work {
		for p := range work[phase] {
			for at := range work[phase][p] {
				w := &work[phase][p][at]
				timed := node.Window(trace.Proc(p), phase, profile.Number(phase, at))
				w.Remote.Waits = float64(timed.Waits)
				if !same {
					continue
				}
				counted, err := profile.WindowCounts(trace.Proc(p), phase, at, node.Sets, node.Ways)
				if err != nil {
					return err
				}
				w.inTime(timed, counted)
			}
		}
	}
	return nil
}

// inTime adds to w what caches of one shape did more in an order that takes time than was counted in one that takes none.
func (w *Work) inTime(timed phases.Traffic, counted phases.Counts) {
	add := func(to *float64, timed, counted uint64) { *to = max(0, *to+float64(timed)-float64(counted)) }
	add(&w.Misses, timed.Misses, counted.LoadMisses+counted.StoreMisses)
	add(&w.Upgrades, timed.Claims, counted.Upgrades)
	add(&w.Writebacks, timed.Writebacks, counted.Writebacks)
}
