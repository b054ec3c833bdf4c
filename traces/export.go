package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	registry "spoor/traces/format"
	"spoor/traces/internal/convert"
	"spoor/traces/internal/format"
	"spoor/traces/internal/outfile"
	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func exportCommand(env *stage.Env) *cobra.Command {
	var to, output string
	var procs []int32
	var set map[string]string
	cmd := &cobra.Command{
		Use:  "export PREFIX --to FORMAT -o FILE",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" || output == "" {
				return stage.Usage("--to FORMAT and -o FILE are required")
			}
			ex, err := registry.ExporterByName(to)
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
	stage.Describe(cmd, helpTexts, "export")
	flags := cmd.Flags()
	flags.StringVar(&to, "to", "", "`FORMAT` to write (required; 'traces formats' lists them)")
	flags.StringVarP(&output, "output", "o", "", "`FILE` to write, or - for standard output (required)")
	stage.TakesDash(cmd)
	settingsFlag(flags, &set)
	flags.Int32SliceVar(&procs, "proc", nil, "`PROCESSORS` to write, separated by commas (default: all)")
	flags.Lookup("proc").DefValue = ""
	stage.Group(flags, "Output", "output", "to", "set")
	stage.Group(flags, "Selection", "proc")
	stage.Complete(cmd, "to", exporters)
	stage.Complete(cmd, "set", func() []string { return settingsOf(to) })
	cmd.ValidArgsFunction = completeTraces
	return cmd
}

// export writes the trace at path to the file output.
func export(ctx context.Context, env *stage.Env, path string, ex format.Exporter, o format.ExportOptions, output string) error {
	t, err := store.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := knownProcs(t, o.Procs); err != nil {
		return err
	}
	src := walk.Watch(ctx, env, t, "exporting")
	defer src.Done()
	var notes []string
	if output == "-" {
		if _, err = ex.Export(src, o, io.Discard); err == nil {
			notes, err = ex.Export(walk.Watch(ctx, env, t, "exporting"), o, env.Raw())
		}
	} else {
		err = outfile.WriteFileAtomic(output, func(w io.Writer) (err error) {
			notes, err = ex.Export(src, o, w)
			return err
		})
	}
	if err != nil {
		return convert.Usage(err)
	}
	src.Done()
	for _, n := range notes {
		env.Note("%s: %s", path, n)
	}
	return nil
}
