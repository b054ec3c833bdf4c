package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/placement"
	"spoor/predict/internal/replay"
	"spoor/traces/lookup"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// messageFlags are the flags of predict replay for traces with messages.
type messageFlags struct {
	semantics, collectives, computation string
	engine                              engineFlags
	observerFlags
	place placement.Placement
	opt   replay.MessageOptions
}

func (f *messageFlags) add(flags *pflag.FlagSet) {
	f.addCommon(flags)
	flags.StringVar(&f.place.Map, "map", "", "`PLACEMENT` of ranks on nodes: block, cyclic, or the path of a file with the host of each rank (default block)")
	flags.IntVar(&f.place.PerNode, "ranks-per-node", 0, "`NUMBER` of ranks on each node; 0: as many as its processors")
	flags.StringVar(&f.collectives, "collectives", string(comm.Doubling), "`ALGORITHM` of recorded collectives: "+list(algorithms()))
	flags.StringVar(&f.computation, "computation", "instructions", "`SOURCE` of computation times: instructions or recorded")
	f.engine.add(flags)
}

// addCommon adds the flags that predict direct has, too.
func (f *messageFlags) addCommon(flags *pflag.FlagSet) {
	flags.StringVar(&f.semantics, "semantics", string(replay.LogGPS), "`NAME` of the rules for message costs: spoor or loggopsim")
	f.observerFlags.add(flags)
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

// check reads the flags.
func (f *messageFlags) check() (err error) {
	if err := f.checkCommon(); err != nil {
		return err
	}
	if err := f.place.Check(); err != nil {
		return err
	}
	if f.opt.Collectives, err = comm.ParseAlgorithm(f.collectives); err != nil || f.opt.Collectives == comm.Apart {
		return stage.Usage("--collectives: %w", lookup.Unknown("algorithm", f.collectives, algorithms()))
	}
	if !slices.Contains(computations, f.computation) {
		return stage.Usage("--computation: %w", lookup.Unknown("source", f.computation, computations))
	}
	f.opt.Recorded = f.computation == "recorded"
	return f.engine.check()
}

// checkCommon reads the flags that predict direct has, too.
func (f *messageFlags) checkCommon() (err error) {
	if f.opt.Semantics, err = replay.ParseSemantics(f.semantics); err != nil {
		return stage.Usage("--semantics: %w", lookup.Unknown("semantics", f.semantics, []string{string(replay.LogGPS), string(replay.LogGOPSim)}))
	}
	return f.observerFlags.check()
}

// placed returns m with so many ranks placed on its nodes, if the user chose a placement. what is the simulation.
func (f *messageFlags) placed(env *stage.Env, m *machine.Machine, ranks int, kind simulationKind, what string) (*machine.Machine, error) {
	if !f.place.Given() {
		return m, nil
	}
	switch {
	case kind != byMessages:
		return nil, stage.Usage("%s: --map and --ranks-per-node place the ranks of programs that pass messages and whose references are not simulated", what)
	case slices.Contains(m.Missing, machine.SystemSection):
		return nil, fmt.Errorf("%s: --map and --ranks-per-node need the nodes of [system], which the machine does not have", what)
	case f.opt.Semantics == replay.LogGOPSim:
		return nil, stage.Usage("%s: --map and --ranks-per-node have no effect with --semantics loggopsim, where each rank has a port of its own", what)
	}
	placed, err := f.place.On(m, ranks)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if !slices.ContainsFunc(placed.Placed, func(node int) bool { return node > 0 }) {
		env.Note("%s: all ranks are on the first node; --ranks-per-node spreads them", what)
	}
	return placed, nil
}

// completeChoices completes the values of flags that replay and direct have.
func completeChoices(cmd *cobra.Command) {
	stage.Complete(cmd, "path", func() []string { return pathKinds })
	stage.Complete(cmd, "semantics", func() []string { return []string{string(replay.LogGPS), string(replay.LogGOPSim)} })
	if cmd.Flags().Lookup("computation") != nil {
		stage.Complete(cmd, "map", func() []string { return []string{placement.Block, placement.Cyclic} })
		stage.Complete(cmd, "computation", func() []string { return computations })
	}
}

// engineFlags are the flags of predict replay about the engine for messages. The results do not depend on them.
type engineFlags struct {
	protocol, quantum string
	stats             bool
	opt               engine.Options
}

func (f *engineFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.protocol, "engine", string(engine.Sequential), "`NAME` of the engine: sequential, quantum or whoa")
	flags.StringVar(&f.quantum, "quantum", "0s", "`TIME` between synchronizations of engine quantum, at most the lookahead; 0s: the lookahead")
	flags.IntVar(&f.opt.Ahead, "ahead", 0, fmt.Sprintf("`EVENTS` that engine whoa looks ahead, F of [dickens1996]; 0: %d while it saves time", engine.DefaultAhead))
	flags.BoolVar(&f.stats, "engine-stats", false, "print windows, events and appointments of the engine")
}

// engineNames lists the engines.
func engineNames() []string {
	return []string{string(engine.Sequential), string(engine.Quantum), string(engine.Whoa)}
}

// check reads the flags.
func (f *engineFlags) check() (err error) {
	if f.opt.Protocol, err = engine.ParseProtocol(f.protocol); err != nil {
		return stage.Usage("--engine: %w", lookup.Unknown("engine", f.protocol, engineNames()))
	}
	quantum, err := unit.Parse(f.quantum, "s")
	switch {
	case err != nil:
		return stage.Usage("--quantum: %v", err)
	case quantum < 0 || quantum > 1:
		return stage.Usage("--quantum %s is not from 0s to 1s", f.quantum)
	case quantum > 0 && f.opt.Protocol != engine.Quantum:
		return stage.Usage("--quantum needs --engine quantum, not %s", f.opt.Protocol)
	case f.opt.Ahead > 0 && f.opt.Protocol != engine.Whoa:
		return stage.Usage("--ahead needs --engine whoa, not %s", f.opt.Protocol)
	case f.opt.Ahead < 0:
		return stage.Usage("--ahead %d is negative", f.opt.Ahead)
	}
	f.opt.Quantum = unit.Seconds(quantum).Picos()
	return nil
}

// options returns the options of a simulation by so many workers.
func (f *engineFlags) options(workers int) engine.Options {
	opt := f.opt
	if opt.Protocol != engine.Sequential {
		opt.Workers = workers
	}
	return opt
}

// note reports which engine ran, if the user chose one.
func (f *engineFlags) note(env *stage.Env, simulation string, e engine.Stats) {
	switch {
	case f.opt.Protocol == engine.Sequential && f.stats && e.Reason != "":
		env.Note("%s: only engine %s can run: %s", simulation, e.Protocol, e.Reason)
	case f.opt.Protocol == engine.Sequential:
	case e.Reason != "":
		env.Note("%s: engine %s ran instead of %s: %s", simulation, e.Protocol, f.opt.Protocol, e.Reason)
	default:
		env.Note("%s: engine %s, workers: %d", simulation, e.Protocol, e.Workers)
	}
}
