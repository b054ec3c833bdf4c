package main

import (
	"github.com/spf13/cobra"

	"spoor/traces/internal/slice"
	"spoor/traces/stage"
)

func sliceCommand(env *stage.Env) *cobra.Command {
	var f slice.Options
	cmd := &cobra.Command{
		Use:  "slice PREFIX -o PREFIX",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.Output == "" {
				return stage.Usage("no output: name the files to write with -o PREFIX")
			}
			if f.Procs == "" && f.Instr == "" && f.Marker == "" {
				return stage.Usage("choose a part with --procs, --instr or --marker")
			}
			if f.Instr != "" && f.Marker != "" {
				return stage.Usage("--instr and --marker exclude each other")
			}
			return f.Run(cmd.Context(), env, args[0])
		},
	}
	stage.Describe(cmd, helpTexts, "slice")
	flags := cmd.Flags()
	flags.StringVarP(&f.Output, "output", "o", "", "`PREFIX` of the files to write (required)")
	flags.StringVar(&f.Procs, "procs", "", "processors to keep: a `LIST` of numbers and ranges such as 0-3,6 (default: all)")
	flags.StringVar(&f.Instr, "instr", "", "keep instructions `A:B` of each processor; A or B may be omitted")
	flags.StringVar(&f.Marker, "marker", "", "keep `A:B`, from the first marker A to the next marker B; A alone: to the end")
	stage.Group(flags, "Selection", "procs", "instr", "marker")
	stage.Group(flags, "Output", "output")
	cmd.ValidArgsFunction = completeTraces
	return cmd
}
