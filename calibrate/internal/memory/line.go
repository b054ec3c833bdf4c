package memory

import (
	"fmt"
	"math"

	"spoor/traces/unit"
)

// minLineRatio is the least ratio of the times of pairs on two lines and on one. With less, the line size cannot
// be determined.
const minLineRatio = 1.15

// line computes the line size from pairs of loads that are d apart, in a region larger than the first level. The
// second load hits in the first level if both are on one line. Of the powers of two, the line is the d that
// divides the logarithms of times into two groups, below and from d on, with the least squares about their means.
// Pairs are in the region nearest to the geometric mean of the sizes of the first two levels, so that memory and
// its prefetching do not interfere.
func (s *study) line() {
	region := s.pairRegion()
	c := s.over(Pair, func(p Point) float64 {
		if p.Region != region {
			return 0
		}
		return float64(p.Stride)
	})
	row := s.perLaunch(c, c.medians(), func(y []float64) float64 { return lineOf(c.sizes, y) })
	v := estimate(row, 0)
	s.Line = Value{Name: "line", Unit: "B", Value: v.Value, Lo: math.NaN(), Hi: math.NaN(), N: c.n,
		Method: fmt.Sprintf("pairs of loads in %v: where those on one line end; %s", region, v.Method)}
	if math.IsNaN(v.Value) {
		s.warn("pairs of loads do not determine the line size")
		return
	}
	for _, line := range row {
		if math.IsNaN(line) {
			continue
		}
		s.Line.Lo, s.Line.Hi = minKnown(s.Line.Lo, line), -minKnown(-s.Line.Hi, -line)
	}
	if !unit.Bytes(s.Line.Value).IsPowerOfTwo() { // the median of an even number of launches
		s.Line.Value = s.Line.Lo
	}
}

func minKnown(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}

// pairRegion returns the region from which pairs are used.
func (s *study) pairRegion() (region unit.Bytes) {
	target := 256.0 * 1024
	if len(s.Levels) > 2 {
		target = math.Sqrt(s.Levels[0].Size.Value * s.Levels[1].Size.Value)
	}
	far := func(r unit.Bytes) float64 { return math.Abs(math.Log(float64(r) / target)) }
	for p := range s.least {
		if p.Kind == Pair && (region == 0 || far(p.Region) < far(region)) {
			region = p.Region
		}
	}
	return region
}

// lineOf returns the line size; NaN if it cannot be determined.
func lineOf(sizes, times []float64) float64 {
	line, least := math.NaN(), math.Inf(1)
	for i := 1; i < len(sizes); i++ {
		below, squaresBelow := spreadOf(times[:i])
		from, squaresFrom := spreadOf(times[i:])
		if squares := squaresBelow + squaresFrom; squares < least && from-below > math.Log(minLineRatio) {
			line, least = sizes[i], squares
		}
	}
	return line
}

// spreadOf returns the mean of logarithms, and the sum of squares about it.
func spreadOf(times []float64) (mean, squares float64) {
	for _, y := range times {
		mean += math.Log(y) / float64(len(times))
	}
	for _, y := range times {
		squares += (math.Log(y) - mean) * (math.Log(y) - mean)
	}
	return mean, squares
}

// buffers computes the reach of TLBs from the extra time of a load if every load goes to another page, compared
// with as many lines that lie together. Below mostPages both are within the caches, whose levels cancel.
func (s *study) buffers(chase *curve) {
	c := s.over(Pages, func(p Point) float64 { return float64(p.Region) })
	if len(c.sizes) < 8 || len(s.Levels) == 0 {
		return
	}
	packed, base := chase.medians(), s.Levels[0].Latency.Value
	extra := &curve{sizes: c.sizes, n: c.n}
	for i, row := range c.times {
		together := at(chase.sizes, packed, c.sizes[i]/float64(page)*float64(s.stride))
		less := make([]float64, len(row))
		for l, y := range row {
			less[l] = base + max(y-together, 0)
		}
		extra.times = append(extra.times, less)
	}
	medians := extra.medians()
	found := plateaus(extra.sizes, medians, max(extra.noise(), leastBufferNoise))
	for i := 0; i < mostBuffers && i+1 < len(found); i++ {
		p, next := found[i], found[i+1]
		b := Buffer{Reach: s.sizeOf(extra, medians, p, next, fmt.Sprintf("tlb%d_reach", i+1), "chase over pages, less one over as many lines together,")}
		b.Penalty = estimate(s.perLaunch(extra, medians, func(y []float64) float64 {
			return median(y[next.first:next.last+1]) - median(y[p.first:p.last+1])
		}), agreed)
		b.Penalty.Name, b.Penalty.Unit, b.Penalty.N = fmt.Sprintf("tlb%d_penalty", i+1), "s", extra.n
		b.Penalty.Method = fmt.Sprintf("what chases over pages of %v to %v take longer: %s", unit.Bytes(c.sizes[next.first]), unit.Bytes(c.sizes[next.last]), b.Penalty.Method)
		s.Buffers = append(s.Buffers, b)
	}
}

// mostBuffers bounds the number of levels. A further rise comes from page tables that leave the caches.
const mostBuffers = 2

// leastBufferNoise is the least noise of differences of two curves.
const leastBufferNoise = 0.03

// at interpolates over the logarithm of sizes.
func at(sizes, times []float64, size float64) float64 {
	i := 1
	for i+1 < len(sizes) && sizes[i] < size {
		i++
	}
	share := math.Log(size/sizes[i-1]) / math.Log(sizes[i]/sizes[i-1])
	return times[i-1] + min(max(share, 0), 1)*(times[i]-times[i-1])
}
