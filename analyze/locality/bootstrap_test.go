package locality

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// measure is what an analysis has measured of a trace when it starts to fit.
func measure(t testing.TB, src trace.Source) *measured {
	t.Helper()
	a := &Analysis{Reuse: &reuse.Analysis{Lines: []unit.Bytes{64}}, Line: 64}
	m := &measured{Distances: reuse.Distances{Line: 64}}
	var shards []*reuse.Shard
	for p := range src.Header().Procs {
		shards = append(shards, a.NewShard(src.Header(), trace.Proc(p)).(*analysis.ShardGroup).Parts[0].(*reuse.Shard))
	}
	if _, err := analysis.Run(context.Background(), src, analysis.Options{}, a.Reuse); err != nil {
		t.Fatal(err)
	}
	for _, s := range shards {
		m.add(s)
	}
	m.prepare(1)
	return m
}

// Classes are exact: the sample of the whole is that of the segments, and its points are the measured curve.
func TestSampleIsTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	m := measure(t, source(drawn(r, law{1.4, 9}, 20_000), drawn(r, law{1.7, 40}, 50_000)))
	sum := sample{footprint: m.sample.footprint}
	for i := range m.programs {
		for _, segments := range [][]reuse.Segment{m.programs[i].Even} {
			for _, seg := range segments {
				sum.add(&seg, 1)
			}
		}
	}
	if !slices.Equal(sum.uses, m.sample.uses) || !slices.Equal(sum.censored, m.sample.censored) || sum.cold != m.sample.cold {
		t.Errorf("segments %+v, whole %+v", sum, m.sample)
	}
	for i, want := range m.Points(reuse.QuarterOctaves(m.Footprint)) {
		if got := m.sample.points()[i]; got.X != want.X || math.Abs(got.Ratio-want.Ratio) > 1e-12 {
			t.Errorf("point %d: %v, want %v", i, got, want)
		}
	}
}

// Two numbers with mean, variance and third moment of all of a class.
func TestSpread(t *testing.T) {
	for class := range 30 {
		var want, got [4]float64
		from, to := reuse.ClassStart(class), reuse.ClassStart(class+1)
		for k := range want {
			for x := from; x < to; x++ {
				want[k] += math.Pow(float64(x), float64(k)) / float64(to-from)
			}
			for _, x := range twoPoints(class) {
				got[k] += math.Pow(x, float64(k)) / 2
			}
			if math.Abs(got[k]-want[k]) > 1e-12*want[k] {
				t.Errorf("from %d to %d: a moment %d of %v, want %v", from, to-1, k, got[k], want[k])
			}
		}
	}
}

// Intervals of streams that are drawn from a law hold the law about as often as they say. Least
// squares has a bias besides, for it takes cold uses for misses of every size; with several processors the start
// of each, with fewer lines to come back to, makes the intervals wide.
func TestBootstrapCovers(t *testing.T) {
	law := law{1.6, 20}
	for _, c := range []struct {
		procs, trials int
		likely, least float64 // shares that hold the law: of both parameters, at least by maximum likelihood, and by least squares
	}{
		{1, 60, 0.83, 0.75}, // 0.95 with a standard deviation of 0.028, less four of them; less the bias
		{4, 25, 0.83, 0.83},
	} {
		t.Run(fmt.Sprint(c.procs), func(t *testing.T) {
			t.Parallel()
			trials := testsize.Cases(c.trials, c.trials/5)
			held := map[string]int{}
			for seed := range uint64(trials) {
				r := rand.New(rand.NewPCG(seed, 5))
				var streams [][]uint64
				for range c.procs {
					streams = append(streams, drawn(r, law, 82_000/c.procs))
				}
				covered(t, measure(t, source(streams...)), law, held)
			}
			for name, least := range map[string]float64{"alpha_ml": c.likely, "beta_ml": c.likely, "alpha": c.least, "beta": c.least} {
				t.Run(name, func(t *testing.T) {
					if share := float64(held[name]) / float64(trials); share < least {
						t.Errorf("%s held %d of %d times", name, held[name], trials)
					}
				})
			}
		})
	}
}

