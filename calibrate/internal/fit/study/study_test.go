package study_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/study"
	"spoor/calibrate/internal/fit/synthetic"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

func model(name string) packing.Model {
	for _, m := range packing.All {
		if m.Name == name {
			return m
		}
	}
	panic(name)
}

// Without noise every coefficient comes back, in both ways of fitting.
func TestFindsExactParameters(t *testing.T) {
	h := synthetic.Host{States: []synthetic.State{{Name: "", Factor: 1}}, Launches: 1, Reps: 1, Line: 64, Page: 4096}
	for _, m := range packing.All {
		coef := []float64{4e-6, 2e-10, 3e-9, 5e-16, 7e-17, 1e-14}[:len(m.Terms)]
		if m.Name == "S3" {
			coef = []float64{4e-6, 2e-10, 3e-18, 5e-25}
		}
		if m.Name == "S2" {
			coef = []float64{4e-6, 2e-10, 3e-17}
		}
		if m.Name == "page" {
			coef = []float64{4e-6, 2e-10, 3e-9, 40e-9}
		}
		truth := m.At(512 << 10)
		d, err := h.Transfers(&truth, coef, 60, 2000, 1)
		if err != nil {
			t.Fatal(err)
		}
		studies, failed := study.Run(d, study.Options{Line: 64, Page: 4096, Seed: 1, Models: []packing.Model{m}})
		if len(failed) > 0 || len(studies) != 1 || len(studies[0].Results) != 2 {
			t.Fatal(failed, len(studies))
		}
		for _, r := range studies[0].Results {
			if r.Refused != nil {
				t.Errorf("%s: %v", m.Name, r.Refused)
				continue
			}
			for j, c := range r.Coefficients {
				if math.Abs(c.Value/coef[j]-1) > 1e-6 {
					t.Errorf("%s, %s: %s is %g, want %g", m.Name, r.Method.Name, c.Term.Symbol, c.Value, coef[j])
				}
			}
			if m.Cached && r.Capacity != (study.Estimated{Value: 512 << 10, Lo: 512 << 10, Hi: 512 << 10}) {
				t.Errorf("%s, %s: C is %+v", m.Name, r.Method.Name, r.Capacity)
			}
			if r.Errors.Ratio > 1e-12 || r.Errors.Points != 60 {
				t.Errorf("%s, %s: %+v", m.Name, r.Method.Name, r.Errors)
			}
		}
	}
}

// Hosts with noise, disturbed samples and three states: parameters are inside their intervals for 95 of 100
// seeds or more, each of them and all at once, in each state; and what another run finds, for 90.
func TestRecoversParametersOfNoisyHosts(t *testing.T) {
	seeds := testsize.Cases(100, againSeeds())
	inside := map[string]int{}
	for _, found := range synthetic.ForSeeds(seeds, noisyHost) {
		for name, is := range found {
			if is {
				inside[name]++
			}
		}
	}
	for name, n := range inside {
		if again := strings.HasSuffix(name, " again"); !again && n < seeds*95/100 || again && n < againSeeds()*90/100 {
			t.Errorf("%s: inside for %d of %d", name, n, seeds)
		}
	}
	if len(inside) != 3*2*(4+4+1) {
		t.Errorf("%d of 54 parameters, in this run and again, and sets of them", len(inside))
	}
	t.Log(inside)
}

// againSeeds returns for how many hosts there is another run.
func againSeeds() int { return testsize.Cases(20, 6) }

// noisyHost says which parameters of a host are inside their intervals, and in which states all are at once.
func noisyHost(seed uint64) map[string]bool {
	m, h := model("page"), synthetic.Usual()
	h.Reps = 45 // 15 in each state
	coef := []float64{3e-6, 2e-10, 4e-9, 30e-9}
	run := func() []*study.Study {
		d, err := h.Transfers(&m, coef, 40, 1500, seed)
		if err != nil {
			return nil
		}
		h.Run++
		studies, _ := study.Run(d, study.Options{Line: h.Line, Page: h.Page, Seed: seed, Models: []packing.Model{m}})
		return studies
	}
	studies, others := run(), []*study.Study(nil)
	if seed < uint64(againSeeds()) {
		others = run()
	}
	found := map[string]bool{}
	for i, s := range studies {
		factor := map[string]float64{"near": 1, "mid": 1.6, "far": 4.5}[s.State]
		for k, r := range s.Results {
			all := s.State + " together" + r.Method.Suffix
			found[all] = true
			for j, c := range r.Coefficients {
				is := c.Lo <= factor*coef[j] && factor*coef[j] <= c.Hi
				found[s.State+" "+c.Term.Symbol+r.Method.Suffix] = is
				found[all] = found[all] && is
				if others == nil {
					continue
				}
				again := others[i].Results[k].Coefficients[j].Value
				found[s.State+" "+c.Term.Symbol+r.Method.Suffix+" again"] = c.Lo <= again && again <= c.Hi
			}
		}
	}
	return found
}

