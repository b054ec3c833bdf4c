package spmd

import (
	"context"

	"spoor/traces/trace"
)

// Rule says how Record decides the order between ranks; it belongs into the
// header of the trace.
const Rule = "one rank at a time: the one with the lowest clock (instructions executed and waited) runs on until it must wait; " +
	"at the same clock those that ask for locks come after others, and last those that take messages of any source, wait for one of several, " +
	"test, probe, wait for flags or read the clock, each by rank; " +
	"messages arrive when they are sent and are taken in the order of the sender's clock, its rank, and sending; " +
	"a failed test or iprobe waits 1 instruction, or if fewer than 64 were executed since the rank's previous one twice as many as that, up to 4096; " +
	"reading the clock waits 1 instruction"

// Options chooses what is recorded.
type Options struct {
	Procs     int
	NoRefs    bool // events and instruction counts only
	Allocated bool // references to what ranks allocate, too, not to named arrays alone
	Unplaced  bool // references to any memory

	// Early is for backends that simulate what ranks do to memory before they say how a rank goes on: barriers, locks, flags
	// and readings of the clock are recorded before they are carried out, and before operations of messages a Compute. When there is much, and by Rank.Flush at once,
	// the sink gets all events, and then all references, perhaps none. It may pause the rank while it has the references.
	Early bool

	// WholeCollectives records one event for each collective that a rank takes part
	// in, instead of the messages that it is made of. Its peer is the root, its group
	// the communicator's, its bytes and layout those of what the rank has combined or
	// broadcast, or gives to others (Gather, AllGather, AllToAll) or gets (Scatter).
	WholeCollectives bool
}

// Recording is what Record says of the whole run.
type Recording struct {
	Totals  []trace.Totals // by rank
	Regions []Region       // in the order of their first use
	Dropped uint64         // references to memory that Options leave out
}

// Record runs program on opt.Procs ranks and writes what they do to sink. The
// ranks are coroutines: the recording depends on the program alone.
//
// The machine is an ideal one. Every rank has a clock, the instructions it
// executed and those it waited; nothing but instructions takes time, so that a
// message arrives at the clock of its sender. What a rank waits for sets its clock
// to that of whoever brought it, if that is ahead: a receive to the clock of the
// send, a barrier to the highest clock of all, a lock to the clock at which it was
// given back, a flag to that of the signal that was still missing. Locks go to
// ranks in the order of their clocks when they ask, and a receive from any source
// takes the message that was sent first.
//
// A program that polls does not stop time: a Test or Iprobe that finds nothing
// waits one instruction, and if the rank had executed fewer than pollWindow since
// the failed one before, twice as long as that one, up to pollMost. So a program
// that does other work meanwhile is delayed little, and one that spins polls some
// thousand times for a billion instructions instead of a billion times. It notices
// what it waits for late by at most the time that it has spun, and pollMost.
//
// Events count instructions since the rank's previous event; the last event of
// every rank is a Compute that carries what remained.
func Record(ctx context.Context, opt Options, program Program, sink Sink) (*Recording, error) {
	return Run(ctx, opt, program, newScheduler(), sink)
}
