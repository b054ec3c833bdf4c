package main

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// options is the command line, but for the flags that belong to one kind.
type options struct {
	run, line        []string
	procs            string
	interleaved      bool
	interleavedAsked bool // not merely by default
	dir              string
	format           *stage.Format
	kinds            []*kind
}

// request is what the analyses are built from.
type request struct {
	header trace.Header
	lines  []unit.Bytes // ascending
	first  unit.Bytes   // the line size that was given first
	meta   []trace.Arg
	source string
	events trace.Source    // the trace, for analyses that read its events once more
	reuse  *reuse.Analysis // which several build on
}

// kind is an analysis that can be asked for. Its flags are its own.
type kind struct {
	name, doc string
	details   string // more for the help, if one line is not enough
	needsAll  bool   // needs the interleaved order, hence all processors
	flags     func(*pflag.FlagSet)
	build     func(*request) (analysis.Analysis, error) // an error about a flag is one of usage
}

// allKinds makes every analysis, in the order of the help.
func allKinds() []*kind {
	q := new(quantumFlags)
	return []*kind{
		reuseKind(),
		localityKind(),
		phasesKind(),
		marshalKind(),
		commKind(),
		footprintKind(q),
		quantaKind(q),
		cacheKind(),
		sharingKind(),
	}
}

// tool is what the results say made them.
const tool = "spoor analyze " + stage.Version

// analyze is the command's work.
func (o *options) analyze(ctx context.Context, env *stage.Env, path string) error {
	chosen, err := o.chosen()
	if err != nil {
		return err
	}
	given, err := parseLines(o.line)
	if err != nil {
		return err
	}
	src, err := store.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	procs, err := o.selected(env, src.Header().Procs, chosen)
	if err != nil {
		return err
	}
	lines := sorted(given)
	r := request{header: src.Header(), events: src, lines: lines, first: given[0], meta: o.meta(src, lines), source: sourceName(path) + " sha256:" + src.SHA256()}
	r.reuse = &reuse.Analysis{Lines: lines, Interleaved: o.interleaved, Meta: r.meta}
	var analyses []analysis.Analysis
	for _, k := range chosen {
		a, err := k.build(&r)
		if err != nil {
			return err
		}
		analyses = append(analyses, a)
	}
	results, err := o.measure(ctx, env, src, procs, analyses)
	if err != nil {
		return err
	}
	if err := save(o.dir, results); err != nil {
		return err
	}
	return o.print(env, chosen, results)
}

// chosen is the analyses of --run, in the order of the help.
func (o *options) chosen() ([]*kind, error) {
	names := namesOf(o.kinds)
	for _, name := range o.run {
		if !slices.ContainsFunc(o.kinds, func(k *kind) bool { return k.name == name }) {
			return nil, stage.Usage("--run: no analysis %q; there are %s", name, names)
		}
	}
	var out []*kind
	for _, k := range o.kinds {
		if slices.Contains(o.run, k.name) {
			out = append(out, k)
		}
	}
	if len(out) == 0 {
		return nil, stage.Usage("--run: no analysis; there are %s", names)
	}
	if *o.format != stage.Human && len(out) > 1 {
		return nil, stage.Usage("--format %s prints one analysis; choose it with --run", *o.format)
	}
	return out, nil
}

// selected is the processors of --procs, nil for all.
func (o *options) selected(env *stage.Env, have int, chosen []*kind) ([]trace.Proc, error) {
	procs, err := trace.ParseProcs(o.procs, have)
	if err != nil {
		return nil, stage.Usage("--procs: %w", err)
	}
	if len(procs) == have {
		return nil, nil
	}
	for _, k := range chosen {
		if k.needsAll {
			return nil, stage.Usage("%s needs all processors; leave --procs out", k.name)
		}
	}
	if o.interleaved && o.interleavedAsked {
		return nil, stage.Usage("the interleaved order needs all processors; leave --procs or --interleaved out")
	}
	if o.interleaved && slices.ContainsFunc(chosen, func(k *kind) bool { return k.name == "reuse" }) {
		env.Note("the interleaved order needs all processors and is left out")
	}
	return procs, nil
}

// sorted is the values in ascending order, each once.
func sorted[T int64 | unit.Bytes](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// meta is the facts in every table.
func (o *options) meta(src *store.Trace, lines []unit.Bytes) []trace.Arg {
	h := src.Header()
	var sizes []string
	for _, l := range lines {
		sizes = append(sizes, l.String())
	}
	facts := []trace.Arg{
		{Key: "program", Value: h.Title()},
		{Key: "procs", Value: strconv.Itoa(h.Procs)},
		{Key: "trace", Value: src.SHA256()},
		{Key: "line", Value: strings.Join(sizes, ",")},
		{Key: "tool", Value: tool},
	}
	if o.procs != "" {
		facts = append(facts, trace.Arg{Key: "selected", Value: o.procs})
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
