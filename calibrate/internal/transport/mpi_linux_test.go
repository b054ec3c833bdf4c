package transport

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/internal/marshalling"
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

// The program of both sides does all experiments over MPI, and where there is none, over sockets.
func TestMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with a C compiler")
	}
	for _, one := range []Transport{openMPI, mpich, unixInC, tcpInC} {
		t.Run(one.Name, func(t *testing.T) {
			if err := one.Absent(); err != nil {
				t.Skip(err)
			}
			if err := runs(t, one); err != nil {
				t.Fatal(err)
			}
			if err := works(t, one, 2); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The part in C packs, unpacks, scans and runs statements as package marshalling does in Go, item by item.
func TestCIsGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with a C compiler")
	}
	if err := unixInC.Absent(); err != nil {
		t.Skip(err)
	}
	program := filepath.Join(t.TempDir(), "marshal")
	if out, err := exec.Command("cc", "-O2", "-I", "mpi", "-o", program, "testdata/marshal.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	block, column, row := marshalling.Layout{Base: 3, Rows: 4, Cols: 5, Stride: 9}, marshalling.Layout{Base: 6, Rows: 5, Cols: 1, Stride: 7}, marshalling.Layout{Base: 28, Rows: 1, Cols: 7, Stride: 7}
	tasks := map[string]func(matrix, packed []int32, l marshalling.Layout){
		"p": func(m, p []int32, l marshalling.Layout) { l.Pack(p, m) }, "u": func(m, p []int32, l marshalling.Layout) { l.Unpack(m, p) },
		"c": func(m, p []int32, l marshalling.Layout) { l.Scan(m, p) },
	}
	for i, s := range marshalling.Statements {
		tasks[fmt.Sprint(i)] = func(m, _ []int32, l marshalling.Layout) { s.Run(m, l) }
	}
	matrix, packed := make([]int32, marshalling.Matrix/marshalling.Item), make([]int32, marshalling.Packed/marshalling.Item)
	for task, do := range tasks {
		layouts := []marshalling.Layout{block, column, row}
		if task == "c" {
			layouts = layouts[1:]
		}
		for _, l := range layouts {
			for i := range matrix {
				matrix[i] = int32(i) * 3
			}
			for i := range packed {
				packed[i] = int32(i) * 5
			}
			do(matrix, packed, l)
			var want strings.Builder
			const items = 60
			for i := range items {
				fmt.Fprintln(&want, matrix[i], packed[i])
			}
			arguments := fmt.Sprintf("%s %d %d %d %d %d", task, l.Base, l.Rows, l.Cols, l.Stride, items)
			got, err := exec.Command(program, strings.Fields(arguments)...).Output()
			if err != nil || string(got) != want.String() {
				t.Errorf("%s: %v, got\n%s\nwant\n%s", arguments, err, got, want.String())
			}
		}
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
