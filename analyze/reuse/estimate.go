package reuse

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// estimate computes the distances of all uses from the bursts and the sample of lines. The bursts determine
// the miss ratio at capacities up to the border. The sample determines it above the border.
type estimate struct {
	uses  float64 // of all lines
	rate  float64 // final sampling rate
	found *sampled

	bursts         []*burst                       // the one that determines the miss ratio at the start of each cell, up to the border
	ratios         []float64                      // by capacity up to the border, from bursts alone
	border         int                            // the cell that starts at the border; 0: bursts determine nothing
	misses         float64                        // at the border, from bursts and sample
	borderVariance float64                        // variance of misses
	excess         float64                        // misses at the border, of bursts less those of the sample
	errors         struct{ known, doubt float64 } // of excess, from bursts: standard error, and possible overestimate

	slopes     [cells + 1]float64 // share of the excess at the start of each cell
	residual   [cells + 1]float64 // standard error at the start of each cell, without the part that excess causes
	correction [cells + 1]float64 // corrected misses less those of the sample, at the start of each cell
}

func newEstimate(s *sampler) *estimate {
	e := &estimate{uses: float64(s.uses), rate: s.rate(), found: &s.found, ratios: []float64{1}}
	e.found.sum()
	for g := range e.found.group {
		e.found.group[g].cumulate()
	}
	known := map[*burst][]float64{}
	for _, b := range s.bursts {
		known[b] = b.ratios()
	}
	for c := range cells {
		i := slices.IndexFunc(s.bursts, func(b *burst) bool { return b.covers(c) })
		if i < 0 || c > 0 && e.burstVariance(s.bursts[i], c) > e.sampleVariance(c) {
			break
		}
		e.bursts = append(e.bursts, s.bursts[i])
		if c > 0 {
			e.ratios = append(e.ratios, known[s.bursts[i]][cellStart(c-1)+1:cellStart(c)+1]...)
			e.border = c
		}
	}
	return e
}

// burstVariance returns the variance of the misses at the start of a cell, estimated from a burst. It
// includes the doubt.
func (e *estimate) burstVariance(b *burst, c int) float64 {
	standard, doubt := b.errors(c)
	return square(e.uses) * (square(standard) + square(doubt) + square(rare/b.counted))
}

// sampleVariance returns the variance of the misses at the start of a cell, estimated from the sample. If the
// groups can measure this distance, their spread includes the error of distances. A group's distances are off
// by four times as much as those of the sample, and the mean over 16 groups divides that by four. At shorter
// distances, all uses that may be affected are in doubt.
func (e *estimate) sampleVariance(c int) float64 {
	_, spread := e.found.regress(c, -1, 0)
	return square(spread) + e.blurVariance(c)
}

// blurVariance returns the part of the variance that the groups do not show.
func (e *estimate) blurVariance(c int) float64 {
	known := square(rare / e.rate)
	capacity := float64(cellStart(c))
	if capacity*e.rate >= groups {
		return known
	}
	shift := e.distanceError(capacity)
	nearer := e.uses // all may be affected, in the sample or not
	if shift < capacity {
		nearer = e.found.misses(capacity - shift)
	}
	return square((nearer-e.found.misses(capacity+shift))/(2*normalQuantile)) + known
}

// distances fills d.
func (e *estimate) distances(d *Distances) {
	d.Cold = uint64(min(max(1, math.Round(e.found.cold)), e.uses))
	e.combineBorder()
	e.correct()
	e.makeMonotone()
	e.fillNear(d)
	e.fillFar(d)
	e.intervals(d)
}

