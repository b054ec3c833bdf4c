package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"spoor/calibrate/internal/host"
	"spoor/calibrate/machine"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// hosts are of different makes.
var hosts = map[string]*synthetic{
	"three levels": {line: 64, latency: 90, bandwidth: 10, clock: 2.5, together: 10, room: 168, largest: 8 << 20,
		levels:  []level{{32 << 10, 8, 1.6, 40}, {256 << 10, 8, 5, 30}, {2 << 20, 16, 18, 20}},
		buffers: []level{{64, 64, 3, 0}, {1024, 8, 12, 0}}},
	"lines of 128 B": {line: 128, latency: 120, bandwidth: 12, clock: 3.2, together: 24, room: 512, largest: 8 << 20,
		levels:  []level{{128 << 10, 8, 1.25, 50}, {2 << 20, 16, 6, 30}},
		buffers: []level{{128, 128, 2, 0}}},
	"odd sizes": {line: 64, latency: 70, bandwidth: 15, clock: 4, together: 1, room: 64, largest: 8 << 20,
		levels:  []level{{48 << 10, 12, 1.25, 60}, {512 << 10, 8, 3.5, 50}, {1536 << 10, 12, 11, 30}},
		buffers: []level{{96, 96, 1.7, 0}}},
}

var noisy = noise{launch: 0.004, jitter: 0.003, outliers: 0.05, disturbed: 0.03, switching: 0.004, far: 1.25}

func fitted(t *testing.T, h *synthetic, n noise, seed uint64) (*store.Table, *Result, error) {
	t.Helper()
	table, err := Measure(context.Background(), h.begin(n, seed),
		Options{Launches: 5, Seed: seed, Rules: host.Strict, Budget: 1e9, Plan: Plan(h.largest, h.line, 4)}, func() {})
	if err != nil {
		return nil, nil, err
	}
	r, err := Fit(table, false)
	return table, r, err
}

// within reports whether a value is in an interval.
func within(v Value, truth float64) bool { return v.Lo <= truth && truth <= v.Hi }

// A step of sizes, and of a size between two.
var oneStep = math.Exp2(0.25) * 1.001

// Of 100 seeds, 95 or more find every size within a step and inside its interval, and every latency, bandwidth and
// the clock inside its interval.
func TestSyntheticHosts(t *testing.T) {
	for name, h := range hosts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seeds := uint64(100)
			if testing.Short() {
				seeds = 10
			}
			missed := map[string]int{}
			for seed := range seeds {
				_, r, err := fitted(t, h, noisy, seed)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				h.compare(r, func(what string) { missed[what]++ })
			}
			for what, n := range missed {
				if n > int(seeds)/20 {
					t.Errorf("%s: missed by %d of %d seeds", what, n, seeds)
				}
			}
		})
	}
}

// compare tells of what a result has wrong.
func (h *synthetic) compare(r *Result, wrong func(what string)) {
	if len(r.Levels) != len(h.levels)+1 || len(r.Buffers) != len(h.buffers) {
		wrong("number of levels")
		return
	}
	check := func(v Value, truth float64) {
		if !within(v, truth) {
			wrong(v.Name)
		}
	}
	far := 1.0
	if r.State == "s2" {
		far = noisy.far
	}
	for i, l := range h.levels {
		latency := l.latency * 1e-9
		if i > 1 {
			latency *= far
		}
		check(r.Levels[i].Latency, latency)
		check(r.Levels[i].Bandwidth, l.bandwidth*1e9)
		if off := r.Levels[i].Size.Value / float64(l.size); off > oneStep || off < 1/oneStep {
			wrong(r.Levels[i].Size.Name)
		}
	}
	check(r.memory().Latency, h.latency*1e-9*far)
	check(r.memory().Bandwidth, h.bandwidth*1e9)
	check(r.Clock, h.clock*1e9)
	check(r.CPI, 0.5)
	check(r.Line, float64(h.line))
	check(r.Outstanding, h.together)
	check(r.Window, h.room)
	for i, b := range h.buffers {
		if off := r.Buffers[i].Reach.Value / float64(b.size*page); off > oneStep || off < 1/oneStep {
			wrong(r.Buffers[i].Reach.Name)
		}
		check(r.Buffers[i].Penalty, b.latency*1e-9)
	}
}

