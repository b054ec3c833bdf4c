package du2000

import (
	"fmt"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"

	"spoor/tracegen/kernel/internal/dft"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// FFT is the complex one-dimensional six-step FFT of SPLASH-2 [woo1995; du2000, sec. 4.2]. The n points form a
// matrix of m = sqrt(n) rows. Each rank owns contiguous rows of the data and of the matrix of roots of unity.
//
//	transpose; FFT of each row; multiply by the roots; transpose;
//	FFT of each row; transpose
//
// A barrier follows each FFT step and ends the program: 3 in all. A transpose goes from owner to owner, starting
// with the next one, in squares of one cache line. The result is the unnormalised forward transform.
//
// Differs: rows are not padded, and any number of ranks may share them.
var FFT = workload.Kernel{
	Name: "fft", Paper: "du2000",
	Doc: "six-step complex 1-D FFT (SPLASH-2)",
	Params: []workload.Param{
		{Name: "points", Default: 1 << 16, Min: 1 << 4, Max: 1 << 24, Constraint: "a power of 4",
			Valid: func(v int) bool { return workload.PowerOfTwo(v) && bits.TrailingZeros(uint(v))%2 == 0 },
			Doc:   "length of the transform"},
		{Name: "line", Default: 64, Min: 16, Max: 4096, Constraint: "a power of 2", Valid: workload.PowerOfTwo,
			Doc: "bytes of a cache line: transposes move squares of line/16 x line/16 points"},
	},
	Small: workload.Values{"points": 1024},
	Make:  newFFT,
}

type fft struct {
	m, block, procs int
	seed            uint64
	x, t            []complex128   // data and result
	roots           []complex128   // row a, column b: exp(-2 pi i ab/n)
	rowRoots        [][]complex128 // of each rank, its own
}

func newFFT(v workload.Values, procs int, seed uint64) workload.Instance {
	n := v["points"]
	m := 1 << (bits.TrailingZeros(uint(n)) / 2)
	f := &fft{m: m, block: v["line"] / 16, procs: procs, seed: seed,
		x: dft.Input(n, seed), t: make([]complex128, n), roots: make([]complex128, n)}
	for range procs {
		f.rowRoots = append(f.rowRoots, rowRoots(m))
	}
	for a := range m {
		for b := range m {
			f.roots[a*m+b] = dft.Root(a*b, n)
		}
	}
	return f
}

// rowRoots returns the roots of the butterflies of one row of m points. Those of the stage with butterflies 2h wide
// start at h-1.
func rowRoots(m int) []complex128 {
	u := make([]complex128, 0, m)
	for h := 1; h < m; h *= 2 {
		for j := range h {
			u = append(u, dft.Root(j, 2*h))
		}
	}
	return u
}

// Program transforms x; the result is in t.
func (f *fft) Program(r *spmd.Rank) error {
	x, t := spmd.Shared(r, "x", f.x), spmd.Shared(r, "t", f.t)
	roots := spmd.Shared(r, "roots", f.roots)
	u := spmd.Private(r, "row roots", f.rowRoots[r.ID()])
	lo, hi := r.Share(f.m)

	f.transpose(r, t, x)
	for i := lo; i < hi; i++ {
		fftRow(f.row(t, i), u)
		multiplyRow(f.row(t, i), f.row(roots, i))
	}
	r.Barrier()
	f.transpose(r, x, t)
	for i := lo; i < hi; i++ {
		fftRow(f.row(x, i), u)
	}
	r.Barrier()
	f.transpose(r, t, x)
	r.Barrier()
	return nil
}

func (f *fft) row(a []complex128, i int) []complex128 {
	return a[i*f.m : (i+1)*f.m]
}

// transpose writes this rank's rows of dst from the columns of src. It begins with the rows of src that the next
// rank owns, so that ranks do not all read from the same owner.
func (f *fft) transpose(r *spmd.Rank, dst, src []complex128) {
	lo, hi := r.Share(f.m)
	for k := range f.procs {
		from, to := spmd.Share(f.m, f.procs, (r.ID()+1+k)%f.procs)
		for i0 := lo; i0 < hi; i0 += f.block {
			for j0 := from; j0 < to; j0 += f.block {
				transposeSquare(dst, src, f.m, i0, min(i0+f.block, hi), j0, min(j0+f.block, to))
			}
		}
	}
}

func transposeSquare(dst, src []complex128, m, i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		for j := j0; j < j1; j++ {
			dst[i*m+j] = src[j*m+i]
		}
	}
}

// fftRow computes the radix-2 FFT of one row in place: bit reversal, then stages of butterflies of doubling width.
func fftRow(a, u []complex128) {
	m := len(a)
	shift := 64 - bits.TrailingZeros(uint(m))
	for i := range m {
		if j := int(bits.Reverse64(uint64(i)) >> shift); i < j {
			ai, aj := a[i], a[j]
			a[i] = aj
			a[j] = ai
		}
	}
	for h := 1; h < m; h *= 2 {
		for k := 0; k < m; k += 2 * h {
			for j := range h {
				w, top := u[h-1+j], a[k+j]
				bottom := w * a[k+h+j]
				a[k+j] = top + bottom
				a[k+h+j] = top - bottom
			}
		}
	}
}

// multiplyRow multiplies a by w, element by element.
func multiplyRow(a, w []complex128) {
	for j := range a {
		a[j] *= w[j]
	}
}

// Verify compares with gonum's FFT, and compares gonum's inverse of the result with the input, in the 2-norm. The
// error of either transform is at most eta at each of its log2(n) stages, eta = mu + 4u (sqrt 2 + mu) < 8u. This
// holds for roots exact to mu = 2u, with u = 2^-53 [N. J. Higham: Accuracy and Stability of Numerical Algorithms,
// 2nd ed., thm. 24.2]. The multiplication between the steps counts as one more stage.
func (f *fft) Verify() error {
	n := len(f.t)
	input := dft.Input(n, f.seed)
	bound := 2 * 8 * 0x1p-53 * (math.Log2(float64(n)) + 1)
	gonum := fourier.NewCmplxFFT(n)
	if e := dft.RelativeError(f.t, gonum.Coefficients(nil, input)); !(e <= bound) {
		return fmt.Errorf("differs from gonum's FFT by %.3g, more than %.3g", e, bound)
	}
	back := gonum.Sequence(nil, f.t)
	for i := range back {
		back[i] /= complex(float64(n), 0)
	}
	if e := dft.RelativeError(back, input); !(e <= bound) {
		return fmt.Errorf("the inverse differs from the input by %.3g, more than %.3g", e, bound)
	}
	return nil
}

func (f *fft) Digest() string { return workload.Digest(f.t) }

// Counts predicts the references, with L = log2 m. A row has (m - 2^ceil(L/2))/2 swaps of 8 references (two complex
// loads and stores) and L m/2 butterflies of 10 (three loads, two stores). The multiplication takes 6 m, and each
// transpose 4 m.
func (f *fft) Counts() workload.Counts {
	m := uint64(f.m)
	log := uint64(bits.TrailingZeros64(m))
	row := (m-1<<((log+1)/2))/2*8 + log*m/2*10
	c := workload.Counts{Barriers: 3}
	for rank := range f.procs {
		lo, hi := spmd.Share(f.m, f.procs, rank)
		c.Refs = append(c.Refs, uint64(hi-lo)*(3*4*m+2*row+6*m))
	}
	return c
}
