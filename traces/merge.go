package main

import (
	"github.com/spf13/cobra"

	"spoor/traces/internal/merge"
	"spoor/traces/stage"
)

func mergeCommand(env *stage.Env) *cobra.Command {
	var output string
	var separate bool
	cmd := &cobra.Command{
		Use:   "merge PREFIX... -o PREFIX",
		Short: "join traces of programs that run side by side",
		Long: "Merge writes one trace with the processors of all PREFIXes, numbered in their order. It models programs that run\n" +
			"at the same time on one machine. The world of ranks of each program becomes its own group. Each program keeps its\n" +
			"own groups, locks, barriers and flags.\n\n" +
			"By default, the traces share one address space, like threads that were traced separately. With --separate each\n" +
			"trace gets its own address space, like a process: the top byte of each address is the number of its PREFIX. Other\n" +
			"top bytes of a trace, such as those of a kernel, get the next free numbers.",
		Example: "  $ traces import data/sample/fork_12543.log.zst -o parent\n  $ traces import data/sample/fork_12544.log.zst -o child\n" +
			"  $ traces merge parent child --separate -o both\n  $ traces info both",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return stage.Usage("no output: name the files to write with -o PREFIX")
			}
			if separate && len(args) > 1<<8 {
				return stage.Usage("--separate: %d traces; the top byte of addresses has numbers for 256", len(args))
			}
			return merge.Run(cmd.Context(), env, args, output, separate)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "`PREFIX` of the files to write (required)")
	cmd.Flags().BoolVar(&separate, "separate", false, "give each trace its own address space")
	cmd.ValidArgsFunction = completeTraces
	return cmd
}
