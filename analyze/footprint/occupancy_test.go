package footprint

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func must(t testing.TB, v float64, err error) float64 {
	t.Helper()
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		t.Fatal(v, err)
	}
	return v
}

func value(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

func close12(got, want float64) bool { return math.Abs(got-want) <= 1e-11*max(1, math.Abs(want)) }

// FACTS 1.3: occupancy models, N = 64.
func TestProjections(t *testing.T) {
	for _, c := range []struct {
		shape            Shape
		f, paper, random float64
	}{
		{Shape{1, 64}, 20, 15.42169, 20},  // 64*20/83; LRU keeps all
		{Shape{1, 64}, 300, 52.89256, 64}, // 64*300/363
		{Shape{64, 1}, 20, 17.292, 17.292},
		{Shape{64, 1}, 300, 63.432, 63.432},
		{Shape{1, 4}, 7, 2.8, 4},
		{Shape{1, 4}, 0, 0, 0},
	} {
		t.Run(fmt.Sprint(c.paper), func(t *testing.T) {
			paper, err := c.shape.paperProjection(c.f)
			if got := must(t, paper, err); math.Abs(got-c.paper) > 6e-4 { // as printed in three digits or more
				t.Errorf("%v, %v blocks: the paper's %v, want %v", c.shape, c.f, got, c.paper)
			}
			p, err := c.shape.Projection(c.f)
			if got := must(t, p, err); math.Abs(got-c.random) > 6e-4 {
				t.Errorf("%v, %v blocks: %v, want %v", c.shape, c.f, got, c.random)
			}
		})
	}
}

// Eq. 4 is a distribution. Its mean is the closed form, and its variance that of the hypergeometric
// distribution. Logarithms of factorials are accurate enough.
func TestQueueDistribution(t *testing.T) {
	for _, c := range [][2]int{{4, 1}, {4, 7}, {64, 20}, {64, 300}, {8, 0}, {1, 5}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			n, f := c[0], c[1]
			got, err := queueDistribution(n, f)
			if err != nil {
				t.Fatal(err)
			}
			sum, mean, square := new(big.Rat), new(big.Rat), 0.0
			for k, p := range exactQueues(n, f) {
				if math.Abs(got[k]-value(p)) > 1e-12 {
					t.Errorf("%v: P{X=%d} = %v, want %v", c, k, got[k], value(p))
				}
				sum.Add(sum, p)
				mean.Add(mean, new(big.Rat).Mul(p, big.NewRat(int64(k), 1)))
				square += float64(k*k) * value(p)
			}
			if sum.Cmp(big.NewRat(1, 1)) != 0 || !close12(queueMean(float64(n), float64(f)), value(mean)) {
				t.Errorf("%v: sum %v, mean %v, closed %v", c, sum, mean, queueMean(float64(n), float64(f)))
			}
			if nf := float64(n + f); f > 1 {
				want := float64(f*n*(f-1)*(n-1)) / ((nf - 1) * (nf - 1) * (nf - 2))
				if v := square - value(mean)*value(mean); math.Abs(v-want) > 1e-9 {
					t.Errorf("%v: variance %v, want %v", c, v, want)
				}
			}
		})
	}
	large, err := queueDistribution(2048, 5000) // FACTS 1.3: the sum is 1 to 4e-13
	sum := 0.0
	for _, p := range large {
		sum += p
	}
	if err != nil || math.Abs(sum-1) > 1e-11 { // other factorials than Python's
		t.Errorf("sum %v, %v", sum, err)
	}
}

// Each form is the inverse of the other.
func TestInverses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, s := range []Shape{{1, 1}, {1, 64}, {64, 1}, {2048, 1}, {512, 4}, {1 << 20, 2}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			for range 50 {
				x := r.Float64() * s.frames() * 0.99
				f, err := s.Footprint(x)
				y, err2 := s.Projection(must(t, f, err))
				if got := must(t, y, err2); math.Abs(got-x) > 1e-7*max(1, x) { // to what a bisection of a sum of 10^-16s finds
					t.Errorf("%v: projection %v, footprint %v, projection %v", s, x, f, got)
				}
				if s.Ways > 1 && s.Sets > 1 || s.frames() == 1 {
					continue
				}
				f, err = s.paperFootprint(x)
				y, err2 = s.paperProjection(must(t, f, err))
				if got := must(t, y, err2); math.Abs(got-x) > 1e-9*max(1, x) {
					t.Errorf("%v: the paper's projection %v, footprint %v, projection %v", s, x, f, got)
				}
			}
		})
	}
	// FACTS 1.3 and 1.4: F = X(N-1)/(N-X), F = ln(1-X/N)/ln(1-1/N)
	f, err := Shape{1, 64}.paperFootprint(15.42169)
	if got := must(t, f, err); math.Abs(got-20) > 1e-5 { // the projection is rounded
		t.Errorf("%v, want 20", got)
	}
	f, err = Shape{64, 1}.Footprint(17.292)
	if got := must(t, f, err); math.Abs(got-20) > 1e-3 {
		t.Errorf("%v, want 20", got)
	}
}

