package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"spoor/traces/store"
)

// recorded are programs whose recording is timed, with an argument for Spoor and a smaller one for lackey.
var recorded = []struct{ name, size, small string }{{"sort", "1000000", "20000"}, {"product", "400", "40"}}

// BenchmarkRun records programs by the whole command, from the program to the finished files, beside valgrind's lackey and the
// program alone.
func BenchmarkRun(b *testing.B) {
	for _, tool := range []string{"qemu-x86_64", "gcc", "valgrind", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			b.Skip(tool + " is not installed")
		}
	}
	dir := b.TempDir()
	command := filepath.Join(dir, "tracegen")
	execute(b, "go", "build", "-o", command, ".")
	for _, p := range recorded {
		program := filepath.Join(dir, p.name)
		execute(b, "gcc", "-O2", "-o", program, filepath.Join("testdata", "bench", p.name+".c"))
		execute(b, command, "run", "-q", "-o", program, "--", program, "10") // compiles the plugin
		b.Run(p.name+"/spoor", func(b *testing.B) { timeRecording(b, command, program, p.size) })
		b.Run(p.name+"/lackey", func(b *testing.B) { timeLackey(b, program, p.small) })
	}
}

func execute(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	start := time.Now()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", name, err, out)
	}
	return time.Since(start)
}

func timeRecording(b *testing.B, command, program, size string) {
	var took, native time.Duration
	for range b.N {
		native += execute(b, program, size)
		took += execute(b, command, "run", "-q", "-o", program, "--", program, size)
	}
	f, err := store.Open(program)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	refs, bytes := 0, int64(0)
	for batch, err := range f.Refs() {
		if err != nil {
			b.Fatal(err)
		}
		refs += batch.Len()
	}
	for _, suffix := range []string{store.RefsSuffix, store.EventsSuffix} {
		info, err := os.Stat(program + suffix)
		if err != nil {
			b.Fatal(err)
		}
		bytes += info.Size()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(refs*b.N)/took.Seconds()/1e6, "Mrefs/s")
	b.ReportMetric(float64(bytes)/float64(refs), "B/ref")
	b.ReportMetric(took.Seconds()/native.Seconds(), "native-x")
}

// timeLackey lets lackey print the references of a program, and counts them.
func timeLackey(b *testing.B, program, size string) {
	refs, start := 0, time.Now()
	for range b.N {
		cmd := exec.Command("valgrind", "--tool=lackey", "--trace-mem=yes", "--log-fd=1", program, size)
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if line := lines.Bytes(); len(line) > 1 && line[0] == ' ' && line[1] != 'I' {
				refs++
			}
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(refs)/time.Since(start).Seconds()/1e6, "Mrefs/s")
}
