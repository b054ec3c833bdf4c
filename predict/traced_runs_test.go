package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"spoor/predict/internal/stagetest"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

const (
	smpFile   = "../data/machine/du2000-smp-256k.toml"
	clumpFile = "../data/machine/du2000-clump-2x2-256k-155m.toml"
)

// locked adds a lock to the events of writeTrace, which every processor takes twice.
func locked(rows []trace.Event) []trace.Event {
	var all []trace.Event
	for i, refs := range []uint64{100, 200, 1000, 1800} {
		e := trace.NewEvent([]trace.Kind{trace.Lock, trace.Unlock}[i%2])
		e.Refs, e.Peer = refs, 0
		all = append(all, e)
	}
	return append(all, rows...)
}

// otherMachines are variants of machines: messages that do not hold the network, short delays, nodes of another
// kind, and caches of different lines.
func otherMachines(t *testing.T) (files []string) {
	t.Helper()
	for name, change := range map[string][]string{
		"waiting": {`latency = "75 cycles"`, `latency = "20000 cycles"`},
		"quick":   {`bandwidth = "155 Mb/s"`, `bandwidth = "40 Gb/s"`, `latency = "75 cycles"`, `latency = "5 cycles"`, `latency = "50 cycles"`, `latency = "17.4 cycles"`},
		"mixed":   {"[system]", "[[node]]\nname = \"slow\"\ncount = 1\n[node.processor]\nclock = \"100 MHz\"\ncpi = 1\n[[node.cache]]\nsize = \"512 KiB\"\nline = \"64 B\"\nways = 2\nlatency = \"1 cycle\"\n\n[system]"},
		"touch":   {`placement = "interleaved"`, `placement = "first-touch"`},
	} {
		text, err := os.ReadFile(clumpFile)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name+".toml")
		text = []byte(strings.NewReplacer(append(change, `name = "du2000-clump-2x2-256k-155m"`, `name = "`+name+`"`)...).Replace(string(text)))
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	slices.Sort(files)
	return files
}

// Of no machine that a model supports does a prediction lack counts, with locks or without.
func TestTracesNeedNoFlags(t *testing.T) {
	machines, err := filepath.Glob("../data/machine/*.toml")
	if err != nil || len(machines) < 20 {
		t.Fatal(machines, err)
	}
	machines = append(machines, otherMachines(t)...)
	for _, procs := range []int{1, 2, 4, 8} {
		for name, change := range map[string]func([]trace.Event) []trace.Event{"free": nil, "locked": locked} {
			t.Run(fmt.Sprintf("%s %d", name, procs), func(t *testing.T) {
				prefix := writeTrace(t, name, procs, change)
				status, out, errs := predict(append([]string{"cluster", prefix, "--format", "csv"}, machines...)...)
				if status != stage.Done || strings.Count(out, ",mva,") < 5 {
					t.Fatalf("status %d: %s\n%s", status, errs, out)
				}
				for _, asks := range []string{"run analyze", "analyze again", "analyze the trace again", "were counted with misses"} {
					if before, after, found := strings.Cut(out+errs, asks); found {
						t.Errorf("it lacks counts: ...%s%s%s...", before[max(0, len(before)-200):], asks, after[:min(len(after), 200)])
					}
				}
			})
		}
	}
}

// The second run analyzes nothing and prints the same. Another trace of the same name is analyzed.
func TestTracesAreAnalyzedOnce(t *testing.T) {
	prefix := writeTrace(t, "prog", 4, locked)
	_, first, errs := predict("cluster", prefix, smpFile, clumpFile)
	if strings.Count(errs, "note: analyzing ") != 3 {
		t.Errorf("of two machines: %s", errs)
	}
	for _, args := range [][]string{{prefix}, {prefix + store.RefsSuffix}} {
		status, out, errs := predict(append([]string{"cluster", smpFile, clumpFile}, args...)...)
		if again := strings.Contains(errs, "analyzing"); status != stage.Done || again != (args[0] != prefix) || !again && out != first {
			t.Errorf("%v: status %d, %s\n%s\nfirst\n%s", args, status, errs, out, first)
		}
	}
	writeHead(t, prefix, trace.Header{Program: "other", Format: "spmd", Procs: 4, WorkUnit: trace.WorkInstr}, nil)
	status, out, errs := predict("cluster", prefix, smpFile)
	if status != stage.Done || !strings.Contains(out, "other") || !strings.Contains(errs, "note: analyzing ") || !strings.Contains(errs, "has results of another trace") {
		t.Errorf("of another trace: status %d, %s%s", status, errs, out)
	}
}

