package meshes

import (
	"fmt"
	"math"

	"spoor/tracegen/kernel/internal/workload"
)

// fourierError bounds the relative error of a radix-2 transform of n numbers in the 2-norm. The bound is log2(n) (m
// + c (sqrt(2) + m)) with m = 2 roundings for the roots and c = 4 [higham2002, thm. 24.2]. It is below 8 log2(n); 9
// leaves room for higher orders.
func fourierError(n int) float64 { return 9 * math.Log2(float64(n)) * 0x1p-53 }

// fastPoissonBound bounds the residual of the fast solver for a square of g intervals, in the 2-norm. The arguments
// are the norms of the right side and of the solution.
//
// The transform of the right side has the error of a Fourier transform. So has the transform of the solution, which
// the operator multiplies by 8 at most. The tridiagonal systems are solved exactly for perturbed matrices. Their
// elements are at most 6 and together 8. The perturbation is 4 roundings of elimination [higham2002, thm. 9.12], 4
// of inverted pivots and 4 of the wave number. Evaluating the residual takes 8 roundings of sums of at most 8.
func fastPoissonBound(g int, right, solution float64) float64 {
	return fourierError(2*g)*(right+8*solution) + (12*8+8*8)*0x1p-53*solution
}

// square returns a rank's square of a system.
func (f *bps) square(rank, system int) []float64 {
	points := (f.g + 1) * (f.g + 1)
	return f.u[rank][system*points : (system+1)*points]
}

// gathered returns the whole grid of a system: points inside the rectangle and on its boundary.
func (f *bps) gathered(system int) []float64 {
	rows, cols := f.size()
	all := make([]float64, (rows+2)*(cols+2))
	for rank := range f.u {
		u := f.square(rank, system)
		row, col := f.mesh.position(rank)
		for i := range f.g + 1 {
			copy(all[(row*f.g+i)*(cols+2)+col*f.g:], u[i*(f.g+1):(i+1)*(f.g+1)])
		}
	}
	return all
}

// Verify checks every system.
func (f *bps) Verify() error {
	for system := range f.systems {
		if err := f.verify(system); err != nil {
			return fmt.Errorf("system %d: %w", system+1, err)
		}
	}
	return nil
}

// verify compares the ranks with each other, the residual with that of the iteration, and the solution with that of
// the differential equation.
func (f *bps) verify(system int) error {
	rows, cols := f.size()
	u := f.gathered(system)
	if err := f.checkShared(u, system); err != nil {
		return err
	}
	if err := f.checkInside(u, f.problem(system)); err != nil {
		return err
	}
	if err := f.checkWireBasket(u, system); err != nil {
		return err
	}
	return f.problem(system).check(u, rows, cols)
}

// checkShared compares the ranks' values of the same points, and their outcomes.
func (f *bps) checkShared(all []float64, system int) error {
	_, cols := f.size()
	for rank := range f.u {
		u := f.square(rank, system)
		row, col := f.mesh.position(rank)
		for at := range u {
			i, j := row*f.g+at/(f.g+1), col*f.g+at%(f.g+1)
			if math.Float64bits(u[at]) != math.Float64bits(all[i*(cols+2)+j]) {
				return fmt.Errorf("point (%d,%d) is %v on rank %d and %v on another", i, j, u[at], rank, all[i*(cols+2)+j])
			}
		}
		if mine, first := f.outcome[rank][system], f.outcome[0][system]; mine != first {
			return fmt.Errorf("rank %d ended with %+v, rank 0 with %+v", rank, mine, first)
		}
	}
	return nil
}

// checkInside compares the residual inside every square with the bound of the fast solver. The solver's right side
// is the given one with the values of the border.
func (f *bps) checkInside(u []float64, problem poisson) error {
	wide := f.mesh.cols*f.g + 1
	for rank := range f.u {
		row, col := f.mesh.position(rank)
		var residual, right, solution float64
		for i := row*f.g + 1; i < (row+1)*f.g; i++ {
			for j := col*f.g + 1; j < (col+1)*f.g; j++ {
				at := i*wide + j
				e, b := problem.residual(u, wide, i, j), math.Abs(problem.rhs(i))
				for _, beside := range [...]struct {
					border bool
					at     int
				}{{i == row*f.g+1, at - wide}, {i == (row+1)*f.g-1, at + wide}, {j == col*f.g+1, at - 1}, {j == (col+1)*f.g-1, at + 1}} {
					if beside.border {
						b += math.Abs(u[beside.at])
					}
				}
				residual += e * e
				right += b * b
				solution += u[at] * u[at]
			}
		}
		if bound := fastPoissonBound(f.g, math.Sqrt(right), math.Sqrt(solution)); !(math.Sqrt(residual) <= bound) {
			return fmt.Errorf("rank %d: the residual inside is %.3g, more than %.3g", rank, math.Sqrt(residual), bound)
		}
	}
	return nil
}

// checkWireBasket compares the residual on edges and vertices with that of the ranks. Each point's residual has the
// rounding of its evaluation: in up to four parts by the ranks, and once here. The rounding of the sum of squares
// is at most the number of points.
func (f *bps) checkWireBasket(u []float64, system int) error {
	wide, problem := f.mesh.cols*f.g+1, f.problem(system)
	var sum, value float64
	points := 0.0
	for i := 1; i < f.mesh.rows*f.g; i++ {
		for j := 1; j < f.mesh.cols*f.g; j++ {
			if i%f.g == 0 || j%f.g == 0 {
				e := problem.residual(u, wide, i, j)
				sum += e * e
				points++
			}
			value = max(value, math.Abs(u[i*wide+j]))
		}
	}
	end, residual := f.outcome[0][system], math.Sqrt(sum)
	rounding := (2*poissonRounding+4*8*0x1p-53)*max(1, value)*math.Sqrt(points) + points*0x1p-53*residual
	if !(math.Abs(residual-end.residual) <= rounding) {
		return fmt.Errorf("the residual on edges and vertices is %.6g, the iteration says %.6g", residual, end.residual)
	}
	if !(end.residual <= f.tolerance*end.first) && end.steps < f.iterations {
		return fmt.Errorf("the iteration ended after %d steps with a residual of %.3g, at first %.3g", end.steps, end.residual, end.first)
	}
	return nil
}

func (f *bps) Digest() string {
	var results []any
	for system := range f.systems {
		results = append(results, f.gathered(system), int64(f.outcome[0][system].steps))
	}
	return workload.Digest(results...)
}

// Counts predicts nothing: the number of steps, and so of messages, depends on rounding.
func (f *bps) Counts() workload.Counts { return workload.Counts{} }
