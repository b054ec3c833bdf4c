package main

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
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
	flags.BoolVar(&o.ideal, "ideal", false, "run also on a PRAM, an ideal machine, and add the time there")
	flags.StringVar(&o.quanta.dir, "quanta", "", "write and print quanta of simulated time into `DIR`, for predict windtunnel")
	flags.Float64Var(&o.quanta.cycles, "quanta-length", 100, "length of a quantum in `CYCLES`, for --quanta")
	flags.BoolVar(&o.together, "together", false, "run all traces at the same time, and compare with each alone")
	flags.StringSliceVar(&o.start, "start", nil, "`TIMES` when the traces begin, as 0s,50us, for --together (default all 0s)")
	flags.BoolVar(&o.sensitivity, "sensitivity", false, "print what 10 % more of each cost of the machine does to the time")
	o.simulationFlags.add(flags)
	o.output.add(flags, "write the results as an Arrow table to `FILE`")
	stage.Group(flags, "Machines", "machine", "node", "map", "ranks-per-node", "node-order", "together", "start", "full", "workers")
	stage.Group(flags, "References", "references", "warm", "barrier", "ideal")
	stage.Group(flags, "Messages", "collectives", "computation", "semantics", "engine", "quantum", "ahead")
	stage.Group(flags, "Output", "sensitivity", "phases", "matrix", "path", "timeline", "quanta", "quanta-length", "engine-stats", "host-times", "format", "output")
	completeChoices(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args) }
	return cmd
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
	if err := errors.Join(o.check(), o.checkQuanta(), o.checkTogether(len(prefixes)), o.checkIdeal(), o.checkSensitivity()); err != nil {
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
	sims = inPlaces(sims, o.places)
	if err := o.prepare(env, sims); err != nil {
		return err
	}
	if o.together {
		return o.runTogether(ctx, env, sims)
	}
	if o.quanta.dir != "" {
		return o.runQuanta(ctx, env, sims)
	}
	rows, err := o.simulate(ctx, env, sims, nil)
	if err != nil {
		return err
	}
	if o.ideal {
		if err := o.simulateIdeal(ctx, sims, rows); err != nil {
			return err
		}
	}
	if err := o.write(env, sims[0].trace, rows[0].times); err != nil {
		return err
	}
	if o.sensitivity {
		return o.printSensitivity(ctx, env, sims, rows)
	}
	out := simulationReport{simulationFlags: &o.simulationFlags, output: o.output, extend: func(t *store.Table) {
		if len(o.places) > 1 {
			t.Columns = append(t.Columns, store.ColumnOf(sims, "map", "", func(s *simulation) string { return s.place.Map }))
		}
		if o.ideal {
			t.Columns = append(t.Columns, idealColumns(rows)...)
		}
	}}
	return out.print(env.Out, rows)
}

// prepare decides what each simulation covers, and notes what has no effect.
func (o *replayOptions) prepare(env *stage.Env, sims []*simulation) (err error) {
	references := false
	for _, s := range sims {
		if s.scope, s.without, err = o.scope(s); err != nil {
			return err
		}
		if err := cmp.Or(s.need(s.scope, o.opt.Recorded), s.checkMemory()); err != nil {
			return err
		}
		if o.together {
			continue // jobs are placed together
		}
		if s.machine, err = o.placed(env, s.place, s.machine, s.trace.Header().Procs, "replaying "+s.name()); err != nil {
			return err
		}
		o.inSlices = o.inSlices || s.scope != replay.References
		references = references || s.scope != replay.Messages
	}
	switch {
	case o.timeline != "" && len(sims) > 1:
		return stage.Usage("--timeline needs one trace on one machine, not %d simulations", len(sims))
	case o.opt.Warm && !references:
		return stage.Usage("replaying %s: --warm needs caches, and references are not simulated%s", sims[0].prefix, because(sims[0].without))
	}
	if err := o.engine.checkTimes(sims); err != nil {
		return err
	}
	noteSources(env, sims, references)
	o.noteFlags(env, sims)
	noteUnusedOfSimulations(env, sims, o.opt.Recorded, o.opt.Semantics)
	return nil
}

// because appends a reason, if there is one.
func because(why error) string {
	if why == nil {
		return ""
	}
	return ": " + why.Error()
}

// noteFlags notes flags that have no effect on a kind of trace, which all traces are of.
func (o *replayOptions) noteFlags(env *stage.Env, sims []*simulation) {
	is := func(scope replay.Scope) bool {
		return !slices.ContainsFunc(sims, func(s *simulation) bool { return s.scope != scope })
	}
	messages := !is(replay.References)
	idle := []string{}
	switch {
	case !messages:
		idle = []string{"collectives", "matrix", "semantics", "computation", "ahead"}
		if !slices.ContainsFunc(sims, (*simulation).hasWindows) {
			idle = append(idle, "engine", "quantum", "engine-stats")
		}
	case !slices.ContainsFunc(sims, func(s *simulation) bool { return s.scope == replay.References }):
		idle = []string{"barrier"}
	}
	for _, flag := range idle {
		if o.changed(flag) {
			why := programsOf(sims[0].scope)
			if flag == "barrier" {
				why = "is simulated with its barriers as messages"
			}
			env.Note("--%s has no effect: %s %s", flag, sims[0].prefix, why)
		}
	}
	switch {
	case messages && o.changed("collectives") && !slices.ContainsFunc(sims, func(s *simulation) bool { return s.survey.HasCollectives() }):
		env.Note("--collectives has no effect: %s has no recorded collectives", sims[0].prefix)
	case !messages && o.references && o.changed("references"):
		env.Note("--references has no effect: %s passes no messages, and its references are simulated anyway", sims[0].prefix)
	case o.changed("workers") && len(sims) == 1 && is(replay.References) && !sims[0].hasWindows() && o.workers > 1:
		env.Note("--workers has no effect: one worker simulates references on target %s, where an access changes all caches at once; target wwt can have several", sims[0].machine.System.Target)
	case o.changed("quanta-length") && o.quanta.dir == "":
		env.Note("--quanta-length has no effect: there is no --quanta")
	}
}
