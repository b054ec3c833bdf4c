package replay

import (
	"context"
	"errors"

	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/forkjoin"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// runStages simulates messages in the form of schedules of LogGOPSim, which is several times as fast as package engine. It returns nil if
// package engine must simulate them, or finds an error in them.
func (r *messageRun) runStages(ctx context.Context, opt *engine.Options) (*outcome.Result, error) {
	stages := r.stats.stages
	if stages == nil || opt.Observer != nil || opt.Workers > 1 || opt.Application > 0 || r.opt.Starts != nil || r.opt.Recorded ||
		r.rates[0].gamma > 0 || r.stats.longest > r.maxBytes || !forkjoin.Simulates(&opt.Model, stages) {
		return nil, nil
	}
	durations, err := r.durations(stages.Work())
	if err != nil {
		return nil, nil
	}
	res, err := stages.Run(ctx, &opt.Model, durations, opt.Progress)
	if errors.Is(err, forkjoin.ErrStuck) {
		return nil, nil
	}
	return res, err
}

// durations returns the times of computations.
func (r *messageRun) durations(all []forkjoin.Work) ([]unit.Picos, error) {
	durations := make([]unit.Picos, len(all))
	var in eventConverter
	for i, w := range all {
		if p := trace.Proc(w.Rank); in.messageRun == nil || in.proc != p {
			in = r.newEventConverter(p)
		}
		var err error
		if durations[i], err = in.work(&trace.Event{Kind: trace.Compute, Work: w.Amount, Instr: w.Instr}); err != nil {
			return nil, err
		}
	}
	return durations, nil
}
