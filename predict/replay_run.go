package main

import (
	"context"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// simulate runs all simulations, and notes their warnings. also observes the only one, if it is not nil.
func (o *replayOptions) simulate(ctx context.Context, env *stage.Env, sims []*simulation, also observe.Observer) ([]simulationRow, error) {
	progress := env.Progress("replaying", int64(o.work(sims)), "refs and events")
	defer progress.Done()
	workers := o.workers
	if o.opt.Engine = o.engine.options(o.workers, sims); o.opt.Engine.Workers > 1 {
		workers = 1 // one simulation after the other, each by all workers
	}
	rows, err := runAll(sims, workers, func(s *simulation) (row simulationRow, err error) {
		var out observed
		opt := o.on(s.scope, s.trace.Header().Procs, &out, progress.Add)
		opt.Without, opt.HostTimes = s.without, o.engine.times != ""
		if also != nil {
			opt.Observer = also
		}
		res, err := replay.Simulate(ctx, s.trace, s.survey, s.machine, opt)
		if err != nil {
			return row, err
		}
		row = newRow(s.trace.Header().Title(), s.trace.SHA256(), s.machine, s.scope, res, s.instructions(), recordedTasks)
		row.observed = out
		return row, nil
	})
	if err != nil {
		return nil, err
	}
	progress.Done()
	for i, s := range sims {
		for _, w := range rows[i].result.Warnings {
			env.Note("%s: %v", s.name(), w)
		}
		if err := o.engine.writeTimes(s, rows[i].result); err != nil {
			return nil, err
		}
		o.engine.note(env, s.name(), rows[i].scope, rows[i].messages().Engine)
	}
	return rows, nil
}

// work returns how many references and events the simulations do.
func (o *replayOptions) work(sims []*simulation) (n uint64) {
	for _, s := range sims {
		of := func(t trace.Totals) uint64 { return t.Refs }
		if s.scope == replay.Messages {
			of = func(t trace.Totals) uint64 { return t.Events }
		}
		runs := uint64(1)
		if o.opt.Warm && s.scope != replay.Messages {
			runs = 2
		}
		n += runs * s.total(of)
	}
	return n
}
