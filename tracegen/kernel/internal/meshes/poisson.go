package meshes

import (
	"fmt"
	"math"
)

// poisson is a problem for the solvers of Poisson's equation, on a grid with spacing h: Laplace(u) = (2+6n) y on a
// rectangle, with u = x^2 y + n y^3 on its boundary. This u is also the solution inside. It also solves the
// five-point discretization, which is exact for cubics. n is 1 or more.
type poisson struct {
	n int
	h float64
}

// solution returns u at point (i,j).
func (p poisson) solution(i, j int) float64 {
	x, y := float64(j)*p.h, float64(i)*p.h
	return y * (float64(x*x) + float64(float64(p.n)*y*y))
}

// rhs returns h^2 times the Laplacian in row i.
func (p poisson) rhs(i int) float64 { return float64(2+6*p.n) * float64(i) * p.h * p.h * p.h }

// residual returns the residual of the discrete equation at a point inside the grid, which has rows of wide points.
// It is the sum of the neighbours minus h^2 times the Laplacian minus 4 times the point.
func (p poisson) residual(u []float64, wide, i, j int) float64 {
	at := i*wide + j
	return u[at-wide] + u[at+wide] + u[at-1] + u[at+1] - p.rhs(i) - 4*u[at]
}

// poissonRounding bounds the error of poisson.residual on a grid whose greatest value is 1: 8 roundings of sums of
// at most 8, and 5 roundings of the right side, also at most 8.
const poissonRounding = (8*8 + 5*8) * 0x1p-53

// check bounds the error of u by its residual. There are rows x cols points inside the grid.
//
// The discrete operator A has 4 at the point and -1 at its neighbours. In the maximum norm |A^-1| <= n^2/8, if the
// shorter side has n intervals. Proof: let s be the distance from one of the longer sides. Then s (n-s)/2 is at
// most n^2/8, at least 0 on the boundary, and A maps it to 1 everywhere inside.
//
// So |u - solution| <= n^2/8 |A u - A solution|. A solution equals the right side up to rounding: 7 roundings for
// each of the values that A adds, whose weights sum to 8, and those of the residual.
func (p poisson) check(u []float64, rows, cols int) error {
	wide := cols + 2
	var residual, value, wrong float64
	for i := range rows + 2 {
		for j := range wide {
			solution := p.solution(i, j)
			wrong = max(wrong, math.Abs(u[i*wide+j]-solution))
			value = max(value, math.Abs(u[i*wide+j]), math.Abs(solution))
			if i > 0 && i <= rows && j > 0 && j <= cols {
				residual = max(residual, math.Abs(p.residual(u, wide, i, j)))
			}
		}
	}
	n := float64(min(rows, cols) + 1)
	bound := n * n / 8 * (residual + (8*7*0x1p-53+poissonRounding)*value)
	if !(wrong <= bound) {
		return fmt.Errorf("the error is %.3g, more than the %.3g that a residual of %.3g permits", wrong, bound, residual)
	}
	return nil
}
