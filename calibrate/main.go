// Calibrate writes parameters and machine descriptions from measurements. It measures this host, fits models to
// times that were measured anywhere, and prints descriptions and parameters.
//
//	$ calibrate all --quick -o host
//	$ calibrate fit data/sample/osu.txt -o cluster
//	$ calibrate show example-desktop
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"spoor/calibrate/internal/describe"
	"spoor/calibrate/internal/transport"
	"spoor/calibrate/machine"
	"spoor/traces/stage"
)

func main() {
	if is, err := transport.Other(); is {
		if err != nil {
			fmt.Fprintf(os.Stderr, "spoor: calibrate: the other side of a transport: %v\n", err)
			os.Exit(stage.Failed)
		}
		return
	}
	os.Exit(stage.Main(command, stage.OS(), os.Args[1:]))
}

// command returns the command tree of calibrate.
func command(env *stage.Env) *cobra.Command {
	root := &cobra.Command{
		Use:  "calibrate",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	stage.Describe(root, helpTexts, "calibrate")
	root.AddCommand(allCommand(env), memoryCommand(env), transportCommand(env), marshallingCommand(env), instructionsCommand(env), fitCommand(env), importCommand(env), compareCommand(env), showCommand(env), machinesCommand(env))
	stage.AddTopics(root, topics()...)
	stage.CompleteFiles(root, "machine", machine.Names)
	completeTransports(root)
	return root
}

func showCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show FILE|NAME|DIR...",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("no file or machine is given")
			}
			return nil
		},
	}
	stage.Describe(cmd, helpTexts, "show")
	format := stage.FormatFlag(cmd.Flags())
	stage.CompleteFileArgs(cmd, machine.Names)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		table, err := describe.Table(args)
		if err != nil {
			return err
		}
		return stage.Print(env.Out, *format, table)
	}
	return cmd
}
