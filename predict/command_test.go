package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/lookup"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// writeTables writes a prediction of two models and a simulation of two rows, of
// which the models know one, and returns their paths.
func writeTables(t *testing.T) (prediction, simulation string) {
	t.Helper()
	dir := t.TempDir()
	shared := func(processors []int32, e []float64) []store.Column {
		same := func(s string) []string {
			list := make([]string, len(e))
			for i := range list {
				list[i] = s
			}
			return list
		}
		return []store.Column{
			{Name: "program", Data: same("fft points=1024")}, {Name: "trace", Data: same("00")}, {Name: "machine", Data: same("smp")},
			{Name: "processors", Data: processors}, {Name: "e_instr", Unit: "ns", Data: e},
		}
	}
	none := []float64{0, 0}
	micros := func(e []float64) []float64 { return []float64{e[0] * 1e-6, e[1] * 1e-6} }
	p := &store.Table{Name: "prediction", Columns: append(shared([]int32{2, 2}, []float64{13, 9.8}),
		store.Column{Name: "ideal", Unit: "ns", Data: []float64{13, 9.8}}, store.Column{Name: "latency", Unit: "ns", Data: none},
		store.Column{Name: "contention", Unit: "ns", Data: none}, store.Column{Name: "sync", Unit: "ns", Data: none},
		store.Column{Name: "target", Data: []string{"smp", "smp"}},
		store.Column{Name: "parameters_lo", Unit: "ns", Data: []float64{math.NaN(), 9.7}}, store.Column{Name: "parameters_hi", Unit: "ns", Data: []float64{math.NaN(), 9.9}},
		store.Column{Name: "model", Data: []string{"paper", "mva"}}, store.Column{Name: "lo", Unit: "ns", Data: []float64{math.NaN(), 9}}, store.Column{Name: "hi", Unit: "ns", Data: []float64{math.NaN(), 11}},
		store.Column{Name: "limit", Data: []string{"", ""}}, store.Column{Name: "interval", Data: []string{"", ""}}, store.Column{Name: "warnings", Data: []string{"", ""}})}
	s := &store.Table{Name: "simulation", Columns: append(shared([]int32{2, 4}, []float64{10, 5}),
		store.Column{Name: "instructions", Data: []uint64{1000, 1000}}, store.Column{Name: "messages", Data: []uint64{0, 0}}, store.Column{Name: "miss_ratio", Data: none})}
	for name, data := range map[string][]float64{"time": micros([]float64{10, 5}), "ideal": micros([]float64{10, 5}), "memory_latency": none, "memory_contention": none, "sync": none,
		"overhead": none, "message_latency": none, "message_contention": none, "wait": none, "end": none} {
		s.Columns = append(s.Columns, store.Column{Name: name, Unit: "s", Data: data})
	}
	prediction, simulation = filepath.Join(dir, "a.arrow"), filepath.Join(dir, "b.arrow")
	for path, table := range map[string]*store.Table{prediction: p, simulation: s} {
		if err := store.WriteTable(path, table); err != nil {
			t.Fatal(err)
		}
	}
	return prediction, simulation
}

func TestComparePrintsRowsAndSummary(t *testing.T) {
	prediction, simulation := writeTables(t)
	status, out, errs := predict("compare", simulation, prediction)
	if status != stage.Done {
		t.Fatalf("status %d: %s", status, errs)
	}
	want := `program          machine  processors  simulated [ns]  paper [ns]  error [%]  mva [ns]  error [%]
fft points=1024  smp      2           10              13          +30.0      9.8       -2.0

model  mean error [%]  worst error [%]  within 5 %  worst row
paper  30.0            30.0             0 of 1      fft points=1024, 2 processors, smp
mva    2.0             2.0              1 of 1      fft points=1024, 2 processors, smp

model  target  rows  inside [%]  inside_parameters [%]
mva    smp     1     100         0
mva    all     1     100         0
all    all     1     100         0
`
	if trimmed(out) != trimmed(want) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	if !strings.Contains(errs, "note: fft points=1024, 4 processors, smp: simulated, not predicted") {
		t.Errorf("the row without partner is not named: %s", errs)
	}
	if !strings.Contains(errs, "note: 1 predictions have no interval") { // paper's
		t.Errorf("who has no interval is not counted: %s", errs)
	}
}

// trimmed drops blanks at the ends of lines and of the text.
func trimmed(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n "), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Join(lines, "\n")
}