// The same of level, in one state: its coefficients, and C.
func TestRecoversLevel(t *testing.T) {
	seeds := testsize.Cases(100, 8)
	coef := []float64{3e-6, 2e-10, 4e-9, 9e-9, 1e-10}
	inside := map[string]int{}
	for _, found := range synthetic.ForSeeds(seeds, func(seed uint64) map[string]bool {
		h := synthetic.Usual()
		h.States, h.Reps = h.States[:1], 15
		m := model("level")
		truth := m.At(512 << 10)
		d, err := h.Transfers(&truth, coef, 60, 2000, seed)
		if err != nil {
			return nil
		}
		studies, _ := study.Run(d, study.Options{Line: h.Line, Page: h.Page, Seed: seed, Models: []packing.Model{m}})
		found := map[string]bool{}
		for _, s := range studies {
			for _, r := range s.Results {
				found["C"+r.Method.Suffix] = r.Capacity.Lo <= 512<<10 && 512<<10 <= r.Capacity.Hi
				for j, c := range r.Coefficients {
					found[c.Term.Symbol+r.Method.Suffix] = c.Lo <= coef[j] && coef[j] <= c.Hi
				}
			}
		}
		return found
	}) {
		for name, is := range found {
			if is {
				inside[name]++
			}
		}
	}
	for name, n := range inside {
		if n < seeds*95/100 {
			t.Errorf("%s: inside for %d of %d", name, n, seeds)
		}
	}
	if len(inside) != 2*6 {
		t.Errorf("%d of 12 parameters", len(inside))
	}
	t.Log(inside)
}

// What holds in one state does not in another: pooled, a perfect model would be off; apart, it is not.
func TestStatesAreNotPooled(t *testing.T) {
	m, h := model("page"), synthetic.Usual()
	h.Reps = 45
	d, err := h.Transfers(&m, []float64{3e-6, 2e-10, 4e-9, 30e-9}, 60, 1500, 1)
	if err != nil {
		t.Fatal(err)
	}
	options := study.Options{Line: h.Line, Page: h.Page, Seed: 1, Models: []packing.Model{m}}
	studies, failed := study.Run(d, options)
	if len(failed) > 0 || len(studies) != 3 || studies[0].State != "far" || studies[1].State != "mid" || studies[2].State != "near" {
		t.Fatal(failed, len(studies))
	}
	for _, s := range studies {
		if ratio := s.Results[0].Errors.Ratio; s.Floor > 0.0005 || ratio > 0.0005 {
			t.Errorf("%s: floor %g, error ratio %g", s.State, s.Floor, ratio)
		}
	}
	for i := range d.Timings {
		d.Timings[i].State, d.Timings[i].Rep = "", i
	}
	var noisy *fit.TooNoisyError
	if studies, failed = study.Run(d, options); len(studies) != 0 || len(failed) != 1 || !errors.As(failed[0], &noisy) {
		t.Errorf("without states: %d studies, %v; want too noisy", len(studies), failed)
	}
}

func TestTooNoisyHasNoParameters(t *testing.T) {
	m, h := model("page"), synthetic.Usual()
	h.States, h.Noise.Launch = h.States[:1], 0.15
	d, err := h.Transfers(&m, []float64{3e-6, 2e-10, 4e-9, 30e-9}, 60, 1500, 1)
	if err != nil {
		t.Fatal(err)
	}
	studies, failed := study.Run(d, study.Options{Line: 64, Page: 4096})
	if len(studies) != 0 || len(failed) != 1 || !strings.HasPrefix(failed[0].Error(), "transfer: too noisy: the noise floor of split halves is 0.0") ||
		!strings.HasSuffix(failed[0].Error(), "of the variance between 120 points, and must not be above 0.002; no parameters") {
		t.Errorf("%d studies, %v", len(studies), failed)
	}
}

