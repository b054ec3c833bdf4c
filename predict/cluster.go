package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/predict/cluster"
	"spoor/predict/internal/counts"
	"spoor/predict/internal/model"
	"spoor/predict/internal/published"
	"spoor/traces/stage"
)

// clusterOptions are the flags of predict cluster.
type clusterOptions struct {
	modelRuns
	machines    []string
	processors  []int
	models      []string
	full        bool
	published   published.Options
	transaction float64 // instructions of a transaction; 0: none
	exposed     string
	nodes       []string
	like        string // of --equal-clock
	output      clusterOutput
}

// clusterCommand is predict cluster.
func clusterCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "cluster TRACE... --machine FILE...",
	}
	stage.Describe(cmd, helpTexts, "cluster")
	o := &clusterOptions{}
	flags := cmd.Flags()
	o.modelRuns.add(flags)
	stage.PathsVar(flags, &o.machines, "machine", "machine description `FILE`; may be repeated")
	stage.PathsVar(flags, &o.nodes, "node", "description `FILE` of a different node, for model mva; may be repeated")
	flags.IntSliceVar(&o.processors, "processors", nil, "numbers of processors as a `LIST` (default those of the runs)")
	flags.StringSliceVar(&o.models, "model", nil, "models as a `LIST` (default all with measurements)")
	o.published.Add(flags)
	flags.BoolVar(&o.full, "full", false, "use only runs with as many processors as the machine")
	flags.BoolVar(&o.output.terms, "terms", false, "print the terms of each prediction, and CPI")
	flags.Float64Var(&o.transaction, "transaction", 0, "`INSTRUCTIONS` of a transaction, for --terms")
	stage.PathVar(flags, &o.exposed, "exposed", "parameter `FILE` of calibrate instructions: exposed share of misses, for curve and mva")
	stage.PathVar(flags, &o.like, "equal-clock", "print the clock at which each machine has the time of this machine `FILE`")
	o.output.add(flags, "write the predictions as an Arrow table to `FILE`")
	stage.Group(flags, "Input", "params", "machine", "node", "exposed", "without-messages")
	stage.Group(flags, "Models", "model", "processors", "full", "as-printed", "law", "raise-remote", "without-barriers")
	stage.Group(flags, "Output", "terms", "transaction", "equal-clock", "format", "output")
	stage.Complete(cmd, "model", clusterModels)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args) }
	return cmd
}

// check returns an error about flags.
func (o *clusterOptions) check() error {
	switch {
	case o.transaction != 0 && !(o.transaction >= 1 && o.transaction <= math.MaxInt64):
		return stage.Usage("--transaction %v: a transaction has at least one instruction", o.transaction)
	case o.transaction != 0 && !o.output.terms:
		return stage.Usage("--transaction needs --terms")
	case o.like != "" && (o.output.terms || o.full || len(o.nodes) > 0):
		return stage.Usage("--equal-clock prints a table of clocks; omit --terms, --full and --node")
	case o.like != "" && len(o.processors) > 1:
		return stage.Usage("--equal-clock needs one number of --processors")
	case slices.ContainsFunc(o.processors, func(n int) bool { return n < 1 }):
		return stage.Usage("--processors %v: each number must be at least 1", o.processors)
	}
	if o.like != "" && len(o.models) == 0 {
		o.models = []string{"paper"}
	}
	return nil
}

func (o *clusterOptions) run(ctx context.Context, env *stage.Env, args []string) error {
	traces, machines := splitReplayArgs(env, args, o.machines)
	if err := cmp.Or(o.checkInput(traces), o.check()); err != nil {
		return err
	}
	if len(machines) == 0 {
		return noMachine(traces)
	}
	models, err := o.chosen()
	if err != nil {
		return err
	}
	study := cluster.Study{Models: models, Named: len(o.models) > 0, Processors: o.processors, Full: o.full, Transaction: o.transaction,
		Printed: o.published.Printed, Note: func(text string) { env.Note("%s", text) }}
	if len(traces) == 0 {
		if study.Runs, err = o.open(env); err != nil {
			return err
		}
		if study.Runs, err = o.published.Apply(study.Runs); err != nil {
			return err
		}
	}
	targets, err := readMachines(machines, o.nodes, o.exposed)
	if err != nil {
		return err
	}
	if len(traces) > 0 {
		program, err := o.trace(ctx, env, traces, targets)
		if err != nil {
			return err
		}
		defer program.Close()
		study.RunsOn = o.countedOn(env, program, &study)
	}
	return o.predict(env, &study, targets)
}

