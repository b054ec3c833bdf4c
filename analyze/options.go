package main

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spoor/analyze/analysis"
	"spoor/analyze/locality"
	"spoor/analyze/phases"
	"spoor/analyze/reuse"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// options is the command line.
type options struct {
	run, line        []string
	procs            string
	sets             []int64
	window           uint64
	interleaved      bool
	interleavedAsked bool // not merely by default
	dir              string
	format           *stage.Format
}

// request is what the analyses are built from.
type request struct {
	lines  []unit.Bytes // ascending
	first  unit.Bytes   // the line size that was given first
	sets   []int64      // ascending
	window unit.Instructions
	meta   []trace.Arg
	source string
	reuse  *reuse.Analysis // which several build on
}

// kind is an analysis that can be asked for.
type kind struct {
	name, doc string
	needsAll  bool // needs the interleaved order, hence all processors
	build     func(*request) analysis.Analysis
}

// kinds lists every analysis, in the order of the help.
var kinds = []kind{
	{"reuse", "exact LRU stack distances of data references: reuse.arrow, and the miss-ratio curve: curve.arrow", false,
		func(r *request) analysis.Analysis { return r.reuse }},
	{"locality", "alpha, beta and gamma of the power law [du2000]: locality.params.toml", false,
		func(r *request) analysis.Analysis {
			return &locality.Analysis{Reuse: r.reuse, Line: r.first, Source: r.source, Tool: tool, Meta: r.meta}
		}},
	{"phases", "misses and bus operations of coherent caches of 1 to 16 ways between barriers: phases.arrow", true,
		func(r *request) analysis.Analysis {
			return &phases.Analysis{Lines: r.lines, Sets: r.sets, Window: r.window, Meta: r.meta}
		}},
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
	sets, err := checkSets(o.sets)
	if err != nil {
		return err
	}
	if o.window < 1 || o.window > 1<<40 {
		return stage.Usage("--window: %d is not a number of instructions from 1 to %d", o.window, 1<<40)
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
	r := request{lines: lines, first: given[0], sets: sets, window: unit.Instructions(o.window), meta: o.meta(src, lines), source: sourceName(path) + " sha256:" + src.SHA256()}
	r.reuse = &reuse.Analysis{Lines: lines, Interleaved: o.interleaved, Meta: r.meta}
	var analyses []analysis.Analysis
	for _, k := range chosen {
		analyses = append(analyses, k.build(&r))
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
func (o *options) chosen() ([]kind, error) {
	for _, name := range o.run {
		if !slices.ContainsFunc(kinds, func(k kind) bool { return k.name == name }) {
			return nil, stage.Usage("--run: no analysis %q; there are %s", name, names())
		}
	}
	var out []kind
	for _, k := range kinds {
		if slices.Contains(o.run, k.name) {
			out = append(out, k)
		}
	}
	if len(out) == 0 {
		return nil, stage.Usage("--run: no analysis; there are %s", names())
	}
	if *o.format != stage.Human && len(out) > 1 {
		return nil, stage.Usage("--format %s prints one analysis; choose it with --run", *o.format)
	}
	return out, nil
}

// selected is the processors of --procs, nil for all.
func (o *options) selected(env *stage.Env, have int, chosen []kind) ([]trace.Proc, error) {
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
	if o.interleaved && slices.ContainsFunc(chosen, func(k kind) bool { return k.name == "reuse" }) {
		env.Note("the interleaved order needs all processors and is left out")
	}
	return procs, nil
}

func checkSets(sets []int64) ([]int64, error) {
	if len(sets) == 0 {
		return nil, stage.Usage("--sets: no number of sets")
	}
	for _, n := range sets {
		if n < 1 || n > phases.MaxSets || n&(n-1) != 0 {
			return nil, stage.Usage("--sets: %d is not a power of two from 1 to %d", n, phases.MaxSets)
		}
	}
	return sorted(sets), nil
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
