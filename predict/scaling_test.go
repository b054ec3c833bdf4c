package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// writeSizes leaves analyses of a program with problems of four sizes, whose instructions grow with size.
func writeSizes(t *testing.T) (dirs []string) {
	t.Helper()
	for _, n := range []string{"64", "128", "256", "512"} {
		dir := filepath.Join(t.TempDir(), n)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		text := "[alpha]\nvalue = 1.3\nunit = \"1\"\n[beta]\nvalue = 90.0\nunit = \"lines\"\n[gamma]\nvalue = 0.3\nunit = \"1\"\n[line]\nvalue = 64.0\nunit = \"B\"\n" +
			"[instructions]\nvalue = " + n + "000.0\nunit = \"1\"\n[passes_messages]\nvalue = 0.0\nunit = \"1\"\n"
		if err := os.WriteFile(filepath.Join(dir, "locality.params.toml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		reuse := &store.Table{Name: "reuse", Meta: []trace.Arg{{Key: "program", Value: "prog n=" + n}, {Key: "procs", Value: "2"}}, Columns: []store.Column{{Name: "proc", Data: []int32{0}}}}
		if err := store.WriteTable(filepath.Join(dir, "reuse.arrow"), reuse); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// What is extrapolated goes on to the models.
func TestScalingFeedsModels(t *testing.T) {
	dirs, file := writeSizes(t), filepath.Join(t.TempDir(), "large.params.toml")
	status, out, errs := predict("scaling", "--params", strings.Join(dirs, ","), "--processors", "2", "--size", "n=4096", "-o", file)
	if status != stage.Done || errs != "" || !strings.Contains(out, "1000 s") || !strings.Contains(out, "warning: the point has 1 times the processors and 8 times the size") {
		t.Fatalf("%d %s\n%s", status, errs, out)
	}
	status, out, errs = predict("cluster", "--params", file, "--model", "paper", "--machine", writeMachine(t, "m"), "--format", "csv")
	if status != stage.Done || !strings.Contains(out, ",2,paper,") {
		t.Errorf("%d %s\n%s", status, errs, out)
	}
	status, _, errs = predict("budget", "--params", file, "--model", "paper", "--prices", shop1999, "--budget", "$5000")
	if status != stage.Done {
		t.Error(errs)
	}
}

func TestScalingStatus(t *testing.T) {
	dirs := writeSizes(t)
	all := strings.Join(dirs, ",")
	for _, row := range []struct {
		args   []string
		status int
		say    string
	}{
		{[]string{}, stage.WrongUsage, "no parameters"},
		{[]string{"--params", all}, stage.WrongUsage, "no processors; give --processors NUMBER"},
		{[]string{"--params", all, "--processors", "-1"}, stage.WrongUsage, "--processors -1 is not a number of processors"},
		{[]string{"--params", all, "--processors", "NaN"}, stage.WrongUsage, "is not a number of processors"},
		{[]string{"--params", all, "--processors", "2"}, stage.WrongUsage, "give --size n=VALUE"},
		{[]string{"--params", all, "--processors", "2", "--size", "n"}, stage.WrongUsage, "such as points=65536"},
		{[]string{"--params", all, "--processors", "2", "--size", "m=3"}, stage.Failed, "differ in n besides m"},
		{[]string{"--params", dirs[0] + "," + dirs[1], "--processors", "2", "--size", "n=300"}, stage.Failed, "2 different runs are too few; analyze at least 4"},
		{[]string{"--params", strings.Join(dirs[:3], ","), "--processors", "2", "--size", "n=300"}, stage.Failed, "3 different runs are too few; analyze at least 4"},
		{[]string{"--params", t.TempDir(), "--processors", "2"}, stage.Failed, "run analyze with"},
	} {
		t.Run(row.say, func(t *testing.T) {
			status, out, errs := predict(append([]string{"scaling"}, row.args...)...)
			if status != row.status || !strings.Contains(errs, row.say) || out != "" {
				t.Errorf("predict scaling %v: status %d, want %d\nstdout %q\nstderr %q, want %q in it", row.args, status, row.status, out, errs, row.say)
			}
		})
	}
}