// Results that cannot be kept are used once, and leave nothing behind.
func TestTracesInFoldersWithoutRoom(t *testing.T) {
	prefix, temp := writeTrace(t, "prog", 2, locked), t.TempDir()
	t.Setenv("TMPDIR", temp)
	_, want, _ := predict("cluster", prefix, smpFile)
	if err := os.RemoveAll(prefix + ".counts"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(prefix+".counts", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		status, out, errs := predict("cluster", prefix, smpFile)
		if status != stage.Done || out != want || !strings.Contains(errs, "are not kept") || strings.Count(errs, "analyzing ") != 2 {
			t.Errorf("status %d, %s%s\nwant\n%s", status, errs, out, want)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A trace that is cut off is an error, and leaves no results.
func TestCutTraces(t *testing.T) {
	prefix := writeTrace(t, "prog", 2, nil)
	file := prefix + store.RefsSuffix
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text[:len(text)*2/3], 0o666); err != nil {
		t.Fatal(err)
	}
	status, out, errs := predict("cluster", prefix, smpFile)
	if status != stage.Failed || out != "" || !strings.Contains(errs, file) {
		t.Errorf("status %d: %s%s", status, errs, out)
	}
	if _, err := os.Stat(prefix + ".counts"); err == nil {
		t.Error("there are results")
	}
}

// A damaged result is named.
func TestDamagedResultsAreNamed(t *testing.T) {
	prefix := writeTrace(t, "prog", 2, nil)
	predict("cluster", prefix, smpFile)
	files, err := filepath.Glob(prefix + ".counts/phases-*/phases.arrow")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Truncate(files[0], 1000); err != nil {
		t.Fatal(err)
	}
	status, out, errs := predict("cluster", prefix, smpFile)
	if status != stage.Failed || out != "" || !strings.Contains(errs, "delete "+filepath.Dir(files[0])+" to analyze the trace again") {
		t.Errorf("status %d: %s%s", status, errs, out)
	}
}

// Commands that start at the same time write the same results.
func TestTracesAtTheSameTime(t *testing.T) {
	prefix := writeTrace(t, "prog", 4, locked)
	var wait sync.WaitGroup
	outs := make([]string, 4)
	for i := range outs {
		wait.Go(func() {
			status, out, errs := predict("cluster", prefix, smpFile, clumpFile)
			if outs[i] = out; status != stage.Done {
				t.Errorf("status %d: %s", status, errs)
			}
		})
	}
	wait.Wait()
	if _, again, errs := predict("cluster", prefix, smpFile, clumpFile); again != outs[0] || len(slices.Compact(outs)) != 1 || strings.Contains(errs, "analyzing") {
		t.Errorf("the outputs differ, or results are missing: %s", errs)
	}
}

// The predictions are those from the results of analyze, to the last digit.
func TestTracesEqualTheLongWay(t *testing.T) {
	bin, prefix := stagetest.Build(t, ".."), writeTrace(t, "prog", 4, locked)
	for file, flags := range map[string]string{
		smpFile:   "--line 64B,256B --sets 2048 --per-node 4 --node cache=2048x2:0,hit=1,miss=50,hold=50,upgrade=50",
		clumpFile: "--line 64B,256B --sets 2048 --per-node 2 --block 256B --placement interleaved --node-network switch --delay 3278,3275,3281 --latency 75 --control-delay 0.08897 --node cache=2048x2:0,hit=1,miss=50,hold=50,upgrade=50",
	} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "results")
			args := append([]string{"--run", "reuse,locality,phases", "-o", dir, prefix}, strings.Fields(flags)...)
			stagetest.Run(t, ".", filepath.Join(bin, "analyze"), args...)
			_, want, _ := predict("cluster", "--params", dir, file, "--format", "csv")
			if _, got, errs := predict("cluster", prefix, file, "--format", "csv"); got != want {
				t.Errorf("%s%s\nthe long way:\n%s", errs, got, want)
			}
		})
	}
}

// Only what the models need is counted.
func TestModelsDecideWhatIsCounted(t *testing.T) {
	prefix := writeTrace(t, "prog", 2, nil)
	for _, c := range []struct {
		args      string
		analyzing int
	}{{"--model curve", 1}, {"--processors 4 --model paper", 0}, {"--full", 0}, {"", 1}} {
		t.Run(c.args, func(t *testing.T) {
			args := append([]string{"cluster", prefix, smpFile}, strings.Fields(c.args)...)
			if _, _, errs := predict(args...); strings.Count(errs, "note: analyzing ") != c.analyzing {
				t.Errorf("%v: %s", args, errs)
			}
		})
	}
}

