package main

import (
	"context"
	"fmt"
	"math"

	"spoor/predict/internal/direct"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// runMessages runs a program that passes messages.
func (o *directOptions) runMessages(ctx context.Context, env *stage.Env, p directProgram, machines []target) error {
	var runs []hostRuns
	var rows []messageRow
	var times []unit.Picos
	for _, m := range machines {
		if err := needMessages(m.Machine, "running "+p.header().Title(), true); err != nil {
			return err
		}
		noteAll(env, keyuse.OfMachine(m.Machine, useOf(m.Machine, byMessages, o.procs, false, false, o.messages.opt.Semantics)))
		row, host, err := o.simulate(ctx, env, p, m)
		if err != nil {
			return fmt.Errorf("running %s on %s: %w", p.header().Title(), m.Name, err)
		}
		rows, runs, times = append(rows, row), append(runs, host), append(times, row.result.Time)
	}
	table := o.messages.table(rows)
	if table == nil {
		table = messageTable(rows, &o.messages)
	}
	if o.native {
		native, err := o.nativeRuns(ctx, p)
		if err != nil {
			return err
		}
		addNative(table, times, runs, native)
	}
	if err := o.output.write("the simulations", table); err != nil {
		return err
	}
	return printMessages(env.Out, o.output.format, rows, table, &o.messages)
}

// simulate simulates p on m, --repeat times to measure times of this host.
func (o *directOptions) simulate(ctx context.Context, env *stage.Env, p directProgram, m target) (row messageRow, host hostRuns, err error) {
	head := p.header()
	row = messageRow{title: head.Title(), machine: m.Name, machineSHA: m.Digest(), instructions: math.NaN()}
	progress := env.Progress("simulating "+head.Program, -1, "operations")
	defer progress.Done()
	for i := range o.repeat {
		opt := direct.Options{Procs: o.procs, Ahead: o.ahead, Semantics: o.messages.opt.Semantics, Progress: progress.Add}
		opt.Observer = o.messages.observe(o.procs, &row.observed)
		rec := direct.NewRecording(o.procs)
		if o.messages.timeline != "" {
			opt.Sink = rec
		}
		out, err := p.simulate(ctx, m, opt)
		if err != nil {
			return row, nil, err
		}
		row.result = out.result
		host = append(host, out.seconds)
		if err := o.messages.write(env, rec.Source(head), row.times); err != nil {
			return row, nil, err
		}
		for _, w := range out.warnings {
			if i == 0 {
				env.Note("%s on %s: %v", row.title, m.Name, w)
			}
		}
	}
	env.Note("%s on %s: %v", row.title, m.Name, replay.ErrNoReferences)
	return row, host, nil
}
