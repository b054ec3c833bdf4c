package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// writeAnalysis leaves what the models read of a run of procs processors that
// uses 1000 lines, 100 of them for the first time.
func writeAnalysis(t *testing.T, procs string, tables bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run"+procs)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, p := range [][3]string{{"alpha", "1.3", "1"}, {"beta", "90.0", "lines"}, {"gamma", "0.3", "1"}, {"line", "64.0", "B"},
		{"processors", procs + ".0", "1"}, {"instructions", "1000.0", "1"}, {"passes_messages", "0.0", "1"}} {
		text.WriteString("[" + p[0] + "]\nvalue = " + p[1] + "\nunit = \"" + p[2] + "\"\nsource = \"prog.refs.arrow sha256:" + procs + "\"\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "locality.params.toml"), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if !tables {
		return dir
	}
	reuse := &store.Table{Name: "reuse", Meta: []trace.Arg{{Key: "program", Value: "prog"}, {Key: "procs", Value: procs}, {Key: "trace", Value: procs}},
		Columns: []store.Column{{Name: "proc", Data: []int32{0, 0}}, {Name: "line", Data: []int64{64, 64}},
			{Name: "distance", Data: []int64{-1, 1}}, {Name: "count", Data: []uint64{100, 900}}}}
	if err := store.WriteTable(filepath.Join(dir, "reuse.arrow"), reuse); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestClusterPrintsPredictions(t *testing.T) {
	smp := writeMachine(t, "m1")
	dir := writeAnalysis(t, "1", true)
	status, out, errs := predict("cluster", "--params", dir, "--machine", smp, "--format", "json")
	if status != stage.Done || strings.Count(withoutUnused(errs), "\n") != 2 || !strings.Contains(errs, "run analyze --run=reuse,locality,phases --line=64B --sets=128 -o "+dir+" TRACE") || !strings.Contains(errs, "no prediction by mva: "+dir+" has no phases.arrow; run analyze with --run phases") {
		t.Fatalf("status %d: %s", status, errs)
	}
	var rows []struct {
		Program, Trace, Machine, Model, Limit, Warnings string
		Processors                                      int
		Lo, Hi                                          *float64
		ParametersLo                                    *float64 `json:"parameters_lo"`
		ModelBelow                                      float64  `json:"model_below"`
		E                                               float64  `json:"e_instr"`
		Ideal, Latency, Contention, Sync                float64
	}
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	for i, want := range []string{"paper", "curve"} {
		r := rows[i]
		if r.Model != want || r.Program != "prog" || r.Trace != "1" || r.Machine != "m1" || r.Processors != 1 || r.Limit == "" {
			t.Errorf("%+v", r)
		}
		if sum := r.Ideal + r.Latency + r.Contention + r.Sync; sum < r.E*(1-1e-9) || sum > r.E*(1+1e-9) {
			t.Errorf("%s: the parts add up to %v of %v", want, sum, r.E)
		}
	}
	// cpi 1 at 1 GHz, 0.3 references of 1 cycle, of which 1 in 10 is cold and costs 50.
	if got := rows[1].E; got < 2.8-1e-6 || got > 2.8+1e-6 {
		t.Errorf("curve: %v ns, want 1 + 0.3 (1 + 5) = 2.8", got)
	}
	if rows[0].ParametersLo != nil || rows[1].ParametersLo == nil {
		t.Errorf("an interval where there is none, or none where there is one: %+v", rows)
	}
	for _, r := range rows { // the model's error alone, where nothing was varied
		if lo := r.E * (1 - r.ModelBelow/100); r.ModelBelow <= 0 || r.ParametersLo == nil && (*r.Lo < lo*(1-1e-9) || *r.Lo > lo*(1+1e-9)) || *r.Hi < r.E {
			t.Errorf("%s: from %v to %v, with a model's error of %v %% below", r.Model, *r.Lo, *r.Hi, r.ModelBelow)
		}
	}
}

func TestClusterForPeople(t *testing.T) {
	smp, dir := writeMachine(t, "m1"), writeAnalysis(t, "1", true)
	_, out, _ := predict("cluster", "--params", dir, "--machine", smp, "--processors", "1,2")
	for _, want := range []string{"e_instr [ns]", "warning: the barrier term is per instruction", "interval: fully associative to binomial"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		})
	}
	_, terms, _ := predict("cluster", "--params", dir, "--machine", smp, "--model", "paper", "--terms", "--format", "csv")
	if !strings.HasPrefix(terms, "program,machine,processors,model,term,value,unit,meaning\nprog,m1,1,paper,alpha,1.3,1,") {
		t.Errorf("got\n%s", terms)
	}
	if _, text, _ := predict("cluster", "--params", dir, "--machine", smp, "--processors", "2", "--terms"); !strings.Contains(text, "warning: the barrier term is per instruction") {
		t.Errorf("terms without warnings\n%s", text)
	}
	// 2.8 ns at 1 GHz; of 1000 instructions 60/2.8e-6 a minute.
	_, terms, _ = predict("cluster", "--params", dir, "--machine", smp, "--model", "curve", "--terms", "--transaction", "1000", "--format", "csv")
	if !strings.Contains(terms, "curve,CPI,2.8,cycles") || !strings.Contains(terms, "curve,tpm,2.14285714285714") {
		t.Errorf("got\n%s", terms)
	}
}

