package main

import (
	"github.com/spf13/cobra"

	"spoor/traces/internal/sample"
	"spoor/traces/stage"
)

func sampleCommand(env *stage.Env) *cobra.Command {
	var f sample.Options
	cmd := &cobra.Command{
		Use:  "sample PREFIX -o PREFIX",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.Check(); err != nil {
				return err
			}
			return f.Run(cmd.Context(), env, args[0])
		},
	}
	stage.Describe(cmd, helpTexts, "sample")
	flags := cmd.Flags()
	flags.StringVarP(&f.Output, "output", "o", "", "`PREFIX` of the files to write (required)")
	flags.StringVar(&f.By, "by", "window", "`WHAT` to choose at random: window or line")
	flags.Float64Var(&f.Rate, "rate", 0.01, "`SHARE` of references or lines, above 0 and at most 1")
	flags.Int64Var(&f.Window, "window", 1<<16, "length of a window, in `REFERENCES`")
	flags.Uint64Var(&f.Seed, "seed", 1, "`SEED` of the random choice")
	stage.Group(flags, "Sampling", "by", "rate", "window", "seed")
	stage.Group(flags, "Output", "output")
	stage.Complete(cmd, "by", func() []string { return []string{"window", "line"} })
	cmd.ValidArgsFunction = completeTraces
	return cmd
}
