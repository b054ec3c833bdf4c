package fit

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"spoor/traces/testsize"
)

// near allows for rounding.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b), 1e-300)
}

// Times that are exactly those of a law: the law comes back, whatever the scales.
func TestLeastSquaresFindsTheLaw(t *testing.T) {
	want := []float64{3e-6, 2e-10, 7e-9}
	r := rand.New(rand.NewPCG(1, 2))
	p := &Problem{Columns: []string{"1", "n", "MLT"}}
	for range 40 {
		x := []float64{1, float64(r.IntN(1 << 22)), float64(r.IntN(1 << 14))}
		p.X, p.Y = append(p.X, x), append(p.Y, Predict(want, x))
	}
	for _, solve := range []func(*Problem) (Solution, error){LeastSquares, NonNegative} {
		s, err := solve(p)
		if err != nil || len(s.Warnings) > 0 {
			t.Fatal(err, s.Warnings)
		}
		for j := range want {
			if !near(s.Coef[j], want[j], 1e-9) {
				t.Errorf("coefficient %d is %g, want %g", j, s.Coef[j], want[j])
			}
		}
	}
}

// Worked by hand: y = a + b x through (0, 1), (1, 3), (2, 4): b = 3/2, a = 7/6. With weights 1, 1, 0 the
// third does not count, but then two points are too few for two coefficients.
func TestLeastSquaresByHand(t *testing.T) {
	p := &Problem{Columns: []string{"1", "x"}, X: [][]float64{{1, 0}, {1, 1}, {1, 2}}, Y: []float64{1, 3, 4}}
	s, err := LeastSquares(p)
	if err != nil || !near(s.Coef[0], 7.0/6, 1e-12) || !near(s.Coef[1], 1.5, 1e-12) {
		t.Errorf("got %v, %v", s.Coef, err)
	}
	p.Weight = []float64{1, 1, 0}
	var few *tooFewError
	if _, err = LeastSquares(p); !errors.As(err, &few) || err.Error() != "2 points are too few for 2 coefficients; at least 3 are needed" {
		t.Errorf("got %v", err)
	}
}

func TestRefusesWhatCannotBeToldApart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	problem := func(columns string, row func(n float64) []float64) *Problem {
		p := &Problem{Columns: strings.Fields(columns)}
		for range 30 {
			n := float64(4 + r.IntN(1<<22))
			p.X, p.Y = append(p.X, row(n)), append(p.Y, 1e-6+1e-9*n)
		}
		return p
	}
	for _, c := range []struct {
		name string
		p    *Problem
		want string
	}{
		// Rows of a matrix: MLT is n/64 and a half of a line more or less.
		{"rows alone", problem("1 n MLT", func(n float64) []float64 { return []float64{1, n, math.Ceil(n/64) + 0.5} }), "the columns n, MLT are nearly collinear"},
		{"twice the same", problem("1 n n", func(n float64) []float64 { return []float64{1, n, n} }), "the columns n, n are nearly collinear"},
		{"always the same size", problem("1 n", func(float64) []float64 { return []float64{1, 4096} }), "the columns 1, n are nearly collinear"},
		{"nothing", problem("1 pages", func(float64) []float64 { return []float64{1, 0} }), "the column pages has length 0"},
		{"not a number", problem("1 n", func(n float64) []float64 { return []float64{1, math.NaN()} }), "point 0 has NaN in the column n"},
		{"no end", problem("1 n", func(n float64) []float64 { return []float64{math.Inf(1), n} }), "point 0 has +Inf in the column 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, solve := range []func(*Problem) (Solution, error){LeastSquares, NonNegative} {
				if s, err := solve(c.p); err == nil || !strings.Contains(err.Error(), c.want) || s.Coef != nil {
					t.Errorf("%v, %v; want %q", s, err, c.want)
				}
			}
		})
	}
	doubtful := problem("1 n", func(n float64) []float64 { return []float64{1, 1e9 + n} })
	if s, err := LeastSquares(doubtful); err != nil || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Error(), "the columns 1, n are close to collinear") {
		t.Errorf("doubtful: %v, %v", s.Warnings, err)
	}
}

