package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"spoor/predict/internal/direct"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/replay"
	"spoor/tracegen/spmd"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// directCommand is predict direct.
func directCommand(env *stage.Env) *cobra.Command {
	o := &directOptions{}
	cmd := &cobra.Command{
		Use:  "direct {KERNEL | ./DIR} --machine FILE... [-- ARG ...]",
		Args: cobra.MinimumNArgs(1),
	}
	stage.Describe(cmd, helpTexts, "direct")
	flags := cmd.Flags()
	stage.PathsVar(flags, &o.machines, "machine", "machine description `FILE`; may be repeated")
	stage.PathsVar(flags, &o.nodes, "node", "description `FILE` of a different node in each cluster; may be repeated")
	flags.IntVar(&o.procs, "procs", 1, "`NUMBER` of processors (ranks)")
	flags.StringArrayVar(&o.set, "set", nil, "set a parameter of the kernel, as `KEY=VALUE`; may be repeated")
	flags.Uint64Var(&o.seed, "seed", 1, "`SEED` of the input")
	flags.IntVar(&o.ahead, "ahead", direct.DefaultAhead, "`OPERATIONS` that a rank may run ahead of its simulation")
	flags.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "`NUMBER` of workers of engine quantum or whoa: each runs and simulates some of the ranks")
	flags.IntVar(&o.engine.opt.Application, "application-workers", 0, "`NUMBER` of other workers, which only run parts of the program")
	flags.BoolVar(&o.native, "native", false, "also run the program at full speed, and compare")
	flags.IntVar(&o.repeat, "repeat", 1, "`NUMBER` of runs and simulations, for --native")
	o.addCommon(flags)
	o.output.add(flags, "write the results as an Arrow table to `FILE`")
	stage.Group(flags, "Program", "procs", "set", "seed")
	stage.Group(flags, "Simulation", "machine", "node", "map", "ranks-per-node", "node-order", "references", "barrier", "semantics", "engine", "workers", "application-workers", "ahead", "quantum")
	stage.Group(flags, "Full speed", "native", "repeat")
	stage.Group(flags, "Output", "phases", "matrix", "path", "timeline", "engine-stats", "format", "output")
	completeChoices(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args) }
	return cmd
}

