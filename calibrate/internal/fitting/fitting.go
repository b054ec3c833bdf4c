// Package fitting fits all models to one set of times, and writes their parameters, their predictions and their networks as files.
// The models themselves are in packages marshalling and loggp of folder fit.
package fitting

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/loggp"
	"spoor/calibrate/internal/fit/study"
	"spoor/calibrate/internal/fit/timing"
	"spoor/traces/lookup"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Note receives what the user should know.
type Note = func(format string, args ...any)

// Options are the flags of calibrate fit: names of files and states, and texts of sizes and times.
type Options struct {
	Prefix, State string
	Line, Page    string
	Cuts          []string
	Take          string // of a point's launches; empty: the mean
	Train         []int  // see study.Options
	MaxNoise      float64
	Seed          uint64
}

// Apply changes d as the options say: it sets sizes, and divides or chooses states. Errors of flags are usage errors.
func (f *Options) Apply(d *timing.Data) error {
	for _, s := range []struct {
		flag, given, usual string
		size               *unit.Bytes
	}{{"line", f.Line, "64B", &d.Line}, {"page", f.Page, "4KiB", &d.Page}} {
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
	if err := f.check(d); err != nil {
		return err
	}
	if d.Page < d.Line {
		return stage.Usage("pages of %v are smaller than lines of %v", d.Page, d.Line)
	}
	if err := f.divide(d); err != nil {
		return err
	}
	if f.State == "" {
		return nil
	}
	if states := d.States(); !slices.Contains(states, f.State) {
		return fmt.Errorf("no timing has the state %s; states are %q", f.State, states)
	}
	d.Timings = slices.DeleteFunc(d.Timings, func(t timing.Timing) bool { return t.State != f.State })
	return nil
}

// check applies --take, and checks --train and --max-noise.
func (f *Options) check(d *timing.Data) error {
	d.Take = fit.Take(f.Take)
	if f.Take != "" && !slices.Contains(fit.Takes, d.Take) {
		return stage.Usage("--take: %w", lookup.Unknown("choice", f.Take, []string{string(fit.Mean), string(fit.Median), string(fit.Least)}))
	}
	if !(f.MaxNoise > 0 && f.MaxNoise <= 1) {
		return stage.Usage("--max-noise: %v is not above 0 and at most 1", f.MaxNoise)
	}
	for i, n := range f.Train {
		if n < 1 || i > 0 && n <= f.Train[i-1] {
			return stage.Usage("--train: numbers of points must be above zero and ascending")
		}
	}
	return nil
}

// divide divides timings into states by their sentinels.
func (f *Options) divide(d *timing.Data) error {
	var cuts []unit.Seconds
	for _, text := range f.Cuts {
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

// Within returns the options for times within a node, after d was changed as f says. Their state becomes "local".
func (f *Options) Within(d *timing.Data) (*Options, error) {
	if states := d.States(); len(states) > 1 {
		return nil, fmt.Errorf("--local: the files have the states %q, which are never pooled; choose one with --state", states)
	}
	for i := range d.Timings {
		d.Timings[i].State = "local"
	}
	o := *f
	o.Prefix, o.State = f.Prefix+".local", "local"
	return &o, nil
}

// Fitted has the results of one dataset.
type Fitted struct {
	data     *timing.Data
	options  *Options
	transfer []*study.Study
	message  []*loggp.Study
	local    *local // messages within a node, or nil
}

// Run fits all models to times. It returns an error if none can be fitted.
func Run(data *timing.Data, options *Options, note Note) (*Fitted, error) {
	r := &Fitted{data: data, options: options}
	return r, r.run(note)
}

// run makes all studies. It returns an error if none can be made.
func (r *Fitted) run(note Note) error {
	var failed, also []error
	r.transfer, failed = study.Run(r.data, study.Options{Line: r.data.Line, Page: r.data.Page, Seed: r.options.Seed, Train: r.options.Train, MaxNoise: r.options.MaxNoise})
	r.message, also = loggp.Run(r.data, r.options.Seed)
	failed = append(failed, also...)
	if len(r.transfer)+len(r.message) == 0 {
		return errors.Join(failed...)
	}
	for _, err := range failed {
		note("%v", err)
	}
	for _, s := range r.transfer {
		for _, w := range s.Warnings {
			note("%v", w)
		}
		for i := range s.Results {
			noteResult(note, s, &s.Results[i])
		}
		if best := s.Best(); best != nil {
			note("%s: the best model is %s, %s, judged by %s: error_ratio %.3g", study.Title(s.Experiment, s.State), best.Model.Name, best.Method.Name, s.Judged, best.Errors.Ratio)
		}
	}
	r.noteUnused(note)
	noisy := func(s *study.Study) bool { return s.Floor > fit.MaxFloor }
	if r.options.MaxNoise > 0 && len(r.transfer) > 0 && !slices.ContainsFunc(r.transfer, noisy) {
		note("--max-noise has no effect: no times have more noise than %g", fit.MaxFloor)
	}
	for _, s := range r.message {
		for _, w := range s.Warnings {
			note("%v", w)
		}
	}
	return nil
}

// noteUnused notes options without effect on LogGP and PLogP.
func (r *Fitted) noteUnused(note Note) {
	if len(r.message) == 0 {
		return
	}
	if r.options.Take != "" {
		note("--take has no effect on LogGP and PLogP: they use the mean of the launches")
	}
	if len(r.options.Train) > 0 {
		note("--train has no effect on LogGP and PLogP")
	}
	if r.options.MaxNoise > 0 {
		note("--max-noise has no effect on LogGP and PLogP")
	}
}

func noteResult(note Note, s *study.Study, r *study.Result) {
	title := fmt.Sprintf("%s: %s, %s", study.Title(s.Experiment, s.State), r.Model.Name, r.Method.Name)
	if r.Refused != nil {
		note("%s: %v", title, r.Refused)
	}
	for _, w := range r.Warnings {
		note("%s: %v", title, w)
	}
}

// Write writes all files, the parameters last. If that file exists, the others do, too.
func (r *Fitted) Write(note Note) error {
	networks, err := r.networks(note)
	if err != nil {
		return err
	}
	if r.local != nil {
		if err := r.local.write(nil); err != nil {
			return err
		}
	}
	return r.write(networks)
}

func (r *Fitted) write(networks []networkText) error {
	params, err := r.Params()
	if err != nil {
		return err
	}
	if err := store.WriteTable(r.options.Prefix+".fit.arrow", r.compared()); err != nil {
		return err
	}
	if t := r.learned(); t != nil {
		if err := store.WriteTable(r.options.Prefix+".train.arrow", t); err != nil {
			return err
		}
	}
	if t := r.plogp(); t != nil {
		if err := store.WriteTable(r.options.Prefix+".plogp.arrow", t); err != nil {
			return err
		}
	}
	for _, n := range networks {
		err := store.WriteFileAtomic(n.path, func(w io.Writer) error { _, err := io.WriteString(w, n.text); return err })
		if err != nil {
			return err
		}
	}
	return store.WriteFileAtomic(r.options.Prefix+".params.toml", func(w io.Writer) error { return params.Write(w) })
}

// meta returns the facts of the tables.
func (r *Fitted) meta() []trace.Arg {
	facts := []trace.Arg{{Key: "tool", Value: "calibrate " + stage.Version}, {Key: "seed", Value: fmt.Sprint(r.options.Seed)},
		{Key: "line", Value: r.data.Line.String()}, {Key: "page", Value: r.data.Page.String()}}
	if r.options.Take != "" {
		facts = append(facts, trace.Arg{Key: "take", Value: r.options.Take})
	}
	for _, source := range r.data.Sources {
		facts = append(facts, trace.Arg{Key: "input", Value: source})
	}
	return facts
}

// Source names the files of the times, with their digests.
func (r *Fitted) Source() string { return r.data.Source() }
