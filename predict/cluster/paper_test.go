package cluster

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/predict/internal/plainmachine"
	"spoor/traces/unit"
)

// Values of (3.16) that an independent program computed, in cycles at S = 1, tau_1 = 1
// and tau_2 = 50, without and with the barrier term.
func TestEquation316(t *testing.T) {
	for _, c := range []struct {
		n             int
		gamma, m1, m2 float64
		tau3          float64
		without, with float64
	}{
		{1, .3, .02, 1e-5, 2e3, 1.6060, 1.6060}, {1, .3, .10, 1e-4, 2e3, 2.8600, 2.8600},
		{1, .3, .02, 1e-6, 2e6, 2.2000, 2.2000}, {1, .4, .05, 1e-5, 2e6, 10.4000, 10.4000},
		{2, .3, .02, 1e-5, 2e3, 0.8376, 1.0876}, {2, .3, .10, 1e-4, 2e3, 1.8817, 2.1317},
		{2, .3, .02, 1e-6, 2e6, 1.2471, 1.4971}, {2, .4, .05, 1e-5, 2e6, 9.0056, 9.2556},
		{4, .3, .02, 1e-5, 2e3, 0.4726, 0.7434}, {4, .3, .10, 1e-4, 2e3, 1.5992, 1.8700},
		{4, .3, .02, 1e-6, 2e6, 0.8610, 1.1319}, {4, .4, .05, 1e-5, 2e6, 8.8657, 9.1365},
		{8, .3, .02, 1e-5, 2e3, 0.3424, 0.5571}, {8, .3, .10, 1e-4, 2e3, 1.5492, 1.7639},
		{8, .3, .02, 1e-6, 2e6, 0.8168, 1.0315}, {8, .4, .05, 1e-5, 2e6, 8.9250, 9.1397},
	} {
		t.Run(fmt.Sprint(c.without), func(t *testing.T) {
			s := smp{costs: costs{instr: 1, touch: 1, memory: 50}, disk: c.tau3, n: c.n, gamma: c.gamma, memory: c.m1, paging: c.m2}
			out := s.solve(response)
			if got := out.eInstr(c.n); math.Abs(got-c.with) > 5.1e-5 {
				t.Errorf("%+v: got %v with the barrier term", c, got)
			}
			if got := out.eInstr(c.n) - out.sync/float64(c.n); math.Abs(got-c.without) > 5.1e-5 {
				t.Errorf("%+v: got %v without", c, got)
			}
			for _, s.printed = range []bool{false, true} {
				out = s.solve(response)
				if got, want := out.eInstr(c.n), termByTerm(&s); !near(got, want, 1e-9) {
					t.Errorf("%+v, as printed %v: got %v, term by term %v", c, s.printed, got, want)
				}
			}
		})
	}
}

// termByTerm is (3.4) with (3.16), as printed or with gamma in its rates and prefactor.
func termByTerm(s *smp) float64 {
	n, perSecond := float64(s.n), 1/s.instr
	gamma := s.gamma
	if s.printed {
		gamma = 1
	}
	l2, l3 := gamma*perSecond*s.memory, gamma*perSecond*s.paging
	bracket := n*l2*s.costs.memory/utilization(s.n, l2*s.costs.memory) - 2
	bracket += n * l3 * s.disk / utilization(s.n, l3*s.disk)
	for k := 2; k <= s.n; k++ {
		bracket += 1 / float64(k)
	}
	tmem := s.touch + bracket/(gamma*perSecond)
	return (1/perSecond + s.gamma*tmem) / n
}

func smpMachine(t testing.TB, changes ...string) *machine.Machine {
	t.Helper()
	return plainmachine.New(t, append([]string{`"m"`, `"test"`, "1 GHz", "200 MHz", "16 KiB", "256 KiB", `"10 cycles"`, `"50 cycles"`,
		"processors = 4", "processors = 8"}, changes...)...)
}

