package reuse

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// sampled holds the uses that a sample found at all its rates, scaled to all uses.
type sampled struct {
	far   []scaled // by distance, ascending
	cold  float64
	tail  []float64          // sums: uses from far[i] on, with all first uses
	group [groups]cellCounts // the misses of each group alone
}

// scaled is a distance with its estimated number of uses.
type scaled struct {
	distance uint64
	uses     float64
}

// cellCounts holds uses by cell, with first uses at the end.
type cellCounts [cells + 1]float64

// distanceAt returns the estimated distance if the sample has this number of kept lines in between.
func distanceAt(kept int, rate float64) uint64 { return uint64(float64(kept) / rate) }

// add adds the uses found at a rate.
func (f *sampled) add(uses []uint64, cold uint64, rate float64) {
	f.cold += float64(cold) / rate
	for kept, n := range uses {
		if n > 0 {
			f.far = append(f.far, scaled{distanceAt(kept, rate), float64(n) / rate})
		}
	}
}

// significantBits is the number of bits to which distances are rounded when the rate varies. So an octave has
// at most 512 distances, whatever the stream.
const significantBits = 10

// coarsen rounds distances down to significantBits and merges equal ones. No distance is rounded across
// a power of two.
func (f *sampled) coarsen() {
	for i := range f.far {
		d := &f.far[i].distance
		drop := max(0, bits.Len64(*d)-significantBits)
		*d = *d >> drop << drop
	}
	slices.SortStableFunc(f.far, func(a, b scaled) int { return cmp.Compare(a.distance, b.distance) })
	n := 0
	for _, s := range f.far {
		if n > 0 && f.far[n-1].distance == s.distance {
			f.far[n-1].uses += s.uses
			continue
		}
		f.far[n] = s
		n++
	}
	f.far = f.far[:n]
}

// add adds the uses found by a group. rate is that of all groups together.
func (c *cellCounts) add(uses []uint64, cold uint64, rate float64) {
	c[cells] += float64(cold) / rate
	for kept, n := range uses {
		c[cellOf(distanceAt(kept, rate/groups))] += float64(n) / rate
	}
}

// cumulate turns the uses of each cell into the uses from the start of the cell on.
func (c *cellCounts) cumulate() {
	for i := cells - 1; i >= 0; i-- {
		c[i] += c[i+1]
	}
}

// regress estimates, from the spread of the groups, how the misses at the start of a cell depend on those at
// the start of cell on. known is the standard error of other information about cell on. It returns the slope
// and the residual standard error. The groups must be cumulated. If on is -1, the slope is 0.
func (f *sampled) regress(cell, on int, known float64) (slope, rest float64) {
	var x, y [groups]float64
	for g := range f.group {
		y[g] = f.group[g][cell]
		if on >= 0 {
			x[g] = f.group[g][on]
		}
	}
	if v := groups*stat.Variance(x[:], nil) + known*known; on >= 0 && v > 0 {
		// The slope lies between no correction and a proportional one. Values outside are random.
		slope = min(max(0, groups*stat.Covariance(x[:], y[:], nil)/v), floats.Sum(y[:])/max(1, floats.Sum(x[:])))
		slope *= shrinkage(slope, x[:], y[:])
	}
	return slope, stat.StdDev(residuals(slope, x[:], y[:]), nil) * math.Sqrt(groups*(groups-1.)/(groups-2))
}

// shrinkage returns the factor by which a slope is shrunk because groups are few: one minus the ratio of its
// squared standard error to its square.
func shrinkage(slope float64, x, y []float64) float64 {
	variance := stat.Variance(residuals(slope, x, y), nil) / (groups - 2) / stat.Variance(x, nil)
	if square(slope) > variance {
		return 1 - variance/square(slope)
	}
	return 0 // also if x does not vary
}

// residuals returns y minus slope times x.
func residuals(slope float64, x, y []float64) []float64 {
	out := slices.Clone(y)
	floats.AddScaled(out, -slope, x)
	return out
}

// atLeast returns the uses from a distance on, without first uses.
func (f *sampled) atLeast(distance uint64) []scaled {
	i, _ := slices.BinarySearchFunc(f.far, distance, func(s scaled, at uint64) int { return cmp.Compare(s.distance, at) })
	return f.far[i:]
}

// sum computes the tail sums.
func (f *sampled) sum() {
	f.tail = make([]float64, len(f.far)+1)
	f.tail[len(f.far)] = f.cold
	for i := len(f.far) - 1; i >= 0; i-- {
		f.tail[i] = f.tail[i+1] + f.far[i].uses
	}
}

// misses returns the uses that miss at a capacity. Call sum first.
func (f *sampled) misses(capacity float64) float64 {
	return f.tail[len(f.far)-len(f.atLeast(uint64(max(0, capacity))))]
}
