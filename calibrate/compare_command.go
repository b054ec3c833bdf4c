package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"spoor/calibrate/internal/coverage"
	"spoor/calibrate/internal/describe"
	"spoor/traces/stage"
)

func compareCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare FIRST.params.toml AGAIN.params.toml...",
		Short: "count the parameters of other runs that lie in the intervals of the first",
		Long:  compareLong,
		Example: "  $ calibrate fit data/sample/transfers.csv -o one\n" +
			"  $ calibrate fit data/sample/transfers.csv --seed 2 -o two\n" +
			"  $ calibrate compare one.params.toml two.params.toml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("give two files or more: of the first run and of others")
			}
			return nil
		},
	}
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(_ *cobra.Command, paths []string) error {
		first, err := describe.ReadParams(paths[0])
		if err != nil {
			return err
		}
		var all coverage.Coverage
		for _, path := range paths[1:] {
			again, err := describe.ReadParams(path)
			if err != nil {
				return err
			}
			if err := all.Add(path, first, again); err != nil {
				return fmt.Errorf("%s and %s: %w", paths[0], path, err)
			}
		}
		return stage.Print(env.Out, *format, all.Table())
	}
	return cmd
}

// compareLong is the help of the command.
const compareLong = "Compare tests the 95 % intervals: another run of the same measurements should find 95 of 100 parameters inside.\n" +
	"Run the same command several times on a host in the same state, and compare the files. Compare prints a row for\n" +
	"each kind of parameter (the part of the name before the first _), and one for all. It counts\n" +
	"parameters that it cannot compare: those without interval, or absent from the other run. Where sizes were\n" +
	"divided into classes, it compares a class with the one that contains its middle size."
