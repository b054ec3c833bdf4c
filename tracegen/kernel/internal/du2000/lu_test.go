package du2000

import (
	"context"
	"fmt"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

var luSizes = []workload.Values{{"n": 1, "block": 1}, {"n": 16}, {"n": 60, "block": 12}, {"n": 96, "block": 16}, {"n": 10, "block": 1}}

func spoilLU(inst workload.Instance) {
	f := inst.(*lu)
	f.a[17] *= 1 + 1e-11
}

// TestLUIsElimination compares with Gaussian elimination as the textbook has it.
func TestLUIsElimination(t *testing.T) {
	for _, set := range luSizes {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			f := kerneltest.Instance(t, LU, set, 4).(*lu)
			if err := spmd.Native(context.Background(), 4, f.Program); err != nil {
				t.Fatal(err)
			}
			n := f.n
			a := luInput(n, f.seed)
			for k := range n {
				for i := k + 1; i < n; i++ {
					a[i*n+k] /= a[k*n+k]
					for j := k + 1; j < n; j++ {
						a[i*n+j] -= a[i*n+k] * a[k*n+j]
					}
				}
			}
			for i := range n {
				for j := range n {
					// Blocks change the order of operations by nothing: the same sums in the same order.
					if got := f.a[f.index(i, j)]; got != a[i*n+j] {
						t.Fatalf("n=%d: element (%d,%d) is %v, by elimination %v", n, i, j, got, a[i*n+j])
					}
				}
			}
		})
	}
}
