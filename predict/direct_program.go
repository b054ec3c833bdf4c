package main

import (
	"context"
	"errors"

	"spoor/calibrate/machine"
	"spoor/predict/internal/direct"
	"spoor/predict/internal/replay"
	"spoor/traces/trace"
)

// directProgram is a program that runs on this host, simulated or not.
type directProgram interface {
	header() trace.Header
	// scope returns what a simulation of the program covers without --references. If the program does both, scope may
	// return only one of them. The simulation then ends with an error for which isBoth is true.
	scope(ctx context.Context) (replay.Scope, error)
	// simulate runs the program on m.
	simulate(ctx context.Context, m target, opt direct.Options) (simulated, error)
	// native runs it at full speed.
	native(ctx context.Context) (hostRun, error)
	// remove removes temporary files.
	remove() error
}

// target is a machine and its file.
type target struct {
	*machine.Machine
	file      string
	placement string // of its ranks, with --map
}

// simulated is the result of a simulation, with the seconds that it took on this host.
type simulated struct {
	result  *replay.Result
	dropped uint64 // references of an own program to memory without an address
	seconds float64
}

// isBoth reports whether a simulation ended because the program shares memory and passes messages.
func isBoth(err error) bool {
	return errors.Is(err, direct.ErrSharesMemory) || errors.Is(err, direct.ErrMessages)
}

// hostRun is one run of a program at full speed.
type hostRun struct {
	seconds  float64
	computed float64 // mean over ranks of the seconds outside of operations
}
