package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/direct"
	"spoor/predict/engine"
	"spoor/predict/replay"
	"spoor/tracegen/spmd"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// directOptions are the flags of predict direct.
type directOptions struct {
	machines []string
	nodes    []string
	procs    int
	set      []string
	seed     uint64
	ahead    int
	native   bool
	repeat   int

	references bool
	messages   messageFlags
	memory     memoryFlags
	changed    func(flag string) bool
	format     stage.Format
	output     string
}

// directCommand is predict direct.
func directCommand(env *stage.Env) *cobra.Command {
	o := &directOptions{messages: messageFlags{collectives: string(comm.Doubling), computation: "instructions"}}
	cmd := &cobra.Command{
		Use:   "direct {KERNEL | ./DIR} --machine FILE... [-- ARG ...]",
		Short: "run a program itself on simulated machines",
		Long:  directLong,
		Example: "  $ predict direct sor --procs 4 --set g=8 --set iterations=20 --machine data/machine/loggp-example.toml\n" +
			"  $ predict direct ./tracegen/instrument/testdata/heat --procs 4 --machine data/machine/loggp-example.toml -- -size 32\n" +
			"  $ predict direct ./tracegen/instrument/testdata/mandelbrot --procs 4 --machine data/machine/du2000-smp-256k.toml -- -size 32\n" +
			"  $ predict direct ./tracegen/instrument/testdata/teams --procs 4 --machine data/machine/du2000-clump-2x2-256k-155m.toml -- -size 16\n" +
			"  $ predict direct cholesky --procs 4 --set rings=3 --set spokes=8 --machine data/machine/spasm-mesh.toml --machine data/machine/du2000-smp-256k.toml\n" +
			"  $ predict direct pgl --procs 4 --set triangles=50 --set frames=2 --set size=64 --set extent=8 --machine data/machine/loggp-example.toml --format csv\n" +
			"  $ predict direct sor --procs 4 --set g=8 --set iterations=20 --machine data/machine/loggp-example.toml --native --repeat 3\n" +
			"  $ predict direct sor --procs 4 --set g=8 --set iterations=20 --machine data/machine/loggp-example.toml --path segment --timeline sor.prv",
		Args: cobra.MinimumNArgs(1),
	}
	flags := cmd.Flags()
	stage.PathsVar(flags, &o.machines, "machine", "machine description `FILE`; may be repeated")
	stage.PathsVar(flags, &o.nodes, "node", "description `FILE` of a node of another kind, in place of a last one of each cluster; may be repeated")
	flags.IntVar(&o.procs, "procs", 1, "number of processors (ranks)")
	flags.StringArrayVar(&o.set, "set", nil, "set a parameter, as `key=value`; may be repeated")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the input")
	flags.IntVar(&o.ahead, "ahead", direct.DefaultAhead, "`OPERATIONS` that a rank may run ahead of its simulation")
	flags.BoolVar(&o.native, "native", false, "run the program at full speed, too, and compare")
	flags.IntVar(&o.repeat, "repeat", 1, "with --native: how many times to run and to simulate")
	flags.BoolVar(&o.references, "references", false, "simulate the references of a program that passes messages, too, as those of one that shares memory are")
	o.messages.addCommon(flags)
	o.memory.add(flags)
	format := stage.FormatFlag(flags)
	flags.StringVarP(&o.output, "output", "o", "", "write the results as an Arrow table to `FILE`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.format, o.changed = *format, flags.Changed
		return o.run(cmd.Context(), env, args)
	}
	return cmd
}

