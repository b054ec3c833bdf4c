package reuse

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// estimate makes the distances of all uses of what bursts and a sample found. Up to
// a capacity, the border, bursts tell the miss ratio, and above it the sample does.
type estimate struct {
	uses  float64 // all
	rate  float64 // the last one
	found *sampled

	near   []*burst                       // which one tells the miss ratio at the start of each cell, up to the border
	ratios []float64                      // by capacity, of bursts alone, up to the border
	border int                            // the cell that starts there: 0 if bursts tell nothing
	misses float64                        // at the border, by bursts and sample
	joined float64                        // variance of that
	excess float64                        // misses at the border by bursts alone, above those of the sample
	errors struct{ known, doubt float64 } // of excess, by the bursts: standard error and what may be too much

	slope [cells + 1]float64 // how much of the excess there is at the start of a cell
	rest  [cells + 1]float64 // standard error, without the part from bursts
	more  [cells + 1]float64 // misses at the start of a cell, above those of the sample
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
		i := slices.IndexFunc(s.bursts, func(b *burst) bool { return b.knows(c) })
		if i < 0 || c > 0 && e.ofBursts(s.bursts[i], c) > e.ofSample(c) {
			break
		}
		e.near = append(e.near, s.bursts[i])
		if c > 0 {
			e.ratios = append(e.ratios, known[s.bursts[i]][cellStart(c-1)+1:cellStart(c)+1]...)
			e.border = c
		}
	}
	return e
}

// ofBursts is the variance of the misses at the start of a cell by bursts, the doubt included.
func (e *estimate) ofBursts(b *burst, c int) float64 {
	standard, doubt := b.errors(c)
	return square(e.uses) * (square(standard) + square(doubt) + square(rare/b.counted))
}

// ofSample is the same by the sample. Where the groups know the distances, what these are off by is in how they differ: a group's are
// off by four times as much, and all of them together by a quarter of that. Nearer, all uses that may be meant are in doubt.
func (e *estimate) ofSample(c int) float64 {
	_, spread := e.found.regress(c, -1, 0)
	return square(spread) + e.blur(c)
}

// blur is the part that the groups do not show.
func (e *estimate) blur(c int) float64 {
	known := square(rare / e.rate)
	capacity := float64(cellStart(c))
	if capacity*e.rate >= groups {
		return known
	}
	shift := e.shift(capacity)
	nearer := e.uses // all may be meant, whether in the sample or not
	if shift < capacity {
		nearer = e.found.misses(capacity - shift)
	}
	return square((nearer-e.found.misses(capacity+shift))/(2*normalQuantile)) + known
}

// distances fills d.
func (e *estimate) distances(d *Distances) {
	d.Cold = uint64(min(max(1, math.Round(e.found.cold)), e.uses))
	e.join()
	e.correct()
	e.settle()
	e.short(d)
	e.long(d)
	e.interval(d)
}

// join finds the misses at the border: bursts and sample are weighted by their errors.
func (e *estimate) join() {
	e.misses = e.uses
	if e.border == 0 {
		return
	}
	b := e.near[e.border]
	e.errors.known, e.errors.doubt = b.errors(e.border)
	e.errors.known, e.errors.doubt = e.errors.known*e.uses, e.errors.doubt*e.uses
	sampled, byBursts := e.found.misses(float64(cellStart(e.border))), e.ratios[len(e.ratios)-1]*e.uses
	e.excess = byBursts - sampled
	ofSample, ofBursts := e.ofSample(e.border), e.ofBursts(b, e.border)
	e.misses = (byBursts*ofSample + sampled*ofBursts) / (ofSample + ofBursts)
	e.joined = ofSample * ofBursts / (ofSample + ofBursts)
	e.misses = min(max(e.misses, e.found.cold), e.uses)
}

func square(x float64) float64 { return x * x }

// shift is by how much a distance in a sample may be wrong: the relative standard error of the number of kept
// lines among d is sqrt((1-R)/(R d)) for independent hashes.
func (e *estimate) shift(distance float64) float64 {
	return normalQuantile * math.Sqrt((1-e.rate)/e.rate*distance)
}

// correct finds how much the excess of bursts over the sample at the border says of the sample's misses
// above it. Nothing, if the distances there are so short that the groups do not know them.
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
			on = -1 // only cold uses are left, as many as there are lines in the sample
		}
		e.slope[c], e.rest[c] = e.found.regress(c, on, e.errors.known)
	}
}

