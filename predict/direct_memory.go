package main

import (
	"context"
	"fmt"

	"spoor/predict/direct"
	"spoor/predict/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// simulatedMemory is a simulation of a program that shares memory, which took this host so many seconds.
type simulatedMemory struct {
	result  *replay.Result
	dropped uint64 // references of a program of the user's to memory that has no address
	seconds float64
}

// runMemory runs a program that shares memory.
func (o *directOptions) runMemory(ctx context.Context, env *stage.Env, p directProgram, machines []target) error {
	var runs []hostRuns
	var rows []memoryRow
	var times []unit.Picos
	for _, m := range machines {
		out, host, err := o.simulateMemory(ctx, env, p, m)
		if err != nil {
			return fmt.Errorf("running %s on %s: %w", p.header().Title(), m.Name, err)
		}
		rows = append(rows, newMemoryRow(p.header().Title(), "", m.Machine, out.result, simulatedTasks))
		runs, times = append(runs, host), append(times, out.result.Time)
	}
	out := memoryReport{memoryFlags: o.memory, format: o.format, output: o.output}
	if o.native {
		native, err := o.nativeRuns(ctx, p)
		if err != nil {
			return err
		}
		out.extend = func(t *store.Table) { addNative(t, times, runs, native) }
	}
	return out.print(env.Out, rows)
}

// simulateMemory runs p on the memory system of m. It does so again where times of this host are asked for.
func (o *directOptions) simulateMemory(ctx context.Context, env *stage.Env, p directProgram, m target) (out simulatedMemory, host hostRuns, err error) {
	progress := env.Progress("simulating "+p.header().Program, -1, "references")
	defer progress.Done()
	opt := direct.MemoryOptions{Procs: o.procs, Options: o.memory.opt}
	opt.Memory, opt.Progress = memoryOf(m.Machine), progress.Add
	for range o.repeat {
		if out, err = p.simulateMemory(ctx, m, opt); err != nil {
			return out, nil, err
		}
		host = append(host, out.seconds)
	}
	progress.Done()
	name := p.header().Title() + " on " + m.Name
	for _, w := range out.result.Warnings {
		env.Note("%s: %v", name, w)
	}
	noteDropped(env, name, out.dropped)
	return out, host, nil
}
