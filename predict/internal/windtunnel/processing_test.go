package windtunnel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"spoor/traces/testsize"
)

// within fails unless got is as near to want as a relative tolerance says.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)+1e-12) {
		t.Errorf("%s: got %v, want %v within %v %%", what, got, want, 100*tolerance)
	}
}

// The expected maximum of normal variables, with the bound sqrt(2 ln p) that eq. 1 has in its place.
func TestNormalMaximum(t *testing.T) {
	for _, row := range []struct {
		p            int
		exact, bound float64
	}{{2, 0.5642, 1.1774}, {4, 1.0294, 1.6651}, {8, 1.4236, 2.0393}, {16, 1.7660, 2.3548}, {32, 2.0697, 2.6328}, {64, 2.3437, 2.8841}, {128, 2.5946, 3.1151}} {
		within(t, "exact", normalMaximum(row.p), row.exact, 1e-4)
		within(t, "bound", kruskalWeiss(work{sigma: 1}, 1, row.p), row.bound, 1e-4)
	}
	within(t, "two", normalMaximum(2), 1/math.Sqrt(math.Pi), 1e-9)
	if normalMaximum(1) != 0 {
		t.Error("one variable has its mean")
	}
}

// Exact values and those of eq. 1 for sums of k times of mean 1.
func TestGammaMaximum(t *testing.T) {
	for _, row := range []struct {
		sigma       float64
		k, p        int
		exact, prnt float64
	}{
		{1, 1, 2, 1.5, 2.177}, {1, 1, 8, 2.718, 3.039}, {1, 1, 32, 4.058, 3.633}, {1, 4, 2, 5.094, 6.355}, {1, 4, 8, 7.231, 8.079}, {1, 4, 32, 9.236, 9.266},
		{1, 16, 2, 18.239, 20.710}, {1, 16, 8, 22.121, 24.157}, {1, 16, 32, 25.419, 26.531}, {1, 128, 2, 134.377, 141.321}, {1, 128, 32, 152.580, 157.786},
		{.5, 1, 8, 1.808, 2.020}, {.5, 4, 32, 6.355, 6.633}, {.5, 16, 8, 18.959, 20.079},
		{.3, 1, 2, 1.167, 1.353}, {.3, 4, 2, 4.338, 4.706}, {.3, 4, 32, 5.346, 5.580}, {.3, 16, 8, 17.749, 18.447},
		{2, 1, 2, 1.763, 3.355}, {2, 1, 8, 4.385, 5.079}, {2, 1, 32, 8.165, 6.266}, {2, 4, 2, 6.000, 8.710}, {2, 16, 32, 36.943, 37.062},
	} {
		w := work{mu: 1, sigma: row.sigma}
		within(t, "gamma", gammaMaximum(w, row.k, row.p), row.exact, 4e-4)
		within(t, "eq. 1", kruskalWeiss(w, row.k, row.p), row.prnt, 3e-4)
	}
	harmonic := 0.0
	for n := 1; n <= 64; n++ {
		harmonic += 1 / float64(n)
		within(t, "exponential", gammaMaximum(work{mu: 1, sigma: 1}, 1, n), harmonic, 1e-6)
	}
}

// maximum is the mean over draws of the maximum over p of sums of k, with its standard error.
func maximum(r *rand.Rand, draws, k, p int, one func() float64) (mean, se float64) {
	var sum, squares float64
	for range draws {
		most := math.Inf(-1)
		for range p {
			s := 0.0
			for range k {
				s += one()
			}
			most = max(most, s)
		}
		sum += most
		squares += most * most
	}
	n := float64(draws)
	mean = sum / n
	return mean, math.Sqrt((squares/n-mean*mean)/n) + 1e-12
}

// Sums of gamma times are gamma distributed, so that the model is exact; for k = 1 the same is true of beta times.
func TestMaximaAgainstRandomDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, row := range []struct{ mean, sigma float64 }{{78, 17}, {10, 15}, {50, 40}, {98, 12}, {30, 45}}[:testsize.Cases(5, 2)] {
		t.Run(fmt.Sprint(row.mean), func(t *testing.T) {
			shape := row.mean * row.mean / (row.sigma * row.sigma)
			gamma := distuv.Gamma{Alpha: shape, Beta: shape / row.mean, Src: r}
			m := row.mean / 100
			s := m*(1-m)/(row.sigma*row.sigma/1e4) - 1
			beta := distuv.Beta{Alpha: m * s, Beta: (1 - m) * s, Src: r}
			w := work{row.mean, row.sigma, 100}
			for _, n := range []struct{ k, p int }{{1, 2}, {1, 8}, {1, 32}, {3, 4}, {8, 2}} {
				mean, se := maximum(r, 4000, n.k, n.p, gamma.Rand)
				if got := gammaMaximum(w, n.k, n.p); math.Abs(got-mean) > 5*se {
					t.Errorf("gamma %v %v: got %v, drew %v +- %v", row, n, got, mean, se)
				}
				mean, se = maximum(r, 4000, n.k, n.p, func() float64 { return 100 * beta.Rand() })
				tolerance := 5*se + 2e-4*mean // rare maxima may not be drawn at all
				if n.k > 1 {                  // a sum of beta variables is none; its first two moments and its bounds agree
					tolerance += 0.015 * mean
				}
				if got := boundedMaximum(w, n.k, n.p); math.Abs(got-mean) > tolerance {
					t.Errorf("beta %v %v: got %v, drew %v +- %v", row, n, got, mean, se)
				}
			}
		})
	}
}

