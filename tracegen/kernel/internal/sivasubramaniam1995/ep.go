package sivasubramaniam1995

import (
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// EP makes pairs of independent Gaussian numbers by the polar method and counts them in square annuli [NAS Parallel
// Benchmarks; sivasubramaniam1995, app., EP]. Let r_1, r_2, ... be the random numbers of the NAS generator. Pair j
// takes x = 2 r_2j-1 - 1 and y = 2 r_2j - 1. If t = x^2 + y^2 <= 1, then
//
//	X = x sqrt(-2 ln t / t), Y = y sqrt(-2 ln t / t)
//
// is a Gaussian pair of annulus floor(max(|X|, |Y|)). Pairs are partitioned contiguously among ranks. Each rank
// jumps to the state of its first pair. Then the counts of the ten annuli and the sums of X and of Y are added over
// all ranks, one after the other. These are logarithmic sums (logSum), with value and flag in one cache block.
//
// Seed 1 is the sequence of the benchmark. Its class S is numbers=33554432.
//
// Differs: the last annulus also counts all pairs beyond it.
var EP = workload.Kernel{
	Name: "ep", Paper: "sivasubramaniam1995",
	Doc: "Gaussian pairs counted in square annuli, embarrassingly parallel (NAS)",
	Params: []workload.Param{
		{Name: "numbers", Default: 1 << 16, Min: 2, Max: 1 << 32, Constraint: "even", Valid: func(v int) bool { return v%2 == 0 },
			Doc: "random numbers, two for each pair"},
	},
	Small: workload.Values{"numbers": 2048},
	Make:  newEP,
}

const (
	epSeed   = 271828183 // of the generator in the benchmark
	epAnnuli = 10
)

type ep struct {
	pairs  int
	first  uint64  // state of the generator before the first number
	annuli []int64 // pairs in each
	sums   []float64
	counts []sumCell[int64]
	totals []sumCell[float64]
}

func newEP(v workload.Values, procs int, seed uint64) workload.Instance {
	return &ep{pairs: v["numbers"] / 2, first: nasSkip(epSeed, (seed-1)*uint64(v["numbers"])),
		annuli: make([]int64, epAnnuli), sums: make([]float64, 2),
		counts: make([]sumCell[int64], procs), totals: make([]sumCell[float64], procs)}
}

// Program leaves the counts and sums of all ranks.
func (f *ep) Program(r *spmd.Rank) error {
	annuli, sums := spmd.Shared(r, "annuli", f.annuli), spmd.Shared(r, "sums", f.sums)
	counts := spmd.Shared(r, "count cells", f.counts, spmd.Blocked())
	totals := spmd.Shared(r, "total cells", f.totals, spmd.Blocked())
	mine := spmd.Private(r, "counts", make([]int64, epAnnuli))
	lo, hi := r.Share(f.pairs)

	var local [2]float64
	local[0], local[1] = countPairs(mine, nasSkip(f.first, 2*uint64(lo)), hi-lo)
	for l, count := range mine {
		if total := logSum(r, counts, 1+l, count); r.ID() == 0 {
			annuli[l] = total
		}
	}
	for i, sum := range local {
		if total := logSum(r, totals, 1+epAnnuli+i, sum); r.ID() == 0 {
			sums[i] = total
		}
	}
	return nil
}

// countPairs makes pairs from the numbers after the given state, counts the Gaussian ones by annulus, and returns
// the sums of their X and Y.
func countPairs(annuli []int64, state uint64, pairs int) (sumX, sumY float64) {
	for range pairs {
		state = nasMultiplier * state & nasMask
		x := float64(state)*0x1p-45 - 1
		state = nasMultiplier * state & nasMask
		y := float64(state)*0x1p-45 - 1
		t := x*x + y*y
		if t > 1 {
			continue
		}
		scale := math.Sqrt(-2 * logarithm(t) / t)
		x *= scale
		y *= scale
		annuli[min(int(max(math.Abs(x), math.Abs(y))), epAnnuli-1)]++
		sumX += x
		sumY += y
	}
	return sumX, sumY
}

// logarithm returns ln x for normal x > 0, within 1 unit in the last place. Let x = 2^k (1+f) with 1+f in
// sqrt(1/2)..sqrt(2). Then ln x = k ln 2 + ln(1+f). With s = f/(2+f), ln(1+f) is 2s + 2/3 s^3 + ..., which is f - s
// (f - R). A polynomial approximates R = 2/3 s^2 + 2/5 s^4 + ... [FDLIBM, e_log.c, Sun Microsystems 1993]. It
// replaces the library's function, so that its instructions count as the kernel's.
func logarithm(x float64) float64 {
	const (
		ln2High = 6.93147180369123816490e-01 // the last 32 bits are zero
		ln2Low  = 1.90821492927058770002e-10
		l1      = 6.666666666666735130e-01
		l2      = 3.999999999940941908e-01
		l3      = 2.857142874366239149e-01
		l4      = 2.222219843214978396e-01
		l5      = 1.818357216161805012e-01
		l6      = 1.531383769920937332e-01
		l7      = 1.479819860511658591e-01
	)
	const mantissa = 1<<52 - 1
	bits := math.Float64bits(x)
	exponent := int(bits>>52) - 1023
	m := math.Float64frombits(bits&mantissa | 1023<<52) // 1..2
	if m > math.Sqrt2 {
		m /= 2
		exponent++
	}
	k, f := float64(exponent), m-1
	s := f / (2 + f)
	s2 := s * s
	s4 := s2 * s2
	odd := s2 * (l1 + s4*(l3+s4*(l5+s4*l7)))
	even := s4 * (l2 + s4*(l4+s4*l6))
	half := 0.5 * f * f
	return k*ln2High - ((half - (s*(half+odd+even) + k*ln2Low)) - f)
}

func (f *ep) Digest() string { return workload.Digest(f.annuli, f.sums) }

// Counts predicts that there are no barriers.
func (f *ep) Counts() workload.Counts { return workload.Counts{} }

// PlaceVariables implements workload.Waiting. The cells of totals, whose flags have the same numbers, are in the same memories.
func (f *ep) PlaceVariables(r *spmd.Rank) { spmd.Flags(r, 0, f.counts) }
