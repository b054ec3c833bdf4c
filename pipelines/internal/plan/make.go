package plan

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Options say which plan to get from make.
type Options struct {
	Make      string   // the program
	Directory string   // the folder of the study
	Arguments []string // goals, and variables as NAME=VALUE
	All       bool     // all steps of the goals, not only those that make would run now
	TraceSize int64    // size of a trace that does not exist yet [B]
}

// recursive stands for $(MAKE) in commands.
const recursive = "a-make-within-a-step"

// Get asks make for its plan. No step runs.
func Get(o Options) (*Plan, error) {
	scratch, err := os.MkdirTemp("", "spoor-plan-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	variables := filepath.Join(scratch, "environment")
	text, before, err := dryRun(o, variables)
	if err != nil {
		return nil, err
	}
	recipes, database := parseRecipes(text)
	for i, r := range recipes {
		if strings.Contains(r.command(), recursive) {
			return nil, recursion(r.target)
		}
		if r.target == environmentGoal {
			recipes = append(recipes[:i:i], recipes[i+1:]...)
			break
		}
	}
	steps, err := build(recipes, parseFiles(database))
	if err != nil {
		return nil, err
	}
	after, err := os.ReadFile(variables)
	if err != nil {
		return nil, fmt.Errorf("the Makefile does not say what it exports: %w; include rules.mk or engine.mk", err)
	}
	p := &Plan{Directory: o.Directory, Environment: changed(before, strings.Split(string(after), "\x00")), Steps: steps}
	p.estimate(o.TraceSize)
	return p, nil
}

func recursion(target string) error {
	return fmt.Errorf("%s calls make again, so its steps are not known before it runs; run it with ENGINE=local, for example in one job: sbatch --wrap 'make ...'", target)
}

// environmentGoal is the target of engine.mk that writes the environment of commands to $(PLAN_ENVIRONMENT).
const environmentGoal = "plan-environment"

// dryRun returns what make prints, and the environment that it had.
func dryRun(o Options, variables string) (text string, environment []string, err error) {
	args := []string{"--no-print-directory", "--dry-run", "--print-data-base", "--trace"}
	if o.All {
		args = append(args, "--always-make")
	}
	args = append(args, o.Arguments...)
	args = append(args, "ENGINE=plan", "MAKE="+recursive, "PLAN_ENVIRONMENT="+variables, environmentGoal)
	cmd := exec.Command(o.Make, args...)
	cmd.Dir = o.Directory
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "MFLAGS", "MAKELEVEL", "PWD", "LC_ALL": // MAKEFLAGS has the variables of a make that runs this
		default:
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "PWD="+o.Directory)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		if strings.Contains(complaints.String(), recursive) {
			return "", nil, recursion("one of " + strings.Join(o.Arguments, " "))
		}
		return "", nil, fmt.Errorf("make cannot say what it would run: %w\n%s", err, strings.TrimSpace(complaints.String()))
	}
	return out.String(), cmd.Env, nil
}

// changed are the variables of after that are not so in before, without those by which makes talk to each other.
func changed(before, after []string) map[string]string {
	had := map[string]bool{}
	for _, v := range before {
		had[v] = true
	}
	new := map[string]string{}
	for _, v := range after {
		name, value, ok := strings.Cut(v, "=")
		switch {
		case !ok || had[v], strings.HasPrefix(name, "MAKE"), name == "MFLAGS", name == "ENGINE", name == "PLAN_ENVIRONMENT", name == "_", name == "SHLVL", name == "OLDPWD":
		default:
			new[name] = value
		}
	}
	return new
}