// Targets that execute for the whole quantum or wait: the maximum is that of binomial variables, eq. 2.
func TestBoundedMaximumOfAllOrNothing(t *testing.T) {
	for _, m := range []float64{0.05, 0.3, 0.5, 0.78, 0.95} {
		w := work{100 * m, 100 * math.Sqrt(m*(1-m)), 100}
		for _, n := range []struct{ k, p int }{{1, 2}, {1, 32}, {2, 16}, {4, 8}, {8, 4}, {16, 2}, {32, 1}} {
			tolerance := 0.06 // a discrete distribution of few values
			switch {
			case n.k == 1:
				tolerance = 1e-9
			case m < 0.1:
				tolerance = 0.1
			}
			within(t, "bounded", boundedMaximum(w, n.k, n.p), 100*mostActive(n.k, m, n.p), tolerance)
		}
	}
}

// Hosts that share out one quantum's targets have the expected maximum of independent ones: with normal times, the
// statement in the package's comment is exact.
func TestHostsThatShareTargetsAreAsIndependent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n, k, p = 32, 8, 4
	var sum, variance float64
	const quanta = 20000
	for range quanta {
		var hosts [p]float64
		var times [n]float64
		mean := 0.0
		for i := range times {
			times[i] = r.NormFloat64()
			mean += times[i] / n
		}
		for i, x := range times {
			hosts[i/k] += x - mean // the total is the same in every quantum
			variance += (x - mean) * (x - mean) / (n - 1) / quanta
		}
		sum += max(hosts[0], hosts[1], hosts[2], hosts[3]) / quanta
	}
	within(t, "of shared targets", sum, math.Sqrt(k*variance)*normalMaximum(p), 0.02)
}

// What must hold whatever the times: not below the mean nor above all that there is, more with more hosts, the mean without
// variation and on one host, and less with fewer targets on more hosts.
func TestMaximaHoldTheirLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range testsize.Cases(40, 8) {
		w := work{mu: 1 + 98*r.Float64(), quantum: 100}
		w.sigma = math.Sqrt(w.mu*(100-w.mu)) * r.Float64() * r.Float64()
		for name, f := range map[string]func(work, int, int) float64{"gamma": gammaMaximum, "bounded": boundedMaximum} {
			for k := 1; k <= 64; k *= 4 {
				mean, before := float64(k)*w.mu, 0.0
				for p := 1; p <= 64; p *= 2 {
					x := f(w, k, p)
					switch {
					case math.IsNaN(x) || x < mean*(1-1e-9) || x < before*(1-1e-9):
						t.Fatalf("%s %+v k %d p %d: %v, after %v, mean %v", name, w, k, p, x, before, mean)
					case p == 1 && x != mean, name == "bounded" && x > 100*float64(k)*(1+1e-9), x > float64(p)*mean*(1+1e-9):
						t.Fatalf("%s %+v k %d p %d: %v, mean %v", name, w, k, p, x, mean)
					}
					if half := f(w, 2*k, max(1, p/2)); p > 1 && x > half*(1+1e-9) {
						t.Fatalf("%s %+v: %d x %d takes %v, %d x %d %v", name, w, k, p, x, 2*k, p/2, half)
					}
					before = x
				}
			}
			still := work{w.mu, 0, 100}
			if f(still, 4, 8) != 4*w.mu {
				t.Errorf("%s: without variation %v", name, f(still, 4, 8))
			}
		}
	}
	for _, w := range []work{{100, 0, 100}, {100, 3, 100}, {1e-9, 1e-9, 100}, {99.999999, 1e-3, 100}, {50, 50.8, 100}, {50, 1e-3, 100}, {50, 1e-6, 100}} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			for _, k := range []int{1, 32, 4096} {
				for _, p := range []int{1, 2, 1024} {
					if x := boundedMaximum(w, k, p); math.IsNaN(x) || x < float64(k)*w.mu*(1-1e-6) || x > float64(k)*100*(1+1e-9) {
						t.Errorf("%+v k %d p %d: %v", w, k, p, x)
					}
					if x := gammaMaximum(w, k, p); math.IsNaN(x) || x < float64(k)*w.mu*(1-1e-6) {
						t.Errorf("gamma %+v k %d p %d: %v", w, k, p, x)
					}
				}
			}
		})
	}
}