// Sums over sets against caches with blocks placed at random.
func TestSetAssociativeProjectionIsSimulated(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct {
		shape Shape
		f     int
	}{{Shape{16, 4}, 20}, {Shape{16, 4}, 64}, {Shape{16, 4}, 200}, {Shape{64, 2}, 100}, {Shape{2, 8}, 12}} {
		t.Run(fmt.Sprint(c.f), func(t *testing.T) {
			want, _, _ := average(r, 4000, c.shape, 0, c.f, 0)
			p, err := c.shape.Projection(float64(c.f))
			if got := must(t, p, err); math.Abs(got-want) > 0.1 { // blocks; their standard deviation, about 3, over the root of 4000, twice
				t.Errorf("%v, %d blocks: %v, simulated %v", c.shape, c.f, got, want)
			}
		})
	}
}

func TestDomain(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		shape Shape
		f     float64
	}{{Shape{0, 1}, 1}, {Shape{1, 0}, 1}, {Shape{-1, 1}, 1}, {Shape{1 << 40, 1}, 1}, {Shape{4, 1}, -1}, {Shape{4, 1}, nan}, {Shape{1, 4}, inf}} {
		t.Run(fmt.Sprint(c.f), func(t *testing.T) {
			for name, f := range map[string]func(float64) (float64, error){
				"Projection": c.shape.Projection, "Footprint": c.shape.Footprint,
				"PaperProjection": c.shape.paperProjection, "PaperFootprint": c.shape.paperFootprint,
				"Interference":      func(f float64) (float64, error) { return c.shape.Interference(1, f, 1) },
				"PaperInterference": func(f float64) (float64, error) { return c.shape.PaperInterference(1, 1, f) },
			} {
				if v, err := f(c.f); err == nil {
					t.Errorf("%s of %v, %v: %v and no error", name, c.shape, c.f, v)
				}
			}
		})
	}
	for _, x := range []float64{64, 65, -1, nan} {
		t.Run(fmt.Sprint(x), func(t *testing.T) { // a full cache has no inverse
			for _, s := range []Shape{{1, 64}, {64, 1}, {16, 4}} {
				if v, err := s.Footprint(x); err == nil {
					t.Errorf("Footprint of %v, %v: %v", s, x, v)
				}
				if v, err := s.paperFootprint(x); err == nil {
					t.Errorf("PaperFootprint of %v, %v: %v", s, x, v)
				}
			}
		})
	}
	for i, err := range []error{
		second(Shape{16, 4}.paperProjection(3)), second(Shape{16, 4}.PaperInterference(3, 1, 1)),
		second(Printed{}.Interference(0, 1, 1, 1)), second(Printed{}.Interference(4, -1, 1, 1)), second(Printed{}.Interference(4, 1, 1<<30, 1)),
		second(extraMisses(0, 1, 1, 1)), second(extraMisses(4, 1, nan, 1)), second(TurnInterference(Shape{1, 4}.Interference, 0, 1, 1, 1)),
		second(TurnInterference(Shape{1, 4}.Interference, 1, 1, nan, 1)), second(TurnInterference(Shape{1, 4}.Interference, 3, 1, -1, 1)),
	} {
		if err == nil {
			t.Error("no error", i)
		}
	}
	if _, err := queueDistribution(0, 4); err == nil {
		t.Error("no frames and no error")
	}
}

func second(_ float64, err error) error { return err }

