package main

import (
	"context"
	"fmt"

	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// runMixed runs a program that shares memory and passes messages.
func (o *directOptions) runMixed(ctx context.Context, env *stage.Env, p directProgram, machines []target) error {
	if err := checkMixed(p.header().Program, o.changed); err != nil {
		return err
	}
	var runs []hostRuns
	var rows []mixedRow
	var times []unit.Picos
	for _, m := range machines {
		if err := needReferences(m.Machine, "running "+p.header().Title(), byBoth); err != nil {
			return err
		}
		noteAll(env, keyuse.OfMachine(m.Machine, useOf(m.Machine, byBoth, o.procs, false, false, o.messages.opt.Semantics)))
		out, host, err := o.simulateMixed(ctx, env, p, m)
		if err != nil {
			return fmt.Errorf("running %s on %s: %w", p.header().Title(), m.Name, err)
		}
		rows = append(rows, newMixedRow(p.header().Title(), "", m.Machine, out.result, simulatedTasks))
		runs, times = append(runs, host), append(times, out.result.Time)
	}
	if !o.native {
		return printMixed(env.Out, o.output, rows, nil)
	}
	native, err := o.nativeRuns(ctx, p)
	if err != nil {
		return err
	}
	return printMixed(env.Out, o.output, rows, func(t *store.Table) { addNative(t, times, runs, native) })
}

// simulateMixed runs p on m.
func (o *directOptions) simulateMixed(ctx context.Context, env *stage.Env, p directProgram, m target) (simulatedMixed, hostRuns, error) {
	return repeated(ctx, o, env, p.header(), m, replay.Options{}, p.simulateMixed, func(r *replay.MixedResult) []error { return r.Warnings })
}