// combineBorder computes the misses at the border: the mean of bursts and sample, weighted by their errors.
func (e *estimate) combineBorder() {
	e.misses = e.uses
	if e.border == 0 {
		return
	}
	b := e.bursts[e.border]
	e.errors.known, e.errors.doubt = b.errors(e.border)
	e.errors.known, e.errors.doubt = e.errors.known*e.uses, e.errors.doubt*e.uses
	sampled, byBursts := e.found.misses(float64(cellStart(e.border))), e.ratios[len(e.ratios)-1]*e.uses
	e.excess = byBursts - sampled
	ofSample, ofBursts := e.sampleVariance(e.border), e.burstVariance(b, e.border)
	e.misses = (byBursts*ofSample + sampled*ofBursts) / (ofSample + ofBursts)
	e.borderVariance = ofSample * ofBursts / (ofSample + ofBursts)
	e.misses = min(max(e.misses, e.found.cold), e.uses)
}

func square(x float64) float64 { return x * x }

// distanceError returns half the width of the 95 % interval of a distance in a sample. For independent
// hashes, the relative standard error of the number of kept lines among d lines is sqrt((1-R)/(R d)).
func (e *estimate) distanceError(distance float64) float64 {
	return normalQuantile * math.Sqrt((1-e.rate)/e.rate*distance)
}

// correct computes how much of the excess at the border applies to the sample's misses at larger capacities.
// It is none if the groups cannot measure the distances at the border, because these are too short.
func (e *estimate) correct() {
	on := -1
	if float64(cellStart(e.border))*e.rate >= groups {
		on = e.border
	}
	farthest := uint64(0)
	if n := len(e.found.far); n > 0 {
		farthest = e.found.far[n-1].distance
	}
	for c := e.border; c <= cells; c++ {
		if c == cells || cellStart(c) > farthest {
			on = -1 // only first uses are left, as many as the sample has lines
		}
		e.slopes[c], e.residual[c] = e.found.regress(c, on, e.errors.known)
	}
}

// makeMonotone computes the misses from the border on. Misses must not increase with capacity. Where
// corrected misses increase, all of them get their mean, weighted by errors (isotonic regression by pooling
// adjacent violators). So accurate results of the sample at large capacities also improve the border.
func (e *estimate) makeMonotone() {
	type pool struct{ misses, weight float64 }
	var pools []pool
	var ends []int
	for c := e.border; c < cells; c++ {
		p := pool{e.found.misses(float64(cellStart(c))) + e.slopes[c]*e.excess, 1 / (square(e.residual[c]) + square(e.slopes[c]*e.errors.known) + e.blurVariance(c))}
		if c == e.border && c > 0 {
			p = pool{e.misses, 1 / e.borderVariance}
		}
		for n := len(pools); n > 0 && pools[n-1].misses < p.misses; n-- {
			last := pools[n-1]
			p = pool{(last.misses*last.weight + p.misses*p.weight) / (last.weight + p.weight), last.weight + p.weight}
			pools, ends = pools[:n-1], ends[:n-1]
		}
		pools, ends = append(pools, p), append(ends, c)
	}
	c := e.border
	for i, p := range pools {
		for ; c <= ends[i]; c++ {
			e.correction[c] = p.misses - e.found.misses(float64(cellStart(c)))
		}
	}
	if e.border > 0 {
		e.misses = min(max(e.misses, pools[0].misses), e.uses)
	}
}

// correctionAt interpolates the correction between starts of cells.
func (e *estimate) correctionAt(capacity uint64) float64 {
	c := cellOf(capacity)
	from, to := cellStart(c), cellStart(c+1)
	return e.correction[c] + (e.correction[c+1]-e.correction[c])*float64(capacity-from)/float64(to-from)
}

// fillNear sets the uses at distances below the border.
func (e *estimate) fillNear(d *Distances) {
	e.misses = max(math.Round(e.misses), float64(d.Cold))
	last := uint64(e.uses)
	d.Uses = make([]uint64, len(e.ratios)-1)
	for i := range d.Uses {
		left := e.misses
		if capacity := i + 1; capacity < len(d.Uses) {
			left = max(left, math.Round(e.ratios[capacity]*e.uses))
		}
		next := min(last, uint64(left)) // misses never increase
		d.Uses[i] = last - next
		last = next
	}
}