func TestClusterWritesATable(t *testing.T) {
	smp, dir := writeMachine(t, "m1"), writeAnalysis(t, "1", true)
	file := filepath.Join(t.TempDir(), "p.arrow")
	first := filepath.Join(t.TempDir(), "q.arrow")
	for _, f := range []string{file, first} {
		if status, _, errs := predict("cluster", "--params", dir, smp, "-o", f); status != stage.Done {
			t.Fatal(errs)
		}
	}
	table, err := store.ReadTable(file)
	if err != nil || table.Name != "prediction" || table.Rows() != 2 {
		t.Errorf("%v, %+v", err, table)
	}
	a, _ := os.ReadFile(file)
	b, _ := os.ReadFile(first)
	if len(a) == 0 || string(a) != string(b) {
		t.Error("the same input gave different bytes")
	}
}

// What nobody asked for and cannot be had is noted; what was asked for is an error.
func TestClusterModelsNeedTheirMeasurements(t *testing.T) {
	smp, bare := writeMachine(t, "m1"), writeAnalysis(t, "1", false)
	status, out, errs := predict("cluster", "--params", bare, "--machine", smp, writeMachine(t, "m2"), "--format", "csv")
	if status != stage.Done || strings.Count(out, "\n") != 3 || strings.Count(errs, "no prediction by curve: "+bare+" has no reuse.arrow") != 1 {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if status, out, errs := predict("cluster", "--params", bare, "--machine", smp, "--model", "curve"); status != stage.Failed || out != "" || !strings.Contains(errs, "has no reuse.arrow") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}

// Status 0 done, 1 failed, 2 wrong usage; a failed run leaves standard output empty and no file.
func TestClusterStatus(t *testing.T) {
	smp, one, two := writeMachine(t, "m1"), writeAnalysis(t, "1", true), writeAnalysis(t, "2", false)
	nan := writeMachine(t, "m2", "cpi = 1", "cpi = nan")
	odd := writeMachine(t, "m3", `size = "16 KiB"`, `size = "17000 B"`)
	key := writeMachine(t, "m4", "ways = 2", "weighs = 2")
	numa := writeMachine(t, "m5", `"smp"`, `"ccnuma"`)
	empty := filepath.Join(t.TempDir(), "empty.toml")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	share := func(name, value, unit string) string {
		path := filepath.Join(dir, name+".params.toml")
		if err := os.WriteFile(path, []byte("[exposed]\nvalue = "+value+"\nunit = \""+unit+"\"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	exposed, inBytes, above := share("share", "0.1", "1"), share("bytes", "0.1", "B"), share("above", "1.5", "1")
	for _, row := range []struct {
		args   []string
		status int
		say    string
	}{
		{nil, stage.WrongUsage, "no parameters"},
		{[]string{"--params", one}, stage.WrongUsage, "no machine"},
		{[]string{"--machine", smp}, stage.WrongUsage, "no parameters"},
		{[]string{"--params", one, "--machine", smp, "stray"}, stage.WrongUsage, `unexpected argument "stray"`},
		{[]string{"--params", one, "--machine", smp, "--model", "best"}, stage.WrongUsage, `unknown model "best" (known: paper, curve, mva, messages)`},
		{[]string{"--params", one, "--machine", smp, "--exposed", exposed}, stage.Done, ""},
		{[]string{"--params", one, "--machine", smp, "--exposed", exposed + "nowhere"}, stage.Failed, "nowhere"},
		{[]string{"--params", one, "--machine", smp, "--exposed", inBytes}, stage.Failed, "parameter exposed has the unit \"B\"; it must be \"1\""},
		{[]string{"--params", one, "--machine", smp, "--exposed", above}, stage.Failed, "parameter exposed is 1.5, but must be above 0"},
		{[]string{"--params", one, "--machine", smp, "--raise-remote", "12.4"}, stage.WrongUsage, "--raise-remote 12.4 is not a share"},
		{[]string{"--params", one, "--machine", smp, "--raise-remote", "-1%"}, stage.WrongUsage, "--raise-remote -1% is not a share"},
		{[]string{"--params", one, "--machine", smp, "--model", "paper", "--raise-remote", "12.4%"}, stage.Done, ""},
		{[]string{"--params", one, "--machine", smp, "--model", "mva,mva"}, stage.WrongUsage, "mva twice"},
		{[]string{"--params", one, "--machine", smp, "--processors", "0"}, stage.WrongUsage, "each number must be at least 1"},
		{[]string{"--params", one, "--machine", smp, "--processors", "x"}, stage.WrongUsage, "not a whole number"},
		{[]string{"--params", "nowhere", "--machine", smp}, stage.Failed, "nowhere"},
		{[]string{"--params", one, "--machine", "nowhere.toml"}, stage.Failed, `unknown machine or file "nowhere.toml" ('calibrate machines' lists all names`},
		{[]string{"--params", one, "--machine", empty}, stage.Failed, "empty.toml: the document is empty"},
		{[]string{"--params", one, "--machine", nan}, stage.Failed, ":4: processor.cpi: NaN is not from 0.001 to 1000 periods"},
		{[]string{"--params", one, "--machine", odd}, stage.Failed, ":6: cache[0].size: 17000B is not a multiple of line x ways"},
		{[]string{"--params", one, "--machine", key}, stage.Failed, ":8: unknown key cache.weighs"},
		{[]string{"--params", one, "--machine", numa}, stage.Failed, "is a ccnuma"},
		{[]string{"--params", one, "--machine", numa, "--machine", smp}, stage.Done, "skipped: predicting prog on m5: no model applies"},
		{[]string{"--params", one, "--machine", numa, "--machine", smp, "--model", "paper"}, stage.Failed, "is a ccnuma"},
		{[]string{"--params", one, "--machine", numa, "--machine", numa}, stage.Failed, "nothing can be predicted on any of these machines"},
		{[]string{"--params", one, "--machine", smp, "--processors", "99"}, stage.Failed, "cannot use 99 processors of machine m1"},
		{[]string{"--params", one, "--machine", smp, "--processors", "2", "--model", "mva"}, stage.Failed, "needs a run with 2 processors; there are runs with 1"},
		{[]string{"--params", one, "--machine", smp, "--model", "paper,mva"}, stage.Failed, "has no phases.arrow; run analyze with --run phases"},
		{[]string{"--params", one, "--params", one, "--machine", smp}, stage.Failed, "both have 1 processors"},
		{[]string{"--params", one, "--params", two, "--machine", smp, "--model", "paper"}, stage.Done, ""},
	} {
		t.Run(caseOf(row.args...), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "p.arrow")
			status, out, errs := predict(append([]string{"cluster", "-o", file}, row.args...)...)
			if status != row.status || !strings.Contains(errs, row.say) {
				t.Errorf("%v: status %d, %s", row.args, status, errs)
			}
			if _, err := os.Stat(file); (err == nil) != (status == stage.Done) || (out == "") != (status != stage.Done) {
				t.Errorf("%v: file %v, output %q", row.args, err, out)
			}
		})
	}
}
