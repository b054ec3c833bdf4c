// Package walk reads the references and events of a trace in program order, shows progress, and stops when the command is interrupted.
// Package store reads batches and knows neither commands nor positions.
package walk

import (
	"context"
	"iter"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Trace is a trace that shows progress and stops when the command is interrupted.
type Trace struct {
	*store.Trace
	ctx      context.Context
	progress *stage.Progress
}

// Watch returns t with a progress bar that says what is done.
func Watch(ctx context.Context, env *stage.Env, t *store.Trace, what string) *Trace {
	total := int64(0)
	for p := range t.Header().Procs {
		total += int64(t.Totals(trace.Proc(p)).Refs)
	}
	return &Trace{Trace: t, ctx: ctx, progress: env.Progress(what, total, "refs")}
}

// Refs yields the references of procs.
func (w *Trace) Refs(procs ...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return w.shown(w.Trace.Refs(procs...))
}

// chosen yields the given batches of references of p.
func (w *Trace) chosen(p trace.Proc, batches []int) iter.Seq2[*trace.Refs, error] {
	return w.shown(w.Trace.ReadBatches(p, batches))
}

func (w *Trace) shown(refs iter.Seq2[*trace.Refs, error]) iter.Seq2[*trace.Refs, error] {
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
func (w *Trace) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
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

// Done ends the progress bar.
func (w *Trace) Done() { w.progress.Done() }

// Err returns why the command was interrupted, or nil.
func (w *Trace) Err() error { return w.ctx.Err() }

// Tool names this command in the files that it writes.
const Tool = "spoor traces " + stage.Version
