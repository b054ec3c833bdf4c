package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spoor/predict/scaling"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// scalingOptions are the flags of predict scaling.
type scalingOptions struct {
	params     []string
	processors float64
	size       string
	format     stage.Format
	output     string
}

const scalingExample = `  $ for p in 1 2 4; do for n in 256 1024 4096; do tracegen fft --procs $p --set points=$n -o f$p.$n; analyze --run reuse,locality -o f$p.$n.analysis f$p.$n; done; done
  $ predict scaling --params f1.256.analysis,f1.1024.analysis,f1.4096.analysis,f2.256.analysis,f2.1024.analysis,f2.4096.analysis,f4.256.analysis,f4.1024.analysis,f4.4096.analysis --processors 8 --size points=65536 -o large.params.toml
  $ predict cluster --params large.params.toml --machine data/machine/du2000-cow-8-256k-100m.toml --model paper`

// scalingCommand is predict scaling.
func scalingCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scaling --params P... --processors N [--size NAME=VALUE]",
		Short: "parameters of runs that are too large to trace, from a few small ones",
		Long: "Scaling fits every parameter that analyze found in a few small runs (locality, footprints, instructions, messages) in\n" +
			"the form a + b p^i log2(p)^j s^k log2(s)^l of processors and problem size, and says what it is at a larger\n" +
			"point, with a 95 % interval; -o writes a parameter file for the models. Runs are of one program, at least 4,\n" +
			"and differ in processors and in one argument: the size.\n\n" +
			"Columns: cross, the error of each run predicted from the others; left_out, that of the largest runs predicted\n" +
			"from the smaller ones, which intervals are widened to; held, whether the interval held them.",
		Example: scalingExample,
		Args:    cobra.NoArgs,
	}
	o := &scalingOptions{}
	flags := cmd.Flags()
	stage.PathsVar(flags, &o.params, "params", "analysis directory `P` of one run; needed for each run")
	flags.Float64Var(&o.processors, "processors", 0, "number of processors to predict")
	flags.StringVar(&o.size, "size", "", "problem size to predict, as argument of the program `NAME=VALUE` (needed if runs differ in one)")
	format := stage.FormatFlag(flags)
	flags.StringVarP(&o.output, "output", "o", "", "write a parameter file to `FILE`")
	cmd.RunE = func(*cobra.Command, []string) error {
		o.format = *format
		return o.run(env)
	}
	return cmd
}

func (o *scalingOptions) run(env *stage.Env) error {
	if len(o.params) == 0 {
		return stage.Usage("no parameters; give --params with directories that analyze wrote")
	}
	if !(o.processors >= 1 && o.processors <= 1e9) || o.processors != math.Trunc(o.processors) {
		return stage.Usage("--processors %v is not a number of processors", o.processors)
	}
	at := scaling.Point{Processors: o.processors, Size: 1}
	name, value, given := strings.Cut(o.size, "=")
	if v, err := strconv.ParseFloat(value, 64); given && err == nil && v >= 1 && v <= 1e30 {
		at.Size = v
	} else if o.size != "" {
		return stage.Usage("--size %s is not an argument of the program and a number, such as points=65536", o.size)
	}
	study, err := openStudy(o.params, name)
	if err != nil {
		return err
	}
	if study.Size != "" && !given {
		return stage.Usage("the runs differ in %s: give --size %s=VALUE", study.Size, study.Size)
	}
	all, err := study.Extrapolate(at)
	if err != nil {
		return err
	}
	if o.output != "" {
		if err := writeStudy(o.output, study, all, at); err != nil {
			return fmt.Errorf("writing %s: %w", o.output, err)
		}
	}
	t := scaling.Table(all)
	if err := stage.Print(env.Out, o.format, t); err != nil || o.format != stage.Human {
		return err
	}
	for _, w := range study.Warnings(all, at) {
		fmt.Fprintf(env.Out, "\nwarning: %v", w)
	}
	fmt.Fprintln(env.Out)
	return nil
}

func openStudy(dirs []string, size string) (*scaling.Study, error) {
	var runs []*scaling.Run
	for _, dir := range dirs {
		r, err := scaling.Open(dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return scaling.NewStudy(runs, size)
}

func writeStudy(path string, study *scaling.Study, all []scaling.Quantity, at scaling.Point) error {
	set, err := study.Params(all, at)
	if err != nil {
		return err
	}
	return store.WriteFileAtomic(path, set.Write)
}
