package main

import (
	"github.com/spf13/cobra"

	"spoor/analyze/study"
	"spoor/traces/stage"
)

func mergeCommand(env *stage.Env) *cobra.Command {
	var m study.Merging
	cmd := &cobra.Command{
		Use:  "merge DIR... -o DIR",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return m.Merge(cmd.Context(), env, args) },
	}
	stage.Describe(cmd, helpTexts, "merge")
	cmd.Flags().StringVarP(&m.Dir, "output", "o", "", "`directory` for the results")
	cmd.Flags().StringVar(&m.Path, "trace", "", "`prefix` of the analyzed trace; comm reads its events again")
	m.Format = stage.FormatFlag(cmd.Flags())
	_ = cmd.MarkFlagRequired("output") // the flag exists
	return cmd
}
