// Package engine simulates programs that pass messages: discrete events in order of time. It
// knows time and order, what is posted and what has come; Model says what messages cost, and a
// Program what a rank does.
//
// # Messages
//
// A message of s bytes, if none as of one, is sent in LogGP [alexandrov1995] as
//
//	the sender's processor is busy for o_s
//	the message leaves, when its sender's port is free; the port is free again g + (s-1) G later
//	its first byte is at the receiver L later
//	its last byte comes (s-1) G after the first, and the next first byte is taken up g after this one
//	the receiver's processor is busy for o_r, when it takes the message
//
// so that it takes o_s + L + (s-1) G + o_r if nobody waits. The processor of a Send waits, before
// its o_s, for the port to be free after it; an Isend leaves that to the interface and lets its
// processor go on. Of more than S
// bytes [ino2001], it is a request that leaves instead. When the receive has been posted it is
// answered, and then the message leaves; each of the three takes o_s + L + o_r, of which only
// the first o_s and the last o_r are the processors' time. The sender has done when the last
// byte has left.
//
// If Model.Receiver, the bytes of messages hold the port of their receiver too: for g + (s-1) G.
// Without, as in all of the LogP family, messages from several senders come to a receiver at the
// same time, each at the full bandwidth.
//
// In PLogP [kielmann2000] o_s, o_r and g are those of the message's size (Model.Sizes). With l the least of L + g(m) - o_r(m) of
// all sizes m, a message of s bytes is sent as
//
//	the sender's processor begins when its port is free, and is busy for o_s(s); the port is free again g(s) after that begin
//	the first byte is at the receiver l after that begin
//	the last byte comes L + g(s) - o_r(s) - l after the first, or with it, and the next first byte is taken up g(s) after this one
//	the receiver's processor is busy for o_r(s), when it takes the message
//
// so that it takes L + g(s) if nobody waits. That is LogGP if o_s and o_r are the same for all sizes, g(s) is g + (s-1) G, bytes hold the receiver's port, and L is that of LogGP and o_s + o_r - g. Requests and answers are messages of no bytes.
//
// To post a receive takes no time, as in LogGOPSim: o_r is for taking the message, whatever asks for it.
//
// What a rank sends to itself takes o_s and o_r alone. Everything else comes a picosecond after what
// causes it at least.
//
// LogGOPSim's semantics [hoefler2010] differ: see Model.LogGOPSim.
//
// # Matching
//
// A message is matched when its first byte comes: with the receive posted first of those that
// select it by sender, tag and group. Those that find none wait in the order in which they
// came, and a receive takes the first that it selects. Messages of one sender to one receiver
// come in the order in which they were sent.
//
// # Order
//
// Every rank is a machine of its own: what it does next is a function of its program, and of the
// messages that came, in the order of the times of their first bytes, ties by sender and
// sequence; messages that come at a time are seen by what the program does at that time. Ranks
// affect each other by messages alone, each of which comes at least Model.Lookahead after what
// caused it. So any driver that gives a rank its messages before it passes their times gives the
// same result, bit for bit. There are two: windows of the lookahead, and where that is next to nothing,
// or a network of links is shared, one rank after the other in the order of what they do next.
// Programs whose messages are all sent whole, in LogGP, and that nobody watches go on beyond that: see ahead.go.
//
// # Workers
//
// Several workers have some ranks each, and drive them in windows. How far they may go before
// they meet to exchange messages is the Protocol. By a fixed Quantum, that is a window. Whoa
// [dickens1996], window-based halting on appointments, looks at the operations that programs are
// ahead of their simulation, at most F. In a window from t to
//
//	w(t) = B + min(L_min, R_min + S_min)
//
// all that is sent from worker to worker is known. B is the lookahead, L a bound from below on when
// a rank that goes on has done all that is known of it, S how long one that waits takes for it,
// from when it is released, and R when that is. Each of these messages is an appointment: the rank
// sends no sooner than it can have done what comes before. Up to the first appointment that
// others have with it, its halting time, a worker goes on alone. The appointments of ranks that wait
// are later as time goes on.
//
// Differs: where the paper's simulators tell each other of appointments in messages, workers
// meet, and all appointments and halting times are made anew, so that their number is that of the
// program, not of the host's timing. Where many ranks acted since they met, looking at them takes longer than to meet again: then workers
// go on for the lookahead, as by a Quantum, up to w(t). And if nothing is said of F, they do not look ahead at all for some time where that
// takes longer than the meetings that it saves, as where there are many ranks for each worker: then windows have the length of the lookahead,
// as in YAWNS [nicol1993], and what is sent in them is no appointment. With an F that is given there are none of these. B has the latency too: what is bounded is when a message is
// felt. Of long messages, whose receivers answer, all know no more than that an answer takes the
// lookahead. Graphs and nonblocking collectives are not looked ahead in.
//
// Differs: a processor that shares its time between several operations (of a graph, or a
// nonblocking collective) takes them in the order in which they could begin, each to its end.
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

// Horizon is the simulated time that no run may reach: 53 days. It leaves room for the sum of
// any two durations.
const Horizon = unit.Picos(1) << 62

// maxDuration bounds each duration that a program or a message adds.
const maxDuration = Horizon / 4

