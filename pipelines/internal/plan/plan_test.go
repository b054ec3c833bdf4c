package plan

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A Makefile with all that studies use: two files of a pattern, a group of files, prerequisites behind bars and of groups, a recipe of
// lines, a file that is made along with another, and lists of files by secondary expansion.
const makefile = `
export PATH := /study/bin:$(PATH)
export SIZE := large
.DEFAULT_GOAL := report
.SECONDEXPANSION:
.PHONY: report all deep plan-environment
report: out/report all
all: out/b.sum | out/ordered
	@echo 'all of make are there'
out/%.refs.arrow out/%.events.arrow: | in
	@trace $* \
		-o out/$*
out/report: out/a.sum out/b.sum
	@first $^
	@second >$@
out/%.sum out/%.log: $$(addprefix out/$$*,.refs.arrow)
	@analyze $* >$@
out/x out/y &: out/a.sum
	both
out/along: | out/y ;
out/ordered: out/along
	@ordered
deep:
	@$(MAKE) all
hidden = $(MAKE) all
behind:
	@$(hidden)
plan-environment: $(if $(filter-out plan-environment,$(MAKECMDGOALS)),,report)
	+@env -0 >'$(PLAN_ENVIRONMENT)'
`

// study writes the Makefile to a folder.
func study(t *testing.T) Options {
	t.Helper()
	version, err := exec.Command("make", "--version").Output()
	if err != nil || !strings.HasPrefix(string(version), "GNU Make 4.") {
		t.Skipf("no GNU make 4: %v", err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "Makefile"), makefile)
	write(t, filepath.Join(dir, "in"), "")
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	return Options{Make: "make", Directory: dir, TraceSize: 1e6}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, o Options) *Plan {
	t.Helper()
	p, err := Get(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func names(p *Plan) string {
	var names []string
	for _, s := range p.Steps {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

func TestGraph(t *testing.T) {
	p := get(t, study(t))
	steps := map[string]Step{}
	for _, s := range p.Steps {
		steps[s.Name] = s
	}
	for _, want := range []Step{
		{Name: "out/a.refs.arrow", Inputs: []string{"in"}, Outputs: []string{"out/a.refs.arrow", "out/a.events.arrow"}, Command: "trace a \\\n\t-o out/a"},
		{Name: "out/b.sum", Inputs: []string{"out/b.refs.arrow"}, Outputs: []string{"out/b.sum", "out/b.log"},
			Needs: []string{"out/b.refs.arrow"}, Command: "analyze b >out/b.sum"},
		{Name: "out/report", Inputs: []string{"out/a.sum", "out/b.sum"}, Outputs: []string{"out/report"}, Needs: []string{"out/a.sum", "out/b.sum"},
			Command: "(first out/a.sum out/b.sum\n) && (second >out/report\n)"},
		{Name: "out/y", Inputs: []string{"out/a.sum"}, Outputs: []string{"out/y", "out/x"}, Needs: []string{"out/a.sum"}, Command: "both"},
		{Name: "out/ordered", Inputs: []string{"out/along", "out/y"}, Outputs: []string{"out/ordered"}, Needs: []string{"out/y"}, Command: "ordered"},
		{Name: "all", Inputs: []string{"out/b.sum", "out/ordered"}, Needs: []string{"out/b.sum", "out/ordered"}, Command: "echo 'all of make are there'"},
	} {
		got := steps[want.Name]
		got.Rule, got.Seconds, got.Memory = "", 0, 0
		for _, list := range []*[]string{&want.Inputs, &want.Outputs, &want.Needs} {
			if *list == nil {
				*list = []string{}
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %#v\nwant %#v", got, want)
		}
	}
	if len(p.Steps) != 8 {
		t.Errorf("got %d steps, want 8: %s", len(p.Steps), names(p))
	}
	if got := p.Environment["SIZE"]; got != "large" || !strings.HasPrefix(p.Environment["PATH"], "/study/bin:") || len(p.Environment) != 2 {
		t.Errorf("the environment is %q", p.Environment)
	}
}

// A plan has what make would run now, or all. Its order is one in which steps can run.
func TestUpToDate(t *testing.T) {
	o := study(t)
	for _, name := range []string{"a.refs.arrow", "a.events.arrow", "a.sum", "a.log"} {
		write(t, filepath.Join(o.Directory, "out", name), "")
	}
	o.Arguments = []string{"out/report"}
	if got, want := names(get(t, o)), "out/b.refs.arrow out/b.sum out/report"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	o.All = true
	if got, want := names(get(t, o)), "out/a.refs.arrow out/a.sum out/b.refs.arrow out/b.sum out/report"; got != want {
		t.Errorf("all: got %s, want %s", got, want)
	}
}

func TestRefused(t *testing.T) {
	o := study(t)
	for _, row := range []struct{ goal, want string }{
		{"deep", "calls make again"},
		{"behind", "behind calls make again"},
		{"nothing", "No rule to make target 'nothing'"},
	} {
		o.Arguments = []string{row.goal}
		if p, err := Get(o); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, %v, want an error with %q", row.goal, p, err, row.want)
		}
	}
}

// A plan has the same bytes each time, and its keys are those of the how-to.
func TestWrite(t *testing.T) {
	o := study(t)
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := get(t, o).Write(out); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Errorf("two plans differ:\n%s\n%s", &first, &second)
	}
	var p struct{ Steps []map[string]any }
	if err := json.Unmarshal(first.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"name", "rule", "inputs", "outputs", "needs", "command", "expected_seconds", "expected_memory_bytes"} {
		if _, ok := p.Steps[0][key]; !ok {
			t.Errorf("a step has no %s", key)
		}
	}
}

// What a step takes follows from its traces: those that exist, those that do not, and those that are imported.
func TestEstimate(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "there.refs.arrow"), strings.Repeat("x", 2e6))
	write(t, filepath.Join(dir, "log"), strings.Repeat("x", 1e6))
	p := &Plan{Directory: dir, Steps: []Step{
		{Command: "analyze -o a there", Inputs: []string{"there.refs.arrow", "../bin/analyze"}},                          // 0.1 + 0.15 * 2
		{Command: "tracegen k -o new", Outputs: []string{"new.refs.arrow"}},                                              // 0.1 + 0.15 * 10
		{Command: "predict replay new --machine a --machine b", Inputs: []string{"new.refs.arrow"}},                      // 0.2 + 0.1 * 2 * 10
		{Command: "traces import log -o i", Inputs: []string{"log", "../bin/traces"}, Outputs: []string{"i.refs.arrow"}}, // 0.1 + 0.3 * 1
		{Command: "analyze -o a i", Inputs: []string{"i.refs.arrow"}},                                                    // 0.1 + 0.15 * 3
	}}
	p.estimate(10e6)
	for i, want := range []float64{0.4, 1.6, 2.2, 0.4, 0.6} {
		if got := p.Steps[i].Seconds; got < want-0.051 || got > want+0.051 { // rounded to 0.1
			t.Errorf("%s: expected to take %g s, want %g", p.Steps[i].Command, got, want)
		}
	}
	if got, want := p.Steps[0].Memory, int64(128<<20+4*2e6); got != want {
		t.Errorf("memory %d, want %d", got, want)
	}
}
