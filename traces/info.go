package main

import (
	"errors"

	"github.com/spf13/cobra"

	"spoor/traces/internal/describe"
	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
)

func infoCommand(env *stage.Env) *cobra.Command {
	var byProc bool
	cmd := &cobra.Command{
		Use:   "info PREFIX|FILE",
		Short: "describe a trace or table",
		Long:  infoLong,
		Example: "  $ traces import data/sample/tiny.log -o tiny\n  $ traces info tiny\n  $ traces info tiny --by-proc\n" +
			"  $ traces info tiny --format json",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&byProc, "by-proc", false, "print a row for each processor")
	print := stage.FormatFlag(cmd.Flags())
	stage.Group(cmd.Flags(), "Output", "by-proc", "format")
	cmd.ValidArgsFunction = completeTraces
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := store.Open(args[0])
		if errors.Is(err, store.ErrIsTable) && !byProc {
			return describe.PrintTable(env, args[0], *print)
		}
		if err != nil {
			return err
		}
		defer t.Close()
		src := walk.Watch(cmd.Context(), env, t, "reading")
		i, err := describe.Gather(src, args[0])
		src.Done()
		if err != nil {
			return err
		}
		switch {
		case *print == stage.JSON:
			return i.JSON(env.Out)
		case byProc:
			return stage.Print(env.Out, *print, i.ProcTable())
		}
		return stage.Print(env.Out, *print, i.Table())
	}
	return cmd
}

// infoLong is the help of the command.
const infoLong = "Info prints the origin of a trace and its counts over all processors:\n" +
	"  instructions executed instructions, with the work of Compute events if that is in instructions\n" +
	"  refs         references by operation\n" +
	"  bytes        sum of the sizes of loads and stores\n" +
	"  lines64      distinct 64-byte lines of loads and stores (data) and of instruction fetches (ifetch);\n" +
	"               an access touches every line that has one of its bytes\n" +
	"  pages4096    distinct pages of 4 KiB, likewise\n" +
	"  events       events by kind; payload is the sum of their bytes, work the sum of the work of\n" +
	"               Compute events, in the unit of the trace\n" +
	"  messages     sends: number, bytes, smallest and largest size; the median lies between the two\n" +
	"               printed powers of two\n" +
	"  collectives  calls by all processors, and the number of their groups\n" +
	"  requests     numbers of opened, waited and tested requests\n" +
	"With --by-proc the table has a row for each processor instead. JSON has both.\n" +
	"For a table of another stage, such as reuse.arrow, info prints its facts, and its columns with types and units."
