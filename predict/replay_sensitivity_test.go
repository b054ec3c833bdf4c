package main

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// sensitivities runs predict replay --sensitivity, and returns the columns larger, factor and slower_at by key.
func sensitivities(t *testing.T, args ...string) map[string][]string {
	t.Helper()
	status, out, errs := predict(append([]string{"replay", "--sensitivity", "--format", "csv"}, args...)...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	rows := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		f := strings.Split(line, ",")
		rows[f[2]] = f[4:]
	}
	return rows
}

// replayedTime is the time of a run.
func replayedTime(t *testing.T, args ...string) float64 {
	t.Helper()
	status, out, errs := predict(append([]string{"replay", "--format", "csv"}, args...)...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	return replayColumn(t, out, "time")
}

func replayColumn(t *testing.T, csv, name string) float64 {
	t.Helper()
	lines := strings.Split(csv, "\n")
	for i, column := range strings.Split(lines[0], ",") {
		if column == name {
			x, err := strconv.ParseFloat(strings.Split(lines[1], ",")[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
	}
	t.Fatalf("no column %s: %s", name, csv)
	return 0
}

// TestSensitivityIsThatOfTheMachineFile: a run on a machine file with the other value takes the time that the table says.
func TestSensitivityIsThatOfTheMachineFile(t *testing.T) {
	pair := writeMessages(t)
	with := func(L, G string) string {
		return writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \""+L+"\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \""+G+"\"\n[system]")
	}
	machine := with("100 ns", "2 ns/B")
	begin := replayedTime(t, pair, "--machine", machine)
	rows := sensitivities(t, pair, "--machine", machine)
	for _, c := range []struct {
		key            string
		larger, slower string
	}{
		{"network.L", with("110 ns", "2 ns/B"), with(rows["network.L"][2], "2 ns/B")},
		{"network.G", with("100 ns", "2.2 ns/B"), with("100 ns", rows["network.G"][2])},
	} {
		row := rows[c.key]
		said, _ := strconv.ParseFloat(row[0], 64)
		if larger := 100 * (replayedTime(t, pair, "--machine", c.larger)/begin - 1); math.Abs(said-larger) > 1e-6 || larger == 0 {
			t.Errorf("%s: 10 %% more take %v %% more, not %v", c.key, larger, said)
		}
		if slower := replayedTime(t, pair, "--machine", c.slower) / begin; slower < 1.049 || slower > 1.051 {
			t.Errorf("%s: at %s it takes %v times as long", c.key, row[2], slower)
		}
	}
	if row := rows["memory.latency"]; row[0] != "0" || row[1] != "0" || row[2] != "" {
		t.Errorf("messages depend on memory.latency: %v", row)
	}
}

// TestSensitivityOfReferences: misses of references cost the latency of memory.
func TestSensitivityOfReferences(t *testing.T) {
	rows := sensitivities(t, writeTrace(t, "memory", 2, nil), "--machine", writeMachine(t, "m"))
	if larger, _ := strconv.ParseFloat(rows["memory.latency"][0], 64); larger <= 0 {
		t.Errorf("%v", rows)
	}
}

func TestSensitivityRefusesOtherTables(t *testing.T) {
	pair, machine := writeMessages(t), "loggp-example"
	for _, flag := range []string{"--path=segment", "--matrix", "--phases", "--together", "--engine-stats", "--ideal", "--timeline=x.json", "--quanta=x"} {
		if status, _, errs := predict("replay", pair, "--machine", machine, "--sensitivity", flag); status != 2 || !strings.Contains(errs, "--sensitivity") {
			t.Errorf("%s: status %d, %s", flag, status, errs)
		}
	}
}
