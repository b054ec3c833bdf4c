package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"spoor/predict/internal/stagetest"
	"spoor/traces/testmemory"
)

// howToBuild says how to build LogGOPSim, whose finishing times are the same.
const howToBuild = `LOGGOPSIM is not set. Build the peer:
  apt-get install g++ re2c gengetopt libgraphviz-dev
  git clone https://github.com/spcl/LogGOPSim && cd LogGOPSim/src/LogGOPSim
  sed -i 's/-O0 -g/-O3/g' Makefile && make
  export LOGGOPSIM=$PWD`

// schedules are programs in GOAL, the language of LogGOPSim: each rank exchanges messages, and then computes.
var schedules = []struct {
	name              string
	ranks, iterations int
	allToAll          bool
}{{"stencil-1024", 1024, 100, false}, {"stencil-16384", 16384, 10, false}, {"alltoall-256", 256, 2, true}}

// BenchmarkSchedule replays schedules by the whole command, from its file to the printed times, beside LogGOPSim. Both programs import the
// text before that. They must end at the same nanosecond.
func BenchmarkSchedule(b *testing.B) {
	bin, peer := stagetest.Build(b, ".."), os.Getenv("LOGGOPSIM")
	for _, s := range schedules {
		dir := b.TempDir()
		text, prefix, binary := filepath.Join(dir, "s.goal"), filepath.Join(dir, "s"), filepath.Join(dir, "s.bin")
		messages := writeSchedule(b, text, s.ranks, s.iterations, s.allToAll)
		machine := filepath.Join(dir, "m.toml")
		description := fmt.Sprintf("[network]\nmodel = \"loggp\"\nL = \"2 us\"\no = \"500 ns\"\ng = \"500 ns\"\nG = \"1 ns/B\"\n[system]\ntarget = \"cow\"\nprocessors = 1\nnodes = %d\n", s.ranks)
		if err := os.WriteFile(machine, []byte(description), 0o666); err != nil {
			b.Fatal(err)
		}
		runTimed(b, filepath.Join(bin, "traces"), "import", "--quiet", text, "-o", prefix)
		var ends int64
		b.Run(s.name+"/spoor", func(b *testing.B) {
			out := reportRuns(b, messages, filepath.Join(bin, "predict"), "replay", "--quiet", prefix, "--machine", machine, "--semantics", "loggopsim", "--format", "csv")
			ends = replayedEnd(b, out)
		})
		b.Run(s.name+"/loggopsim", func(b *testing.B) {
			if peer == "" {
				b.Skip(howToBuild)
			}
			runTimed(b, filepath.Join(peer, "txt2bin"), "-i", text, "-o", binary)
			out := reportRuns(b, messages, filepath.Join(peer, "LogGOPSim"), "-f", binary, "-L", "2000", "-o", "500", "-g", "500", "-G", "1", "-O", "0", "-S", "10000000")
			if found := maximum.FindSubmatch(out); found == nil || string(found[1]) != strconv.FormatInt(ends, 10) {
				b.Fatalf("Spoor ends at %d ns, LogGOPSim: %s", ends, out)
			}
		})
	}
}

var maximum = regexp.MustCompile(`Maximum finishing time at host \d+: (\d+)`)

// replayedEnd returns the time of a program in ns.
func replayedEnd(b *testing.B, out []byte) int64 {
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil || len(rows) < 2 {
		b.Fatal(err, len(rows))
	}
	for i, name := range rows[0] {
		if strings.HasPrefix(name, "time") {
			seconds, err := strconv.ParseFloat(rows[1][i], 64)
			if err != nil {
				b.Fatal(err)
			}
			return int64(math.Round(seconds * 1e9))
		}
	}
	b.Fatal("no time in ", rows[0])
	return 0
}

// runTimed runs a command. It returns what it prints, its time and its peak of memory in bytes.
func runTimed(b *testing.B, name string, args ...string) (out []byte, took time.Duration, memory int64) {
	b.Helper()
	cmd := exec.Command(name, args...)
	var printed bytes.Buffer
	cmd.Stdout = &printed
	took, memory = testmemory.Run(b, cmd)
	return printed.Bytes(), took, memory
}

// reportRuns runs a command b.N times, and returns what it printed last.
func reportRuns(b *testing.B, messages int, name string, args ...string) (out []byte) {
	took, most := time.Duration(0), int64(0)
	for range b.N {
		var one time.Duration
		var memory int64
		out, one, memory = runTimed(b, name, args...)
		took, most = took+one, max(most, memory)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(messages*b.N)/took.Seconds()/1e6, "Mmsg/s")
	b.ReportMetric(float64(most)/1e6, "MB")
	return out
}

// writeSchedule writes a schedule, and returns the number of its messages. In a stencil, ranks exchange 8 KiB with four neighbours. Otherwise
// each rank exchanges 4 KiB with each other.
func writeSchedule(b *testing.B, path string, ranks, iterations int, allToAll bool) (messages int) {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "num_ranks %d\n", ranks)
	for r := range ranks {
		fmt.Fprintf(w, "\nrank %d {\n", r)
		label, last := 0, 0
		for i := range iterations {
			first := label + 1
			for _, m := range exchanges(r, ranks, allToAll) {
				label++
				fmt.Fprintf(w, "l%d: %s %db %s %d tag %d\n", label, m.verb, m.bytes, m.where, m.peer, m.tag)
				if last > 0 {
					fmt.Fprintf(w, "l%d requires l%d\n", label, last)
				}
			}
			messages += (label - first + 1) / 2
			label++
			fmt.Fprintf(w, "l%d: calc %d\n", label, 20000+(r*7919+i*104729)%2000)
			for m := first; m < label; m++ {
				fmt.Fprintf(w, "l%d requires l%d\n", label, m)
			}
			last = label
		}
		fmt.Fprintln(w, "}")
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return messages
}

// exchange is a message that a rank sends or receives.
type exchange struct {
	verb, where      string
	bytes, peer, tag int
}

func exchanges(r, ranks int, allToAll bool) (all []exchange) {
	if allToAll {
		for k := 1; k < ranks; k++ {
			all = append(all, exchange{"recv", "from", 4096, (r + ranks - k) % ranks, 1})
		}
		for k := 1; k < ranks; k++ {
			all = append(all, exchange{"send", "to", 4096, (r + k) % ranks, 1})
		}
		return all
	}
	cols := 1 << ((bits.Len(uint(ranks)) - 1) / 2)
	rows, x, y := ranks/cols, r%cols, r/cols
	near := [4]int{(x+1)%cols + y*cols, (x+cols-1)%cols + y*cols, x + ((y+1)%rows)*cols, x + ((y+rows-1)%rows)*cols}
	for k, p := range near {
		all = append(all, exchange{"recv", "from", 8192, p, k ^ 1})
	}
	for k, p := range near {
		all = append(all, exchange{"send", "to", 8192, p, k})
	}
	return all
}
