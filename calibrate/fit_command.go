package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"spoor/calibrate/fit/loggp"
	"spoor/calibrate/fit/marshalling"
	"spoor/calibrate/fit/timing"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// fitFlags are what calibrate fit is told.
type fitFlags struct {
	prefix, state string
	line, page    string
	cuts          []string
	seed          uint64
}

func fitCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fit FILE... -o PREFIX",
		Short: "fit models to times that were measured here or elsewhere",
		Long:  fitLong,
		Example: "  $ calibrate fit data/sample/transfers.csv -o host\n" +
			"  $ calibrate show host.params.toml\n" +
			"  $ calibrate fit data/sample/transfers.csv --state far -o far --format csv\n" +
			"  $ calibrate fit data/sample/osu.txt -o cluster",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no file is named")
			}
			return nil
		},
	}
	var f fitFlags
	cmd.Flags().StringVarP(&f.prefix, "output", "o", "", "write files whose names begin with `PREFIX`")
	cmd.Flags().StringVar(&f.state, "state", "", "take only timings in `STATE`, and name parameters without it")
	cmd.Flags().StringSliceVar(&f.cuts, "cuts", nil, "divide timings into states s1, s2, ... at these sentinel `TIMES`, for example 150ns,400ns")
	cmd.Flags().StringVar(&f.line, "line", "", "`SIZE` of memory lines, if the files do not say (default 64B)")
	cmd.Flags().StringVar(&f.page, "page", "", "`SIZE` of memory pages, if the files do not say (default 4KiB)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of bootstraps and cross-validation, recorded with the parameters")
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(_ *cobra.Command, paths []string) error { return runFit(env, &f, paths, *format) }
	return cmd
}

// fitLong is the help of the command.
var fitLong = "Fit reads tables of measured times, fits the models of messages to them, and says how sure their parameters\n" +
	"are. Of messages that are packed and unpacked it fits S1, S2, S3, M1, M2 and M3 of [hur1999], M1x, which has\n" +
	"the memory lines exactly, page, which has pages too, and level, which has the pieces that are copied and the\n" +
	"bytes beyond what a cache holds; of ping-pongs and bursts LogGP and PLogP, and with what exchanges take for a\n" +
	"parameter, duplex, LogGP duplex and PLogP duplex. Models are judged by points that they were not fitted to. It writes\n\n" +
	"    PREFIX.params.toml   parameters with unit, method, source, and the interval in which another run of the same\n" +
	"                         measurements finds them in 95 of 100 cases\n" +
	"    PREFIX.fit.arrow     what each model says of each point, beside what was measured\n" +
	"    PREFIX.plogp.arrow   o_s, o_r, g and duplex by size, if there are ping-pongs\n" +
	"    PREFIX.network.toml  the same as the section [network] of a machine, to put behind one that has none\n\n" +
	"and prints a row for each model, judged by points as said: error_ratio is SSE/SST (0 is perfect), gain that of\n" +
	"S1 over its own, noise the error_ratio that no model can be better than, median and p90 are of relative errors. Several states of the machine\n" +
	"are never pooled: their parameters end in -STATE. If repetitions disagree, there are no parameters.\n\n" +
	"Formats, recognised by content (several files of a kind that is not our own are several launches):\n\n" +
	timing.Formats() + "\n" + timing.Schema

func runFit(env *stage.Env, f *fitFlags, paths []string, format stage.Format) error {
	if err := checkPrefix(f.prefix); err != nil {
		return err
	}
	for i := range paths {
		paths[i] = env.Input(paths[i])
	}
	d, err := timing.Read(paths...)
	if err != nil {
		return fmt.Errorf("reading timings: %w", err)
	}
	if err := f.apply(d); err != nil {
		return err
	}
	for _, w := range d.Warnings {
		env.Note("%v", w)
	}
	r := &fitted{data: d, flags: f}
	if err := r.run(env); err != nil {
		return err
	}
	if err := r.write(env); err != nil {
		return err
	}
	return stage.Print(env.Out, format, r.summary())
}

