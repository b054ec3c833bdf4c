package locality

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/internal/paramfile"
	"spoor/analyze/reuse"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

// Parameters of samples have intervals that hold those of all lines, and are of use.
func TestSampledParametersCover(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	src := source(drawn(r, law{1.8, 20}, 60_000), drawn(r, law{1.4, 5}, 60_000))
	exact, _, err := run(src)
	if err != nil {
		t.Fatal(err)
	}
	missed := map[string]int{}
	seeds := testsize.Cases[uint64](20, 6)
	for seed := range seeds {
		got, _, err := sampledRun(src, reuse.Sampling{Rate: 0.1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"alpha", "beta", "alpha_ml", "beta_ml", "alpha_capped", "alpha_capped_ml", "cold", "footprint"} {
			p := got[name]
			if exact[name].Value < p.Lo || p.Hi < exact[name].Value {
				missed[name]++
			}
			if !(p.Lo < p.Value && p.Value < p.Hi) || p.Hi > 2*p.Lo {
				t.Errorf("seed %d: %s is %+v, exactly %v", seed, name, p, exact[name].Value)
			}
		}
		if got["gamma"].Value != exact["gamma"].Value {
			t.Errorf("gamma is counted: %+v, not %+v", got["gamma"], exact["gamma"])
		}
	}
	for name, n := range missed {
		if n > 2 {
			t.Errorf("%s: %d of %d intervals do not have the value of all lines", name, n, seeds)
		}
	}
}

// Curves at the ends of intervals have all uses, and never rise.
func TestEndsAreCurves(t *testing.T) {
	s := &sample{uses: []float64{50, 30, 10}, cold: 10, censored: []float64{4, 6}, footprint: 10}
	u := &curveIntervals{lo: []float64{40, 12, 8}, at: []float64{50, 20, 10}, hi: []float64{90, 95, 14}}
	want := [][]float64{{10, 0, 76}, {60, 28, 4}}
	for i, other := range u.samples(s) {
		if math.Abs(other.total()-100) > 1e-9 || slices.Min(other.uses) < 0 || math.Abs(other.censored[1]-6*other.cold/10) > 1e-9 {
			t.Errorf("%d: %+v", i, other)
		}
		if i < len(want) && !slices.Equal(other.uses, want[i]) {
			t.Errorf("%d: %v, want %v", i, other.uses, want[i])
		}
	}
	if got := u.share(200); got != (paramfile.Estimate{Value: 200, Lo: 160, Hi: 280}) {
		t.Error(got)
	}
}

// Where all that is sampled is exact, nothing is uncertain.
func TestExactIsNotUncertain(t *testing.T) {
	d := &reuse.Distances{Line: unit.Bytes(64), Uses: []uint64{5}, Cold: 2, Rate: 1}
	if u := newCurveIntervals([]*reuse.Distances{d}, 2); u != nil {
		t.Errorf("%+v", u)
	}
}
