package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/stage"
)

// fiveNumbers is a machine of LogGP. The fifth number, of processors, is that of the trace.
const fiveNumbers = "[network]\nmodel = \"loggp\"\nL = \"2 us\"\no = \"0.5 us\"\ng = \"0.7 us\"\nG = \"1 ns/B\"\n"

// A run needs only the sections that it uses. All that it lacks are in one error, with their use.
func TestMachineWithoutSections(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name+".toml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const processor = "name = \"m\"\n[processor]\nclock = \"2 GHz\"\ncpi = 1\n"
	five, two := write("five", fiveNumbers), write("two", processor+fiveNumbers)
	whole := write("whole", processor+"[[cache]]\nsize = \"1 MiB\"\nline = \"64 B\"\nways = 16\nlatency = \"0 cycles\"\n"+
		"[memory]\nsize = \"1 GiB\"\nlatency = \"100 ns\"\noccupancy = \"6 ns\"\ninvalidate = \"6 ns\"\n"+fiveNumbers+"[system]\ntarget = \"cow\"\nprocessors = 1\nnodes = 2\n")
	sor, ep := recordedKernel(t, "sor", 2, []string{"g=6"}), recordedKernel(t, "ep", 2, nil)
	for _, command := range [][]string{{"replay", sor, "--references=false"}, {"direct", "sor", "--procs", "2", "--set", "g=6", "--references=false"}} {
		_, want, _ := predict(append(command, "--format", "csv", "--machine", whole)...)
		status, got, errs := predict(append(command, "--format", "csv", "--machine", two)...)
		got, want = got[:strings.LastIndex(got, ",")+1], want[:strings.LastIndex(want, ",")+1] // the digests of the machines differ
		if status != stage.Done || got != want || !strings.Contains(errs, "m: [system] not given: each rank has a node of its own\n") {
			t.Errorf("predict %q: status %d, %s%s, want %s", command, status, got, errs, want)
		}
	}
	if status, out, errs := predict("logp", "--machine", five, "--procs", "4"); status != stage.Done || !strings.Contains(out, "five ") {
		t.Errorf("logp: status %d, %s%s", status, out, errs)
	}
	const references = `; add [memory] for references, [[cache]] for references, [system] for the target and its size`
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"replay", sor, "--machine", five}, "replaying " + sor + `: machine "five" lacks 1 section; add [processor] for instructions`},
		{[]string{"direct", "sor", "--procs", "2", "--machine", five}, `machine "five" lacks 1 section; add [processor] for instructions`},
		{[]string{"replay", ep, "--machine", two}, "replaying " + ep + `: machine "m" lacks 3 sections` + references},
		{[]string{"replay", sor, "--references", "--machine", two}, `machine "m" lacks 3 sections` + references},
		{[]string{"direct", "ep", "--procs", "2", "--machine", two}, `machine "m" lacks 3 sections` + references},
		{[]string{"direct", "sor", "--references", "--procs", "2", "--machine", two}, `machine "m" lacks 3 sections` + references},
		{[]string{"logp", "--machine", five}, `without --procs: machine "five" lacks 1 section; add [system] for the target and its size`},
		{[]string{"replay", sor, "--machine", five, "--node", two}, "five.toml: the machine lacks 4 sections; add [processor] for instructions, [memory] for references, "},
		{[]string{"replay", recordedKernel(t, "sor", 4, []string{"g=6"}), "--machine", write("one", strings.Replace(strings.Replace(strings.Replace(
			readFile(t, whole), fiveNumbers, "", 1), "nodes = 2", "nodes = 1", 1), "cow", "smp", 1))},
			"the trace has messages and 4 processors, but the machine has no [network] and only 1; replay it on another, such as loggp-example"},
	} {
		t.Run(caseOf(strings.Fields(c.want)...), func(t *testing.T) {
			status, out, errs := predict(c.args...)
			if status != stage.Failed || out != "" || !strings.Contains(errs, c.want) {
				t.Errorf("predict %q: status %d, %s%s, want %s", c.args, status, out, errs, c.want)
			}
		})
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