// apply makes d what the flags say.
func (f *fitFlags) apply(d *timing.Data) error {
	for _, s := range []struct {
		flag, given, usual string
		size               *unit.Bytes
	}{{"line", f.line, "64B", &d.Line}, {"page", f.page, "4KiB", &d.Page}} {
		text := s.given
		if text == "" {
			text = s.usual
		}
		v, err := unit.ParseBytes(text)
		switch {
		case err != nil || !v.IsPowerOfTwo() || v > 1<<30:
			return stage.Usage("--%s: %q is not a size that is a power of two up to 1GiB", s.flag, text)
		case *s.size == 0:
			*s.size = v
		case s.given != "" && v != *s.size:
			return stage.Usage("--%s %v: the file says %v", s.flag, v, *s.size)
		}
	}
	if d.Page < d.Line {
		return stage.Usage("pages of %v are smaller than lines of %v", d.Page, d.Line)
	}
	if err := f.divide(d); err != nil {
		return err
	}
	if f.state == "" {
		return nil
	}
	if states := d.States(); !slices.Contains(states, f.state) {
		return fmt.Errorf("no timing is in state %s; states are %q", f.state, states)
	}
	d.Timings = slices.DeleteFunc(d.Timings, func(t timing.Timing) bool { return t.State != f.state })
	return nil
}

// divide gives timings their states by sentinels.
func (f *fitFlags) divide(d *timing.Data) error {
	var cuts []unit.Seconds
	for _, text := range f.cuts {
		v, err := unit.Parse(text, "s")
		if err != nil {
			return stage.Usage("--cuts: %v", err)
		}
		if len(cuts) > 0 && unit.Seconds(v) <= cuts[len(cuts)-1] || v <= 0 {
			return stage.Usage("--cuts: times must be above zero, and rise")
		}
		cuts = append(cuts, unit.Seconds(v))
	}
	return d.Divide(cuts)
}

// fitted is what was found in one dataset.
type fitted struct {
	data     *timing.Data
	flags    *fitFlags
	transfer []*marshalling.Study
	message  []*loggp.Study
}

// run makes all studies; it is an error if none can be made.
func (r *fitted) run(env *stage.Env) error {
	var failed, also []error
	r.transfer, failed = marshalling.Run(r.data, marshalling.Options{Line: r.data.Line, Page: r.data.Page, Seed: r.flags.seed})
	r.message, also = loggp.Run(r.data, r.flags.seed)
	failed = append(failed, also...)
	if len(r.transfer)+len(r.message) == 0 {
		return errors.Join(failed...)
	}
	for _, err := range failed {
		env.Note("%v", err)
	}
	for _, s := range r.transfer {
		for _, w := range s.Warnings {
			env.Note("%v", w)
		}
		for i := range s.Results {
			noteResult(env, s, &s.Results[i])
		}
		if best := s.Best(); best != nil {
			env.Note("%s: of all models %s, %s, is nearest to %s: error_ratio %.3g", marshalling.Title(s.Experiment, s.State), best.Model.Name, best.Method.Name, s.Judged, best.Errors.Ratio)
		}
	}
	for _, s := range r.message {
		for _, w := range s.Warnings {
			env.Note("%v", w)
		}
	}
	return nil
}

func noteResult(env *stage.Env, s *marshalling.Study, r *marshalling.Result) {
	title := fmt.Sprintf("%s: %s, %s", marshalling.Title(s.Experiment, s.State), r.Model.Name, r.Method.Name)
	if r.Refused != nil {
		env.Note("%s: %v", title, r.Refused)
	}
	for _, w := range r.Warnings {
		env.Note("%s: %v", title, w)
	}
}

// write writes all files, the parameters last: where they are, the others are.
func (r *fitted) write(env *stage.Env) error {
	params, err := r.params()
	if err != nil {
		return err
	}
	if err := store.WriteTable(r.flags.prefix+".fit.arrow", r.compared()); err != nil {
		return err
	}
	if t := r.plogp(); t != nil {
		if err := store.WriteTable(r.flags.prefix+".plogp.arrow", t); err != nil {
			return err
		}
	}
	if err := r.networks(env); err != nil {
		return err
	}
	return store.WriteFileAtomic(r.flags.prefix+".params.toml", func(w io.Writer) error { return params.Write(w) })
}

// meta is the facts of the tables.
func (r *fitted) meta() []trace.Arg {
	facts := []trace.Arg{{Key: "tool", Value: "calibrate " + stage.Version}, {Key: "seed", Value: fmt.Sprint(r.flags.seed)},
		{Key: "line", Value: r.data.Line.String()}, {Key: "page", Value: r.data.Page.String()}}
	for _, source := range r.data.Sources {
		facts = append(facts, trace.Arg{Key: "input", Value: source})
	}
	return facts
}