// predict predicts and prints.
func (o *clusterOptions) predict(env *stage.Env, study *cluster.Study, targets []*machine.Machine) error {
	if o.like != "" {
		return o.output.printClocks(env.Out, o.like, study, targets)
	}
	all, err := study.Predict(targets)
	if err != nil {
		return err
	}
	o.noteIdle(env, all)
	return o.output.print(env.Out, all)
}

// noteIdle notes flags that are about models that predict nothing.
func (o *clusterOptions) noteIdle(env *stage.Env, all []model.Prediction) {
	by := func(is func(name string) bool) bool {
		return slices.ContainsFunc(all, func(p model.Prediction) bool { return is(p.Model) })
	}
	if flag := o.published.Flag(); flag != "" && !by(func(name string) bool { return strings.HasPrefix(name, "paper") || name == "printed" }) {
		env.Note("%s has no effect: model paper predicts nothing here", flag)
	}
	if o.exposed != "" && !by(func(name string) bool { return name == "curve" || name == "mva" }) {
		env.Note("--exposed has no effect: neither model curve nor model mva predicts anything here")
	}
}

// countedOn returns the function that counts what the models of a study need on a machine.
func (o *clusterOptions) countedOn(env *stage.Env, program *counts.Program, study *cluster.Study) func(*machine.Machine) ([]*cluster.Run, error) {
	exact := slices.Contains(study.Models, model.Model[*cluster.Case](cluster.MVA{}))
	check := o.checkOnce(env)
	return func(m *machine.Machine) ([]*cluster.Run, error) {
		flags := cluster.DistanceFlags(m)
		runs, err := program.Distances(flags)
		if err == nil {
			err = check(runs)
		}
		if err != nil {
			return nil, err
		}
		runs, err = program.On(m, flags, func(n int) bool { return exact && study.Predicts(m, n) })
		if err != nil {
			return nil, err
		}
		return o.published.Apply(runs)
	}
}

// readMachines reads machines whose last nodes are given, and sets the share of misses that their processors wait for,
// from a file or none.
func readMachines(files, nodes []string, exposed string) (all []*machine.Machine, err error) {
	share, err := exposedShare(exposed)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		m, err := readMachine(file, nodes)
		if err != nil {
			return nil, err
		}
		for _, n := range slices.Concat(m.OtherNodes, []*machine.Machine{m}) {
			n.Processor.Exposed = share
		}
		all = append(all, m)
	}
	return all, nil
}

// exposedShare returns the parameter exposed of a file, or 0 without a file.
func exposedShare(path string) (float64, error) {
	if path == "" {
		return 0, nil
	}
	set, err := param.Read(path)
	if err != nil {
		return 0, err
	}
	p, err := set.Get("exposed", "1")
	switch {
	case err != nil:
		return 0, err
	case !(p.Value > 0 && p.Value <= 1):
		return 0, fmt.Errorf("%s: parameter exposed is %v, but must be above 0 and at most 1", path, p.Value)
	}
	return p.Value, nil
}

// chosen returns the models of --model, or all. The equations as printed and a law from a file are for model paper alone.
func (o *clusterOptions) chosen() ([]model.Model[*cluster.Case], error) {
	paper, err := o.published.Model()
	if err != nil {
		return nil, err
	}
	names, only := o.models, ""
	switch {
	case o.published.Printed:
		only = "--as-printed"
	case o.published.Given():
		only = "--law FILE"
	}
	switch flag := o.published.Flag(); {
	case only != "" && len(names) > 0 && !slices.Equal(names, []string{"paper"}):
		return nil, stage.Usage("%s needs model paper; omit --model", only)
	case flag != "" && len(names) > 0 && !slices.Contains(names, "paper"):
		return nil, stage.Usage("%s is for model paper, which --model does not name", flag)
	case only != "":
		return []model.Model[*cluster.Case]{paper}, nil
	case len(names) == 0:
		for _, m := range cluster.All {
			names = append(names, m.Name())
		}
	}
	var out []model.Model[*cluster.Case]
	for _, name := range names {
		m, err := cluster.Named(name)
		if err != nil {
			return nil, stage.Usage("--model: %w", err)
		}
		if m == (cluster.Paper{}) {
			m = paper
		}
		if slices.Contains(out, m) {
			return nil, stage.Usage("--model names %s twice", name)
		}
		out = append(out, m)
	}
	return out, nil
}
