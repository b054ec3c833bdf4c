package scaling

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/calibrate/param"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// grid is runs on processors and sizes, with what a law says of them.
func grid(processors, sizes []float64, law func(p, s float64) float64) (all []observation) {
	for _, p := range processors {
		for _, s := range sizes {
			all = append(all, observation{Point{p, s}, law(p, s)})
		}
	}
	return all
}

var procs, sizes = []float64{1, 2, 4, 8}, []float64{100, 200, 400, 800}

// Laws that are among the forms are found, and hold far away.
func TestFindsTheLaw(t *testing.T) {
	for name, law := range map[string]func(p, s float64) float64{
		"constant":    func(_, _ float64) float64 { return 64 },
		"none":        func(_, _ float64) float64 { return 0 },
		"s":           func(_, s float64) float64 { return 3 * s },
		"s^3 + 1000":  func(_, s float64) float64 { return 1000 + 2*s*s*s },
		"s log s":     func(_, s float64) float64 { return 5 * s * math.Log2(s) },
		"s/p":         func(p, s float64) float64 { return 10 + s/p },
		"p log p":     func(p, _ float64) float64 { return 7 + p*math.Log2(p) },
		"s^(2/3)/p":   func(p, s float64) float64 { return 1 + math.Pow(s, 2.0/3)/p },
		"below zero":  func(p, s float64) float64 { return 5 - s },
		"messages":    func(p, _ float64) float64 { return 3 * math.Log2(p) },
		"p^2":         func(p, _ float64) float64 { return p * p },
		"sqrt p, s^2": func(p, s float64) float64 { return 4 + s*s*math.Sqrt(p) },
	} {
		t.Run(name, func(t *testing.T) {
			at := Point{128, 12800}
			q, err := extrapolate(grid(procs, sizes, law), at)
			want := law(at.Processors, at.Size)
			if err != nil || math.Abs(q.Value-want) > 1e-6*math.Abs(want) || q.Lo > q.Value || q.Hi < q.Value || math.Abs(q.HoldoutError) > 1e-6 || q.Error > 1e-9 {
				t.Errorf("%+v, want %v, %v", q, want, err)
			}
		})
	}
}

// The errors at points left out are what fits without these points say.
func TestLeftOutByLeverageIsFitting(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	all := grid(procs, sizes, func(p, s float64) float64 { return (20 + s/p) * (1 + 0.2*random.NormFloat64()) })
	factors := func(f form, all []observation) (xs []float64) {
		for _, o := range all {
			xs = append(xs, f.of(o.Point))
		}
		return xs
	}
	for _, f := range forms(true, true) {
		g, ok := f.fit(all, factors(f, all))
		if !ok {
			continue
		}
		sum := 0.0
		for i, o := range all {
			less := append(append([]observation{}, all[:i]...), all[i+1:]...)
			h, ok := f.fit(less, factors(f, less))
			if !ok {
				t.Fatalf("%+v does not fit %d points", f, len(all)-1)
			}
			v := h.at(o.Point)
			sum += (v/o.Value - 1) * (v/o.Value - 1)
		}
		if want := math.Sqrt(sum / float64(len(all))); math.Abs(g.crossError-want) > 1e-6*want {
			t.Errorf("%+v: %v, want %v", f, g.crossError, want)
		}
	}
}

// Of noisy laws at twice the processors and four times the size, intervals hold about what they say they do; the draws are
// always the same.
func TestIntervalsHold(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	laws := []func(p, s float64) float64{
		func(_, s float64) float64 { return 5 * s * math.Log2(s) },
		func(p, s float64) float64 { return 50 + s/p },
		func(p, s float64) float64 { return 30 * math.Sqrt(s) },
		func(_, _ float64) float64 { return 7 },
	}
	held, n := 0, 0
	for range testsize.Cases(60, 6) {
		for _, law := range laws {
			q, err := extrapolate(grid(procs, sizes, func(p, s float64) float64 { return law(p, s) * (1 + 0.03*random.NormFloat64()) }), Point{16, 3200})
			if err != nil {
				t.Fatal(err)
			}
			n++
			if v := law(16, 3200); q.Lo <= v && v <= q.Hi {
				held++
			}
		}
	}
	if share := float64(held) / float64(n); share < 0.9 {
		t.Errorf("%d of %d intervals hold the truth", held, n)
	}
}

// What no run has below zero is not extrapolated to below zero.
func TestStaysAboveZero(t *testing.T) {
	q, err := extrapolate(grid([]float64{1}, sizes, func(_, s float64) float64 { return 900 - s }), Point{1, 6400})
	if err != nil || q.Value < 0 || q.Lo < 0 {
		t.Errorf("%+v, %v", q, err)
	}
}

