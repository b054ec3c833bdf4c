package locality

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/optimize"

	"spoor/analyze/internal/definition"
	"spoor/analyze/reuse"
)

// sampleOf is the sample of programs that use lines in order.
func sampleOf(programs ...[]uint64) *sample {
	s := new(sample)
	for _, lines := range programs {
		var stack definition.Stack
		cold := uint64(0)
		for _, l := range lines {
			d := stack.Touch(l)
			if d == reuse.Cold {
				cold++
				continue
			}
			s.addUses(lastClass(d+1), 1)
		}
		s.addCold(0, cold, 1)
		s.footprint = max(s.footprint, int64(cold))
	}
	return s
}

func random(seed uint64) *sample {
	r := rand.New(rand.NewPCG(seed, 9))
	var lines []uint64
	for range 3000 {
		lines = append(lines, r.Uint64N(1+r.Uint64N(1<<9)))
	}
	return sampleOf(lines)
}

// Gradients and second derivatives are those of the cost.
func TestDerivativesOfLikelihood(t *testing.T) {
	for name, f := range map[string]objective{"all": likelihood(random(1), new(memo)), "above cold": likelihoodAbove(random(2), new(memo))} {
		cost := func(x []float64) float64 { c, _, _ := f(params{x[0], x[1]}); return c }
		for _, p := range []params{{-3, 1}, {0, 0.5}, {0.5, 4}, {-9, 9}, {3, 7}} {
			_, g, h := f(p)
			want := fd.Gradient(nil, cost, p[:], &fd.Settings{Formula: fd.Central, Step: 1e-5})
			for i := range g {
				if math.Abs(g[i]-want[i]) > 1e-6*(1+math.Abs(want[i])) {
					t.Errorf("%s at %v: gradient %v, want %v", name, p, g, want)
				}
			}
			for i := range 2 {
				up, down := p, p
				up[i] += 1e-5
				down[i] -= 1e-5
				_, gu, _ := f(up)
				_, gd, _ := f(down)
				for j := range 2 {
					if want := (gu[j] - gd[j]) / 2e-5; h[0][0]*h[1][1] > h[0][1]*h[0][1] && math.Abs(h[i][j]-want) > 1e-4*(1+math.Abs(want)) && positive(f, p) {
						t.Errorf("%s at %v: second derivative %d %d is %v, want %v", name, p, i, j, h[i][j], want)
					}
				}
			}
		}
	}
}

// positive reports whether the second derivatives at p, by differences of gradients, are positive definite.
func positive(f objective, p params) bool {
	var h [2][2]float64
	for i := range 2 {
		up, down := p, p
		up[i] += 1e-5
		down[i] -= 1e-5
		_, gu, _ := f(up)
		_, gd, _ := f(down)
		for j := range 2 {
			h[i][j] = (gu[j] - gd[j]) / 2e-5
		}
	}
	return h[0][0] > 0 && h[0][0]*h[1][1] > h[0][1]*h[1][0]
}

// Where no bound binds, the fits are what a method that knows nothing of derivatives finds.
func TestFitsAreThoseOfNelderAndMead(t *testing.T) {
	for seed := range uint64(6) {
		s := sampleOf(drawn(rand.New(rand.NewPCG(seed, 8)), law{1.3 + float64(seed)/5, 10}, 4000))
		for name, f := range map[string]objective{"all": likelihood(s, new(memo)), "above cold": likelihoodAbove(s, new(memo)), "squares": leastSquares(s.points(), new(memo)), "squares above cold": leastSquares(s.pointsAbove(), new(memo))} {
			got, cost := search(f, float64(s.footprint))
			cost2 := func(x []float64) float64 { c, _, _ := f(params{x[0], x[1]}.clamp()); return c }
			want, err := optimize.Minimize(optimize.Problem{Func: cost2}, []float64{-0.5, 2}, &optimize.Settings{Converger: &optimize.FunctionConverge{Absolute: 1e-13, Iterations: 200}}, &optimize.NelderMead{})
			if err != nil {
				t.Fatal(err)
			}
			if cost > want.F+1e-12 || math.Abs(got[0]-want.X[0]) > 1e-3 || math.Abs(got[1]-want.X[1]) > 1e-3 {
				t.Errorf("%s: %v with %v, want %v with %v", name, got, cost, want.X, want.F)
			}
		}
	}
}

// Cold uses are censored at the lines before them: on streams drawn from a law the fit has no bias
// beyond its standard error, of 100 streams. Were they censored at the footprint, or left out, it would have.
func TestCensoringHasNoBias(t *testing.T) {
	law := law{1.5, 30}
	truth := params{math.Log(law.Alpha - 1), math.Log(law.Beta)}
	const streams = 100
	biased := map[string]bool{"before": false, "footprint": true, "left out": true}
	sum, squares := map[string]params{}, map[string]params{}
	for seed := range uint64(streams) {
		s := sampleOf(drawn(rand.New(rand.NewPCG(seed, 7)), law, 2000))
		for name := range biased {
			c := *s
			switch name {
			case "footprint":
				c.censored = nil
				for range lastClass(s.footprint) {
					c.censored = append(c.censored, 0)
				}
				c.censored = append(c.censored, s.cold)
			case "left out":
				c.censored = nil
			}
			p, _ := search(likelihood(&c, new(memo)), float64(s.footprint))
			a, b := sum[name], squares[name]
			for i := range p {
				a[i] += p[i] - truth[i]
				b[i] += (p[i] - truth[i]) * (p[i] - truth[i])
			}
			sum[name], squares[name] = a, b
		}
	}
	for name, want := range biased {
		t.Run(name, func(t *testing.T) {
			worst := 0.0
			for i := range 2 {
				mean := sum[name][i] / streams
				worst = max(worst, math.Abs(mean)/math.Sqrt((squares[name][i]/streams-mean*mean)/streams))
			}
			if (worst > 4) != want {
				t.Errorf("off by %.1f standard errors of the mean", worst)
			}
		})
	}
}

// The information at the maximum covers the truth for independent draws, which is all it knows of.
func TestObservedInformation(t *testing.T) {
	law := law{1.5, 30}
	const streams = 200
	var alpha, beta int
	for seed := range uint64(streams) {
		s := sampleOf(drawn(rand.New(rand.NewPCG(seed, 6)), law, 1500))
		f, err := maximizeLikelihood(s, likelihood(s, new(memo)), s.total())
		if err != nil {
			t.Fatal(err)
		}
		if f.Alpha.Lo <= law.Alpha && law.Alpha <= f.Alpha.Hi {
			alpha++
		}
		if f.Beta.Lo <= law.Beta && law.Beta <= f.Beta.Hi {
			beta++
		}
	}
	// 95 % of 200 is 190, its standard deviation 3.1: four of them.
	if min(alpha, beta) < 177 {
		t.Errorf("alpha %d, beta %d of %d", alpha, beta, streams)
	}
}
