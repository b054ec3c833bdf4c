package cluster

import (
	"fmt"
)

// beyondShared is how many uses of all processors miss in the cache that they share. In a run with as many processors, lines come to it
// as processors' accesses interleave, and what one has fetched another finds; a run with fewer processors is scaled, and each processor
// has its part of the cache to itself.
//
// The private levels before it are taken to keep nothing from it: distances are those of all uses.
func (r *Run) beyondShared(c *Case) (float64, error) {
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
	return d.cold + d.beyond(float64(shared.Lines())/float64(c.perNode())), nil
}

// behindShared puts the cache that processors share between the private ones and the memory of work: of the misses of the private
// caches, and of what they push out, the part goes on to memory that misses there in the whole run.
func (r *Run) behindShared(c *Case, work program) (program, []error, error) {
	beyond, err := r.beyondShared(c)
	if err != nil {
		return nil, nil, err
	}
	before := 0.0
	each(work, func(w *Work) { before += w.Misses })
	part := min(1, beyond/max(1, before))
	each(work, func(w *Work) {
		w.Inner = append(w.Inner, w.Misses)
		w.Misses *= part
		w.Writebacks *= part
	})
	return work, []error{fmt.Errorf("misses of the shared cache, %.3g of those of the private ones, are spread over the run as those are", part)}, nil
}

// each passes on every stretch of work.
func each(work program, do func(w *Work)) {
	for i := range work {
		for p := range work[i] {
			for at := range work[i][p] {
				do(&work[i][p][at])
			}
		}
	}
}
