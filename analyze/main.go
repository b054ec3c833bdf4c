// Analyze turns traces into tables and parameters.
//
//	$ tracegen fft --set points=1024 --procs 2 -o fft
//	$ analyze -o fft.analysis fft
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/traces/stage"
	"spoor/traces/unit"
)

func main() { os.Exit(stage.Main(command, stage.OS(), os.Args[1:])) }

// command is analyze.
func command(env *stage.Env) *cobra.Command {
	o := options{settings: newSettings()}
	cmd := &cobra.Command{
		Use:   "analyze [--run NAME,...] -o DIR PREFIX",
		Short: "measures what a trace says of its program",
		Long: "Analyze reads the trace PREFIX.refs.arrow and PREFIX.events.arrow and writes what it finds into the\n" +
			"directory DIR: tables DIR/*.arrow, which traces head prints, and parameters DIR/*.params.toml, all of them or none.\n" +
			"Without --run, and with --run all, a trace that has no references gets marshal and comm in place of the others.\n\n" +
			"Analyses:\n" + describeAll(o.kinds),
		Example: `  $ tracegen fft --set points=1024 --procs 2 -o fft
  $ analyze -o fft.analysis fft
  $ traces head fft.analysis/curve.arrow
  $ analyze --run reuse --line 32B,64B --format csv -o fft.reuse fft
  $ analyze --sample 0.1 -o fft.sampled fft
  $ analyze --run reuse_time,locality --assoc 64x8,512x2 -o fft.times fft
  $ analyze --run phases --sets 512,1024 -o fft.phases fft
  $ analyze --run sharing --line 64B,256B -o fft.sharing fft
  $ analyze --run coherent -o fft.coherent fft
  $ analyze --run cache --cache L1d=32KiB/8/64B/plru,LL=1MiB/16/64B/with-opt,dtlb=64/4/4KiB -o fft.cache fft
  $ analyze --run footprint,quanta --quantum 200 --footprint-cache 64x1,16x4 -o fft.quanta fft
  $ tracegen transfer --procs 2 --set shape=1 --set d=5 -o transfer
  $ analyze --run marshal,comm -o transfer.analysis transfer`,
		Args: cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.AddFlagSet(o.flags)
	f.StringArrayVar(&o.procs, "procs", nil, "processors to look at, as a `list` of numbers and ranges such as 0-3,6 (default all), may be given again; what was found of them can be merged with others")
	f.BoolVar(&o.interleaved, "interleaved", true, "reuse, reuse_time, cache: measure the interleaved order of several processors too, as processor -1")
	f.StringVarP(&o.dir, "output", "o", "", "`directory` of the results")
	o.format = stage.FormatFlag(f)
	_ = cmd.MarkFlagRequired("output") // the flag exists
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.expand()
		f.Visit(func(flag *pflag.Flag) { o.noteUnused(env, f, flag) })
		o.interleavedAsked, o.runAsked = f.Changed("interleaved"), f.Changed("run")
		return o.analyze(cmd.Context(), env, args[0])
	}
	cmd.AddCommand(mergeCommand(env), filterCommand(env), composeCommand(env))
	return cmd
}

func describeAll(kinds []*kind) string {
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "  %-10s %s\n", k.name, k.doc)
	}
	for _, k := range kinds {
		if k.details != "" {
			fmt.Fprintf(&b, "\n%s", k.details)
		}
	}
	return b.String()
}

// namesOf lists analyses for errors.
func namesOf(kinds []*kind) string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return strings.Join(out, ", ")
}

// parseLines reads line sizes, in their order; there is one at least.
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
