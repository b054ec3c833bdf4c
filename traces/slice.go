package main

import (
	"github.com/spf13/cobra"

	"spoor/traces/internal/slice"
	"spoor/traces/stage"
)

func sliceCommand(env *stage.Env) *cobra.Command {
	var f slice.Options
	cmd := &cobra.Command{
		Use:   "slice PREFIX -o PREFIX",
		Short: "cut processors or a time window out of a trace",
		Long:  sliceLong,
		Example: "  $ traces import data/sample/tiny.log -o tiny\n" +
			"  $ traces slice tiny --instr 0:10 -o start\n" +
			"  $ traces head -n 2 --format csv start\n  proc,instr,op,addr,size\n  0,1,ifetch,0x401000,7\n  0,1,ifetch,0x401007,7",
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

// sliceLong is the help of the command.
const sliceLong = "Slice writes a part of a trace: some of its processors (--procs), the part between two instructions (--instr) or\n" +
	"two markers (--marker) of each processor, or both. Markers are numbers, or names if the notes of the trace name them.\n\n" +
	"Processors are renumbered from 0. Positions count from the start of the part. Slice omits and notes events whose\n" +
	"other side is not in the part:\n\n" +
	"  - messages to or from other parts, and the waits for them;\n" +
	"  - collectives and barriers that some processors do not reach, and unlocks without their lock.\n\n" +
	"Receives from any sender or with any tag: the last ones stay, as many as there are messages for them.\n" +
	"Waits for flags: they wait for as many signals of the part as must have come by then in any order of execution.\n" +
	"If that number is 0, slice omits the wait."
