package main

import (
	"context"
	"errors"
	"fmt"

	"spoor/predict/direct"
	"spoor/predict/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// simulatedMixed is a simulation of a program that shares memory and passes messages, which took this host so many seconds.
type simulatedMixed struct {
	result  *replay.MixedResult
	dropped uint64 // references of a program of the user's to memory that has no address
	seconds float64
}

// isBoth is whether a simulation ended because the program shares memory and passes messages.
func isBoth(err error) bool {
	return errors.Is(err, direct.ErrShares) || errors.Is(err, direct.ErrMessages)
}

// runMixed runs a program that shares memory and passes messages.
func (o *directOptions) runMixed(ctx context.Context, env *stage.Env, p directProgram, machines []target) error {
	if err := checkMixed(p.header().Program, o.changed); err != nil {
		return err
	}
	var runs []hostRuns
	var rows []mixedRow
	var times []unit.Picos
	for _, m := range machines {
		out, host, err := o.simulateMixed(ctx, env, p, m)
		if err != nil {
			return fmt.Errorf("running %s on %s: %w", p.header().Title(), m.Name, err)
		}
		rows = append(rows, newMixedRow(p.header().Title(), "", m.Name, out.result, simulatedTasks))
		runs, times = append(runs, host), append(times, out.result.Time)
	}
	if !o.native {
		return printMixed(env.Out, o.format, o.output, rows, nil)
	}
	native, err := o.nativeRuns(ctx, p)
	if err != nil {
		return err
	}
	return printMixed(env.Out, o.format, o.output, rows, func(t *store.Table) { addNative(t, times, runs, native) })
}

// simulateMixed runs p on m. It does so again where times of this host are asked for.
func (o *directOptions) simulateMixed(ctx context.Context, env *stage.Env, p directProgram, m target) (out simulatedMixed, host hostRuns, err error) {
	progress := env.Progress("simulating "+p.header().Program, -1, "references")
	defer progress.Done()
	opt := direct.MemoryOptions{Procs: o.procs, Options: replay.Options{Memory: memoryOf(m.Machine), Progress: progress.Add}}
	for range o.repeat {
		if out, err = p.simulateMixed(ctx, m, opt); err != nil {
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

// noteDropped says how many references a simulation leaves out.
func noteDropped(env *stage.Env, name string, dropped uint64) {
	if dropped > 0 {
		env.Note("%s: %d references are left out: to memory that was there before spmd.Main and has no name", name, dropped)
	}
}
