package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"spoor/predict/internal/stagetest"
	"spoor/traces/stage"
)

const cowNetwork = "processors = 1\nnodes = 4\n[network]\nmodel = \"bus\"\nbandwidth = \"10 Mb/s\"\no = \"1 us\""

// Tables of any two commands about one program can be compared. Those of different machine files are refused, and a note
// names different traces.
func TestCompareAnyTwoTables(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(args ...string) {
		t.Helper()
		if status, _, errs := predict(args...); status != stage.Done {
			t.Fatalf("%v: %s", args, errs)
		}
	}
	bin := stagetest.Build(t, "..")
	for seed, trace := range map[string]string{"1": "sor", "2": "other"} {
		stagetest.Run(t, dir, filepath.Join(bin, "tracegen"), "sor", "--procs", "4", "--set", "g=8", "--set", "iterations=20", "--seed", seed, "-o", trace)
		stagetest.Run(t, dir, filepath.Join(bin, "analyze"), "--run", "reuse,locality,phases", "--line", "64B,256B", "-o", trace+".analysis", trace)
	}
	machine := func(clock string) string {
		return writeMachine(t, "m", "1 GHz", clock, `"smp"`, `"cow"`, "processors = 4", cowNetwork)
	}
	m, edited := machine("1 GHz"), machine("2 GHz")
	must("cluster", "--params", at("sor.analysis"), "--machine", m, "--model", "curve", "--without-messages", "-o", at("cluster"))
	must("cluster", "--params", at("sor.analysis"), "--machine", edited, "--model", "curve", "--without-messages", "-o", at("cluster2"))
	must("replay", at("sor"), m, "-o", at("replay"))
	must("replay", at("sor"), m, "--collectives", "ring", "-o", at("ring"))
	must("replay", at("sor"), edited, "-o", at("edited"))
	must("replay", at("sor"), m, "--references", "-o", at("mixed"))
	must("direct", "sor", "--procs", "4", "--set", "g=8", "--set", "iterations=20", "--machine", m, "-o", at("direct"))
	must("replay", at("sor"), writeMachine(t, "far", `"smp"`, `"cow"`, "processors = 4", cowNetwork), "-o", at("far"))
	if status, _, errs := predict("compare", at("ring")); status != stage.Failed || !strings.Contains(errs, "it is one table; give two") {
		t.Errorf("one table: status %d, %s", status, errs)
	}
	for _, c := range []struct {
		a, b, out, note string
		status          int
	}{
		{"cluster", "replay", "curve", "", 0},
		{"cluster", "mixed", "curve", "", 0},
		{"replay", "mixed", "difference [%]", "", 0},
		{"replay", "ring", "difference [%]", "different settings: collectives is doubling, ring", 0},
		{"replay", "direct", "difference [%]", "", 0},
		{"ring", "far", "", "the tables have different machines (m; far); name the same machine in both, or give both machines to one predict replay", 1},
		{"ring", "far", "", "4 processors, m: only in the first table", 1},
		{"cluster", "edited", "", "two different descriptions of machine m", 1},
		{"cluster", "cluster2", "", "two different descriptions of machine m", 1},
		{"replay", "edited", "", "two different descriptions of machine m", 1},
	} {
		t.Run(fmt.Sprintf("%v %v %v", c.a, c.b, c.note), func(t *testing.T) {
			status, out, errs := predict("compare", at(c.a), at(c.b))
			if status != c.status || !strings.Contains(out, c.out) || (c.out == "") != (out == "") || !strings.Contains(errs, c.note) || c.note == "" && errs != "" {
				t.Errorf("%s %s: status %d, %s%s", c.a, c.b, status, out, errs)
			}
		})
	}
}
