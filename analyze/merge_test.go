package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/registry"
	"spoor/analyze/study"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// writeRing writes a trace whose processors work on data of their own and send a buffer around.
func writeRing(t testing.TB, prefix string, procs, rounds int) {
	t.Helper()
	h := trace.Header{Program: "ring", Format: "test", Procs: procs, WorkUnit: trace.WorkInstr, Tool: "test"}
	w, err := store.Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for p := range procs {
		r := rand.New(rand.NewPCG(uint64(p), 7))
		refs, events := trace.Refs{Proc: trace.Proc(p)}, trace.Events{Proc: trace.Proc(p)}
		message := func(k trace.Kind, peer int) trace.Event {
			e := trace.NewEvent(k)
			e.Instr, e.Refs, e.Peer, e.Tag = 3, uint64(refs.Len()), int32(peer%procs), 1
			e.Addr, e.Count, e.Block, e.Stride, e.Bytes = int64(1<<20+p*1<<16+8*r.IntN(5)), 4, 24, 100, 96
			return e
		}
		for range rounds {
			for range 100 + 50*p {
				refs.Append(uint32(1+r.IntN(5)), uint64(1<<20+p*1<<16)+r.Uint64N(1<<10)*r.Uint64N(1<<5), uint16(1+r.IntN(8)), trace.Op(1+r.IntN(3)))
			}
			events.Rows = append(events.Rows, message(trace.Send, p+1), message(trace.Recv, p+procs-1), message(trace.AllReduce, 0))
		}
		if err := w.Refs(&refs); err != nil {
			t.Fatal(err)
		}
		if err := w.Events(&events); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
}

// must runs the command, which succeeds, and returns what it prints.
func must(t *testing.T, args string) string {
	t.Helper()
	status, out, errs := analyze(strings.Fields(args)...)
	if status != stage.Done {
		t.Fatalf("analyze %s: %s", args, errs)
	}
	return out
}

// apart are the analyses that run on some of the processors.
func apart(t *testing.T) (names []string) {
	t.Helper()
	s := study.NewSettings()
	for _, k := range s.Kinds {
		s.Run = append(s.Run[:0], k.Name)
		analyses, err := s.Build(&kind.Request{Header: trace.Header{Procs: 2}})
		if err != nil {
			t.Fatal(err)
		}
		if len(analysis.Orders(trace.Header{Procs: 2}, []trace.Proc{0}, analyses...)) > 0 {
			names = append(names, k.Name)
		}
	}
	return names
}

// What runs on some of the processors can be merged.
func TestPartsCanBeSaved(t *testing.T) {
	h := trace.Header{Procs: 2}
	for _, k := range registry.All() {
		parts := []analysis.Shard{builtFor(t, k, h).NewShard(h, 0)}
		if group, is := parts[0].(*analysis.ShardGroup); is {
			parts = group.Parts
		}
		for _, s := range parts {
			if _, can := s.(analysis.MergeableShard); s != nil && !can {
				t.Errorf("%s: %T is no analysis.MergeableShard; 'analyze merge' needs it", k.Name, s)
			}
		}
	}
}

// Merging parts gives byte for byte what one run over all their processors gives, in any order,
// in steps, by one analysis and by all.
func TestPartsJoin(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRing(t, "x", 5, 3)
	names := apart(t)
	for i, run := range append(names, strings.Join(names, ",")) {
		if testing.Short() && i > 1 && i < len(names) {
			continue
		}
		d := func(name string) string { return fmt.Sprint(i, name) }
		with := func(flags, dir string) string {
			return must(t, "--run "+run+" --line 32B,128B --collectives ring --assoc 4x2 "+flags+" -o "+dir+" x")
		}
		with("--procs 0,3", d("a"))
		with("--procs 4", d("b"))
		with("--procs 1,2", d("c"))
		whole := with("--procs 0,3,4", d("ab"))
		if got := must(t, fmt.Sprint("merge ", d("b"), " ", d("a"), " -o ", d("ba"))); got != whole {
			t.Errorf("%s: merge prints\n%s\nwant\n%s", run, got, whole)
		}
		sameFiles(t, d("ba"), d("ab"))
		with("--interleaved=false", d("all"))
		must(t, fmt.Sprint("merge ", d("ba"), " ", d("c"), " --trace x -o ", d("abc")))
		sameFiles(t, d("abc"), d("all"))
	}
}

func sameFiles(t *testing.T, got, want string) {
	t.Helper()
	a, err1 := filepath.Glob(filepath.Join(got, "*"))
	b, err2 := filepath.Glob(filepath.Join(want, "*"))
	if err1 != nil || err2 != nil || len(a) != len(b) || len(b) == 0 {
		t.Fatalf("%s has %v, %s has %v", got, a, want, b)
	}
	for i := range a {
		x, err1 := os.ReadFile(a[i])
		y, err2 := os.ReadFile(b[i])
		if err1 != nil || err2 != nil || filepath.Base(a[i]) != filepath.Base(b[i]) || !bytes.Equal(x, y) {
			t.Errorf("%s and %s differ (%v, %v)", a[i], b[i], err1, err2)
		}
	}
}

// Parts whose processors do nothing, or use no line twice, are parts as others are.
func TestIdlePartsJoin(t *testing.T) {
	t.Chdir(t.TempDir())
	n := nastyTraces["one works"]
	n.write(t, "x")
	want := must(t, "--interleaved=false -o whole x")
	must(t, "--procs 0-2 -o idle x")
	must(t, "--procs 3-4 -o busy x")
	if got := must(t, "merge idle busy -o joined"); got != want {
		t.Errorf("parts print\n%s\nthe whole\n%s", got, want)
	}
	sameFiles(t, "joined", "whole")
}

// Parts that another version made are not understood.
func TestPartsOfOtherVersions(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRing(t, "x", 2, 1)
	must(t, "--procs 0 -o a x")
	table := read(t, "a/shards.arrow")
	for i, f := range table.Meta {
		if f.Key == "tool" {
			table.Meta[i].Value = "spoor analyze 0.0"
		}
	}
	if err := study.Save("a", []analysis.Result{{Tables: []*store.Table{table}}}); err != nil {
		t.Fatal(err)
	}
	status, _, errs := analyze("merge", "a", "-o", "b")
	if status != stage.Failed || !strings.Contains(errs, `it was written by "spoor analyze 0.0", and this is "`+study.Tool) {
		t.Errorf("status %d: %s", status, errs)
	}
}

// Beside the results of all processors nothing is left that could be merged.
func TestMergeLeavesNoPart(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRing(t, "x", 2, 1)
	must(t, "--procs 0 -o a x")
	must(t, "--procs 1 -o b x")
	must(t, "merge a -o a")
	if _, err := os.Stat("a/shards.arrow"); err != nil {
		t.Error(err)
	}
	must(t, "merge a b -o a")
	if _, err := os.Stat("a/shards.arrow"); err == nil {
		t.Error("a is still a part")
	}
}

func TestMergeStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRing(t, "x", 4, 1)
	writeRing(t, "y", 4, 2)
	must(t, "--procs 0-1 -o a x")
	must(t, "--procs 1-3 -o b x")
	must(t, "--procs 2-3 -o c x")
	must(t, "--procs 2-3 -o line --line 32B x")
	must(t, "--procs 2-3 -o run --run comm x")
	must(t, "--procs 2-3 -o other y")
	must(t, "-o all x")
	for _, c := range []struct {
		args   string
		status int
		want   string // in standard output if the status is 0, else in standard error
	}{
		{"--help", stage.Done, "Usage: analyze merge"},
		{"a c -o d", stage.Done, "\nlocality\n"},
		{"run -o d --format csv", stage.Done, "from,to,kind,messages"},
		{"a c", stage.WrongUsage, "output"},
		{"-o d", stage.WrongUsage, "requires at least 1 arg"},
		{"a c -o x --format csv", stage.WrongUsage, "--format csv prints one analysis"},
		{"a nowhere -o z", stage.Failed, "nowhere/shards.arrow"},
		{"a all -o z", stage.Failed, "merge needs results of runs with --procs"},
		{"a b -o z", stage.Failed, "a and b both have processors 1"},
		{"a a -o z", stage.Failed, "a and a both have processors 0-1"},
		{"a line -o z", stage.Failed, `a and line do not belong together: line is "64B" and "32B"`},
		{"a run -o z", stage.Failed, `--run is ["reuse","locality"] and ["comm"]`},
		{"a other -o z", stage.Failed, "a and other do not belong together: trace is"},
		{"a c --trace y -o z", stage.Failed, "y is not the trace of the parts"},
	} {
		t.Run(c.args, func(t *testing.T) {
			expect(t, "merge "+c.args, c.status, c.want)
		})
	}
	if _, err := os.Stat("z"); err == nil {
		t.Error("a failed merge left its directory behind")
	}
	if _, _, errs := analyze("merge", "c", "-o", "d"); !strings.Contains(errs, "no part has processors 0-1") {
		t.Errorf("notes %q", errs)
	}
	for _, run := range []string{"reuse", "cache"} {
		if _, _, errs := analyze("--run", run, "--procs", "1", "-o", "d", "x"); !strings.Contains(errs, run+": without the interleaved order, which needs all processors") {
			t.Errorf("%s: notes %q", run, errs)
		}
	}
}
