// Analyze measures traces. It writes tables and parameters.
//
//	$ tracegen fft --set points=1024 --procs 2 -o fft
//	$ analyze -o fft.analysis fft
package main

import (
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/analyze/internal/kind"
	"spoor/analyze/study"
	"spoor/traces/stage"
)

func main() { os.Exit(stage.Main(command, stage.OS(), os.Args[1:])) }

// command returns the command analyze.
func command(env *stage.Env) *cobra.Command {
	o := options{study.Options{Settings: study.NewSettings()}}
	cmd := &cobra.Command{
		Use:  "analyze [--run NAME,...] -o DIR PREFIX",
		Args: cobra.ExactArgs(1),
	}
	stage.Describe(cmd, helpTexts, "analyze")
	o.addFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.Expand()
		f := cmd.Flags()
		f.Visit(func(flag *pflag.Flag) { o.NoteUnused(env, f, flag) })
		if o.Shard != "" && f.Changed("format") {
			env.Note("--format has no effect with --shard: 'analyze merge' prints the results")
		}
		o.InterleavedAsked, o.RunAsked = f.Changed("interleaved"), f.Changed("run")
		return o.Analyze(cmd.Context(), env, args[0])
	}
	cmd.AddCommand(mergeCommand(env), filterCommand(env), composeCommand(env))
	stage.AddTopics(cmd, o.topics(cmd.Flags())...)
	return cmd
}

// addFlags adds all flags. Flags of one analysis are shown on its help page only.
func (o *options) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.AddFlagSet(o.Flags)
	f.StringArrayVar(&o.Procs, "procs", nil, "processors to analyze, as a `list` of numbers and ranges such as 0-3,6 (default all); may be repeated. 'analyze merge' joins the results")
	f.StringVar(&o.Shard, "shard", "", "`part` of each program order, such as 3/16: reuse, locality; see 'analyze merge'")
	f.BoolVar(&o.Interleaved, "interleaved", true, "reuse, reuse_time and cache: also measure all processors in one interleaved order, as processor -1")
	f.StringVarP(&o.Dir, "output", "o", "", "`directory` for the results")
	o.Format = stage.FormatFlag(f)
	_ = cmd.MarkFlagRequired("output") // the flag exists
	stage.Renamed(f, o.Renamed)
	stage.Group(f, "What to measure", "run", "line", "refs", "procs", "shard", "interleaved")
	for _, k := range o.Kinds {
		o.showFlags(f, k)
	}
	stage.Group(f, "Results", "output", "format")
	o.completeFlags(cmd)
}

// showFlags shows flags of an analysis on its help page, and some of them in the help of the command.
func (o *options) showFlags(f *pflag.FlagSet, k *kind.Kind) {
	var shown []string
	for _, t := range k.Topics {
		if len(t.Main) > 0 {
			stage.Group(f, t.Title+" (see 'analyze help "+t.Name+"')", t.Main...)
			shown = append(shown, t.Main...)
		}
	}
	for _, name := range o.Own[k.Name] {
		if !slices.Contains(shown, name) {
			stage.ShowOnlyIn(f, k.Name, name)
		}
	}
}

// completeFlags completes names of analyses, formats, algorithms and the like in the shell.
func (o *options) completeFlags(cmd *cobra.Command) {
	stage.Complete(cmd, "run", o.Names)
	stage.Complete(cmd, "refs", study.RefNames)
	for _, k := range o.Kinds {
		for flag, values := range k.Values {
			stage.Complete(cmd, flag, func() []string { return values })
		}
	}
	stage.Complete(cmd, "format", formats)
}

// formats lists the values of --format.
func formats() []string { return kind.Texts([]stage.Format{stage.Human, stage.CSV, stage.JSON}) }
