package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The same program in the places of its ranks: replay and direct agree, with references and without.
func TestPlaces(t *testing.T) {
	prefix := recordedKernel(t, "sor", 4, []string{"g=6"})
	order := filepath.Join(t.TempDir(), "order")
	if err := os.WriteFile(order, []byte("# nodes\n7, 0\n3 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	machine := writeMachine(t, "torus", "processors = 4", "processors = 2\nnodes = 8", `"smp"`, `"ccnuma"`, "[system]", "[network]\nmodel = \"torus\"\ndims = [2, 4]\nbandwidth = \"10 MB/s\"\nswitch = \"1 us\"\no = \"1 us\"\n[system]")
	times := map[string]string{}
	for _, flags := range [][]string{nil, {"--map", "cyclic"}, {"--ranks-per-node", "1"}, {"--node-order", "random"}, {"--node-order", "random:5"}, {"--node-order", order}, {"--references=false", "--node-order", order}} {
		t.Run(caseOf(flags...), func(t *testing.T) {
			flags := append(slices.Clone(flags), "--machine", machine)
			replayed := csvRows(t, append([]string{"replay", prefix}, flags...)...)
			direct := csvRows(t, append([]string{"direct", "sor", "--procs", "4", "--set", "g=6"}, flags...)...)
			at := slices.Index(replayed[0], "time")
			if replayed[1][at] != direct[1][at] {
				t.Errorf("replayed %v, direct %v", replayed[1], direct[1])
			}
			times[caseOf(flags[:len(flags)-2]...)] = replayed[1][at]
		})
	}
	if times[caseOf("--ranks-per-node", "1")] == times[caseOf()] || times[caseOf("--node-order", order)] == times[caseOf()] {
		t.Errorf("places change nothing: %v", times)
	}
	rows := csvRows(t, "replay", prefix, "--machine", machine, "--map", "all")
	column := slices.Index(rows[0], "map")
	if len(rows) != 3 || rows[1][column] != "block" || rows[2][column] != "cyclic" || rows[1][slices.Index(rows[0], "time")] != times[caseOf()] || rows[2][slices.Index(rows[0], "time")] != times[caseOf("--map", "cyclic")] {
		t.Errorf("of all maps: %v, and alone %v", rows, times)
	}
}

func TestPlacesRefuse(t *testing.T) {
	prefix := recordedKernel(t, "sor", 4, []string{"g=6"})
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "order")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for want, flags := range map[string][]string{
		`"x" is no seed`: {"--node-order", "random:x"},
		"is neither random, random:SEED nor a file":   {"--node-order", "nowhere"},
		":2: node 0 is listed twice":                  {"--node-order", file("0\n0")},
		`:1: "a" is not the number of a node`:         {"--node-order", file("a")},
		"there are no nodes":                          {"--node-order", file("# none\n")},
		"the ranks need 2 nodes, and the order has 1": {"--node-order", file("1")},
		"placing rank 0 on node 9":                    {"--node-order", file("9 8")},
		"--map all compares times":                    {"--map", "all", "--phases"},
		"needs one placement":                         {"--map", "all", "--together"},
	} {
		t.Run(want, func(t *testing.T) {
			status, out, errs := predict(append([]string{"replay", prefix, "--machine", "../data/machine/du2000-clump-2x2-256k-155m.toml"}, flags...)...)
			if status == 0 || out != "" || !strings.Contains(errs, want) {
				t.Errorf("%v: status %d, %s%s", flags, status, out, errs)
			}
		})
	}
}

// A note says where --map changes nothing.
func TestMapWithoutEffect(t *testing.T) {
	prefix := recordedKernel(t, "sor", 4, []string{"g=6"})
	for _, c := range []struct {
		flags []string
		note  bool
	}{{[]string{"--map", "cyclic"}, false}, {[]string{"--map", "cyclic", "--ranks-per-node", "1"}, true}} {
		_, _, errs := predict(append([]string{"replay", prefix, "--machine", "../data/machine/du2000-clump-4x2-512k-155m.toml"}, c.flags...)...)
		if strings.Contains(errs, "--map has no effect: each node has one rank") != c.note {
			t.Errorf("%v: %s", c.flags, errs)
		}
	}
}

