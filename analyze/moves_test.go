package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/registry"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// moved are traces with flushes and prefetches, in each of which two uses miss.
var moved = map[string]nasty{
	"a get after a delete": {procs: 1, refs: func(_ trace.Proc, r *trace.Refs) {
		for _, op := range []trace.Op{trace.Store, trace.Load, trace.Flush, trace.Load} {
			r.Append(1, 0x4000, 64, op)
		}
	}},
	"a flush and a prefetch": {procs: 1, refs: func(_ trace.Proc, r *trace.Refs) {
		r.Append(1, 0x1000, 8, trace.Load)
		r.Append(1, 0x1000, 64, trace.Flush)
		r.Append(1, 0x1000, 8, trace.Load)
		r.Append(1, 0x2000, 64, trace.Prefetch)
		r.Append(1, 0x2000, 8, trace.Load)
	}},
}

func TestFlushesAndPrefetchesMoveLines(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, n := range moved {
		n.write(t, "x")
		must(t, "--run reuse -o d x")
		curve, err := store.ReadTable("d/curve.arrow")
		if err != nil {
			t.Fatal(err)
		}
		misses, _ := store.Data[uint64](curve, "misses")
		refs, _ := store.Data[uint64](curve, "refs")
		if last := len(misses) - 1; misses[last] != 2 || refs[last] != 3 {
			t.Errorf("%s: %d misses of %d uses, want 2 of 3", name, misses[last], refs[last])
		}
		must(t, "--run cache --cache L1=1KiB/2/64B -o d x")
		levels, err := store.ReadTable("d/cache.arrow")
		if err != nil {
			t.Fatal(err)
		}
		if got := sumsOf(t, levels, "load_misses", "store_misses", "ifetch_misses"); got != 2 {
			t.Errorf("%s: the cache misses %d times, want 2", name, got)
		}
		must(t, "--run sharing -o d x")
		shared, err := store.ReadTable("d/sharing.arrow")
		if err != nil {
			t.Fatal(err)
		}
		if got := sumsOf(t, shared, "pure_cold", "cold_true", "cold_false", "true_sharing", "false_sharing", "flush_misses"); got != 2 {
			t.Errorf("%s: %d misses of coherent caches, want 2", name, got)
		}
		if status, _, errs := analyze("filter", "--cache", "L1d=1KiB/2/64B", "--write-backs=false", "-o", "y", "x"); status != stage.Done {
			t.Fatal(errs)
		}
		src, err := store.Open("y")
		if err != nil {
			t.Fatal(err)
		}
		n := uint64(0)
		for b, err := range src.Refs() {
			if err != nil {
				t.Fatal(err)
			}
			n += uint64(trace.CountData(b.Op))
		}
		src.Close()
		if n != 2 {
			t.Errorf("%s: %d loads and stores pass the caches, want 2", name, n)
		}
	}
}

// sumsOf adds up columns of the first row of a table.
func sumsOf(t *testing.T, table *store.Table, columns ...string) (n uint64) {
	t.Helper()
	for _, name := range columns {
		column, err := store.Data[uint64](table, name)
		if err != nil {
			t.Fatal(err)
		}
		n += column[0]
	}
	return n
}

// Every analysis that ignores rows says so, and no other.
func TestIgnoredRowsAreNoted(t *testing.T) {
	t.Chdir(t.TempDir())
	n := nasty{procs: 2, refs: ops(100, trace.Load, trace.Flush, trace.Store, trace.Prefetch, trace.Ifetch), events: barriers}
	n.write(t, "x")
	for _, k := range registry.All() {
		if k.Name == "marshal" {
			continue // it reads references only near messages
		}
		effects := builtFor(t, k, trace.Header{Procs: 2}).Effects()
		_, _, errs := analyze("--run", k.Name, "-o", "d", "x")
		for _, op := range trace.Ops {
			noted := slices.ContainsFunc(regexp.MustCompile(k.Name+": no effect of (.*?) in the trace").FindAllString(errs, -1),
				func(note string) bool { return strings.Contains(note, op.String()) })
			if want := effects.Ops[op].String() == "noted"; noted != want {
				t.Errorf("%s: %v is %v, but noted: %v\n%s", k.Name, op, effects.Ops[op], noted, errs)
			}
		}
	}
}