// bruteForce is the definition of a non-negative fit: of the least squares of all sets of columns that have no
// negative coefficient, the one of the least error. It solves the normal equations.
func bruteForce(p *Problem) (best []float64, least float64) {
	least = math.Inf(1)
	for set := range 1 << len(p.Columns) {
		var columns []int
		for j := range p.Columns {
			if set>>j&1 == 1 {
				columns = append(columns, j)
			}
		}
		coef, ok := normalEquations(p, columns)
		if !ok || slices.Min(coef) < 0 {
			continue
		}
		if e := weightedError(p, coef); e < least {
			best, least = coef, e
		}
	}
	return best, least
}

func normalEquations(p *Problem, columns []int) ([]float64, bool) {
	out := make([]float64, len(p.Columns))
	if len(columns) == 0 {
		return out, true
	}
	a, b := mat.NewDense(len(columns), len(columns), nil), mat.NewVecDense(len(columns), nil)
	for i, x := range p.X {
		w := p.weight(i) * p.weight(i)
		for k, j := range columns {
			b.SetVec(k, b.AtVec(k)+w*x[j]*p.Y[i])
			for l, m := range columns {
				a.Set(k, l, a.At(k, l)+w*x[j]*x[m])
			}
		}
	}
	var coef mat.VecDense
	if coef.SolveVec(a, b) != nil {
		return nil, false
	}
	for k, j := range columns {
		out[j] = coef.AtVec(k)
	}
	return out, true
}

func weightedError(p *Problem, coef []float64) (sum float64) {
	for i, x := range p.X {
		e := p.weight(i) * (p.Y[i] - Predict(coef, x))
		sum += e * e
	}
	return sum
}

func FuzzNonNegativeIsTheBestSet(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed, uint8(seed), uint8(3*seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, columns, points uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := &Problem{}
		for j := range 1 + columns%6 {
			p.Columns = append(p.Columns, string('a'+rune(j)))
		}
		for range len(p.Columns) + 1 + int(points%20) {
			x := make([]float64, len(p.Columns))
			for j := range x {
				x[j] = r.NormFloat64() + float64(seed%3) // positive for the most part, as sizes are, or not
			}
			p.X, p.Y, p.Weight = append(p.X, x), append(p.Y, 2*r.NormFloat64()), append(p.Weight, 0.1+r.Float64())
		}
		s, err := NonNegative(p)
		var collinear *collinearError
		if errors.As(err, &collinear) {
			t.Skip()
		}
		if err != nil || slices.Min(s.Coef) < 0 {
			t.Fatal(s.Coef, err)
		}
		want, least := bruteForce(p)
		if got := weightedError(p, s.Coef); got > least*(1+1e-7)+1e-12 {
			t.Fatalf("got %v with %g, want %v with %g", s.Coef, got, want, least)
		}
	})
}

// Worked by hand: measured 1, 2, 3, predicted 1, 1, 4: SSE = 2, SST = 2, so 1; with 1 coefficient
// MSE = 2/2; relative errors 0, 1/3, 1/2, so the quantile 0.9 is 4/5 of the way from the second to the third.
func TestJudge(t *testing.T) {
	e := ErrorsOf([]float64{1, 2, 3}, []float64{1, 1, 4}, 1)
	if e.Ratio != 1 || e.MSE != 1 || e.SE != 1 || !near(e.Median, 1.0/3, 1e-12) || !near(e.P90, 1.0/3+0.8/6, 1e-12) || e.Points != 3 {
		t.Errorf("got %+v", e)
	}
	if e = ErrorsOf([]float64{1, 2, 3}, []float64{1, 2, 3}, 1); e.Ratio != 0 || e.Median != 0 || e.P90 != 0 {
		t.Errorf("got %+v", e)
	}
	if e = ErrorsOf(nil, nil, 1); !math.IsNaN(e.Ratio) || !math.IsNaN(e.MSE) {
		t.Errorf("got %+v", e)
	}
	if e = ErrorsOf([]float64{1, 1}, []float64{1, 1}, 2); !math.IsNaN(e.Ratio) || !math.IsNaN(e.MSE) || e.Median != 0 {
		t.Errorf("got %+v", e)
	}
}

