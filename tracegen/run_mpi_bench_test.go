package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spoor/tracegen/recorder"
	"spoor/traces/format"
	"spoor/traces/trace"
)

// BenchmarkMessagesOfHPCC is run by hand, since it takes a minute on a busy machine: two ranks of Debian's HPCC have as many
// messages and bytes as a plain counter sees in the same run.
//
//	go test ./tracegen -run '^$' -bench MessagesOfHPCC -benchtime 1x
func BenchmarkMessagesOfHPCC(b *testing.B) {
	input := "/usr/share/doc/hpcc/examples/_hpccinf.txt"
	text, err := os.ReadFile(input)
	if _, e := exec.LookPath("hpcc"); err != nil || e != nil {
		b.Skip("hpcc is not installed")
	}
	counter, err := filepath.Abs("recorder/testdata/mpi_count.c")
	if err != nil {
		b.Fatal(err)
	}
	b.Chdir(b.TempDir())
	dir, _ := os.Getwd()
	small := strings.NewReplacer("1000         Ns", "400 Ns", "2            Ps", "1 Ps").Replace(string(text))
	var source strings.Builder
	if err := recorder.PrintShim(&source); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"hpccinf.txt": small, "shim.c": source.String()} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	b.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
	b.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	run := func(name string, args ...string) {
		b.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	run("mpicc.openmpi", "-shared", "-fPIC", "-o", "count.so", counter)
	run("mpicc.openmpi", "-O2", "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl")
	for b.Loop() {
		run("mpirun.openmpi", "-np", "2", "--oversubscribe", "env", "LD_PRELOAD="+dir+"/count.so:"+dir+"/shim.so", "hpcc")
		checkCounts(b)
	}
}

// checkCounts compares the sends of each rank with what the counter wrote.
func checkCounts(b *testing.B) {
	if said, err := os.ReadFile("hpccoutf.txt"); err != nil || !strings.Contains(string(said), "Success=1") {
		b.Fatalf("HPCC failed: %v", err)
	}
	files, _ := filepath.Glob("spoor-mpi/*")
	sent := sends{}
	if _, _, err := format.JoinRanks(b.Context(), files, nil, sent); err != nil {
		b.Fatal(err)
	}
	for rank := range 2 {
		text, err := os.ReadFile(fmt.Sprintf("count.%d", rank))
		if err != nil {
			b.Fatal(err)
		}
		if have := fmt.Sprintln(sent[trace.Proc(rank)][0], sent[trace.Proc(rank)][1]); have != string(text) {
			b.Errorf("rank %d: messages and bytes %s, the counter has %s", rank, have, text)
		}
	}
}

// sends counts messages and bytes by processor.
type sends map[trace.Proc][2]int64

func (s sends) Refs(*trace.Refs) error { return nil }
func (s sends) Events(b *trace.Events) error {
	n := s[b.Proc]
	for _, e := range b.Rows {
		if e.Kind == trace.Send || e.Kind == trace.Isend {
			n[0], n[1] = n[0]+1, n[1]+e.Bytes
		}
	}
	s[b.Proc] = n
	return nil
}
