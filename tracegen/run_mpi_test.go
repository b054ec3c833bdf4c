package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spoor/traces/format"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// TestMain lets the test's binary be tracegen, for launchers.
func TestMain(m *testing.M) {
	if os.Getenv("SPOOR_TEST_IS_TRACEGEN") != "" {
		os.Exit(stage.Main(command, stage.OS(), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// mpis are the libraries of MPI that are tested.
var mpis = []string{"openmpi", "mpich"}

// mpi is one of them.
type mpi struct{ name string }

// withMPI runs a test under each MPI, in a folder of its own.
func withMPI(t *testing.T, tools []string, test func(t *testing.T, m mpi)) {
	for _, name := range mpis {
		t.Run(name, func(t *testing.T) {
			for _, tool := range append([]string{"mpicc." + name, "mpirun." + name}, tools...) {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skip(tool + " is not installed")
				}
			}
			cache := filepath.Join(os.TempDir(), "spoor-recorder-tests")
			t.Setenv("XDG_CACHE_HOME", cache)
			t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
			t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
			t.Setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")
			t.Setenv("OMPI_MCA_mpi_yield_when_idle", "1")
			test(t, mpi{name})
		})
	}
}

// build compiles a program of the recorder's testdata into the current folder.
func (m mpi) build(t *testing.T, source, root string, flags ...string) {
	t.Helper()
	compiler := "mpicc." + m.name
	if strings.HasSuffix(source, "90") {
		compiler = "mpif90." + m.name
	}
	path := filepath.Join(root, "recorder", "testdata", source)
	if out, err := exec.Command(compiler, append(flags, "-w", "-o", "program", path)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// run records the program with some ranks.
func (m mpi) run(t *testing.T, ranks int, args ...string) (status int, out, errs string) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SPOOR_TEST_IS_TRACEGEN", "1")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // MPI may wait for ever
	defer cancel()
	cmd := exec.CommandContext(ctx, "mpirun."+m.name, append([]string{"-np", fmt.Sprint(ranks), binary, "run"}, args...)...)
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// eventLines are the events of MPI of a processor, as the programs of testdata log them.
func eventLines(t *testing.T, f trace.Source, p trace.Proc) (lines []string) {
	t.Helper()
	for b, err := range f.Events(p) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range b.Rows {
			switch e.Kind {
			case trace.Compute, trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag: // of libraries, before and after main
				continue
			case trace.Wait, trace.Test:
				e.Bytes = 0
			}
			lines = append(lines, fmt.Sprintf("%v %d %d %d", e.Kind, e.Peer, e.Tag, e.Bytes))
		}
	}
	return lines
}

// agrees compares the events of a rank with its own log.
func agrees(t *testing.T, f trace.Source, p trace.Proc, log string) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	want, have := strings.Split(strings.TrimSpace(string(text)), "\n"), eventLines(t, f, p)
	for i := range want {
		if i >= len(have) || want[i] != have[i] {
			t.Fatalf("processor %d, event %d: have %q, want %q", p, i, have[min(i, len(have)):min(i+2, len(have))], want[max(0, i-2):i+1])
		}
	}
	if len(have) != len(want) {
		t.Errorf("processor %d: %d events, want %d: %q", p, len(have), len(want), have[len(want):])
	}
}

// sound opens a trace that obeys all invariants.
func soundTrace(t *testing.T, prefix string) *store.Trace {
	t.Helper()
	f, err := store.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := trace.Check(f); err != nil {
		t.Error(err)
	}
	return f
}

// TestRunRecordsEveryCallOfMPI: the events are those of the program's own log.
func TestRunRecordsEveryCallOfMPI(t *testing.T) {
	root, _ := os.Getwd()
	withMPI(t, nil, func(t *testing.T, m mpi) {
		t.Chdir(t.TempDir())
		m.build(t, "mpi_all.c", root)
		status, _, errs := m.run(t, 4, "--fast", "-o", "x", "--", "./program", "log")
		if status != 0 {
			t.Fatalf("status %d: %s", status, errs)
		}
		f := soundTrace(t, "x")
		for p := range trace.Proc(4) {
			agrees(t, f, p, fmt.Sprintf("log.%d", p))
		}
		for _, want := range []string{"4 of MPI_Put", "4 of MPI_Neighbor_alltoall", "4 of MPI_File_write_at_all", "4 cancelled requests left out"} {
			if !slices.ContainsFunc(f.Header().Notes, func(n string) bool { return strings.Contains(n, want) }) {
				t.Errorf("no note %q: %q", want, f.Header().Notes)
			}
		}
		column := trace.Event{Count: 8, Block: 8, Stride: 64}
		found := 0
		for b, err := range f.Events(0) {
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range b.Rows {
				if e.Tag == 50 && e.Count == column.Count && e.Block == column.Block && e.Stride == column.Stride || e.Tag == 51 && e.Count == 3 && e.Block == 16 && e.Stride == 64 {
					found++
				}
			}
		}
		if found != 4 {
			t.Errorf("%d messages have the layout of a column or a part, not 4", found)
		}
		if left, _ := filepath.Glob("x.ranks*"); len(left) > 0 {
			t.Errorf("parts are left: %v", left)
		}
	})
}

// TestRunRecordsFortran: all three ways to call MPI from Fortran are recorded.
func TestRunRecordsFortran(t *testing.T) {
	root, _ := os.Getwd()
	withMPI(t, []string{"gfortran"}, func(t *testing.T, m mpi) {
		t.Chdir(t.TempDir())
		for _, binding := range []string{"OLD", "MIDDLE", "NEW"} {
			m.build(t, "mpi_ring.F90", root, "-D"+binding)
			if status, _, errs := m.run(t, 4, "--fast", "-o", "x", "--", "./program"); status != 0 {
				t.Fatalf("%s: status %d: %s", binding, status, errs)
			}
			f := soundTrace(t, "x")
			for p := range 4 {
				last := fmt.Sprintf("send %d 7 4", p+1)
				if p%2 == 1 {
					last = fmt.Sprintf("recv %d 7 4", p-1)
				}
				next, before := (p+1)%4, (p+3)%4
				want := []string{fmt.Sprintf("irecv %d 5 32", before), fmt.Sprintf("isend %d 5 32", next), "wait -1 -1 0", "wait -1 -1 0",
					fmt.Sprintf("isend %d 6 8", next), fmt.Sprintf("recv %d 6 8", before), "wait -1 -1 0", "bcast 1 -1 12", "allreduce -1 -1 8",
					"barrier -1 -1 0", "allgather -1 -1 8", last}
				if have := eventLines(t, f, trace.Proc(p)); !slices.Equal(have, want) {
					t.Errorf("%s: rank %d: %q, want %q", binding, p, have, want)
				}
			}
		}
	})
}

// TestRunFastEnds: the status is the program's. What the ranks did until they were killed is kept.
func TestRunFastEnds(t *testing.T) {
	root, _ := os.Getwd()
	withMPI(t, nil, func(t *testing.T, m mpi) {
		t.Chdir(t.TempDir())
		m.build(t, "mpi_ends.c", root)
		if status, _, errs := m.run(t, 2, "--fast", "-o", "x", "--", "./program", "end"); status != 5 {
			t.Errorf("status %d: %s", status, errs)
		}
		soundTrace(t, "x")
		if status, _, errs := m.run(t, 2, "--fast", "-o", "y", "--", "./program", "never"); status != 7 && status != 1 || !strings.Contains(errs, "did not come out of MPI_Init") {
			t.Errorf("status %d: %s", status, errs)
		}
		if left, _ := filepath.Glob("y*"); len(left) > 0 {
			t.Errorf("files are left: %v", left)
		}
		if status, _, errs := m.run(t, 2, "--fast", "-o", "z", "--", "./program", "kill"); status == 0 {
			t.Errorf("status %d: %s", status, errs)
		}
		if f, err := store.Open("z"); err == nil { // the launcher left it the time
			f.Close()
			return
		}
		files, _ := filepath.Glob("z.ranks/*.mpi")
		r, _, err := format.JoinRanks(t.Context(), files, nil, discard{})
		if err != nil || r.Lines != 2 || !strings.Contains(strings.Join(r.Notes, "\n"), "2 ranks ended without MPI_Finalize") {
			t.Errorf("%v: %+v", err, r)
		}
	})
}

// TestRunFastRefuses: one error, and no files.
func TestRunFastRefuses(t *testing.T) {
	root, _ := os.Getwd()
	withMPI(t, []string{"mpicc.openmpi", "mpicc.mpich"}, func(t *testing.T, m mpi) {
		if m.name != "openmpi" {
			return // it would compile the recorder once more
		}
		t.Chdir(t.TempDir())
		m.build(t, "mpi_ends.c", root)
		refused := func(want string, args ...string) {
			t.Helper()
			status, out, errs := tracegen(append([]string{"run", "-o", "x"}, args...)...)
			if status == 0 || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "spoor: tracegen") != 1 {
				t.Errorf("%v: status %d, %q: %s", args, status, out, errs)
			}
		}
		refused("uses no shared library of MPI", "--fast", "--", "ls")
		refused("--fetches is for recordings under QEMU", "--fast", "--fetches", "--", "./program", "end")
		refused("--print-shim prints a source", "--print-shim")
		other, err := exec.LookPath("mpicc." + mpis[1-slices.Index(mpis, m.name)])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir("bin", 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", "bin")
		refused("is not there; it compiles the recorder of MPI calls; install it: apt-get install lib"+m.name, "--fast", "--", "./program", "end")
		if err := os.WriteFile("bin/mpicc."+m.name, []byte("#!/bin/sh\nexec "+other+" \"$@\"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		bin, _ := filepath.Abs("bin")
		t.Setenv("PATH", bin+":/usr/bin:/bin")
		refused("put the mpicc of the program's MPI first in PATH", "--fast", "--", "./program", "end")
		if left, _ := filepath.Glob("x*"); len(left) > 0 {
			t.Errorf("files are left: %v", left)
		}
	})
}