// never is later than all events.
const never = unit.Picos(1)<<62 + 1

// None stands for any peer or tag, and for no request.
const None int32 = -1

// Kind says what an operation is.
type Kind uint8

// The kinds of operations. The zero Kind is not legal.
const (
	Compute    Kind = 1 + iota // Work alone
	Send                       // returns when the message has been handed over; if it is long, when it has left
	Isend                      // the same as a request
	Recv                       // returns when the message is there
	Irecv                      // the same as a request
	Wait                       // for a request
	Probe                      // until there is a message
	Collective                 // the messages that Options.Steps says

	// Those of a program that runs along: what they find, Options.Live is told.
	Test         // whether a request has ended: then it is waited for
	Iprobe       // whether there is a message
	Clock        // what time it is
	AddToWaitAny // the next WaitAny waits for this request, too
	WaitAny      // for the first of several requests to end

	Suspended // Options.Beside says when it has ended; given first or alone, so that it begins as soon as what was before has ended
)

// Op is an operation of a rank.
type Op struct {
	Work         unit.Picos // computation before it
	Extra        unit.Picos // overhead beyond o_s or o_r: of the buffer
	Bytes        int64      // of a message that is sent; of a receive, the most that it takes, or 0 for any; with Options.Live, of all that send nothing the mark by which it knows them
	Peer         int32      // of a receive or probe, None is any
	Tag          int32      // of a receive or probe, None is any
	Group        int32      // in which messages and receives match
	Request      int32      // that is opened, or waited for; or None
	Kind         Kind
	IgnoreClosed bool // a Wait for a request that is not open is over at once
	// Sensitive is that what follows depends on when, or how, this ends: Next is not called before.
	Sensitive bool
}

// Step is a message of a collective that a rank sends or receives. A rank does its steps round by
// round: it posts the receives of a round, sends, and goes on when all that has come and left.
type Step struct {
	Bytes int64
	Round int32
	Peer  int32
	Send  bool
}

// Program is what a rank does.
type Program struct {
	// Next is the next operations, which are valid until it is called again; none at the end. It
	// may be called before those that it gave have ended, unless the last of them is Sensitive or there
	// is an Options.Live.
	// Those of several ranks are called at once, if there are several workers.
	Next func() (Ops, error)
	// Graph is what each operation needs to have ended; nil: the one before it.
	Graph *Graph
}

// Graph has the needs of operation i in Rows, from Starts[i] to Starts[i+1].
type Graph struct {
	Starts []int64
	Rows   []int32
}

// Options is what a run needs besides programs.
type Options struct {
	Model Model
	// Steps are those of a rank in a collective, by round. They may be shared, and are not changed.
	Steps       func(rank int32, op *Op) ([]Step, error)
	Observer    Observer      // or nil
	Direct      DirectProgram // or nil
	CoSimulator CoSimulator   // or nil: then there is one worker
	Progress    func(ops int)
	Protocol    Protocol   // of several workers
	Workers     int        // if 0, one; no more than there are ranks
	Quantum     unit.Picos // at most the lookahead; if 0, as long
	Ahead       int        // F: how many operations Whoa looks ahead; if 0, DefaultAhead, where that pays

	adaptive bool // Whoa, if nothing is said of F: workers need not look ahead
}

// Run simulates the programs of ranks 0, 1, ... The error is that of a program, a Deadlock, or
// what is left over at the end.
func Run(ctx context.Context, programs []Program, opt Options) (*Result, error) {
	drivers, err := driversFor(&opt, len(programs))
	if err != nil {
		return nil, err
	}
	return drive(ctx, programs, opt, drivers...)
}

// drive has drivers run the programs, each some.
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

// engine is the state of a worker: of ranks from first to before end.
type engine struct {
	Model
	ctx               context.Context
	opt               Options
	obs               Observer
	direct            DirectProgram
	fast              bool   // see isPlain
	ranks             []rank // all
	first             int32
	end               int32
	number            int
	driver            driver
	packets           pool[packet]
	pendingOps        pool[pendingOp]
	lookahead         unit.Picos
	now               unit.Picos // of the present event
	limit             unit.Picos // until which the rank that acts knows all messages
	settledUntil      unit.Picos // until when all has been done, if there are other workers
	active            int32
	aheadLeft         int // operations that the rank which acts may still do beyond the limit
	failed            *failure
	flights           []unit.Picos          // of mails, if Model.linked
	causes            causes                // if there is an Observer
	pairs             map[uint64]unit.Picos // when the last message between two ranks came, if Model.linked
	transfers         transferTable         // if Model.Shared
	ops               uint64
	reported          uint64
	reused            uint64 // requests that were opened again while they were open
	truncations       Truncations
	received          ReceivedMessage // what the observer is shown
	outbox            outbox
	lookaheads        *lookaheads // if Whoa
	rendezvousPending int         // long messages that were not answered
	appointments      uint64
}

// newEngines shares ranks out to drivers.
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
			e.Net.Watch()
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

// pulse is called now and then.
func (e *engine) checkpoint() error {
	if e.opt.Progress != nil {
		e.opt.Progress(int(e.ops - e.reported))
		e.reported = e.ops
	}
	return e.ctx.Err()
}
