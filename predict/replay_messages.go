package main

import (
	"context"

	"spoor/predict/internal/replay"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// messageOutcome is the result of a simulation with messages.
type messageOutcome struct {
	*replay.MessageResult
	observed
}

// runMessages replays traces with messages.
func (o *replayOptions) runMessages(ctx context.Context, env *stage.Env, sims []*simulation) error {
	if o.messages.timeline != "" && len(sims) > 1 {
		return stage.Usage("--timeline needs one trace on one machine, not %d simulations", len(sims))
	}
	progress := env.Progress("replaying", int64(total(sims, func(t trace.Totals) uint64 { return t.Events })), "events")
	defer progress.Done()
	opt, workers := o.messages.opt, o.workers
	if opt.Engine = o.messages.engine.options(o.workers); opt.Engine.Workers > 1 {
		workers = 1 // one simulation after the other, each by all workers
	}
	outcomes, err := runAll(sims, workers, func(s *simulation) (out messageOutcome, err error) {
		opt := opt
		opt.Progress = progress.Add
		opt.Observer = o.messages.observe(s.trace.Header().Procs, &out.observed)
		out.MessageResult, err = replay.Messages(ctx, s.trace, s.survey, s.machine, opt)
		return out, err
	})
	if err != nil {
		return err
	}
	progress.Done()
	for i, s := range sims {
		for _, w := range outcomes[i].Warnings {
			env.Note("%s: %v", s.name(), w)
		}
		o.messages.engine.note(env, s.name(), outcomes[i].Engine)
	}
	return o.reportMessages(env, sims, outcomes)
}

func (o *replayOptions) reportMessages(env *stage.Env, sims []*simulation, outcomes []messageOutcome) error {
	var rows []messageRow
	for i, s := range sims {
		rows = append(rows, messageRow{s.trace.Header().Title(), s.trace.SHA256(), s.machine.Name, s.machine.Digest(), s.instructions(), outcomes[i].Result, outcomes[i].observed})
	}
	if err := o.messages.write(env, sims[0].trace, outcomes[0].times); err != nil {
		return err
	}
	table := o.messages.table(rows)
	if table == nil {
		table = messageTable(rows, &o.messages)
	}
	if err := o.output.write("the simulations", table); err != nil {
		return err
	}
	if o.messages.engine.stats {
		return stage.Print(env.Out, o.output.format, engineTable(rows))
	}
	return printMessages(env.Out, o.output.format, rows, table, &o.messages)
}
