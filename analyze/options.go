package main

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/analyze/reusetime"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// options is the command line.
type options struct {
	*settings
	procs            []string
	interleaved      bool
	interleavedAsked bool // not merely by default
	runAsked         bool
	dir              string
	format           *stage.Format
}

// settings are what results depend on besides the trace and its orders.
type settings struct {
	run, line []string
	all       bool // run is all of them, by one word
	kinds     []*kind
	flags     *pflag.FlagSet // all of them, those of one kind included
}

func newSettings() *settings {
	s := &settings{kinds: allKinds(), flags: pflag.NewFlagSet("analyze", pflag.ContinueOnError)}
	s.flags.StringSliceVar(&s.run, "run", []string{"reuse", "locality"}, "analyses, as a `list` of names, or all")
	s.flags.StringSliceVar(&s.line, "line", []string{"64B"}, "sizes of a memory line, as a `list` of powers of two; locality takes the first")
	for _, k := range s.kinds {
		if k.flags != nil {
			k.flags(s.flags)
		}
	}
	return s
}

// request is what the analyses are built from.
type request struct {
	header      trace.Header
	digest      string       // of the trace
	name        string       // of the trace
	events      trace.Source // the trace, for analyses that read its events once more; nil if it is not there
	procs       []trace.Proc // that are looked at, nil for all
	interleaved bool         // look at the interleaved order too

	lines  []unit.Bytes        // ascending
	first  unit.Bytes          // the line size that was given first
	meta   []trace.Arg         // facts in every table
	source string              // what parameters are of: name and digest of the trace, and if it is a sample
	reuse  *reuse.Analysis     // which several build on
	times  *reusetime.Analysis // nil if not asked for
}

// kind is an analysis that can be asked for. Its flags are its own.
type kind struct {
	name, doc string
	details   string // more for the help, if one line is not enough
	flags     func(*pflag.FlagSet)
	needs     map[string]string                         // flags that do nothing without another one: which
	build     func(*request) (analysis.Analysis, error) // an error about a flag is one of usage
}

// allKinds makes every analysis, in the order of the help.
func allKinds() []*kind {
	q, s := new(quantumFlags), new(sampleFlags)
	return []*kind{
		reuseKind(s),
		localityKind(s),
		reuseTimeKind(),
		phasesKind(),
		marshalKind(),
		commKind(),
		footprintKind(q),
		quantaKind(q),
		cacheKind(),
		sharingKind(),
		coherentKind(),
	}
}

// The analyses that say something true of events without the references that were beside them.
const commName, marshalName, quantaName = "comm", "marshal", "quanta"

// tool is what the results say made them.
const tool = "spoor analyze " + stage.Version

// analyze is the command's work.
func (o *options) analyze(ctx context.Context, env *stage.Env, path string) error {
	if err := o.check(*o.format); err != nil {
		return err
	}
	if err := checkOutput(o.dir); err != nil {
		return err
	}
	src, err := store.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	o.suit(env, src)
	if o.needRefs() {
		if err := checkRefs(src, path); err != nil {
			return err
		}
	}
	procs, err := o.selected(src.Header().Procs)
	if err != nil {
		return err
	}
	r := request{header: src.Header(), events: src, digest: src.SHA256(), name: sourceName(path), procs: procs, interleaved: o.interleaved}
	analyses, err := o.build(&r)
	if err != nil {
		return err
	}
	o.warnOfSample(env, path, r.header)
	if err := o.checkOrders(env, &r, analyses); err != nil {
		return err
	}
	kept := newPart(&r, o.settings)
	results, err := o.measure(ctx, env, src, kept, analyses)
	if err != nil {
		return err
	}
	if procs != nil {
		results = append(results, kept.result())
	}
	if err := keep(o.dir, results, procs == nil); err != nil {
		return err
	}
	return print(env, *o.format, o.chosen(), results)
}

// keep writes the results. Beside those of all processors nothing is left to merge.
func keep(dir string, results []analysis.Result, whole bool) error {
	if err := save(dir, results); err != nil || !whole {
		return err
	}
	return dropPart(dir)
}

// build makes the analyses, and completes the request.
func (s *settings) build(r *request) (analyses []analysis.Analysis, err error) {
	given, err := parseLines(s.line)
	if err != nil {
		return nil, err
	}
	r.lines, r.first = sorted(given), given[0]
	r.meta, r.source = r.facts(), r.name+" sha256:"+r.digest+r.header.SampleSource()
	r.reuse = &reuse.Analysis{Lines: r.lines, Interleaved: r.interleaved, Meta: r.meta}
	if slices.Contains(s.run, reuseTimeName) {
		r.times = &reusetime.Analysis{Lines: r.lines, Interleaved: r.interleaved, Meta: r.meta}
	}
	for _, k := range s.chosen() {
		a, err := k.build(r)
		if err != nil {
			return nil, err
		}
		analyses = append(analyses, a)
	}
	return analyses, nil
}

// selected is the processors of --procs, nil for all.
func (o *options) selected(have int) ([]trace.Proc, error) {
	procs, err := trace.ParseProcs(strings.Join(o.procs, ","), have)
	if err != nil {
		return nil, stage.Usage("--procs: %w", err)
	}
	if len(procs) == have {
		return nil, nil
	}
	if o.interleaved && o.interleavedAsked {
		return nil, stage.Usage("the interleaved order needs all processors; leave --procs or --interleaved out")
	}
	return procs, nil
}

// checkOrders says what comes of a choice of processors: an analysis that looks at
// nothing but the interleaved order cannot run, the others do without that order.
func (o *options) checkOrders(env *stage.Env, r *request, analyses []analysis.Analysis) error {
	if r.procs == nil {
		return nil
	}
	var needAll, without []string
	for _, a := range analyses {
		if len(analysis.Orders(r.header, r.procs[:1], a)) == 0 {
			needAll = append(needAll, a.Name())
		}
		if len(analysis.Orders(r.header, []trace.Proc{trace.Interleaved}, a)) > 0 {
			without = append(without, a.Name())
		}
	}
	switch {
	case len(needAll) == 1:
		return stage.Usage("%s needs all processors; leave --procs or it out", needAll[0])
	case len(needAll) > 1:
		return stage.Usage("%s need all processors; leave --procs or them out", strings.Join(needAll, ", "))
	}
	for _, name := range without {
		env.Note("%s: the interleaved order needs all processors and is left out", name)
	}
	return nil
}

// sorted is the values in ascending order, each once.
func sorted[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// facts are those in every table.
func (r *request) facts() []trace.Arg {
	var sizes []string
	for _, l := range r.lines {
		sizes = append(sizes, l.String())
	}
	facts := []trace.Arg{
		{Key: "program", Value: r.header.Title()},
		{Key: "procs", Value: strconv.Itoa(r.header.Procs)},
		{Key: "trace", Value: r.digest},
		{Key: "line", Value: strings.Join(sizes, ",")},
		{Key: "tool", Value: tool},
	}
	if which := r.header.Sample(); which != "" {
		facts = append(facts, trace.Arg{Key: "trace_sample", Value: which})
	}
	if r.procs != nil {
		facts = append(facts, trace.Arg{Key: "selected", Value: trace.FormatProcs(r.procs)})
	}
	return facts
}

// sourceName is what the parameters call the trace: its file of references.
func sourceName(path string) string {
	name := filepath.Base(path)
	if strings.HasSuffix(name, store.RefsSuffix) || strings.HasSuffix(name, store.EventsSuffix) {
		return name
	}
	return name + store.RefsSuffix
}