// Uses that are even over 300 lines miss less in large caches than any power law has it: alpha ends at its bound, in all replicates
// too, which is no interval of it. That of beta is for this alpha, and narrow: it is the scale.
func TestBoundHasNoInterval(t *testing.T) {
	for _, procs := range []int{1, 4} { // too few uses of one processor for a bootstrap
		r := rand.New(rand.NewPCG(3, 3))
		var streams [][]uint64
		for range procs {
			var lines []uint64
			for range 3000 {
				lines = append(lines, r.Uint64N(300))
			}
			streams = append(streams, lines)
		}
		m := measure(t, source(streams...))
		if got, want := m.bootstrap != nil, procs > 1; got != want {
			t.Fatalf("%d processors: a bootstrap: %v, want %v", procs, got, want)
		}
		for _, w := range []fitMethod{powerML, cappedML} {
			f, err := w.model().Fit(m)
			if err != nil {
				t.Fatal(err)
			}
			alpha, beta := f.Params[0], f.Params[1]
			if p := params([2]float64{math.Log(alpha.Value - 1), math.Log(beta.Value)}); math.Abs(p[0]-maxA) > 1e-9 {
				t.Fatalf("%d processors: %s %v is not at its bound", procs, alpha.Name, alpha.Value)
			}
			if alpha.Lo != alpha.Value || alpha.Hi != alpha.Value {
				t.Errorf("%d processors: %s %v has an interval from %v to %v", procs, alpha.Name, alpha.Value, alpha.Lo, alpha.Hi)
			}
			if !(beta.Lo < beta.Value && beta.Value < beta.Hi && beta.Hi < 1.5*beta.Lo) {
				t.Errorf("%d processors: %s %v has an interval from %v to %v", procs, beta.Name, beta.Value, beta.Lo, beta.Hi)
			}
			if !strings.Contains(alpha.Method, "alpha is at its bound") {
				t.Errorf("%s does not say that it is held: %s", alpha.Name, alpha.Method)
			}
		}
	}
}

// covered counts the parameters whose interval has the law's.
func covered(t *testing.T, m *measured, law law, held map[string]int) {
	for _, w := range []fitMethod{powerLS, powerML} {
		f, err := w.model().Fit(m)
		if err != nil {
			t.Fatal(err)
		}
		for i, truth := range []float64{law.Alpha, law.Beta} {
			if e := f.Params[i].Estimate; e.Lo <= truth && truth <= e.Hi {
				held[f.Params[i].Name]++
			}
		}
	}
}

// mixed is a program whose phases follow laws of their own, as they are expected to.
func mixed(r *rand.Rand, phases int) reuse.Segments {
	var out reuse.Segments
	for range phases {
		law := law{1 + math.Exp(-0.5+0.3*r.NormFloat64()), math.Exp(3 + 0.5*r.NormFloat64())}
		seg := reuse.Segment{Instr: 30_000, Refs: 10_000}
		for class := 0; reuse.ClassStart(class) < 1<<14; class++ {
			lo, hi := float64(reuse.ClassStart(class)), float64(reuse.ClassStart(class+1))
			seg.Uses = append(seg.Uses, uint64(math.Round(10_000*(law.Miss(lo)-law.Miss(hi)))))
		}
		out.Phases = append(out.Phases, seg)
	}
	return out
}

// Where phases differ, the bootstrap covers what many phases together have; the observed information and the linearised
// problem, which know of single uses and of residuals, do not.
func TestPhasesDiffer(t *testing.T) {
	pooled := func(s reuse.Segments) *sample {
		all := &sample{footprint: 1 << 14}
		for i := range s.Phases {
			all.add(&s.Phases[i], 1)
		}
		return all
	}
	trials := testsize.Cases(60, 12)
	for _, w := range []fitMethod{powerLS, powerML, cappedML} {
		truth, err := w.fit(pooled(mixed(rand.New(rand.NewPCG(1, 4)), 5000)), 64)
		if err != nil {
			t.Fatal(err)
		}
		var linear, drawn int
		for seed := range uint64(trials) {
			s := mixed(rand.New(rand.NewPCG(seed, 3)), 24)
			fit, err := w.fit(pooled(s), 64)
			if err != nil {
				t.Fatal(err)
			}
			if fit.Alpha.Lo <= truth.Alpha.Value && truth.Alpha.Value <= fit.Alpha.Hi {
				linear++
			}
			b := newBootstrap([]reuse.Segments{s}, 1<<14, 1)
			fit.setIntervals([2]float64(b.widths(func(s *sample) ([]float64, error) { return w.replicate(s, &memo{start: fit.at}) })))
			if fit.Alpha.Lo <= truth.Alpha.Value && truth.Alpha.Value <= fit.Alpha.Hi {
				drawn++
			}
		}
		if linear > trials/2 || drawn < trials*5/6 {
			t.Errorf("%s: the bootstrap holds %d, the linear interval %d of %d times", w.name, drawn, linear, trials)
		}
	}
}

