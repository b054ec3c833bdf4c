// Tracegen runs parallel programs and writes down what they do: their memory
// references and their barriers and locks, with instruction counts.
//
//	$ tracegen --list
//	$ tracegen fft --set points=1024 --procs 4 -o fft
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/tracegen/workload"
	"spoor/traces/stage"
)

func main() { os.Exit(stage.Main(command, stage.OS(), os.Args[1:])) }

// command is the command tree of tracegen: a subcommand for each kernel.
func command(env *stage.Env) *cobra.Command {
	var list bool
	var own packageOptions
	root := &cobra.Command{
		Use:   "tracegen [--package DIR {-o PREFIX | --native} [-- ARG ...]]",
		Short: "runs parallel programs and records what they do",
		Long: "Tracegen runs a parallel program, verifies its result, and writes its memory references and its events\n" +
			"(messages, barriers, locks) to PREFIX.refs.arrow and PREFIX.events.arrow. The same command gives the same bytes,\n" +
			"whatever the machine. Its commands are the programs; 'tracegen KERNEL --help' shows the parameters of one.\n\n" +
			"With --package it does so with a program of your own, whose main function calls spmd.Main. Its source stays as it\n" +
			"is: a copy that records is made of it and of the packages of its module, built by the go command, and run.",
		Example: "  $ tracegen --list\n" +
			"  $ tracegen fft --set points=1024 --procs 4 -o fft\n" +
			"  $ tracegen radix --set keys=10000 --native --repeat 3\n" +
			"  $ tracegen --package tracegen/instrument/testdata/heat --procs 4 -o heat -- -size 32",
		Args: own.arguments,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd == root { // the flags are those of a kernel whose name is wrong
			return cmp.Or(knownKernel(cmd.Flags().Args()), err)
		}
		return err
	})
	root.Flags().BoolVar(&list, "list", false, "list the kernels with their parameters and papers")
	own.flags(root.Flags())
	format := stage.FormatFlag(root.Flags())
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case list:
			return stage.Print(env.Out, *format, listing())
		case own.dir != "":
			return own.run(cmd.Context(), env)
		}
		return cmd.Help()
	}
	for _, k := range kernel.All {
		root.AddCommand(kernelCommand(env, k))
	}
	return root
}

// knownKernel says what is wrong with the first argument, if there is one.
func knownKernel(args []string) error {
	if len(args) == 0 {
		return nil
	}
	_, err := workload.Find(kernel.All, args[0])
	return err
}

const wholeUsage = "record each collective as one event, instead of its messages"

// kernelCommand is the subcommand that runs kernel k.
func kernelCommand(env *stage.Env, k workload.Kernel) *cobra.Command {
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
		Long:  k.Name + ": " + k.Doc + ", the workload of [" + k.Paper + "].\n\nParameters:\n" + parameters(k),
		Example: "  $ tracegen " + k.Name + " --procs 2" + small + " -o " + k.Name + "\n" +
			"  $ tracegen " + k.Name + " --procs 2" + small + " --native",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	f := cmd.Flags()
	f.IntVar(&o.procs, "procs", 1, "number of processors (ranks)")
	f.StringArrayVar(&o.set, "set", nil, "set a parameter, as `key=value`; may be repeated")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the input")
	f.StringVarP(&o.prefix, "output", "o", "", "record to `PREFIX`.refs.arrow and PREFIX.events.arrow")
	f.BoolVar(&o.refs, "refs", true, "record references; without them the events file still has every instruction count")
	f.BoolVar(&o.whole, "whole-collectives", false, wholeUsage)
	f.BoolVar(&o.native, "native", false, "run at full speed without recording; print the verified result and its time")
	f.IntVar(&o.repeat, "repeat", 1, "with --native: how many times to run")
	format := stage.FormatFlag(f)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		o.format = *format
		return o.check(f.Changed("refs"), f.Changed("repeat"))
	}
	return cmd
}

// check finds wrong combinations of flags, and prepares the values.
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
	set, err := workload.ParseSet(o.set)
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
