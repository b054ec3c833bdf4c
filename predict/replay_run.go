package main

import (
	"context"
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/store"
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
		if err := o.engine.writeTimes(env, s, rows[i].result); err != nil {
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

// checkIdeal returns an error for flags that print other tables than --ideal.
func (o *replayOptions) checkIdeal() error {
	if o.ideal && (o.together || o.quanta.dir != "" || o.asked() || o.engine.stats) {
		return stage.Usage("--ideal adds columns to the results; omit --together, --quanta, --phases, --matrix, --path and --engine-stats")
	}
	return nil
}

// simulateIdeal runs each trace on the PRAMs with the processors of its machines, and adds the results to the rows.
func (o *replayOptions) simulateIdeal(ctx context.Context, sims []*simulation, rows []simulationRow) error {
	for _, s := range sims {
		if s.scope != replay.References {
			return fmt.Errorf("replaying %s: --ideal is for programs that share memory; this one passes messages, which a PRAM does not have", s.name())
		}
		if len(s.machine.OtherNodes) > 0 {
			return fmt.Errorf("replaying %s: --ideal needs processors of one kind; replay on a machine without [[node]]", s.name())
		}
	}
	type pram struct {
		prefix     string
		processors machine.Processor
		unit       machine.Latency
	}
	of := func(s *simulation) pram {
		ideal := s.machine.Ideal()
		return pram{s.prefix, ideal.Processor, ideal.Memory.Latency}
	}
	var different []*simulation // one for each PRAM
	at := map[pram]int{}
	for _, s := range sims {
		if _, known := at[of(s)]; !known {
			at[of(s)] = len(different)
			different = append(different, s)
		}
	}
	ideal, err := runAll(different, o.workers, func(s *simulation) (*replay.Result, error) {
		return replay.Simulate(ctx, s.trace, s.survey, s.machine.Ideal(), replay.Options{Scope: s.scope})
	})
	if err != nil {
		return err
	}
	for i, s := range sims {
		rows[i].ideal = ideal[at[of(s)]]
	}
	return nil
}

// idealColumns have the time on a PRAM, the ideal time of [sivasubramaniam1995, sec. 3.3], and divide the waiting of the
// processors for each other: the algorithm's own, as on the PRAM, and what the machine adds. The latter is negative where
// latencies take the place of waits.
func idealColumns(rows []simulationRow) []store.Column {
	waits := func(r *replay.Result) float64 {
		sum := 0.0
		for i := range r.Procs {
			sum += float64(r.Procs[i].Sync + r.Procs[i].End)
		}
		return sum / 1e12 / float64(len(r.Procs))
	}
	return []store.Column{
		store.ColumnOf(rows, "ideal_time", "s", func(r simulationRow) float64 { return float64(r.ideal.Time.Seconds()) }),
		store.ColumnOf(rows, "algorithm_wait", "s", func(r simulationRow) float64 { return waits(r.ideal) }),
		store.ColumnOf(rows, "machine_wait", "s", func(r simulationRow) float64 { return waits(r.result) - waits(r.ideal) }),
	}
}
