package locality

import (
	"fmt"
	"math"
	"testing"

	"spoor/analyze/reuse"
)

// Points of a law give that law back.
func TestLogFitFindsTheLaw(t *testing.T) {
	for _, want := range []law{{1.21, 103}, {1.3, 5800}, {1.71, 2}, {2.5, 300000}} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			var points []point
			for x := float64(logFrom); x <= logTo; x *= 2 {
				points = append(points, point{x, want.Miss(x)})
			}
			f := fitLog(points)
			if relative(f.Alpha.Value-1, want.Alpha-1) > 1e-5 || relative(f.Beta.Value, want.Beta) > 1e-4 {
				t.Errorf("got %+v", f)
			}
		})
	}
}

// No law of a grid fits better, and for each beta the best exponent has a closed form.
func TestLogFitIsTheMinimum(t *testing.T) {
	s := &sample{cold: 40, uses: []float64{50000, 9000, 4000, 2000, 800, 700, 600, 500, 90, 80, 70, 60}, footprint: 40}
	points := s.logPoints(4096)
	f := fitLog(points)
	cost := func(l law) (sum float64) {
		for _, q := range points {
			r := math.Log(l.Miss(q.X)) - math.Log(q.Ratio)
			sum += r * r
		}
		return sum
	}
	best := cost(f.Law())
	for b := 0.0; b < 25; b += 0.05 {
		var xy, xx float64
		for _, q := range points {
			l := math.Log1p(q.X / math.Exp(b))
			xy, xx = xy-l*math.Log(q.Ratio), xx+l*l
		}
		if c := cost(law{1 + xy/xx, math.Exp(b)}); c < best*(1-1e-9) {
			t.Fatalf("beta %g has a sum of squares of %g, the fit %+v has %g", math.Exp(b), c, f.Law(), best)
		}
	}
}

// The points are the curve, and first uses miss in caches of every size.
func TestLogPoints(t *testing.T) {
	s := &sample{cold: 10, uses: make([]float64, 60), footprint: reuse.ClassStart(60)}
	for class := range s.uses {
		s.uses[class] = 1
	}
	points := s.logPoints(64)
	if first, last := points[0], points[len(points)-1]; first.X != logFrom || relative(last.X, logTo) > 1e-9 || len(points) != 53 {
		t.Fatalf("%d points from %+v to %+v", len(points), first, last)
	}
	curve := s.points()
	for _, q := range points {
		want := s.cold / s.total()
		for _, p := range curve {
			if p.X*64 <= q.X*(1+1e-9) {
				want = p.Ratio
			}
		}
		if relative(q.Ratio, want) > 1e-12 {
			t.Errorf("%g bytes: %g, not %g", q.X, q.Ratio, want)
		}
	}
}
