package locality

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/paramfile"
	"spoor/analyze/reuse"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Points on a law give the law back, wherever it lies.
func TestFitRecoversTheLaw(t *testing.T) {
	for _, alpha := range []float64{1.05, 1.21, 1.71, 3, 8} {
		t.Run(fmt.Sprint(alpha), func(t *testing.T) {
			for _, beta := range []float64{1.001, 4, 85, 1222, 50_000} {
				law := law{alpha, beta}
				var points []point
				for _, x := range reuse.QuarterOctaves(1 << 18) {
					points = append(points, point{float64(x), law.Miss(float64(x))})
				}
				f, err := fitLaw(points)
				if err != nil {
					t.Fatal(err)
				}
				if relative(f.Alpha.Value-1, alpha-1) > 1e-6 || relative(f.Beta.Value, beta) > 1e-6 {
					t.Errorf("alpha %g, beta %g: got %+v", alpha, beta, f)
				}
			}
		})
	}
}

func relative(got, want float64) float64 { return math.Abs(got/want - 1) }

// The 95 % intervals hold the truth about 95 times in 100 when the residuals are what
// the method takes them for: independent and normal.
func TestIntervalsCover(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	law := law{1.4, 60}
	const trials = 600
	var alpha, beta int
	for range trials {
		var points []point
		for _, x := range reuse.QuarterOctaves(1 << 14) {
			points = append(points, point{float64(x), min(1, max(0, law.Miss(float64(x))+0.004*r.NormFloat64()))})
		}
		f, err := fitLaw(points)
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
	// 95 % of 600 is 570, its standard deviation 5.3: four of them each way.
	for name, n := range map[string]int{"alpha": alpha, "beta": beta} {
		if n < 549 || n > 591 {
			t.Errorf("the interval of %s held %d of %d times", name, n, trials)
		}
	}
}

// Intervals of few points are Student's, from derivatives by differences.
func TestIntervalsAreStudents(t *testing.T) {
	for n, quantile := range map[int]float64{4: 4.303, 5: 3.182, 8: 2.447} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { // of n-2 degrees of freedom, from a table
			var points []point
			for i := range n {
				x := math.Exp2(float64(2 * i))
				points = append(points, point{x, law{1.7, 9}.Miss(x) + 0.01*float64(i%3-1)*float64(i%2)})
			}
			f, err := fitLaw(points)
			if err != nil {
				t.Fatal(err)
			}
			a, b := math.Log(f.Alpha.Value-1), math.Log(f.Beta.Value)
			var cost, aa, ab, bb float64
			for _, q := range points {
				miss := func(da, db float64) float64 { return law{1 + math.Exp(a+da), math.Exp(b + db)}.Miss(q.X) }
				const h = 1e-5
				byA, byB := (miss(h, 0)-miss(-h, 0))/(2*h), (miss(0, h)-miss(0, -h))/(2*h)
				cost += (miss(0, 0) - q.Ratio) * (miss(0, 0) - q.Ratio)
				aa, ab, bb = aa+byA*byA, ab+byA*byB, bb+byB*byB
			}
			deviation := math.Sqrt(cost / float64(n-2) / (aa*bb - ab*ab))
			for name, w := range map[string][2]float64{
				"alpha": {math.Log((f.Alpha.Hi - 1) / (f.Alpha.Value - 1)), quantile * deviation * math.Sqrt(bb)},
				"beta":  {math.Log(f.Beta.Hi / f.Beta.Value), quantile * deviation * math.Sqrt(aa)},
			} {
				if relative(w[0], w[1]) > 1e-3 { // digits of the table
					t.Errorf("%d points: half the interval of ln %s is %v, want %v", n, name, w[0], w[1])
				}
			}
		})
	}
}

