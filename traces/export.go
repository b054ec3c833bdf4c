package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"spoor/traces/format"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func exportCommand(env *stage.Env) *cobra.Command {
	var to, output string
	var procs []int32
	var set map[string]string
	cmd := &cobra.Command{
		Use:   "export PREFIX --to FORMAT -o FILE",
		Short: "write a foreign format",
		Long:  exportLong,
		Example: "  $ traces import data/sample/tiny.log -o tiny\n" +
			"  $ traces export tiny --to csv -o tiny.csv\n" +
			"  $ traces export tiny --to lackey -o - | head -n 4\n" +
			"  I  00401000,7\n  I  00401007,7\n  I  0040100e,3\n   S 00402000,8\n" +
			"  $ tracegen sor --procs 2 --set g=4 --set iterations=2 -o sor\n" +
			"  $ traces export sor --to goal -o sor.goal\n" +
			"  $ traces export sor --to chrome -o sor.json",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" || output == "" {
				return stage.Usage("--to FORMAT and -o FILE are required")
			}
			ex, err := format.ExporterByName(to)
			if err != nil {
				return stage.Usage("--to: %w", err)
			}
			o := format.ExportOptions{Set: set}
			if err := format.CheckWriting(ex, set); err != nil {
				return stage.Usage("--set: %w", err)
			}
			for _, p := range procs {
				o.Procs = append(o.Procs, trace.Proc(p))
			}
			return export(cmd.Context(), env, args[0], ex, o, output)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&to, "to", "", "format to write (see traces formats)")
	flags.StringVarP(&output, "output", "o", "", "file to write, or - for standard output")
	stage.TakesDash(cmd)
	flags.StringToStringVar(&set, "set", nil, "settings of the format, name=value (see traces formats NAME)")
	flags.Int32SliceVar(&procs, "proc", nil, "processors to write (default all)")
	return cmd
}

// exportLong is the help of the command.
const exportLong = "Export writes the references of a trace, or its messages, in a foreign format, whole or not at all, and\n" +
	"notes what the format cannot express (traces formats NAME lists it). With -o - it writes to standard\n" +
	"output, once it has read the whole trace and found nothing wrong.\n\n" +
	"Formats of references without a thread column take one processor (--proc); csv takes all, merged by\n" +
	"instructions executed, ties by processor. Formats of messages take all. Those of timelines (paraver,\n" +
	"chrome) use recorded times, and nominal ones where a trace has none."

func export(ctx context.Context, env *stage.Env, path string, ex format.Exporter, o format.ExportOptions, output string) error {
	t, err := store.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := knownProcs(t, o.Procs); err != nil {
		return err
	}
	src := watch(ctx, env, t, "exporting")
	defer src.progress.Done()
	var notes []string
	if output == "-" {
		if _, err = ex.Export(src, o, io.Discard); err == nil {
			notes, err = ex.Export(watch(ctx, env, t, "exporting"), o, env.Out)
		}
	} else {
		err = store.WriteFileAtomic(output, func(w io.Writer) (err error) {
			notes, err = ex.Export(src, o, w)
			return err
		})
	}
	if err != nil {
		return usageOf(err)
	}
	src.progress.Done()
	for _, n := range notes {
		env.Note("%s: %s", path, n)
	}
	return nil
}

// knownProcs makes sure that t has procs.
func knownProcs(t *store.Trace, procs []trace.Proc) error {
	for _, p := range procs {
		if n := t.Header().Procs; p < 0 || int(p) >= n {
			return stage.Usage("--proc: there is no processor %d: the trace has %d", p, n)
		}
	}
	return nil
}