// directLong is the help of the command.
const directLong = "Direct runs a kernel of tracegen, or a program of yours, under the simulator [dickens1996], and what it asks of time\n" +
	"(clocks, tests, probes, receives from any source, locks, flags and task queues) gets the answers of the simulated\n" +
	"machine. What a replay of a trace takes as it was recorded is therefore decided anew on each machine. The parts of the\n" +
	"time are those of 'predict replay', and so are the times of programs that do not ask.\n\n" +
	"A program passes messages, on the processors and the network of the machine, or it shares memory: then its references\n" +
	"run on the machine's caches, memories and network, as those of a trace do in 'predict replay', whose targets these are.\n" +
	"One that passes messages and takes locks or tasks, or waits for flags, does both at once, and so does any that passes\n" +
	"messages with --references: see 'predict replay --help'.\n" +
	"The column tasks says how tasks of queues are given out: simulated here, recorded by a replay.\n\n" +
	"Ranks run ahead of what is simulated where time cannot tell them anything, when they pass messages up to --ahead\n" +
	"operations; the result is the same whatever that is. When they share memory they run up to the next lock, barrier, flag\n" +
	"or clock, and what they read without a lock while others write it is what is there when they run.\n" +
	"Ranks that wait for each other, or look 4 million times on end (Test, Iprobe) for what nobody will do, are an error that names them.\n" +
	"Nodes of a cluster may be unequal, as in 'predict replay': then all processors must take part.\n" +
	"'tracegen KERNEL --help' shows the parameters of a kernel.\n\n" +
	"With --native the program runs at full speed on this host, too, as often as --repeat says and once before that: the table\n" +
	"then has the median of its times, of what a rank computed on average (native_compute: without messages and waiting, of\n" +
	"runs of their own), the error of the predicted time, the time that this host took to simulate it, and the slowdown, that\n" +
	"over the native time. On a machine with 1 GHz and cpi = 1, native_compute / compute is the nanoseconds of an instruction,\n" +
	"from which a machine for longer runs of the program is described. The environment variable GOMAXPROCS says on how many processors; a simulation takes one."

