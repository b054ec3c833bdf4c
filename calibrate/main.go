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
		Use:   "calibrate",
		Short: "parameters and machine descriptions",
		Long: "Calibrate measures this host and writes machine descriptions and parameters for predict. It also fits models to\n" +
			"times that were measured elsewhere.",
		Example: "  $ calibrate fit data/sample/osu.txt -o cluster\n  $ calibrate show example-desktop",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(allCommand(env), memoryCommand(env), transportCommand(env), marshallingCommand(env), instructionsCommand(env), fitCommand(env), compareCommand(env), showCommand(env), machinesCommand(env))
	stage.AddTopics(root, topics()...)
	stage.CompleteFiles(root, "machine", machine.Names)
	completeTransports(root)
	return root
}

func showCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show FILE|NAME|DIR...",
		Short: "check and print machine descriptions and parameter files",
		Long: "Show checks machine descriptions and parameter files as strictly as predict does, and prints them.\n" +
			"A machine is a FILE or a name that 'calibrate machines' lists. Show prints each quantity, its value in\n" +
			"seconds and cycles, sets of caches, and the values that it assumes for absent keys. For a parameter it prints\n" +
			"value, unit, 95 % interval and method. In a DIR it reads *.params.toml and *.machine.toml.",
		Example: "  $ calibrate show example-desktop\n" +
			"  $ tracegen fft --set points=1024 -o fft\n" +
			"  $ analyze -o fft.analysis fft\n" +
			"  $ calibrate show fft.analysis --format csv",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("no file or machine is given")
			}
			return nil
		},
	}
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