// Caches that no reference of an operation enters say so, and which level to add.
func TestUnservedOperationsAreNoted(t *testing.T) {
	t.Chdir(t.TempDir())
	all := trace.Ops
	n := nasty{procs: 2, refs: ops(100, all[0], all[1], all[2], all[3], all[4], all[0]), events: barriers}
	n.write(t, "x")
	(&nasty{procs: 1, refs: ops(1, trace.Load)}).write(t, "one")
	for _, c := range []struct{ refs, caches, want string }{
		{"data", "L1i=32KiB/8/64B,LL=1MiB/16/64B", "100 loads and stores, 34 prefetches, 32 flushes in the trace, because no first level of the caches serves them; add L1d=32KiB/8/64B to --cache"},
		{"all", "L1i=32KiB/8/64B,LL=1MiB/16/64B", "100 loads and stores, 34 prefetches in the trace, because no first level of the caches serves them; add L1d=32KiB/8/64B to --cache"},
		{"all", "L1d=32KiB/8/64B,LL=1MiB/16/64B", "34 ifetches in the trace, because no first level of the caches serves them; add L1i=32KiB/8/64B to --cache"},
		{"ifetch", "L1d=32KiB/8/64B", "34 ifetches, 32 flushes in the trace, because no first level of the caches serves them; add L1i=32KiB/8/64B to --cache"},
		{"all", "L1d=32KiB/8/64B,tlb=64/4/4KiB", "34 ifetches in the trace, because no first level of the caches"},
		{"all", "L1=32KiB/8/64B,itlb=64/4/4KiB", "100 loads and stores, 34 prefetches in the trace, because no first level of the TLBs serves them; add dtlb=64/4/4KiB to --cache"},
		{"all", "L1i=32KiB/8/64B,itlb=64/4/4KiB", "because no first level of the caches and TLBs serves them; add L1d=32KiB/8/64B,dtlb=64/4/4KiB to --cache"},
		{"all", "L1=32KiB/8/64B", ""},
		{"data", "L1d=32KiB/8/64B", ""},
		{"all", "L1d=32KiB/8/64B --cache L1i=32KiB/8/64B", ""},
	} {
		t.Run(fmt.Sprintf("%v %v", c.refs, c.caches), func(t *testing.T) {
			args := strings.Fields("--run cache -o d --refs " + c.refs + " --cache " + c.caches + " x")
			status, _, errs := analyze(args...)
			if status != stage.Done || c.want == "" && strings.Contains(errs, "no effect") || !strings.Contains(errs, c.want) {
				t.Errorf("%s: status %d: %s; want %q", args, status, errs, c.want)
			}
		})
	}
	_, _, errs := analyze("--run", "cache", "--cache", "L1i=32KiB/8/64B", "-o", "d", "one")
	if want := "cache: no effect of 1 load or store in the trace, because"; !strings.Contains(errs, want) {
		t.Errorf("got %q, want %q", errs, want)
	}
}

// The references that are measured are those of --refs, and tables say which.
func TestRefs(t *testing.T) {
	t.Chdir(t.TempDir())
	n := nasty{procs: 1, refs: ops(90, trace.Load, trace.Ifetch, trace.Store)}
	n.write(t, "x")
	for refs, want := range map[string]uint64{"data": 60, "ifetch": 30, "all": 90} {
		t.Run(refs, func(t *testing.T) {
			for _, run := range []string{"reuse", "reuse_time", "cache"} {
				must(t, "--run "+run+" --cache L1=1KiB/2/64B --refs "+refs+" -o d x")
				table, err := store.ReadTable("d/" + run + ".arrow")
				if err != nil {
					t.Fatal(err)
				}
				if got := table.Fact("refs"); got != refs {
					t.Errorf("%s --refs %s: the table says %q", run, refs, got)
				}
				if run == "cache" {
					continue
				}
				counts, err := store.Data[uint64](table, "count")
				if err != nil {
					t.Fatal(err)
				}
				sum := uint64(0)
				for _, c := range counts {
					sum += c
				}
				if run == "reuse" && sum != want {
					t.Errorf("%s --refs %s: %d uses, want %d", run, refs, sum, want)
				}
			}
		})
	}
	if status, _, errs := analyze("--refs", "loads", "-o", "d", "x"); status != 2 || !strings.Contains(errs, "data") {
		t.Errorf("status %d: %s", status, errs)
	}
}

