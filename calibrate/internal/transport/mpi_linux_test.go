package transport

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
)

// tools puts an mpicc and an mpirun, as scripts, before all others.
func tools(t *testing.T, mpicc, mpirun string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{"mpicc": mpicc, "mpirun": mpirun} {
		if script == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// The program of both sides does all experiments, also where there is no MPI, over a part of it that two processes need.
func TestMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with a C compiler")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Log("there is no C compiler, so that nothing can be built")
		return
	}
	include, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	tools(t, fmt.Sprintf("exec cc -I '%s' -Wno-unused-function \"$@\"", include), `shift 2; exec "$@"`)
	if err := mpi.Absent(); err != nil {
		t.Fatal(err)
	}
	if err := runs(t, mpi); err != nil {
		t.Fatal(err)
	}
}

// Tools that are not there, that fail, or whose program says nothing or dies.
func TestBadMPI(t *testing.T) {
	nothing := `while [ "$1" != -o ]; do shift; done; : > "$2"`
	for _, c := range []struct{ name, mpicc, mpirun, want string }{
		{"no compiler", "echo no such header >&2; exit 1", "exit 0", "building the program of both sides with mpicc: exit status 1: no such header"},
		{"no start", nothing, "echo not enough slots >&2; exit 3", "starting both sides"},
		{"its reason", nothing, "echo not enough slots >&2; exit 3", "not enough slots"},
		{"dies later", nothing, `echo ready; read order; exit 4`, "the measuring side has failed"},
		{"nonsense", nothing, `echo ready; while read order; do echo soon; done`, "the measuring side has failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tools(t, c.mpicc, c.mpirun)
			bench, done, err := Open(mpi)
			if err == nil {
				if err = bench.Launch(0); err == nil {
					_, err = bench.Trial(packing.Point{Experiment: timing.PingPong, Bytes: 1, Count: 1})
				}
				_ = done()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	t.Setenv("PATH", t.TempDir())
	if err := mpi.Absent(); err == nil || !strings.Contains(err.Error(), "mpicc is not installed") {
		t.Errorf("without tools: %v", err)
	}
}