// Worked by hand. Two points, means 2 and 6, SST 8; the first has 1 and 3 in two clusters: (1/4) 2^2 = 1; the
// second 6 and 6: 0.
func TestFloor(t *testing.T) {
	times := &Times{Of: [][]float64{{1, 3}, {6, 6}}, Cluster: "launches"}
	if floor, known := times.Floor(); !known || !near(floor, 1.0/8, 1e-12) {
		t.Errorf("got %g, %v", floor, known)
	}
	for _, unknown := range []*Times{{}, {Of: [][]float64{{1}, {2}}}, {Of: [][]float64{{1, math.NaN()}, {math.NaN(), 2}}}} {
		if floor, known := unknown.Floor(); known || !math.IsNaN(floor) {
			t.Errorf("%v: got %g, %v", unknown.Of, floor, known)
		}
	}
}

// The floor is what a perfect model of noisy times cannot go below: the expected squared error of
// means of clusters over the variance between points.
func TestFloorIsTheNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	sum, want, rounds := 0.0, 0.0, 200
	for range rounds {
		times := &Times{}
		noise, mean, squares := 0.0, 0.0, 0.0
		for p := range 50 {
			row := make([]float64, 5)
			for c := range row {
				row[c] = float64(p) + r.NormFloat64()
				noise += row[c] - float64(p)
			}
			times.Of = append(times.Of, row)
		}
		for p, y := range times.Means() {
			squares += (y - float64(p)) * (y - float64(p))
			mean += y / 50
		}
		sst := 0.0
		for _, y := range times.Means() {
			sst += (y - mean) * (y - mean)
		}
		floor, _ := times.Floor()
		sum, want = sum+floor, want+squares/sst
	}
	if !near(sum, want, 0.05) {
		t.Errorf("on average %g, want %g", sum/float64(rounds), want/float64(rounds))
	}
}

// Intervals hold the true values in 95 of 100 cases or more, whether points, clusters or single
// measurements vary.
func TestIntervalsHoldTheTruth(t *testing.T) {
	for _, c := range []struct {
		name                 string
		ofCluster, of, shape float64
	}{{"single measurements", 0, 0.05, 0}, {"launches", 0.05, 0.005, 0}, {"a law that is not quite so", 0, 0.005, 0.05}, {"all", 0.02, 0.02, 0.02}} {
		t.Run(c.name, func(t *testing.T) {
			inside := [2]int{}
			seeds := testsize.Cases(100, 20)
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(seed, 9))
				truth := []float64{2, 0.5}
				off := make([]float64, 5)
				for k := range off {
					off[k] = c.ofCluster * r.NormFloat64()
				}
				x, times := [][]float64{}, &Times{Cluster: "launches"}
				for range 60 {
					row := []float64{1, 10 * r.Float64()}
					y, shape := make([]float64, 5), c.shape*r.NormFloat64()
					for k := range y {
						y[k] = Predict(truth, row) * (1 + shape + off[k] + c.of*r.NormFloat64())
					}
					x, times.Of = append(x, row), append(times.Of, y)
				}
				law := func(means []float64, drawn []int) ([]float64, error) {
					p := &Problem{Columns: []string{"1", "n"}, X: x, Y: means}
					for _, n := range drawn {
						p.Weight = append(p.Weight, math.Sqrt(float64(n)))
					}
					s, err := LeastSquares(p)
					return s.Coef, err
				}
				all := make([]int, len(x))
				for i := range all {
					all[i] = 1
				}
				coef, err := law(times.Means(), all)
				if err != nil {
					t.Fatal(err)
				}
				spread := times.Spread(law, 2, false, seed)
				for j := range truth {
					if lo, hi := spread.Interval(j, coef[j]); lo <= truth[j] && truth[j] <= hi {
						inside[j]++
					}
				}
			}
			t.Logf("inside %v of %d", inside, seeds)
			if inside[0] < seeds*95/100 || inside[1] < seeds*95/100 {
				t.Errorf("only %v of %d are inside", inside, seeds)
			}
		})
	}
}

