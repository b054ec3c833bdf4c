package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/analyze/comm"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/placement"
	"spoor/predict/internal/replay"
	"spoor/traces/lookup"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// addCommon adds the flags that predict direct has, too.
func (f *simulationFlags) addCommon(flags *pflag.FlagSet) {
	f.collectives, f.computation = string(comm.Doubling), computations[0]
	flags.BoolVar(&f.references, "references", false, "an error if references cannot be simulated, not a note; =false: simulate no references")
	flags.StringVar(&f.barrier, "barrier", "0s", "`TIME` of a barrier in shared memory after the last processor arrived")
	flags.StringVar(&f.semantics, "semantics", string(replay.LogGPS), "`NAME` of the rules for message costs: "+list(replay.AllSemantics)+" (see 'predict help sharing')")
	f.observerFlags.add(flags)
	flags.StringVar(&f.place.Map, "map", "", "`PLACEMENT` of ranks on nodes: block, cyclic, the path of a file with the host of each rank, or all: compare block and cyclic (default block)")
	flags.IntVar(&f.place.PerNode, "ranks-per-node", 0, "`NUMBER` of ranks on each node; 0: as many as its processors")
	f.engine.add(flags)
	flags.StringVar(&f.place.Order, "node-order", "", "`ORDER` of nodes on the network: random, random:SEED, or the path of a file with numbers of nodes (default from 0 on)")
	f.changed, f.engine.changed = flags.Changed, flags.Changed
}

// add adds all flags.
func (f *simulationFlags) add(flags *pflag.FlagSet) {
	f.addCommon(flags)
	flags.BoolVar(&f.opt.Warm, "warm", false, "begin with the caches and memories of a previous run, not empty ones")
	flags.StringVar(&f.collectives, "collectives", string(comm.Doubling), "`ALGORITHM` of recorded collectives: "+list(algorithms())+"; without the flag smpi with --semantics simgrid")
	flags.StringVar(&f.computation, "computation", computations[0], "`SOURCE` of computation times: instructions or recorded")
	flags.IntVar(&f.engine.opt.Ahead, "ahead", 0, fmt.Sprintf("`EVENTS` that engine whoa looks ahead, F of [dickens1996]; 0: %d while it saves time", engine.DefaultAhead))
	stage.PathVar(flags, &f.engine.times, "host-times", "write the times of the simulator itself on this host to `FILE`, for predict windtunnel; target wwt")
}

// computations are the values of --computation.
var computations = []string{"instructions", "recorded"}

// algorithms lists the algorithms of collectives with messages.
func algorithms() (names []string) {
	for _, a := range comm.Algorithms {
		if a != comm.Apart {
			names = append(names, string(a))
		}
	}
	return names
}

// semanticsNames are the values of --semantics.
func semanticsNames() []string { return replay.AllSemantics }

// completeChoices completes the values of flags.
func completeChoices(cmd *cobra.Command) {
	for flag, values := range map[string]func() []string{
		"path": func() []string { return pathKinds }, "semantics": semanticsNames,
		"map":         func() []string { return []string{placement.Block, placement.Cyclic, allMaps} },
		"node-order":  func() []string { return []string{placement.Random} },
		"computation": func() []string { return computations }, "collectives": algorithms, "engine": engineNames,
	} {
		if cmd.Flags().Lookup(flag) != nil {
			stage.Complete(cmd, flag, values)
		}
	}
}

// check reads the flags.
func (f *simulationFlags) check() (err error) {
	barrier, err := unit.Parse(f.barrier, "s")
	switch {
	case err != nil:
		return stage.Usage("--barrier: %v", err)
	case barrier < 0 || barrier > 1:
		return stage.Usage("--barrier %s is not from 0s to 1s", f.barrier)
	}
	f.opt.Barrier = unit.Seconds(barrier).Picos()
	if f.opt.Semantics, err = replay.ParseSemantics(f.semantics); err != nil {
		return stage.Usage("--semantics: %w", lookup.Unknown("semantics", f.semantics, semanticsNames()))
	}
	if f.opt.Semantics == replay.SMPI && !f.changed("collectives") {
		f.collectives = string(comm.SMPI)
	}
	if f.opt.Collectives, err = comm.ParseAlgorithm(f.collectives); err != nil || f.opt.Collectives == comm.Apart {
		return stage.Usage("--collectives: %w", lookup.Unknown("algorithm", f.collectives, algorithms()))
	}
	if !slices.Contains(computations, f.computation) {
		return stage.Usage("--computation: %w", lookup.Unknown("source", f.computation, computations))
	}
	f.opt.Recorded = f.computation == "recorded"
	if err := f.checkPlaces(); err != nil {
		return err
	}
	if err := f.observerFlags.check(); err != nil {
		return err
	}
	if f.engine.stats && f.asked() {
		return stage.Usage("--engine-stats, --path, --matrix and --phases print different tables; choose one")
	}
	return f.engine.check()
}

// withoutReferences returns why references of a program with messages cannot be simulated with these flags, or nil.
func (f *simulationFlags) withoutReferences() error {
	switch {
	case f.opt.Semantics == replay.LogGOPSim:
		return fmt.Errorf("with --semantics loggopsim, messages interrupt computing processors")
	case f.opt.Semantics == replay.SMPI:
		return fmt.Errorf("with --semantics simgrid, messages share links as in SimGrid, which no references use")
	case f.opt.Recorded:
		return fmt.Errorf("with --computation recorded, their time is part of the recorded times")
	}
	return nil
}

// on returns the options for a simulation of so many processors on m. out receives what the flags observe.
func (f *simulationFlags) on(scope replay.Scope, ranks int, out *observed, progress func(int)) replay.Options {
	opt := f.opt
	opt.Scope, opt.Progress = scope, progress
	opt.Phases = f.phases && !f.inSlices
	opt.Observer = f.observe(ranks, out)
	return opt
}
