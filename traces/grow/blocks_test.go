package grow

import (
	"math"
	"testing"
)

// TestBlocks: work on blocks of an array of 512 x 512 elements is known from a few grids, and gives that of another. Three grids do not tell both
// sides from a constant.
func TestBlocks(t *testing.T) {
	for name, w := range map[string]struct {
		work  func(rows, columns float64) float64
		ranks []int
	}{
		"area":                   {func(r, c float64) float64 { return 9 * r * c }, []int{4, 8, 16}},
		"area and a constant":    {func(r, c float64) float64 { return 9*r*c + 5000 }, []int{4, 8, 16}},
		"area and rows":          {func(r, c float64) float64 { return 9*r*c + 105*r }, []int{4, 8, 16}},
		"area, rows, a constant": {func(r, c float64) float64 { return 9*r*c + 105*r + 167 }, []int{4, 8, 16}},
		"area and both sides":    {func(r, c float64) float64 { return 9*r*c + 105*r + 60*c }, []int{4, 8, 16, 32}},
	} {
		t.Run(name, func(t *testing.T) {
			of := func(p *place) float64 { return w.work(512/float64(p.size[1]), 512/float64(p.size[2])) }
			var x []*place
			var y []float64
			for _, ranks := range w.ranks {
				p := placeOf(grid{dims: 2}, 0, ranks)
				x, y = append(x, &p), append(y, of(&p))
			}
			for i := range y {
				y[i] /= of(x[len(x)-1])
			}
			c, target := fitCurve(x, y), placeOf(grid{dims: 2}, 0, 64)
			if got, want := c.at(&target)*of(x[len(x)-1]), of(&target); math.Abs(got/want-1) > 0.02 {
				t.Errorf("%.0f instructions, want %.0f (%+v)", got, want, c)
			}
		})
	}
}

// TestNoBlocks: parts are not negative, and fewer than three points determine none.
func TestNoBlocks(t *testing.T) {
	var x []*place
	for _, ranks := range []int{4, 8, 16} {
		p := placeOf(grid{dims: 2}, 0, ranks)
		x = append(x, &p)
	}
	if parts, ok := fitBlocks(x, []float64{1, 2, 9}, changes); ok {
		t.Errorf("growing work has the parts %v", parts)
	}
	if parts, ok := fitBlocks(x[:2], []float64{2, 1}, changes); ok {
		t.Errorf("two points have the parts %v", parts)
	}
}
