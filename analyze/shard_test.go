package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"spoor/traces/stage"
)

// shards analyzes all parts and returns the folders of their results, the last part first.
func shards(t *testing.T, n int, args, trace string) (dirs string) {
	t.Helper()
	for i := range n {
		dir := fmt.Sprintf("%s.%d.%d", trace, n, i+1)
		if out := must(t, fmt.Sprintf("%s --shard %d/%d -o %s %s", args, i+1, n, dir, trace)); out != "" {
			t.Errorf("a part prints %q", out)
		}
		dirs = dir + " " + dirs
	}
	return dirs
}

// Merging all parts of streams gives byte for byte what one run gives: of one processor and of several, of few references
// and of more parts than references, also together with --procs.
func TestShardsJoin(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRing(t, "x", 3, 4)
	writeRing(t, "one", 1, 20)
	n := nastyTraces["one works"]
	n.write(t, "idle")
	for i, run := range []string{"reuse", "locality", "reuse,locality"} {
		for _, c := range []struct {
			trace string
			parts int
		}{{"one", 1}, {"one", 16}, {"x", 5}, {"idle", 3}, {"x", 1000}} {
			if c.parts > 100 && (testing.Short() || i < 2) {
				continue
			}
			args := "--run " + run + " --line 32B,128B"
			whole := must(t, args+" --interleaved=false -o whole "+c.trace)
			if got := must(t, "merge "+shards(t, c.parts, args, c.trace)+" -o joined"); got != whole {
				t.Errorf("%s: %d parts of %s print\n%s\nwant\n%s", run, c.parts, c.trace, got, whole)
			}
			sameFiles(t, "joined", "whole")
		}
	}
	must(t, "--procs 1 -o p1 x")
	some := must(t, "merge p1 "+shards(t, 2, "--procs 0,2", "x")+" -o joined")
	if whole := must(t, "--interleaved=false -o whole x"); some != whole {
		t.Errorf("parts and processors print\n%s\nwant\n%s", some, whole)
	}
	sameFiles(t, "joined", "whole")
	must(t, "merge "+shards(t, 2, "--procs 0,2", "x")+" -o joined2")
	must(t, "--procs 0,2 -o whole2 x")
	sameFiles(t, "joined2", "whole2")
}

// A part leaves the results of an earlier run of the whole trace, and writes nothing but what merge reads.
func TestShardWritesOnlyItsPart(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRing(t, "x", 1, 1)
	must(t, "--shard 1/2 -o d x")
	files, err := os.ReadDir("d")
	if err != nil || len(files) != 1 || files[0].Name() != "shards.arrow" {
		t.Errorf("%v %v", files, err)
	}
}

func TestShardStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRing(t, "x", 2, 1)
	for i := range 3 {
		must(t, fmt.Sprintf("--shard %d/3 -o a%d x", i+1, i+1))
	}
	must(t, "--shard 2/4 -o four x")
	must(t, "--shard 2/3 -o twice x")
	must(t, "--procs 1 -o p x")
	must(t, "--shard 3/3 --line 32B -o line x")
	for _, c := range []struct {
		args   string
		status int
		want   string // in standard output if the status is 0, else in standard error
	}{
		{"merge a1 a2 a3 -o z", stage.Done, "\nlocality\n"},
		{"--shard 0/3 -o z x", stage.WrongUsage, `--shard: "0/3" is not a part such as 3/16`},
		{"--shard 4/3 -o z x", stage.WrongUsage, `"4/3" is not a part`},
		{"--shard 3 -o z x", stage.WrongUsage, `"3" is not a part`},
		{"--shard 1/100000 -o z x", stage.WrongUsage, "at most 65536 parts"},
		{"--shard 1/2 --run cache,reuse -o z x", stage.WrongUsage, "--shard: not possible with cache; give --run reuse"},
		{"--shard 1/2 --run all -o z x", stage.WrongUsage, "--shard: not possible with locality"},
		{"--shard 1/2 --run sharing -o z x", stage.WrongUsage, "sharing needs all processors; omit --shard or the analysis"},
		{"--shard 1/2 --assoc 4x2 --assoc-simulate --run locality -o z x", stage.WrongUsage, "not possible with locality"},
		{"--shard 1/2 --interleaved -o z x", stage.WrongUsage, "the interleaved order needs the whole trace"},
		{"--shard 1/2 --sample 0.5 -o z x", stage.WrongUsage, "--shard cannot sample lines"},
		{"merge a1 a3 -o z2", stage.Failed, "a1 is one of 3 parts, and 1 are missing, such as 2/3"},
		{"merge a1 four -o z2", stage.Failed, "a1 and four do not belong together: --shard is 1/3 and 2/4"},
		{"merge a1 a2 twice -o z2", stage.Failed, "a2 and twice both have part 2/3 of processors 0-1"},
		{"merge a1 a2 a3 p -o z2", stage.Failed, "a1 and p both have processors 1"},
		{"merge a1 a2 line -o z2", stage.Failed, "line is"},
	} {
		t.Run(c.args, func(t *testing.T) {
			expect(t, c.args, c.status, c.want)
		})
	}
	if _, err := os.Stat("z2"); err == nil {
		t.Error("a failed merge left its directory behind")
	}
	if _, _, errs := analyze("--run", "reuse", "--shard", "1/2", "--format", "csv", "-o", "d", "x"); !strings.Contains(errs, "--format has no effect with --shard") ||
		!strings.Contains(errs, "reuse: without the interleaved order, which needs the whole trace") {
		t.Errorf("notes %q", errs)
	}
}
