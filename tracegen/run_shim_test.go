package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"spoor/traces/format"
	"spoor/traces/trace"
)

// discard is a sink.
type discard struct{}

func (discard) Refs(*trace.Refs) error     { return nil }
func (discard) Events(*trace.Events) error { return nil }

// TestPrintShim: the printed source compiles alone, and its files are imported.
func TestPrintShim(t *testing.T) {
	root, _ := os.Getwd()
	withMPI(t, nil, func(t *testing.T, m mpi) {
		if m.name != "mpich" {
			return // the parts are the same; TestRunRecordsEveryCallOfMPI compiles them for both
		}
		t.Chdir(t.TempDir())
		m.build(t, "mpi_ends.c", root)
		status, source, errs := tracegen("run", "--print-shim")
		if status != 0 || errs != "" {
			t.Fatalf("status %d: %s", status, errs)
		}
		if err := os.WriteFile("spoor_mpi.c", []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("mpicc."+m.name, "-O0", "-shared", "-fPIC", "-o", "spoor_mpi.so", "spoor_mpi.c", "-ldl").CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v: %s", err, out)
		}
		dir, _ := os.Getwd()
		cmd := exec.Command("mpirun."+m.name, "-np", "2", "env", "LD_PRELOAD="+dir+"/spoor_mpi.so", "./program", "end")
		_ = cmd.Run() // its status is 5
		files, _ := filepath.Glob("spoor-mpi/*")
		r, _, err := format.JoinRanks(t.Context(), files, nil, discard{})
		if err != nil || r.Procs != 2 || r.Lines != 4 || r.Program != "./program end" {
			t.Errorf("%v: %+v", err, r)
		}
	})
}
