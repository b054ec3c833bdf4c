package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spoor/analyze/comm"
	"spoor/predict/internal/direct"
	"spoor/tracegen/spmd"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// directCommand is predict direct.
func directCommand(env *stage.Env) *cobra.Command {
	o := &directOptions{messages: messageFlags{collectives: string(comm.Doubling), computation: "instructions"}}
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
	flags.BoolVar(&o.native, "native", false, "also run the program at full speed, and compare")
	flags.IntVar(&o.repeat, "repeat", 1, "`NUMBER` of runs and simulations, for --native")
	flags.BoolVar(&o.references, "references", false, "simulate references of a program with messages, too")
	o.messages.addCommon(flags)
	o.memory.add(flags)
	o.output.add(flags, "write the results as an Arrow table to `FILE`")
	stage.Group(flags, "Program", "procs", "set", "seed")
	stage.Group(flags, "Simulation", "machine", "node", "references", "barrier", "semantics", "ahead")
	stage.Group(flags, "Full speed", "native", "repeat")
	stage.Group(flags, "Output", "phases", "matrix", "path", "timeline", "format", "output")
	completeChoices(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.changed = flags.Changed
		return o.run(cmd.Context(), env, args)
	}
	return cmd
}

func (o *directOptions) run(ctx context.Context, env *stage.Env, args []string) (err error) {
	p, err := o.program(ctx, env, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	var machines []target
	for _, f := range o.machines {
		m, err := readPart(f, o.nodes)
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
	if o.changed("repeat") && !o.native {
		env.Note("--repeat has no effect without --native: every simulation gives the same result")
	}
	if kind == byMemory && o.references {
		env.Note("--references has no effect: the program passes no messages, and its references are simulated anyway")
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

// withReferences is the error for --references=false with a program whose references must be simulated.
func withReferences(p directProgram, kind simulationKind) error {
	return stage.Usage("--references=false: %s %v, so its references must be simulated", p.header().Program, kind)
}

// runAlone runs a program that shares memory or passes messages. If it does both, runAlone prints nothing and returns an error.
func (o *directOptions) runAlone(ctx context.Context, env *stage.Env, p directProgram, machines []target, kind simulationKind) error {
	if err := o.checkKind(p.header(), kind); err != nil {
		return err
	}
	if kind == byMemory {
		return o.runMemory(ctx, env, p, machines)
	}
	return o.runMessages(ctx, env, p, machines)
}

// checkKind returns an error if a flag is not for programs of this kind.
func (o *directOptions) checkKind(head trace.Header, kind simulationKind) error {
	not := []string{"barrier"}
	if kind == byMemory {
		not = []string{"ahead", "semantics", "matrix", "path", "timeline"}
	}
	for _, flag := range not {
		if o.changed(flag) {
			return stage.Usage("--%s cannot be used: %s %v", flag, head.Program, kind)
		}
	}
	return nil
}

// program returns the program that the arguments name.
func (o *directOptions) program(ctx context.Context, env *stage.Env, args []string) (directProgram, error) {
	o.messages.slices = o.memory.phases
	switch {
	case len(o.machines) == 0:
		return nil, noMachine(args)
	case o.ahead < 1:
		return nil, stage.Usage("--ahead %d; it takes at least one", o.ahead)
	case o.messages.timeline != "" && (len(o.machines) > 1 || o.repeat > 1):
		return nil, stage.Usage("--timeline needs one run on one machine")
	case o.native && o.messages.asked():
		return nil, stage.Usage("--native compares the times of the run, but --matrix, --path and --phases print other tables; choose one")
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
		return nil, stage.Usage("unexpected argument %q; give parameters of a kernel as --set KEY=VALUE", args[1])
	}
	return newKernelProgram(args[0], o.set, o.procs, o.seed)
}
