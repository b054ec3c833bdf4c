package cluster

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// distances counts uses of lines by LRU stack distance, in lines.
type distances struct {
	cold      float64 // first uses: the number of distinct lines
	flushed   float64 // uses of lines that were flushed since their last use: they miss in all caches
	footprint float64 // distinct lines of the processor with the most
	at        []float64
	count     []float64
}

// total returns the number of uses.
func (d distances) total() float64 {
	sum := d.cold + d.flushed
	for _, n := range d.count {
		sum += n
	}
	return sum
}

// atLeast returns the number of uses at a distance of lines or more, without first uses.
func (d distances) atLeast(lines float64) (sum float64) {
	for i, x := range d.at {
		if x >= lines {
			sum += d.count[i]
		}
	}
	return sum
}

// missesOfOneSet returns the number of misses of a fully associative LRU cache with sets x ways lines.
func (d distances) missesOfOneSet(sets, ways int) float64 {
	return d.cold + d.flushed + d.atLeast(float64(sets)*float64(ways))
}

// misses returns the number of misses of a set-associative LRU cache. Lines fall into sets at random. A use at
// distance d misses if at least ways of the d lines in between fell into its set:
//
//	P(miss | d) = P[Bin(d, 1/sets) >= ways]
//
// Source: [smith1978]. Regular strides of a power of two miss more often than that.
func (d distances) misses(sets, ways int) float64 {
	if sets == 1 {
		return d.missesOfOneSet(sets, ways)
	}
	sum := d.cold + d.flushed
	w := float64(ways)
	for i, x := range d.at {
		if x >= w {
			sum += d.count[i] * mathext.RegIncBeta(w, x-w+1, 1/float64(sets))
		}
	}
	return sum
}

// scaled returns the distances if each processor does the given part of the work.
//
// Some uses find their line within one processor's future share of the footprint. Their distances stay,
// because each processor still walks through its share in the same way. Uses from beyond find the line nearer
// by that factor, as all distances do in [du2000]: P_n(x) = P_1(n x).
//
// Differs: the paper scales all distances, also those within one row or block, which no partition shortens.
func (d distances) scaled(part float64) distances {
	if part == 1 {
		return d
	}
	out := distances{cold: d.cold, flushed: d.flushed, footprint: d.footprint * part, count: d.count, at: slices.Clone(d.at)}
	for i, x := range out.at {
		if x >= out.footprint {
			out.at[i] = x * part
		}
	}
	return out
}

// perProcessor reads the distances of every processor of the run.
func (r *Run) perProcessor(line unit.Bytes) ([]distances, error) {
	all, err := r.distances(line)
	if err != nil {
		return nil, err
	}
	return all[:r.Processors], nil
}

// interleaved reads the distances in the interleaved order of all processors.
func (r *Run) interleaved(line unit.Bytes) (distances, error) {
	all, err := r.distances(line)
	if err != nil || r.Processors == 1 {
		return append(all, distances{})[0], err
	}
	d := all[r.Processors]
	if d.total() == 0 {
		return d, fmt.Errorf("%s: %s has no interleaved order; run analyze without --interleaved=false", r.Name, reuseFile)
	}
	return d, nil
}

// distances reads those of every processor, and then those of the interleaved order.
func (r *Run) distances(line unit.Bytes) ([]distances, error) {
	if r.reuseTable == nil {
		return nil, fmt.Errorf("%s has no %s; run analyze with --run reuse,locality", r.Name, reuseFile)
	}
	proc, err1 := store.Data[int32](r.reuseTable, "proc")
	size, err2 := store.Data[int64](r.reuseTable, "line")
	at, err3 := store.Data[int64](r.reuseTable, "distance")
	count, err4 := store.Data[uint64](r.reuseTable, "count")
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	out := make([]distances, r.Processors+1)
	var sizes []int64
	for i, p := range proc {
		if !slices.Contains(sizes, size[i]) {
			sizes = append(sizes, size[i])
		}
		switch {
		case p < -1 || int(p) >= r.Processors || at[i] < reuse.Flushed:
			return nil, fmt.Errorf("%s: row %d of %s: distance %d of processor %d is impossible", r.Name, i, reuseFile, at[i], p)
		case size[i] != int64(line):
			continue
		}
		if p < 0 {
			p = int32(r.Processors)
		}
		switch {
		case at[i] == reuse.Flushed:
			out[p].flushed += float64(count[i])
		case at[i] < 0:
			out[p].cold += float64(count[i])
			out[p].footprint = out[p].cold
		default:
			out[p].at = append(out[p].at, float64(at[i]))
			out[p].count = append(out[p].count, float64(count[i]))
		}
	}
	if !slices.Contains(sizes, int64(line)) && len(proc) > 0 {
		return nil, fmt.Errorf("%s: %s has lines of %v bytes, the machine of %v; run analyze with --line %v", r.Name, reuseFile, sizes, int64(line), line)
	}
	return out, nil
}

// pooled returns the distances of all processors together, each within its own references.
func (r *Run) pooled(line unit.Bytes) (distances, error) {
	if d, known := r.pools[line]; known {
		return d, nil
	}
	all, err := r.perProcessor(line)
	if err != nil {
		return distances{}, err
	}
	var sum distances
	byDistance := map[float64]float64{}
	for _, d := range all {
		sum.cold += d.cold
		sum.flushed += d.flushed
		sum.footprint = max(sum.footprint, d.footprint)
		for i, x := range d.at {
			byDistance[x] += d.count[i]
		}
	}
	for x := range byDistance {
		sum.at = append(sum.at, x)
	}
	slices.Sort(sum.at)
	for _, x := range sum.at {
		sum.count = append(sum.count, byDistance[x])
	}
	if r.pools == nil {
		r.pools = map[unit.Bytes]distances{}
	}
	r.pools[line] = sum
	return sum, nil
}
