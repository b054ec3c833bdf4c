// Analyze measures traces. It writes tables and parameters.
//
//	$ tracegen fft --set points=1024 --procs 2 -o fft
//	$ analyze -o fft.analysis fft
package main

import (
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/analyze/comm"
	"spoor/analyze/phases"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

func main() { os.Exit(stage.Main(command, stage.OS(), os.Args[1:])) }

// command returns the command analyze.
func command(env *stage.Env) *cobra.Command {
	o := options{settings: newSettings()}
	cmd := &cobra.Command{
		Use:   "analyze [--run NAME,...] -o DIR PREFIX",
		Short: "measure what limits the performance of a traced program",
		Long: `Analyze reads the trace PREFIX (PREFIX.refs.arrow and PREFIX.events.arrow) and measures what limits the
program's performance. It writes tables (DIR/*.arrow; 'traces head' prints them) and parameters for predict
(DIR/*.params.toml), or nothing if it fails. If the trace has no references, marshal and comm replace the
default.`,
		Example: `  $ tracegen fft --set points=1024 --procs 2 -o fft
  $ analyze -o fft.analysis fft
  $ traces head -n 5 fft.analysis/curve.arrow
  $ analyze --run sharing --line 64B,256B -o fft.sharing fft`,
		Args: cobra.ExactArgs(1),
	}
	o.addFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.expand()
		f := cmd.Flags()
		f.Visit(func(flag *pflag.Flag) { o.noteUnused(env, f, flag) })
		o.interleavedAsked, o.runAsked = f.Changed("interleaved"), f.Changed("run")
		return o.analyze(cmd.Context(), env, args[0])
	}
	cmd.AddCommand(mergeCommand(env), filterCommand(env), composeCommand(env))
	stage.AddTopics(cmd, o.topics(cmd.Flags())...)
	return cmd
}

// addFlags adds all flags. Flags of one analysis are shown on its help page only.
func (o *options) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.AddFlagSet(o.flags)
	f.StringArrayVar(&o.procs, "procs", nil, "processors to analyze, as a `list` of numbers and ranges such as 0-3,6 (default all); may be repeated. 'analyze merge' joins the results")
	f.BoolVar(&o.interleaved, "interleaved", true, "reuse, reuse_time and cache: also measure all processors in one interleaved order, as processor -1")
	f.StringVarP(&o.dir, "output", "o", "", "`directory` for the results")
	o.format = stage.FormatFlag(f)
	_ = cmd.MarkFlagRequired("output") // the flag exists
	stage.Renamed(f, newNames)
	stage.Group(f, "What to measure", "run", "line", "refs", "procs", "interleaved")
	stage.Group(f, "Sample of lines for reuse and locality (see 'analyze help sampling')", "sample", "sample-lines")
	stage.Group(f, "Results", "output", "format")
	for _, k := range o.kinds {
		for _, name := range k.own {
			if name != "sample" && name != "sample-lines" {
				stage.ShowOnlyIn(f, k.name, name)
			}
		}
	}
	o.completeFlags(cmd)
}

// completeFlags completes names of analyses, formats, algorithms and the like in the shell.
func (o *options) completeFlags(cmd *cobra.Command) {
	stage.Complete(cmd, "run", o.names)
	stage.Complete(cmd, "refs", refNames)
	stage.Complete(cmd, "collectives", func() []string { return texts(comm.Algorithms) })
	stage.Complete(cmd, networkFlag, func() []string { return texts(phases.Networks) })
	stage.Complete(cmd, "placement", func() []string { return texts(phases.Placements) })
	stage.Complete(cmd, "footprint-window", func() []string { return []string{"quantum", "barrier"} })
	stage.Complete(cmd, "format", formats)
}

// formats lists the values of --format.
func formats() []string { return texts([]stage.Format{stage.Human, stage.CSV, stage.JSON}) }

func texts[T ~string](values []T) (out []string) {
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// parseLines parses line sizes, in the given order. There must be at least one.
func parseLines(texts []string) ([]unit.Bytes, error) {
	var lines []unit.Bytes
	for _, text := range texts {
		b, err := unit.ParseBytes(text)
		if n, e := strconv.ParseUint(text, 10, 32); e == nil && unit.Bytes(n).IsPowerOfTwo() {
			return nil, stage.Usage("--line: %q has no unit; write \"%sB\"", text, text)
		}
		if err != nil {
			return nil, stage.Usage("--line: %w", err)
		}
		if !b.IsPowerOfTwo() {
			return nil, stage.Usage("--line: %v is not a power of two", b)
		}
		lines = append(lines, b)
	}
	if len(lines) == 0 {
		return nil, stage.Usage("--line: no line size")
	}
	return lines, nil
}
