package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"spoor/predict/internal/replay"
	"spoor/traces/stage"
)

// replayCommand is predict replay.
func replayCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "replay PREFIX... --machine FILE...",
		Args: cobra.MinimumNArgs(1),
	}
	stage.Describe(cmd, helpTexts, "replay")
	o := &replayOptions{}
	flags := cmd.Flags()
	stage.PathsVar(flags, &o.machines, "machine", "machine description `FILE`; may be repeated")
	stage.PathsVar(flags, &o.nodes, "node", "description `FILE` of a different node in each cluster; may be repeated")
	flags.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "`NUMBER` of simulations, or of workers of an engine, that run at once")
	flags.BoolVar(&o.full, "full", false, "use only machines with as many processors as the trace")
	flags.BoolVar(&o.references, "references", false, "simulate references of traces with messages, too; =false: of no trace")
	o.memory.add(flags)
	flags.BoolVar(&o.warm, "warm", false, "begin with the caches and memories of a previous run, not empty ones")
	flags.StringVar(&o.quanta.dir, "quanta", "", "write and print quanta of simulated time into `DIR`, for predict windtunnel")
	flags.Float64Var(&o.quanta.cycles, "quanta-length", 100, "length of a quantum in `CYCLES`, for --quanta")
	o.messages.add(flags)
	o.output.add(flags, "write the results as an Arrow table to `FILE`")
	o.group(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.changed = flags.Changed
		return o.run(cmd.Context(), env, args)
	}
	return cmd
}

// group puts the flags under titles, and completes their values.
func (o *replayOptions) group(cmd *cobra.Command) {
	flags := cmd.Flags()
	stage.Group(flags, "Machines", "machine", "node", "map", "ranks-per-node", "full", "workers")
	stage.Group(flags, "Shared memory", "references", "warm", "barrier", "quanta", "quanta-length")
	stage.Group(flags, "Messages", "collectives", "computation", "semantics", "engine", "quantum", "ahead")
	stage.Group(flags, "Output", "phases", "matrix", "path", "timeline", "engine-stats", "format", "output")
	stage.Complete(cmd, "collectives", algorithms)
	stage.Complete(cmd, "engine", engineNames)
	completeChoices(cmd)
}

func (o *replayOptions) run(ctx context.Context, env *stage.Env, args []string) error {
	prefixes, machines := splitReplayArgs(env, args, o.machines)
	switch {
	case len(prefixes) == 0:
		return stage.Usage("no trace; give the PREFIX of its files")
	case len(machines) == 0:
		return noMachine(prefixes)
	case o.workers < 1:
		return stage.Usage("--workers %d: at least 1 is needed", o.workers)
	}
	o.messages.slices = o.memory.phases
	if err := o.memory.check(); err != nil {
		return err
	}
	o.memory.opt.Warm = o.warm
	if err := errors.Join(o.messages.check(), o.checkQuanta()); err != nil {
		return err
	}
	sims, done, err := openSimulations(env, prefixes, machines, o.nodes)
	defer done()
	if err != nil {
		return err
	}
	if sims, err = fitting(env, sims, o.full); err != nil {
		return err
	}
	return o.simulate(ctx, env, sims)
}

// simulate runs all simulations by the kind of their traces, and reports them.
func (o *replayOptions) simulate(ctx context.Context, env *stage.Env, sims []*simulation) error {
	kind, err := o.kind(sims)
	for _, s := range sims {
		err = cmp.Or(err, s.need(kind, o.messages.opt.Recorded))
		if err == nil {
			s.machine, err = o.messages.placed(env, s.machine, s.trace.Header().Procs, kind, "replaying "+s.name())
		}
	}
	if err == nil {
		noteSources(env, sims, kind != byMessages)
		o.noteFlags(env, sims[0].prefix, kind, slices.ContainsFunc(sims, func(s *simulation) bool { return s.survey.HasCollectives() }))
		noteUnusedOfSimulations(env, sims, kind, o.messages.opt.Recorded, o.messages.opt.Semantics)
	}
	switch {
	case err != nil:
		return err
	case kind == byBoth:
		return o.runMixed(ctx, env, sims)
	case kind == byMessages && o.quanta.dir != "":
		return fmt.Errorf("dividing %s into quanta: it passes messages, but --quanta needs a trace without them", sims[0].prefix)
	case kind == byMessages && o.warm:
		return fmt.Errorf("replaying %s: it passes messages, and their replay has no caches for --warm; add --references", sims[0].prefix)
	case kind == byMessages:
		return o.runMessages(ctx, env, sims)
	case o.quanta.dir != "":
		return o.runQuanta(ctx, env, sims, o.memory.opt)
	}
	results, err := simulateAll(ctx, env, sims, o.memory.opt, o.workers)
	if err != nil {
		return err
	}
	o.noteReferences(env, sims)
	for i, s := range sims {
		for _, w := range results[i].Warnings {
			env.Note("%s: %v", s.name(), w)
		}
	}
	return o.report(env, sims, results)
}

// noteFlags notes flags that have no effect on traces of this kind.
func (o *replayOptions) noteFlags(env *stage.Env, prefix string, kind simulationKind, hasCollectives bool) {
	idle := append([]string{"collectives"}, onlyMessages...)
	switch kind {
	case byMessages:
		idle = []string{"barrier", "quanta-length"}
	case byBoth: // other flags are refused
		idle = []string{"quanta-length"}
	}
	for _, flag := range idle {
		if o.changed(flag) {
			env.Note("--%s has no effect: %s %v", flag, prefix, kind)
		}
	}
	switch {
	case kind != byMemory && o.changed("collectives") && !hasCollectives:
		env.Note("--collectives has no effect: %s has no recorded collectives", prefix)
	case kind == byMemory && o.references && o.changed("references"):
		env.Note("--references has no effect: %s passes no messages, and its references are simulated anyway", prefix)
	case kind == byMemory && o.changed("quanta-length") && o.quanta.dir == "":
		env.Note("--quanta-length has no effect without --quanta")
	}
}

// report prints the results, and writes them to a file with -o.
func (o *replayOptions) report(env *stage.Env, sims []*simulation, results []*replay.Result) error {
	var rows []memoryRow
	for i, s := range sims {
		rows = append(rows, newMemoryRow(s.trace.Header().Title(), s.trace.SHA256(), s.machine, results[i], recordedTasks))
	}
	out := memoryReport{memoryFlags: o.memory, output: o.output}
	return out.print(env.Out, rows)
}
