package main

import (
	"fmt"
	"path/filepath"

	"spoor/tracegen/recorder"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/symbols"
	"spoor/traces/trace"
)

// tracedProcess is the trace of a process.
type tracedProcess struct {
	*store.Writer
	names  *symbols.Writer // nil if they are left out
	env    *stage.Env
	prefix string
	head   trace.Header
}

// open makes the trace of the program, which has number 0, or of a process that it starts.
func (o *runOptions) open(env *stage.Env, p recorder.Process) (*tracedProcess, error) {
	own := *o
	if p.Number > 0 {
		own.prefix = fmt.Sprintf("%s.%d", o.prefix, p.Number)
	}
	return own.create(env, trace.Header{Program: filepath.Base(p.Args[0]) + argumentText(p.Args[1:]), Format: "qemu",
		WorkUnit: trace.WorkInstr, HasPC: true, Rule: o.golang.rule(), Tool: "tracegen " + stage.Version, Inputs: []string{p.SHA256}})
}

// create makes a trace with this header, and its names.
func (o *runOptions) create(env *stage.Env, head trace.Header) (*tracedProcess, error) {
	r := &tracedProcess{env: env, prefix: o.prefix, head: head}
	create := store.Create
	if o.archive {
		create = store.CreateArchive
	}
	var err error
	if r.Writer, err = create(r.prefix, r.head); err != nil || !o.symbols || o.fast {
		return r, err
	}
	if r.names, err = symbols.Create(r.prefix); err != nil {
		r.Abort()
	}
	return r, err
}

// complete writes the header, and the names of this trace.
func (r *tracedProcess) complete() error {
	err := r.Close(r.head)
	if err == nil && r.names != nil {
		err = r.names.Close(r.SHA256())
	}
	return err
}

// Keep completes the trace, and says what it has.
func (r *tracedProcess) Keep(rec *recorder.Recording) error {
	r.head.Procs, r.head.Notes = rec.Procs, rec.Notes
	if err := r.complete(); err != nil {
		return err
	}
	for _, note := range rec.Notes {
		r.env.Note("%s: %s", r.prefix, note)
	}
	r.env.Note("%s: %s procs=%d: %d instructions, %d references, %d events", r.prefix, r.head.Title(), r.head.Procs, rec.Instructions, rec.References, rec.Events)
	return nil
}

// Drop removes a trace that is not kept.
func (r *tracedProcess) Drop() {
	r.Abort()
	if r.names != nil {
		r.names.Abort()
	}
}

// Symbols is where the names of places go.
func (r *tracedProcess) Symbols() *symbols.Writer { return r.names }
