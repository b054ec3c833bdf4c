package footprint

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"spoor/traces/testsize"
)

// The closed form of eq. 7 is its triple sum, whose probabilities sum to 1: FACTS 1.3, and others.
func TestTLBIsTripleSum(t *testing.T) {
	for _, c := range []struct {
		n, fs, fa, fb int
		want          float64 // NaN: not in FACTS
	}{
		{4, 2, 3, 2, 0.285714}, {6, 3, 1, 5, 0.256410}, {8, 5, 0, 0, -1.944444}, {8, 0, 6, 9, 2.076923}, {10, 4, 7, 12, 1.92},
		{1, 1, 1, 1, math.NaN()}, {1, 0, 0, 3, math.NaN()}, {7, 0, 5, 0, math.NaN()}, {3, 9, 9, 9, math.NaN()},
	} {
		t.Run(fmt.Sprintf("%v %v", c.n, c.fs), func(t *testing.T) {
			sum, want := exactTLB(c.n, c.fs, c.fa, c.fb)
			i, err := Shape{1, c.n}.PaperInterference(float64(c.fs), float64(c.fa), float64(c.fb))
			if got := must(t, i, err); c.fs+c.fb > 0 && (sum.Cmp(big.NewRat(1, 1)) != 0 || !close12(got, value(want))) {
				t.Errorf("%v: closed %v, sum %v of probabilities %v", c, got, value(want), sum)
			}
			if math.Abs(i-c.want) > 1e-6 { // six digits; false if it is not in FACTS
				t.Errorf("%v: %v", c, i)
			}
		})
	}
	i, err := Shape{1, 64}.PaperInterference(20, 0, 0)
	if got := must(t, i, err); math.Abs(got+11.706) > 5e-4 { // FACTS 1.3: beyond the possible
		t.Errorf("%v, want -11.706", got)
	}
}

func FuzzTLBIsTripleSum(f *testing.F) {
	f.Add(uint8(4), uint8(2), uint8(3), uint8(2))
	f.Fuzz(func(t *testing.T, n, fs, fa, fb uint8) {
		c := [4]int{1 + int(n%9), int(fs % 9), int(fa % 9), int(fb % 9)}
		if c[1]+c[3] == 0 {
			t.Skip()
		}
		_, want := exactTLB(c[0], c[1], c[2], c[3])
		i, err := Shape{1, c[0]}.PaperInterference(float64(c[1]), float64(c[2]), float64(c[3]))
		if got := must(t, i, err); !close12(got, value(want)) {
			t.Errorf("%v: %v, want %v", c, got, value(want))
		}
	})
}

// FACTS 1.3, table of simulated A, B, A in 64 entries.
func TestLRUTable(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, c := range []struct {
		fs, fa, fb                int
		paper, closed, net, extra float64
	}{
		{10, 10, 10, -3.99, 0, 0, 0},
		{20, 0, 0, -11.71, 0, 0, 0},
		{10, 20, 60, 6.05, 20.86, 20.81, 22.51},
		{30, 10, 10, -8.99, 0, 0, 0},
		{5, 40, 200, 19.20, 43.44, 43.39, 43.95},
	} {
		t.Run(fmt.Sprint(c.paper), func(t *testing.T) {
			s := Shape{1, 64}
			paper, err := s.PaperInterference(float64(c.fs), float64(c.fa), float64(c.fb))
			if got := must(t, paper, err); math.Abs(got-c.paper) > 0.005 { // two digits
				t.Errorf("%v: the paper's %v", c, got)
			}
			closed, err := s.Interference(float64(c.fs), float64(c.fa), float64(c.fb))
			if got := must(t, closed, err); math.Abs(got-c.closed) > 0.005 {
				t.Errorf("%v: %v", c, got)
			}
			_, net, extra := average(r, 2000, s, c.fs, c.fa, c.fb)
			if math.Abs(net-c.net) > 0.2 || math.Abs(extra-c.extra) > 0.35 { // FACTS has 300 runs with standard deviations up to about 2 and 3
				t.Errorf("%v: simulated loss %v, extra misses %v", c, net, extra)
			}
			if math.Abs(net-closed) > 0.15 {
				t.Errorf("%v: %v, simulated %v", c, closed, net)
			}
		})
	}
}

