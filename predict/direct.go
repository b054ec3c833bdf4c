package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/direct"
	"spoor/tracegen/kernel"
	"spoor/tracegen/kernel/counted"
	"spoor/tracegen/spmd"
	"spoor/tracegen/workload"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// directOptions are the flags of predict direct.
type directOptions struct {
	machines []string
	procs    int
	set      []string
	seed     uint64
	ahead    int
	native   bool
	repeat   int
	messages messageFlags
	format   stage.Format
	output   string
}

// directCommand is predict direct.
func directCommand(env *stage.Env) *cobra.Command {
	o := &directOptions{messages: messageFlags{collectives: string(comm.Doubling), computation: "instructions"}}
	cmd := &cobra.Command{
		Use:   "direct KERNEL --machine FILE...",
		Short: "run a program itself on simulated machines",
		Long: "Direct runs a kernel of tracegen that passes messages under the simulator [dickens1996]: it computes its result, and\n" +
			"what it asks of time (clocks, tests, probes, receives from any source) gets the answers of the simulated machine. What a\n" +
			"replay of a trace takes as it was recorded is therefore decided anew on each machine. The parts of the time are those\n" +
			"of 'predict replay', and so are the times of programs that do not ask.\n\n" +
			"Ranks run ahead of what is simulated, up to --ahead operations, where time cannot tell them anything; the result is\n" +
			"the same whatever that is. 'tracegen KERNEL --help' shows the parameters of a kernel.\n\n" +
			"With --native the kernel runs at full speed on this host, too, as often as --repeat says: the table then has the median\n" +
			"of its times, the error of the predicted time, the time that this host took to simulate it, and the slowdown, that\n" +
			"over the native time. The environment variable GOMAXPROCS says on how many processors; a simulation takes one.",
		Example: "  $ predict direct sor --procs 4 --set g=8 --set iterations=20 --machine data/machine/loggp-example.toml\n" +
			"  $ predict direct pgl --procs 4 --set triangles=50 --set frames=2 --set size=64 --set extent=8 --machine data/machine/loggp-example.toml --format csv\n" +
			"  $ predict direct sor --procs 4 --set g=8 --set iterations=20 --machine data/machine/loggp-example.toml --native --repeat 3\n" +
			"  $ predict direct sor --procs 4 --set g=8 --set iterations=20 --machine data/machine/loggp-example.toml --path segment --timeline sor.prv",
		Args: cobra.ExactArgs(1),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&o.machines, "machine", nil, "machine description `FILE`; may be repeated")
	flags.IntVar(&o.procs, "procs", 1, "number of processors (ranks)")
	flags.StringArrayVar(&o.set, "set", nil, "set a parameter, as `key=value`; may be repeated")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the input")
	flags.IntVar(&o.ahead, "ahead", direct.DefaultAhead, "`OPERATIONS` that a rank may run ahead of its simulation")
	flags.BoolVar(&o.native, "native", false, "run the kernel at full speed, too, and compare")
	flags.IntVar(&o.repeat, "repeat", 1, "with --native: how many times to run and to simulate")
	o.messages.addCommon(flags)
	format := stage.FormatFlag(flags)
	flags.StringVarP(&o.output, "output", "o", "", "write the results as an Arrow table to `FILE`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.format = *format
		return o.run(cmd.Context(), env, args[0])
	}
	return cmd
}

func (o *directOptions) run(ctx context.Context, env *stage.Env, name string) error {
	p, err := o.program(name)
	if err != nil {
		return err
	}
	var machines []*machine.Machine
	for _, f := range o.machines {
		m, err := machine.Read(f)
		if err != nil {
			return err
		}
		for _, a := range m.Assumed {
			env.Note("%s: %s", m.Name, a)
		}
		machines = append(machines, m)
	}
	runs := make([]hostRuns, len(machines))
	var rows []messageRow
	for i, m := range machines {
		row, err := o.simulate(ctx, env, p, m, &runs[i])
		if err != nil {
			return fmt.Errorf("running %s on %s: %w", p.title, m.Name, err)
		}
		rows = append(rows, row)
	}
	table := messageTable(rows, &o.messages)
	if o.native {
		native, err := p.native(ctx, o.repeat)
		if err != nil {
			return fmt.Errorf("running %s: %w", p.title, err)
		}
		addNative(table, rows, runs, native)
	}
	if o.output != "" {
		if err := store.WriteTable(o.output, table); err != nil {
			return fmt.Errorf("writing the simulations: %w", err)
		}
	}
	return printMessages(env.Out, o.format, rows, table, &o.messages)
}

