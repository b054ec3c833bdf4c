// Package direct runs a program under the simulator of its machine [dickens1996, sec. 3]: what the
// program asks of time (clocks, tests, probes, receives from any source) gets simulated answers.
//
// Each rank is a coroutine that produces the operations of its time-line, which package engine
// simulates: computation takes its counted instructions, as in a replay. A rank runs ahead of its
// time-line, up to Options.Ahead operations, where time cannot tell what it goes on with: after
// sends, receives that are posted, and receives of a known sender and tag whose message has been
// sent. So the messages that the program sends itself are matched twice: when it runs, and when the
// engine says so. A receive that several messages could meet, and those posted while it waits, are
// matched by the engine alone. When everything that is asked for is known (nothing is sensitive to
// time), the result is that of a replay of the program's trace, to the picosecond.
//
// A probe is answered at once, before it is simulated, if its message is there: if it had come
// when the time-line was where the rank was asked for more, and no receive since has taken it. So is
// a test of a receive that had its message then. A clock may be lazy: spmd.Rank.Stamp.
//
// A test or a probe that finds nothing takes no time beyond its instructions.
//
// Programs that share memory instead of passing messages run on the memory systems of package memsys: see Memory. Those that do both: see Mixed.
//
// Differs: [dickens1996] runs the application in processes of their own, which deliver messages to
// each other; here the application and the simulator are one process, and no two ranks run at a time.
//
//   - [dickens1996] Phillip Dickens, Philip Heidelberger, David Nicol: Parallelized direct execution
//     simulation of message-passing parallel programs. IEEE Transactions on Parallel and
//     Distributed Systems 7(10), October 1996.
package direct

import (
	"context"
	"errors"

	"spoor/analyze/comm"
	"spoor/analyze/comm/topology"
	"spoor/calibrate/machine"
	"spoor/predict/engine"
	"spoor/predict/replay"
	"spoor/tracegen/spmd"
)

// DefaultAhead is how far ranks run ahead if nothing else is said.
const DefaultAhead = 64

// Options changes what Run does.
type Options struct {
	Procs       int
	Ahead       int              // operations that a rank may run ahead: F of [dickens1996]; 0 is DefaultAhead
	Semantics   replay.Semantics // the zero Semantics are replay.LogGPS
	Collectives comm.Algorithm   // of barriers in shared memory; if empty, comm.Doubling
	Observer    engine.Observer
	Sink        spmd.Sink // records the events of the program, with what it found; or nil
	Progress    func(n int)
}

// ErrTraffic is the error of machines that a program must run on twice.
var ErrTraffic = errors.New("network.gap = \"traffic\" needs the traffic of the whole run; record the program and replay the trace")

// Result is a simulated run.
type Result struct {
	*engine.Result
	Resumed  uint64 // how often a rank was let run
	Answered uint64 // tests and probes that were answered at once
	Warnings []error
}

// Run runs program on the processors and the network of m: rank p runs on processor p. The error
// is that of the program, a deadlock, or that it shares memory instead of passing messages.
func Run(ctx context.Context, program spmd.Program, m *machine.Machine, opt Options) (*Result, error) {
	if opt.Ahead == 0 {
		opt.Ahead = DefaultAhead
	}
	if opt.Collectives == "" {
		opt.Collectives = comm.Doubling
	}
	if err := m.Fits("the program has", opt.Procs); err != nil {
		return nil, err
	}
	if m.Network != nil && m.Network.GapFrom == machine.GapTraffic {
		return nil, ErrTraffic
	}
	model, err := replay.MessageModel(m, opt.Procs, opt.Semantics, func() []topology.Flow { return nil })
	if err != nil {
		return nil, err
	}
	b := &backend{opt: opt, machine: m, model: model}
	if _, err = spmd.Run(ctx, spmd.Options{Procs: opt.Procs, NoRefs: true}, program, b, opt.Sink); err != nil {
		return nil, err
	}
	if b.usesBarriers && !b.usesMessages {
		return nil, errors.New("the program has barriers and sends no messages; simulate it as a shared-memory program, with its references")
	}
	res := &Result{Result: b.result}
	for _, l := range b.timelines {
		res.Resumed += l.resumed
		res.Answered += l.answered
	}
	if err := replay.OverlapWarning(m, opt.Semantics, res.Result); err != nil {
		res.Warnings = append(res.Warnings, err)
	}
	return res, nil
}