// FACTS 1.4, table of direct-mapped caches.
func TestDirectMappedTable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		n, fs, fa, fb                                int
		slip, one, zero, independent, consistent, mc float64
		extra                                        float64
	}{
		{64, 10, 20, 20, -38.9, -12.66, 0.77, 1.04, 5.28, 5.35, 3.10},
		{64, 30, 0, 0, -54.9, -15.02, -15.02, -15.02, 0, 0, -2.42},
		{64, 40, 20, 10, -35.7, -10.46, -5.64, -6.58, 3.35, 3.32, -3.57},
		{256, 100, 100, 100, -111.1, -43.74, 5.96, 5.96, 31.58, 32.04, 8.64},
		{256, 100, 100, 700, 91.1, 18.87, 81.19, 102.30, 104.75, 104.44, 66.52},
		{2048, 500, 300, 900, -1067.9, -544.58, -48.74, -34.20, 159.24, 161.40, 94.79},
		{2048, 800, 500, 0, -1736.7, -351.05, -351.05, -351.05, 0, 0, -109.73},
		{2048, 200, 1500, 6000, 937.3, 237.98, 946.61, 1036.43, 1040.87, 1041.22, 663.29},
	} {
		t.Run(fmt.Sprint(c.slip), func(t *testing.T) {
			s, fs, fa, fb := Shape{c.n, 1}, float64(c.fs), float64(c.fa), float64(c.fb)
			hold := func(name string, want, tolerance float64) func(float64, error) {
				return func(v float64, err error) {
					t.Helper()
					if got := must(t, v, err); math.Abs(got-want) > tolerance {
						t.Errorf("%v: %s %v, want %v", c, name, got, want)
					}
				}
			}
			// As many digits as FACTS has.
			hold("eq. 12 as printed, eq. 10 exact", c.slip, 0.06)(Printed{Exact: true}.Interference(c.n, c.fs, c.fa, c.fb))
			hold("eq. 10 from m = 1", c.one, 0.006)(Printed{Once: true}.Interference(c.n, c.fs, c.fa, c.fb))
			hold("eq. 10 from m = 0", c.zero, 0.006)(Printed{Once: true, FromZero: true}.Interference(c.n, c.fs, c.fa, c.fb))
			hold("corrected sums", c.independent, 0.006)(Printed{Once: true, Exact: true}.Interference(c.n, c.fs, c.fa, c.fb))
			hold("corrected, closed", c.independent, 0.006)(s.PaperInterference(fs, fa, fb))
			hold("one placement", c.consistent, 0.006)(s.Interference(fs, fa, fb))
			hold("extra misses", c.extra, 0.006)(extraMisses(c.n, fs, fa, fb))
			runs := testsize.Cases(2000, 200)
			if c.n > 1000 {
				runs = testsize.Cases(100, 20)
			}
			_, net, extra := average(r, runs, s, c.fs, c.fa, c.fb)
			// The standard deviation of one run is at most about sqrt(N)/2; three of the mean's.
			tolerance := 1.5 * math.Sqrt(float64(c.n)/float64(runs))
			if math.Abs(net-c.consistent) > tolerance || math.Abs(extra-c.extra) > tolerance {
				t.Errorf("%v: simulated loss %v, extra misses %v", c, net, extra)
			}
		})
	}
}

// As printed, eq. 12 has probabilities that sum to 1 + P{Y=0}: it comes to N P{Y=0} less.
func TestPrintedSlip(t *testing.T) {
	a, err1 := Printed{}.Interference(64, 10, 20, 20)
	b, err2 := Printed{Once: true}.Interference(64, 10, 20, 20)
	if want := 64 * math.Pow(63./64, 30); err1 != nil || err2 != nil || !close12(b-a, want) {
		t.Errorf("%v, %v: %v, %v; apart by %v", a, b, err1, err2, want)
	}
}

// The corrected sums are the closed form, and eq. 10 with its weights is right for one block alone.
func FuzzCorrectedSumsAreClosed(f *testing.F) {
	f.Add(uint8(4), uint8(2), uint8(3), uint8(2))
	f.Add(uint8(1), uint8(200), uint8(3), uint8(250)) // no set is likely to be empty
	f.Fuzz(func(t *testing.T, n, fs, fa, fb uint8) {
		i, err := Printed{Once: true, Exact: true}.Interference(1+int(n), int(fs), int(fa), int(fb))
		got := must(t, i, err)
		if n == 0 && int(fs)+int(fa) == 0 {
			t.Skip()
		}
		want := float64(1+int(n)) * touched(float64(1+int(n)), float64(fs)+float64(fb)) * (touched(float64(1+int(n)), float64(fs)+float64(fa)) - 1 + privateShare(float64(fs), float64(fb)))
		if int(fs)+int(fb) == 0 {
			want = 0
		}
		if math.Abs(got-want) > 1e-9*float64(1+int(n)) {
			t.Errorf("%d sets, %d, %d, %d: %v, want %v", 1+int(n), fs, fa, fb, got, want)
		}
	})
}

