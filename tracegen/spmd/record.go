package spmd

import (
	"context"

	"spoor/traces/trace"
)

// Rule describes how Record orders the ranks. It belongs in the header of the trace.
const Rule = "one rank at a time: the one with the lowest clock (instructions executed and waited) runs on until it must wait; " +
	"at the same clock those that ask for locks come after others, and last those that take messages of any source, wait for one of several, " +
	"test, probe, wait for flags or read the clock, each by rank; " +
	"messages arrive when they are sent and are taken in the order of the sender's clock, its rank, and sending; " +
	"a failed test or iprobe waits 1 instruction, or if fewer than 64 were executed since the rank's previous one twice as many as that, up to 4096; " +
	"reading the clock waits 1 instruction"

// Options selects what is recorded.
type Options struct {
	Procs     int
	NoRefs    bool // events and instruction counts only
	Allocated bool // also references to memory that ranks allocate, not only to named arrays
	Unplaced  bool // also references to any other memory

	// Early is for backends that simulate a rank's references before they decide how the rank continues. Barriers,
	// locks, flags and readings of the clock are recorded before they are carried out. A Compute is recorded before
	// each message operation. When much has been recorded, and on Rank.Flush, the sink gets all events, then all
	// references, perhaps none. The sink may pause the rank while it has the references.
	Early bool

	// WholeCollectives records each collective of a rank as one event instead of its messages. Peer is the root and
	// Group the communicator's group. Bytes and layout describe the data that the rank combines or broadcasts,
	// sends (Gather, AllGather, AllToAll) or receives (Scatter).
	WholeCollectives bool
}

// Recording describes a whole run.
type Recording struct {
	Totals  []trace.Totals // by rank
	Regions []Region       // in the order of their first use
	Dropped uint64         // references that Options exclude
	Outside uint64         // estimate of the instructions of called code that does not count itself
}

// Record runs program on opt.Procs ranks and writes their operations to sink. The ranks are coroutines: the
// recording depends on the program alone.
//
// The machine is an ideal one. Every rank has a clock: the instructions that it executed plus those that it waited.
// Only instructions take time, so a message arrives at the clock of its sender. A wait sets the rank's clock to one of
// these clocks, if it is later:
//
//   - for a receive, that of the send;
//   - for a barrier, the highest of all ranks;
//   - for a lock, that of the unlock;
//   - for a flag, that of the last missing signal.
//
// Locks are granted in the order of the clocks at which ranks ask. A receive from any source takes the message that
// was sent first.
//
// Time passes for a program that polls. A Test or Iprobe that finds nothing waits one instruction. If the rank
// executed fewer than pollWindow instructions since its previous failed poll, it waits twice as long as that one
// did, up to maxPollWait. Therefore a program that does other work between polls is delayed little. A program that
// only polls needs some thousand polls for a billion instructions, instead of a billion. It detects the awaited
// event late, by at most the time that it has polled, and at most maxPollWait.
//
// Events count the instructions since the rank's previous event. The last event of every rank is a Compute with the
// remaining instructions.
func Record(ctx context.Context, opt Options, program Program, sink Sink) (*Recording, error) {
	return Run(ctx, opt, program, newScheduler(), sink)
}