// No grid point is better than the least-squares fit, on curves that are no power law.
func TestFitIsTheMinimum(t *testing.T) {
	for name, ratio := range map[string]func(x float64) float64{
		"step":        func(x float64) float64 { return map[bool]float64{true: 1, false: 0.1}[x < 100] },
		"exponential": func(x float64) float64 { return math.Exp(-x / 50) },
		"plateau":     func(x float64) float64 { return max(0.3, 1/(1+x)) },
		"flat":        func(x float64) float64 { return 0.999 },
		"steep":       func(x float64) float64 { return 0.001 },
	} {
		t.Run(name, func(t *testing.T) {
			var points []point
			for _, x := range reuse.QuarterOctaves(1 << 12) {
				points = append(points, point{float64(x), ratio(float64(x))})
			}
			f, err := fitLaw(points)
			if err != nil {
				t.Fatalf("%v", err)
			}
			squares := leastSquares(points, new(memo))
			best, _, _ := squares(params{math.Log(f.Alpha.Value - 1), math.Log(f.Beta.Value)})
			for a := -14.0; a <= 14; a += 0.25 {
				for b := 0.0; b <= 30; b += 0.25 {
					if c, _, _ := squares(params{a, b}); c < best*(1-1e-6)-1e-9 {
						t.Fatalf("alpha %g, beta %g has a sum of squares of %g, the fit %+v has %g", 1+math.Exp(a), math.Exp(b), c, f, best)
					}
				}
			}
			checkFinite(t, name, f.Alpha, f.Beta)
			if f.Alpha.Value <= 1 || f.Beta.Value < 1 {
				t.Errorf("%+v is out of bounds", f)
			}
			if name == "exponential" && len(f.Warnings) == 0 {
				t.Errorf("no warning")
			}
			if name == "steep" && len(f.Warnings) == 0 {
				t.Errorf("no warning")
			}
			for _, p := range f.params(powerLS, "interval", "source") { // the file may travel without the notes
				for _, w := range f.Warnings {
					if !strings.Contains(p.Method, strings.TrimSpace(w.Error())) {
						t.Errorf("the method of %s, %q, does not say that %v", p.Name, p.Method, w)
					}
				}
			}
		})
	}
}

func checkFinite(t *testing.T, name string, estimates ...paramfile.Estimate) {
	t.Helper()
	for _, e := range estimates {
		for _, v := range []float64{e.Value, e.Lo, e.Hi} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if !(e.Lo <= e.Value && e.Value <= e.Hi) {
			t.Errorf("%s: %+v is not inside its interval", name, e)
		}
	}
}

func source(procs ...[]uint64) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: len(procs)}}
	for p, lines := range procs {
		r := trace.Refs{Proc: trace.Proc(p)}
		for _, l := range lines {
			r.Append(4, l*64, 8, trace.Load)
		}
		m.RefsOf = append(m.RefsOf, r)
	}
	return m
}

func run(src trace.Source) (map[string]param, []error, error) {
	return sampledRun(src, reuse.Sampling{})
}

func sampledRun(src trace.Source, sampling reuse.Sampling) (map[string]param, []error, error) {
	a := &Analysis{Reuse: &reuse.Analysis{Lines: []unit.Bytes{32, 64}, Sampling: sampling}, Line: 64, Seed: 5, Source: "x.refs.arrow sha256:00", Tool: "spoor\nx"}
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	if err := results[0].Files[0].Fill(&b); err != nil {
		return nil, nil, err
	}
	for _, t := range append(results[0].Tables, results[0].Full, results[0].Summary) {
		for _, c := range t.Columns {
			values, _ := c.Data.([]float64)
			for _, v := range values {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return nil, nil, fmt.Errorf("table %s, column %s has %v", t.Name, c.Name, v)
				}
			}
		}
	}
	read := map[string]param{}
	d := toml.NewDecoder(&b).DisallowUnknownFields()
	return read, results[0].Warnings, d.Decode(&read)
}

// param is a table of the file, as its readers decode it.
type param struct {
	Value  float64 `toml:"value"`
	Unit   string  `toml:"unit"`
	Lo     float64 `toml:"lo"`
	Hi     float64 `toml:"hi"`
	N      uint64  `toml:"n"`
	Method string  `toml:"method"`
	Source string  `toml:"source"`
}

// drawn is n uses of lines from a law: each takes the line at a depth of the
// LRU stack that is drawn from P.
func drawn(r *rand.Rand, law law, n int) []uint64 {
	var stack, out []uint64
	for range n {
		// P(d < x) = law: d = floor of the inverse of P at a uniform number.
		d := law.Beta * (math.Pow(r.Float64(), -1/(law.Alpha-1)) - 1)
		var l uint64
		if d >= float64(len(stack)) {
			l = uint64(len(stack))
			stack = append(stack, 0)
			copy(stack[1:], stack[:len(stack)-1])
		} else {
			i := int(d)
			l = stack[i]
			copy(stack[1:i+1], stack[:i])
		}
		stack[0] = l
		out = append(out, l)
	}
	return out
}

