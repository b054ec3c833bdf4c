package replay

import (
	"context"
	"fmt"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/layer"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// runReferences replays src on the memory system of m. If the gap of m's network depends on the program's traffic, it
// replays src twice. The first run uses the gap of the bisection and counts the traffic. This is the future work of
// [sivasubramaniam1995, sec. 7], which proposes to use the history of the execution.
//
// Differs: the traffic of the two runs is not exactly the same if the gap changes the order of locks or of first
// touches.
func runReferences(ctx context.Context, src trace.Source, s *EventStats, m *machine.Machine, clock Clock, opt Options) (_ *Result, err error) {
	if opt.Clocks, err = ClocksOf(m); err != nil {
		return nil, err
	}
	if !memsys.NeedsTraffic(m) {
		return runOnSystem(ctx, src, s, m, clock, opt)
	}
	sys, flows, err := memsys.NewCountingTraffic(m, trace.NewHomeMap(src.Header()))
	if err != nil {
		return nil, err
	}
	first := opt
	first.Progress, first.Observer = nil, nil
	res, err := runOn(ctx, src, s, sys, clock, first)
	if err != nil || len(flows()) == 0 && opt.Observer == nil {
		return res, err
	}
	if res, err = runOnSystem(ctx, src, s, m, clock, opt, flows()...); err != nil {
		return nil, err
	}
	res.Warnings = append(res.Warnings, TrafficWarning(res, flows()))
	return res, nil
}

// TrafficWarning returns the warning that the gap of a run was computed from the traffic of another run.
func TrafficWarning(res *Result, first []comm.Flow) error {
	messages, bytes := uint64(0), uint64(0)
	for _, f := range first {
		messages, bytes = messages+f.Messages, bytes+f.Bytes
	}
	return fmt.Errorf("the gap of the network is computed from a first run with the gap of the bisection, which sent %d messages of %v; "+
		"this run sent %d", messages, unit.Bytes(bytes), res.Shared.Messages)
}

// runOnSystem replays src on a new system; twice if opt.Warm.
func runOnSystem(ctx context.Context, src trace.Source, s *EventStats, m *machine.Machine, clock Clock, opt Options, traffic ...comm.Flow) (*Result, error) {
	sys, err := memsys.New(m, src.Header(), traffic...)
	if err != nil {
		return nil, err
	}
	if !opt.Warm {
		return runOn(ctx, src, s, sys, clock, opt)
	}
	first, err := runOn(ctx, src, s, sys, clock, Options{Clocks: opt.Clocks, Barrier: opt.Barrier, Looks: opt.Looks, Progress: opt.Progress})
	if err != nil {
		return nil, fmt.Errorf("in the warm-up run: %w", err)
	}
	if err := first.errTooLong(); err != nil {
		return nil, err
	}
	sys, _ = layer.Warm(sys, first.Time, src.Header().Procs)
	return runOn(ctx, src, s, sys, clock, opt)
}

// errTooLong returns an error if a warm-up run takes too long for a second run after it.
func (r *Result) errTooLong() error {
	if r.Time >= horizon/4 || r.Shared.End >= horizon/4 {
		return fmt.Errorf("the warm-up run takes %v, which is too long for a second run", r.Time)
	}
	return nil
}