// settle finds the misses from the border on. They never rise: where corrected ones do, all that are concerned take
// their mean, weighted by errors (isotonic regression by pooling adjacent violators). So what the sample knows well of large capacities
// holds for the border too.
func (e *estimate) settle() {
	type pool struct{ misses, weight float64 }
	var pools []pool
	var ends []int
	for c := e.border; c < cells; c++ {
		p := pool{e.found.misses(float64(cellStart(c))) + e.slope[c]*e.excess, 1 / (square(e.rest[c]) + square(e.slope[c]*e.errors.known) + e.blur(c))}
		if c == e.border && c > 0 {
			p = pool{e.misses, 1 / e.joined}
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
			e.more[c] = p.misses - e.found.misses(float64(cellStart(c)))
		}
	}
	if e.border > 0 {
		e.misses = min(max(e.misses, pools[0].misses), e.uses)
	}
}

// moreAt interpolates.
func (e *estimate) moreAt(capacity uint64) float64 {
	c := cellOf(capacity)
	from, to := cellStart(c), cellStart(c+1)
	return e.more[c] + (e.more[c+1]-e.more[c])*float64(capacity-from)/float64(to-from)
}

// short is the uses at the distances below the border.
func (e *estimate) short(d *Distances) {
	e.misses = max(math.Round(e.misses), float64(d.Cold))
	last := uint64(e.uses)
	d.Uses = make([]uint64, len(e.ratios)-1)
	for i := range d.Uses {
		left := e.misses
		if capacity := i + 1; capacity < len(d.Uses) {
			left = max(left, math.Round(e.ratios[capacity]*e.uses))
		}
		next := min(last, uint64(left)) // misses never rise
		d.Uses[i] = last - next
		last = next
	}
}

// long is the uses at the other distances.
func (e *estimate) long(d *Distances) {
	border := uint64(len(d.Uses))
	far := e.found.from(border)
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
			left = uint64(min(max(float64(left), math.Round(misses+e.moreAt(s.distance+1))), float64(last)))
		}
		if n := last - left; n > 0 {
			d.Far = append(d.Far, Far{int64(s.distance), n})
		}
		last = left
	}
}

// withSteps puts the distances at which the correction changes, where the sample has none, among the far ones: the border,
// which has what the sample has too few of, and the last of each cell.
func (e *estimate) withSteps(far []scaled) []scaled {
	all := append(slices.Clone(far), scaled{distance: cellStart(e.border)})
	for c := e.border + 2; len(far) > 0 && c < cells && cellStart(c) <= far[len(far)-1].distance; c++ {
		all = append(all, scaled{distance: cellStart(c) - 1})
	}
	slices.SortStableFunc(all, func(a, b scaled) int { return cmp.Compare(a.distance, b.distance) })
	return slices.CompactFunc(all, func(a, b scaled) bool { return a.distance == b.distance })
}

// interval is the 95 % interval of the miss ratio at the start of each cell.
//
// What bursts tell has the error of the mean over stretches, and the doubt. What the sample tells has that
// of the groups; besides, the true ratio may be that of a capacity as much nearer or farther as distances may be wrong.
// The groups do not show that where the curve falls at once.
func (e *estimate) interval(d *Distances) {
	curve := newCumulated(d)
	ratio := func(capacity float64) float64 { return float64(curve.misses(uint64(max(0, capacity)))) / e.uses }
	for c := range cells {
		x := float64(cellStart(c))
		at := ratio(x)
		lo, hi := at, at
		if c < len(e.near) {
			b, raw := e.near[c], e.ratios[cellStart(c)]
			standard, doubt := b.errors(c)
			width := studentsQuantile(b.stretches()-1)*standard + rare/b.counted
			lo, hi = min(at, raw)-width-doubt, max(at, raw)+width
		} else {
			width := studentsQuantile(groups-2) * math.Hypot(e.rest[c], e.slope[c]*e.errors.known) / e.uses
			doubt := e.slope[c] * e.errors.doubt / e.uses
			lo, hi = min(at-width-doubt, ratio(x+e.shift(x))), max(at+width, ratio(x-e.shift(x)))
		}
		d.Within = append(d.Within, Bounds{max(0, lo), min(1, hi)})
	}
}

const upper = 0.975 // end of a 95 % interval

var (
	normalQuantile = distuv.UnitNormal.Quantile(upper)
	// rare is how many uses may well be of a kind that none was found of: exp(-rare) = 1 - upper.
	rare = -math.Log(1 - upper)
)

func studentsQuantile(freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(upper)
}

// cumulated answers how many uses miss.
type cumulated struct {
	*Distances
	near []uint64 // misses by capacity
	far  []uint64 // misses at the capacity above each far distance
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
