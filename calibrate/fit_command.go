package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/internal/fitting"
	"spoor/traces/stage"
)

func fitCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "fit FILE... -o PREFIX",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no file is given")
			}
			return nil
		},
	}
	stage.Describe(cmd, helpTexts, "fit")
	var f fitting.Options
	var local []string
	cmd.Flags().StringVarP(&f.Prefix, "output", "o", "", "write files whose names begin with `PREFIX`")
	cmd.Flags().StringSliceVar(&local, "local", nil, "these `FILES` have messages within a node, for [network.local]")
	cmd.Flags().StringVar(&f.State, "state", "", "use only timings of this `STATE`, and leave it out of names")
	cmd.Flags().StringSliceVar(&f.Cuts, "cuts", nil, "divide timings into states s1, s2, ... at these sentinel `TIMES`, such as 150ns,400ns")
	cmd.Flags().StringVar(&f.Line, "line", "", "`SIZE` of memory lines, if the files have none (default 64B)")
	cmd.Flags().StringVar(&f.Page, "page", "", "`SIZE` of memory pages, if the files have none (default 4KiB)")
	cmd.Flags().Uint64Var(&f.Seed, "seed", 1, "seed of bootstraps and cross-validation")
	cmd.Flags().StringVar(&f.Take, "take", "", "time of a point of its launches, the `WHICH`: mean, median or minimum (default mean)")
	cmd.Flags().IntSliceVar(&f.Train, "train", nil, "print errors of fits to these `NUMBERS` of training points, such as 10,50,100")
	cmd.Flags().Float64Var(&f.MaxNoise, "max-noise", fit.MaxFloor, "fit times whose noise is up to this `SHARE` of the variance of times")
	stage.Group(cmd.Flags(), "Choose timings", "state", "cuts", "line", "page", "local", "take", "train", "max-noise")
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(_ *cobra.Command, paths []string) error { return runFit(env, &f, paths, local, *format) }
	return cmd
}

func runFit(env *stage.Env, f *fitting.Options, paths, local []string, format stage.Format) error {
	if err := checkPrefix(f.Prefix); err != nil {
		return err
	}
	r, err := fitFiles(env, f, paths, false)
	if err != nil {
		return err
	}
	if len(local) > 0 {
		within, err := fitFiles(env, f, local, true)
		if err != nil {
			return err
		}
		if err := r.AddLocal(within, env.Note); err != nil {
			return err
		}
	}
	if err := r.Write(env.Note); err != nil {
		return err
	}
	if t, asked := r.Learned(); t != nil {
		return stage.Print(env.Out, format, t)
	} else if asked {
		return errors.New("--train: no experiment has test points and so many training points")
	}
	return stage.Print(env.Out, format, r.Summary())
}

// fitFiles fits models to the times of files, which are of messages within a node if local is set.
func fitFiles(env *stage.Env, f *fitting.Options, paths []string, local bool) (*fitting.Fitted, error) {
	for i := range paths {
		paths[i] = env.Input(paths[i])
	}
	d, err := timing.Read(paths...)
	if err != nil {
		return nil, fmt.Errorf("reading timings: %w", err)
	}
	if err := f.Apply(d); err != nil {
		return nil, err
	}
	if local {
		if f, err = f.Within(d); err != nil {
			return nil, err
		}
	}
	for _, w := range d.Warnings {
		env.Note("%v", w)
	}
	return fitting.Run(d, f, env.Note)
}
