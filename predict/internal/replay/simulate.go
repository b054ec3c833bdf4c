package replay

import (
	"context"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Simulate replays src on m. s is the Scan of src; Simulate scans it itself if s is nil. The Scope of opt says what of the program is simulated.
//
// A trace without messages has the same result with Both as with References if it has no barriers, which are messages
// with Both. A trace without references has the same result with Both as with Messages.
func Simulate(ctx context.Context, src trace.Source, s *EventStats, m *machine.Machine, opt Options) (_ *Result, err error) {
	if s == nil {
		if s, err = Scan(src); err != nil {
			return nil, err
		}
	}
	opt = opt.On(m)
	switch opt.Scope {
	case References:
		clock, err := ClockOf(m)
		if err != nil {
			return nil, err
		}
		if m.System.Target == machine.WWT {
			return runWindows(ctx, src, s, m, clock, opt)
		}
		return runReferences(ctx, src, s, m, clock, opt)
	case Messages:
		return runMessages(ctx, src, s, m, opt)
	}
	return runBoth(ctx, src, s, m, opt)
}

// On returns the options with the defaults that depend on m.
func (o Options) On(m *machine.Machine) Options {
	if o.Collectives == "" && o.Semantics == SMPI {
		o.Collectives = comm.SMPI
	}
	if o.Collectives == "" {
		o.Collectives = comm.Doubling
	}
	o.Memory = memorySize(m)
	o.Looks = m.System.Target == machine.LogP
	return o
}

// memorySize returns the size of the memory of m, or 0 if it does not matter because clusters page.
func memorySize(m *machine.Machine) (size unit.Bytes) {
	if m.System.Target == machine.PRAM {
		return 0 // it has no lines that could be counted
	}
	if m.Disk != nil && m.System.Block != 0 {
		return 0
	}
	for i := range m.System.Nodes {
		size += m.Node(i).Memory.Size
	}
	return size
}
