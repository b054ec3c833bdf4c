package main

import (
	"context"
	"fmt"

	"spoor/predict/internal/direct"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// runMemory runs a program that shares memory.
func (o *directOptions) runMemory(ctx context.Context, env *stage.Env, p directProgram, machines []target) error {
	var runs []hostRuns
	var rows []memoryRow
	var times []unit.Picos
	for _, m := range machines {
		if err := needReferences(m.Machine, "running "+p.header().Title(), byMemory); err != nil {
			return err
		}
		noteAll(env, keyuse.OfMachine(m.Machine, useOf(m.Machine, byMemory, o.procs, false, false, o.messages.opt.Semantics)))
		out, host, err := o.simulateMemory(ctx, env, p, m)
		if err != nil {
			return fmt.Errorf("running %s on %s: %w", p.header().Title(), m.Name, err)
		}
		rows = append(rows, newMemoryRow(p.header().Title(), "", m.Machine, out.result, simulatedTasks))
		runs, times = append(runs, host), append(times, out.result.Time)
	}
	out := memoryReport{memoryFlags: o.memory, output: o.output}
	if o.native {
		native, err := o.nativeRuns(ctx, p)
		if err != nil {
			return err
		}
		out.extend = func(t *store.Table) { addNative(t, times, runs, native) }
	}
	return out.print(env.Out, rows)
}

// simulateMemory runs p on the memory system of m.
func (o *directOptions) simulateMemory(ctx context.Context, env *stage.Env, p directProgram, m target) (simulatedMemory, hostRuns, error) {
	return repeated(ctx, o, env, p.header(), m, o.memory.opt, p.simulateMemory, func(r *replay.Result) []error { return r.Warnings })
}

// repeated simulates a program on m --repeat times, and notes the warnings of the result.
func repeated[R any](ctx context.Context, o *directOptions, env *stage.Env, head trace.Header, m target, opt replay.Options,
	run func(context.Context, target, direct.MemoryOptions) (inMemory[R], error), warnings func(R) []error) (out inMemory[R], host hostRuns, err error) {
	progress := env.Progress("simulating "+head.Program, -1, "references")
	defer progress.Done()
	opt.Memory, opt.Progress = memoryOf(m.Machine), progress.Add
	for range o.repeat {
		if out, err = run(ctx, m, direct.MemoryOptions{Procs: o.procs, Options: opt}); err != nil {
			return out, nil, err
		}
		host = append(host, out.seconds)
	}
	progress.Done()
	name := head.Title() + " on " + m.Name
	for _, w := range warnings(out.result) {
		env.Note("%s: %v", name, w)
	}
	if out.dropped > 0 {
		env.Note("%s: %d references to memory without a name are not simulated", name, out.dropped)
	}
	return out, host, nil
}
