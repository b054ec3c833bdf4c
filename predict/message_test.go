package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/predict/internal/stagetest"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// machineM1 is what model M1 needs of a machine, on the command line.
var machineM1 = []string{"--param", "M1_alpha=20us", "--param", "M1_beta=1ns/B", "--param", "M1_gamma=30ns/line",
	"--param", "array_M1_alpha=1us", "--param", "array_M1_beta=1ns/access", "--param", "array_M1_gamma=10ns/line", "--param", "array_M1_delta=1ns/op"}

func messageArgs(args ...string) []string { return slices.Concat([]string{"message"}, args, machineM1) }

func TestMessagePrintsAll(t *testing.T) {
	out := filepath.Join(t.TempDir(), "m.arrow")
	status, text, errs := predict(messageArgs("--of", "rows,columns", "--size", "2000x2000", "--mesh", "1x2", "-o", out)...)
	if status != stage.Done || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, want := range []string{"limit", "alpha of transfer", "gamma of transfer", "interval: nothing"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		})
	}
	if table, err := store.ReadTable(out); err != nil || table.Name != "message" || table.Rows() != 2 {
		t.Errorf("%v %+v", err, table)
	}
	_, text, _ = predict(messageArgs("--of", "rows", "--terms", "--format", "csv", "--size", "2000x2000", "--mesh", "1x2")...)
	if !strings.Contains(text, "rows,2000,2000,1,M1,beta n,transfer,4.0") {
		t.Error(text)
	}
	_, text, errs = predict(slices.Insert(messageArgs("--region", "lower", "--size", "256x256", "--mesh", "4x4"), 1, "blocks")...)
	if errs != "" || !strings.Contains(text, "advice by model M1: blocks of ") {
		t.Error(text, errs)
	}
	_, text, errs = predict(slices.Insert(messageArgs("--size", "100x100,800x800", "--format", "csv"), 1, "crossover")...)
	if errs != "" || strings.Count(text, "\n") != 3 || !strings.HasPrefix(text, "rows,cols,mesh,model,crossover,") {
		t.Error(text, errs)
	}
}

// Status 0 done, 1 failed, 2 wrong usage; a failed run leaves standard output empty, and says what is wrong in one line.
func TestMessageStatus(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.params.toml")
	if err := os.WriteFile(broken, []byte("[M1_alpha]\nvalue = 1.0\nunit = \"s/line\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"message"}, stage.WrongUsage, "no parameters"},
		{messageArgs("--of", "diagonals"), stage.WrongUsage, "unknown operation"},
		{messageArgs("--size", "10"), stage.WrongUsage, "not rows x columns"},
		{messageArgs("--mesh", "0x2"), stage.WrongUsage, "not rows x columns"},
		{messageArgs("--item", "4"), stage.WrongUsage, "not a size"},
		{messageArgs("--line", "64"), stage.WrongUsage, "not a size"},
		{messageArgs("--param", "M1_beta=3"), stage.WrongUsage, "--param M1_beta=3"},
		{messageArgs("--param", "M1_beta=3ns/B"), stage.WrongUsage, "is used twice"},
		{messageArgs("trace", "--d", "3"), stage.WrongUsage, "has recorded messages"},
		{slices.Insert(messageArgs("--between", "rows"), 1, "crossover"), stage.WrongUsage, "needs two operations"},
		{slices.Insert(messageArgs("--as-printed"), 1, "blocks"), stage.WrongUsage, "no equations for block-cyclic"},
		{messageArgs("--model", "M9"), stage.Failed, "did you mean \"M1\"?"},
		{messageArgs("--model", "page"), stage.Failed, "parameter page_alpha is missing; make it with calibrate fit"},
		{messageArgs("--d", "501"), stage.Failed, "d is 501, but a processor has only 500"},
		{messageArgs("--of", "hscan", "--as-printed"), stage.Failed, "experiment scan"},
		{messageArgs("nowhere"), stage.Failed, "nowhere"},
		{[]string{"message", "--params", broken}, stage.Failed, `parameter M1_alpha has the unit "s/line"`},
		{[]string{"message", "--params", broken + "x"}, stage.Failed, "no such file"},
	} {
		t.Run(caseOf(row.args...), func(t *testing.T) {
			status, text, errs := predict(row.args...)
			if status != row.status || text != "" || !strings.Contains(errs, row.says) || strings.Count(errs, "\n") > 2 {
				t.Errorf("%v: status %d, %q, %s", row.args, status, text, errs)
			}
		})
	}
}

// The messages of a recorded convolution are those that the operation predicts for a processor that sends in both directions.
func TestMessagesOfAKernelAreThoseOfTheOperation(t *testing.T) {
	bin, dir := stagetest.Build(t, ".."), t.TempDir()
	for _, kernel := range []string{"convshift", "convscan"} {
		stagetest.Run(t, dir, filepath.Join(bin, "tracegen"), kernel, "--procs", "9", "--set", "l=90", "--set", "b=4", "--refs=false", "-o", kernel)
		_, text, errs := predict(messageArgs(filepath.Join(dir, kernel), "--format", "csv")...)
		traffic, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(traffic) != 10 {
			t.Fatalf("%v: %s%s", err, text, errs)
		}
		_, text, _ = predict(messageArgs("--of", kernel, "--size", "90x90", "--mesh", "3x3", "--d", "4", "--format", "csv")...)
		predicted, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(predicted) != 2 {
			t.Fatalf("%v: %s", err, text)
		}
		// Of 3 x 3 processors that in the middle sends all there is to send, but that a scan passes its sums on but once.
		messages, bytes := predicted[1][6], predicted[1][7]
		if kernel == "convscan" { // 2 hops of each scan instead of one, of 30 items
			messages, bytes = "5", "1264"
		}
		if middle := traffic[5]; middle[2] != messages || middle[3] != bytes {
			t.Errorf("%s: %v messages of %v bytes, want %s of %s", kernel, middle[2], middle[3], messages, bytes)
		}
	}
}