// A prefetch is of data. So instruction fetches do not see it, and no note is about it.
func TestFetchesSeeNoPrefetches(t *testing.T) {
	t.Chdir(t.TempDir())
	refs := func(prefetch bool) func(trace.Proc, *trace.Refs) {
		return func(_ trace.Proc, r *trace.Refs) {
			for i := range uint64(300) {
				at := i * 7919 % 23 * 64
				if i%3 == 1 && prefetch {
					r.Append(1, at, 64, trace.Prefetch)
				} else if i%3 == 1 {
					r.Append(1, 0x8000, 64, trace.Load)
				}
				r.Append(1, at, 4, trace.Ifetch)
				if i%17 == 0 {
					r.Append(1, at, 64, trace.Flush)
				}
			}
		}
	}
	for name, prefetch := range map[string]bool{"with": true, "without": false} {
		(&nasty{procs: 2, refs: refs(prefetch), events: barriers}).write(t, name)
	}
	for _, run := range []string{"reuse", "cache", "sharing", "coherent", "reuse_time", "footprint"} {
		t.Run(run, func(t *testing.T) {
			for _, more := range []string{"", ",reuse"} {
				for _, name := range []string{"with", "without"} {
					status, _, errs := analyze("--run", run+more, "--cache", "L1=1KiB/2/64B", "--refs", "ifetch", "-o", "d-"+name, name)
					if status != stage.Done || strings.Contains(errs, "prefetch") {
						t.Errorf("%s%s: status %d: %s", run, more, status, errs)
					}
				}
				with, without := columnsOf(t, "d-with/"+run+".arrow"), columnsOf(t, "d-without/"+run+".arrow")
				if with != without {
					t.Errorf("%s%s: prefetches have an effect:\n%s\n%s", run, more, with, without)
				}
			}
		})
	}
}

// columnsOf returns the columns of a table as text.
func columnsOf(t *testing.T, path string) string {
	t.Helper()
	table, err := store.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(table.Columns)
}

// With --run all, an analysis that does not apply is skipped with a note.
func TestAllSkipsWhatDoesNotApply(t *testing.T) {
	t.Chdir(t.TempDir())
	(&nasty{procs: 2, refs: ops(100, trace.Ifetch), events: barriers}).write(t, "x")
	status, out, errs := analyze("--run", "all", "-o", "d", "x")
	if status != stage.Done || !strings.Contains(errs, "skipping footprint: ") || strings.Contains(out, "footprint\n") || !strings.Contains(out, "cache\n") {
		t.Errorf("status %d: %s\n%s", status, errs, out)
	}
	status, _, errs = analyze("--run", "all", "--procs", "0", "-o", "first", "x")
	if status != stage.Done || !strings.Contains(errs, "skipping") {
		t.Errorf("a part: status %d: %s", status, errs)
	}
	if status, _, errs = analyze("--run", "all", "--procs", "1", "-o", "second", "x"); status != stage.Done {
		t.Errorf("a part: status %d: %s", status, errs)
	}
	if status, _, errs = analyze("merge", "first", "second", "-o", "both"); status != stage.Done {
		t.Errorf("merge: status %d: %s", status, errs)
	}
}

// The caches of nodes have the first number of sets.
func TestSetsKeepTheirOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "x", 2, 3, 50)
	for sets, first := range map[string]string{"64,16": "64, ", "16,64": "16, "} {
		must(t, "--run phases --per-node 2 --sets "+sets+" -o d x")
		table, err := store.ReadTable("d/traffic.arrow")
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Fact("caches of misses"); !strings.HasPrefix(got, first) {
			t.Errorf("--sets %s: caches of %s", sets, got)
		}
	}
}

// A few large references cannot need much memory by small lines.
func TestLargeReferencesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	(&nasty{procs: 1, refs: func(_ trace.Proc, r *trace.Refs) { fill(r, 300, 1, 1<<20, 65535) }}).write(t, "x")
	status, _, errs := analyze("--run", "reuse", "--line", "1B", "-o", "d", "x")
	if status != stage.Failed || !strings.Contains(errs, "larger line size") {
		t.Errorf("status %d: %s", status, errs)
	}
	must(t, "--run reuse -o d x")
}
