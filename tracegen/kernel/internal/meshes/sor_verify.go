package meshes

import (
	"fmt"
	"math"
)

// gathered returns the whole grid: points inside the rectangle and on its boundary.
func (f *sor) gathered() []float64 {
	rows, cols := f.size()
	wide := cols + 2
	all := make([]float64, (rows+2)*wide)
	for rank, u := range f.u {
		row, col := f.mesh.position(rank)
		for i := range f.g + 2 {
			for j := range f.g + 2 {
				y, x := row*f.g+i, col*f.g+j
				inside := i > 0 && i <= f.g && j > 0 && j <= f.g
				if inside || y == 0 || y == rows+1 || x == 0 || x == cols+1 {
					all[y*wide+x] = u[i*(f.g+2)+j]
				}
			}
		}
	}
	return all
}

// Verify compares the result with a serial run on the whole grid, to the bit, and with the solution of the
// differential equation.
func (f *sor) Verify() error {
	rows, cols := f.size()
	got, want := f.gathered(), f.serial()
	for at := range want {
		if math.Float64bits(got[at]) != math.Float64bits(want[at]) {
			return fmt.Errorf("point (%d,%d) is %v, by serial relaxation %v", at/(cols+2), at%(cols+2), got[at], want[at])
		}
	}
	return f.problem().check(got, rows, cols)
}

// serial is textbook odd-even relaxation. Both conversions keep multiplication and addition separate, as in relax.
func (f *sor) serial() []float64 {
	rows, cols := f.size()
	wide, problem := cols+2, f.problem()
	u := make([]float64, (rows+2)*wide)
	for i := range rows + 2 {
		for j := range wide {
			if i == 0 || i == rows+1 || j == 0 || j == cols+1 {
				u[i*wide+j] = problem.solution(i, j)
			}
		}
	}
	for n := 1; n <= f.iterations; n++ {
		greatest := 0.0
		for colour := range 2 {
			for i := 1; i <= rows; i++ {
				for j := 1; j <= cols; j++ {
					if (i+j)%2 == colour {
						at := i*wide + j
						mean := (u[at-wide] + u[at+wide] + u[at-1] + u[at+1] - problem.rhs(i)) / 4
						change := float64(f.omega * (mean - u[at]))
						u[at] += change
						greatest = max(greatest, math.Abs(change))
					}
				}
			}
		}
		if f.check > 0 && n%f.check == 0 && greatest <= f.tolerance {
			break
		}
	}
	return u
}
