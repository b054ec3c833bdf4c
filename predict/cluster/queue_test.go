package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(1e-300, math.Abs(want))
}

// printed is [du2000, eq. 3.9] as it is printed.
func printed(n int, rho float64) float64 {
	sum, last, factorial := 0.0, 0.0, 1.0
	for k := 0; k <= n; k++ {
		if k > 0 {
			factorial *= float64(k)
		}
		last = 1 / (factorial * math.Pow(rho, float64(k)))
		sum += last
	}
	return 1 - last/sum
}

func TestUtilizationIsThePrintedFormula(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 8, 16} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for _, rho := range []float64{0.01, 0.05, 0.3, 1, 5, 100} {
				if got, want := utilization(n, rho), printed(n, rho); !near(got, want, 1e-10) {
					t.Errorf("n=%d rho=%g: got %v, want %v", n, rho, got, want)
				}
			}
		})
	}
	if utilization(4, 0) != 0 || !near(utilization(4, 1e-320), 4e-320, 1e-2) {
		t.Error("a rate of almost nothing")
	}
}

// Values of U and t_2/tau by three independent ways of evaluation.
func TestResponseOfTheMachineRepairman(t *testing.T) {
	for _, c := range []struct {
		n       int
		rho     float64
		u, want float64
	}{
		{1, 0.3, 0.230769, 1}, {2, 0.1, 0.180328, 1.090909}, {4, 0.05, 0.189069, 1.156337},
		{4, 1, 0.984615, 3.062500}, {8, 0.5, 0.999141, 6.006882}, {8, 5, 1, 7.8},
	} {
		t.Run(fmt.Sprint(c.rho), func(t *testing.T) {
			if got := utilization(c.n, c.rho); !near(got, c.u, 1e-5) {
				t.Errorf("n=%d rho=%g: U %v, want %v", c.n, c.rho, got, c.u)
			}
			if got := response(c.n, c.rho, 1); !near(got, c.want, 1e-6) {
				t.Errorf("n=%d rho=%g: t %v, want %v", c.n, c.rho, got, c.want)
			}
		})
	}
}

// [du2000, eq. 3.12] and mean value analysis are the same wherever the former has digits.
func TestResponseIsEquation312(t *testing.T) {
	for n := 1; n <= 20; n++ {
		for _, rho := range []float64{0.01, 0.1, 0.5, 1, 3, 20} {
			const tau = 250e-9
			lambda := rho / tau
			want := float64(n)*tau/utilization(n, rho) - 1/lambda
			if got := response(n, lambda, tau); !near(got, want, 1e-9) {
				t.Errorf("n=%d rho=%g: got %v, want %v", n, rho, got, want)
			}
			if got := share(n, lambda, response(n, lambda, tau), tau); !near(got, utilization(n, rho), 1e-9) {
				t.Errorf("n=%d rho=%g: share %v, U %v", n, rho, got, utilization(n, rho))
			}
		}
	}
	if got := response(4, 0, 7); got != 7 {
		t.Errorf("nobody comes: %v", got)
	}
}

func TestHarmonicTail(t *testing.T) {
	for n, want := range map[int]float64{0: 0, 1: 0, 2: 0.5, 4: 1.083333333333, 8: 1.717857142857} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if got := harmonicTail(n); !near(got, want, 1e-9) {
				t.Errorf("n=%d: got %v, want %v", n, got, want)
			}
		})
	}
}

func fixed(think, time float64) customer {
	return customer{think: think, holds: [3]hold{{time, 1}}}
}

func equal(n int, c customer) []customer {
	all := make([]customer, n)
	for i := range all {
		all[i] = c
	}
	return all
}

// Mean responses that an event simulation of 4 customers with exponential think times found
// for fixed service times, within its noise.
func TestTakacsIsTheSimulatedResponse(t *testing.T) {
	for z, want := range map[float64]float64{20: 1.081, 8: 1.227, 4: 1.531, 2: 2.194} {
		t.Run(fmt.Sprint(z), func(t *testing.T) {
			if got := 1 + takacs(4, fixed(z, 1)); !near(got, want, 0.01) {
				t.Errorf("Z=%g: got %v, want %v", z, got, want)
			}
		})
	}
}

// Two customers with fixed service: the second comes during the first's service with
// probability 1 - exp(-b/Z), so a busy period lasts b exp(b/Z).
func TestTakacsOfTwo(t *testing.T) {
	for _, z := range []float64{0.1, 1, 10, 1000} {
		t.Run(fmt.Sprint(z), func(t *testing.T) {
			busy := math.Exp(1 / z)
			want := 2*1/(busy/(busy+z/2)) - z - 1
			if got := takacs(2, fixed(z, 1)); !near(got, want, 1e-9) {
				t.Errorf("Z=%g: got %v, want %v", z, got, want)
			}
		})
	}
}