// fillFar sets the uses at distances from the border on.
func (e *estimate) fillFar(d *Distances) {
	border := uint64(len(d.Uses))
	far := e.found.atLeast(border)
	misses := e.found.cold
	for _, s := range far {
		misses += s.uses
	}
	last := uint64(e.misses)
	far = e.withSteps(far)
	for i, s := range far {
		misses -= s.uses
		left := d.Cold
		if i < len(far)-1 {
			left = uint64(min(max(float64(left), math.Round(misses+e.correctionAt(s.distance+1))), float64(last)))
		}
		if n := last - left; n > 0 {
			d.Far = append(d.Far, Far{int64(s.distance), n})
		}
		last = left
	}
}

// withSteps adds the distances at which the correction changes, if the sample has no use there. These are the
// border, which gets the uses that the sample lacks, and the last distance of each cell.
func (e *estimate) withSteps(far []scaled) []scaled {
	all := append(slices.Clone(far), scaled{distance: cellStart(e.border)})
	for c := e.border + 2; len(far) > 0 && c < cells && cellStart(c) <= far[len(far)-1].distance; c++ {
		all = append(all, scaled{distance: cellStart(c) - 1})
	}
	slices.SortStableFunc(all, func(a, b scaled) int { return cmp.Compare(a.distance, b.distance) })
	return slices.CompactFunc(all, func(a, b scaled) bool { return a.distance == b.distance })
}

// intervals computes the 95 % interval of the miss ratio at the start of each cell.
//
// Below the border, the interval contains the standard error over stretches, and the doubt. Above it, the
// interval contains the spread of the groups and the error of distances. The second is added as the ratios at
// capacities smaller and larger by that error, because groups do not show it where the curve falls steeply.
func (e *estimate) intervals(d *Distances) {
	curve := newCumulated(d)
	ratio := func(capacity float64) float64 { return float64(curve.misses(uint64(max(0, capacity)))) / e.uses }
	for c := range cells {
		x := float64(cellStart(c))
		at := ratio(x)
		lo, hi := at, at
		if c < len(e.bursts) {
			b, raw := e.bursts[c], e.ratios[cellStart(c)]
			standard, doubt := b.errors(c)
			width := studentsQuantile(b.effectiveStretches()-1)*standard + rare/b.counted
			lo, hi = min(at, raw)-width-doubt, max(at, raw)+width
		} else {
			width := studentsQuantile(groups-2) * math.Hypot(e.residual[c], e.slopes[c]*e.errors.known) / e.uses
			doubt := e.slopes[c] * e.errors.doubt / e.uses
			lo, hi = min(at-width-doubt, ratio(x+e.distanceError(x))), max(at+width, ratio(x-e.distanceError(x)))
		}
		d.Within = append(d.Within, Bounds{max(0, lo), min(1, hi)})
	}
}

const upper = 0.975 // upper end of a 95 % interval, as a probability

var (
	normalQuantile = distuv.UnitNormal.Quantile(upper)
	// rare is the largest number of uses of a kind that plausibly exists although none was found: exp(-rare)
	// = 1 - upper.
	rare = -math.Log(1 - upper)
)

func studentsQuantile(freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(upper)
}

// cumulated looks up the number of misses at a capacity.
type cumulated struct {
	*Distances
	near []uint64 // by capacity
	far  []uint64 // at the capacity just above each far distance
}

func newCumulated(d *Distances) *cumulated {
	c := &cumulated{Distances: d}
	left := d.Total()
	for _, n := range d.Uses {
		c.near = append(c.near, left)
		left -= n
	}
	c.near = append(c.near, left)
	for _, f := range d.Far {
		left -= f.Uses
		c.far = append(c.far, left)
	}
	return c
}

func (c *cumulated) misses(capacity uint64) uint64 {
	if capacity < uint64(len(c.near)) {
		return c.near[capacity]
	}
	i, _ := slices.BinarySearchFunc(c.Far, int64(capacity), func(f Far, at int64) int { return cmp.Compare(f.Distance, at) })
	if i == 0 {
		return c.near[len(c.near)-1]
	}
	return c.far[i-1]
}