func TestCompareFormats(t *testing.T) {
	prediction, simulation := writeTables(t)
	_, out, _ := predict("compare", "--format", "csv", prediction, simulation)
	if want := "program,machine,target,processors,model,simulated,predicted,lo,hi,parameters_lo,parameters_hi,error,beyond,inside\n" +
		"fft points=1024,smp,smp,2,paper,10,13,,,,,30,-23.076923076923073,\n" + "fft points=1024,smp,smp,2,mva,10,9.8,9,11,9.7,9.9,-1.9999999999999927,1.0101010101010166,1\n"; !strings.HasPrefix(out, want) {
		t.Errorf("csv: got\n%s", out)
	}
	_, out, _ = predict("compare", "--format", "json", prediction, simulation)
	var rows []struct {
		Model string
		Error float64
		Lo    *float64
	}
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 2 || rows[1].Model != "mva" || math.Abs(rows[1].Error+2) > 1e-9 || rows[0].Lo != nil || rows[1].Lo == nil {
		t.Errorf("json: %v, %+v", err, rows)
	}
	_, out, _ = predict("compare", "--intervals", "--format", "csv", prediction, simulation)
	if want := "model,target,rows,inside,inside_parameters\nmva,smp,1,100,0\nmva,all,1,100,0\n"; !strings.HasPrefix(out, want) {
		t.Errorf("intervals: got\n%s", out)
	}
	table := filepath.Join(t.TempDir(), "c.arrow")
	if status, _, errs := predict("compare", "-o", table, prediction, simulation); status != stage.Done {
		t.Fatal(errs)
	}
	if c, err := store.ReadTable(table); err != nil || c.Name != "comparison" || c.Rows() != 2 {
		t.Errorf("-o: %v, %+v", err, c)
	}
}

// Status 0 done, 1 failed, 2 wrong usage; a failed run leaves standard output
// empty and no file.
func TestCompareAndReportStatus(t *testing.T) {
	prediction, simulation := writeTables(t)
	dir := t.TempDir()
	missing, other, page := filepath.Join(dir, "missing.arrow"), filepath.Join(dir, "other.arrow"), filepath.Join(dir, "page.html")
	if err := store.WriteTable(other, &store.Table{Name: "reuse", Columns: []store.Column{{Name: "x", Data: []int32{1}}}}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args   []string
		status int
		say    string
	}{
		{[]string{"compare"}, stage.WrongUsage, "requires at least 1 arg"},
		{[]string{"compare", "--format", "xml", prediction}, stage.WrongUsage, "formats are table, csv and json"},
		{[]string{"compare", missing}, stage.Failed, "missing.arrow"},
		{[]string{"compare", other}, stage.Failed, "other.arrow: a reuse table holds neither predictions nor simulations"},
		{[]string{"compare", prediction}, stage.Failed, "it is one table; give two"},
		{[]string{"compare", prediction, simulation, simulation}, stage.Failed, "two simulations of fft points=1024, 2 processors, smp"},
		{[]string{"report", dir}, stage.WrongUsage, "-o FILE"},
		{[]string{"report", t.TempDir(), "-o", page}, stage.Failed, "no analysis, prediction or simulation"},
		{[]string{"report", prediction, simulation, "--commands", missing, "-o", page}, stage.Failed, "reading the commands"},
		{[]string{"report", prediction, simulation, "-o", filepath.Join(missing, "x.html")}, stage.Failed, "x.html: no such file"},
		{[]string{"report", prediction, simulation, "-o", page}, stage.Done, ""},
	} {
		t.Run(caseOf(row.args...), func(t *testing.T) {
			status, out, errs := predict(row.args...)
			if status != row.status || !strings.Contains(errs, row.say) || out != "" {
				t.Errorf("predict %v: status %d, want %d\nstdout %q\nstderr %q, want %q in it", row.args, status, row.status, out, errs, row.say)
			}
			if _, err := os.Stat(page); (err == nil) != (row.status == stage.Done) {
				t.Errorf("predict %v: the page is there: %v", row.args, err == nil)
			}
		})
	}
}

// TestCompareBaseline: simulations on abstractions beside those on the machine, and nothing to compare.
func TestCompareBaseline(t *testing.T) {
	prefix := writeTrace(t, "t", 2, nil)
	dir := t.TempDir()
	table := filepath.Join(dir, "s.arrow")
	if status, _, errs := predict("replay", prefix, writeMachine(t, "smp"), writeMachine(t, "smp-slow", "50 cycles", "90 cycles"), "-o", table); status != 0 {
		t.Fatal(errs)
	}
	status, out, errs := predict("compare", table, "--baseline", "smp")
	if status != 0 || !strings.Contains(out, "slow") || !strings.Contains(out, "of contention [ns]") {
		t.Errorf("status %d, %s, %s", status, out, errs)
	}
	if status, out, errs = predict("compare", table, "--baseline", "smp", "--format", "csv", "-o", filepath.Join(dir, "a.arrow")); status != 0 || strings.Count(out, "\n") != 2 {
		t.Errorf("status %d, %s, %s", status, out, errs)
	}
	if status, _, errs = predict("compare", table, "--baseline", "torus"); status != 1 || !strings.Contains(errs, "found no simulations of torus") {
		t.Errorf("status %d, %s", status, errs)
	}
	page := filepath.Join(dir, "p.html")
	if status, _, errs = predict("report", table, "--baseline", "smp", "-o", page); status != 0 {
		t.Errorf("status %d, %s", status, errs)
	}
}

