// Package network simulates networks: what one message costs, given the messages before it. It
// knows bytes and nodes, and nothing of programs, lines or protocols.
//
// A Network is asked for each message once, and answers at once, for good: what comes later
// moves nothing that came before. Calls need not come in order of time. Who simulates a
// protocol may follow all messages of a transaction when it begins, some of which are sent
// later than the next transaction begins. So whatever messages compete for (a bus, a link, a
// port) has a calendar of the times that are taken, and a message takes the earliest that are
// left, between others if it fits there. If calls do come in order of time, and each message
// needs one such part, that is first come, first served.
//
// Costs are separated as SPASM does [sivasubramaniam1995, sec. 2]: latency is what an idle
// network takes, contention the rest.
//
// The models are ideal, logp, loggp, plogp, and those that have links: bus, switch, full, hypercube,
// mesh, torus and fattree. On links a message takes
//
//	T = (bytes + header)/(bandwidth efficiency), at least a picosecond
//
// once, whatever the number of links on its way, as it is cut through: its bits are on all of
// them at the same time. A machine's fixed latency comes on top, and holds no link. A switch
// between two links delays the head of a message by d. All links of the way are released
// together, when the tail has arrived. The message of n links, sent at t, holds link i from
// a_i to E, with
//
//	a_1 >= t,  a_i >= a_{i-1} + d,  E = a_n + T
//
// where E is the earliest time for which there are such a_i that no link is taken by any
// message before, between a_i and E. In wormhole networks (full, hypercube, mesh, torus,
// fattree), a_i is the earliest time that allows E: the head takes link after link, and holds
// what it has while it waits for the next. In a switch, whose ports are its links, a_i is the
// latest: a message waits in front of it, and holds nothing before it can go through; a
// message behind it for another port may go first.
//
// Differs: in a wormhole network of circuits [sivasubramaniam1995], a message takes each link
// when its head is there. Here it leaves its links to others for the time before which it
// could not keep them up to E because a message before it has one later; and a later message
// that finds a link free for long enough may go before one whose head is not there yet. Mean
// contention on a mesh is the same to 6 percent. And there is no deadlock, not on a torus
// either.
//
// Fluid and Packets are the same topologies with links that have several messages at a time, which share their bandwidth fairly, or take turns by
// packets: what comes later slows down what came before, so that they are asked in another way, that of Shared.
//
// The machine's parameters are read by calibrate/machine, which says how they are written.
//
//   - [sivasubramaniam1995] Anand Sivasubramaniam, Aman Singla, Umakishore
//     Ramachandran, H. Venkateswaran: Abstracting network characteristics and
//     locality properties of parallel systems. HPCA 1995.
//   - [alexandrov1995] Albert Alexandrov, Mihai Ionescu, Klaus Schauser, Chris Scheiman:
//     LogGP: Incorporating long messages into the LogP model. SPAA 1995.
//   - [kielmann2000] Thilo Kielmann, Henri Bal, Kees Verstoep: Fast measurement of LogP
//     parameters for message passing platforms. IPDPS 2000 Workshops.
//   - [bertsekas1992] Dimitri Bertsekas, Robert Gallager: Data Networks. 2nd edition, 1992.
//   - [casanova2014] Henri Casanova, Arnaud Giersch, Arnaud Legrand, Martin Quinson, Frédéric
//     Suter: Versatile, scalable, and accurate simulation of distributed applications and
//     platforms. Journal of Parallel and Distributed Computing 74(10), 2014.
//   - [du2000] Xing Du, Xiaodong Zhang, Zhichun Zhu: Memory Hierarchy
//     Considerations for Cost-Effective Cluster Computing. IEEE Transactions on
//     Computers 49(9), September 2000, pp. 915-933.
package network

import "spoor/traces/unit"

// Message is what one node sends to another.
type Message struct {
	From, To int
	Bytes    unit.Bytes // from 0; headers are the network's
}

// Delivery is what becomes of a message.
type Delivery struct {
	Free    unit.Picos // when the sender's port is free for its next message that way
	Arrive  unit.Picos // when the last byte is at the receiver
	Latency unit.Picos // of Arrive - at, what an idle network would take; the rest is contention
}

// Horizon is the end of simulated time: 53 days. Messages that would arrive later arrive then,
// and compete for nothing. Those that are sent later arrive at once, and are not counted. It
// leaves room for sums of two times.
const Horizon = unit.Picos(1) << 62

// A Network delivers messages between nodes 0, 1, ... It is not safe for concurrent use.
type Network interface {
	// Send sends a message at a time from 0, not earlier than what was last Settled. What a
	// node sends to itself costs nothing and is not counted.
	Send(at unit.Picos, m Message) Delivery
	// Settled says that no Send will come with an earlier time: what ended before may be
	// forgotten. Times that are earlier than one before say nothing.
	Settled(before unit.Picos)
	// Watch begins to note who waits for whom.
	TrackBlocking()
	// Behind is for which messages the last one that was sent waited, if it is watched, until its sender's port was free, and until it had come: that at
	// the end of the chain, which waited for none. The first that was counted is 1. If it waited for none itself, 0.
	Blockers() (left, came uint64)
	// Usage is what was sent so far, and over what.
	Usage() Usage
}

// A Model builds networks of one kind.
type Model interface {
	// Name is what machine files call it.
	Name() string
	// New is an idle network, or an error that says what no such network can have.
	New(c Config) (Network, error)
}

// All lists every model.
var All = []Model{
	Ideal{},
	Bus{},
	Switch{},
	Full{},
	Hypercube{},
	Mesh{},
	Torus{},
	FatTree{},
	LogP{},
	LogGP{},
	PLogP{},
}
