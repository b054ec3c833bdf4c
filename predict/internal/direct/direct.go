// Package direct executes a program under the simulator of its machine: direct-execution simulation [dickens1996,
// sec. 3]. Operations whose result depends on time (clocks, tests, probes, receives from any source) get simulated
// answers.
//
// Each rank is a coroutine that produces the operations of its time-line. Package engine simulates them; computation
// takes its counted instructions, as in a replay. A rank runs ahead of its simulated time, up to Options.Ahead
// operations, as long as its next operations do not depend on time. That is the case after sends, posted receives,
// and receives of a known sender and tag whose message has been sent. So messages are matched twice: when the program
// runs, and by the engine. Only the engine matches a receive that several messages could match, and receives posted
// while such a receive waits. If no result depends on time, the simulated times equal those of a replay of the
// program's trace, to the picosecond.
//
// A probe is answered at once, before it is simulated, if its message is there. The message must have arrived by the
// time at which the rank last resumed, and no later receive may have taken it. A test of a receive with such a
// message is also answered at once. A clock may be lazy: see spmd.Rank.Stamp.
//
// An unsuccessful test or probe takes no time except for its instructions.
//
// Programs that share memory instead of passing messages run on the memory systems of package memsys: see runReferences. For
// programs that do both, see runBoth.
//
// Several workers of package engine run ranks at the same time: see mail. A worker simulates its ranks and runs their
// programs, and those of other workers' ranks while it would wait. Some workers may only run programs. So the
// application runs at the same time as the simulator and as itself. With Whoa, a rank goes on before its operations
// have been simulated where what it does next does not depend on time: see ready.
//
// Differs: [dickens1996] runs the application in processes of their own, which send each other messages. Here ranks are
// coroutines that any worker runs. Messages between workers are seen at the next barrier, and those between ranks of one
// worker when no rank of it runs.
package direct

import (
	"context"
	"errors"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/replay"
	"spoor/tracegen/spmd"
)

// DefaultAhead is the default of Options.Ahead.
const DefaultAhead = 64

// Options are the options of Simulate.
type Options struct {
	replay.Options
	Procs     int
	Ahead     int         // operations that a rank may run ahead, F of [dickens1996]; 0 is DefaultAhead; only of messages
	Allocated bool        // also references to memory that ranks allocate, not only to named arrays
	Sink      spmd.Sink   // receives the events and references of the program with their results; or nil
	Traffic   []comm.Flow // of a first run, for a gap that depends on it
}

// ErrTraffic is the error for machines whose gap needs a first run of the program.
var ErrTraffic = errors.New("network.gap = \"traffic\" needs the traffic of the whole run; record the program and replay the trace")

// Result is a simulated run.
type Result struct {
	*replay.Result
	Recording *spmd.Recording
	Traffic   []comm.Flow // between nodes, if the network's gap needs it and Options.Traffic was not given
	Resumed   uint64      // how often ranks were resumed, of messages
	Answered  uint64      // tests and probes that were answered at once
}

// Simulate executes program on m. Rank p runs on processor p. The Scope of opt says what of the program is simulated.
// References need the form of the program that records them. Simulate returns the error of the program, a deadlock, or
// ErrSharesMemory or ErrMessages if the Scope leaves out what the program does.
func Simulate(ctx context.Context, program spmd.Program, m *machine.Machine, opt Options) (*Result, error) {
	if err := m.Fits("the program has", opt.Procs); err != nil {
		return nil, err
	}
	opt.Options = opt.On(m)
	switch opt.Scope {
	case replay.References:
		return runReferences(ctx, program, m, opt)
	case replay.Messages:
		return runMessages(ctx, program, m, opt)
	}
	return runBoth(ctx, program, m, opt)
}

// runMessages executes a program that passes messages on the processors and the network of m.
func runMessages(ctx context.Context, program spmd.Program, m *machine.Machine, opt Options) (*Result, error) {
	if opt.Ahead == 0 {
		opt.Ahead = DefaultAhead
	}
	if m.Network != nil && m.Network.GapFrom == machine.GapTraffic {
		return nil, ErrTraffic
	}
	model, err := replay.MessageModel(m, opt.Procs, opt.Semantics, func() []comm.Flow { return nil })
	if err != nil {
		return nil, err
	}
	if opt.Engine.Protocol == outcome.Whoa {
		opt.Engine.Ahead = opt.Ahead
	}
	b := &backend{opt: opt, machine: m, model: model}
	recording, err := spmd.Run(ctx, spmd.Options{Procs: opt.Procs, NoRefs: true}, program, b, opt.Sink)
	if err != nil {
		return nil, err
	}
	usesMessages, usesBarriers := false, false
	for _, l := range b.timelines {
		usesMessages, usesBarriers = usesMessages || l.usesMessages, usesBarriers || l.usesBarriers
	}
	if usesBarriers && !usesMessages {
		return nil, errors.New("the program has barriers and sends no messages; simulate it as a shared-memory program, with its references")
	}
	res := &Result{Result: replay.OfMessages(b.result, replay.NetworkWarnings(m, &model, b.result)), Recording: recording}
	for _, l := range b.timelines {
		res.Resumed += l.resumed
		res.Answered += l.answered
	}
	return res, nil
}
