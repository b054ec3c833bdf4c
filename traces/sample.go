package main

import (
	"github.com/spf13/cobra"

	"spoor/traces/internal/sample"
	"spoor/traces/stage"
)

func sampleCommand(env *stage.Env) *cobra.Command {
	var f sample.Options
	cmd := &cobra.Command{
		Use:   "sample PREFIX -o PREFIX",
		Short: "sample the references of a huge trace",
		Long: "Sample writes a trace with a share of the references of another one and with all its events. Positions stay the\n" +
			"same: the omitted references appear as instructions between references.\n\n" +
			"  --by window  One window of consecutive references at a random place in every window/rate references of a\n" +
			"               processor. The rest is not even read. Use it to see how a program changes over time.\n" +
			"  --by line    Every reference to a random share of all 64-byte lines. Stack distances, in lines, are rate times\n" +
			"               those of the whole trace: SHARDS sampling [waldspurger2015].\n\n" +
			"The same seed gives the same sample.",
		Example: "  $ traces import data/sample/matmul.log.zst -o matmul\n  $ traces sample matmul --by line --rate 0.1 -o tenth\n  $ traces info tenth",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.Check(); err != nil {
				return err
			}
			return f.Run(cmd.Context(), env, args[0])
		},
	}
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
