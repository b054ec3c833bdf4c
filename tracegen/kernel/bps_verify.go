package kernel

import (
	"fmt"
	"math"

	"spoor/tracegen/workload"
)

// fourierError bounds the relative error of a radix-2 transform of n numbers in the
// 2-norm, log2(n) (m + c (sqrt(2) + m)) with m = 2 roundings for the roots and c =
// 4 [higham2002, thm. 24.2], which is below 8 log2(n); 9 leaves room for higher orders.
func fourierError(n int) float64 { return 9 * math.Log2(float64(n)) * 0x1p-53 }

// fastPoissonBound bounds the residual of the fast solver for a square of g
// intervals, in the 2-norm, where the right side and the solution have these
// norms. The transform of the right side has the error of a Fourier transform; so
// has that of the solution, which the operator multiplies by 8 at most. The
// tridiagonal systems are solved exactly for matrices whose elements, no greater
// than 6 and together 8, are off by 4 roundings of elimination [higham2002, thm.
// 9.12], 4 of inverted pivots and 4 of the wave number. To evaluate the residual
// is 8 roundings of sums no greater than 8.
func fastPoissonBound(g int, right, solution float64) float64 {
	return fourierError(2*g)*(right+8*solution) + (12*8+8*8)*0x1p-53*solution
}

// gathered is the whole grid, points inside the rectangle and on its boundary.
func (f *bps) gathered() []float64 {
	rows, cols := f.size()
	all := make([]float64, (rows+2)*(cols+2))
	for rank, u := range f.u {
		row, col := f.mesh.position(rank)
		for i := range f.g + 1 {
			copy(all[(row*f.g+i)*(cols+2)+col*f.g:], u[i*(f.g+1):(i+1)*(f.g+1)])
		}
	}
	return all
}

// Verify holds the ranks to each other, the residual to what the iteration says of
// it, and the solution to that of the differential equation.
func (f *bps) Verify() error {
	rows, cols := f.size()
	u := f.gathered()
	if err := f.checkShared(u); err != nil {
		return err
	}
	if err := f.checkInside(u); err != nil {
		return err
	}
	if err := f.checkWireBasket(u); err != nil {
		return err
	}
	return checkPoissonSolution(u, rows, cols, f.spacing())
}

// checkShared compares what ranks have of the same points and of the outcome.
func (f *bps) checkShared(all []float64) error {
	_, cols := f.size()
	for rank, u := range f.u {
		row, col := f.mesh.position(rank)
		for at := range u {
			i, j := row*f.g+at/(f.g+1), col*f.g+at%(f.g+1)
			if math.Float64bits(u[at]) != math.Float64bits(all[i*(cols+2)+j]) {
				return fmt.Errorf("point (%d,%d) is %v on rank %d and %v on another", i, j, u[at], rank, all[i*(cols+2)+j])
			}
		}
		if f.outcome[rank] != f.outcome[0] {
			return fmt.Errorf("rank %d ended with %+v, rank 0 with %+v", rank, f.outcome[rank], f.outcome[0])
		}
	}
	return nil
}

// checkInside holds the residual inside every square to the bound of the fast
// solver, whose right side is the given one with the values of the border.
func (f *bps) checkInside(u []float64) error {
	wide, h := f.mesh.cols*f.g+1, f.spacing()
	for rank := range f.u {
		row, col := f.mesh.position(rank)
		var residual, right, solution float64
		for i := row*f.g + 1; i < (row+1)*f.g; i++ {
			for j := col*f.g + 1; j < (col+1)*f.g; j++ {
				at := i*wide + j
				e, b := poissonResidual(u, wide, i, j, h), math.Abs(poissonRHS(i, h))
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

// checkWireBasket compares the residual on edges and vertices with what the ranks
// found. Each point's residual has the rounding of its evaluation, by them in up to
// four parts and here, and that of the sum of squares is no more than the number of
// points.
func (f *bps) checkWireBasket(u []float64) error {
	wide, h := f.mesh.cols*f.g+1, f.spacing()
	var sum, value float64
	points := 0.0
	for i := 1; i < f.mesh.rows*f.g; i++ {
		for j := 1; j < f.mesh.cols*f.g; j++ {
			if i%f.g == 0 || j%f.g == 0 {
				e := poissonResidual(u, wide, i, j, h)
				sum += e * e
				points++
			}
			value = max(value, math.Abs(u[i*wide+j]))
		}
	}
	end, residual := f.outcome[0], math.Sqrt(sum)
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
	return workload.Digest(f.gathered(), int64(f.outcome[0].steps))
}

// Counts: the number of steps depends on rounding, and with it that of messages.
func (f *bps) Counts() workload.Counts { return workload.Counts{} }
