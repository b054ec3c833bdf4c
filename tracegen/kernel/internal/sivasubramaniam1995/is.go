package sivasubramaniam1995

import (
	"fmt"
	"slices"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// IS ranks integers by bucket sort, with one bucket for each value [NAS Parallel Benchmarks; sivasubramaniam1995,
// app., IS]. Keys are partitioned contiguously among ranks. Each rank
//
//  1. counts its own keys in its local buckets;
//  2. waits at a barrier;
//  3. sets its share of the global buckets to the sums of the local buckets of all
//     ranks, (buckets/P)(P-1) of them remote;
//  4. gets the number of keys in the shares before its own by a logarithmic sum;
//  5. replaces its share by the running sums;
//  6. waits at a barrier;
//  7. goes through all global buckets: it takes the bucket's lock, subtracts its
//     local count, keeps the new value as its local bucket, and releases the lock;
//  8. ranks its own keys by its local buckets.
//
// A global bucket and its lock share one cache block, whose rest is unused. The lock is test-test&set. Lock and
// Unlock are events. The processor also accesses the lock word beside the bucket when it gets the lock (test,
// test&set) and when it releases it. These accesses are made here, during the lock, so that the word moves with the
// bucket. The machine model decides the cost of the tests of a waiting processor.
//
// The order in which ranks lock a bucket decides which of them ranks equal keys first. The result, the sorted
// sequence, does not depend on it.
//
// The sizes are those of class S of the benchmark. The input of seed 1 is also that of class S.
//
// Differs: the paper gives no order for step 7; here it is ascending.
var IS = workload.Kernel{
	Name: "is", Paper: "sivasubramaniam1995",
	Doc: "integer sort by buckets under test-test&set locks (NAS)",
	Params: []workload.Param{
		{Name: "keys", Default: 1 << 16, Min: 1, Max: 1 << 26, Doc: "how many keys are ranked"},
		{Name: "buckets", Default: 1 << 11, Min: 1, Max: 1 << 16, Doc: "keys are from 0 to buckets-1, about normally distributed"},
		{Name: "line", Default: 32, Min: 8, Max: 4096, Constraint: "a power of 2", Valid: workload.PowerOfTwo,
			Doc: "bytes of a cache block: each holds one global bucket and its lock"},
	},
	Small: workload.Values{"keys": 4096, "buckets": 256},
	Make:  newIS,
}

// isSeed is the generator's seed of the benchmark.
const isSeed = 314159265

type is struct {
	buckets int
	stride  int // words from one global bucket to the next
	seed    uint64
	keys    []int32
	ranks   []int32 // position of each key
	local   []int32 // row of each rank: its count of each key, then the position of its next one
	global  []int32 // in each block: the bucket, then its lock
	cells   []sumCell[int64]
}

func newIS(v workload.Values, procs int, seed uint64) workload.Instance {
	f := &is{buckets: v["buckets"], stride: v["line"] / 4, seed: seed}
	f.keys, f.ranks = isInput(v["keys"], f.buckets, seed), make([]int32, v["keys"])
	f.local, f.global = make([]int32, procs*f.buckets), make([]int32, f.buckets*f.stride)
	f.cells = make([]sumCell[int64], sumSteps(procs)*procs)
	return f
}

// isInput returns n keys. Each is the mean of four random numbers of the NAS generator times the number of buckets,
// rounded down. Seed 1 gives the sequence of the benchmark, and seed s the s-th n keys of it.
func isInput(n, buckets int, seed uint64) []int32 {
	x := nasSkip(isSeed, (seed-1)*4*uint64(n))
	keys := make([]int32, n)
	for i := range keys {
		var sum uint64
		for range 4 {
			x = nasMultiplier * x & nasMask
			sum += x
		}
		keys[i] = int32(sum * uint64(buckets) >> (nasBits + 2))
	}
	return keys
}

// Program ranks the keys.
func (f *is) Program(r *spmd.Rank) error {
	buckets, stride, home := f.buckets, f.stride, spmd.Blocked()
	keys, ranks := spmd.Shared(r, "keys", f.keys, home), spmd.Shared(r, "ranks", f.ranks, home)
	local, global := spmd.Shared(r, "local", f.local, home), spmd.Shared(r, "global", f.global, home)
	cells := spmd.Shared(r, "cells", f.cells, home)
	lo, hi := r.Share(len(keys))
	mine := local[r.ID()*buckets : (r.ID()+1)*buckets]

	countKeys(mine, keys[lo:hi])
	r.Barrier()
	from, to := r.Share(buckets)
	total := mergeBuckets(global, local, from, to, buckets, stride)
	before := logSumBefore(r, cells, total)
	for b := from; b < to; b++ {
		before += int64(global[b*stride])
		global[b*stride] = int32(before)
	}
	r.Barrier()
	for b := range buckets {
		r.Lock(int32(b))
		takeFrom(global[b*stride:b*stride+2], mine, b)
		r.Unlock(int32(b))
	}
	rankKeys(ranks[lo:hi], mine, keys[lo:hi])
	return nil
}

// countKeys adds the keys of each value to its bucket.
func countKeys(local, keys []int32) {
	for _, key := range keys {
		local[key]++
	}
}

// mergeBuckets sets global buckets from..to-1 to the sums of the local ones of all ranks, and returns their total.
func mergeBuckets(global, local []int32, from, to, buckets, stride int) (total int64) {
	for b := from; b < to; b++ {
		var sum int32
		for at := b; at < len(local); at += buckets {
			sum += local[at]
		}
		global[b*stride] = sum
		total += int64(sum)
	}
	return total
}

// takeFrom takes as many positions from the end of a global bucket as there are keys in local bucket b. It sets the
// local bucket to the first of them. The word after the bucket is its lock, which the caller holds.
func takeFrom(bucket, local []int32, b int) {
	if bucket[1] == 0 { // the last test of a waiting processor
		bucket[1]++ // test&set: a load and a store
	}
	bucket[0] -= local[b]
	local[b] = bucket[0]
	bucket[1] = 0
}

// rankKeys gives every key the next position of its bucket.
func rankKeys(ranks, local, keys []int32) {
	for i, key := range keys {
		ranks[i] = local[key]
		local[key]++
	}
}

// Verify puts the keys in their positions, checks that no two have the same one, and compares with the input sorted
// by the library.
func (f *is) Verify() error {
	want := isInput(len(f.keys), f.buckets, f.seed)
	taken := make([]bool, len(want))
	for i, place := range f.ranks {
		if place < 0 || int(place) >= len(taken) || taken[place] {
			return fmt.Errorf("key %d has place %d, which is taken or does not exist", i, place)
		}
		taken[place] = true
	}
	slices.Sort(want)
	for i, key := range f.sorted() {
		if key != want[i] {
			return fmt.Errorf("the key at place %d is %d, want %d", i, key, want[i])
		}
	}
	return nil
}

// sorted returns the keys at their positions, which must be different.
func (f *is) sorted() []int32 {
	sorted := make([]int32, len(f.keys))
	for i, place := range f.ranks {
		sorted[place] = f.keys[i]
	}
	return sorted
}

func (f *is) Digest() string { return workload.Digest(f.sorted()) }

func (f *is) Counts() workload.Counts { return workload.Counts{Barriers: 2} }

// PlaceVariables implements workload.Waiting. A flag is in its cell, and a lock in the block of its bucket.
func (f *is) PlaceVariables(r *spmd.Rank) {
	spmd.Flags(r, 0, f.cells)
	spmd.Locks(r, 0, f.global, f.stride)
}
