package sivasubramaniam1995

import (
	"context"
	"testing"

	"spoor/tracegen/spmd"
)

// TestLogarithmicSumsAreSums, for any number of ranks, one after the other in the
// same cells.
func TestLogarithmicSumsAreSums(t *testing.T) {
	const sums = 5
	for procs := 1; procs <= 33; procs++ {
		cells, before := make([]sumCell[int64], procs), make([]sumCell[int64], procs*sumSteps(procs))
		err := spmd.Native(context.Background(), procs, func(r *spmd.Rank) error {
			id := int64(r.ID())
			for sum := range int64(sums) {
				want := int64(procs*(procs-1)/2) + sum*int64(procs)
				if got := logSum(r, cells, int(sum)+1, id+sum); got != want {
					t.Errorf("%d ranks, sum %d: rank %d has %d, want %d", procs, sum, id, got, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = spmd.Native(context.Background(), procs, func(r *spmd.Rank) error {
			id := int64(r.ID())
			if got, want := logSumBefore(r, before, 3*id+1), 3*id*(id-1)/2+id; got != want {
				t.Errorf("%d ranks: the sum before rank %d is %d, want %d", procs, id, got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
