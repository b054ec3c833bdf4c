package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spoor/calibrate/internal/instructions"
	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// instructionsOptions are the flags of calibrate instructions.
type instructionsOptions struct {
	measuring
	machine, from string
}

func instructionsCommand(env *stage.Env) *cobra.Command {
	o := &instructionsOptions{}
	cmd := &cobra.Command{
		Use:  "instructions -o PREFIX",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "instructions")
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&o.machine, "machine", "", "machine description `NAME` or file of this host (default PREFIX.machine.toml)")
	cmd.Flags().StringVar(&o.from, "from", "", "use the runs in this `FILE`, and measure nothing")
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := o.check(); err != nil {
			return err
		}
		set, err := o.run(cmd.Context(), env)
		if err != nil {
			return err
		}
		found := &foundParams{}
		found.add("instructions", set)
		return stage.Print(env.Out, *format, found.table("experiment"))
	}
	return cmd
}

// runsOfLaunch is the number of runs of a kernel in a launch.
const runsOfLaunch = 10

// run measures, or reads the runs of --from, and fits.
func (o *instructionsOptions) run(ctx context.Context, env *stage.Env) (*param.Set, error) {
	if o.from != "" {
		table, err := store.ReadTable(o.from)
		if err != nil {
			return nil, err
		}
		return o.fit(env, o.from, table)
	}
	path := o.machine
	if path == "" {
		path = o.prefix + ".machine.toml"
	}
	m, err := machine.Read(path)
	if err != nil {
		return nil, fmt.Errorf("reading the caches of the machine: %w", err)
	}
	return o.on(ctx, env, m)
}

// on measures with the misses of a machine, and fits.
func (o *instructionsOptions) on(ctx context.Context, env *stage.Env, m *machine.Machine) (*param.Set, error) {
	table, err := o.measure(ctx, env, m)
	if err != nil {
		return nil, err
	}
	if err := store.WriteTable(o.dataset(), table); err != nil {
		return nil, err
	}
	return o.fit(env, o.dataset(), table)
}

func (o *instructionsOptions) dataset() string { return o.prefix + ".instructions.arrow" }

func (o *instructionsOptions) fit(env *stage.Env, dataset string, table *store.Table) (*param.Set, error) {
	result, err := instructions.Fit(table, o.quick)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dataset, err)
	}
	for _, w := range result.Warnings {
		env.Note("%v", w)
	}
	source, err := sourceOf(dataset)
	if err != nil {
		return nil, err
	}
	set, err := result.Params(source)
	if err != nil {
		return nil, err
	}
	return set, writeParams(o.prefix+".instructions.params.toml", filepath.Base(dataset), set)
}

func (o *instructionsOptions) measure(ctx context.Context, env *stage.Env, m *machine.Machine) (*store.Table, error) {
	tracegen, err := instructions.Find()
	if err != nil {
		return nil, err
	}
	options := instructions.Options{Launches: o.launches, Runs: runsOfLaunch, Seed: o.seed, Plan: instructions.Plan(o.quick), Machine: m}
	if o.quick {
		options.Launches = 1
	}
	p := env.Progress("measuring instructions", int64((options.Launches+1)*len(options.Plan)), "runs")
	defer p.Done()
	return instructions.Measure(ctx, tracegen, options, func() { p.Add(1) })
}