func (o *directOptions) run(ctx context.Context, env *stage.Env, args []string) (err error) {
	p, err := o.program(ctx, env, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	var machines []target
	for _, f := range o.machines {
		m, err := readMachine(f, o.nodes)
		if err != nil {
			return err
		}
		for _, a := range m.Assumed {
			env.Note("%s: %s", m.Name, a)
		}
		machines = append(machines, target{m, f})
	}
	kind, err := p.kind(ctx)
	withoutThem := refsModeOf(o.references, o.changed("references")) == refsOff
	switch {
	case err != nil:
		return fmt.Errorf("running %s: %w", p.header().Title(), err)
	case kind == byMessages && o.references:
		kind = byBoth
	case kind != byMessages && withoutThem:
		return withReferences(p, kind)
	}
	if kind != byBoth {
		err := o.runAlone(ctx, env, p, machines, kind)
		switch {
		case !isBoth(err):
			return err
		case withoutThem:
			return withReferences(p, byBoth)
		}
	}
	return o.runMixed(ctx, env, p, machines)
}

// withReferences is the error of a program that is simulated with its references, and was to be without.
func withReferences(p directProgram, kind kindOf) error {
	return stage.Usage("--references=false: %s %v, which is simulated with its references alone", p.header().Program, kind)
}

// runAlone runs a program that shares memory or passes messages. If it does both, the error says so and nothing has been printed.
func (o *directOptions) runAlone(ctx context.Context, env *stage.Env, p directProgram, machines []target, kind kindOf) error {
	if err := o.checkKind(p.header(), kind); err != nil {
		return err
	}
	if kind == byMemory {
		return o.runMemory(ctx, env, p, machines)
	}
	return o.runMessages(ctx, env, p, machines)
}

// runMessages runs a program that passes messages.
func (o *directOptions) runMessages(ctx context.Context, env *stage.Env, p directProgram, machines []target) error {
	var runs []hostRuns
	var rows []messageRow
	var times []unit.Picos
	for _, m := range machines {
		row, host, err := o.simulate(ctx, env, p, m)
		if err != nil {
			return fmt.Errorf("running %s on %s: %w", p.header().Title(), m.Name, err)
		}
		rows, runs, times = append(rows, row), append(runs, host), append(times, row.result.Time)
	}
	table := o.messages.table(rows)
	if table == nil {
		table = messageTable(rows, &o.messages)
	}
	if o.native {
		native, err := o.nativeRuns(ctx, p)
		if err != nil {
			return err
		}
		addNative(table, times, runs, native)
	}
	if o.output != "" {
		if err := store.WriteTable(o.output, table); err != nil {
			return fmt.Errorf("writing the simulations: %w", err)
		}
	}
	return printMessages(env.Out, o.format, rows, table, &o.messages)
}

// checkKind finds flags that are not about programs of this kind.
func (o *directOptions) checkKind(head trace.Header, kind kindOf) error {
	not := []string{"barrier"}
	if kind == byMemory {
		not = []string{"ahead", "semantics", "matrix", "path", "timeline"}
	}
	for _, flag := range not {
		if o.changed(flag) {
			return stage.Usage("--%s is not about a program that %v, as %s does", flag, kind, head.Program)
		}
	}
	return nil
}

// nativeRuns runs p at full speed as often as is asked for, and once before, so that what comes first in a process does not count.
func (o *directOptions) nativeRuns(ctx context.Context, p directProgram) (native []hostRun, err error) {
	for i := range o.repeat + 1 {
		run, err := p.native(ctx)
		if err != nil {
			return nil, fmt.Errorf("running %s: %w", p.header().Title(), err)
		}
		if i > 0 {
			native = append(native, run)
		}
	}
	return native, nil
}

// program is what the arguments name.
func (o *directOptions) program(ctx context.Context, env *stage.Env, args []string) (directProgram, error) {
	o.messages.slices = o.memory.phases
	switch {
	case len(o.machines) == 0:
		return nil, noMachine()
	case o.ahead < 1:
		return nil, stage.Usage("--ahead %d; it takes at least one", o.ahead)
	case o.messages.timeline != "" && (len(o.machines) > 1 || o.repeat > 1):
		return nil, stage.Usage("--timeline is of one run on one machine")
	case o.native && o.messages.asked():
		return nil, stage.Usage("--native belongs to the times of the run, --matrix, --path and --phases print other tables; ask for one")
	case o.repeat < 1:
		return nil, stage.Usage("--repeat %d; it takes at least one", o.repeat)
	}
	if err := errors.Join(o.messages.checkCommon(), o.memory.check()); err != nil {
		return nil, err
	}
	if err := spmd.CheckProcs(o.procs); err != nil {
		return nil, stage.Usage("%v", err)
	}
	if strings.ContainsRune(args[0], filepath.Separator) || args[0] == "." {
		return o.ownProgram(ctx, env, args)
	}
	if len(args) > 1 {
		return nil, stage.Usage("unexpected %q; parameters of a kernel are given as --set key=value", args[1])
	}
	return o.kernelProgram(args[0])
}

// simulate runs p on m. It simulates it again where times of this host are asked for.
func (o *directOptions) simulate(ctx context.Context, env *stage.Env, p directProgram, m target) (row messageRow, host hostRuns, err error) {
	head := p.header()
	row = messageRow{title: head.Title(), machine: m.Name}
	progress := env.Progress("simulating "+head.Program, -1, "operations")
	defer progress.Done()
	for i := range o.repeat {
		opt := direct.Options{Procs: o.procs, Ahead: o.ahead, Semantics: o.messages.opt.Semantics, Progress: progress.Add}
		opt.Observer = o.messages.observe(o.procs, &row.observed)
		rec := direct.NewRecording(o.procs)
		if o.messages.timeline != "" {
			opt.Sink = rec
		}
		out, err := p.simulate(ctx, m, opt)
		if err != nil {
			return row, nil, err
		}
		row.result = out.result
		host = append(host, out.seconds)
		if err := o.messages.write(env, rec.Source(head), row.times); err != nil {
			return row, nil, err
		}
		for _, w := range out.warnings {
			if i == 0 {
				env.Note("%s on %s: %v", row.title, m.Name, w)
			}
		}
	}
	env.Note("%s on %s: %v", row.title, m.Name, replay.ErrNoReferences)
	return row, host, nil
}

// target is a machine and its file.
type target struct {
	*machine.Machine
	file string
}

// directProgram is a program that runs on this host, simulated or not.
type directProgram interface {
	header() trace.Header
	// kind says which of the following three can run the program. If it does both, perhaps only one of them is known, and simulating that ends with an
	// error for which isBoth is true.
	kind(ctx context.Context) (kindOf, error)
	// simulateMemory runs it on the memory system of m.
	simulateMemory(ctx context.Context, m target, opt direct.MemoryOptions) (simulatedMemory, error)
	// simulateMixed runs it on the processors, the memory system and the network of m.
	simulateMixed(ctx context.Context, m target, opt direct.MemoryOptions) (simulatedMixed, error)
	// simulate runs the program on the processors and the network of m.
	simulate(ctx context.Context, m target, opt direct.Options) (simulated, error)
	// native runs it at full speed.
	native(ctx context.Context) (hostRun, error)
	// remove removes what was made of it.
	remove() error
}

// simulated is a simulation that took this host so many seconds.
type simulated struct {
	result   *engine.Result
	warnings []error
	seconds  float64
}