// The files of a synthetic host are read by those who need them, and a table that was stored finds the same.
func TestFilesOfASyntheticHost(t *testing.T) {
	for name, h := range hosts {
		t.Run(name, func(t *testing.T) {
			table, r, err := fitted(t, h, noisy, 1)
			if err != nil {
				t.Fatal(err)
			}
			text, err := r.Machine("synthetic", "x.memory.arrow")
			if err != nil {
				t.Fatalf("%v", err)
			}
			m, err := machine.Parse(name, text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if m.Processor.Outstanding != int(h.together) {
				t.Errorf("%d misses under way, not %v", m.Processor.Outstanding, h.together)
			}
			caches := m.Caches
			if m.Shared != nil {
				caches = append(caches, *m.Shared)
			}
			for i, l := range h.levels {
				if caches[i].Size != l.size || caches[i].Ways != l.ways || caches[i].Line != h.line {
					t.Errorf("level %d is %+v, not %+v", i, caches[i], l)
				}
			}
			if _, disagreements := r.Found(); len(disagreements) > 0 {
				t.Errorf("%v", disagreements)
			}
			path := filepath.Join(t.TempDir(), "x.arrow")
			if err := store.WriteTable(path, table); err != nil {
				t.Fatal(err)
			}
			stored, err := store.ReadTable(path)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Fit(stored, false)
			if err != nil {
				t.Fatal(err)
			}
			a, errA := r.Params("s")
			b, errB := again.Params("s")
			var x, y strings.Builder
			if err := errors.Join(errA, errB, a.Write(&x), b.Write(&y)); err != nil {
				t.Fatal(err)
			}
			if x.String() != y.String() {
				t.Errorf("the stored table says\n%snot\n%s", y.String(), x.String())
			}
		})
	}
}

// What the kernel has wrong is named.
func TestDisagreements(t *testing.T) {
	_, r, err := fitted(t, hosts["three levels"], noisy, 3)
	if err != nil {
		t.Fatal(err)
	}
	r.Facts.Kernel[1].Size *= 2
	r.Facts.Kernel[2].Line = 128
	_, got := r.Found()
	want := []string{"a level of 268KiB", "lines of 64 B were measured; the kernel reports 128B in level 3", "level 2 of 512KiB, but times do not rise there"}
	all := strings.Join(got, "\n")
	for _, w := range want {
		t.Run(w, func(t *testing.T) {
			if !strings.Contains(all, w) {
				t.Errorf("%q is not among\n%s", w, all)
			}
		})
	}
	text, err := r.Machine("m", "x")
	if err != nil || !strings.Contains(string(text), "the nearest of 8 to 14 ways") {
		t.Errorf("%v\n%s", err, text)
	}
}

// Hosts on which nothing can be measured are refused with numbers.
func TestTooNoisy(t *testing.T) {
	h := hosts["three levels"]
	for name, n := range map[string]noise{
		"launches that do not agree": {launch: 0.3, jitter: 0.01},
		"samples that are disturbed": {disturbed: 1},
		"samples that do not agree":  {jitter: 30},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := fitted(t, h, n, 1)
			var noisy *host.TooNoisyError
			if !errors.As(err, &noisy) {
				t.Errorf("%v", err)
			} else {
				t.Log(err)
			}
		})
	}
	b := h.begin(noise{stolen: 0.4}, 1)
	if err := host.Check(b).Refuse(host.MaxStolen); err == nil || !strings.Contains(err.Error(), "40 % of 300ms was stolen") {
		t.Errorf("40 %% stolen: %v", err)
	}
}

// The same seed on the same host finds the same.
func TestDeterministic(t *testing.T) {
	_, a, errA := fitted(t, hosts["odd sizes"], noisy, 5)
	_, b, errB := fitted(t, hosts["odd sizes"], noisy, 5)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for i, v := range a.Values() {
		if w := b.Values()[i]; v.Value != w.Value || v.Lo != w.Lo {
			t.Errorf("%+v, then %+v", v, w)
		}
	}
}