func TestRefuses(t *testing.T) {
	for say, all := range map[string][]observation{
		"2 different runs are too few; analyze at least 4": grid([]float64{1, 2}, []float64{1}, func(_, _ float64) float64 { return 1 }),
		"3 different runs are too few; analyze at least 4": grid([]float64{1, 2, 4}, []float64{1}, func(p, _ float64) float64 { return p }),
		"is not a valid measurement":                       grid(procs, sizes, func(_, _ float64) float64 { return math.NaN() }),
		"size 0 is no":                                     grid(procs, []float64{0}, func(_, _ float64) float64 { return 1 }),
	} {
		t.Run(say, func(t *testing.T) {
			if _, err := extrapolate(all, Point{1, 1}); err == nil || !strings.Contains(err.Error(), say) {
				t.Errorf("got %v, want %q", err, say)
			}
		})
	}
}

// write leaves an analysis of a run.
func write(t *testing.T, program, procs string, values map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	for name, v := range values {
		b.WriteString("[" + name + "]\nvalue = " + v + "\nunit = \"1\"\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "locality.params.toml"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	comm := &store.Table{Name: "comm", Meta: []trace.Arg{{Key: "program", Value: program}, {Key: "procs", Value: procs}},
		Columns: []store.Column{{Name: "messages", Data: []uint64{2, 3}}, {Name: "bytes", Data: []uint64{100, 200}}}}
	if err := store.WriteTable(filepath.Join(dir, "comm.arrow"), comm); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t *testing.T, program, procs string, values map[string]string) *Run {
	t.Helper()
	r, err := Open(write(t, program, procs, values))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStudy(t *testing.T) {
	var runs []*Run
	for _, n := range []string{"64", "128", "256", "512"} {
		runs = append(runs, open(t, "fft points="+n+" line=64", "2", map[string]string{"alpha": "1.5", "refs": n + ".0", "fit_error": "0.1"}))
	}
	s, err := NewStudy(runs, "")
	if err != nil || s.Size != "points" {
		t.Fatal(err, s)
	}
	at := Point{2, 4096}
	all, err := s.Extrapolate(at)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, q := range all {
		got[q.Name] = q.Value
	}
	for name, want := range map[string]float64{"alpha": 1.5, "refs": 4096, "messages": 5, "message_bytes": 300, "message_size": 60} {
		t.Run(name, func(t *testing.T) {
			if math.Abs(got[name]-want) > 1e-9*want {
				t.Errorf("%v, want %v", got[name], want)
			}
		})
	}
	if p, size := s.reach(at); p != 1 || size != 8 {
		t.Errorf("reach %v, %v", p, size)
	}
	if _, there := got["fit_error"]; there || len(s.Warnings(all, at)) != 1 {
		t.Errorf("%v, %v", got, s.Warnings(all, at))
	}
	set, err := s.Params(all, at)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := set.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := param.Parse("again", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := again.Get("processors", "1"); err != nil || p.Value != 2 {
		t.Error(err, p)
	}
}

func TestStudyRefuses(t *testing.T) {
	one := map[string]string{"alpha": "1.5"}
	a := open(t, "fft points=64 line=64", "2", one)
	for say, pair := range map[string][]*Run{
		"extrapolate one program at a time": {a, open(t, "lu n=64", "2", one)},
		"differ in line, points; use runs":  {a, open(t, "fft points=128 line=32", "2", one)},
		`argument points is "many", not`:    {a, open(t, "fft points=many line=64", "2", one)},
	} {
		t.Run(say, func(t *testing.T) {
			if _, err := NewStudy(pair, ""); err == nil || !strings.Contains(err.Error(), say) {
				t.Errorf("got %v, want %q", err, say)
			}
		})
	}
	if _, err := NewStudy([]*Run{a, open(t, "fft points=64 line=32", "2", one)}, "points"); err == nil || !strings.Contains(err.Error(), "differ in line besides points") {
		t.Error(err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "run analyze with") {
		t.Error(err)
	}
}

// An extrapolation needs bounded time whatever it is given, and its interval holds its value.
func FuzzExtrapolate(f *testing.F) {
	f.Add(uint64(1), uint8(6))
	f.Fuzz(func(t *testing.T, seed uint64, n uint8) {
		random := rand.New(rand.NewPCG(seed, 1))
		var all []observation
		for range n % 20 {
			all = append(all, observation{Point{float64(1 + random.IntN(8)), float64(1 + random.IntN(4))}, math.Trunc(4*random.NormFloat64()) * math.Exp(20*random.NormFloat64())})
		}
		q, err := extrapolate(all, Point{16, 8})
		if err == nil && !(q.Lo <= q.Value && q.Value <= q.Hi) {
			t.Fatalf("%+v of %+v", q, all)
		}
	})
}