func TestSpreadSaysWhatItKnows(t *testing.T) {
	mean := func(means []float64, drawn []int) ([]float64, error) {
		sum, n := 0.0, 0
		for p, k := range drawn {
			sum, n = sum+float64(k)*means[p], n+k
		}
		return []float64{sum / float64(n)}, nil
	}
	fails := func([]float64, []int) ([]float64, error) { return nil, errors.New("no") }
	four := [][]float64{{1, 1}, {2, 2}, {3, 3}, {4, 4}}
	one := [][]float64{{1}, {2}, {3}, {4}}
	for _, c := range []struct {
		name  string
		times *Times
		e     Estimate
		fixed bool
		known bool
		what  string
	}{
		{"both", &Times{Of: four, Cluster: "launches"}, mean, false, true, "bootstrap over 4 points and 2 launches, seed 7"},
		{"points", &Times{Of: one, Cluster: "launches"}, mean, false, true, "bootstrap over 4 points, seed 7; says nothing of other runs"},
		{"clusters", &Times{Of: four, Cluster: "files"}, mean, true, true, "bootstrap over 2 files, seed 7"},
		{"nothing", &Times{Of: one, Cluster: "launches"}, mean, true, false, "no interval, as nothing was repeated"},
		{"no solutions", &Times{Of: four, Cluster: "launches"}, fails, false, false, "bootstrap over 4 points and 2 launches, seed 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.times.Spread(c.e, 1, c.fixed, 7)
			lo, hi := s.Interval(0, 2.5)
			if known := !math.IsNaN(lo) && !math.IsNaN(hi); known != c.known || s.What != c.what || known && !(lo <= 2.5 && 2.5 <= hi) {
				t.Errorf("from %g to %g, %q", lo, hi, s.What)
			}
			if again := c.times.Spread(c.e, 1, c.fixed, 7); !math.IsNaN(s.SD[0]) && again.SD[0] != s.SD[0] {
				t.Errorf("the same seed gave %g and %g", s.SD[0], again.SD[0])
			}
		})
	}
}

func TestSegmentsFindChanges(t *testing.T) {
	sizes := func(per int) (x []float64) {
		for e := 0.0; e <= 22; e += 1 / float64(per) {
			if s := math.Round(math.Exp2(e)); len(x) == 0 || s > x[len(x)-1] {
				x = append(x, s)
			}
		}
		return x
	}
	eager := func(s float64) float64 { return 1e-6 + 1e-9*s }
	jump := func(s float64) float64 {
		if s > 16384 {
			return 8e-6 + 0.8e-9*s
		}
		return eager(s)
	}
	bend := func(s float64) float64 { return 1e-6 + 1e-9*s + 4e-9*max(0, s-65536) }
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name  string
		x     []float64
		law   func(float64) float64
		noise float64
		ends  []float64 // sizes that end segments but the last
	}{
		{"one law", sizes(1), eager, 0, nil}, {"one law, noisy", sizes(4), eager, 0.02, nil},
		{"a jump", sizes(1), jump, 0, []float64{16384}}, {"a jump, noisy", sizes(4), jump, 0.02, []float64{16384}},
		{"a bend", sizes(4), bend, 0.005, []float64{65536}},
		{"few", sizes(1)[:4], eager, 0, nil},
		{"more than cuts", sizes(600), jump, 0.01, []float64{16384}},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := make([]float64, len(c.x))
			for i, x := range c.x {
				y[i] = c.law(x) * (1 + c.noise*r.NormFloat64())
			}
			got, err := Segments(c.x, y, 4)
			if err != nil || len(got) != len(c.ends)+1 || got[0].First != 0 || got[len(got)-1].Last != len(c.x)-1 {
				t.Errorf("%+v, %v", got, err)
				return
			}
			for k, end := range c.ends {
				if last := c.x[got[k].Last]; math.Abs(math.Log2(last/end)) > 0.5 || got[k+1].First != got[k].Last+1 {
					t.Errorf("a segment ends at %g, want %g", last, end)
				}
			}
		})
	}
}

