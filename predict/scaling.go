package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spoor/predict/internal/scaling"
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

// scalingCommand is predict scaling.
func scalingCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "scaling --params P... --processors N [--size NAME=VALUE]",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "scaling")
	o := &scalingOptions{}
	flags := cmd.Flags()
	stage.PathsVar(flags, &o.params, "params", "analysis directory `P` of a run; repeat for each run")
	flags.Float64Var(&o.processors, "processors", 0, "`NUMBER` of processors to predict")
	flags.StringVar(&o.size, "size", "", "problem size to predict, as the program's argument `NAME=VALUE`: n=8192 for -n 8192 or --n=8192")
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
	if o.processors == 0 {
		return stage.Usage("no processors; give --processors NUMBER, the number to predict")
	}
	if !(o.processors >= 1 && o.processors <= 1e9) || o.processors != math.Trunc(o.processors) {
		return stage.Usage("--processors %v is not a number of processors", o.processors)
	}
	at := scaling.Point{Processors: o.processors, Size: 1}
	name, value, given := strings.Cut(strings.TrimLeft(o.size, "-"), "=")
	if v, err := strconv.ParseFloat(value, 64); given && err == nil && v >= 1 && v <= 1e30 {
		at.Size = v
	} else if o.size != "" {
		return stage.Usage("--size %s is not NAME=VALUE with a number, such as points=65536", o.size)
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
	switch passes, known := study.PassesMessages(); {
	case passes:
		env.Note("the program passes messages: no parameter has their time, and predict cluster refuses the parameters")
	case !known:
		env.Note("some runs do not say whether the program passes messages, whose time no parameter has; analyze them again")
	}
	t := scaling.Table(all)
	if err := stage.Print(env.Out, o.format, t); err != nil {
		return err
	}
	if o.format != stage.Human {
		noteWarnings(env, study.Warnings(all, at))
		return nil
	}
	fmt.Fprintln(env.Out)
	printWarnings(env.Out, study.Warnings(all, at))
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
