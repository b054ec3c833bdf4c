package sivasubramaniam1995

import (
	"context"
	"fmt"
	"math"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

var isSizes = []workload.Values{{"keys": 1, "buckets": 1}, {"keys": 100, "buckets": 7}, {"keys": 3000, "buckets": 129, "line": 64},
	{"keys": 5, "buckets": 64, "line": 8}}

func spoilIS(inst workload.Instance) {
	f := inst.(*is)
	f.ranks[0]++
}

// TestISIsTheBenchmarks holds the first of the benchmark's rankings to its own
// check of class S: places of five keys, after keys 1 and 11 have been replaced
// [NPB 3.4, IS, arrays S_test_index_array and S_test_rank_array].
func TestISIsTheBenchmarks(t *testing.T) {
	f := kerneltest.Instance(t, IS, nil, 4).(*is)
	f.keys = isInput(len(f.keys), f.buckets, 1)
	f.keys[1], f.keys[11] = 1, int32(f.buckets)-1
	if err := spmd.Native(context.Background(), 4, f.Program); err != nil {
		t.Fatal(err)
	}
	sorted := f.sorted()
	for _, c := range []struct{ index, less int }{ // of iteration 1: +1 for the first three, -1 for the rest
		{48427, 0 + 1}, {17148, 18 + 1}, {23627, 346 + 1}, {62548, 64917 - 1}, {4431, 65463 - 1},
	} {
		t.Run(fmt.Sprint(c.index), func(t *testing.T) {
			key := f.keys[c.index]
			if c.less > 0 && sorted[c.less-1] >= key || sorted[c.less] != key {
				t.Errorf("key %d is %d; %d keys are not less than it", c.index, key, c.less)
			}
		})
	}
}

// TestISLocksEveryBucketOnce on every rank, and signals in the logarithmic sum alone.
func TestISLocksEveryBucketOnce(t *testing.T) {
	m, _ := kerneltest.Record(t, kerneltest.Instance(t, IS, isSizes[1], 5), 5)
	for rank, n := range kerneltest.CountEvents(m, trace.Lock, math.MaxInt32) {
		if n != isSizes[1]["buckets"] {
			t.Errorf("rank %d locks %d times", rank, n)
		}
	}
	want := []int{3, 2, 2, 1, 0} // to those of the ranks 1, 2 and 4 above that there are
	for rank, n := range kerneltest.CountEvents(m, trace.Signal, math.MaxInt32) {
		if n != want[rank] {
			t.Errorf("rank %d signals %d times, want %d", rank, n, want[rank])
		}
	}
}
