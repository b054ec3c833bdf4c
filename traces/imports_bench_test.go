package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spoor/traces/stage"
)

// BenchmarkImports imports compressed text by the whole command, beside `zstd -dc FILE | wc -l`, which only decompresses it and finds
// its lines. Rates are of the decompressed text: per second of wall time, and of the time of one core.
func BenchmarkImports(b *testing.B) {
	for _, name := range []string{"zstd", "wc"} {
		if _, err := exec.LookPath(name); err != nil {
			b.Skip(name + " is not installed: apt-get install zstd coreutils")
		}
	}
	for _, input := range []struct {
		name  string
		write func(b *testing.B, path string)
	}{
		{"lackey", writeLog}, {"din", exportedLog}, {"csv", exportedLog}, {"goal", writeRing}, {"simgrid-ti", writeActions},
		{"dimemas", writeRecords}, {"paraver", exportedRing},
	} {
		b.Run(input.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "x."+input.name)
			input.write(b, path)
			text, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			execute(b, exec.Command("zstd", "-q", "-3", "--rm", path))
			beside(b, path+".zst", len(text), bytes.Count(text, []byte{'\n'}))
		})
	}
}

// beside runs both commands by turns on a file of so many bytes and lines of text.
func beside(b *testing.B, path string, size, lines int) {
	b.Setenv(asCommand, "1")
	prefix := filepath.Join(b.TempDir(), "x")
	format := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(path, ".zst")), ".")
	var ours, theirs usage
	for range b.N {
		ours.add(b, exec.Command(os.Args[0], "import", "-q", "--from", format, path, "-o", prefix))
		count := exec.Command("wc", "-l")
		decompress := exec.Command("zstd", "-dc", path)
		out, err := decompress.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		count.Stdin = out
		if got := theirs.add(b, decompress, count); strings.TrimSpace(got) != fmt.Sprint(lines) {
			b.Fatalf("wc finds %s lines of %d", got, lines)
		}
	}
	all := float64(size) * float64(b.N) / 1e6
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(all/ours.wall.Seconds(), "MB/s")
	b.ReportMetric(all/theirs.wall.Seconds(), "zstd-MB/s")
	b.ReportMetric(all/ours.core.Seconds(), "MB/core-s")
	b.ReportMetric(all/theirs.core.Seconds(), "zstd-MB/core-s")
	b.ReportMetric(float64(lines)*float64(b.N)/1e6/ours.core.Seconds(), "Mlines/core-s")
}

// usage is the time of commands.
type usage struct{ wall, core time.Duration }

// add runs commands at the same time, and returns what the last one prints.
func (u *usage) add(b *testing.B, commands ...*exec.Cmd) string {
	b.Helper()
	var out bytes.Buffer
	commands[len(commands)-1].Stdout = &out
	start := time.Now()
	for _, c := range commands {
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			b.Fatal(err)
		}
	}
	for i := len(commands) - 1; i >= 0; i-- { // the last one reads from the others
		if err := commands[i].Wait(); err != nil {
			b.Fatal(err)
		}
		u.core += commands[i].ProcessState.UserTime() + commands[i].ProcessState.SystemTime()
	}
	u.wall += time.Since(start)
	return out.String()
}

func execute(b *testing.B, c *exec.Cmd) {
	b.Helper()
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}

// runsOfLog is the number of runs in the log: with fewer, the start of the command would count.
const runsOfLog = 4

// writeLog writes the log of several runs of gzip.
func writeLog(b *testing.B, path string) {
	execute(b, exec.Command("zstd", "-q", "-dc", "../data/sample/gzip.log.zst", "-o", path))
	one, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, bytes.Repeat(one, runsOfLog), 0o666)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// exportedLog writes the references of the log in the format that is the suffix of path.
func exportedLog(b *testing.B, path string) {
	exported(b, writeLog, "lackey", path)
}

// exportedRing writes the timeline of a ring.
func exportedRing(b *testing.B, path string) {
	exported(b, func(b *testing.B, path string) { writeRanks(b, path, ringActions, roundsOfRing/4) }, "simgrid-ti", path)
}

