// Package memory measures the memory of a host: line size, cache levels with latencies and bandwidths, reach of
// the TLBs, outstanding misses, and the costs of touching a page and of gathering scattered items.
//
// Latencies are those of dependent loads along a random cycle through a region: each load has its address from the
// previous one. The size of the region varies in steps of less than an octave. The time rises where the region no
// longer fits into a level. If the kernel provides pages of 2 MiB, regions are in them, and the cycle visits the
// region in random order. Otherwise the cycle stays in windows of 32 pages until all their lines are visited, so
// that address translation costs almost nothing. TLBs are measured separately.
//
// The result of a measurement is a table of samples. Fit computes everything from it, on any machine.
package memory

import (
	"fmt"
	"math"
	"math/rand/v2"

	"spoor/traces/unit"
)

// Kind is the kind of an experiment.
type Kind string

// Experiments. Times are of one operation.
const (
	Chase  Kind = "chase"  // a load of a chain of loads through a region, one for every stride
	Pair   Kind = "pair"   // two loads of a chain, a stride apart, in blocks of 1 KiB in random order
	Pages  Kind = "pages"  // a load of a chain that goes to another page every time
	Read   Kind = "read"   // a byte, loaded in order, eight at a time
	Touch  Kind = "touch"  // the first touch of a page
	Gather Kind = "gather" // an item of 4 bytes, copied from where they are a stride apart to where they are not
	Clock  Kind = "clock"  // an operation of a chain of additions: one period of the clock
	Loop   Kind = "loop"   // an instruction of a dot product of vectors in the first level
	Chains Kind = "chains" // a load of one of several chains of loads at once, which begin a stride from each other on one cycle
	Behind Kind = "behind" // a load of a chain, and behindInstructions that do not need it
)

// Point is an experiment and its size.
type Point struct {
	Kind   Kind
	Region unit.Bytes
	Stride unit.Bytes // distance of loads; of pairs, between the two; of chains, between neighbouring chains
}

func (p Point) String() string { return fmt.Sprintf("%s of %v, stride %v", p.Kind, p.Region, p.Stride) }

const (
	page       = unit.Bytes(4 << 10)
	pairBlock  = unit.Bytes(1 << 10)
	leastLine  = unit.Bytes(16)
	mostLine   = unit.Bytes(512)
	leastChase = unit.Bytes(1 << 10)
	leastRead  = unit.Bytes(8 << 10)
	mostPages  = 32768
	item       = 4
	gathered   = 4096            // items of a gather
	apart      = unit.Bytes(128) // distance of loads of several chains, whatever the line

	// An experiment Behind has 64 times 32 additions and exclusive ors in two chains, and add, compare and branch.
	behindInstructions = 64 * (32 + 3)
)

// gatherStrides are those of the columns of matrices, and the same with one more line, which spread over sets.
var gatherStrides = []unit.Bytes{4, 64, 256, 1024, 4096, 4096 + 64, 16384, 16384 + 64}

// Plan returns the points for a host with the given largest region, with so many sizes in an octave, and the given
// distance of loads in chases.
func Plan(largest, stride unit.Bytes, octave int) (plan []Point) {
	plan = append(plan, Point{Kind: Clock}, Point{Kind: Loop, Region: leastRead}, Point{Kind: Touch, Region: 256 * page})
	for _, size := range sizes(leastChase, largest, octave, stride) {
		plan = append(plan, Point{Chase, size, stride})
	}
	for _, n := range sizes(16, mostPages, octave, 1) {
		plan = append(plan, Point{Pages, n * page, page})
	}
	plan = append(plan, pairs(64<<10, min(1<<20, largest))...)
	for _, size := range sizes(leastRead, largest, 1, page) {
		plan = append(plan, Point{Read, size, 8})
	}
	for _, s := range gatherStrides {
		plan = append(plan, Point{Gather, gathered * s, s})
	}
	return append(plan, aheadPlan(largest)...)
}

// pairs returns the points of all distances, in regions of least, twice that, and so on.
func pairs(least, most unit.Bytes) (list []Point) {
	for region := least; region <= most; region *= 2 {
		for d := leastLine / 2; d <= mostLine; d *= 2 {
			list = append(list, Point{Pair, region, d})
		}
	}
	return list
}

// sizes returns sizes from least to most in equal ratios, so many in an octave, rounded to multiples of a unit.
func sizes(least, most unit.Bytes, octave int, of unit.Bytes) (list []unit.Bytes) {
	for i := 0; ; i++ {
		size := unit.Bytes(math.Round(float64(least)*math.Exp2(float64(i)/float64(octave))/float64(of))) * of
		if size > most {
			return list
		}
		if n := len(list); n == 0 || size > list[n-1] {
			list = append(list, size)
		}
	}
}

// Cycle returns the offsets that a chain of loads visits before it repeats. If window is not 0, larger regions are
// visited window by window, in random order.
func (p Point) Cycle(window unit.Bytes, r *rand.Rand) []int64 {
	switch p.Kind {
	case Pair:
		blocks := shuffled(int(p.Region/pairBlock), int64(pairBlock), 0, r)
		out := make([]int64, 0, 2*len(blocks))
		for _, b := range blocks {
			out = append(out, b, b+int64(p.Stride))
		}
		return out
	case Pages:
		out := shuffled(int(p.Region/page), int64(page), 0, r)
		lines := int64(page / usualLine)
		for i, at := range out { // use all sets equally, also where neighbouring pages have different sets
			n := at / int64(page)
			out[i] = at + (n+n/lines)%lines*int64(usualLine)
		}
		return out
	case Chains:
		return shuffled(int(p.Region/apart), int64(apart), int(window/apart), r)
	}
	return shuffled(int(p.Region/p.Stride), int64(p.Stride), int(window/p.Stride), r)
}

// shuffled returns the multiples of step below n steps in random order, by windows of so many steps.
func shuffled(n int, step int64, window int, r *rand.Rand) []int64 {
	if window == 0 || window > n {
		window = n
	}
	out := make([]int64, 0, n)
	for _, w := range r.Perm((n + window - 1) / window) {
		first := w * window
		from := len(out)
		for i := first; i < min(first+window, n); i++ {
			out = append(out, int64(i)*step)
		}
		r.Shuffle(len(out)-from, func(i, j int) { out[from+i], out[from+j] = out[from+j], out[from+i] })
	}
	return out
}