// program is what the arguments name.
func (o *directOptions) program(name string) (*directProgram, error) {
	switch {
	case len(o.machines) == 0:
		return nil, stage.Usage("no machine; give --machine FILE")
	case o.ahead < 1:
		return nil, stage.Usage("--ahead %d; it takes at least one", o.ahead)
	case o.messages.timeline != "" && (len(o.machines) > 1 || o.repeat > 1):
		return nil, stage.Usage("--timeline is of one run on one machine")
	case o.repeat < 1:
		return nil, stage.Usage("--repeat %d; it takes at least one", o.repeat)
	}
	if err := o.messages.checkCommon(); err != nil {
		return nil, err
	}
	k, err := workload.Find(counted.All, name)
	if err != nil {
		return nil, stage.Usage("%v", err)
	}
	set, err := workload.ParseSet(o.set)
	if err != nil {
		return nil, stage.Usage("%v", err)
	}
	values, err := k.Values(set)
	if err != nil {
		return nil, stage.Usage("%v", err)
	}
	head := trace.Header{Program: k.Name, Args: k.Args(values), Procs: o.procs, Seed: o.seed, Tool: "predict " + stage.Version}
	return &directProgram{title: head.Title(), header: head, kernel: k, values: values, procs: o.procs, seed: o.seed}, nil
}

// simulate runs p on m. It simulates it again where times of this host are asked for.
func (o *directOptions) simulate(ctx context.Context, env *stage.Env, p *directProgram, m *machine.Machine, host *hostRuns) (messageRow, error) {
	row := messageRow{title: p.title, machine: m.Name}
	progress := env.Progress("simulating "+p.title, -1, false)
	defer progress.Done()
	for range o.repeat {
		opt := direct.Options{Procs: o.procs, Ahead: o.ahead, Semantics: o.messages.opt.Semantics, Progress: progress.Add}
		opt.Observer = o.messages.observe(o.procs, &row.observed)
		rec := direct.NewRecording(o.procs)
		if o.messages.timeline != "" {
			opt.Sink = rec
		}
		res, err := p.simulate(ctx, m, opt, host)
		if err != nil {
			return row, err
		}
		row.result = res.Result
		if err := o.messages.write(env, rec.Source(p.header), row.times); err != nil {
			return row, err
		}
		if len(*host) == 1 {
			for _, w := range res.Warnings {
				env.Note("%s on %s: %v", p.title, m.Name, w)
			}
		}
	}
	return row, nil
}

// directProgram is a program that runs on this host, simulated or not.
type directProgram struct {
	title  string
	header trace.Header
	kernel workload.Kernel
	values workload.Values
	procs  int
	seed   uint64
}

// simulate runs the program on m, and notes how long this host takes.
func (p *directProgram) simulate(ctx context.Context, m *machine.Machine, opt direct.Options, host *hostRuns) (*direct.Result, error) {
	inst, err := p.kernel.New(p.values, p.procs, p.seed)
	if err != nil {
		return nil, err
	}
	var res *direct.Result
	err = host.time(func() (err error) {
		res, err = direct.Run(ctx, inst.Program, m, opt)
		return err
	})
	if err != nil {
		return nil, err
	}
	return res, verified(inst)
}

// native runs the program at full speed so many times.
func (p *directProgram) native(ctx context.Context, times int) (host hostRuns, err error) {
	k, err := workload.Find(kernel.All, p.kernel.Name)
	if err != nil {
		return nil, err
	}
	for range times {
		inst, err := k.New(p.values, p.procs, p.seed)
		if err != nil {
			return nil, err
		}
		if err := host.time(func() error { return spmd.Native(ctx, p.procs, inst.Program) }); err != nil {
			return nil, err
		}
		if err := verified(inst); err != nil {
			return nil, err
		}
	}
	return host, nil
}

func verified(inst workload.Instance) error {
	if err := inst.Verify(); err != nil {
		return fmt.Errorf("verifying the result: %w", err)
	}
	return nil
}
