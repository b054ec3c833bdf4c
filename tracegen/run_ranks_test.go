package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"spoor/traces/store"
	"spoor/traces/symbols"
	"spoor/traces/trace"
)

// TestRunPlacesCallsOfMPI: under QEMU, each call has its place among the references, and MPI itself is left out.
func TestRunPlacesCallsOfMPI(t *testing.T) {
	root, _ := os.Getwd()
	withMPI(t, []string{"qemu-x86_64"}, func(t *testing.T, m mpi) {
		if m.name != "openmpi" {
			return // its calls are seen in the same way; TestRunRecordsRanksWithThreads has both
		}
		t.Chdir(t.TempDir())
		m.build(t, "mpi_all.c", root)
		status, _, errs := m.run(t, 4, "-o", "x", "--", "./program", "log")
		if status != 0 {
			t.Fatalf("status %d: %s", status, errs)
		}
		f := soundTrace(t, "x")
		for p := range trace.Proc(4) {
			agrees(t, f, p, fmt.Sprintf("log.%d", p))
		}
	})
}

// TestRunRecordsRanksWithThreads: a rank with two threads is two processors.
func TestRunRecordsRanksWithThreads(t *testing.T) {
	root, _ := os.Getwd()
	withMPI(t, []string{"qemu-x86_64"}, func(t *testing.T, m mpi) {
		t.Chdir(t.TempDir())
		m.build(t, "mpi_threads.c", root, "-fopenmp", "-O1")
		status, out, errs := m.run(t, 2, "-o", "x", "--", "./program")
		if status != 0 || out != "57344\n" {
			t.Fatalf("status %d, %q: %s", status, out, errs)
		}
		f := soundTrace(t, "x")
		if n := f.Header().Procs; n != 4 {
			t.Fatalf("%d processors, not 4: %s", n, errs)
		}
		for p := range trace.Proc(4) {
			kinds, group := kindsOfRank(t, f, p)
			calls, refs := 3*int(1-p%2), f.Totals(p).Refs
			if kinds[trace.AllReduce] != calls || kinds[trace.Isend] != calls || kinds[trace.Recv] != calls || kinds[trace.Marker] != 0 {
				t.Errorf("processor %d: %v", p, kinds)
			}
			if calls > 0 && group < 0 {
				t.Error("the collectives are of all processors, but threads do not take part")
			}
			if refs < 3*2*2048 || refs > 60000 {
				t.Errorf("processor %d has %d references", p, refs)
			}
		}
		if !strings.Contains(errs, "rank 1 is processors 2 to 3") {
			t.Errorf("no note on the processors: %s", errs)
		}
		checkNamesOfRanks(t, f)
	})
}

// checkNamesOfRanks: the threads of each rank use the rank's own array a, in its function main.
func checkNamesOfRanks(t *testing.T, f *store.Trace) {
	t.Helper()
	rows := placesOf(t, "x", f)
	own := slices.DeleteFunc(slices.Clone(rows), func(r symbols.Row) bool { return r.Module != "program" })
	for rank := range trace.Proc(2) {
		uses := 0
		for b, err := range f.Refs(2*rank, 2*rank+1) {
			if err != nil {
				t.Fatal(err)
			}
			for i, addr := range b.Addr {
				data, code := having(own, symbols.Global, addr), having(own, symbols.Code, b.PC[i])
				if len(data) == 1 && data[0].Name == "a" && len(code) == 1 && strings.HasPrefix(code[0].Name, "main") && addr>>56 == uint64(rank) {
					uses++
				}
			}
		}
		if uses != 3*2*4096 {
			t.Errorf("the threads of rank %d use a %d times, not %d", rank, uses, 3*2*4096)
		}
	}
	for _, r := range rows {
		if r.Kind == symbols.Stack && uint64(r.Begin.Proc/2) != r.Addr>>56 {
			t.Errorf("processor %d has a stack at %#x", r.Begin.Proc, r.Addr)
		}
	}
}

// kindsOfRank counts the events of a processor of two ranks with two threads, and returns the group of its collectives.
func kindsOfRank(t *testing.T, f trace.Source, p trace.Proc) (kinds map[trace.Kind]int, group int32) {
	t.Helper()
	kinds, group = map[trace.Kind]int{}, trace.None
	for b, err := range f.Events(p) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range b.Rows {
			kinds[e.Kind]++
			if e.Kind == trace.Isend && e.Peer != (int32(p)+2)%4 {
				t.Errorf("processor %d sends to %d", p, e.Peer)
			}
			if e.Kind == trace.AllReduce {
				group = e.Group
			}
		}
	}
	return kinds, group
}
