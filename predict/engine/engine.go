// Package engine simulates message-passing programs as discrete events in order of simulated time. The engine knows
// time, order and matching. A Model gives the cost of messages, and a Program gives the operations of a rank.
//
// # Messages
//
// A message of s bytes (a message without bytes counts as one byte) is sent in LogGP [alexandrov1995] as follows:
//
//	the sender's processor is busy for o_s
//	the message leaves when its sender's port is free; the port is free again g + (s-1) G later
//	its first byte is at the receiver L later
//	its last byte comes (s-1) G after the first; the receiver takes up the next first byte g after this one
//	the receiver's processor is busy for o_r when it takes the message
//
// The message takes o_s + L + (s-1) G + o_r if nothing waits. Before its o_s, the processor of a Send waits until the
// port is free when o_s is over. An Isend leaves this waiting to the interface, and its processor goes on.
//
// Messages of more than S bytes use the rendezvous protocol of LogGPS [ino2001]. The sender sends a request (RTS,
// request to send). When the receive is posted, the receiver answers (CTS, clear to send). Then the data leaves. Each
// of the three packets takes o_s + L + o_r. Only the first o_s and the last o_r occupy the ranks' processors. The
// send ends when the last byte has left.
//
// With Model.ReceiverPort, a message also holds the port of its receiver for g + (s-1) G. Without it, as in all of
// the LogP family, messages from several senders arrive at a receiver at the same time, each at the full bandwidth.
//
// In PLogP [kielmann2000], o_s, o_r and g depend on the message's size (Model.Sizes). Let l be the least of L + g(m)
// - o_r(m) over all sizes m. A message of s bytes is sent as follows:
//
//	the sender's processor begins when its port is free, and is busy for o_s(s); the port is free again g(s) after that begin
//	the first byte is at the receiver l after that begin
//	the last byte comes L + g(s) - o_r(s) - l after the first, or with it; the next first byte is taken up g(s) after this one
//	the receiver's processor is busy for o_r(s) when it takes the message
//
// The message takes L + g(s) if nothing waits. This equals LogGP if o_s and o_r are the same for all sizes and g(s)
// is g + (s-1) G. In addition, bytes must hold the receiver's port, and L must be LogGP's L + o_s + o_r - g. The RTS
// and CTS packets are messages without bytes.
//
// Posting a receive takes no time, as in LogGOPSim. The receiver pays o_r when it takes the message, whatever
// operation requests it.
//
// A message of a rank to itself takes o_s and o_r only. Every other effect comes at least one picosecond after its
// cause.
//
// The semantics of LogGOPSim [hoefler2010] differ: see Model.LogGOPSim.
//
// # Matching
//
// A message is matched when its first byte comes. It goes to the receive that was posted first among those that
// select it by sender, tag and group. Messages without a receive wait in the order of arrival. A new receive takes
// the first of them that it selects. Messages of one sender to one receiver arrive in the order in which they were
// sent.
//
// # Order
//
// Each rank is simulated separately. Its next action is a function of its program and of the messages that arrived.
// Messages are ordered by the time of their first bytes, ties by sender and sequence number. A message that comes at
// time t is visible to what the program does at time t. Ranks affect each other only through messages, and each
// message comes at least Model.Lookahead after its cause. So every driver that gives a rank its messages before the
// rank passes their times computes the same result, bit for bit. There are two drivers. One simulates windows of the
// length of the lookahead. The other, for a lookahead near 0 and for shared networks of links, simulates one rank
// after the other in the order of their next events. Some programs run ahead of the window: those with only eager
// messages, in LogGP, without an observer. See run_ahead.go.
//
// # Workers
//
// Each of several workers has some of the ranks and simulates them in windows. The Protocol decides how far workers
// go before they synchronize at a barrier and exchange messages. With Quantum, this is a fixed window. Whoa
// [dickens1996] is window-based halting on appointments. It uses the operations that programs give in advance of
// their simulation, at most F. In a window from t to
//
//	w(t) = B + min(L_min, R_min + S_min)
//
// every message from worker to worker is known. B is the lookahead. L is a lower bound on the time at which a running
// rank has done its known operations. S is the time that a blocked rank needs for its known operations after its
// release, and R is a lower bound on its release. Each message to another worker is an appointment: the rank sends it
// no sooner than it can have done its earlier operations. The halting time of a worker is the first appointment that
// other workers have with it. The worker simulates up to its halting time without synchronizing. While a rank is
// blocked, its appointments move to later times.
//
// Differs: the paper's simulators send each other messages to update appointments. Our workers meet at a barrier and
// compute all appointments and halting times anew. So the number of appointments depends on the program and not on
// the timing of the host.
//
// Differs: if many ranks acted since the last barrier, computing their bounds takes longer than another barrier. Then
// workers go on for one lookahead, as with Quantum, up to w(t). If F is not given, workers stop looking ahead for
// some time if that takes longer than the barriers that it saves. An example is many ranks per worker. Their windows
// then have the length of the lookahead, as in YAWNS [nicol1993], and messages in them are no appointments. With a
// given F, workers do neither.
//
// Differs: B includes the latency, because the bound is on the time at which a receiver notices a message. For
// rendezvous messages, whose receivers answer, the only bound is that an answer takes the lookahead. Operation graphs
// and nonblocking collectives give no lookahead.
//
// Differs: a processor that is shared by several operations (of a graph, or a nonblocking collective) does them one
// after the other, each to its end. Their order is that in which they could begin.
//
//   - [alexandrov1995] Albert Alexandrov, Mihai Ionescu, Klaus Schauser, Chris Scheiman: LogGP:
//     Incorporating long messages into the LogP model. SPAA 1995.
//   - [ino2001] Fumihiko Ino, Noriyuki Fujimoto, Kenichi Hagihara: LogGPS: a parallel
//     computational model for synchronization analysis. PPoPP 2001.
//   - [hoefler2010] Torsten Hoefler, Timo Schneider, Andrew Lumsdaine: LogGOPSim: simulating
//     large-scale applications in the LogGOPS model. HPDC 2010.
//   - [kielmann2000] Thilo Kielmann, Henri Bal, Kees Verstoep: Fast measurement of LogP parameters for
//     message passing platforms. IPDPS 2000 Workshops.
//   - [nicol1993] David Nicol: The cost of conservative synchronization in parallel discrete event
//     simulations. JACM 40(2), 1993.
//   - [dickens1996] Phillip Dickens, Philip Heidelberger, David Nicol: Parallelized direct execution
//     simulation of message-passing parallel programs. IEEE TPDS 7(10), 1996.
package engine

