package main

import (
	"math"
	"os"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func TestComposeStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "one", 1, 1, 3000)
	write(t, "four", 4, 2, 500)
	write(t, "none", 2, 1, 0)
	timeless(t, "timeless")
	must(t, "--run reuse_time -o a one")
	must(t, "--run reuse_time -o b four")
	must(t, "--run reuse_time --line 32B,64B -o two one")
	must(t, "--run reuse_time --line 32B -o small one")
	must(t, "--run reuse_time --interleaved=false -o apart four")
	must(t, "--run reuse_time --procs 2 -o third four")
	must(t, "--run reuse_time -o none none")
	must(t, "--run reuse_time -o timeless timeless")
	must(t, "--run reuse -o reuse one")
	for _, c := range []struct {
		args   string
		status int
		want   string // in standard output if the status is 0, else in standard error
	}{
		{"--help", stage.Done, "Usage: analyze compose"},
		{"a b --cache 4KiB --cache-lines 16,64 -o d", stage.Done, "\n64             -1       (all)"},
		{"a b --cache-lines 16 -o d --format csv", stage.Done, "cache,program,name,rate,window,occupied,alone,shared\n16,0,a,"},
		{"a third --cache-lines 16 -o d", stage.Done, "third"},
		{"a two --cache-lines 16 -o d", stage.Done, "two"},
		{"two two --line 32B --cache 1KiB -o d", stage.Done, "\n32             0        two"},
		{"a timeless --rates 1,0.5 --cache-lines 16 -o d", stage.Done, "timeless  0.5"},
		{"a b --cache 4KiB", stage.WrongUsage, "output"},
		{"--cache 4KiB -o x", stage.WrongUsage, "requires at least 1 arg"},
		{"a b -o x", stage.WrongUsage, "no cache size"},
		{"a b --cache 100B -o x", stage.WrongUsage, "--cache: 100B is not a whole number of lines of 64B, from 1 to"},
		{"a b --cache 4 -o x", stage.WrongUsage, "has no unit"},
		{"a b --cache-lines 0 -o x", stage.WrongUsage, "--cache-lines: 0 is not"},
		{"a b --cache-lines 1 --rates 1 -o x", stage.WrongUsage, "1 rates for 2 programs"},
		{"a b --cache-lines 1 --rates 1,NaN -o x", stage.WrongUsage, "--rates: NaN is not"},
		{"a b --cache-lines 1 --line 48B -o x", stage.WrongUsage, "48B is not a power of two"},
		{"a nowhere --cache-lines 1 -o x", stage.Failed, "nowhere/reuse_time.arrow"},
		{"a reuse --cache-lines 1 -o x", stage.Failed, "analyze --run reuse_time writes it"},
		{"a none --cache-lines 1 -o x", stage.Failed, "none: the program has no loads or stores"},
		{"a timeless --cache-lines 1 -o x", stage.Failed, "timeless: the trace counts no instructions; give --rates"},
		{"a apart --cache-lines 1 -o x", stage.Failed, "apart: several processors"},
		{"two a --cache-lines 1 -o x", stage.Failed, "two has lines of 32B, 64B; choose one with --line"},
		{"a small --cache-lines 1 -o x", stage.Failed, "small has lines of 32B, not of 64B"},
	} {
		t.Run(c.args, func(t *testing.T) {
			expect(t, "compose "+c.args, c.status, c.want)
		})
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a failed compose left its directory behind")
	}
}

// Together, programs miss as often for each use as they do for each instruction, over what they use for each.
func TestComposeAddsUpByRates(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "one", 1, 1, 3000)
	write(t, "four", 4, 2, 500)
	must(t, "--run reuse_time -o a one")
	must(t, "--run reuse_time -o b four")
	for _, flags := range []string{"", " --rates 1,0.25,3"} {
		must(t, "compose a b a --cache-lines 16,64 -o d"+flags)
		table := read(t, "d/compose.arrow")
		program, _ := store.Data[int32](table, "program")
		rate, _ := store.Data[float64](table, "rate")
		for _, name := range []string{"rate", "window", "occupied", "alone", "shared"} {
			values, _ := store.Data[float64](table, name)
			sum := 0.
			for i, x := range values {
				if name == "alone" || name == "shared" {
					x *= rate[i]
				}
				if program[i] >= 0 {
					sum += x
					continue
				}
				if x == 0 || math.Abs(x-sum) > 1e-12*sum { // another order of operations
					t.Errorf("%s of all: %v, want %v", name, x, sum)
				}
				sum = 0
			}
		}
	}
}

// timeless writes a trace of references without instructions.
func timeless(t *testing.T, prefix string) {
	t.Helper()
	n := nasty{procs: 1, refs: func(_ trace.Proc, r *trace.Refs) { fill(r, 300, 0, 64, 8) }, only: store.RefsSuffix}
	n.write(t, prefix)
}