// exported imports what write writes, and exports it in the format that is the suffix of path.
func exported(b *testing.B, write func(b *testing.B, path string), from, path string) {
	prefix := filepath.Join(b.TempDir(), "x")
	write(b, prefix)
	for _, args := range [][]string{
		{"import", "--from", from, prefix, "-o", prefix},
		{"export", prefix, "--to", strings.TrimPrefix(filepath.Ext(path), "."), "-o", path},
	} {
		if status, _, errs := traces(nil, args...); status != stage.Done {
			b.Fatal(errs)
		}
	}
}

// The ranks of a ring compute, send to the next rank and receive from the previous one, again and again.
const ranksOfRing, roundsOfRing = 64, 20000

// ringPart writes the start of a text if round is -2, the start of a rank if it is -1, one round, or the end of a rank.
type ringPart func(w *bufio.Writer, r, round, rounds int)

// ringWork is the work of a rank in a round.
func ringWork(r, round int) int { return 20000 + (r*7919+round*104729)%2000 }

func nextOf(r int) int     { return (r + 1) % ranksOfRing }
func previousOf(r int) int { return (r + ranksOfRing - 1) % ranksOfRing }

// writeRing writes a schedule.
func writeRing(b *testing.B, path string) { writeRanks(b, path, ringSchedule, roundsOfRing) }

// writeActions writes a time-independent trace.
func writeActions(b *testing.B, path string) { writeRanks(b, path, ringActions, roundsOfRing) }

// writeRecords writes a trace of Dimemas.
func writeRecords(b *testing.B, path string) { writeRanks(b, path, ringRecords, roundsOfRing) }

func writeRanks(b *testing.B, path string, part ringPart, rounds int) {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	part(w, 0, -2, rounds)
	for r := range ranksOfRing {
		for round := -1; round <= rounds; round++ {
			part(w, r, round, rounds)
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

func ringSchedule(w *bufio.Writer, r, round, rounds int) {
	switch l := 3 * round; round {
	case -2:
		fmt.Fprintf(w, "num_ranks %d\n", ranksOfRing)
	case -1:
		fmt.Fprintf(w, "\nrank %d {\nl0: calc 0\n", r)
	case rounds:
		fmt.Fprintln(w, "}")
	default:
		fmt.Fprintf(w, "l%d: calc %d\nl%d requires l%d\n", l+1, ringWork(r, round), l+1, l)
		fmt.Fprintf(w, "l%d: send 8192b to %d tag 1\nl%d requires l%d\n", l+2, nextOf(r), l+2, l+1)
		fmt.Fprintf(w, "l%d: recv 8192b from %d tag 1\nl%d requires l%d\n", l+3, previousOf(r), l+3, l+2)
	}
}

func ringActions(w *bufio.Writer, r, round, rounds int) {
	switch round {
	case -2:
		for r := range ranksOfRing {
			fmt.Fprintf(w, "%d init\n", r)
		}
	case -1:
	case rounds:
		fmt.Fprintf(w, "%d finalize\n", r)
	default:
		fmt.Fprintf(w, "%d compute %d\n%d irecv %d 1 1024 0\n", r, ringWork(r, round), r, previousOf(r))
		fmt.Fprintf(w, "%d isend %d 1 1024 0\n%d wait %d %d 1\n%d wait %d %d 1\n", r, nextOf(r), r, previousOf(r), r, r, r, nextOf(r))
	}
}

func ringRecords(w *bufio.Writer, r, round, rounds int) {
	switch round {
	case -2:
		fmt.Fprintf(w, "#DIMEMAS:\"ring\":0:%d(1%s),0\n", ranksOfRing, strings.Repeat(",1", ranksOfRing-1))
	case -1, rounds:
	default:
		fmt.Fprintf(w, "1:%d:0:%.9f\n3:%d:0:%d:-1:8192:1:0:1\n", r, float64(ringWork(r, round))/1e9, r, previousOf(r))
		fmt.Fprintf(w, "2:%d:0:%d:-1:8192:1:0:0\n3:%d:0:%d:-1:8192:1:0:2\n", r, nextOf(r), r, previousOf(r))
	}
}
