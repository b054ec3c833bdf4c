package instructions

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/machine"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

const twoLevels = `name = "two"
[processor]
clock = "1 GHz"
cpi = 1
[[cache]]
size = "4 KiB"
line = "64 B"
ways = 1
latency = "0 ns"
[[cache]]
size = "64 KiB"
line = "64 B"
ways = 1
latency = "3 ns"
[memory]
size = "1 MiB"
latency = "50 ns"
[system]
target = "smp"
processors = 1
`

func two(t *testing.T) *machine.Machine {
	t.Helper()
	m, err := machine.Parse("two", []byte(twoLevels))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// By hand: 64 lines and 1024 lines. Of 2000 distinct lines, 10,000 uses miss the first and 4000 the second cache; of 500, all fit
// into the second; of 10, into both.
func TestMissTime(t *testing.T) {
	levels := LevelsOf(two(t))
	if fmt.Sprint(levels) != "[{64 3ns} {1024 50ns}]" {
		t.Fatalf("levels %v", levels)
	}
	for _, c := range []struct {
		first, second, distinct int64
		want                    float64
	}{{10000, 4000, 2000, 10000*3e-9 + 4000*50e-9}, {10000, 500, 500, 10000 * 3e-9}, {10, 10, 10, 0}} {
		t.Run(fmt.Sprint(c.second), func(t *testing.T) {
			counts := Counts{Misses: func(lines int64) int64 {
				switch {
				case lines <= 64:
					return c.first
				case lines <= 1024:
					return c.second
				}
				return c.distinct
			}}
			if got := float64(missTime(counts, levels)); math.Abs(got-c.want) > 1e-15 {
				t.Errorf("%+v: %g s", c, got)
			}
		})
	}
}

// known is a host on which t = start + c I + w M, with noise.
type known struct {
	w, noise float64
	r        *rand.Rand
}

func number(r Run) (n int64) {
	fmt.Sscanf(r.Arguments[0][strings.IndexByte(r.Arguments[0], '=')+1:], "%d", &n)
	return n
}

func perInstruction(kernel string) float64 { return 1e-11 * float64(1+len(kernel)) }

func (k *known) Count(_ context.Context, r Run, _ unit.Bytes) (Counts, error) {
	if r.Kernel == startup.Kernel {
		return Counts{1, 0, func(int64) int64 { return 0 }}, nil
	}
	n := number(r)
	return Counts{1000 * n, 100 * n, func(lines int64) int64 {
		distinct := n/8 + 1
		return distinct + int64(max(0, float64(n)*math.Log(float64(distinct)/float64(lines))))
	}}, nil
}

func (k *known) Native(ctx context.Context, r Run, runs int) (times []unit.Seconds, err error) {
	m, _ := machine.Parse("two", []byte(twoLevels))
	c, _ := k.Count(ctx, r, 64)
	t := 3e-6
	if r.Kernel != startup.Kernel {
		t += perInstruction(r.Kernel)*float64(c.Instructions) + k.w*float64(missTime(c, LevelsOf(m)))
	}
	for range runs {
		times = append(times, unit.Seconds(t*(1+k.noise*k.r.ExpFloat64())))
	}
	return times, nil
}

func measured(t *testing.T, k *known, seed uint64) *store.Table {
	t.Helper()
	table, err := Measure(context.Background(), k, Options{Launches: 5, Runs: 10, Seed: seed, Plan: Plan(false), Machine: two(t)}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// What is found of hosts that obey the law is their share, within the interval, and the time of instructions of kernels without
// misses; also from the file.
func TestKnownHosts(t *testing.T) {
	inside := 0
	hosts := testsize.Cases(50, 10)
	for seed := range uint64(hosts) {
		w := 0.02 + float64(seed)/float64(hosts)
		table := measured(t, &known{w, 0.02, rand.New(rand.NewPCG(seed, 1))}, seed)
		r, err := Fit(table, false)
		if err != nil {
			t.Fatal(err)
		}
		last := r.Values[len(r.Values)-1]
		if last.Name != "exposed" || math.Abs(last.Value-w) > 0.05*w+0.01 {
			t.Errorf("seed %d: %s is %g, not %g", seed, last.Name, last.Value, w)
		}
		// The least of ten times, each up to some percent too long, is 0.2 % too long: so is every time, and w with them.
		if biased := 1.002 * w; last.Lo <= biased && biased <= last.Hi {
			inside++
		}
		if seed > 0 {
			continue
		}
		path := filepath.Join(t.TempDir(), "runs.arrow")
		if err := store.WriteTable(path, table); err != nil {
			t.Fatal(err)
		}
		again, err := store.ReadTable(path)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := Fit(again, false); err != nil || fmt.Sprint(second.Values) != fmt.Sprint(r.Values) {
			t.Errorf("from the file: %v, %v", second, err)
		}
		if set, err := r.Params("runs.arrow"); err != nil || len(set.All()) != len(r.Values) {
			t.Errorf("%v, %v", set, err)
		}
	}
	if inside < hosts*9/10 {
		t.Errorf("%d of %d shares are in their intervals", inside, hosts)
	}
}

// Where nothing misses, times of instructions are those of the host.
func TestTimeOfInstructions(t *testing.T) {
	r, err := Fit(measured(t, &known{0, 1e-5, rand.New(rand.NewPCG(1, 1))}, 1), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range plan {
		for _, v := range r.Values {
			if want := perInstruction(k.kernel); v.Name == "instruction_"+k.kernel && (math.Abs(v.Value/want-1) > 1e-3 || v.Lo > v.Value || v.Hi < v.Value) {
				t.Errorf("%s is %g from %g to %g, not %g", v.Name, v.Value, v.Lo, v.Hi, want)
			}
		}
	}
}

// Launches that do not agree give nothing, but to those who want no more than a look.
func TestTooNoisy(t *testing.T) {
	table := measured(t, &known{0.5, 0.5, rand.New(rand.NewPCG(1, 1))}, 1)
	times, _ := store.Data[float64](table, "time")
	launches, _ := store.Data[int32](table, "launch")
	for i := range times {
		times[i] *= 1 + float64(launches[i]%2)
	}
	var noisy *fit.TooNoisyError
	if _, err := Fit(table, false); !errors.As(err, &noisy) {
		t.Errorf("got %v", err)
	}
	if _, err := Fit(table, true); err != nil {
		t.Errorf("a look: %v", err)
	}
}

// Tables that are no tables of runs, or have rows that no run has.
func TestBadTables(t *testing.T) {
	good := func() *store.Table {
		return &store.Table{Name: tableName, Meta: []trace.Arg{}, Columns: []store.Column{
			{Name: "kernel", Data: []string{"array", "a", "a"}}, {Name: "arguments", Data: []string{strings.Join(startup.Arguments, " "), "n=1", "n=2"}},
			{Name: "launch", Data: []int32{0, 0, 0}}, {Name: "rep", Data: []int32{0, 0, 0}}, {Name: "time", Unit: "s", Data: []float64{1, 2, 3}},
			{Name: "instructions", Data: []int64{1, 1, 2}}, {Name: "references", Data: []int64{1, 1, 2}}, {Name: "miss_time", Unit: "s", Data: []float64{0, 0, 1}},
		}}
	}
	if _, err := Fit(good(), true); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(s *store.Table){
		"not a table of":        func(s *store.Table) { s.Name = "samples" },
		"miss_time":             func(s *store.Table) { s.Columns = s.Columns[:7] },
		"row 2: time":           func(s *store.Table) { s.Columns[4].Data = []float64{1, math.NaN(), 3} },
		"row 2: time: 1e-200 s": func(s *store.Table) { s.Columns[4].Data = []float64{1, 1e-200, 3} },
		"row 3: time: 1e+09 s":  func(s *store.Table) { s.Columns[4].Data = []float64{1, 2, 1e9} },
		"row 3: instructions":   func(s *store.Table) { s.Columns[5].Data = []int64{1, 1, 0} },
		"row 1: miss_time":      func(s *store.Table) { s.Columns[7].Data = []float64{-1, 0, 0} },
		"row 1: launch":         func(s *store.Table) { s.Columns[2].Data = []int32{-1, 0, 0} },
		"that does nothing":     func(s *store.Table) { s.Columns[4].Data = []float64{2, 2, 3} },
		"there is no run": func(s *store.Table) {
			s.Columns = []store.Column{{Name: "kernel", Data: []string{}}, {Name: "arguments", Data: []string{}}, {Name: "launch", Data: []int32{}},
				{Name: "time", Data: []float64{}}, {Name: "instructions", Data: []int64{}}, {Name: "miss_time", Data: []float64{}}}
		},
	} {
		t.Run(want, func(t *testing.T) {
			s := good()
			spoil(s)
			if _, err := Fit(s, true); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v", err)
			}
		})
	}
}