// An empty name of a file is no file, and not the same as no flag, for whatever command.
func TestOutputsHaveNames(t *testing.T) {
	for _, args := range [][]string{
		{"replay", "no-trace", "no-machine.toml", "-o", ""},
		{"replay", "no-trace", "no-machine.toml", "--timeline="},
		{"cluster", "--params", "nowhere", "--machine", "nowhere.toml", "-o", ""},
		{"windtunnel", "--params", "nowhere", "--prices", sgi, "--output="},
		{"report", "nowhere", "-o", ""},
	} {
		t.Run(caseOf(args...), func(t *testing.T) {
			if status, out, errs := predict(args...); status != stage.WrongUsage || out != "" || !strings.Contains(errs, " is empty; give a FILE, or omit the flag") {
				t.Errorf("%q: status %d, %s%s", args, status, out, errs)
			}
		})
	}
}

// Unknown and empty names have the phrase of all stages, and a machine among the arguments is recognised.
func TestUnknownNames(t *testing.T) {
	t.Setenv(lookup.HomeVariable, "..")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"repaly", "lu"}, stage.WrongUsage, `predict: unknown command "repaly"; did you mean "replay"? ('predict --help' lists all)`},
		{[]string{"pigeon"}, stage.WrongUsage, `predict: unknown command "pigeon" ('predict --help' lists all)`},
		{[]string{"scaling", "extra"}, stage.WrongUsage, `unexpected argument "extra"; usage: predict scaling `},
		{[]string{"replay", "lu", "example-desktop"}, stage.WrongUsage, "no machine; write --machine example-desktop"},
		{[]string{"replay", "lu", "--machine", ""}, stage.WrongUsage, "a name is empty; give a path or a name, or omit the flag"},
		{[]string{"replay", "lu", "--machine", "smp,"}, stage.WrongUsage, "a name is empty; give a path or a name, or omit the flag"},
		{[]string{"upgrade", "--params", "x", "--budget", "$1", "--prices", "sgi1993", "--have", ""}, stage.WrongUsage, `for "--have" flag: a name is empty; give a path or a name`},
		{[]string{"windtunnel", "--params", "x", "--prices", ""}, stage.WrongUsage, `for "--prices" flag: a name is empty; give a path or a name`},
	} {
		t.Run(fmt.Sprint(c.args), func(t *testing.T) {
			status, out, errs := predict(c.args...)
			if status != c.status || out != "" || !strings.Contains(errs, c.want) {
				t.Errorf("predict %q: status %d, %q%q; want %d, %q", c.args, status, out, errs, c.status, c.want)
			}
		})
	}
}

// What cannot be written is said before anything else is looked at; what can be leaves nothing until it is.
func TestOutputsAreTriedFirst(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	for _, args := range [][]string{
		{"replay", "no-trace", "no-machine.toml", "-o", filepath.Join(missing, "x.arrow")},
		{"replay", "no-trace", "no-machine.toml", "--timeline", filepath.Join(missing, "x.json")},
		{"direct", "fft", "--machine", "no-machine.toml", "-o", filepath.Join(missing, "x.arrow")},
		{"cluster", "--params", "none", "--machine", "no-machine.toml", "-o", missing + "/"},
	} {
		t.Run(caseOf(args...), func(t *testing.T) {
			if status, out, stderr := predict(args...); status != stage.Failed || out != "" || !strings.Contains(stderr, missing) {
				t.Errorf("%q: status %d, printed %q, stderr %q", args, status, out, stderr)
			}
		})
	}
	if status, _, stderr := predict("replay", "no-trace", "no-machine.toml", "-o", filepath.Join(dir, "x.arrow")); status != stage.Failed || !strings.Contains(stderr, "no-machine.toml") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	prediction, simulation := writeTables(t)
	status, out, stderr := predict("report", prediction, simulation, "-o", "-")
	if status != stage.Done || !strings.HasPrefix(out, "<!DOCTYPE html>") || !strings.Contains(out, "</html>") {
		t.Errorf("a page to standard output: status %d, %d bytes, stderr %q", status, len(out), stderr)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
