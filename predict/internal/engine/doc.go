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
// Between ranks of one node, Model.Local carries the messages, with o_s, o_r and S of their own: see network.Local. Where
// ranks share the port of their node, Model.Net has the ports, and all waiting for them is left to the interface.
//
// Messages may interrupt computing processors, and early messages may be copied: see cost.Arrivals.
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
// If ranks are programs that run during the simulation, workers share the parts of them that can run at the same time:
// see segments. Options.Application adds workers that do nothing else.
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
package engine
