package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/locality"
	"spoor/analyze/phases"
	"spoor/analyze/reuse"
	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

const hash = "0123456789abcdef"

// analyzed leaves in a directory what analyze leaves of a small trace of two processors.
func analyzed(t *testing.T, change func(facts []trace.Arg) []trace.Arg) string {
	t.Helper()
	facts := []trace.Arg{{Key: "program", Value: "pattern"}, {Key: "procs", Value: "2"}, {Key: "trace", Value: hash}}
	lines := []unit.Bytes{64}
	r := &reuse.Analysis{Lines: lines, Meta: facts}
	l := &locality.Analysis{Reuse: r, Line: 64, Source: "pattern.refs.arrow sha256:" + hash + ", a sample: of it", Tool: "test", Meta: facts}
	if change != nil {
		facts = change(facts)
	}
	p := &phases.Analysis{Lines: lines, Sets: []int64{2048}, Meta: facts}
	results, err := analysis.Run(context.Background(), record(2, 3000, scatter(5, 10_000, 0.3), contended(5, 500, 0.3)), analysis.Options{}, r, l, p)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, result := range results {
		for _, table := range result.Tables {
			if err := store.WriteTable(filepath.Join(dir, table.Name+".arrow"), table); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range result.Files {
			if err := store.WriteFileAtomic(filepath.Join(dir, f.Name), f.Fill); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// What analyze writes is enough for all models, by directory and by file.
// withReferences are the models of runs whose references were analyzed.
var withReferences = []model.Model[*Case]{Paper{}, Curve{}, MVA{}}

func TestOpen(t *testing.T) {
	dir := analyzed(t, nil)
	for _, path := range []string{dir, filepath.Join(dir, paramsFile)} {
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if r.Program != "pattern" || r.Trace != hash || r.Processors != 2 || r.reuseTable == nil || r.phasesTable == nil {
			t.Errorf("%s: %+v", path, r)
		}
		for _, m := range withReferences {
			p, err := m.Predict(&Case{Runs: []*Run{r}, Machine: smpMachine(t), Processors: 2})
			if err != nil {
				t.Errorf("%s: %v", m.Name(), err)
				continue
			}
			if p.Model != m.Name() || p.Program != "pattern" || p.Trace != hash || p.Machine != "test" || p.Processors != 2 || m.Paper() != "du2000" {
				t.Errorf("%s: %+v", m.Name(), p)
			}
		}
	}
}

func TestOpenWithoutTables(t *testing.T) {
	dir := analyzed(t, nil)
	for _, name := range []string{reuseFile, phasesFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(dir)
	if err != nil || r.Processors != 2 || r.Program != "pattern" || r.Trace != hash {
		t.Fatalf("%+v, %v", r, err)
	}
	c := &Case{Runs: []*Run{r}, Machine: smpMachine(t), Processors: 2}
	if _, err := (Paper{}).Predict(c); err != nil {
		t.Error(err)
	}
	for _, m := range withReferences[1:] {
		if _, err := m.Predict(c); err == nil || !strings.Contains(err.Error(), "run analyze with --run") {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	with := func(key, value string) func([]trace.Arg) []trace.Arg {
		return func(facts []trace.Arg) []trace.Arg {
			var out []trace.Arg
			for _, f := range facts {
				if f.Key == key {
					f.Value = value
				}
				out = append(out, f)
			}
			return append(out, trace.Arg{Key: "extra " + key, Value: value})
		}
	}
	for want, dir := range map[string]string{
		"phases.arrow is of trace ffff, but the parameters are of": analyzed(t, with("trace", "ffff")),
		"has no number of processors: \"two\"":                     analyzed(t, with("procs", "two")),
		"different numbers of processors, 2 and 3":                 analyzed(t, with("procs", "3")),
		"phases.arrow has only processors 0 of the trace": analyzed(t, func(f []trace.Arg) []trace.Arg {
			return append(f[:len(f):len(f)], trace.Arg{Key: "selected", Value: "0"})
		}),
		"no such file": filepath.Join(t.TempDir(), "nothing"),
		"document is empty": func() string {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, paramsFile), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			return dir
		}(),
		"not a table": func() string {
			dir := analyzed(t, nil)
			if err := os.WriteFile(filepath.Join(dir, reuseFile), []byte("not a table"), 0o666); err != nil {
				t.Fatal(err)
			}
			return dir
		}(),
	} {
		t.Run(want, func(t *testing.T) {
			if want == "not a table" {
				want = reuseFile
			}
			if r, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %+v, %v, want an error with %q", r, err, want)
			}
		})
	}
}

// What is missing for caches that were not measured is said.
func TestCachesThatWereNotMeasured(t *testing.T) {
	r, err := Open(analyzed(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	const inner = "[[cache]]\nsize = \"8 KiB\"\nline = \"64 B\"\nways = 2\nlatency = \"1 cycle\"\n[[cache]]"
	for want, m := range map[string]*machine.Machine{
		"no caches of 4096 sets; it has 2048; run analyze with --sets 4096":       smpMachine(t, `"256 KiB"`, `"512 KiB"`),
		"no caches of 64,4096 sets; it has 2048; run analyze with --sets 64,4096": smpMachine(t, `"256 KiB"`, `"512 KiB"`, "[[cache]]", inner),
		"no caches of 256 sets; it has 2048; run analyze with --sets 256":         smpMachine(t, "ways = 2", "ways = 32"), // 128 sets of 32 ways as 256 of 16
	} {
		t.Run(want, func(t *testing.T) {
			_, err = MVA{}.Predict(&Case{Runs: []*Run{r}, Machine: m, Processors: 2})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// Two levels: the second costs its latency for each miss of the first.
func TestTwoLevels(t *testing.T) {
	m := smpMachine(t, "[[cache]]", "[[cache]]\nsize = \"8 KiB\"\nline = \"64 B\"\nways = 2\nlatency = \"1 cycle\"\n[[cache]]", "latency = \"1 cycle\"\n[memory]", "latency = \"7 cycles\"\n[memory]")
	src := record(2, 3000, scatter(5, 10_000, 0.3))
	one := measured(t, src, m)
	results, err := analysis.Run(context.Background(), src, analysis.Options{},
		&phases.Analysis{Lines: []unit.Bytes{64}, Sets: []int64{64, 2048}})
	if err != nil {
		t.Fatal(err)
	}
	one.phasesTable = results[0].Tables[0]
	work, err := one.phaseWork(func(int) *machine.Machine { return m })
	if err != nil {
		t.Fatal(err)
	}
	inner := 0.0
	for _, phase := range work {
		for _, windows := range phase {
			for _, w := range windows {
				if len(w.Inner) != 1 || w.Inner[0] < w.Misses {
					t.Fatalf("%+v", w)
				}
				inner += w.Inner[0]
			}
		}
	}
	flat := smpMachine(t)
	with, err1 := MVA{}.Predict(&Case{Runs: []*Run{one}, Machine: m, Processors: 2})
	without, err2 := MVA{}.Predict(&Case{Runs: []*Run{one}, Machine: flat, Processors: 2})
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	want := inner * 7 * 5e-9 / 2 / instructions(work)
	if got := float64(with.Split.Ideal - without.Split.Ideal); !near(got, want, 1e-6) {
		t.Errorf("the second level adds %v, want %v", got, want)
	}
}

// What a purchase study repeats for every machine.
func BenchmarkMVA(b *testing.B) {
	m := smpMachine(b)
	for _, n := range []int{1, 4, 8} {
		src := record(n, 100_000, scatter(5, 10_000, 0.3))
		c := &Case{Runs: []*Run{measured(b, src, m)}, Machine: m, Processors: n}
		b.Run(fmt.Sprintf("%dprocessors", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := (MVA{}).Predict(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
