package main

import (
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
)

func TestLogPPrintsAll(t *testing.T) {
	out := filepath.Join(t.TempDir(), "b.arrow")
	status, text, errs := predict("logp", "../data/machine/loggp-example.toml", "--procs", "2,16", "--bytes", "1B", "-o", out)
	if status != stage.Done || withoutUnused(errs) != "" || !strings.Contains(text, "broadcast_pieces") {
		t.Fatalf("status %d: %s%s", status, text, errs)
	}
	if table, err := store.ReadTable(out); err != nil || table.Name != "logp_bounds" || table.Rows() != 2*6 {
		t.Errorf("%v %+v", err, table)
	}
	// o + L + o = 0.5 + 2 + 0.5 us between two.
	_, text, _ = predict("logp", "--machine", "../data/machine/loggp-example.toml", "--procs", "2", "--bytes", "1B", "--format", "csv")
	if !strings.Contains(text, "loggp-example,2,1,machine,broadcast,3e-06\n") {
		t.Error(text)
	}
	_, text, _ = predict("logp", "--machine", "../data/machine/spasm-mesh.toml", "--procs", "16", "--bytes", "32B", "--network", "--format", "csv")
	if !strings.Contains(text, "spasm-mesh,16,32,bisection,1.6e-06,0,0,3.2e-06,0\n") {
		t.Error(text)
	}
	_, printed, _ := predict("logp", "--machine", "../data/machine/spasm-mesh.toml", "--procs", "16", "--bytes", "32B", "--network", "--as-printed", "--format", "csv")
	if printed != text {
		t.Errorf("without traffic, as printed is the same: %s", printed)
	}
}

// Status 0 done, 1 failed, 2 wrong usage; a failed run leaves standard output empty, and says what is wrong in one line.
func TestLogPStatus(t *testing.T) {
	const example = "../data/machine/loggp-example.toml"
	for _, row := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"logp"}, stage.WrongUsage, "no machine"},
		{[]string{"logp", example, "--as-printed"}, stage.Failed, "omit --as-printed"},
		{[]string{"logp", "a", "b", example}, stage.WrongUsage, "give one trace for the traffic"},
		{[]string{"logp", "a", example, "--procs", "3"}, stage.WrongUsage, "which has its own number of processors"},
		{[]string{"logp", example, "--bytes", "8"}, stage.WrongUsage, "not a size"},
		{[]string{"logp", example, "--procs", "0"}, stage.Failed, "0 processors"},
		{[]string{"logp", "nowhere", example}, stage.Failed, "nowhere"},
		{[]string{"logp", "nowhere.toml"}, stage.Failed, "nowhere.toml"},
		{[]string{"logp", "../data/machine/du2000-smp-256k.toml"}, stage.Failed, "no section [network]"},
		{[]string{"logp", "../data/machine/spasm-cube.toml", "--procs", "12"}, stage.Failed, "12"},
		{[]string{"logp", "../data/machine/wwt-dir1sw.toml"}, stage.Failed, "\"ideal\" is no topology"},
		{[]string{"logp", "../data/machine/spasm-mesh.toml", "--procs", "1"}, stage.Failed, "for 1 processor: one processor has no gap"},
	} {
		t.Run(row.says, func(t *testing.T) {
			status, text, errs := predict(row.args...)
			if status != row.status || text != "" || !strings.Contains(errs, row.says) || strings.Count(errs, "\n") > 2 {
				t.Errorf("%v: status %d, %q, %s", row.args, status, text, errs)
			}
		})
	}
}
