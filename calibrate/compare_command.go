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
		Use: "compare FIRST.params.toml AGAIN.params.toml...",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("give two files or more: of the first run and of others")
			}
			return nil
		},
	}
	stage.Describe(cmd, helpTexts, "compare")
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