// Nothing is below 0, above what it can be, or not a number, at any footprint, and a
// larger one never leaves less.
func FuzzFormsStayWithinBounds(f *testing.F) {
	f.Add(uint16(64), uint8(1), 20.0, 0.0, 0.0)
	f.Add(uint16(1), uint8(64), 0.5, 1e300, 1e-300)
	f.Add(uint16(512), uint8(4), 1e9, 1e15, 3.25)
	f.Add(uint16(125), uint8(112), 0.05, 486000.0, 1449.0)
	f.Add(uint16(23), uint8(246), 0.05, 5400.0, 26424.0)                           // all is lost of what lies about the corner
	f.Add(uint16(152), uint8(253), 4.943333333333333, 48755.0, 32.083333333333336) // a corner among joined loads
	f.Fuzz(func(t *testing.T, sets uint16, ways uint8, fs, fa, fb float64) {
		s := Shape{1 + int(sets%5000), 1 + int(ways)}
		if s.check(fs, fa, fb, fs+fa, fs+fb) != nil {
			t.Skip()
		}
		p, err := s.Projection(fs + fa)
		v := must(t, p, err)
		more, err := s.Projection(fs + fa + fb)
		if v < 0 || v > s.frames() || v > fs+fa && s.Ways > 1 || must(t, more, err) < v*(1-1e-9) {
			t.Errorf("%v: %v blocks leave %v, %v leave %v", s, fs+fa, v, fs+fa+fb, more)
		}
		loss, err := s.Interference(fs, fa, fb)
		if l := must(t, loss, err); l < 0 || l > v*(1+1e-6)+1e-6 {
			t.Errorf("%v, %v, %v, %v: loses %v of %v", s, fs, fa, fb, l, v)
		}
		if s.Sets == 1 || s.Ways == 1 {
			paper, err := s.PaperInterference(fs, fa, fb)
			if l := must(t, paper, err); math.Abs(l) > s.frames() {
				t.Errorf("%v, %v, %v, %v: the paper's %v", s, fs, fa, fb, l)
			}
		}
	})
}

func Example() {
	cache := Shape{Sets: 2048, Ways: 1}
	lost, _ := cache.Interference(500, 300, 900)
	paper, _ := cache.PaperInterference(500, 300, 900)
	fmt.Printf("%.1f blocks lost; with shared blocks placed anew %.1f\n", lost, paper)
	all, _ := TurnInterference(cache.Interference, 4, 500, 300, 400)
	fmt.Printf("%.0f misses a turn of four\n", all)
	// Output:
	// 159.2 blocks lost; with shared blocks placed anew -34.2
	// 704 misses a turn of four
}

// The number of blocks in a set is binomial, as in gonum. The mean is exact also with many blocks and with
// merged neighbours. The variance is that of whole blocks and a part of one.
func TestDistributionIsBinomial(t *testing.T) {
	for _, c := range []struct{ blocks, sets float64 }{{1, 2}, {30, 2}, {100, 64}, {5000, 16}, {900, 1000}} {
		t.Run(fmt.Sprint(c.blocks), func(t *testing.T) {
			gonum := distuv.Binomial{N: c.blocks, P: 1 / c.sets}
			for _, l := range distribution(c.blocks, c.sets) {
				if want := gonum.Prob(l.k); math.Abs(l.p-want) > 1e-9*want+1e-15 {
					t.Errorf("%v blocks in %v sets: %v in one with probability %v, not %v", c.blocks, c.sets, l.k, l.p, want)
				}
			}
		})
	}
	for _, c := range []struct{ blocks, sets float64 }{{0.5, 7}, {1e13 + 0.25, 1 << 30}, {1e14 + 0.25, 1 << 30}, {48792.03, 153}} {
		t.Run(fmt.Sprint(c.blocks), func(t *testing.T) {
			all := distribution(c.blocks, c.sets)
			want := c.blocks / c.sets
			for _, some := range [][]setLoad{all, binned(all)} {
				if mean := moment(some, 0, 1); math.Abs(mean-want) > 1e-12*want {
					t.Errorf("%v blocks in %v sets: %v in the mean, not %v", c.blocks, c.sets, mean, want)
				}
			}
			whole, part := math.Modf(c.blocks)
			if v, want := moment(all, want, 2), (whole*(1-1/c.sets)+part*(1-part/c.sets))/c.sets; math.Abs(v-want) > 1e-6*want { // a normal distribution, cut
				t.Errorf("%v blocks in %v sets: a variance of %v, not %v", c.blocks, c.sets, v, want)
			}
		})
	}
}

// moment is the mean of a power of the difference to a value.
func moment(loads []setLoad, about, power float64) (m float64) {
	for _, l := range loads {
		m += l.p * math.Pow(l.k-about, power)
	}
	return m
}