func (o *directOptions) run(ctx context.Context, env *stage.Env, args []string) (err error) {
	p, err := o.program(ctx, env, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	machines, err := o.targets(env)
	if err != nil {
		return err
	}
	scope, err := p.scope(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("running %s: %w", p.header().Title(), err)
	case scope != replay.Messages && o.changed("references") && !o.references:
		return withReferences(p, scope)
	case scope == replay.References && o.references:
		env.Note("--references has no effect: the program passes no messages, and its references are simulated anyway")
	}
	for _, flag := range []string{"workers", "application-workers"} {
		if o.changed(flag) && !o.hasEffect(flag) {
			env.Note("--%s has no effect with engine %s; use --engine %s or %s", flag, outcome.Sequential, outcome.Whoa, outcome.Quantum)
		}
	}
	if o.changed("repeat") && !o.native {
		env.Note("--repeat has no effect without --native: every simulation gives the same result")
	}
	err = o.runIn(ctx, env, p, machines, scope)
	if scope != replay.Both && isBoth(err) {
		if o.changed("references") && !o.references {
			return withReferences(p, replay.Both)
		}
		err = o.runIn(ctx, env, p, machines, replay.Both)
	}
	return err
}

// hasEffect reports whether a flag can have an effect with the engine.
func (o *directOptions) hasEffect(flag string) bool {
	return o.engine.opt.Protocol != outcome.Sequential || flag != "workers" && flag != "application-workers"
}

// targets reads the machines.
func (o *directOptions) targets(env *stage.Env) (machines []target, err error) {
	for _, f := range o.machines {
		m, err := readPart(f, o.nodes)
		if err != nil {
			return nil, err
		}
		for _, a := range m.Assumed {
			env.Note("%s: %s", m.Name, a)
		}
		for _, place := range o.places {
			placed, err := o.placed(env, place, m, o.procs, "running on "+m.Name)
			if err != nil {
				return nil, err
			}
			machines = append(machines, target{placed, f, place.Map})
		}
	}
	return machines, nil
}

// withReferences is the error for --references=false with a program whose references must be simulated.
func withReferences(p directProgram, scope replay.Scope) error {
	return stage.Usage("--references=false: %s %s, so its references must be simulated", p.header().Program, programsOf(scope))
}

// runIn runs a program of a scope on all machines, and prints the results. If the scope leaves out what the program
// does, it prints nothing and returns an error for which isBoth is true.
func (o *directOptions) runIn(ctx context.Context, env *stage.Env, p directProgram, machines []target, program replay.Scope) error {
	o.inSlices = program != replay.References
	var runs []hostRuns
	var rows []simulationRow
	var times []unit.Picos
	for _, m := range machines {
		scope, without, err := o.scopeOn(m, p.header().Program, program)
		if err == nil {
			err = o.need(env, p, m, scope)
		}
		if err != nil {
			return err
		}
		row, host, err := o.simulate(ctx, env, p, m, scope, without)
		if err != nil {
			return fmt.Errorf("running %s on %s: %w", p.header().Title(), m.Name, err)
		}
		rows, runs, times = append(rows, row), append(runs, host), append(times, row.result.Time)
	}
	var native []hostRun
	if o.native {
		var err error
		if native, err = o.nativeRuns(ctx, p); err != nil {
			return err
		}
	}
	out := simulationReport{simulationFlags: &o.simulationFlags, output: o.output, extend: func(t *store.Table) {
		if len(o.places) > 1 {
			t.Columns = append(t.Columns, store.ColumnOf(machines, "map", "", func(m target) string { return m.placement }))
		}
		if o.native {
			addNative(t, times, runs, native)
		}
	}}
	return out.print(env.Out, rows)
}

// scopeOn returns what a simulation of a program on m covers, and why it leaves out references, or nil. It covers all
// that the program does and m describes, unless flags say otherwise.
func (o *directOptions) scopeOn(m target, name string, program replay.Scope) (scope replay.Scope, without, err error) {
	switch given := o.changed("references"); {
	case program == replay.Messages && given && !o.references:
		return program, errors.New("--references=false"), o.checkScope(name, program)
	case program == replay.Messages && !given:
		for _, why := range []error{o.onlyMessages(), o.withoutReferences(), replay.CheckBoth(m.Machine), m.NeedReferences("to simulate them")} {
			if why != nil {
				return program, why, o.checkScope(name, program)
			}
		}
		program = replay.Both
	case program == replay.Messages:
		program = replay.Both
	}
	return program, nil, o.checkScope(name, program)
}

// onlyMessages returns which flag is only for simulations without references, or nil.
func (o *directOptions) onlyMessages() error {
	for _, flag := range []string{"ahead", "timeline", "engine", "workers", "application-workers", "quantum", "engine-stats"} {
		if o.changed(flag) && o.hasEffect(flag) {
			return fmt.Errorf("with --%s", flag)
		}
	}
	return nil
}

// need returns an error if m lacks what a simulation of p needs, and notes the keys of m that it does not use.
func (o *directOptions) need(env *stage.Env, p directProgram, m target, scope replay.Scope) error {
	err := needMessages(m.Machine, "running "+p.header().Title(), true)
	if scope != replay.Messages {
		err = needReferences(m.Machine, "running "+p.header().Title(), scope)
	}
	if err == nil {
		noteAll(env, keyuse.OfMachine(m.Machine, useOf(m.Machine, scope, o.procs, false, false, o.opt.Semantics)))
	}
	return err
}

// checkScope returns an error if a flag is not for simulations of this scope.
func (o *directOptions) checkScope(program string, scope replay.Scope) error {
	not := map[replay.Scope][]string{replay.References: {"ahead", "semantics", "matrix", "timeline", "engine", "workers", "application-workers", "quantum", "engine-stats"}, replay.Messages: {"barrier"},
		replay.Both: {"ahead", "semantics", "barrier", "timeline", "engine", "workers", "application-workers", "quantum", "engine-stats"}}
	for _, flag := range not[scope] {
		if o.changed(flag) && o.hasEffect(flag) {
			if scope == replay.Both {
				return stage.Usage("--%s cannot be used: the simulation covers references and messages of %s", flag, program)
			}
			return stage.Usage("--%s cannot be used: %s %s", flag, program, programsOf(scope))
		}
	}
	return nil
}

// simulate simulates p on m, --repeat times to measure times of this host, and notes the warnings.
func (o *directOptions) simulate(ctx context.Context, env *stage.Env, p directProgram, m target, scope replay.Scope, without error) (row simulationRow, host hostRuns, err error) {
	head := p.header()
	progress := env.Progress("simulating "+head.Program, -1, "references and operations")
	defer progress.Done()
	var seen observed
	var out simulated
	for range o.repeat {
		seen = observed{}
		opt := direct.Options{Options: o.on(scope, o.procs, &seen, progress.Add), Procs: o.procs, Ahead: o.ahead}
		opt.Engine = o.engine.options(o.workers, nil)
		rec := direct.NewRecording(o.procs)
		if o.timeline != "" {
			opt.Sink = rec
		}
		if out, err = p.simulate(ctx, m, opt); err != nil {
			return row, nil, err
		}
		host = append(host, out.seconds)
		if err := o.write(env, rec.Source(head), seen.times); err != nil {
			return row, nil, err
		}
	}
	progress.Done()
	name := head.Title() + " on " + m.Name
	for _, w := range out.result.Warnings {
		env.Note("%s: %v", name, w)
	}
	if out.dropped > 0 {
		env.Note("%s: %d references to memory without a name are not simulated", name, out.dropped)
	}
	if scope == replay.Messages {
		env.Note("%s: %v", name, replay.WithoutReferences(without))
	}
	row = newRow(head.Title(), "", m.Machine, scope, out.result, 0, simulatedTasks)
	o.engine.note(env, name, scope, row.messages().Engine)
	row.observed = seen
	return row, host, nil
}

// program returns the program that the arguments name.
func (o *directOptions) program(ctx context.Context, env *stage.Env, args []string) (directProgram, error) {
	switch {
	case len(o.machines) == 0:
		return nil, noMachine(args)
	case o.workers < 1:
		return nil, stage.Usage("--workers %d; it takes at least one", o.workers)
	case o.engine.opt.Application < 0:
		return nil, stage.Usage("--application-workers %d is negative", o.engine.opt.Application)
	case o.ahead < 1:
		return nil, stage.Usage("--ahead %d; it takes at least one", o.ahead)
	case o.timeline != "" && (len(o.machines) > 1 || o.repeat > 1):
		return nil, stage.Usage("--timeline needs one run on one machine")
	case o.native && o.asked():
		return nil, stage.Usage("--native compares the times of the run, but --matrix, --path and --phases print other tables; choose one")
	case o.repeat < 1:
		return nil, stage.Usage("--repeat %d; it takes at least one", o.repeat)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := spmd.CheckProcs(o.procs); err != nil {
		return nil, stage.Usage("%v", err)
	}
	if strings.ContainsRune(args[0], filepath.Separator) || args[0] == "." {
		return o.ownProgram(ctx, env, args)
	}
	if len(args) > 1 {
		return nil, stage.Usage("unexpected argument %q; give parameters of a kernel as --set KEY=VALUE", args[1])
	}
	return newKernelProgram(args[0], o.set, o.procs, o.seed)
}
