package study

import (
	"context"
	"path/filepath"
	"strings"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Analyze analyzes the trace at path, keeps the results and prints summaries.
func (o *Options) Analyze(ctx context.Context, env *stage.Env, path string) error {
	results, err := o.Keep(ctx, env, path)
	if err != nil || o.Shard != "" {
		return err
	}
	return print(env, *o.Format, o.chosen(), results)
}

// Keep analyzes the trace at path and keeps the results.
func (o *Options) Keep(ctx context.Context, env *stage.Env, path string) ([]analysis.Result, error) {
	if err := o.check(*o.Format); err != nil {
		return nil, err
	}
	if err := CheckOutput(o.Dir); err != nil {
		return nil, err
	}
	src, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	r, err := o.request(env, src, path)
	if err != nil {
		return nil, err
	}
	results, err := o.results(ctx, env, src, path, r)
	if err != nil {
		return nil, err
	}
	if err := keep(o.Dir, results, r.Procs == nil && o.Shard == ""); err != nil {
		return nil, err
	}
	noteOthers(env, o.Dir, r.Digest)
	return results, nil
}

// request returns what analyses of the trace are built from.
func (o *Options) request(env *stage.Env, src *store.Trace, path string) (*kind.Request, error) {
	o.adapt(env, src)
	if err := o.nameMemory(env, src, path); err != nil {
		return nil, err
	}
	if o.needRefs() {
		if err := CheckRefs(src, path); err != nil {
			return nil, err
		}
	}
	procs, err := o.selected(src.Header().Procs)
	if err != nil {
		return nil, err
	}
	r := &kind.Request{Header: src.Header(), Events: src, Digest: src.SHA256(), Name: sourceName(path), Procs: procs, Interleaved: o.Interleaved}
	r.Messages, err = o.passesMessages(src)
	return r, err
}

// results runs the analyses. If some processors are left out, the last result is a part for merging. With --shard, it is
// the only one.
func (o *Options) results(ctx context.Context, env *stage.Env, src *store.Trace, path string, r *kind.Request) ([]analysis.Result, error) {
	analyses, err := o.Build(r)
	if err != nil {
		return nil, err
	}
	o.noteSource(env, path, r.Header)
	if analyses, err = o.checkOrders(env, r, analyses); err != nil {
		return nil, err
	}
	kept := newPart(r, o.Settings)
	if o.Shard != "" {
		if err := o.checkSlice(r, kept, analyses); err != nil {
			return nil, err
		}
	}
	results, err := o.measure(ctx, env, src, kept, analyses)
	if err == nil && kept.procs != nil {
		results = append(results, kept.result())
	}
	return results, err
}

// selected returns the processors of --procs, nil for all.
func (o *Options) selected(have int) ([]trace.Proc, error) {
	procs, err := trace.ParseProcs(strings.Join(o.Procs, ","), have)
	if err != nil {
		return nil, stage.Usage("--procs: %w", err)
	}
	if len(procs) == have {
		return nil, nil
	}
	if o.Interleaved && o.InterleavedAsked {
		return nil, stage.Usage("the interleaved order needs all processors; omit --procs or --interleaved")
	}
	return procs, nil
}

// checkOrders checks the analyses against --procs and returns those that can run. An analysis that needs the
// interleaved order cannot run, which --run all skips. The others run without that order, with a note.
func (o *Options) checkOrders(env *stage.Env, r *kind.Request, analyses []analysis.Analysis) (able []analysis.Analysis, err error) {
	if r.Procs == nil && o.Shard == "" {
		return analyses, nil
	}
	flag, missing := "--procs", "which needs all processors"
	if o.Shard != "" {
		flag, missing = "--shard", "which needs the whole trace"
	}
	var needAll, names, without []string
	for _, a := range analyses {
		if len(analysis.Orders(r.Header, one(r.Procs), a)) == 0 {
			needAll = append(needAll, a.Name())
			continue
		}
		able, names = append(able, a), append(names, a.Name())
		if len(analysis.Orders(r.Header, []trace.Proc{trace.Interleaved}, a)) > 0 {
			without = append(without, a.Name())
		}
	}
	switch {
	case o.all && len(needAll) > 0:
		env.Note("skipping %s: the analysis needs all processors", strings.Join(needAll, ", "))
		o.Run = names
	case len(needAll) == 1:
		return nil, stage.Usage("%s needs all processors; omit %s or the analysis", needAll[0], flag)
	case len(needAll) > 1:
		return nil, stage.Usage("%s need all processors; omit %s or these analyses", strings.Join(needAll, ", "), flag)
	}
	for _, name := range without {
		env.Note("%s: without the interleaved order, %s", name, missing)
	}
	return able, nil
}

// one returns one of the processors; nil: of all.
func one(procs []trace.Proc) []trace.Proc {
	if procs == nil {
		return []trace.Proc{0}
	}
	return procs[:1]
}

// sourceName returns the name of the trace in parameter files: its file of references.
func sourceName(path string) string {
	name := filepath.Base(path)
	if strings.HasSuffix(name, store.RefsSuffix) || strings.HasSuffix(name, store.EventsSuffix) {
		return name
	}
	return name + store.RefsSuffix
}
