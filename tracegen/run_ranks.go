package main

import (
	"context"
	"errors"
	"fmt"

	"spoor/tracegen/recorder"
	"spoor/traces/format"
	"spoor/traces/merge"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/symbols"
	"spoor/traces/trace"
)

// runRank records a rank under QEMU, and leaves its trace as the rank's part.
func (o *runOptions) runRank(ctx context.Context, env *stage.Env, program *recorder.Recorder, r *recorder.Ranked, progress *stage.Progress) error {
	if o.children {
		return stage.Usage("--children is for programs without MPI; leave it out")
	}
	own := *o
	own.prefix = r.Own()
	t, err := own.open(env, program.Process())
	if err != nil {
		return err
	}
	defer t.Drop()
	rec, failed := program.Record(ctx, t)
	progress.Done()
	head := t.head
	if failed == nil {
		t.head.Procs = rec.Procs
		failed = t.complete()
	}
	part, err := r.Leave(rec, failed)
	if err = errors.Join(failed, err); err != nil {
		return fmt.Errorf("recording %s: %w", r.Args[0], err)
	}
	return o.finishRank(ctx, env, r, part, head, joinReferences)
}

// joinReferences joins the traces of the ranks, and puts their calls of MPI among their events.
func joinReferences(ctx context.Context, r *recorder.Ranked, paths []string, w *tracedProcess) (all format.Result, err error) {
	var inputs []merge.Input
	var traces []*store.Trace
	var first []trace.Proc
	procs := 0
	for rank, path := range paths {
		if path != r.Prefix(rank)+".mpi" {
			return all, fmt.Errorf("rank %d was killed and left no calls, so the references of the others cannot be joined", rank)
		}
		t, err := store.Open(r.Prefix(rank))
		if err != nil {
			return all, err
		}
		defer t.Close()
		inputs = append(inputs, merge.Input{Source: t, Name: fmt.Sprintf("rank %d", rank), SHA256: t.SHA256()})
		traces, first = append(traces, t), append(first, trace.Proc(procs))
		procs += t.Header().Procs
	}
	apart := len(paths) > 1 && len(paths) <= 1<<8
	src, err := merge.Join(inputs, apart)
	if err != nil {
		return all, err
	}
	if err := copyReferences(src, w.Writer); err != nil {
		return all, err
	}
	all, _, err = format.JoinRanks(ctx, paths, &format.Recorded{Source: src, First: first, Apart: apart}, w.Writer)
	if err != nil {
		return all, err
	}
	w.head.Notes = rankNotes(first, procs, apart)
	if err := joinSymbols(r, src, traces, apart, w); err != nil {
		return all, err
	}
	return all, copyThreads(src, first, procs, w.Writer)
}

// rankNotes says which processors the ranks are, if they have threads, and what their addresses are.
func rankNotes(first []trace.Proc, procs int, apart bool) (notes []string) {
	for rank, p := range first {
		next := procs
		if rank+1 < len(first) {
			next = int(first[rank+1])
		}
		if procs > len(first) {
			notes = append(notes, fmt.Sprintf("rank %d is processors %d to %d", rank, p, next-1))
		}
	}
	switch {
	case apart:
		notes = append(notes, "each rank has its own address space: the top byte of an address is the rank")
	case len(first) > 1:
		notes = append(notes, "over 256 ranks: their address spaces are not apart")
	}
	return notes
}

func copyReferences(src trace.Source, w *store.Writer) error {
	for b, err := range src.Refs() {
		if err != nil {
			return err
		}
		if err := w.Refs(b); err != nil {
			return err
		}
	}
	return nil
}

// joinSymbols joins the names of the ranks' places.
func joinSymbols(r *recorder.Ranked, src *merge.Joined, traces []*store.Trace, apart bool, w *tracedProcess) error {
	if w.names == nil {
		return nil
	}
	if len(traces) > 1 && !apart {
		w.names.Abort()
		w.names = nil
		w.head.Notes = append(w.head.Notes, "no functions and data are named, because addresses do not tell the ranks apart")
		return nil
	}
	for rank, t := range traces {
		f, err := symbols.Open(r.Prefix(rank), t)
		if err != nil {
			return fmt.Errorf("names of rank %d: %w", rank, err)
		}
		for row, err := range f.Rows() {
			if err != nil {
				return fmt.Errorf("names of rank %d: %w", rank, err)
			}
			if err := w.names.Add(joined(*row, src, rank)); err != nil {
				return err
			}
		}
	}
	return nil
}

// joined is a row of a rank in the trace of all.
func joined(row symbols.Row, src *merge.Joined, rank int) symbols.Row {
	if row.Kind != symbols.Member { // its addresses count from the start of a variable
		row.Addr = src.Address(rank, row.Addr)
	}
	if row.Kind == symbols.Heap || row.Kind == symbols.Mapping {
		row.Site = src.Address(rank, row.Site)
	}
	for _, m := range []*symbols.Moment{&row.Begin, &row.End} {
		if *m != symbols.Never {
			m.Proc = src.Proc(rank, m.Proc)
		}
	}
	return row
}

// copyThreads copies the events of all threads but the first of each rank.
func copyThreads(src trace.Source, first []trace.Proc, procs int, w *store.Writer) error {
	next := 0
	for p := range trace.Proc(procs) {
		if next < len(first) && first[next] == p {
			next++
			continue
		}
		for b, err := range src.Events(p) {
			if err != nil {
				return err
			}
			if err := w.Events(b); err != nil {
				return err
			}
		}
	}
	return nil
}
