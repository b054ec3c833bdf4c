// Tracegen runs parallel programs and records their memory references, messages, barriers and locks, with instruction
// counts.
//
//	$ tracegen --list
//	$ tracegen fft --set points=1024 --procs 4 -o fft
package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/tracegen/kernel"
	"spoor/traces/stage"
)

func main() { os.Exit(stage.Main(command, stage.OS(), os.Args[1:])) }

// command returns the command tree of tracegen: a subcommand for each kernel.
func command(env *stage.Env) *cobra.Command {
	var list bool
	var own packageOptions
	root := &cobra.Command{
		Use:  "tracegen [--package DIR {-o PREFIX | --native} [-- ARG ...]]",
		Args: cobra.ArbitraryArgs,
	}
	stage.Describe(root, helpTexts, "tracegen")
	flags := root.Flags()
	own.flags(flags)
	flags.BoolVar(&list, "list", false, "list the programs with their parameters and papers")
	format := stage.FormatFlag(flags)
	stage.Group(flags, "Program of your own", "package", "output", "native", "procs", "seed", "refs", "whole-collectives")
	stage.Group(flags, "List of programs", "list", "format")
	stage.ShowOnlyIn(flags, "package", "headers", "unplaced")
	kernelFlags(flags)
	stage.AddTopics(root, stage.Topics{Title: "Topics", Pages: []stage.Topic{packageTopic(flags)}})
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if err := own.arguments(cmd, args); err != nil {
			return stage.Usage("%w", err)
		}
		if !list && flags.Changed("format") {
			env.Note("--format has no effect without --list")
		}
		switch {
		case list:
			return stage.Print(env.Out, *format, listing())
		case own.dir != "":
			return own.run(cmd.Context(), env)
		}
		return cmd.Help()
	}
	root.AddCommand(initCommand(env), runCommand(env))
	for _, k := range kernel.All {
		root.AddCommand(kernelCommand(env, k))
	}
	return root
}

// kernelFlags adds hidden flags of kernels to root, so that a kernel with a wrong name gets a suggestion.
func kernelFlags(root *pflag.FlagSet) {
	root.StringArray("set", nil, "")
	root.Int("repeat", 1, "")
	for _, name := range onlyOfKernels {
		root.Lookup(name).Hidden = true
	}
}
