package falsafi1997

import (
	"context"
	"math"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

var tomcatvSizes = []workload.Values{{"size": 3, "iterations": 1}, {"size": 20, "iterations": 3}, {"size": 33, "iterations": 4}, {"size": 4, "iterations": 2}}

func spoilTomcatv(inst workload.Instance) {
	f := inst.(*tomcatv)
	at := f.size*f.size/2 + 1
	f.y[at] = math.Nextafter(f.y[at], 2)
}

func ranTomcatv(t *testing.T, set workload.Values, procs int, seed uint64) *tomcatv {
	t.Helper()
	inst, err := Tomcatv.New(kerneltest.Complete(t, Tomcatv, set), procs, seed)
	if err != nil {
		t.Fatal(err)
	}
	if err := spmd.Native(context.Background(), procs, inst.Program); err != nil {
		t.Fatal(err)
	}
	return inst.(*tomcatv)
}

func TestTomcatvDoesNotDependOnRanks(t *testing.T) {
	set := workload.Values{"size": 40}
	want := ranTomcatv(t, set, 1, 1).Digest()
	for _, procs := range kerneltest.ProcCounts {
		if got := ranTomcatv(t, set, procs, 1).Digest(); got != want {
			t.Errorf("%d ranks: result %s, on one %s", procs, got, want)
		}
	}
}

// TestTomcatvRelaxes: the boundary stays, and the residuals of the first
// iterations, in which the noise of the input goes, fall every time.
func TestTomcatvRelaxes(t *testing.T) {
	for seed := range uint64(10) {
		f := ranTomcatv(t, workload.Values{"size": 64}, 2, seed)
		for k := 2; k < len(f.residual); k++ {
			if f.residual[k] >= f.residual[k-2] {
				t.Errorf("seed %d: residual %g follows %g", seed, f.residual[k], f.residual[k-2])
			}
		}
		x, y := tomcatvInput(f.size, seed)
		for at := range x {
			i, j := at/f.size, at%f.size
			border := i == 0 || j == 0 || i == f.size-1 || j == f.size-1
			if moved := f.x[at] != x[at] || f.y[at] != y[at]; moved == border {
				t.Fatalf("seed %d: point (%d,%d) moved: %v", seed, i, j, moved)
			}
		}
	}
}

// TestTomcatvConverges: in the end the equations hold.
func TestTomcatvConverges(t *testing.T) {
	f := ranTomcatv(t, workload.Values{"size": 12, "iterations": 1500}, 2, 3)
	first, last := f.residual[0], f.residual[len(f.residual)-2]
	if !(last <= 1e-12*first) {
		t.Errorf("the residual falls from %g to %g only", first, last)
	}
}

// TestTomcatvSolvesItsSystems holds what is left of the systems by the corrections
// of one iteration to the bound of elimination. It solves (T+E)v = r with
// |E| <= 4u|L||U| <= 12u|T|, because the diagonal dominates [higham2002, sec. 9.6];
// the reciprocals of pivots round twice where a quotient rounds once, which makes
// it 24u at most. The product computed here is off by 4u(|T||v|+|r|).
func TestTomcatvSolvesItsSystems(t *testing.T) {
	f := ranTomcatv(t, workload.Values{"size": 18, "iterations": 1}, 3, 5)
	m := newSerialMesh(f.size, 5)
	for i := 1; i < f.size-1; i++ {
		for j := 1; j < f.size-1; j++ {
			m.residual(i, j)
			v := f.rx[i*f.size+j-1 : i*f.size+j+2]
			left, size := m.residX[i][j], math.Abs(m.residX[i][j])
			for k, element := range []float64{m.aa[i][j], m.dd[i][j], m.aa[i][j]} {
				left -= element * v[k]
				size += math.Abs(element * v[k])
			}
			if bound := 28 * 0x1p-53 * size; !(math.Abs(left) <= bound) {
				t.Errorf("point (%d,%d): %g is left of %g, more than %g", i, j, left, m.residX[i][j], bound)
			}
		}
	}
}