// The sum over sets is the closed form for one way; for more it is as simulation says.
func TestSetAssociativeInterference(t *testing.T) {
	for _, c := range [][4]int{{64, 10, 20, 20}, {64, 40, 20, 10}, {256, 100, 100, 100}, {16, 3, 0, 7}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			n := float64(c[0])
			sum := 0.0
			for _, h := range binnedDistribution(float64(c[1]), n) {
				for _, a := range binnedDistribution(float64(c[2]), n) {
					for _, b := range binnedDistribution(float64(c[3]), n) {
						sum += n * h.p * a.p * b.p * (min(1, h.k+a.k) - keptShared(1, h.k, b.k) - keptPrivate(1, h.k, a.k, b.k))
					}
				}
			}
			want, err := Shape{c[0], 1}.Interference(float64(c[1]), float64(c[2]), float64(c[3]))
			if must(t, want, err); math.Abs(sum-want) > 1e-9*n {
				t.Errorf("%v: sum %v, closed %v", c, sum, want)
			}
		})
	}
	r := rand.New(rand.NewPCG(4, 4))
	for _, c := range []struct {
		shape      Shape
		fs, fa, fb int
	}{{Shape{16, 4}, 10, 20, 30}, {Shape{16, 4}, 30, 30, 60}, {Shape{64, 2}, 0, 100, 100}, {Shape{64, 2}, 100, 20, 40}, {Shape{8, 8}, 20, 20, 40}} {
		t.Run(fmt.Sprint(c.fs), func(t *testing.T) {
			_, want, _ := average(r, testsize.Cases(3000, 800), c.shape, c.fs, c.fa, c.fb)
			i, err := c.shape.Interference(float64(c.fs), float64(c.fa), float64(c.fb))
			// The form takes B's private blocks to evict A's only as far as they do not fit, and each
			// part by its mean: within 5 % of the cache.
			if got := must(t, i, err); math.Abs(got-want) > 0.05*c.shape.frames() {
				t.Errorf("%v: %v, simulated %v", c, got, want)
			}
		})
	}
}

// Eq. 14, and that a process alone is not interfered with (FACTS 0, 6).
func TestSeveral(t *testing.T) {
	i := Shape{2048, 1}.Interference
	m, err := TurnInterference(i, 1, 500, 300, 400)
	if got := must(t, m, err); got != 0 {
		t.Errorf("M(1) = %v", got)
	}
	a, _ := i(500, 400, 300)
	b, _ := i(500, 300, 400)
	m, err = TurnInterference(i, 2, 500, 300, 400)
	if got := must(t, m, err); !close12(got, a+b) {
		t.Errorf("M(2) = %v, want %v", got, a+b)
	}
	a, _ = i(500, 400, 900)
	b, _ = i(500, 300, 1000)
	m, err = TurnInterference(i, 4, 500, 300, 400)
	if got := must(t, m, err); !close12(got, a+3*b) {
		t.Errorf("M(4) = %v, want %v", got, a+3*b)
	}
}

// Two processes, and any number that share nothing, are those of eq. 14: others are as one with the sum of their footprints.
func TestTurnsAreSeveral(t *testing.T) {
	for _, s := range []Shape{{1, 64}, {64, 1}, {16, 4}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			for _, c := range []struct {
				k                    int
				fs, average, largest float64
			}{{1, 10, 20, 50}, {2, 10, 20, 50}, {2, 30, 5, 40}, {3, 0, 20, 50}, {4, 0, 7, 30}} {
				got, err := s.TurnInterference(c.k, c.fs, c.average, c.largest)
				want, err2 := TurnInterference(s.Interference, c.k, c.fs, c.average, c.largest)
				if must(t, got, err); math.Abs(got-must(t, want, err2)) > 1e-9 {
					t.Errorf("%v, %+v: %v, want %v", s, c, got, want)
				}
			}
		})
	}
}