// points makes timings by hand.
func points(of ...timing.Timing) *timing.Data { return &timing.Data{Timings: of} }

func TestRefusesDesigns(t *testing.T) {
	size := func(n int64, seconds float64) timing.Timing {
		return timing.Timing{Point: packing.Point{Experiment: packing.Transfer, Bytes: unit.Bytes(n), Blocks: 1, Count: 1}, Time: unit.Seconds(seconds)}
	}
	row := func(cols int64, set packing.Set) timing.Timing {
		return timing.Timing{Point: packing.Point{Experiment: packing.Transfer, Rows: 1, Cols: cols, Item: 4, Stride: 4000, Base: 64, Blocks: 1, Count: 1,
			Bytes: unit.Bytes(4 * cols), Set: set}, Time: unit.Seconds(1e-6 + 1e-9*float64(cols))}
	}
	var rows []timing.Timing
	for k := range int64(40) {
		rows = append(rows, row(1000+1000*k, timing.Both))
	}
	options := study.Options{Line: 64, Page: 4096}
	for _, c := range []struct {
		name string
		d    *timing.Data
		want string
	}{
		{"two points", points(size(1, 1e-6), size(2, 2e-6)), "transfer: S1: 2 points are too few for 2 coefficients; at least 3 are needed"},
		{"half of them in sets", points(row(1, timing.Train), row(2, timing.Both)), "transfer: some points have a set and others have none"},
		{"only a test set", points(row(1, timing.Test)), "transfer: there is a test set and no training set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			studies, failed := study.Run(c.d, options)
			if len(studies) != 0 || len(failed) != 1 || failed[0].Error() != c.want {
				t.Errorf("%d studies, %v; want %q", len(studies), failed, c.want)
			}
		})
	}
	// Rows alone: models that know n have parameters; there are none that know MLT too, and the study says why.
	studies, failed := study.Run(points(rows...), options)
	if len(failed) != 0 || len(studies) != 1 {
		t.Fatal(failed)
	}
	for _, r := range studies[0].Results {
		if r.Model.Layout || r.Refused != nil {
			t.Errorf("%s: %v", r.Model.Name, r.Refused)
		}
	}
	if last := studies[0].Warnings[len(studies[0].Warnings)-1].Error(); !strings.Contains(last, "MLT is proportional to n, and models with MLT cannot improve") {
		t.Errorf("warned %q", last)
	}
}

// A scan whose points differ in operations gets a term for them; a table without sets is judged by
// cross-validation, the same for the same seed.
func TestScansAndCrossValidation(t *testing.T) {
	var list []timing.Timing
	for k := range int64(40) {
		rows, cols := 1+k*7%13, 1+k*5%37
		p := packing.Point{Experiment: packing.Scan, Rows: rows, Cols: cols, Item: 4, Stride: 400, Base: 4096, Blocks: 1, Count: 1,
			Bytes: unit.Bytes(4 * rows * cols), Ops: 100 + k*k*11%1009}
		list = append(list, timing.Timing{Point: p, Time: unit.Seconds(5e-6 + 3e-9*float64(p.Bytes) + 2e-9*float64(p.Ops))})
	}
	run := func(seed uint64) *study.Study {
		studies, failed := study.Run(points(list...), study.Options{Line: 64, Page: 4096, Seed: seed, Models: packing.All[:1]})
		if len(failed) > 0 || len(studies) != 1 {
			t.Fatal(failed)
		}
		return studies[0]
	}
	s := run(3)
	r := s.Results[0]
	if len(r.Coefficients) != 3 || r.Coefficients[2].Term.Symbol != "delta" || r.Coefficients[2].Unit != "s/op" || math.Abs(r.Coefficients[2].Value/2e-9-1) > 1e-9 {
		t.Errorf("%+v", r.Coefficients)
	}
	if s.Judged != "10-fold cross-validation, seed 3" || r.Errors.Points != 40 || r.Errors.Ratio > 1e-12 || len(s.Compared) != 80 {
		t.Errorf("%s: %+v", s.Judged, r.Errors)
	}
	if again := run(3); again.Results[0].Errors != r.Errors || again.Results[0].Coefficients[0].Lo != r.Coefficients[0].Lo {
		t.Errorf("the same seed: %+v, %+v", again.Results[0], r)
	}
}
