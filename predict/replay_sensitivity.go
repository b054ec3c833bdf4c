package main

import (
	"context"
	"fmt"
	"math"

	"spoor/calibrate/machine"
	"spoor/predict/internal/replay"
	"spoor/predict/internal/sensitivity"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// checkSensitivity returns an error for flags that print or measure something else than --sensitivity.
func (o *replayOptions) checkSensitivity() error {
	if o.sensitivity && (o.together || o.quanta.dir != "" || o.asked() || o.engine.stats || o.ideal || o.timeline != "" || o.engine.times != "") {
		return stage.Usage("--sensitivity prints a table of its own; omit --together, --quanta, --phases, --matrix, --path, --timeline, --engine-stats, --host-times and --ideal")
	}
	return nil
}

// varied is the sensitivity of a simulation to one cost.
type varied struct {
	*simulation
	begin unit.Picos // the time of the run on the machine itself
	title string
	sensitivity.Sensitivity
}

// printSensitivity simulates each run again with other costs, and prints how its time depends on them.
func (o *replayOptions) printSensitivity(ctx context.Context, env *stage.Env, sims []*simulation, rows []simulationRow) error {
	all, err := costsOf(env, sims, rows)
	if err != nil {
		return err
	}
	progress := env.Progress("varying costs", int64(len(all)), "costs")
	defer progress.Done()
	workers := o.workers
	if o.opt.Engine.Workers > 1 {
		workers = 1 // one simulation after the other, each by all workers
	}
	err = runEach(len(all), workers, func(i int) error {
		defer progress.Add(1)
		return o.vary(ctx, &all[i])
	})
	progress.Done()
	if err != nil {
		return err
	}
	for i := range all {
		if v := &all[i]; v.Limit != nil {
			env.Note("%s: %s: no value up to 1000 times is known at which the run is 5 %% slower: %v", v.name(), v.Key, v.Limit)
		}
	}
	table := sensitivityTable(all)
	if len(o.places) > 1 {
		table.Columns = append(table.Columns, store.ColumnOf(all, "map", "", func(v varied) string { return v.place.Map }))
	}
	if err := o.output.write("the sensitivities", table); err != nil {
		return err
	}
	return stage.Print(env.Out, o.output.format, table)
}

// costsOf lists the costs of the machine of each simulation.
func costsOf(env *stage.Env, sims []*simulation, rows []simulationRow) ([]varied, error) {
	var all []varied
	for i, s := range sims {
		if rows[i].result.Time == 0 {
			return nil, fmt.Errorf("replaying %s: --sensitivity: the run takes no time", s.name())
		}
		if len(s.machine.OtherNodes) > 0 {
			env.Note("%s: a cost is that of all kinds of nodes; its value is that of the first, and costs that the first lacks are left out", s.name())
		}
		for _, c := range s.machine.Costs() {
			all = append(all, varied{s, rows[i].result.Time, rows[i].title, sensitivity.Sensitivity{Cost: c}})
		}
	}
	return all, nil
}

// vary simulates a run with other values of one cost.
func (o *replayOptions) vary(ctx context.Context, v *varied) (err error) {
	opt := o.on(v.scope, v.trace.Header().Procs, &observed{}, nil)
	opt.Observer = nil
	v.Sensitivity, err = sensitivity.Of(v.machine, v.Cost, v.begin, func(m *machine.Machine) (unit.Picos, error) {
		res, err := replay.Simulate(ctx, v.trace, v.survey, m, opt)
		if err != nil {
			return 0, err
		}
		return res.Time, nil
	})
	if err != nil {
		return fmt.Errorf("replaying %s with another %s: %w", v.name(), v.Key, err)
	}
	return nil
}

// sensitivityTable has a row for each simulation and cost.
func sensitivityTable(rows []varied) *store.Table {
	return &store.Table{Name: "sensitivity", Meta: toolFacts(), Columns: []store.Column{
		store.ColumnOf(rows, "program", "", func(v varied) string { return v.title }),
		store.ColumnOf(rows, "machine", "", func(v varied) string { return v.machine.Name }),
		store.ColumnOf(rows, "key", "", func(v varied) string { return v.Key }),
		store.ColumnOf(rows, "value", "", func(v varied) string { return v.Value }),
		store.ColumnOf(rows, "larger", "%", func(v varied) float64 { return 100 * v.Sensitivity.Time }),
		store.ColumnOf(rows, "factor", "1", func(v varied) float64 {
			if math.IsInf(v.Factor, 1) {
				return 0
			}
			return v.Factor
		}),
		store.ColumnOf(rows, "slower_at", "", func(v varied) string { return v.At }),
	}}
}
