package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"spoor/tracegen/recorder"
	"spoor/traces/format"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// runFast records the calls of MPI of this rank. Rank 0 joins the parts of all ranks into one trace.
func (o *runOptions) runFast(ctx context.Context, env *stage.Env, args []string) error {
	in, out, errors := env.Standard()
	r, err := recorder.PrepareFast(ctx, recorder.Options{Args: args, In: in, Out: out, Err: errors}, o.prefix)
	if err != nil {
		return err
	}
	if r.First() {
		told := context.AfterFunc(ctx, func() {
			env.Note("interrupted: the calls so far are in %s; if they are not joined now: traces import %s -o %s", r.Folder(), r.Folder(), o.prefix)
		})
		defer told()
	}
	part, err := r.Record()
	if err != nil {
		return fmt.Errorf("recording %s: %w", args[0], err)
	}
	head := trace.Header{Program: filepath.Base(args[0]) + argumentText(args[1:]), Format: format.Ranks.Info().Name, WorkUnit: trace.WorkPicos,
		HasTime: true, Tool: "tracegen " + stage.Version, Inputs: []string{r.SHA256()}}
	return o.finishRank(ctx, env, r, part, head, joinCalls)
}

// joinCalls joins the calls of ranks without references.
func joinCalls(ctx context.Context, r *recorder.Ranked, paths []string, w *tracedProcess) (format.Result, error) {
	all, _, err := format.JoinRanks(ctx, paths, nil, w.Writer)
	return all, err
}

// joinRanks writes the trace of all ranks, their names, and notes of its header.
type joinRanks func(ctx context.Context, r *recorder.Ranked, paths []string, w *tracedProcess) (format.Result, error)

// finishRank ends a rank with the status of its program. Rank 0 first joins the parts of all ranks.
func (o *runOptions) finishRank(ctx context.Context, env *stage.Env, r *recorder.Ranked, part recorder.Part, head trace.Header, join joinRanks) error {
	switch {
	case r.First() && part.Error != "":
		return errors.New(part.Error)
	case part.Error != "":
		return stage.Exit(max(part.Status, stage.Failed))
	case !r.First():
		return stage.Exit(part.Status)
	}
	if err := o.joinParts(ctx, env, r, head, join); err != nil {
		return fmt.Errorf("joining the ranks' parts in %s: %w", r.Folder(), err)
	}
	return stage.Exit(part.Status)
}

// joinParts writes the trace of all ranks.
func (o *runOptions) joinParts(ctx context.Context, env *stage.Env, r *recorder.Ranked, head trace.Header, join joinRanks) error {
	run, paths, notes, err := r.Await(ctx)
	if err != nil {
		return err
	}
	w, err := o.create(env, head)
	if err != nil {
		return err
	}
	defer w.Drop()
	all, err := join(context.WithoutCancel(ctx), r, paths, w) // what was recorded before an interrupt is kept
	if err != nil {
		return err
	}
	w.head.Procs, w.head.Notes = all.Procs, append(append(w.head.Notes, notes...), all.Notes...)
	if err := w.complete(); err != nil {
		return err
	}
	head = w.head
	for _, note := range head.Notes {
		env.Note("%s: %s", o.prefix, note)
	}
	env.Note("%s ranks=%d procs=%d: %d calls of MPI", head.Title(), run.Ranks, head.Procs, all.Lines)
	return r.Remove(run)
}
