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
		Use:  "merge PREFIX... -o PREFIX",
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
	stage.Describe(cmd, helpTexts, "merge")
	cmd.Flags().StringVarP(&output, "output", "o", "", "`PREFIX` of the files to write (required)")
	cmd.Flags().BoolVar(&separate, "separate", false, "give each trace its own address space")
	cmd.ValidArgsFunction = completeTraces
	return cmd
}
