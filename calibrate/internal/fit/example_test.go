package fit_test

import (
	"fmt"

	"spoor/calibrate/internal/fit"
)

// A law of two coefficients, found in two launches that are 2 % apart, with what another run may find; and
// a design that cannot tell its columns apart.
func Example() {
	p := &fit.Problem{Columns: []string{"1", "n"}}
	times := &fit.Times{Cluster: "launches"}
	for n := range 20 {
		y := 3 + 0.5*float64(n)
		p.X, p.Y = append(p.X, []float64{1, float64(n)}), append(p.Y, y)
		times.Of = append(times.Of, []float64{0.99 * y, 1.01 * y})
	}
	s, err := fit.LeastSquares(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	spread := times.Spread(func(means []float64, drawn []int) ([]float64, error) {
		s, err := fit.LeastSquares(&fit.Problem{Columns: p.Columns, X: p.X, Y: means})
		return s.Coef, err
	}, 2, true, 1)
	lo, hi := spread.Interval(1, s.Coef[1])
	fmt.Printf("t = %.3f + %.3f n; %.1f to %.1f: %s\n", s.Coef[0], s.Coef[1], lo, hi, spread.What)

	for i := range p.X {
		p.X[i] = []float64{1, 7}
	}
	_, err = fit.LeastSquares(p)
	fmt.Println(err)
	// Output:
	// t = 3.000 + 0.500 n; 0.4 to 0.6: bootstrap over 2 launches, seed 1
	// the columns 1, n are nearly collinear in these points (condition number +Inf, at most 10000); measure points in which they vary independently
}
