// Package plan has the graph of a study: the steps that make would run, with their inputs, outputs, commands and what they need.
//
// Make itself is the source: it prints what it would run, and its data base. So a plan holds for every Makefile, with all
// variables that the user gives.
package plan

import (
	"encoding/json"
	"fmt"
	"io"
)

// A Plan is the graph of a study. Paths are relative to Directory.
type Plan struct {
	// Directory is the folder of the study, in which commands run.
	Directory string `json:"directory"`
	// Environment has the variables that make adds to the environment of commands, or changes.
	Environment map[string]string `json:"environment"`
	// Steps are in an order in which they can run one after the other.
	Steps []Step `json:"steps"`
}

// A Step is a command and the files that it reads and writes.
type Step struct {
	// Name is the target of make, and is unique.
	Name string `json:"name"`
	// Rule is the place of the recipe, as file:line. Steps of one rule are alike.
	Rule string `json:"rule"`
	// Inputs are files. Outputs are too; a step without outputs only prints.
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
	// Needs are the names of the steps that must have ended before.
	Needs []string `json:"needs"`
	// Command is for sh.
	Command string `json:"command"`
	// Seconds and Memory [B] are expected: see Estimate.
	Seconds float64 `json:"expected_seconds"`
	Memory  int64   `json:"expected_memory_bytes"`
}

// Write prints the plan as JSON.
func (p *Plan) Write(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(p)
}

// build joins the recipes that make printed with the files of its data base.
func build(recipes []recipe, files map[string]*file) ([]Step, error) {
	steps := make([]Step, len(recipes))
	maker := map[string]int{} // the step that writes a file, or that a target without a file is
	for i, r := range recipes {
		steps[i] = Step{Name: r.target, Rule: r.rule, Command: r.command(), Inputs: []string{}, Outputs: []string{}, Needs: []string{}}
		f := files[r.target]
		if f == nil {
			return nil, fmt.Errorf("make runs %s, which is not in its data base; give GNU make 4.0 or later", r.target)
		}
		if !f.phony {
			steps[i].Outputs = append([]string{r.target}, f.also...)
		}
		for _, name := range append([]string{r.target}, f.also...) {
			if other, twice := maker[name]; twice {
				return nil, fmt.Errorf("both %s and %s make %s; make such targets in one rule", recipes[other].target, r.target, name)
			}
			maker[name] = i
		}
	}
	for i := range steps {
		l := linker{step: &steps[i], self: i, steps: steps, maker: maker, files: files, seen: map[string]bool{}}
		l.follow(steps[i].Name)
		for _, name := range files[steps[i].Name].also {
			l.follow(name)
		}
		if l.err != nil {
			return nil, l.err
		}
	}
	return steps, nil
}

// A linker finds the inputs of a step and the steps that it needs.
type linker struct {
	step  *Step
	self  int
	steps []Step
	maker map[string]int
	files map[string]*file
	seen  map[string]bool
	err   error
}

// follow adds the prerequisites of a target. Targets that no step makes are followed: they are groups, or files that are made along
// with what they depend on.
func (l *linker) follow(target string) {
	f := l.files[target]
	if f == nil {
		return
	}
	for _, name := range f.needs {
		if l.seen[name] {
			continue
		}
		l.seen[name] = true
		if other := l.files[name]; other == nil || !other.phony {
			l.step.Inputs = append(l.step.Inputs, name)
		}
		i, made := l.maker[name]
		if !made {
			l.follow(name)
			continue
		}
		if i >= l.self {
			l.err = fmt.Errorf("%s needs %s, which make runs later", l.step.Name, name)
			return
		}
		if need := "step " + l.steps[i].Name; !l.seen[need] {
			l.seen[need] = true
			l.step.Needs = append(l.step.Needs, l.steps[i].Name)
		}
	}
}