// Several runs of a program are predicted together: the models scale them, or take the one that fits.
func TestTracesOfSeveralProcessors(t *testing.T) {
	args := []string{"cluster", smpFile, "--format", "csv"}
	for _, procs := range []int{4, 1, 2} {
		args = append(args, writeTrace(t, "prog", procs, locked))
	}
	status, out, errs := predict(args...)
	if status != stage.Done || strings.Count(out, ",mva,") != 3 || strings.Contains(errs, "no prediction") {
		t.Errorf("status %d: %s%s", status, errs, out)
	}
	if _, out, errs := predict(append(args, "--processors", "3,4")...); strings.Count(out, ",curve,") != 2 || !strings.Contains(errs, "model mva needs a run with 3 processors; there are runs with 1, 2, 4") {
		t.Errorf("scaled: %s%s", errs, out)
	}
}

// The time of messages is left out only if the user says so.
func TestTracesWithMessages(t *testing.T) {
	prefix := writeTrace(t, "prog", 2, func(rows []trace.Event) []trace.Event {
		e := trace.NewEvent(trace.Bcast)
		e.Refs, e.Bytes, e.Peer = 1000, 8, 0
		return append([]trace.Event{e}, rows...)
	})
	if status, out, errs := predict("cluster", prefix, smpFile); status != stage.Failed || out != "" || !strings.Contains(errs, "has no section [network]") {
		t.Errorf("status %d: %s%s", status, errs, out)
	}
	status, out, errs := predict("cluster", prefix, "../data/machine/loggp-example.toml", "--format", "csv")
	if status != stage.Done || !strings.Contains(out, ",mva,") || strings.Contains(errs, "no prediction by mva") {
		t.Errorf("ranks alone on their nodes: status %d: %s%s", status, errs, out)
	}
	status, out, errs = predict("cluster", prefix, smpFile, clumpFile, "--without-messages")
	if status != stage.Done || !strings.Contains(out, "their time is not part of the prediction") || strings.Contains(errs, "has no effect") {
		t.Errorf("status %d: %s%s", status, errs, out)
	}
	if status, _, errs := predict("cluster", writeTrace(t, "prog", 2, nil), smpFile, clumpFile, "--without-messages"); status != stage.Done || strings.Count(errs, "--without-messages has no effect") != 1 {
		t.Errorf("status %d: %s", status, errs)
	}
}

// One analysis counts the distances of several machines, and another one the time of each. Each prediction is the same as for its
// machine alone.
func TestTracesOfSeveralMachines(t *testing.T) {
	desktop, server := "../data/machine/example-desktop.toml", "../data/machine/xeon-gold-6140.toml"
	args := []string{"cluster", "--format", "csv", "--model", "mva"}
	prefix := writeTrace(t, "prog", 4, nil)
	_, all, errs := predict(append(args, prefix, smpFile, desktop, server)...)
	if strings.Count(errs, "note: analyzing ") != 4 {
		t.Error(errs)
	}
	alone := ""
	for i, file := range []string{smpFile, desktop, server} {
		_, out, _ := predict(append(args, writeTrace(t, "prog", 4, nil), file)...)
		if i > 0 {
			_, out, _ = strings.Cut(out, "\n")
		}
		alone += out
		if _, _, errs := predict(append(args, prefix, file)...); strings.Contains(errs, "analyzing") {
			t.Errorf("%s: %s", file, errs)
		}
	}
	if all != alone {
		t.Errorf("together\n%sone by one\n%s", all, alone)
	}
}

// The command of the note on parameters that lack counts makes all of them.
func TestAdvisedAnalysisIsComplete(t *testing.T) {
	bin, prefix := stagetest.Build(t, ".."), writeTrace(t, "prog", 4, locked)
	for _, file := range []string{smpFile, clumpFile} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "results")
			args := []string{"cluster", "--params", dir, file, "--format", "csv"}
			stagetest.Run(t, ".", filepath.Join(bin, "analyze"), "--line", "64B,256B", "-o", dir, prefix)
			for range 2 { // the delays follow from the distances
				_, _, errs := predict(args...)
				_, after, _ := strings.Cut(errs, "lacks counts for ")
				_, after, _ = strings.Cut(after, "run analyze ")
				command, _, found := strings.Cut(after, " TRACE\n")
				if !found {
					break
				}
				stagetest.Run(t, ".", filepath.Join(bin, "analyze"), append(strings.Fields(command), prefix)...)
			}
			_, want, _ := predict("cluster", prefix, file, "--format", "csv")
			if _, got, errs := predict(args...); got != want || strings.Contains(got+errs, "run analyze") {
				t.Errorf("%s%s\nof the trace:\n%s", errs, got, want)
			}
		})
	}
}
