package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"spoor/calibrate/machine"
	"spoor/predict/internal/replay"
	"spoor/traces/merge"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// checkTogether reads the flags for so many jobs.
func (o *replayOptions) checkTogether(jobs int) error {
	switch {
	case !o.together && len(o.start) > 0:
		return stage.Usage("--start needs --together")
	case !o.together:
		return nil
	case o.place.Map == allMaps:
		return stage.Usage("--together needs one placement; give --map block, cyclic or a file")
	case o.full:
		return stage.Usage("--together runs on every machine with room; omit --full")
	case jobs < 2:
		return stage.Usage("--together needs two traces or more")
	case o.asked() || o.timeline != "" || o.quanta.dir != "" || o.opt.Warm || o.engine.stats || o.changed("engine"):
		return stage.Usage("--together prints jobs; omit --phases, --matrix, --path, --timeline, --quanta, --warm, --engine and --engine-stats")
	case len(o.start) > 0 && len(o.start) != jobs:
		return stage.Usage("--start has %s for %s; give one for each trace", stage.Count(len(o.start), "time"), stage.Count(jobs, "trace"))
	}
	o.starts = make([]unit.Picos, jobs)
	for i, text := range o.start {
		t, err := unit.Parse(text, "s")
		switch {
		case err != nil:
			return stage.Usage("--start: %v", err)
		case !(t >= 0 && t <= 1e6):
			return stage.Usage("--start %s is not from 0s to 1000000s", text)
		}
		o.starts[i] = unit.Seconds(t).Picos()
	}
	return nil
}

// jobs are traces that run at the same time on one machine.
type jobs struct {
	sims    []*simulation // of each
	first   []int         // processor of each, and the number of processors
	src     *merge.Joined
	machine *machine.Machine
	scope   replay.Scope
	without error // why references are not simulated, or nil
}

// runTogether runs all traces at the same time on each machine, and each of them alone, and prints a row for each job.
func (o *replayOptions) runTogether(ctx context.Context, env *stage.Env, sims []*simulation) error {
	var rows []simulationRow
	var numbers []int32
	var starts, alone, slowdown []float64
	for _, m := range machinesOf(sims) {
		j, err := o.jobsOn(env, slices.DeleteFunc(slices.Clone(sims), func(s *simulation) bool { return s.machine != m }))
		if err != nil {
			return err
		}
		all, err := o.simulateJobs(ctx, env, j)
		if err != nil {
			return err
		}
		for i, s := range j.sims {
			row := newRow(s.trace.Header().Title(), s.trace.SHA256(), j.machine, j.scope, all[0].Job(j.first[i], j.first[i+1]), s.instructions(), recordedTasks)
			single := all[1+i].Job(j.first[i], j.first[i+1]).Time
			rows = append(rows, row)
			numbers = append(numbers, int32(i))
			starts, alone = append(starts, float64(o.starts[i].Seconds())), append(alone, float64(single.Seconds()))
			slowdown = append(slowdown, float64(row.result.Time)/float64(max(1, single)))
		}
	}
	out := simulationReport{simulationFlags: &o.simulationFlags, output: o.output, extend: func(t *store.Table) {
		t.Columns = append(t.Columns, store.Column{Name: "job", Data: numbers}, store.Column{Name: "start", Unit: "s", Data: starts}, store.Column{Name: "alone", Unit: "s", Data: alone},
			store.Column{Name: "slowdown", Data: slowdown})
	}}
	return out.print(env.Out, rows)
}

// machinesOf returns the machines of simulations, in their order.
func machinesOf(sims []*simulation) (all []*machine.Machine) {
	for _, s := range sims {
		if !slices.Contains(all, s.machine) {
			all = append(all, s.machine)
		}
	}
	return all
}

// jobsOn joins the traces of simulations on one machine.
func (o *replayOptions) jobsOn(env *stage.Env, sims []*simulation) (*jobs, error) {
	j := &jobs{sims: sims, machine: sims[0].machine, first: []int{0}}
	var inputs []merge.Input
	var names []string
	for i, s := range sims {
		if i == 0 || s.scope == j.scope {
			j.scope = s.scope
		} else {
			j.scope = replay.Both
		}
		if s.without != nil && j.without == nil {
			j.without = s.without
		}
		j.first = append(j.first, j.first[i]+s.trace.Header().Procs)
		inputs = append(inputs, merge.Input{Source: s.trace, Name: s.prefix, SHA256: s.trace.SHA256()})
		names = append(names, s.prefix)
	}
	what := "replaying " + strings.Join(names, " and ") + " together"
	if err := j.machine.Fits("the traces have", j.first[len(sims)]); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if j.scope != replay.Messages {
		if err := needReferences(j.machine, what, j.scope); err != nil {
			return nil, err
		}
	}
	var err error
	if j.machine, err = o.placed(env, o.place, j.machine, j.first[len(sims)], what); err != nil {
		return nil, err
	}
	if j.src, err = merge.Join(inputs, true); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return j, nil
}

// simulateJobs runs all jobs together, and then each alone on the same processors.
func (o *replayOptions) simulateJobs(ctx context.Context, env *stage.Env, j *jobs) ([]*replay.Result, error) {
	procs := j.first[len(j.sims)]
	sources := []trace.Source{j.src}
	for i := range j.sims {
		sources = append(sources, only{j.src, trace.Proc(j.first[i]), trace.Proc(j.first[i+1])})
	}
	results := make([]*replay.Result, len(sources))
	err := runEach(len(sources), o.workers, func(i int) error {
		opt := o.on(j.scope, procs, &observed{}, nil)
		opt.Without = j.without
		if i == 0 {
			opt.Starts = make([]unit.Picos, procs)
			for k, start := range o.starts {
				for p := j.first[k]; p < j.first[k+1]; p++ {
					opt.Starts[p] = start
				}
			}
		}
		survey, err := replay.Scan(sources[i])
		if err != nil {
			return err
		}
		results[i], err = replay.Simulate(ctx, sources[i], survey, j.machine, opt)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("replaying jobs together on %s: %w", j.machine.Name, err)
	}
	for _, w := range results[0].Warnings {
		env.Note("%s: %v", j.machine.Name, w)
	}
	return results, nil
}

// only is a trace in which only some processors do anything.
type only struct {
	*merge.Joined
	from, to trace.Proc
}

// Refs implements trace.Source.
func (o only) Refs(procs ...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return selected(o, procs, o.Joined.Refs)
}

// Events implements trace.Source.
func (o only) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
	return selected(o, procs, o.Joined.Events)
}

// selected yields batches of the processors of o among procs, or of all of them.
func selected[B any](o only, procs []trace.Proc, of func(...trace.Proc) iter.Seq2[*B, error]) iter.Seq2[*B, error] {
	if len(procs) == 0 {
		for p := o.from; p < o.to; p++ {
			procs = append(procs, p)
		}
	}
	procs = slices.DeleteFunc(slices.Clone(procs), func(p trace.Proc) bool { return p < o.from || p >= o.to })
	if len(procs) == 0 {
		return func(func(*B, error) bool) {}
	}
	return of(procs...)
}
