package main

import (
	"context"
	"iter"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// watched is a trace that shows progress and stops when the command is interrupted.
type watched struct {
	*store.Trace
	ctx      context.Context
	progress *stage.Progress
}

func watch(ctx context.Context, env *stage.Env, t *store.Trace, what string) *watched {
	total := int64(0)
	for p := range t.Header().Procs {
		total += int64(t.Totals(trace.Proc(p)).Refs)
	}
	return &watched{Trace: t, ctx: ctx, progress: env.Progress(what, total, "refs")}
}

// Refs yields the references of procs.
func (w *watched) Refs(procs ...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return w.shown(w.Trace.Refs(procs...))
}

// chosen yields the given batches of references of p.
func (w *watched) chosen(p trace.Proc, batches []int) iter.Seq2[*trace.Refs, error] {
	return w.shown(w.Trace.ReadBatches(p, batches))
}

func (w *watched) shown(refs iter.Seq2[*trace.Refs, error]) iter.Seq2[*trace.Refs, error] {
	return func(yield func(*trace.Refs, error) bool) {
		for b, err := range refs {
			if err == nil {
				err = context.Cause(w.ctx)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			w.progress.Add(b.Len())
			if !yield(b, nil) {
				return
			}
		}
	}
}

// Events yields the events of procs.
func (w *watched) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
	return func(yield func(*trace.Events, error) bool) {
		for b, err := range w.Trace.Events(procs...) {
			if err == nil {
				err = context.Cause(w.ctx)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}
