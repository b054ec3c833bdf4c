package falsafi1997

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

var sparseSizes = []workload.Values{{"n": 1}, {"n": 20}, {"n": 41, "density": 10}, {"n": 9, "density": 0}}

func spoilSparse(inst workload.Instance) { inst.(*sparse).x[17] *= 1 + 1e-9 }

func ranSparse(t *testing.T, set workload.Values, procs int) *sparse {
	t.Helper()
	f := kerneltest.Instance(t, Sparse, set, procs).(*sparse)
	if err := spmd.Native(context.Background(), procs, f.Program); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSparseDoesNotDependOnRanks(t *testing.T) {
	for _, set := range sparseSizes {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			want := ranSparse(t, set, 1).x
			for _, procs := range kerneltest.ProcCounts {
				if got := ranSparse(t, set, procs).x; !slices.Equal(got, want) {
					t.Errorf("%v on %d ranks: another result than on one", set, procs)
				}
			}
		})
	}
}

// TestSparseIsElimination compares with dense elimination as the textbook has it,
// to the bit: an element that is not stored is a zero.
func TestSparseIsElimination(t *testing.T) {
	for _, set := range sparseSizes {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			f := ranSparse(t, set, 3)
			n := f.n
			a, b := sparseDense(f)
			rows := make([][]float64, n) // with the right-hand side behind the elements
			for i := range rows {
				rows[i] = append(slices.Clone(a.RawRowView(i)), b[i])
			}
			for k := range n {
				for i := k + 1; i < n; i++ {
					if math.Abs(rows[i][k]) > math.Abs(rows[k][k]) {
						rows[i], rows[k] = rows[k], rows[i]
					}
				}
				for i := k + 1; i < n; i++ {
					l := rows[i][k] / rows[k][k]
					for j := k; j <= n; j++ {
						rows[i][j] -= float64(l * rows[k][j])
					}
				}
			}
			for k := n - 1; k >= 0; k-- {
				x := rows[k][n]
				for j := n - 1; j > k; j-- {
					x -= float64(rows[k][j] * f.x[j])
				}
				if x /= rows[k][k]; x != f.x[k] {
					t.Fatalf("%v: unknown %d is %v, by dense elimination %v", set, k, f.x[k], x)
				}
			}
		})
	}
}

// sparseDense is the input of f as a dense matrix.
func sparseDense(f *sparse) (*mat.Dense, []float64) {
	column, value, length, b := sparseInput(f.n, f.density, f.seed)
	a := mat.NewDense(f.n, f.n, nil)
	for i := range f.n {
		for at := i * f.n; at < i*f.n+int(length[i]); at++ {
			a.Set(i, int(column[at]), value[at])
		}
	}
	return a, b
}

// TestSparseIsGonums: two solutions x and y of A x = b that leave residuals r and s
// differ by A^-1 (s - r). Both residuals are computed; that adds (n+1) u (|A||x| + |b|)
// for each, and the inverse, of a matrix of condition k, is off by about n k u.
func TestSparseIsGonums(t *testing.T) {
	for _, set := range append(sparseSizes, workload.Values{"n": 100}) {
		f := ranSparse(t, set, 4)
		n := f.n
		a, b := sparseDense(f)
		var y mat.VecDense
		if err := y.SolveVec(a, mat.NewVecDense(n, b)); err != nil {
			t.Fatal(err)
		}
		var inverse mat.Dense
		if err := inverse.Inverse(a); err != nil {
			t.Fatal(err)
		}
		off := make([]float64, n)
		for i := range n {
			r, rx := residual(a.RawRowView(i), f.x, b[i])
			s, sy := residual(a.RawRowView(i), y.RawVector().Data, b[i])
			off[i] = math.Abs(r) + math.Abs(s) + float64(n+1)*0x1p-53*(rx+sy)
		}
		inexact := 1 + float64(n)*mat.Cond(a, 1)*0x1p-53
		for i := range n {
			var bound float64
			for j := range n {
				bound += inexact * math.Abs(inverse.At(i, j)) * off[j]
			}
			if e := math.Abs(f.x[i] - y.AtVec(i)); !(e <= bound) {
				t.Errorf("%v: unknown %d is %v, gonum's is %v, more than %g away", set, i, f.x[i], y.AtVec(i), bound)
			}
		}
	}
}

// residual is b - row x, and the sum of the absolute values of its terms.
func residual(row, x []float64, b float64) (left, terms float64) {
	left, terms = b, math.Abs(b)
	for j, v := range row {
		left -= v * x[j]
		terms += math.Abs(v * x[j])
	}
	return left, terms
}

// TestSparseSkipsZeroes: a sparse matrix fills in, but stays far from dense.
func TestSparseSkipsZeroes(t *testing.T) {
	f := ranSparse(t, workload.Values{"n": 100, "density": 1}, 2)
	var input, result int
	_, _, length, _ := sparseInput(f.n, f.density, f.seed)
	for i := range f.n {
		input += int(length[i])
		result += int(f.length[i])
	}
	if dense := f.n * (f.n + 1) / 2; input > 350 || result > dense/4 {
		t.Errorf("%d elements of input, %d of U; a dense U has %d", input, result, dense)
	}
}

func TestSparseNamesASingularMatrix(t *testing.T) {
	for _, procs := range kerneltest.ProcCounts {
		f := kerneltest.Instance(t, Sparse, workload.Values{"n": 12}, procs).(*sparse)
		copy(f.value[5*12:6*12], f.value[4*12:5*12]) // two rows are the same
		err := spmd.Native(context.Background(), procs, f.Program)
		if err == nil || !strings.Contains(err.Error(), "singular") {
			t.Errorf("%d ranks: %v", procs, err)
		}
	}
}
