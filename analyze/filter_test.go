package main

import (
	"os"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
)

func TestFilterStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "two", 2, 2, 500)
	write(t, "none", 2, 1, 0)
	for _, c := range []struct {
		args   string
		status int
		want   string // in standard error
	}{
		{"--cache L1d=1KiB/2/64B -o f two", stage.Done, "references and "},
		{"--cache L1d=1KiB/2/64B -o f --write-backs=false two", stage.Done, "and 0 write-backs; read 2000 references"},
		{"--cache L1i=1KiB/2/64B -o f two", stage.Done, "references of kind load are left out"},
		{"--cache L1i=1KiB/2/64B,L1d=1KiB/2/64B/random --cache-seed 3 -o f none", stage.Done, "none: wrote 0 references"},

		{"--cache L1d=1KiB/2/64B two", stage.WrongUsage, "output"},
		{"-o x two", stage.WrongUsage, "cache"},
		{"--cache L1d=1KiB/2/64B -o two two", stage.WrongUsage, "-o two is the trace to be read"},
		{"--cache L1d=1KiB/2/64B -o ./two two.refs.arrow", stage.WrongUsage, "-o ./two is the trace to be read"},
		{"--cache L1d=1KiB/2/64B -o x", stage.WrongUsage, "accepts 1 arg"},
		{"--cache L1d=1KiB/2 -o x two", stage.WrongUsage, `--cache: "L1d=1KiB/2": a level has the form`},
		{"--cache dtlb=64/4/4KiB -o x two", stage.WrongUsage, "--cache: dtlb: a TLB does not filter references"},
		{"--cache L1d=1KiB/2/64B/opt -o x two", stage.WrongUsage, "--cache: L1d: opt knows its evictions"},
		{"--cache L1d=1KiB/2/64B -o x nowhere", stage.Failed, "nowhere"},
		{"--cache L1d=1KiB/2/64B -o no/such/folder two", stage.Failed, "no/such/folder"},
		{"--cache L1d=1KiB/2/64B -o x two.events.arrow", stage.Failed, "references, but the trace has none; its .refs.arrow file is missing"},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, out, errs := analyze(append([]string{"filter"}, strings.Fields(c.args)...)...)
			if status != c.status || !strings.Contains(errs, c.want) || out != "" {
				t.Errorf("status %d, want %d with %q:\n%s%s", status, c.status, c.want, out, errs)
			}
		})
	}
	if _, err := os.Stat("x" + store.RefsSuffix); err == nil {
		t.Error("a failed run left its trace behind")
	}
}
