package windtunnel

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/predict/internal/accuracy"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// programText is what analyze --run quanta,footprint says of a program of 4 targets.
const programText = `
targets 4 processors
mu 75 cycles
sigma_intra 30 cycles
n_cxsw 3.2 processors
n_fp 3 processors
sigma_cxsw 0.25 1
sigma_fp 0.3 1
quantum 100 cycles
cpi 1 cycles
slowest 99 cycles
f_s_cache 4 blocks
f_avg_cache 5 blocks
f_max_cache 6 blocks
f_s_window_cache 2 blocks
f_avg_window_cache 7 blocks
f_max_window_cache 8 blocks
block_cache 64 B
window_cache 100 instructions
f_s_tlb 1 blocks
f_avg_tlb 2 blocks
f_max_tlb 3 blocks
f_s_window_tlb 1 blocks
f_avg_window_tlb 2 blocks
f_max_window_tlb 3 blocks
block_tlb 4096 B
window_tlb 100 instructions
`

// hostText is what a user says of a host.
const hostText = `
t_cxsw 60 cycles
n_win 1 1
t_win 40 cycles
t_fp 60 cycles
t_quantum_overhead 50 cycles
t_cache_miss 25 cycles
t_tlb_miss 40 cycles
cache_sets 16 1
cache_ways 1 1
tlb_sets 1 1
tlb_ways 4 1
cache_block 64 B
`

// document makes a parameter file of lines of name, value and unit.
func document(source, lines string) []byte {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		if f := strings.Fields(line); len(f) == 3 {
			v := f[1]
			if !strings.ContainsAny(v, ".e") {
				v += ".0"
			}
			fmt.Fprintf(&b, "[%s]\nvalue = %s\nunit = %q\nsource = %q\n", f[0], v, f[2], source)
		}
	}
	return []byte(b.String())
}

func newRun(t *testing.T, program, host string) (*Run, error) {
	t.Helper()
	a, err := param.Parse("prog.params.toml", document("prog.refs.arrow sha256:abc, a sample: of it", program))
	if err != nil {
		t.Fatal(err)
	}
	sets := []*param.Set{a}
	if host != "" {
		b, err := param.Parse("host.params.toml", document("", host))
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, b)
	}
	set, err := param.Merge(sets...)
	if err != nil {
		t.Fatal(err)
	}
	return New(set)
}

func TestNewTakesAll(t *testing.T) {
	r, err := newRun(t, programText, hostText)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Parameters
	if p.Targets != 4 || p.Mu != 75 || p.Sigma != 30 || p.Quantum != 100 || p.Active != 3.2 || p.Running != 3 || p.SigmaActive != 0.25 || p.SigmaRunning != 0.3 || p.Switch != 60 || p.Underflows != 1 || p.Underflow != 40 ||
		p.FloatingPt != 60 || p.Overhead != 50 || p.Cache.Miss != 25 || p.TLB.Miss != 40 || p.Cache.Shape.Sets != 16 || p.TLB.Shape.Ways != 4 ||
		p.Cache.Trace != (Footprints{4, 5, 6}) || p.Cache.Turn != (Footprints{2, 7, 8}) || p.TLB.Turn != (Footprints{1, 2, 3}) {
		t.Errorf("%+v", p)
	}
	if r.Program != "prog" || r.Trace != "abc" || r.Slowest != 99 || len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0].Error(), "is a sample (of it)") {
		t.Errorf("%+v", r)
	}
}

