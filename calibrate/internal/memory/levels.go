package memory

import (
	"math"

	"spoor/calibrate/internal/host"
)

// plateau is a range of sizes, first to last, with about the same time of a load.
type plateau struct {
	first, last int
	time        float64
}

const (
	// flat is the largest relative distance of a stretch from the rest of its plateau.
	flat = 0.12
	// step is the least ratio of the latencies of neighbouring levels. Known levels differ by 2 or more. A TLB
	// miss, or a ring that is longer for some lines, makes a smaller difference.
	step = 1.35
	// leastOctaves is the least length of a plateau; a shorter one is part of a rise.
	leastOctaves = 0.5
)

// plateaus finds the plateaus of times over sizes in two steps. noise is the standard deviation of the logarithms.
//
//  1. The curve is divided into k stretches of constant logarithm. k minimizes SSE/noise^2 + 3 k ln n, with SSE the sum
//     of squares about the stretches and n the number of sizes. This is Schwarz's criterion with three coefficients for
//     each change: its position, its level, and the choice of the position. Dynamic programming tries all divisions.
//  2. Stretches of half an octave or more are plateaus, with neighbours that are within 12 %. Stretches between them are
//     rises. Plateaus that differ by less than 1.35 are one.
func plateaus(sizes, times []float64, noise float64) (list []plateau) {
	for _, s := range stretches(times, noise) {
		p := plateau{s[0], s[1], median(times[s[0] : s[1]+1])}
		if n := len(list); n > 0 && list[n-1].last == p.first-1 && math.Abs(math.Log(p.time/list[n-1].time)) < flat {
			list[n-1].last = p.last
			list[n-1].time = median(times[list[n-1].first : p.last+1])
			continue
		}
		list = append(list, p)
	}
	var long []plateau
	for _, p := range list {
		if p.last == p.first || math.Log2(sizes[p.last]/sizes[p.first]) < leastOctaves-1e-3 {
			continue
		}
		if n := len(long); n > 0 && p.time < step*long[n-1].time {
			if p.time > long[n-1].time/step {
				long[n-1].last = p.last
			}
			continue
		}
		long = append(long, p)
	}
	return long
}

// stretches divides times into stretches, each from its first to its last index.
func stretches(times []float64, noise float64) (list [][2]int) {
	n := len(times)
	sum, squares := make([]float64, n+1), make([]float64, n+1)
	for i, y := range times {
		l := math.Log(y / times[0])
		sum[i+1], squares[i+1] = sum[i]+l, squares[i]+l*l
	}
	cost := func(from, to int) float64 {
		s := sum[to] - sum[from]
		return max(squares[to]-squares[from]-s*s/float64(to-from), 0) / (noise * noise)
	}
	penalty := 3 * math.Log(float64(n))
	best, from := make([]float64, n+1), make([]int, n+1)
	for end := 1; end <= n; end++ {
		best[end] = math.Inf(1)
		for begin := range end {
			if c := best[begin] + cost(begin, end) + penalty; c < best[end] {
				best[end], from[end] = c, begin
			}
		}
	}
	for end := n; end > 0; end = from[end] {
		list = append([][2]int{{from[end], end - 1}}, list...)
	}
	return list
}

// quarter is the height between two plateaus at which the size of a level is read. It is right for three kinds of
// caches:
//
//   - With contiguous memory and LRU replacement, sets overflow from the size C up to C (1 + 1/ways): a quarter is reached
//     at once.
//   - With random replacement, a quarter of a cycle misses at 1.15 C (1-m = e^(-m S/C)).
//   - With pages of random colours, a quarter is reached at about 0.85 C for 16 ways.
//
// All three are within a step of a quarter of an octave.
const quarter = 0.25

// rise returns the size at which times are a quarter of the way from a plateau to the next. It interpolates over
// the logarithm of the size.
func rise(sizes, times []float64, from, to plateau, low, high float64) float64 {
	threshold := low + quarter*(high-low)
	above := to.first
	for above > from.first && times[above-1] >= threshold {
		above--
	}
	if above == from.first || times[above] <= threshold {
		return sizes[above]
	}
	below := above - 1
	share := (threshold - times[below]) / (times[above] - times[below])
	return sizes[below] * math.Pow(sizes[above]/sizes[below], share)
}

// kernelPlateaus returns the plateaus that the kernel's caches should have. A hasty measurement without plateaus
// uses them.
func kernelPlateaus(sizes []float64, caches []host.KernelCache) (list []plateau) {
	from := 0.0
	for i := 0; i <= len(caches); i++ {
		to := math.Inf(1)
		if i < len(caches) {
			to = float64(caches[i].Size)
		}
		p := plateau{first: -1}
		for k, size := range sizes {
			if size > near*from && size < to/near {
				if p.first < 0 {
					p.first = k
				}
				p.last = k
			}
		}
		if p.first >= 0 {
			list = append(list, p)
		}
		from = to
	}
	return list
}
