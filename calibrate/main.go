// Calibrate turns measurements into parameters and machine descriptions. It measures this host, fits models
// to times that were measured anywhere, and shows what descriptions and parameters say.
//
//	$ calibrate all --quick -o host
//	$ calibrate fit data/sample/osu.txt -o cluster
//	$ calibrate show data/machine/du2000-smp-256k.toml
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"spoor/calibrate/machine"
	"spoor/calibrate/transport"
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

// command is the command tree of calibrate.
func command(env *stage.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "calibrate",
		Short: "parameters and machine descriptions",
		Long: "Calibrate is about what models need to know of machines and programs: machine descriptions and\n" +
			"parameters with their intervals, both TOML documents that are read strictly.",
		Example: "  $ calibrate show data/machine/du2000-smp-256k.toml",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(allCommand(env), memoryCommand(env), transportCommand(env), marshallingCommand(env), instructionsCommand(env), fitCommand(env), compareCommand(env), showCommand(env), machinesCommand(env))
	stage.CompleteFiles(root, "machine", machine.Names)
	return root
}

func showCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show FILE|DIR...",
		Short: "check machine descriptions and parameter files, and show what they mean",
		Long: "Show reads machine descriptions and parameter files, which may be mixed, as strictly as predict does,\n" +
			"of a DIR those named *.params.toml and *.machine.toml.\n" +
			"Of a machine it prints every quantity as given and as it works out: times at the machine's clock, sets\n" +
			"of caches, and what was left open with what is put in its place. Of a parameter it prints value, unit,\n" +
			"95 % interval and method.",
		Example: "  $ calibrate show data/machine/du2000-smp-256k.toml\n" +
			"  $ tracegen fft --set points=1024 -o fft\n" +
			"  $ analyze -o fft.analysis fft\n" +
			"  $ calibrate show fft.analysis --format csv",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("no file is named")
			}
			return nil
		},
	}
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		var s shown
		for _, path := range args {
			files, err := named(path)
			if err != nil {
				return err
			}
			for _, file := range files {
				if err := s.file(file); err != nil {
					return err
				}
			}
		}
		return stage.Print(env.Out, *format, s.table())
	}
	return cmd
}
