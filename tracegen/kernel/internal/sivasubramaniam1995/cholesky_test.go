package sivasubramaniam1995

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

var choleskySizes = []workload.Values{{"rings": 1, "spokes": 3, "braces": 0}, {"rings": 2, "spokes": 4, "braces": 100},
	{"rings": 3, "spokes": 8}, {"rings": 2, "spokes": 13, "braces": 20}}

func spoilCholesky(inst workload.Instance) {
	f := inst.(*cholesky)
	f.value[0] *= 1 + 1e-12
}

// TestCholeskyHasThePapersSize: order 1806, 30824 non-zeros below the diagonal. The paper has 110461 in the factor and
// 503 supernodes.
func TestCholeskyHasThePapersSize(t *testing.T) {
	for _, c := range []struct {
		rings, nonzeros, factor, supernodes int
	}{{0, 30824, 110461, 503}, {7, 30831, 121209, 294}} {
		v := kerneltest.Complete(t, Cholesky, workload.Values{"rings": c.rings})
		f := newCholesky(v, 1, 1).(*cholesky)
		if n := len(f.super.owner); n != 1806 {
			t.Errorf("rings=%d: order %d", c.rings, n)
		}
		if n := len(f.matrix().elements) - 1806; n != c.nonzeros {
			t.Errorf("rings=%d: %d non-zeros below the diagonal", c.rings, n)
		}
		if n := f.super.nonzeros(); n != c.factor || len(f.due) != c.supernodes {
			t.Errorf("rings=%d: %d non-zeros of L below the diagonal, %d supernodes", c.rings, n, len(f.due))
		}
	}
}

// nonzeros returns the number of elements of L below the diagonal.
func (s *supernodes) nonzeros() (n int) {
	for column := range int32(len(s.owner)) {
		n += len(s.below(column)) - 1
	}
	return n
}

// dense is A in the order of L, and L, each in full.
func (f *cholesky) dense() (a *mat.SymDense, l *mat.TriDense) {
	n := len(f.super.owner)
	a, l = mat.NewSymDense(n, nil), mat.NewTriDense(n, mat.Lower, nil)
	for _, e := range f.matrix().elements {
		a.SetSym(int(f.super.place[e.row]), int(f.super.place[e.column]), e.value)
	}
	for column := range int32(n) {
		for _, row := range f.super.below(column) {
			l.SetTri(int(row), int(column), f.value[f.super.index(row, column)])
		}
	}
	return a, l
}

// TestCholeskyIsGonums: L differs from that of the dense matrix by no more than its
// condition number allows, to first order [higham2002, thm. 10.8].
func TestCholeskyIsGonums(t *testing.T) {
	for _, v := range []workload.Values{choleskySizes[2], {"rings": 0}} {
		t.Run(fmt.Sprint(v), func(t *testing.T) { isGonums(t, v) })
	}
}

func isGonums(t *testing.T, v workload.Values) {
	inst, err := Cholesky.New(kerneltest.Complete(t, Cholesky, v), 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := inst.(*cholesky)
	if err := spmd.Native(context.Background(), 4, f.Program); err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Error(err)
	}
	a, got := f.dense()
	var factor mat.Cholesky
	if !factor.Factorize(a) {
		t.Fatal("the matrix is not positive definite")
	}
	var want mat.TriDense
	factor.LTo(&want)
	var diff mat.Dense
	diff.Sub(got, &want)
	n := float64(len(f.super.owner))
	// Either is the factor of a matrix off by n (n+4) u |A|.
	if e, bound := mat.Norm(&diff, 2), 2*n*(n+4)*0x1p-53*factor.Cond()*mat.Norm(&want, 2); !(e <= bound) {
		t.Errorf("off by %.3g, more than %.3g", e, bound)
	}
}

