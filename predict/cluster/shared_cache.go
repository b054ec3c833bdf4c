package cluster

import (
	"fmt"

	"spoor/analyze/phases"
	"spoor/traces/trace"
)

// sharedCacheMisses returns how many uses of all processors miss in the cache that they share. In a run with
// as many processors, the shared cache sees the interleaved accesses, so one processor finds lines that
// another has fetched. A run with fewer processors is scaled, and each processor has its part of the cache for
// itself.
//
// The model assumes that the private levels keep no uses from the shared cache: distances are those of all
// uses.
func (r *Run) sharedCacheMisses(c *Case) (float64, error) {
	shared := c.Machine.Shared
	if r.Processors == c.Processors {
		d, err := r.interleaved(shared.Line)
		return d.misses(shared.Sets(), shared.Ways), err
	}
	d, err := r.pooled(shared.Line)
	if err != nil {
		return 0, err
	}
	d = d.scaled(float64(r.Processors) / float64(c.Processors))
	return d.cold + d.flushed + d.atLeast(float64(shared.Lines())/float64(c.perNode())), nil
}

// addSharedCache puts the shared cache between the private caches and the memory. Of the misses of the private
// caches, the share goes on to memory that misses in the shared cache over the whole run. The shared cache
// writes back only lines that it evicts. It evicts as many lines as it fetches, but for those that stay in it
// to the end.
func (r *Run) addSharedCache(c *Case, work program) ([]error, error) {
	beyond, err := r.sharedCacheMisses(c)
	if err != nil {
		return nil, err
	}
	before := 0.0
	eachWork(work, func(w *windowWork) { before += w.Misses })
	part := min(1, beyond/max(1, before))
	stay, err := r.staysShared(c)
	if err != nil {
		return nil, err
	}
	evicted := max(0, beyond-stay) / max(1, beyond)
	eachWork(work, func(w *windowWork) {
		w.Inner = append(w.Inner, w.Misses)
		w.Misses *= part
		w.Writebacks *= part * evicted
	})
	return []error{fmt.Errorf("misses of the shared cache are %.3g of those of the private caches throughout the run, by assumption", part)}, nil
}

// staysShared returns how many lines are in the shared cache at the end, if its sets fill evenly.
func (r *Run) staysShared(c *Case) (float64, error) {
	d, err := r.interleaved(c.Machine.Shared.Line)
	return min(d.cold, float64(c.Machine.Shared.Lines())), err
}

// eachWindow calls do for every stretch of work, with its window in the traffic table.
func eachWindow(work program, profile *phases.Profile, do func(w *windowWork, p trace.Proc, phase int, number int64)) {
	for phase := range work {
		for p := range work[phase] {
			for at := range work[phase][p] {
				do(&work[phase][p][at], trace.Proc(p), phase, profile.Windows[phase][at])
			}
		}
	}
}

// eachWork calls do for every stretch of work.
func eachWork(work program, do func(w *windowWork)) {
	for i := range work {
		for p := range work[i] {
			for at := range work[i][p] {
				do(&work[i][p][at])
			}
		}
	}
}