import (
	"context"

	"spoor/traces/unit"
)

// Horizon is the simulated time that no run may reach: 53 days. It leaves room for the sum of any two durations.
const Horizon = unit.Picos(1) << 62

// maxDuration bounds each duration that a program or a message adds.
const maxDuration = Horizon / 4

// never is later than all events.
const never = unit.Picos(1)<<62 + 1

// None stands for any peer or tag, and for no request.
const None int32 = -1

// Kind is the kind of an operation.
type Kind uint8

// The kinds of operations. The zero Kind is not legal.
const (
	Compute    Kind = 1 + iota // Work only
	Send                       // ends when the message has been handed over; a rendezvous message, when it has left
	Isend                      // a Send that opens a request
	Recv                       // ends when the message is there
	Irecv                      // a Recv that opens a request
	Wait                       // waits until a request has ended
	Probe                      // waits until a message is there, and leaves it there
	Collective                 // exchanges the messages of Options.Steps

	// Operations of a directly executed program. Options.Direct receives their answers.
	Test         // asks whether a request has ended, and if so closes it
	Iprobe       // asks whether a message is there
	Clock        // asks for the time
	AddToWaitAny // adds a request to those of the next WaitAny
	WaitAny      // waits until the first of several requests has ended

	// until Options.CoSimulator resumes the rank; begins when the operation before it ends, so it must be first or
	// alone
	Suspended
)

// Op is an operation of a rank.
type Op struct {
	Work  unit.Picos // computation before it
	Extra unit.Picos // overhead beyond o_s or o_r, for copying a buffer
	// size of a sent message; for a receive, its capacity, or 0 for any; with Options.Direct, the mark of each
	// operation but sends
	Bytes        int64
	Peer         int32 // for a receive or probe, None means any
	Tag          int32 // for a receive or probe, None means any
	Group        int32 // messages and receives match within a group
	Request      int32 // that it opens or waits for; or None
	Kind         Kind
	IgnoreClosed bool // a Wait ends at once if its request is not open
	// Sensitive means that the following operations depend on when or how this one ends [dickens1996, "sensitive
	// calls"]. Next is not called before it ends.
	Sensitive bool
}

// Step is a message of a collective that a rank sends or receives. A rank does its steps round by round. It posts the
// receives of a round, sends, and goes on when all messages of the round have arrived and left.
type Step struct {
	Bytes int64
	Round int32
	Peer  int32
	Send  bool
}

// Program is the program of one rank.
type Program struct {
	// Next returns the next operations; none at the end. They are valid until the next call. Next may be called
	// before these operations have ended, except if the last of them is Sensitive or if there is an Options.Direct.
	// With several workers, the Nexts of several ranks are called concurrently.
	Next func() (Ops, error)
	// Graph gives the operations that each operation needs to have ended; nil means the operation before it.
	Graph *Graph
}

// Graph holds the needs of operation i in Rows, from Starts[i] to Starts[i+1].
type Graph struct {
	Starts []int64
	Rows   []int32
}