func paramsOf(t testing.TB, values map[string]float64) *param.Set {
	t.Helper()
	units := map[string]string{"beta": "lines", "line": "B", "footprint": "lines"}
	s := &param.Set{}
	for _, name := range []string{"alpha", "beta", "gamma", "line", "processors", "instructions", "references", "footprint", "passes_messages"} {
		v, ok := values[name]
		if !ok {
			continue
		}
		u := units[name]
		if u == "" {
			u = "1"
		}
		if err := s.Add(param.Param{Name: name, Value: v, Unit: u, Lo: v, Hi: v}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func lawRun(t testing.TB, n int, alpha, beta, gamma float64) *Run {
	return &Run{Name: "run", Program: "p", Processors: n,
		Params: paramsOf(t, map[string]float64{"alpha": alpha, "beta": beta, "gamma": gamma, "line": 64})}
}

// On one processor the model is a closed form: cpi + gamma (tau_1 + tau_2 P_2), here with
// P_2 = (4096/90 + 1)^-0.3.
func TestPaperOnOneProcessor(t *testing.T) {
	p, err := Paper{}.Predict(&Case{Runs: []*Run{lawRun(t, 1, 1.3, 90, 0.31)}, Machine: smpMachine(t), Processors: 1})
	if err != nil {
		t.Fatal(err)
	}
	miss := math.Pow(4096.0/90+1, -0.3)
	want := 5e-9 * (1 + 0.31*(1+50*miss))
	if !near(float64(p.EInstr), want, 1e-12) || p.Split.Contention != 0 || p.Split.Sync != 0 {
		t.Errorf("got %v, want %v: %+v", p.EInstr, want, p.Split)
	}
	if !near(float64(p.Split.Latency), 5e-9*0.31*50*miss, 1e-12) {
		t.Errorf("latency %v", p.Split.Latency)
	}
}

// P_n(x) = P_1(n x): a run of 4 processors on 4 is a run of 1 on 1 as far as misses go, and 4 from
// 1 are misses of a cache four times as large.
func TestPaperScalesDistances(t *testing.T) {
	miss := func(measured, n int) float64 {
		p, err := Paper{}.Predict(&Case{Runs: []*Run{lawRun(t, measured, 1.3, 90, 0.31)}, Machine: smpMachine(t), Processors: n})
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range p.Terms {
			if term.Symbol == "P_2" {
				return term.Value
			}
		}
		t.Fatal("no P_2")
		return 0
	}
	if miss(4, 4) != miss(1, 1) || !near(miss(1, 4), math.Pow(4*4096.0/90+1, -0.3), 1e-12) {
		t.Errorf("P_2 %v %v %v", miss(4, 4), miss(1, 1), miss(1, 4))
	}
}

func TestPaperWithADisk(t *testing.T) {
	run := lawRun(t, 1, 1.3, 90, 0.31)
	disk := smpMachine(t, "[system]", "[disk]\nlatency = \"1 ms\"\n[system]")
	p, err := Paper{}.Predict(&Case{Runs: []*Run{run}, Machine: disk, Processors: 1})
	if err != nil {
		t.Fatal(err)
	}
	none, err := Paper{}.Predict(&Case{Runs: []*Run{run}, Machine: smpMachine(t), Processors: 1})
	if err != nil {
		t.Fatal(err)
	}
	paging := 0.31 * 1e-3 * math.Pow(float64(1<<20)/90+1, -0.3)
	if got := float64(p.EInstr - none.EInstr); !near(got, paging, 1e-9) || p.Limit != "disk" {
		t.Errorf("the disk adds %v, want %v; limit %s", got, paging, p.Limit)
	}
}

func TestPaperIntervalIsTheBoxOfItsParameters(t *testing.T) {
	run := lawRun(t, 1, 1.3, 90, 0.31)
	run.Params = &param.Set{}
	for _, p := range []param.Param{{Name: "alpha", Value: 1.3, Unit: "1", Lo: 1.2, Hi: 1.4}, {Name: "beta", Value: 90, Unit: "lines", Lo: 80, Hi: 100},
		{Name: "gamma", Value: 0.31, Unit: "1", Lo: 0.3, Hi: 0.32}, {Name: "line", Value: 64, Unit: "B", Lo: 64, Hi: 64}} {
		if err := run.Params.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{1, 4} {
		p, err := Paper{}.Predict(&Case{Runs: []*Run{run}, Machine: smpMachine(t), Processors: n})
		if err != nil {
			t.Fatal(err)
		}
		l, _ := run.locality(Paper{})
		for _, alpha := range []float64{1.2, 1.25, 1.4} {
			for _, beta := range []float64{80, 93, 100} {
				for _, gamma := range []float64{0.3, 0.32} {
					s := l.smp(&Case{Runs: []*Run{run}, Machine: smpMachine(t), Processors: n}, run, remoteAccess{}, alpha, beta, gamma).solve(response)
					if e := unit.Seconds(s.eInstr(n)); e < p.Interval.Lo*(1-1e-12) || e > p.Interval.Hi*(1+1e-12) {
						t.Errorf("n=%d: %v at (%v, %v, %v) is outside %+v", n, e, alpha, beta, gamma, p.Interval)
					}
				}
			}
		}
	}
}

func TestPaperRefuses(t *testing.T) {
	good := lawRun(t, 1, 1.3, 90, 0.31)
	for want, c := range map[string]*Case{
		"no analyzed run":                         {Runs: nil, Machine: smpMachine(t), Processors: 1},
		"cannot use 9 processors of machine test": {Runs: []*Run{good}, Machine: smpMachine(t), Processors: 9},
		"cannot use 0 processors of machine test": {Runs: []*Run{good}, Machine: smpMachine(t), Processors: 0},
		"these models predict smp, cow and clump": {Runs: []*Run{good}, Machine: smpMachine(t, `"smp"`, `"ccnuma"`), Processors: 1},
		"alpha is 1, but the power law needs":     {Runs: []*Run{lawRun(t, 1, 1, 90, 0.31)}, Machine: smpMachine(t), Processors: 1},
		"beta is 0, but the power law needs":      {Runs: []*Run{lawRun(t, 1, 1.3, 0, 0.31)}, Machine: smpMachine(t), Processors: 1},
		"parameter gamma is -1, below 0":          {Runs: []*Run{lawRun(t, 1, 1.3, 90, -1)}, Machine: smpMachine(t), Processors: 1},
		"parameter alpha is missing":              {Runs: []*Run{{Name: "run", Program: "p", Processors: 1, Params: paramsOf(t, map[string]float64{"beta": 1})}}, Machine: smpMachine(t), Processors: 1},
	} {
		t.Run(want, func(t *testing.T) {
			if p, err := (Paper{}).Predict(c); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %+v, %v, want an error with %q", p, err, want)
			}
		})
	}
}

// More memory latency is never faster, more cache never slower, and one processor never waits.
func TestPaperLaws(t *testing.T) {
	for n := 1; n <= 8; n++ {
		before := unit.Seconds(0)
		for _, latency := range []int{1, 10, 50, 100, 1000} {
			m := smpMachine(t, `latency = "50 cycles"`, fmt.Sprintf(`latency = "%d cycles"`, latency))
			p, err := Paper{}.Predict(&Case{Runs: []*Run{lawRun(t, 1, 1.2, 100, 0.4)}, Machine: m, Processors: n})
			if err != nil {
				t.Fatal(err)
			}
			if p.EInstr < before {
				t.Errorf("n=%d: %d cycles of latency are faster: %v < %v", n, latency, p.EInstr, before)
			}
			before = p.EInstr
			if n == 1 && p.Split.Contention != 0 {
				t.Errorf("one processor waits %v", p.Split.Contention)
			}
		}
		slower := unit.Seconds(math.Inf(1))
		for _, size := range []string{"64 KiB", "256 KiB", "4 MiB"} {
			p, err := Paper{}.Predict(&Case{Runs: []*Run{lawRun(t, 1, 1.2, 100, 0.4)}, Machine: smpMachine(t, `"256 KiB"`, `"`+size+`"`), Processors: n})
			if err != nil || p.EInstr > slower {
				t.Errorf("n=%d: a cache of %s gives %v after %v: %v", n, size, p.EInstr, slower, err)
			}
			slower = p.EInstr
		}
	}
}