func TestWaitsHaveTheirLimits(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 10, 11, 40} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if got := waits(equal(n, fixed(1e9, 1)))[0]; got > 1e-6*float64(n) {
				t.Errorf("n=%d, hardly any traffic: waits %v", n, got)
			}
			if got, want := waits(equal(n, fixed(0, 1)))[0], float64(n-1); math.Abs(got-want) > 1e-6 {
				t.Errorf("n=%d, no thinking: waits %v, want %v", n, got, want)
			}
			if got := waits(equal(n, fixed(5, 0)))[0]; got != 0 {
				t.Errorf("n=%d, no bus time: waits %v", n, got)
			}
		})
	}
	if len(waits(nil)) != 0 {
		t.Error("nobody")
	}
}

// Equal customers get the exact mean, with subsets and with the fixed point.
func TestWaitsOfEqualCustomersAreExact(t *testing.T) {
	for _, n := range []int{2, 4, 10, 11, 30} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for _, z := range []float64{0.5, 2, 4, 8, 20, 100} {
				want := takacs(n, fixed(z, 1))
				for _, got := range waits(equal(n, fixed(z, 1))) {
					if math.Abs(got-want) > 1e-4*(1+want) {
						t.Errorf("n=%d Z=%g: got %v, want %v", n, z, got, want)
					}
				}
			}
		})
	}
}

// subsetsByDefinition is the recursion of [waits] as it is written there.
func subsetsByDefinition(customers []customer, in []bool, p int) (w float64) {
	rest := slices.Clone(in)
	rest[p] = false
	for q := range customers {
		if rest[q] {
			m := customers[q].measure()
			w += m.load(subsetsByDefinition(customers, rest, q))
		}
	}
	return w
}

func TestSubsetsAreTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 6; n++ {
		all, in := random(r, n), make([]bool, n)
		for i := range in {
			in[i] = true
		}
		for p, got := range overSubsets(all) {
			if want := subsetsByDefinition(all, in, p); !near(got, want, 1e-12) && got != want {
				t.Errorf("n=%d, customer %d: got %v, want %v", n, p, got, want)
			}
		}
	}
}

// With exponential bus times of equal means, mean value analysis over subsets is exact:
// for equal customers it is the machine repairman.
func TestExponentialWaitsAreEquation312(t *testing.T) {
	for _, n := range []int{2, 4, 8, 10} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for _, z := range []float64{0.5, 2, 20} {
				want := response(n, 1/z, 1) - 1
				if got := exponentialWaits(equal(n, fixed(z, 1)))[0]; !near(got, want, 1e-9) {
					t.Errorf("n=%d Z=%g: got %v, want %v", n, z, got, want)
				}
			}
		})
	}
}

func random(r *rand.Rand, n int) []customer {
	all := make([]customer, n)
	for i := range all {
		dirty, upgrade := r.Float64()/2, r.Float64()/2
		all[i] = customer{think: 20 * r.Float64() * r.Float64(), holds: [3]hold{{1, 1 - dirty - upgrade}, {2, dirty}, {r.Float64(), upgrade}}}
	}
	return all
}

// The bus is never held for more than all of the time, evenly spaced requests wait least, and
// another customer or a longer hold never shortens anybody's wait in an estimate.
func TestWaitsObeyLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		all := random(r, 2+r.IntN(maxExact+1))
		for name, w := range map[string][]float64{"fixed": waits(all), "even": evenWaits(all), "exponential": exponentialWaits(all)} {
			busy := 0.0
			for i := range all {
				b, _ := all[i].moments()
				busy += b / all[i].cycle(w[i])
				if !(w[i] >= 0) || math.IsInf(w[i], 0) {
					t.Fatalf("%s: wait %v of %+v", name, w[i], all)
				}
			}
			if busy > 1+1e-9 {
				t.Fatalf("%s: the bus is held for %v of the time: %+v", name, busy, all)
			}
		}
		if len(all) > maxExact {
			continue
		}
		fewer, more := overSubsets(all[1:]), overSubsets(all)[1:]
		for i := range fewer {
			if more[i] < fewer[i]*(1-1e-9) {
				t.Fatalf("one customer more shortens a wait from %v to %v: %+v", fewer[i], more[i], all)
			}
		}
	}
}

func BenchmarkWaits(b *testing.B) {
	for _, n := range []int{2, 4, 8, 10, 64} {
		all := random(rand.New(rand.NewPCG(5, 6)), n)
		b.Run(string(rune('0'+n/10))+string(rune('0'+n%10)), func(b *testing.B) {
			for b.Loop() {
				waits(all)
			}
		})
	}
}

// The expansion for many goes on where the sum ends.
func TestHarmonicTailOfMany(t *testing.T) {
	sum := 0.0
	for n := 2; n <= 5000; n++ {
		sum += 1 / float64(n)
		if got := harmonicTail(n); math.Abs(got-sum) > 1e-13*sum {
			t.Fatalf("%d: %v, want %v", n, got, sum)
		}
	}
	if harmonicTail(1) != 0 {
		t.Error("one processor waits for nobody")
	}
}