// An order of nodes is one of the whole machine: the network does not depend on which nodes it gives.
func TestNodeOrderUsesTheWholeNetwork(t *testing.T) {
	prefix := recordedKernel(t, "sor", 4, []string{"g=6"})
	for _, machine := range []string{"torus-maxmin-example", "spasm-cube"} {
		file := filepath.Join(t.TempDir(), "ranks")
		if err := os.WriteFile(file, []byte("+n0 # the first\n+n28\n+n3\n+n4\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, place := range [][]string{{"--node-order", "random:1"}, {"--node-order", "random:2"}, {"--node-order", "random:3"}, {"--map", file}} {
			rows := csvRows(t, append([]string{"replay", prefix, "--machine", "../data/machine/" + machine + ".toml"}, place...)...)
			if len(rows) != 2 {
				t.Errorf("%s, %v: %v", machine, place, rows)
			}
		}
	}
}

// Tables of several placements and of jobs are drawn and compared, row by row, and other settings get a note.
func TestVariantsAreCompared(t *testing.T) {
	prefix, dir := recordedKernel(t, "sor", 4, []string{"g=6"}), t.TempDir()
	run := func(name string, args ...string) string {
		out := filepath.Join(dir, name+".arrow")
		if status, _, errs := predict(append(args, "-o", out, "--machine", "../data/machine/du2000-clump-4x2-512k-155m.toml")...); status != 0 {
			t.Fatal(errs)
		}
		return out
	}
	maps := run("maps", "replay", prefix, "--map", "all")
	jobs := run("jobs", "replay", prefix, prefix, "--together")
	warm := run("warm", "replay", prefix, "--warm")
	for _, table := range []string{maps, jobs} {
		if status, _, errs := predict("report", table, "-o", filepath.Join(dir, "x.html")); status != 0 {
			t.Errorf("%s: %s", table, errs)
		}
		if status, out, errs := predict("compare", table, table); status != 0 || strings.Count(out, "sor ") != 2 {
			t.Errorf("%s: %s%s", table, out, errs)
		}
	}
	plain := run("plain", "replay", prefix)
	if _, _, errs := predict("compare", plain, warm); !strings.Contains(errs, "different settings: warm is false, true") {
		t.Error(errs)
	}
}

// A logp network of one node connects its processors, as loggp does.
func TestLogPWithinANode(t *testing.T) {
	prefix := recordedKernel(t, "sor", 4, []string{"g=6"})
	time := func(latency string) string {
		m := writeMachine(t, "one", "[system]", "[network]\nmodel = \"logp\"\nL = \""+latency+"\"\ng = \"1 us\"\no = \"0.5 us\"\n[system]")
		rows := csvRows(t, "replay", prefix, "--machine", m)
		return rows[1][slices.Index(rows[0], "time")]
	}
	if a, b := time("2 us"), time("200 us"); a == b {
		t.Errorf("L changes nothing: %s", a)
	}
}

// No output replaces an input or another output.
func TestOutputsAreNoInputs(t *testing.T) {
	prefix, machine := recordedKernel(t, "sor", 2, []string{"g=6"}), writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \"2 us\"\no = \"1 us\"\ng = \"1 us\"\nG = \"1 ns/B\"\n[system]")
	for want, flags := range map[string][]string{
		"would overwrite an input, " + prefix + ".events.arrow": {"-o", prefix + ".events.arrow"},
		"would overwrite an input, " + machine:                  {"-o", machine},
		"name the same file":                                    {"-o", "x.json", "--timeline", "x.json"},
	} {
		t.Run(want, func(t *testing.T) {
			if status, _, errs := predict(append([]string{"replay", prefix, "--machine", machine}, flags...)...); status != 2 || !strings.Contains(errs, want) {
				t.Errorf("status %d: %s", status, errs)
			}
		})
	}
}