// A stream drawn from a law has that law.
func TestStreamOfKnownLaw(t *testing.T) {
	law := law{1.6, 20}
	r := rand.New(rand.NewPCG(3, 4))
	stream := func() []uint64 { return drawn(r, law, 60_000) }
	got, _, err := run(source(stream(), stream()))
	if err != nil {
		t.Fatal(err)
	}
	// 120,000 uses give the miss ratio within 0.0014 (one standard deviation), which
	// moves alpha and beta by a few per cent.
	if relative(got["alpha"].Value-1, 0.6) > 0.1 || relative(got["beta"].Value, 20) > 0.1 {
		t.Errorf("alpha %+v, beta %+v, want %+v", got["alpha"], got["beta"], law)
	}
	if g := got["gamma"].Value; g != 0.25 {
		t.Errorf("gamma %g: every fourth instruction is a load", g)
	}
	for _, name := range []string{"alpha", "gamma"} {
		if m := got[name].Method; !strings.HasSuffix(m, "200 replicates, seed 5") {
			t.Errorf("the method of %s does not end with the seed: %s", name, m)
		}
	}
	// The stack starts empty, and uses deeper than what it has grown to are cold: the
	// curve lies above the law by that at small sizes.
	if e := got["fit_max_error"].Value; e > 0.03 || got["fit_mean_error"].Value > e {
		t.Errorf("errors %g and %g", got["fit_mean_error"].Value, e)
	}
	if got["references"].Value != 120_000 || got["instructions"].Value != 480_000 || got["processors"].Value != 2 || got["line"].Value != 64 {
		t.Errorf("counts: %+v", got)
	}
}

// inTurn is lines used in turn.
func inTurn(n, lines int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = uint64(i % lines)
	}
	return out
}

func TestDegenerateTraces(t *testing.T) {
	fetches := source([]uint64{1})
	fetches.RefsOf[0].Op[0] = trace.Ifetch
	uncounted := source([]uint64{1, 2, 3, 4, 1, 2, 3, 4})
	for i := range uncounted.RefsOf[0].Instr {
		uncounted.RefsOf[0].Instr[i] = 0
	}
	often := source([]uint64{1, 2, 3, 4, 1, 2, 3, 4, 5})
	for i := range often.RefsOf[0].Instr {
		often.RefsOf[0].Instr[i] = uint32(min(i%3, 1))
	}
	sweep := make([]uint64, 100)
	for i := range sweep {
		sweep[i] = uint64(i)
	}
	nothing, noFit, noTime := []string{"alpha", "beta", "fit_max_error", "cold"}, []string{"alpha", "beta", "fit_max_error"}, []string{"gamma"}
	for _, c := range []struct {
		name    string
		src     trace.Source
		warning string   // empty: any or none
		without []string // parameters that are left out; others are there
	}{
		{"empty", source(), "no loads or stores", append(noTime, nothing...)},
		{"no references", source(nil), "no loads or stores", append(noTime, nothing...)},
		{"fetches alone", fetches, "no loads or stores", append(noTime, nothing...)},
		{"one line", source([]uint64{5, 5, 5}), "alpha and beta: a curve of 1 cache size does not determine two parameters", noFit},
		{"all cold", source(sweep), "omitted models power, capped, power_ml, capped_ml, power_log, and with them alpha and beta: no line is used twice", noFit},
		{"no instructions", uncounted, "counts no instructions, so that gamma", noTime},
		{"three references in two instructions", often, "gamma is 1.5 references per instruction", nil},
		{"a sweep, twice", source(append(sweep, sweep...)), "", nil},
		{"all uses but the first at distance 0", source([]uint64{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4}), "", nil},
		{"all uses at the largest distance", source(inTurn(5000, 7)), "", nil},
		{"lines at the end of addresses", source([]uint64{1<<58 - 1, 0, 1<<58 - 2, 0, 1<<58 - 1, 3, 1<<58 - 2, 0}), "", nil},
		{"one processor of two", source(nil, inTurn(50_000, 300)), "", nil},
		{"few lines", source([]uint64{1, 2, 3, 4, 4, 3, 2, 1, 1}), "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, warnings, err := run(c.src)
			if err != nil {
				t.Errorf("%v", err)
			}
			if !strings.Contains(fmt.Sprint(warnings), c.warning) {
				t.Errorf("warnings %v do not say %q", warnings, c.warning)
			}
			for _, name := range []string{"alpha", "beta", "fit_max_error", "gamma", "cold", "line", "footprint", "instructions", "references", "processors"} {
				t.Run(name, func(t *testing.T) {
					_, there := got[name]
					if slices.Contains(c.without, name) == there {
						t.Errorf("parameter %s is there: %v", name, there)
					}
				})
			}
			for name, p := range got {
				checkFinite(t, c.name+" "+name, paramfile.Estimate{Value: p.Value, Lo: p.Lo, Hi: p.Hi})
			}
		})
	}
}

