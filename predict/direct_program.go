package main

import (
	"context"
	"errors"

	"spoor/calibrate/machine"
	"spoor/predict/internal/direct"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/replay"
	"spoor/traces/trace"
)

// directProgram is a program that runs on this host, simulated or not.
type directProgram interface {
	header() trace.Header
	// kind returns which of the following three can run the program. If the program does both, kind may return only one of them.
	// That simulation then ends with an error for which isBoth is true.
	kind(ctx context.Context) (simulationKind, error)
	// simulateMemory runs it on the memory system of m.
	simulateMemory(ctx context.Context, m target, opt direct.MemoryOptions) (simulatedMemory, error)
	// simulateMixed runs it on the processors, the memory system and the network of m.
	simulateMixed(ctx context.Context, m target, opt direct.MemoryOptions) (simulatedMixed, error)
	// simulate runs the program on the processors and the network of m.
	simulate(ctx context.Context, m target, opt direct.Options) (simulated, error)
	// native runs it at full speed.
	native(ctx context.Context) (hostRun, error)
	// remove removes temporary files.
	remove() error
}

// target is a machine and its file.
type target struct {
	*machine.Machine
	file string
}

// simulated is the result of a simulation, with the seconds that it took on this host.
type simulated struct {
	result   *engine.Result
	warnings []error
	seconds  float64
}

// inMemory is the result of simulating a program that uses memory, with the seconds that it took on this host.
type inMemory[R any] struct {
	result  R
	dropped uint64 // references of an own program to memory without an address
	seconds float64
}

// simulatedMemory is a simulation of a program that shares memory.
type simulatedMemory = inMemory[*replay.Result]

// simulatedMixed is a simulation of a program that shares memory and passes messages.
type simulatedMixed = inMemory[*replay.MixedResult]

// isBoth reports whether a simulation ended because the program shares memory and passes messages.
func isBoth(err error) bool {
	return errors.Is(err, direct.ErrSharesMemory) || errors.Is(err, direct.ErrMessages)
}

// hostRun is one run of a program at full speed.
type hostRun struct {
	seconds  float64
	computed float64 // mean over ranks of the seconds outside of operations
}
