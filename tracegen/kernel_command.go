package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/stage"
)

// kernelCommand returns the subcommand that runs kernel k.
func kernelCommand(env *stage.Env, k kernel.Kernel) *cobra.Command {
	o := options{kernel: k}
	small := ""
	for _, p := range k.Params {
		if v, ok := k.Small[p.Name]; ok {
			small += fmt.Sprintf(" --set %s=%d", p.Name, v)
		}
	}
	cmd := &cobra.Command{
		Use:   k.Name + " {-o PREFIX | --native}",
		Short: k.Doc,
		Long:  "Runs " + k.Name + " [" + k.Paper + "]:\n" + k.Doc + ".\n\nParameters for --set:\n" + parameters(k),
		Example: "  $ tracegen " + k.Name + " --procs 2" + small + " -o " + k.Name + "\n" +
			"  $ tracegen " + k.Name + " --procs 2" + small + " --native",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	f := cmd.Flags()
	o.flags(f)
	stage.Complete(cmd, "set", func() []string { return settings(k) })
	format := stage.FormatFlag(f)
	stage.Group(f, "Program", "set", "procs", "seed")
	stage.Group(f, "Recording", "output", "refs", "whole-collectives")
	stage.Group(f, "Run without recording", "native", "repeat", "format")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		o.format = *format
		if f.Changed("format") && !o.native {
			env.Note("--format has no effect without --native: a recording prints no table")
		}
		return o.check(f.Changed("refs"), f.Changed("repeat"))
	}
	return cmd
}

// flags adds the flags of a kernel.
func (o *options) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.set, "set", nil, "set a parameter, as `key=value`; may be repeated")
	f.IntVar(&o.procs, "procs", 1, "number of processors (ranks)")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the input")
	f.StringVarP(&o.prefix, "output", "o", "", "record to `PREFIX`.refs.arrow and PREFIX.events.arrow")
	f.BoolVar(&o.refs, "refs", true, refsUsage)
	f.BoolVar(&o.whole, "whole-collectives", false, wholeUsage)
	f.BoolVar(&o.native, "native", false, "run at full speed without recording; print the verified result and its time")
	f.IntVar(&o.repeat, "repeat", 1, "with --native: number of runs")
}

// settings returns the values of --set for completion.
func settings(k kernel.Kernel) (list []string) {
	for _, p := range k.Params {
		list = append(list, p.Name+"=")
	}
	return list
}

// check returns an error for flags that do not fit together, and prepares the values.
func (o *options) check(refsGiven, repeatGiven bool) error {
	switch {
	case !o.native && o.prefix == "":
		return errors.New("no output; give -o PREFIX to record, or --native to run without recording")
	case o.native && o.prefix != "":
		return errors.New("--native records nothing, so -o cannot be given with it")
	case o.native && refsGiven:
		return errors.New("--native records nothing, so --refs cannot be given with it")
	case o.native && o.whole:
		return errors.New("--native records nothing, so --whole-collectives cannot be given with it")
	case !o.native && repeatGiven:
		return errors.New("--repeat needs --native; a recording is the same every time")
	case o.repeat < 1:
		return errors.New("--repeat is out of range; 1 or more")
	}
	set, err := kernel.ParseSet(o.set)
	if err != nil {
		return err
	}
	if o.values, err = o.kernel.Values(set); err != nil {
		return err
	}
	if err := spmd.CheckProcs(o.procs); err != nil || o.kernel.Procs == nil {
		return err
	}
	return o.kernel.Procs(o.values, o.procs)
}