// An interrupt ends a measurement between two points.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	steps := 0
	_, err := Measure(ctx, hosts["odd sizes"].begin(noisy, 1), Options{Launches: 3, Rules: host.Hasty, Budget: 1e9, Plan: Plan(1<<20, 64, 2)}, func() {
		if steps++; steps == 10 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || steps != 10 {
		t.Errorf("%v after %d steps", err, steps)
	}
}

// Tables that are no samples are refused.
func TestBadTables(t *testing.T) {
	for want, spoil := range map[string]func(*store.Table){
		"not of memory samples":        func(t *store.Table) { t.Name = "reuse" },
		"has no column kind":           func(t *store.Table) { t.Columns = t.Columns[1:] },
		"there are no samples":         func(t *store.Table) { *t = *table(&host.Sampler{}, nil, nil) },
		"takes 1e-200 s, which is not": func(t *store.Table) { t.Columns[len(t.Columns)-1].Data.([]float64)[0] = 1e-200 },
		"takes NaN s, which is not":    func(t *store.Table) { t.Columns[len(t.Columns)-1].Data.([]float64)[0] = math.NaN() },
		"processors: is missing":       func(t *store.Table) { t.Meta = nil },
		`fact memory: "much"`:          func(t *store.Table) { t.Meta[1].Value = "much" },
		"too few to find levels":       func(t *store.Table) { t.Columns[0].Data = make([]string, t.Rows()) },
	} {
		t.Run(want, func(t *testing.T) {
			again, err := Measure(context.Background(), hosts["odd sizes"].begin(noise{}, 1), Options{Launches: 1, Rules: host.Hasty, Budget: 1e9, Plan: Plan(8<<20, 64, 1)}, func() {})
			if err != nil {
				t.Fatal(err)
			}
			spoil(again)
			if _, err := Fit(again, true); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestLineOf(t *testing.T) {
	d := []float64{8, 16, 32, 64, 128, 256, 512}
	for want, times := range map[float64][]float64{
		64:  {4.2, 4.2, 4.3, 6.5, 6.6, 6.7, 6.6},
		128: {4, 4, 4, 4.1, 6.3, 6.2, 6.6},
		16:  {4, 6, 6, 6, 6, 6, 6},
		512: {4, 4, 4, 4, 4, 4, 6},
	} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got := lineOf(d, times); got != want {
				t.Errorf("%v: line %v, want %v", times, got, want)
			}
		})
	}
	if got := lineOf(d, []float64{4, 4.1, 4, 4.2, 4.1, 4, 4.2}); !math.IsNaN(got) {
		t.Errorf("a line of %v where there is none", got)
	}
}

// Cycles visit everything once.
func TestCycles(t *testing.T) {
	b := hosts["odd sizes"].begin(noisy, 1)
	for _, p := range Plan(1<<20, 64, 2) {
		for _, near := range []unit.Bytes{0, 32 * page} {
			loads := map[Kind]unit.Bytes{Chase: p.Region / max(1, p.Stride), Pair: 2 * p.Region / pairBlock, Pages: p.Region / page, Chains: p.Region / apart, Behind: p.Region / apart}
			want, is := loads[p.Kind]
			if !is {
				continue
			}
			seen := map[int64]bool{}
			for _, at := range p.Cycle(near, b.r) {
				if at < 0 || at+8 > int64(p.Region) || seen[at] {
					t.Fatalf("%v: offset %d", p, at)
				}
				seen[at] = true
			}
			if unit.Bytes(len(seen)) != want {
				t.Errorf("%v: %d offsets, want %d", p, len(seen), want)
			}
		}
	}
}

// The line is found before it is known how far apart loads must be.
func TestStride(t *testing.T) {
	for name, h := range hosts {
		t.Run(name, func(t *testing.T) {
			if got, err := Stride(h.begin(noisy, 1), 1); err != nil || got != h.line {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}
