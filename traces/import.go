package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/traces/internal/convert"
	"spoor/traces/stage"
)

func importCommand(env *stage.Env) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:  "import FILE... -o PREFIX",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			cmd.Flags().Visit(func(flag *pflag.Flag) { f.given = append(f.given, flag.Name) })
			return f.run(cmd.Context(), env, args)
		},
	}
	stage.Describe(cmd, helpTexts, "import")
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "`PREFIX` of the files to write (required)")
	flags.BoolVar(&f.archive, "archive", false, "write references in the archive profile: several times smaller, but slower")
	flags.StringVar(&f.from, "from", "", "`FORMAT` of the input (default: recognised by content)")
	settingsFlag(flags, &f.set)
	flags.StringVar(&f.program, "program", "", "`NAME` of the traced program, if the input has none")
	flags.StringVar(&f.modify, "modify", "split", "`HOW` to import a modify: split (load, then store), load or store")
	flags.StringVar(&f.ifetch, "ifetch", "keep", "`WHAT` to do with instruction fetches: keep or drop; they always count as instructions")
	flags.IntVar(&f.defaultSize, "default-size", 0, "size of references without a size, in `BYTES` (default: 4 in din, else 1)")
	flags.BoolVar(&f.opts.PC, "pc", false, "store the address of the instruction with each reference, if the format has it")
	flags.StringVar(&f.unmatched, "unmatched", "error", "`WHAT` to do with a message without a partner: error or note")
	flags.StringVar(&f.atomics, "lackey-atomics", "keep", "`WHAT` to do with a load directly before a modify of the same bytes: keep, or collapse into it")
	flags.StringVar(&f.summary, "lackey-summary", "check", "`WHAT` to do with a summary whose instruction count differs from the trace: check (error) or ignore")
	flags.StringVar(&f.columns, "columns", "", "csv: `NAMES` of the columns in order, - for a column to ignore")
	flags.IntVar(&f.addrBase, "addr-base", 10, "csv, pinatrace: `BASE` of addresses without 0x: 10 or 16")
	flags.StringVar(&f.csvTime, "csv-time", "instructions", "csv: `UNIT` of the time column: instructions, exact (neither shifted nor limited), or rows to ignore it")
	f.describe(cmd)
	return cmd
}

// run imports all files into one trace.
func (f *importFlags) run(ctx context.Context, env *stage.Env, args []string) error {
	r, err := convert.Run(ctx, env, args, convert.Options{Output: f.output, Archive: f.archive, From: f.from, Importer: f.importer, Program: f.program,
		Modify: f.modify, Format: f.opts})
	if err != nil {
		return err
	}
	for _, n := range append(r.Notes, f.idle(r)...) {
		env.Note("%s", n)
	}
	if r.Apart && r.Files > 1 {
		env.Note("the %d files are assumed to share one address space; for processes, import each file alone, then join them with traces merge --separate", r.Files)
	}
	return nil
}

// idle returns notes on given flags that have no effect.
func (f *importFlags) idle(r *convert.Result) (all []string) {
	used := strings.Split(r.Formats, ", ")
	for _, name := range f.given {
		if !r.HasRefs && slices.Contains([]string{"default-size", "ifetch", "modify"}, name) {
			all = append(all, fmt.Sprintf("--%s has no effect: the input has no references", name))
		}
		own, is := formatFlags[name]
		if is && !slices.ContainsFunc(own, func(s string) bool { return slices.Contains(used, s) }) {
			all = append(all, fmt.Sprintf("--%s has no effect: it is for %s, but the input is %s", name, strings.Join(own, " and "), r.Formats))
		}
	}
	if f.opts.PC && !r.PC {
		all = append(all, "--pc has no effect: "+r.Formats+" has no addresses of instructions")
	}
	return all
}