// naiveSegments tries every division, with lines by LeastSquares.
func naiveSegments(x, y []float64, most int) (best float64) {
	best = math.Inf(1)
	var divide func(from, k int, sse float64)
	divide = func(from, k int, sse float64) {
		if from == len(x) {
			best = min(best, criterion(sse, len(x), k))
			return
		}
		for to := from + minSegment; k < most && to <= len(x); to++ {
			p := &Problem{Columns: []string{"1", "x"}}
			for i := from; i < to; i++ {
				p.X, p.Y, p.Weight = append(p.X, []float64{1, x[i] - x[from]}), append(p.Y, y[i]), append(p.Weight, 1/y[i])
			}
			s, err := LeastSquares(p)
			if err != nil {
				panic(err)
			}
			divide(to, k+1, sse+weightedError(p, s.Coef))
		}
	}
	divide(0, 0, 0)
	return best
}

func FuzzSegmentsAreTheBestDivision(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint8(seed), seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, points uint8, jump bool) {
		r := rand.New(rand.NewPCG(seed, 5))
		var x, y []float64
		for i := range minSegment + int(points%10) {
			x = append(x, float64(i*i)+r.Float64())
			v := 1 + 0.3*x[i] + 0.2*r.Float64()
			if jump && i > 5 {
				v += 20
			}
			y = append(y, v)
		}
		got, err := Segments(x, y, 3)
		if err != nil {
			t.Fatal(err)
		}
		sse, next := 0.0, 0
		for _, s := range got {
			if s.First != next || len(got) > 1 && s.Last-s.First+1 < minSegment {
				t.Fatalf("segments %+v", got)
			}
			for i := s.First; i <= s.Last; i++ {
				e := s.Line.At(x[i])/y[i] - 1
				sse += e * e
			}
			next = s.Last + 1
		}
		value := criterion(sse, len(x), len(got))
		if want := naiveSegments(x, y, 3); next != len(x) || value > want+1e-6*math.Abs(want) {
			t.Fatalf("%d segments with %g, want %g", len(got), value, want)
		}
	})
}

func TestSegmentsRefuse(t *testing.T) {
	for name, c := range map[string][2][]float64{
		"one point": {{1}, {1}}, "no points": {nil, nil}, "twice the same": {{1, 1, 2}, {1, 1, 1}}, "zero": {{1, 2}, {0, 1}},
		"not a number": {{1, 2}, {math.NaN(), 1}}, "no end": {{1, 2}, {math.Inf(1), 1}},
		"squares of nothing": {{1, 2, 3}, {1e-200, 1e-200, 1e-200}}, "almost nothing": {{1, 2, 3}, {1e-300, 2e-300, 3e-300}},
		"one that is almost nothing": {{1, 2, 3, 4}, {1e-156, 1, 2, 3}}, "squares without end": {{1, 2, 3}, {1e200, 1e200, 1e200}},
	} {
		t.Run(name, func(t *testing.T) {
			if s, err := Segments(c[0], c[1], 3); err == nil {
				t.Errorf("%v", s)
			}
		})
	}
}

// Whatever the values, segments go from the first point to the last with lines that are numbers, or there is an error.
func FuzzSegmentsOfAnyValues(f *testing.F) {
	for _, least := range []float64{1, 1e-15, 1e-100, 1e-156, 1e-200, 5e-324, 1e6, 1e160, 1e308} {
		f.Add(least, least, uint8(7))
		f.Add(least, 1.0, uint8(7))
		f.Add(1.0, least, uint8(2))
	}
	f.Fuzz(func(t *testing.T, first, others float64, points uint8) {
		var x, y []float64
		for i := range 2 + int(points%20) {
			x, y = append(x, float64(i)), append(y, others)
		}
		y[0] = first
		got, err := Segments(x, y, 4)
		if err != nil {
			return
		}
		next := 0
		for _, s := range got {
			if at := s.Line.At0 + s.Line.Slope; s.First != next || math.IsNaN(at) || math.IsInf(at, 0) {
				t.Fatalf("segments %+v of %v", got, y)
			}
			next = s.Last + 1
		}
		if next != len(x) {
			t.Fatalf("segments %+v of %d points", got, len(x))
		}
		if l, err := LineOf(x, y, nil); err == nil && math.IsNaN(l.At0+l.Slope) {
			t.Fatalf("line %+v of %v", l, y)
		}
	})
}
