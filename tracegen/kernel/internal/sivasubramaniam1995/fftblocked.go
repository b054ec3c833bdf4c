package sivasubramaniam1995

import (
	"fmt"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"

	"spoor/tracegen/kernel/internal/dft"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// FFTBlocked is the complex one-dimensional FFT of n points that changes from a cyclic to a blocked layout between
// its stages [D. Culler et al.: LogP: towards a realistic model of parallel computation, PPoPP 1993, sec. 4.1;
// sivasubramaniam1995, app., FFT]. It is radix 2 with decimation in frequency: the butterflies of its log2 n stages
// combine points n/2, n/4, ..., 1 apart.
//
//   - Point i is on rank i mod P. The first log2(n/P) stages combine points P or
//     more apart, so they are local.
//   - After a barrier, every rank reads its contiguous n/P points, n/P^2 of them
//     from each rank. It begins with the next rank and ends with itself.
//   - After another barrier, the last log2 P stages are local.
//
// The result is the unnormalised forward transform in bit-reversed order. A number is two float32, so 4 of them
// fill a block of 32 bytes, as in the paper.
var FFTBlocked = workload.Kernel{
	Name: "fftblocked", Paper: "sivasubramaniam1995",
	Doc: "radix-2 complex 1-D FFT, from a cyclic to a blocked layout by a staggered all-to-all",
	Params: []workload.Param{
		{Name: "points", Default: 1 << 16, Min: 1, Max: 1 << 24, Constraint: "a power of 2", Valid: workload.PowerOfTwo,
			Doc: "length of the transform; at least procs squared"},
	},
	Small: workload.Values{"points": 1024},
	Procs: func(v workload.Values, procs int) error {
		if !workload.PowerOfTwo(procs) || procs*procs > v["points"] {
			return fmt.Errorf("procs=%d is out of range; a power of 2, its square at most points=%d", procs, v["points"])
		}
		return nil
	},
	Make: newFFTBlocked,
}

type fftBlocked struct {
	seed    uint64
	cyclic  []complex64   // element k of part q is point kP+q
	blocked []complex64   // points in order
	roots   [][]complex64 // of each rank, in the order of its butterflies
}

func newFFTBlocked(v workload.Values, procs int, seed uint64) workload.Instance {
	n := v["points"]
	f := &fftBlocked{seed: seed, cyclic: make([]complex64, n), blocked: make([]complex64, n)}
	for i, x := range dft.Input(n, seed) {
		f.cyclic[i%procs*(n/procs)+i/procs] = complex64(x)
	}
	for rank := range procs {
		f.roots = append(f.roots, fftBlockedRoots(n, procs, rank))
	}
	return f
}

// fftBlockedRoots returns exp(-2 pi i j/2d) for the stages of distance d. First d = n/2, n/4, ..., P with j = rank,
// rank+P, ... < d; then d = P/2, ..., 1 with j = 0, 1, ... < d.
func fftBlockedRoots(n, procs, rank int) (roots []complex64) {
	for d := n / 2; d >= 1; d /= 2 {
		first, step := rank, procs
		if d < procs {
			first, step = 0, 1
		}
		for j := first; j < d; j += step {
			roots = append(roots, complex64(dft.Root(j, 2*d)))
		}
	}
	return roots
}

// Program transforms the points.
func (f *fftBlocked) Program(r *spmd.Rank) error {
	cyclic := spmd.Shared(r, "cyclic", f.cyclic, spmd.Blocked())
	blocked := spmd.Shared(r, "blocked", f.blocked, spmd.Blocked())
	roots := spmd.Private(r, "roots", f.roots[r.ID()])
	id, procs := r.ID(), r.Procs()
	m := len(cyclic) / procs

	butterflies(cyclic[id*m:(id+1)*m], roots, m/2)
	r.Barrier()
	mine := blocked[id*m : (id+1)*m]
	for k := range procs {
		from := (id + 1 + k) % procs
		part := cyclic[from*m+id*(m/procs):]
		spread(mine[from:], part[:m/procs], procs)
	}
	r.Barrier()
	butterflies(mine, roots[m-1:], procs/2)
	return nil
}

// butterflies computes the stages of distance d, d/2, ..., 1 in place. Stage d takes the first d of the remaining
// roots.
//
// It is not inlined, so that its instructions are the same for all callers.
//
//go:noinline
func butterflies(x, roots []complex64, d int) {
	for ; d >= 1; d /= 2 {
		for start := 0; start < len(x); start += 2 * d {
			for j := range d {
				a, b := x[start+j], x[start+d+j]
				x[start+j] = a + b
				x[start+d+j] = (a - b) * roots[j]
			}
		}
		roots = roots[d:]
	}
}

// spread copies src to elements 0, stride, 2 stride, ... of dst.
func spread(dst, src []complex64, stride int) {
	for i, x := range src {
		dst[i*stride] = x
	}
}

// Verify compares with gonum's FFT in the 2-norm. The error of the transform is at most eta at each of its log2(n)
// stages, eta = mu + gamma_4 (sqrt 2 + mu) < 8u. This holds for roots exact to mu = u, with u = 2^-24 [higham2002,
// thm. 24.2]. One additional stage covers gonum's own error.
func (f *fftBlocked) Verify() error {
	n := len(f.blocked)
	input := dft.Input(n, f.seed)
	got := make([]complex128, n)
	shift := 64 - bits.TrailingZeros(uint(n))
	for i, x := range f.blocked {
		input[i] = complex128(complex64(input[i]))
		got[bits.Reverse64(uint64(i))>>shift] = complex128(x)
	}
	want := fourier.NewCmplxFFT(n).Coefficients(nil, input)
	bound := 8 * 0x1p-24 * (math.Log2(float64(n)) + 1)
	if e := dft.RelativeError(got, want); !(e <= bound) {
		return fmt.Errorf("differs from gonum's FFT by %.3g, more than %.3g", e, bound)
	}
	return nil
}

func (f *fftBlocked) Digest() string { return workload.Digest(f.blocked) }

// Counts predicts the barriers: one before and one after the redistribution.
func (f *fftBlocked) Counts() workload.Counts { return workload.Counts{Barriers: 2} }
