package main

import (
	"bytes"
	encoding "encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spoor/traces/store"
	"spoor/traces/testmemory"
	"spoor/traces/trace"
)

// howToBuildFreeze says how to build the fastest other program that finds exact stack distances.
const howToBuildFreeze = `INCREMENT_AND_FREEZE is not set. Build the peer:
  driver=$PWD/analyze/testdata/increment-and-freeze/driver.cc
  git clone https://github.com/etwest/Increment-and-Freeze && cd Increment-and-Freeze
  g++ -std=c++17 -O3 -DNDEBUG -DADDR_BIT32 -march=native -D_GLIBCXX_PARALLEL -fopenmp -I. $driver increment_and_freeze.cc projection.cc -o driver
  export INCREMENT_AND_FREEZE=$PWD/driver`

// distanceStreams are references to lines.
var distanceStreams = []struct {
	name string
	next func(*rand.Rand) uint64
}{
	{"uniform1M", func(r *rand.Rand) uint64 { return r.Uint64N(1 << 20) }},
	{"zipf4M", func(r *rand.Rand) uint64 { return zipf(r, 1<<22) }},
}

// BenchmarkDistances finds the distances of 20 million references by the whole command on one core, from its file to its tables, beside
// Increment-and-Freeze. The time of that program does not include its file.
func BenchmarkDistances(b *testing.B) {
	const n = 20_000_000
	bin := filepath.Join(b.TempDir(), "analyze")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, s := range distanceStreams {
		prefix, binary := filepath.Join(b.TempDir(), "x"), filepath.Join(b.TempDir(), "lines")
		writeStream(b, prefix, binary, n, s.next)
		b.Run(s.name+"/spoor", func(b *testing.B) {
			timeDistances(b, n, false, "GOMAXPROCS=1", bin, "--quiet", "--run", "reuse", "-o", filepath.Join(b.TempDir(), "d"), prefix)
		})
		b.Run(s.name+"/increment-and-freeze", func(b *testing.B) {
			peer := os.Getenv("INCREMENT_AND_FREEZE")
			if peer == "" {
				b.Skip(howToBuildFreeze)
			}
			timeDistances(b, n, true, "OMP_NUM_THREADS=1", peer, binary)
		})
	}
}

// writeStream writes n references as a trace, and their lines. It holds few of them at a time, so that the test has little memory: see
// testmemory.Run.
func writeStream(b *testing.B, prefix, binary string, n int, next func(*rand.Rand) uint64) {
	head := trace.Header{Program: "stream", Format: "test", Procs: 1, WorkUnit: trace.WorkInstr, Tool: "test"}
	w, err := store.Create(prefix, head)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	f, err := os.Create(binary)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r := rand.New(rand.NewPCG(1, 1))
	const atOnce = 1 << 16
	for left := n; left > 0; left -= atOnce {
		var refs trace.Refs
		lines := make([]uint32, min(left, atOnce))
		for i := range lines {
			lines[i] = uint32(next(r))
			refs.Append(1, uint64(lines[i])*64, 8, trace.Load)
		}
		if err := errors.Join(w.Refs(&refs), encoding.Write(f, encoding.LittleEndian, lines)); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(head); err != nil {
		b.Fatal(err)
	}
}

// timeDistances runs a command b.N times. It reports the speed and the most memory of a run. The time is what the command prints first, or
// else that of the whole command.
func timeDistances(b *testing.B, refs int, prints bool, env string, command ...string) {
	sum, most := time.Duration(0), int64(0)
	for range b.N {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), env)
		var out bytes.Buffer
		cmd.Stdout = &out
		took, memory := testmemory.Run(b, cmd)
		if prints {
			var err error
			seconds, _, _ := strings.Cut(strings.TrimSpace(out.String()), " ")
			if took, err = time.ParseDuration(seconds + "s"); err != nil {
				b.Fatal(err)
			}
		}
		sum += took
		most = max(most, memory)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(refs*b.N)/sum.Seconds()/1e6, "Mrefs/s")
	b.ReportMetric(float64(most)/1e6, "MB")
}