// TestSupernodesAreThoseOfElimination compares with the pattern of elimination,
// element by element, and supernodes with their definition.
func TestSupernodesAreThoseOfElimination(t *testing.T) {
	for _, d := range []dome{{1, 3, 0}, {2, 4, 100}, {3, 7, 50}, {4, 5, 0}} {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			order, below := minimumDegree(domeMatrix(d, 5).neighbours)
			s := newSupernodes(domeFreedom, order, below)
			n := int32(len(s.owner))
			filled := make([][]bool, n)
			for i := range filled {
				filled[i] = make([]bool, n)
			}
			for _, e := range domeMatrix(d, 5).elements {
				i, j := s.place[e.row], s.place[e.column]
				filled[max(i, j)][min(i, j)] = true
			}
			for k := range n {
				for j := k + 1; j < n; j++ {
					for i := j; i < n; i++ {
						filled[i][j] = filled[i][j] || filled[i][k] && filled[j][k]
					}
				}
			}
			for j := range n {
				var want []int32
				for i := j; i < n; i++ {
					if filled[i][j] {
						want = append(want, i)
					}
				}
				if got := s.below(j); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%v: column %d has rows %v, by elimination %v", d, j, got, want)
				}
			}
		})
	}
}

// TestMinimumDegreeOfAPath eliminates the ends first: no fill.
func TestMinimumDegreeOfAPath(t *testing.T) {
	order, below := minimumDegree([][]int32{{1}, {0, 2}, {3, 1}, {2}})
	if fmt.Sprint(order, below) != "[0 1 2 3] [[1] [2] [3] []]" {
		t.Error(order, below)
	}
	order, below = minimumDegree([][]int32{{1, 2, 3}, {0}, {0}, {0}}) // a star: the centre when it is as good as the last
	if fmt.Sprint(order, below) != "[1 2 0 3] [[3] [0] [0] []]" {
		t.Error(order, below)
	}
}

// TestCholeskyRefusesWhatHasNoEffect: BCSSTK14 has neither spokes nor a seed.
func TestCholeskyRefusesWhatHasNoEffect(t *testing.T) {
	for _, set := range []workload.Values{{"spokes": 8}, {"braces": 0}} {
		if _, err := Cholesky.Values(set); err == nil || !strings.Contains(err.Error(), "set rings") {
			t.Errorf("%v: error %v", set, err)
		}
	}
	if _, err := Cholesky.New(kerneltest.Complete(t, Cholesky, nil), 2, 5); err == nil || !strings.Contains(err.Error(), "seed 5") {
		t.Errorf("error %v", err)
	}
}

// TestCholeskySumsAreExact in any order, up to the greatest there can be.
func TestCholeskySumsAreExact(t *testing.T) {
	products := []float64{1 - 0x1p-53, -1, 0x1p-62, 0.3, -0x1p-61, 1, -0.7, 0x1p-53}
	forward, backward := make([]int64, 1), make([]int64, 1)
	for i := range products {
		addToSum(forward, products[i:i+1], []int32{0})
		addToSum(backward, products[len(products)-1-i:][:1], []int32{0})
	}
	if forward[0] != backward[0] {
		t.Errorf("sums %d and %d", forward[0], backward[0])
	}
	block := []float64{0}
	subtractSum(block, forward)
	if want := 0.6; math.Abs(-block[0]-want) > 0x1p-52 {
		t.Errorf("the sum is %v, want %v", -block[0], want)
	}
}

// TestCholeskyLocksWhatItModifies: each column once for each supernode that has it
// below its own, and the first of a supernode once more for its modifications due.
func TestCholeskyLocksWhatItModifies(t *testing.T) {
	f := kerneltest.Instance(t, Cholesky, choleskySizes[3], 4).(*cholesky)
	want := 0
	for i, due := range f.super.modifications() {
		want += int(due) + len(f.super.rowsOf(int32(i))) - f.super.width(int32(i))
	}
	m, _ := kerneltest.Record(t, f, 4)
	got := 0
	for _, n := range kerneltest.CountEvents(m, trace.Lock, spmd.QueueObjects) {
		got += n
	}
	if got != want {
		t.Errorf("%d locks of columns, want %d", got, want)
	}
}
