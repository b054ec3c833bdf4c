package du2000

import (
	"fmt"
	"math/bits"
	"slices"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Radix sorts integers by their digits, least significant first [blelloch1991;
// woo1995; du2000, sec. 4.2]. Keys are
// partitioned contiguously among ranks. In every pass each rank counts the digits of its keys. A prefix sum over
// digits and ranks gives every rank the position of its first key of each digit. Then each rank moves its keys, in
// order, to their positions in the other array. In the next pass, other ranks read most of these.
//
// The prefix sum is parallel. Each rank sums a contiguous part of the digits over all ranks. It adds the totals of
// the parts before when it fetches its own positions. Barriers follow the counting, the sums and the moves: 3 in
// each pass.
//
// Differs: SPLASH-2 sums along a binary tree of ranks. Here any number of ranks may share the digits.
var Radix = workload.Kernel{
	Name: "radix", Paper: "du2000",
	Doc: "parallel radix sort of integers (SPLASH-2)",
	Params: []workload.Param{
		{Name: "keys", Default: 1 << 20, Min: 1, Max: 1 << 28, Doc: "how many keys are sorted"},
		{Name: "radix", Default: 1 << 10, Min: 2, Max: 1 << 16, Constraint: "a power of 2", Valid: workload.PowerOfTwo,
			Doc: "values of a digit"},
		{Name: "range", Default: 1 << 19, Min: 2, Max: 1 << 32, Doc: "keys are uniform from 0 to range-1"},
	},
	Small: workload.Values{"keys": 10000},
	Make:  newRadix,
}

type radix struct {
	keys, radix, limit int
	passes             int
	procs              int
	seed               uint64
	a, b               []uint32 // the keys, before and after the pass
	counts             []uint32 // row of each rank: its keys of each digit, then their position in the part
	totals             []uint32 // keys in each rank's part of the digits
}

func newRadix(v workload.Values, procs int, seed uint64) workload.Instance {
	f := &radix{keys: v["keys"], radix: v["radix"], limit: v["range"], procs: procs, seed: seed}
	digitBits := bits.Len(uint(f.radix - 1))
	f.passes = (bits.Len(uint(f.limit-1)) + digitBits - 1) / digitBits
	f.a, f.b = radixInput(f.keys, f.limit, seed), make([]uint32, f.keys)
	f.counts, f.totals = make([]uint32, procs*f.radix), make([]uint32, procs)
	return f
}

func radixInput(keys, limit int, seed uint64) []uint32 {
	rng := workload.Generator(seed)
	a := make([]uint32, keys)
	for i := range a {
		a[i] = uint32(rng.Uint64N(uint64(limit)))
	}
	return a
}

// Program sorts the keys of a. They end in the array that the last pass wrote, a or b.
func (f *radix) Program(r *spmd.Rank) error {
	from, to := spmd.Shared(r, "a", f.a), spmd.Shared(r, "b", f.b)
	counts := spmd.Shared(r, "counts", f.counts)
	totals := spmd.Shared(r, "totals", f.totals)
	place := spmd.Private(r, "place", make([]uint32, f.radix))
	lo, hi := r.Share(f.keys)
	mine := counts[r.ID()*f.radix : (r.ID()+1)*f.radix]

	for pass := range f.passes {
		shift := pass * bits.TrailingZeros(uint(f.radix))
		countDigits(mine, from[lo:hi], shift)
		r.Barrier()
		f.sumPart(r, counts, totals)
		r.Barrier()
		f.findPlaces(place, mine, totals)
		moveKeys(to, from[lo:hi], place, shift)
		r.Barrier()
		from, to = to, from
	}
	return nil
}

// countDigits counts the digits of keys. There are len(counts) digits, a power of 2.
func countDigits(counts, keys []uint32, shift int) {
	for d := range counts {
		counts[d] = 0
	}
	mask := len(counts) - 1
	for _, key := range keys {
		counts[int(key)>>shift&mask]++
	}
}

// sumPart replaces the counts of this rank's part of the digits by their running sums, over digits and for each
// digit over ranks. It stores the part's total.
func (f *radix) sumPart(r *spmd.Rank, counts, totals []uint32) {
	lo, hi := r.Share(f.radix)
	radix, procs := f.radix, f.procs
	var sum uint32
	for d := lo; d < hi; d++ {
		for q := range procs {
			n := counts[q*radix+d]
			counts[q*radix+d] = sum
			sum += n
		}
	}
	totals[r.ID()] = sum
}

// findPlaces sets place to the positions of this rank's first key of each digit.
func (f *radix) findPlaces(place, counts, totals []uint32) {
	var before uint32
	for q := range f.procs {
		lo, hi := spmd.Share(f.radix, f.procs, q)
		for d := lo; d < hi; d++ {
			place[d] = before + counts[d]
		}
		before += totals[q]
	}
}

// moveKeys copies keys to their positions. There are len(place) digits, a power of 2.
func moveKeys(to, keys, place []uint32, shift int) {
	mask := len(place) - 1
	for _, key := range keys {
		d := int(key) >> shift & mask
		at := place[d]
		place[d] = at + 1
		to[at] = key
	}
}

func (f *radix) result() []uint32 {
	if f.passes%2 == 0 {
		return f.a
	}
	return f.b
}

// Verify checks that the result equals the input sorted by the library: the keys ascend, and each key is as
// frequent as in the input.
func (f *radix) Verify() error {
	want := radixInput(f.keys, f.limit, f.seed)
	slices.Sort(want)
	got := f.result()
	for i := range want {
		if i > 0 && got[i] < got[i-1] {
			return fmt.Errorf("key %d is %d, less than the one before it, %d", i, got[i], got[i-1])
		}
		if got[i] != want[i] {
			return fmt.Errorf("key %d is %d, but %d of the input sorted: keys were lost or duplicated", i, got[i], want[i])
		}
	}
	return nil
}

func (f *radix) Digest() string { return workload.Digest(f.result()) }

// Counts predicts the references. In a pass, let a rank have k of the keys and w of the R digits. It takes R + 3 k
// to count, 2 w P + 1 to sum, 2 R + P to find positions, and 4 k to move.
func (f *radix) Counts() workload.Counts {
	c := workload.Counts{Barriers: 3 * uint64(f.passes)}
	for rank := range f.procs {
		lo, hi := spmd.Share(f.keys, f.procs, rank)
		from, to := spmd.Share(f.radix, f.procs, rank)
		k, w, p := hi-lo, to-from, f.procs
		c.Refs = append(c.Refs, uint64(f.passes*(7*k+3*f.radix+2*w*p+p+1)))
	}
	return c
}
