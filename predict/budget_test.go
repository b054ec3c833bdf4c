package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
)

const shop1999 = "../data/price/example1999.toml"

func TestBudgetPrintsAll(t *testing.T) {
	dir, out := writeAnalysis(t, "1", true), filepath.Join(t.TempDir(), "b.arrow")
	machines := filepath.Join(t.TempDir(), "machines")
	status, text, errs := predict("budget", "--params", dir, "--prices", shop1999, "--budget", "$5000", "--model", "paper", "--model-error", "50%", "--beaten", "-o", out, "--machines", machines)
	if status != stage.Done || withoutUnused(errs) != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, want := range []string{"prog by model paper, prices of 1999, an example", "behind [%]", "best: ", "front:", "effect of changed parameters:", "C_machine",
		"inside the model's error of 50 %", "the runner-up is better with a probability of ", "a job is one run of prog, as it was recorded", "warning: the barrier term"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		})
	}
	table, err := store.ReadTable(out)
	if err != nil || table.Name != "budget" || table.Fact("budget") != "$5000" || table.Fact("model_error") != "0.5" {
		t.Fatalf("%v %+v", err, table)
	}
	ranks, err := store.Data[int32](table, "rank")
	if want := []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; err != nil || !slices.Equal(ranks, want) {
		t.Errorf("ranks %v, %v", ranks, err)
	}
	files, _ := filepath.Glob(filepath.Join(machines, "*.toml"))
	if len(files) != 10 {
		t.Fatalf("%q", files)
	}
	// What was bought can be predicted, and can be upgraded.
	if status, _, errs := predict("cluster", "--params", dir, "--model", "paper", "--processors", "2", "--machine", files[0]); status != stage.Done {
		t.Error(errs)
	}
	status, text, errs = predict("upgrade", "--params", dir, "--prices", shop1999, "--have", files[0], "--budget", "$2000", "--model", "paper", "--format", "json", "--top", "1")
	var rows []struct {
		Nodes, Each int
		Network     string
		Price       float64
		Behind      float64
	}
	if err := json.Unmarshal([]byte(text), &rows); err != nil || status != stage.Done || len(rows) != 1 || rows[0].Price > 2000 || rows[0].Behind != 0 {
		t.Errorf("%v %s: %s", err, errs, text)
	}
	if _, text, _ := predict("budget", "--params", dir, "--prices", shop1999, "--budget", "$5000", "--as-printed"); !strings.Contains(text, "model printed") {
		t.Errorf("as printed: %s", text)
	}
	for _, flag := range []string{"--front", "--sensitivity"} {
		if _, text, _ := predict("budget", "--params", dir, "--prices", shop1999, "--budget", "$5000", "--model", "paper", flag, "--format", "csv"); strings.Count(text, "\n") < 4 {
			t.Errorf("%s: %s", flag, text)
		}
	}
}

