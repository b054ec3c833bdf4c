package reuse

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// sampled is what a sample has found at all its rates, scaled to all uses.
type sampled struct {
	far   []scaled // ascending
	cold  float64
	left  []float64          // uses that miss from each of far on, and all cold ones: by sum
	group [groups]cellCounts // the same, of each group alone
}

// scaled is how many uses there are of a distance.
type scaled struct {
	distance uint64
	uses     float64
}

// cellCounts is uses by cell, and the cold ones at the end.
type cellCounts [cells + 1]float64

// distanceAt is the distance for a number of kept lines in between.
func distanceAt(kept int, rate float64) uint64 { return uint64(float64(kept) / rate) }

// add takes in what was found at a rate.
func (f *sampled) add(uses []uint64, cold uint64, rate float64) {
	f.cold += float64(cold) / rate
	for kept, n := range uses {
		if n > 0 {
			f.far = append(f.far, scaled{distanceAt(kept, rate), float64(n) / rate})
		}
	}
}

// significant is how many bits of a distance count when the rate varies. So there are no more
// than 512 distances to an octave, whatever the stream.
const significant = 10

// coarsen rounds distances down to those bits, and joins equal ones. No power of two is crossed.
func (f *sampled) coarsen() {
	for i := range f.far {
		d := &f.far[i].distance
		drop := max(0, bits.Len64(*d)-significant)
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

// add takes in what a group has found, when all groups together have the rate.
func (c *cellCounts) add(uses []uint64, cold uint64, rate float64) {
	c[cells] += float64(cold) / rate
	for kept, n := range uses {
		c[cellOf(distanceAt(kept, rate/groups))] += float64(n) / rate
	}
}

// cumulate makes it uses of at least the distance at which each cell starts.
func (c *cellCounts) cumulate() {
	for i := cells - 1; i >= 0; i-- {
		c[i] += c[i+1]
	}
}

// regress tells, from how the groups differ, how much the misses at the start of a cell change
// with those at the start of another one, of which something else is known with a standard error, and the standard
// error of the rest. The groups are cumulated. Without another cell, -1, all is rest.
func (f *sampled) regress(cell, on int, known float64) (slope, rest float64) {
	var x, y [groups]float64
	for g := range f.group {
		y[g] = f.group[g][cell]
		if on >= 0 {
			x[g] = f.group[g][on]
		}
	}
	if v := groups*stat.Variance(x[:], nil) + known*known; on >= 0 && v > 0 {
		// Between no correction and one in proportion: what is outside is chance.
		slope = min(max(0, groups*stat.Covariance(x[:], y[:], nil)/v), floats.Sum(y[:])/max(1, floats.Sum(x[:])))
		slope *= trust(slope, x[:], y[:])
	}
	return slope, stat.StdDev(residuals(slope, x[:], y[:]), nil) * math.Sqrt(groups*(groups-1.)/(groups-2))
}

// trust is by how much a slope is shrunk, as groups are few: by the share of its square that is the square of its standard error.
func trust(slope float64, x, y []float64) float64 {
	variance := stat.Variance(residuals(slope, x, y), nil) / (groups - 2) / stat.Variance(x, nil)
	if square(slope) > variance {
		return 1 - variance/square(slope)
	}
	return 0 // or x does not vary
}

// residuals is what a slope leaves of y.
func residuals(slope float64, x, y []float64) []float64 {
	out := slices.Clone(y)
	floats.AddScaled(out, -slope, x)
	return out
}

// from is the uses of at least a distance, which are not cold.
func (f *sampled) from(distance uint64) []scaled {
	i, _ := slices.BinarySearchFunc(f.far, distance, func(s scaled, at uint64) int { return cmp.Compare(s.distance, at) })
	return f.far[i:]
}

// sum finds how many uses are left from each distance on.
func (f *sampled) sum() {
	f.left = make([]float64, len(f.far)+1)
	f.left[len(f.far)] = f.cold
	for i := len(f.far) - 1; i >= 0; i-- {
		f.left[i] = f.left[i+1] + f.far[i].uses
	}
}

// misses is the uses that miss at a capacity, once they are summed.
func (f *sampled) misses(capacity float64) float64 {
	return f.left[len(f.far)-len(f.from(uint64(max(0, capacity))))]
}