// replaced is the text with a line's value and unit replaced, or without the line.
func replaced(text, name, with string) string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, name+" ") {
			line = ""
			if with != "" {
				line = name + " " + with + "\n"
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}

func TestNewRefuses(t *testing.T) {
	for _, row := range []struct{ name, with, say string }{
		{"mu", "", "parameter mu is missing; run analyze with --run quanta"},
		{"targets", "", "run analyze with --run quanta"},
		{"sigma_intra", "", "on a trace of two or more processors"},
		{"f_avg_window_cache", "", "parameter f_avg_window_cache is missing; run analyze with --run footprint"},
		{"cache_ways", "", "write it into a parameter file of the host, such as data/machine/windtunnel/example.params.toml"},
		{"n_win", "", "write it into a parameter file of the host"},
		{"mu", "75 s", `parameter mu has the unit "s"; it must be "cycles"`},
		{"t_cxsw", "60 1", `parameter t_cxsw has the unit "1"; it must be "cycles"`},
		{"mu", "0 cycles", "mu = 0 cycles: it must be above 0"},
		{"sigma_intra", "-1 cycles", "sigma_intra = -1"},
		{"targets", "2.5 processors", "not a whole number"},
		{"targets", "1 processors", "needs at least two"},
		{"targets", "1e9 processors", "not a whole number"},
		{"n_cxsw", "5 processors", "n_cxsw = 5: it must be from 0 to the 4 targets"},
		{"sigma_cxsw", "1.5 1", "sigma_cxsw = 1.5"},
		{"sigma_fp", "0.5 cycles", "it must be \"1\""},
		{"t_tlb_miss", "1e12 cycles", "t_tlb_miss"},
		{"cache_sets", "0 1", "not a whole number"},
		{"f_max_tlb", "1 blocks", "the largest at least the average"},
		{"f_s_tlb", "-1 blocks", "must be 0 or more"},
	} {
		t.Run(fmt.Sprintf("%v %v", row.name, row.with), func(t *testing.T) {
			_, err := newRun(t, replaced(programText, row.name, row.with), replaced(hostText, row.name, row.with))
			if err == nil || !strings.Contains(err.Error(), row.say) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s %q: got %v, want %q", row.name, row.with, err, row.say)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	for _, row := range []struct{ name, with, say string }{
		{"t_cxsw", "", "count as 0 cycles: t_cxsw"},
		{"cache_block", "32 B", "for the cache have blocks of 64 B, but the host has 32 B"},
		{"window_tlb", "500 instructions", "for the tlb have windows of 500 instructions, but the quanta have 100 cycles"},
		{"window_tlb", "", "for the tlb do not name their window"},
		{"slowest", "130 cycles", "exceed the quantum"},
		{"quantum", "", "not limited to the quantum"},
	} {
		t.Run(row.say, func(t *testing.T) {
			r, err := newRun(t, replaced(programText, row.name, row.with), replaced(hostText, row.name, row.with))
			if err != nil {
				t.Errorf("%s: %v", row.name, err)
				return
			}
			if text := fmt.Sprint(r.Warnings); !strings.Contains(text, row.say) {
				t.Errorf("%s %q: %s, want %q", row.name, row.with, text, row.say)
			}
		})
	}
	r, err := newRun(t, programText, "")
	if err != nil || r.Parameters.Overhead+r.Parameters.Cache.Miss != 0 || !strings.Contains(fmt.Sprint(r.Warnings), "t_tlb_miss") {
		t.Errorf("without a host: %v, %+v", err, r)
	}
}

// quantaOf is a table of samples: times by quantum and target.
func quantaOf(targets int, times ...float64) *store.Table {
	t := &store.Table{Name: "quanta", Meta: []trace.Arg{{Key: "trace", Value: "abc"}, {Key: "program", Value: "prog x"}}}
	proc, active := make([]int32, len(times)), make([]int32, len(times))
	for i, x := range times {
		proc[i] = int32(i % targets)
		if x > 0 {
			active[i] = 1
		}
	}
	t.Columns = []store.Column{{Name: "proc", Data: proc}, {Name: "time", Unit: "cycles", Data: times}, {Name: "active", Data: active}}
	return t
}

// interferenceOf is a table of what was simulated: misses of each switch with 2 and with 4 targets.
func interferenceOf(two, four float64) *store.Table {
	t := &store.Table{Name: "interference", Meta: []trace.Arg{{Key: "trace", Value: "abc"}}}
	t.Columns = []store.Column{{Name: "block", Data: []int64{64, 64, 64, 4096, 4096}}, {Name: "sets", Data: []int64{16, 16, 16, 1, 1}}, {Name: "ways", Data: []int64{1, 1, 1, 4, 4}},
		{Name: "processes", Data: []int64{2, 4, 2, 2, 4}}, {Name: "source", Data: []string{"extra_misses", "extra_misses", "loss", "extra_misses", "extra_misses"}},
		{Name: "per_switch", Data: []float64{two, four, 77, two / 2, four / 2}}}
	return t
}

// directory is an analysis.
func directory(t *testing.T, tables ...*store.Table) string {
	t.Helper()
	dir := t.TempDir()
	quanta, footprints := "", ""
	for line := range strings.Lines(programText) {
		if strings.HasPrefix(line, "f_") || strings.HasPrefix(line, "block_") || strings.HasPrefix(line, "window_") {
			footprints += line
		} else {
			quanta += line
		}
	}
	for name, text := range map[string]string{"quanta": quanta, "footprint": footprints} {
		if err := os.WriteFile(filepath.Join(dir, name+".params.toml"), document("prog.refs.arrow sha256:abc", text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "host.params.toml"), document("", hostText), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if err := store.WriteTable(filepath.Join(dir, table.Name+".arrow"), table); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The critical path, worked by hand: two quanta of four targets.
func TestMeasured(t *testing.T) {
	dir := directory(t, quantaOf(4, 100, 100, 0, 50, 100, 0, 100, 0), interferenceOf(0.4, 1))
	r, err := Open([]string{dir, filepath.Join(dir, "host.params.toml")})
	if err != nil || r.Samples == nil || r.Samples.quanta() != 2 || r.Program != "prog x" {
		t.Fatalf("%v %+v", err, r)
	}
	m, err := OpenMeasured(r, dir)
	if err != nil {
		t.Fatal(err)
	}
	block, cyclic := Placements[0], Placements[1]
	for _, row := range []struct {
		p            Placement
		hosts        int
		alone, whole float64
	}{
		// Alone: 250 and 200; with 60+40 for each switch, 60 for each that runs, 25 (1) + 40 (0.5) for misses, 50 for the quantum.
		{block, 1, 225, (250+200+5*(100+60+45))/2.0 + 50},
		// {100+100, 50}, {100, 100}; misses 25 (0.4) + 40 (0.2) = 18
		{block, 2, 150, (200+100+3*(100+60+18))/2.0 + 50},
		// {100+0, 100+50}, {200, 0}
		{cyclic, 2, 175, (150+200+4*(100+60+18))/2.0 + 50},
		{block, 4, 100, (100+100+2*(100+60))/2.0 + 50},
	} {
		t.Run(fmt.Sprint(row.alone), func(t *testing.T) {
			for alone, want := range map[bool]float64{true: row.alone, false: row.whole} {
				if got, err := m.time(row.p, row.hosts, alone); err != nil || math.Abs(got-want) > 1e-9 {
					t.Errorf("%s on %d, alone %v: %v, want %v; %v", row.p.Name, row.hosts, alone, got, want, err)
				}
			}
		})
	}
	rows, err := m.Compare()
	if err != nil || len(rows) != 2*2*len(Models) {
		t.Fatalf("%v: %d rows", err, len(rows))
	}
	for _, e := range Summarize(rows) {
		if e.Rows != 2 {
			t.Errorf("%+v", e)
		}
	}
	if got := r.Samples.random(4, 1, cost{}); got != 100 {
		t.Errorf("a host for each at random: %v", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	good := directory(t, quantaOf(4, 1, 2, 3, 4), interferenceOf(1, 1))
	host := filepath.Join(good, "host.params.toml")
	other := quantaOf(4, 1, 2, 3, 4)
	other.Meta[0].Value = "def"
	disordered := quantaOf(4, 1, 2, 3, 4)
	disordered.Columns[0].Data = []int32{0, 2, 1, 3}
	for name, row := range map[string]struct {
		paths []string
		say   string
	}{
		"empty":      {[]string{t.TempDir()}, "run analyze with --run quanta,footprint -o"},
		"no file":    {[]string{"nowhere.params.toml"}, "nowhere.params.toml"},
		"other":      {[]string{directory(t, other)}, "is of trace def, but the parameters are of abc"},
		"part":       {[]string{directory(t, quantaOf(4, 1, 2, 3))}, "3 rows are not whole quanta of 4 targets"},
		"none":       {[]string{directory(t, quantaOf(4))}, "0 rows"},
		"disordered": {[]string{directory(t, disordered)}, "row 1 is of processor 2"},
		"negative":   {[]string{directory(t, quantaOf(4, 1, 2, 3, -4))}, "row 3: the time is -4 cycles"},
		"NaN":        {[]string{directory(t, quantaOf(4, 1, 2, 3, math.NaN()))}, "row 3: the time is NaN cycles"},
		"twice":      {[]string{good, good}, "two tables of one kind"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Open(row.paths); err == nil || !strings.Contains(err.Error(), row.say) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, row.say)
			}
		})
	}
	r, err := Open([]string{good, host})
	if err != nil {
		t.Fatal(err)
	}
	foreign := interferenceOf(1, 1)
	foreign.Columns[1].Data = []int64{8, 8, 8, 1, 1}
	for name, row := range map[string]struct{ dir, say string }{
		"nothing":     {t.TempDir(), "quanta.arrow"},
		"no table":    {directory(t, quantaOf(4, 1, 2, 3, 4)), "run analyze with --run footprint"},
		"other shape": {directory(t, quantaOf(4, 1, 2, 3, 4), foreign), "run analyze with --run footprint --footprint-cache 16x1"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := OpenMeasured(r, row.dir); err == nil || !strings.Contains(err.Error(), row.say) {
				t.Errorf("got %v, want %q", err, row.say)
			}
		})
	}
}

// sgiPrices are the list.
func sgiPrices(t *testing.T) *machine.Prices {
	t.Helper()
	p, err := machine.ReadPrices("../../../data/price/sgi1993.toml")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every model predicts every size; predictions hold their contract and are the same each time.
func TestPredict(t *testing.T) {
	dir := directory(t, quantaOf(4, 100, 100, 0, 50, 100, 0, 100, 0, 70, 60, 100, 90, 100, 100, 100, 0))
	r, err := Open([]string{dir, filepath.Join(dir, "host.params.toml")})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Models {
		if testing.Short() && m.kinds {
			continue // which takes longer
		}
		in, points := Case{Run: r, Model: m, Prices: sgiPrices(t), Targets: []int{4, 6, 32}}, 3+2+6
		if m.kinds { // which takes longer
			in.Targets, points = []int{4, 6}, 3+2
		}
		p, err := Predict(in)
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		again, err := Predict(in)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(p) {
			t.Errorf("%s: another prediction the second time; %v", m.Name, err)
		}
		if len(p.Points) != points {
			t.Errorf("%s: %d points", m.Name, len(p.Points))
		}
		if text := fmt.Sprint(p.Warnings); !strings.Contains(text, fmt.Sprintf("4 targets were measured and up to %d are predicted", in.Targets[len(in.Targets)-1])) || strings.Contains(text, "some times are negative") != m.printed {
			t.Errorf("%s: %s", m.Name, text)
		}
		for _, pt := range p.Points {
			if pt.Hosts > 1 && !m.printed && !(pt.Lo >= 0 && pt.Lo < pt.Speedup && pt.Speedup < pt.Hi) {
				t.Errorf("%s: %+v", m.Name, pt)
			}
		}
		if Table(p, nil).Rows() < len(p.Points) || SummaryTable(p, nil).Rows() != 8 || TermsTable(p, nil).Rows() != 21+2*2 {
			t.Errorf("%s: tables of %d, %d and %d rows", m.Name, Table(p, nil).Rows(), SummaryTable(p, nil).Rows(), TermsTable(p, nil).Rows())
		}
	}
	if (Prediction{}).Check() == nil {
		t.Error("the zero prediction is none")
	}
}

func TestPredictRefuses(t *testing.T) {
	r, err := newRun(t, programText, hostText)
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		targets, hosts []int
		say            string
	}{
		"no divisor": {nil, []int{3}, "3 hosts do not divide 4 targets"}, "too many": {nil, []int{8}, "8 hosts for 4 targets"}, "none": {nil, []int{0}, "0 hosts"},
		"one target": {[]int{1}, nil, "must be 2 to"}, "many targets": {[]int{1 << 20}, nil, "must be 2 to"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Predict(Case{Run: r, Model: Models[2], Prices: sgiPrices(t), Targets: row.targets, Hosts: row.hosts}); err == nil || !strings.Contains(err.Error(), row.say) {
				t.Errorf("got %v, want %q", err, row.say)
			}
		})
	}
	if _, err := Predict(Case{Run: r, Model: Models[2], Prices: &machine.Prices{Name: "x"}}); err == nil || !strings.Contains(err.Error(), "no section [windtunnel]") {
		t.Errorf("no prices: %v", err)
	}
}

// Without samples, each parameter is varied by its interval: here the one that all but decides.
func TestIntervalOfParameters(t *testing.T) {
	set, err := param.Parse("p", []byte(string(document("x", replaced(programText, "sigma_intra", "")))+"[sigma_intra]\nvalue = 30.0\nunit = \"cycles\"\nlo = 20.0\nhi = 42.0\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(set)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := Named("gamma")
	p, err := Predict(Case{Run: r, Model: m, Prices: sgiPrices(t), Hosts: []int{4}})
	if err != nil {
		t.Fatal(err)
	}
	speedup := func(sigma float64) float64 { return 4 * 75 / gammaMaximum(work{75, sigma, 100}, 1, 4) }
	within(t, "speedup", p.Points[0].Speedup, speedup(30), 1e-9)
	off := accuracy.WindTunnel().ModelMargin(accuracy.Kind{Model: "gamma", Target: accuracy.Quanta}, r.Program) // on other programs, besides
	within(t, "lo", p.Points[0].Lo, speedup(42)*(1-off.Below), 1e-9)
	within(t, "hi", p.Points[0].Hi, speedup(20)*(1+off.Above), 1e-9)
	if !strings.Contains(fmt.Sprint(p.Warnings), "the model's error is that on other programs") || !strings.Contains(p.Covers, "13 other programs") && !strings.Contains(p.Covers, "14 other programs") {
		t.Error(p.Warnings)
	}
}