// Status 0 done, 1 failed, 2 wrong usage; a failed run leaves standard output empty, and says what is wrong in one line.
func TestBudgetStatus(t *testing.T) {
	dir := writeAnalysis(t, "1", false)
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty := write("empty.toml", "name = \"x\"\n[catalogue]\ndate = \"now\"\n")
	lacks := write("lacks.params.toml", "[alpha]\nvalue = 1.2\nunit = \"1\"\nsource = \"prog.refs.arrow sha256:1\"\n[processors]\nvalue = 1.0\nunit = \"1\"\n")
	text, err := os.ReadFile(filepath.Join(dir, "locality.params.toml"))
	if err != nil {
		t.Fatal(err)
	}
	broken := write("nan.params.toml", strings.Replace(string(text), "1.3", "nan", 1))
	_, comparison := writeTables(t)
	base := slices.Clip([]string{"budget", "--params", dir, "--model", "paper"})
	shop := slices.Clip(append(base, "--prices", shop1999))
	for _, row := range []struct {
		args   []string
		status int
		say    string
	}{
		{[]string{"budget"}, stage.WrongUsage, "no parameters"},
		{base, stage.WrongUsage, "no prices"},
		{shop, stage.WrongUsage, "no budget"},
		{append(shop, "--budget", "5000"), stage.WrongUsage, `"5000" has no unit`},
		{append(shop, "--budget", "$NaN"), stage.WrongUsage, "is not a number of dollars"},
		{append(shop, "--budget", "$5/h"), stage.WrongUsage, "has prices to buy"},
		{append(base, "--prices", "../data/price/example-cloud.toml", "--budget", "$5"), stage.WrongUsage, "is not per hour"},
		{append(shop, "--budget", "$10"), stage.Failed, "the cheapest is 1x1 workstation 256KiB 64MiB for $1200"},
		{append(shop, "--budget", "$5000", "--min-memory", "1TiB"), stage.Failed, "drop --min-memory 1TiB"},
		{append(shop, "--budget", "$5000", "--min-memory", "64"), stage.WrongUsage, "--min-memory"},
		{append(shop, "--budget", "$5000", "--deadline", "-1s"), stage.WrongUsage, "--deadline"},
		{append(shop, "--budget", "$5000", "--deadline", "1ps"), stage.Failed, "the fastest takes"},
		{append(shop, "--budget", "$5000", "--jobs", "-1"), stage.WrongUsage, "--jobs -1 is not a number"},
		{append(shop, "--budget", "$5000", "--jobs", "1e9", "--deadline", "1us"), stage.Failed, "no machine meets --deadline 1us and --jobs 1000000000 a month"},
		{append(shop, "--budget", "$5000", "--objective", "fun"), stage.WrongUsage, "known: time, cost-per-job, time-cost"},
		{append(shop, "--budget", "$5000", "--max-nodes", "-1"), stage.WrongUsage, "must be 0 or more"},
		{append(shop, "--budget", "$5000", "--top", "0"), stage.WrongUsage, "--top"},
		{append(shop, "--budget", "$5000", "--vary", "5"), stage.WrongUsage, "--vary"},
		{append(shop, "--budget", "$5000", "--front", "--sensitivity"), stage.WrongUsage, "choose one"},
		{append(shop, "--budget", "$5000", "--model-error", comparison), stage.Failed, "give one of predict compare -o"},
		{append(shop, "--budget", "$5000", "--model", "oracle"), stage.WrongUsage, "known: paper, curve, mva, messages"},
		{append(shop, "--budget", "$5000", "--model", "curve", "--as-printed"), stage.WrongUsage, "--as-printed needs model paper"},
		{[]string{"budget", "--params", dir, "--prices", shop1999, "--budget", "$5000"}, stage.Failed, "run analyze with --run reuse,locality"},
		{[]string{"budget", "--params", lacks, "--prices", shop1999, "--budget", "$5000", "--model", "paper"}, stage.Failed, "run analyze with --run locality"},
		{[]string{"budget", "--params", broken, "--prices", shop1999, "--budget", "$5000", "--model", "paper"}, stage.Failed, "nan.params.toml:2: alpha.value: value: NaN is not finite"},
		{append(base, "--prices", empty, "--budget", "$5"), stage.Failed, "the catalogue is empty"},
		{append(base, "--prices", sgi, "--budget", "$5"), stage.Failed, "it has no [catalogue]"},
		{append([]string{"upgrade"}, append(shop[1:], "--budget", "$5")...), stage.WrongUsage, "give --have FILE"},
		{append([]string{"upgrade"}, append(shop[1:], "--budget", "$5", "--have", "../data/machine/example-desktop.toml")...), stage.Failed, "no node has a processor of 4GHz"},
	} {
		t.Run(row.say, func(t *testing.T) {
			status, out, errs := predict(row.args...)
			if status != row.status || !strings.Contains(errs, row.say) || out != "" {
				t.Errorf("predict %v: status %d, want %d\nstdout %q\nstderr %q, want %q in it", row.args, status, row.status, out, errs, row.say)
			}
		})
	}
}