// The blocks of a bootstrap, and what is left without enough of them.
func TestBlocks(t *testing.T) {
	phases := func(n int) reuse.Segments { return mixed(rand.New(rand.NewPCG(1, 2)), n) }
	even := func(n, m int) reuse.Segments { return reuse.Segments{Phases: phases(n).Phases, Even: phases(m).Phases} }
	for _, c := range []struct {
		programs []reuse.Segments
		want     string // empty: no bootstrap
	}{
		{nil, ""},
		{[]reuse.Segments{{}}, ""},
		{[]reuse.Segments{phases(3)}, ""},
		{[]reuse.Segments{phases(4)}, "4 phases between barriers"},
		{[]reuse.Segments{even(2, 9)}, "9 stretches of equal length"},
		{[]reuse.Segments{even(5, 9), {}, even(6, 9)}, "6 phases between barriers and 2 processors"},
		{[]reuse.Segments{even(5, 9), even(2, 7)}, "9 stretches of equal length and 2 processors"},
		{[]reuse.Segments{phases(1), phases(1)}, ""},
		{[]reuse.Segments{even(1, 1), even(1, 1), even(1, 1), even(1, 1)}, "4 processors"},
	} {
		t.Run(c.want, func(t *testing.T) {
			got := ""
			if b := newBootstrap(c.programs, 1<<14, 1); b != nil {
				got = b.blocks
			}
			if got != c.want {
				t.Errorf("%d programs: %q, want %q", len(c.programs), got, c.want)
			}
		})
	}
}

// blocksWith is programs of four phases, by what is to be their references of 100,000 instructions. All have as many uses.
func blocksWith(refs [][4]uint64) (out []reuse.Segments) {
	for _, row := range refs {
		var s reuse.Segments
		for _, n := range row {
			s.Phases = append(s.Phases, reuse.Segment{Instr: 100_000, Refs: n, Uses: []uint64{50}})
		}
		out = append(out, s)
	}
	return out
}

// Half intervals of a mean are Student's t times the root of the variance of means of n, s^2/n. With
// processors, the variance is that of phases plus that of processors less that of both: 1/3 + 1/3 - 2/15. The
// degrees of freedom are (1/3 + 1/3)^2 / (2 (1/3)^2/3) = 6. The same holds for gamma, in logarithms.
func TestWidthsOfMeans(t *testing.T) {
	for _, c := range []struct {
		refs [][4]uint64
		want float64
	}{
		{[][4]uint64{{999, 1001, 1001, 999}}, 3.182 * math.Sqrt(1./3)},
		{[][4]uint64{{998, 1000, 1000, 998}, {1000, 1002, 1002, 1000}, {998, 1000, 1000, 998}, {1000, 1002, 1002, 1000}}, 2.447 * math.Sqrt(8./15)},
	} {
		const seeds = 30
		var width, low, high float64
		for seed := range uint64(seeds) {
			m := measured{refs: 1000, instr: 100_000, bootstrap: newBootstrap(blocksWith(c.refs), 100, seed)}
			width += m.bootstrap.widths(func(s *sample) ([]float64, error) { return []float64{s.refs / s.instr * 1e5}, nil })[0] / seeds
			gamma := m.gamma()
			low += math.Log(gamma.Value/gamma.Lo) / seeds
			high += math.Log(gamma.Hi/gamma.Value) / seeds
		}
		for _, got := range []float64{width, 1000 * low, 1000 * high} {
			if relative(got, c.want) > 0.03 { // 200 replicates give a width to 5 %, 30 times as many to 1 %
				t.Errorf("%d processors: half an interval of %v, want %v", len(c.refs), got, c.want)
			}
		}
	}
}

// A statistic that most replicates do not tell is unlimited, with several processors too.
func TestWidthsOfWhatFewReplicatesTell(t *testing.T) {
	for _, procs := range []int{1, 4} {
		var refs [][4]uint64
		for range procs {
			refs = append(refs, [4]uint64{1, 2, 3, 4})
		}
		b, n := newBootstrap(blocksWith(refs), 100, 1), 0
		got := b.widths(func(s *sample) ([]float64, error) {
			if n++; n%16 != 0 {
				return nil, errors.New("nothing was drawn")
			}
			return []float64{s.refs}, nil
		})
		if len(got) != 1 || got[0] != maxWidth {
			t.Errorf("%d processors: half an interval of %v, want %v", procs, got, maxWidth)
		}
	}
}
