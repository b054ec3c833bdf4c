package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
)

// Footprints that leave most of a cache unused make times less than nothing by the printed equations: what is not known then is said in words.
func TestWindtunnelAsPrintedMayKnowNothing(t *testing.T) {
	dir := writeQuanta(t, "", "")
	var text strings.Builder
	for _, name := range []string{"f_s_cache", "f_avg_cache", "f_max_cache", "f_s_tlb", "f_avg_tlb", "f_max_tlb",
		"f_s_window_cache", "f_avg_window_cache", "f_max_window_cache", "f_s_window_tlb", "f_avg_window_tlb", "f_max_window_tlb"} {
		fmt.Fprintf(&text, "[%s]\nvalue = 1.5\nunit = \"blocks\"\nsource = \"prog.refs.arrow sha256:abc\"\n", name)
	}
	if err := os.WriteFile(filepath.Join(dir, "footprint.params.toml"), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out, errs := predict("windtunnel", "--params", dir+",../data/machine/windtunnel/example.params.toml", "--prices", sgi, "--as-printed")
	if status != stage.Done || strings.Contains(out, "NaN") || strings.Count(out, ", beta is not known: as printed, a target takes negative time") != 4 {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}

// writeQuanta leaves the parameters of quanta of 8 targets, one of which may be replaced.
func writeQuanta(t *testing.T, name, with string) string {
	t.Helper()
	dir := t.TempDir()
	var text strings.Builder
	for _, p := range [][2]string{{"targets", "8.0 processors"}, {"mu", "80.0 cycles"}, {"sigma_intra", "25.0 cycles"}, {"n_cxsw", "7.0 processors"}, {"n_fp", "7.0 processors"},
		{"quantum", "100.0 cycles"}, {"slowest", "99.5 cycles"}} {
		if p[0] == name {
			p[1] = with
		}
		if value, unit, found := strings.Cut(p[1], " "); found {
			fmt.Fprintf(&text, "[%s]\nvalue = %s\nunit = %q\nsource = \"prog.refs.arrow sha256:abc\"\n", p[0], value, unit)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "quanta.params.toml"), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

const sgi = "../data/price/sgi1993.toml"

func TestWindtunnelPrintsAll(t *testing.T) {
	dir, out := writeQuanta(t, "", ""), filepath.Join(t.TempDir(), "w.arrow")
	status, text, errs := predict("windtunnel", "--params", dir, "--prices", sgi, "-o", out)
	if status != stage.Done || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, want := range []string{"prog: model bounded, prices sgi1993", "cost_performance [$]", "K_min", "break-even", "interval: parameters", "warning: missing parameters of the host count as 0 cycles: t_cxsw, t_win"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		})
	}
	table, err := store.ReadTable(out)
	if err != nil || table.Name != "windtunnel" || table.Rows() != 1+3*2 || table.Fact("prices") != "sgi1993" || table.Fact("warnings") == "" {
		t.Errorf("%v %+v", err, table)
	}
	_, text, _ = predict("windtunnel", "--params", dir, "--prices", sgi, "--format", "json", "--as-printed", "--hosts", "8", "--targets", "8,16")
	var rows []struct {
		Targets, Hosts   int
		Host, Effective  string
		Speedup, Costup  float64
		Time, Processing float64
	}
	if err := json.Unmarshal([]byte(text), &rows); err != nil || len(rows) != 4 {
		t.Fatalf("%v: %s", err, text)
	}
	// mu + sigma sqrt(2 ln 8) = 80 + 25 x 2.0393; nothing else costs anything here.
	if r := rows[0]; r.Time < 130.97 || r.Time > 130.99 || r.Host != "bus" || r.Speedup < 640/131.0 || r.Costup < 5.37 || r.Costup > 5.39 || r.Effective != "no" {
		t.Errorf("%+v", r)
	}
	_, text, _ = predict("windtunnel", "--params", dir, "--prices", sgi, "--format", "csv", "--terms")
	if !strings.HasPrefix(text, "term,value,unit,meaning\nN,8,targets,") {
		t.Error(text)
	}
	_, text, _ = predict("windtunnel", "--params", dir, "--prices", sgi, "--format", "csv", "--summary")
	if !strings.HasPrefix(text, "quantity,host,value,unit,meaning\nK_min,bus,") {
		t.Error(text)
	}
}

// Status 0 done, 1 failed, 2 wrong usage; a failed run leaves standard output empty, and says what is wrong in one line.
func TestWindtunnelStatus(t *testing.T) {
	dir, empty := writeQuanta(t, "", ""), filepath.Join(t.TempDir(), "empty.toml")
	if err := os.WriteFile(empty, []byte("name = \"empty\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args   []string
		status int
		say    string
	}{
		{[]string{}, stage.WrongUsage, "give --params"},
		{[]string{"--params", dir}, stage.WrongUsage, "give --prices"},
		{[]string{"--params", dir, "--prices", sgi, "extra"}, stage.WrongUsage, "extra"},
		{[]string{"--params", dir, "--prices", sgi, "--model", "best"}, stage.WrongUsage, "known: printed, paper, gamma, bounded"},
		{[]string{"--params", dir, "--prices", sgi, "--model", "gamma", "--as-printed"}, stage.WrongUsage, "--as-printed is --model printed"},
		{[]string{"--params", dir, "--prices", sgi, "--terms", "--summary"}, stage.WrongUsage, "choose one"},
		{[]string{"--params", dir, "--measured", dir, "--terms"}, stage.WrongUsage, "--measured compares"},
		{[]string{"--params", dir, "--prices", sgi, "--halves"}, stage.WrongUsage, "--halves needs --measured"},
		{[]string{"--params", dir, "--prices", sgi, "--placement", "here"}, stage.WrongUsage, "unknown placement \"here\""},
		{[]string{"--params", dir, "--prices", sgi, "--placement", "cyclic"}, stage.WrongUsage, "--placement needs model placed"},
		{[]string{"--params", dir, "--prices", "missing.toml"}, stage.Failed, "missing.toml"},
		{[]string{"--params", dir, "--prices", empty}, stage.Failed, "no section [windtunnel]"},
		{[]string{"--params", dir, "--prices", "../data/machine/du2000-smp-256k.toml"}, stage.Failed, "unknown key"},
		{[]string{"--params", t.TempDir(), "--prices", sgi}, stage.Failed, "run analyze with --run quanta,footprint"},
		{[]string{"--params", writeQuanta(t, "mu", ""), "--prices", sgi}, stage.Failed, "mu is missing; run analyze with --run quanta"},
		{[]string{"--params", writeQuanta(t, "mu", "80.0 s"), "--prices", sgi}, stage.Failed, `mu has the unit "s"; it must be "cycles"`},
		{[]string{"--params", writeQuanta(t, "mu", "nan cycles"), "--prices", sgi}, stage.Failed, "NaN is not finite"},
		{[]string{"--params", dir, "--prices", sgi, "--hosts", "3"}, stage.Failed, "3 hosts do not divide 8 targets"},
		{[]string{"--params", dir, "--prices", sgi, "--targets", "0"}, stage.Failed, "0 targets"},
		{[]string{"--params", writeQuanta(t, "slowest", "150.0 cycles"), "--prices", sgi, "--model", "bounded"}, stage.Failed, "use model gamma"},
		{[]string{"--params", dir, "--measured", dir}, stage.Failed, "run analyze with --run quanta,footprint"},
		{[]string{"--params", writeQuanta(t, "slowest", "150.0 cycles"), "--prices", sgi}, stage.Done, ""},
	} {
		t.Run(caseOf(row.args...), func(t *testing.T) {
			status, out, errs := predict(append([]string{"windtunnel"}, row.args...)...)
			if status != row.status || !strings.Contains(errs, row.say) || (out == "") != (status != stage.Done) || strings.Count(strings.TrimSpace(errs), "\n") > 1 {
				t.Errorf("%v: status %d, want %d\nstdout %q\nstderr %q, want %q in it", row.args, status, row.status, out, errs, row.say)
			}
		})
	}
}