// Options are the inputs of a run besides the programs.
type Options struct {
	Model Model
	// Steps returns the steps of a rank in a collective, ordered by round. The caller may share them; the engine does
	// not change them.
	Steps       func(rank int32, op *Op) ([]Step, error)
	Observer    Observer      // or nil
	Direct      DirectProgram // or nil
	CoSimulator CoSimulator   // or nil; a run with it has one worker
	Progress    func(ops int)
	Protocol    Protocol   // of several workers
	Workers     int        // 0 means one; at most the number of ranks
	Quantum     unit.Picos // at most the lookahead; 0 means the lookahead
	Ahead       int        // F, the number of operations that Whoa looks ahead; 0 means DefaultAhead where that pays

	adaptive bool // F is not given, so workers may switch looking ahead off
}

// Run simulates the programs of ranks 0, 1, ... It returns the error of a program, a *Deadlock, or a *Leftover.
func Run(ctx context.Context, programs []Program, opt Options) (*Result, error) {
	drivers, err := driversFor(&opt, len(programs))
	if err != nil {
		return nil, err
	}
	return drive(ctx, programs, opt, drivers...)
}

// drive simulates the programs with one worker for each driver.
func drive(ctx context.Context, programs []Program, opt Options, drivers ...driver) (*Result, error) {
	if err := opt.Model.check(); err != nil {
		return nil, err
	}
	if err := errCoSimulator(&opt, programs); err != nil {
		return nil, err
	}
	if len(drivers) > 1 {
		opt = withLocks(opt)
	}
	engines := newEngines(ctx, len(programs), opt, drivers)
	if opt.CoSimulator != nil {
		opt.CoSimulator.Open(engines[0].resume)
	}
	for i := range programs {
		r := &engines[0].ranks[i]
		if r.start(programs[i]); r.e.failed != nil {
			return nil, r.e.failed.err
		}
		r.updateNext(never, r.programTime())
		r.e.driver.add(r)
	}
	all := workers{Stats: Stats{Protocol: opt.Protocol, Workers: len(engines)}, engines: engines}
	for _, finish := range []func() error{all.run, all.drainBlocked, all.checkHorizon, all.drainArrivals, all.checkFinished} {
		if err := finish(); err != nil {
			return nil, err
		}
	}
	return all.result(), nil
}

// engine is the state of a worker. The worker owns the ranks from first to before end.
type engine struct {
	Model
	ctx               context.Context
	opt               Options
	obs               Observer
	direct            DirectProgram
	fast              bool   // the fast path applies: see canRunFast
	ranks             []rank // of all workers
	first             int32
	end               int32
	number            int
	driver            driver
	packets           pool[packet]
	pendingOps        pool[pendingOp]
	lookahead         unit.Picos
	now               unit.Picos // time of the present event
	limit             unit.Picos // until which the active rank knows all messages
	settledUntil      unit.Picos // everything before this is simulated, if there are other workers
	active            int32
	aheadLeft         int // operations that the active rank may still run ahead of the limit
	failed            *failure
	flights           []unit.Picos          // of packets, if Model.usesLinks
	causes            causes                // if there is an Observer
	pairs             map[uint64]unit.Picos // when the last message between two ranks came, if Model.usesLinks
	transfers         transferTable         // if Model.Shared
	ops               uint64
	reported          uint64
	reused            uint64 // requests that were opened again while they were open
	truncations       Truncations
	received          ReceivedMessage // scratch value for the observer
	outbox            outbox
	lookaheads        *lookaheads // if Whoa
	rendezvousPending int         // rendezvous messages without an answer
	appointments      uint64
}

// newEngines divides the ranks among the drivers.
func newEngines(ctx context.Context, n int, opt Options, drivers []driver) (all []*engine) {
	ranks := make([]rank, n)
	for i, d := range drivers {
		e := &engine{Model: opt.Model, ctx: ctx, opt: opt, obs: opt.Observer, direct: opt.Direct, ranks: ranks, lookahead: opt.Model.Lookahead(), driver: d,
			number: i, first: int32(i * n / len(drivers)), end: int32((i + 1) * n / len(drivers))}
		e.fast = e.canRunFast()
		e.packets.items, e.pendingOps.items = make([]packet, 1), make([]pendingOp, 1) // index 0 stands for none
		if e.usesLinks() {
			e.pairs, e.transfers.last = map[uint64]unit.Picos{}, map[uint64]int32{}
			e.transfers.all.items = make([]transfer, 1)
		}
		if e.obs != nil && e.Net != nil {
			e.Net.TrackBlocking()
		}
		if e.obs != nil {
			e.causes.out, e.causes.in = make([]Cause, n), make([]Cause, n)
			e.causes.pairs = map[uint64]Cause{}
		}
		for r := e.first; r < e.end; r++ {
			ranks[r].e, ranks[r].id = e, r
		}
		all = append(all, e)
	}
	return all
}

// checkpoint reports progress and returns the error of the context. Drivers call it from time to time.
func (e *engine) checkpoint() error {
	if e.opt.Progress != nil {
		e.opt.Progress(int(e.ops - e.reported))
		e.reported = e.ops
	}
	return e.ctx.Err()
}
