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

// options are the values of the command line.
type options struct {
	*settings
	procs            []string
	interleaved      bool
	interleavedAsked bool // --interleaved was given
	runAsked         bool // --run was given
	dir              string
	format           *stage.Format
}

// settings are all flags that results depend on.
type settings struct {
	run, line []string
	refs      string // which references use lines; empty: the default of each analysis
	all       bool   // --run contains "all"
	kinds     []*kind
	flags     *pflag.FlagSet // including the flags of each analysis
}

func newSettings() *settings {
	s := &settings{kinds: allKinds(), flags: pflag.NewFlagSet("analyze", pflag.ContinueOnError)}
	s.flags.StringSliceVar(&s.run, "run", []string{"reuse", "locality"}, "analyses, as a `list` of names, or all")
	s.flags.StringSliceVar(&s.line, "line", []string{"64B"}, "sizes of a memory line, as a `list` of powers of two; locality uses the first")
	s.flags.StringVar(&s.refs, "refs", "", "`references` to measure: data, ifetch or all (default: data; for cache, all)")
	for _, k := range s.kinds {
		if k.flags == nil {
			continue
		}
		own := pflag.NewFlagSet(k.name, pflag.ContinueOnError)
		k.flags(own)
		own.VisitAll(func(f *pflag.Flag) { k.own = append(k.own, f.Name) })
		s.flags.AddFlagSet(own)
	}
	return s
}

// request holds what the analyses are built from.
type request struct {
	header      trace.Header
	digest      string       // of the trace
	name        string       // of the trace
	events      trace.Source // the trace, for analyses that read its events again; nil if it is not available
	procs       []trace.Proc // processors to analyze, nil for all
	interleaved bool         // measure the interleaved order too
	messages    *bool        // the trace passes messages; nil if that is unknown

	lines  []unit.Bytes        // ascending
	refs   trace.OpSet         // references whose lines are measured; zero: the default of each analysis
	first  unit.Bytes          // the line size that was given first
	meta   []trace.Arg         // metadata of every table
	source string              // source of parameters: name and digest of the trace, and whether it is a sample
	reuse  *reuse.Analysis     // shared by several analyses
	times  *reusetime.Analysis // nil without reuse_time
}

// kind is an analysis that --run can name.
type kind struct {
	name    string
	short   string // one line for the list of analyses
	about   string // what it measures and when to use it; the start of its help page
	columns string // its tables, for the help page
	cost    string // its time and memory, for the help page
	example string // command lines for the help page
	flags   func(*pflag.FlagSet)
	shares  []string                                  // flags that it shares with other analyses, which add them
	needs   map[string]string                         // flags that have an effect only with another flag: that flag, or several, one of which is enough
	build   func(*request) (analysis.Analysis, error) // errors about flags are usage errors

	perProc unit.Bytes // memory for each processor of the interleaved order, roughly, if each uses few lines

	own []string // names of the flags that it adds
}

// flagNames returns the names of all flags that affect the analysis.
func (k *kind) flagNames() []string { return slices.Concat(k.own, k.shares) }

// allKinds returns every analysis, in the order of the help.
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

// Names of analyses.
const commName, marshalName, quantaName, localityName = "comm", "marshal", "quanta", "locality"

// tool is the program name and version recorded in results.
const tool = "spoor analyze " + stage.Version

// analyze runs the command.
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
	o.adapt(env, src)
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
	if r.messages, err = o.passesMessages(src); err != nil {
		return err
	}
	analyses, err := o.build(&r)
	if err != nil {
		return err
	}
	o.noteSource(env, path, r.header)
	if analyses, err = o.checkOrders(env, &r, analyses); err != nil {
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
	noteOthers(env, o.dir, r.digest)
	return print(env, *o.format, o.chosen(), results)
}

// keep writes the results. If they cover all processors, it removes an older part for merging.
func keep(dir string, results []analysis.Result, whole bool) error {
	if err := save(dir, results); err != nil || !whole {
		return err
	}
	return dropPart(dir)
}

// build creates the analyses and completes the request.
func (s *settings) build(r *request) (analyses []analysis.Analysis, err error) {
	given, err := parseLines(s.line)
	if err != nil {
		return nil, err
	}
	r.lines, r.first = sorted(given), given[0]
	if r.refs, err = parseRefs(s.refs); err != nil {
		return nil, err
	}
	r.meta, r.source = r.facts(), r.name+" sha256:"+r.digest+r.header.SourceFacts()
	if s.refs != "" {
		r.meta, r.source = append(r.meta, trace.Arg{Key: "refs", Value: s.refs}), r.source+", refs "+s.refs
	}
	r.reuse = &reuse.Analysis{Lines: r.lines, Refs: r.refs, Interleaved: r.interleaved, Meta: r.meta}
	if slices.Contains(s.run, reuseTimeName) {
		r.times = &reusetime.Analysis{Lines: r.lines, Refs: r.refs, Interleaved: r.interleaved, Meta: r.meta}
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

// selected returns the processors of --procs, nil for all.
func (o *options) selected(have int) ([]trace.Proc, error) {
	procs, err := trace.ParseProcs(strings.Join(o.procs, ","), have)
	if err != nil {
		return nil, stage.Usage("--procs: %w", err)
	}
	if len(procs) == have {
		return nil, nil
	}
	if o.interleaved && o.interleavedAsked {
		return nil, stage.Usage("the interleaved order needs all processors; omit --procs or --interleaved")
	}
	return procs, nil
}

// checkOrders checks the analyses against --procs and returns those that can run. An analysis that needs the
// interleaved order cannot run, which --run all skips. The others run without that order, with a note.
func (o *options) checkOrders(env *stage.Env, r *request, analyses []analysis.Analysis) (able []analysis.Analysis, err error) {
	if r.procs == nil {
		return analyses, nil
	}
	var needAll, names, without []string
	for _, a := range analyses {
		if len(analysis.Orders(r.header, r.procs[:1], a)) == 0 {
			needAll = append(needAll, a.Name())
			continue
		}
		able, names = append(able, a), append(names, a.Name())
		if len(analysis.Orders(r.header, []trace.Proc{trace.Interleaved}, a)) > 0 {
			without = append(without, a.Name())
		}
	}
	switch {
	case o.all && len(needAll) > 0:
		env.Note("skipping %s: the analysis needs all processors", strings.Join(needAll, ", "))
		o.run = names
	case len(needAll) == 1:
		return nil, stage.Usage("%s needs all processors; omit --procs or the analysis", needAll[0])
	case len(needAll) > 1:
		return nil, stage.Usage("%s need all processors; omit --procs or these analyses", strings.Join(needAll, ", "))
	}
	for _, name := range without {
		env.Note("%s: without the interleaved order, which needs all processors", name)
	}
	return able, nil
}

// sorted returns the values in ascending order without duplicates.
func sorted[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// facts returns the metadata of every table.
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

// sourceName returns the name of the trace in parameter files: its file of references.
func sourceName(path string) string {
	name := filepath.Base(path)
	if strings.HasSuffix(name, store.RefsSuffix) || strings.HasSuffix(name, store.EventsSuffix) {
		return name
	}
	return name + store.RefsSuffix
}
