package cluster

import (
	"fmt"
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
	return d.cold + d.atLeast(float64(shared.Lines())/float64(c.perNode())), nil
}

// addSharedCache puts the shared cache between the private caches and the memory. Of the misses and
// write-backs of the private caches, the share goes on to memory that misses in the shared cache over the
// whole run.
func (r *Run) addSharedCache(c *Case, work program) (program, []error, error) {
	beyond, err := r.sharedCacheMisses(c)
	if err != nil {
		return nil, nil, err
	}
	before := 0.0
	eachWork(work, func(w *Work) { before += w.Misses })
	part := min(1, beyond/max(1, before))
	eachWork(work, func(w *Work) {
		w.Inner = append(w.Inner, w.Misses)
		w.Misses *= part
		w.Writebacks *= part
	})
	return work, []error{fmt.Errorf("misses of the shared cache are %.3g of those of the private caches throughout the run, by assumption", part)}, nil
}

// eachWork calls do for every stretch of work.
func eachWork(work program, do func(w *Work)) {
	for i := range work {
		for p := range work[i] {
			for at := range work[i][p] {
				do(&work[i][p][at])
			}
		}
	}
}