// The capped fits recover a program that follows the law between its cold misses and its footprint. The law
// that falls to 0 does not.
func TestCappedFitFindsLawAboveColdMisses(t *testing.T) {
	const total, footprint, cold = 1e12, 4096, 0.05
	law := law{1.6, 40}
	misses := func(x int) float64 {
		if x >= footprint {
			return math.Round(total * cold)
		}
		return math.Round(total * (cold + (1-cold)*law.Miss(float64(x))))
	}
	p := measured{Distances: reuse.Distances{Line: 64, Cold: uint64(misses(footprint))}, Footprint: footprint, Source: "test"}
	for d := range footprint {
		p.Uses = append(p.Uses, uint64(misses(d)-misses(d+1)))
	}
	p.prepare(1)
	models, warnings := fitAll(&p, new(Analysis).models(), make([][]analysis.Shard, len(all)))
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	got := map[string]float64{}
	for _, r := range models {
		for _, q := range r.Params {
			got[q.Name] = q.Value
		}
	}
	for _, way := range []string{"capped", "capped_ml"} {
		if alpha, beta := got["alpha_"+way], got["beta_"+way]; relative(alpha, law.Alpha) > 1e-6 || relative(beta, law.Beta) > 1e-5 {
			t.Errorf("%s: alpha %v, beta %v, want %v", way, alpha, beta, law)
		}
	}
	if got["fit_max_error_capped"] > 1e-9 || got["fit_mean_error"] < 1e-3 {
		t.Errorf("errors: capped %v at most, without cap %v on average", got["fit_max_error_capped"], got["fit_mean_error"])
	}
}

// What is at a bound has an interval if replicates leave it.
func TestBoundThatReplicatesLeave(t *testing.T) {
	for _, width := range []float64{pinnedWidth / 2, 2 * pinnedWidth, 0.5} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			f := fit{at: params{maxA, 3}}
			f.setIntervals([2]float64{width, 0.1})
			want := 1 + math.Exp(maxA+width)
			if width < pinnedWidth {
				want = f.Alpha.Value
			}
			if f.pinned != [2]bool{width < pinnedWidth, false} || relative(f.Alpha.Hi, want) > 1e-12 || relative(f.Beta.Hi, math.Exp(3.1)) > 1e-12 {
				t.Errorf("half an interval of %v: %+v", width, f)
			}
		})
	}
}

// The sizes at which models are judged, and how.
func TestJudge(t *testing.T) {
	for footprint, want := range map[uint64][]int64{1: {1}, 2: {1, 2}, 5: {1, 2, 4, 8}, 8: {1, 2, 4, 8}, 9: {1, 2, 4, 8, 16}} {
		t.Run(fmt.Sprint(footprint), func(t *testing.T) {
			if got := octaves(footprint); !slices.Equal(got, want) {
				t.Errorf("a footprint of %d: %v, want %v", footprint, got, want)
			}
		})
	}
	mean, worst := fitErrors(func(x float64) float64 { return 1 / x }, []point{{1, 1}, {2, 1}, {4, 0.5}, {8, 0.125}}) // off by 0, 1/2, 1/4, 0
	if mean != 0.1875 || worst != 0.5 {
		t.Errorf("errors %v and %v, want 0.1875 and 0.5", mean, worst)
	}
}
