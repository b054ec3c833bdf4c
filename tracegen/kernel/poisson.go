package kernel

import (
	"fmt"
	"math"
)

// The problem that the solvers of Poisson's equation solve: Laplace(u) = 8y on a
// rectangle, with u = x^2 y + y^3 on its boundary. That is also the solution
// inside, and of the five-point discretization, which is exact for cubics.

// poissonSolution is u at point (i,j) of a grid with spacing h.
func poissonSolution(i, j int, h float64) float64 {
	x, y := float64(j)*h, float64(i)*h
	return y * (float64(x*x) + float64(y*y))
}

// poissonRHS is h^2 times the Laplacian there.
func poissonRHS(i int, h float64) float64 { return 8 * float64(i) * h * h * h }

// poissonResidual is the residual of the discrete equation at a point inside the
// grid, in rows of wide points: its neighbours less h^2 times the Laplacian less 4
// times the point.
func poissonResidual(u []float64, wide, i, j int, h float64) float64 {
	at := i*wide + j
	return u[at-wide] + u[at+wide] + u[at-1] + u[at+1] - poissonRHS(i, h) - 4*u[at]
}

// poissonRounding bounds the error of poissonResidual at a grid whose greatest
// value is 1: 8 roundings of sums no greater than 8, and of the right side 5 of 8.
const poissonRounding = (8*8 + 5*8) * 0x1p-53

// checkPoissonSolution bounds the error of u by its residual; there are rows x cols
// points inside the grid. The discrete operator A, 4 at the point and -1 at its
// neighbours, has |A^-1| <= n^2/8 in the maximum norm, where n intervals make the
// shorter side: with s the distance from one of the longer sides, s (n-s)/2 is
// n^2/8 at most, at least 0 on the boundary, and A makes it 1 everywhere inside. So
// |u - solution| <= n^2/8 |A u - A solution|. A solution is the right side up to
// rounding: 5 roundings for each of the values that A adds, whose weights sum to 8,
// and those of the residual.
func checkPoissonSolution(u []float64, rows, cols int, h float64) error {
	wide := cols + 2
	var residual, value, wrong float64
	for i := range rows + 2 {
		for j := range wide {
			solution := poissonSolution(i, j, h)
			wrong = max(wrong, math.Abs(u[i*wide+j]-solution))
			value = max(value, math.Abs(u[i*wide+j]), math.Abs(solution))
			if i > 0 && i <= rows && j > 0 && j <= cols {
				residual = max(residual, math.Abs(poissonResidual(u, wide, i, j, h)))
			}
		}
	}
	n := float64(min(rows, cols) + 1)
	bound := n * n / 8 * (residual + (8*5*0x1p-53+poissonRounding)*value)
	if !(wrong <= bound) {
		return fmt.Errorf("the error is %.3g, more than the %.3g that a residual of %.3g permits", wrong, bound, residual)
	}
	return nil
}
