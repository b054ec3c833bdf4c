package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"spoor/calibrate/fit/marshalling"
	"spoor/calibrate/fit/timing"
	"spoor/calibrate/internal/fit/loggp"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// fitFlags are the flags of calibrate fit.
type fitFlags struct {
	prefix, state string
	line, page    string
	cuts          []string
	seed          uint64
}

func fitCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fit FILE... -o PREFIX",
		Short: "fit models to times measured here or elsewhere",
		Long:  fitLong,
		Example: "  $ calibrate fit data/sample/transfers.csv -o host\n" +
			"  $ calibrate show host.params.toml\n" +
			"  $ calibrate fit data/sample/transfers.csv --state far -o far --format csv\n" +
			"  $ calibrate fit data/sample/osu.txt -o cluster",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no file is given")
			}
			return nil
		},
	}
	var f fitFlags
	cmd.Flags().StringVarP(&f.prefix, "output", "o", "", "write files whose names begin with `PREFIX`")
	cmd.Flags().StringVar(&f.state, "state", "", "use only timings of this `STATE`, and leave it out of names")
	cmd.Flags().StringSliceVar(&f.cuts, "cuts", nil, "divide timings into states s1, s2, ... at these sentinel `TIMES`, such as 150ns,400ns")
	cmd.Flags().StringVar(&f.line, "line", "", "`SIZE` of memory lines, if the files have none (default 64B)")
	cmd.Flags().StringVar(&f.page, "page", "", "`SIZE` of memory pages, if the files have none (default 4KiB)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of bootstraps and cross-validation")
	stage.Group(cmd.Flags(), "Choose timings", "state", "cuts", "line", "page")
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(_ *cobra.Command, paths []string) error { return runFit(env, &f, paths, *format) }
	return cmd
}

// fitLong is the help of the command.
const fitLong = "Fit reads measured times, fits models to them, and gives each parameter a 95 % interval. Times may come from\n" +
	"calibrate transport and marshalling, OSU benchmarks, netgauge, SimGrid, or your own CSV ('calibrate help formats').\n\n" +
	"    ping-pongs, bursts, sends, receives  LogGP and PLogP ('calibrate help loggp', 'calibrate help plogp')\n" +
	"    exchanges                            LogGP duplex and PLogP duplex\n" +
	"    transfers, scans, array statements   S1 to level, the models of [hur1999] and ours ('calibrate help transfer')\n\n" +
	"It prints a row for each model, with its error at points that it was not fitted to ('calibrate help intervals').\n" +
	"It writes\n\n" +
	"    PREFIX.params.toml   parameters with unit, interval, method and source\n" +
	"    PREFIX.fit.arrow     predictions of each model next to the measured times\n" +
	"    PREFIX.plogp.arrow   o_s, o_r, g and duplex by size, if there are ping-pongs\n" +
	"    PREFIX.network.toml  the same as the section [network] of a machine file\n\n" +
	"States of the machine are never pooled: names of their parameters end in -STATE. Fit writes no parameters if\n" +
	"repetitions disagree."

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

// apply changes d as the flags say.
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
			return stage.Usage("--%s %v: the file has %v", s.flag, v, *s.size)
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
		return fmt.Errorf("no timing has the state %s; states are %q", f.state, states)
	}
	d.Timings = slices.DeleteFunc(d.Timings, func(t timing.Timing) bool { return t.State != f.state })
	return nil
}

// divide divides timings into states by their sentinels.
func (f *fitFlags) divide(d *timing.Data) error {
	var cuts []unit.Seconds
	for _, text := range f.cuts {
		v, err := unit.Parse(text, "s")
		if err != nil {
			return stage.Usage("--cuts: %v", err)
		}
		if len(cuts) > 0 && unit.Seconds(v) <= cuts[len(cuts)-1] || v <= 0 {
			return stage.Usage("--cuts: times must be above zero and ascending")
		}
		cuts = append(cuts, unit.Seconds(v))
	}
	return d.Divide(cuts)
}

// fitted has the results of one dataset.
type fitted struct {
	data     *timing.Data
	flags    *fitFlags
	transfer []*marshalling.Study
	message  []*loggp.Study
}

// run makes all studies. It returns an error if none can be made.
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
			env.Note("%s: the best model is %s, %s, judged by %s: error_ratio %.3g", marshalling.Title(s.Experiment, s.State), best.Model.Name, best.Method.Name, s.Judged, best.Errors.Ratio)
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

// write writes all files, the parameters last. If that file exists, the others do, too.
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

// meta returns the facts of the tables.
func (r *fitted) meta() []trace.Arg {
	facts := []trace.Arg{{Key: "tool", Value: "calibrate " + stage.Version}, {Key: "seed", Value: fmt.Sprint(r.flags.seed)},
		{Key: "line", Value: r.data.Line.String()}, {Key: "page", Value: r.data.Page.String()}}
	for _, source := range r.data.Sources {
		facts = append(facts, trace.Arg{Key: "input", Value: source})
	}
	return facts
}
