// Package network simulates networks. It computes the cost of one message, given the messages before it. It knows
// bytes and nodes, but not programs, cache lines or protocols.
//
// A Network is called once for each message, and returns its final times: later messages do not change earlier ones.
// Calls need not be in order of time. A simulator of a protocol may send all messages of a transaction when it
// begins, although some are later than the begin of the next transaction. So each resource (a bus, a link, a port)
// has a calendar of its reservations. A message takes the earliest free time that is long enough, possibly between
// earlier reservations. If calls are in order of time, and each message needs one resource, this is first come, first
// served.
//
// Costs are separated as in SPASM [sivasubramaniam1995, sec. 2]: latency is the time on an idle network, contention
// is the rest.
//
// The models are ideal, logp, loggp, plogp, and those with links: bus, switch, full, hypercube, mesh, torus, fattree and
// dragonfly. On links a message takes
//
//	T = (bytes + header)/(bandwidth efficiency), at least a picosecond
//
// once, whatever the number of links on its route. It is cut through: its bits are on all links at the same time. A
// machine's fixed latency is added, and holds no link. A switch between two links delays the head of a message by d.
// All links of the route are released together, when the tail has arrived. A message over n links, sent at t, holds
// link i from a_i to E, with
//
//	a_1 >= t,  a_i >= a_{i-1} + d,  E = a_n + T
//
// E is the earliest time for which such a_i exist and no link is reserved by an earlier message between a_i and E. In
// wormhole networks (all with links except the switch), a_i is the earliest time that allows E. The head takes
// link after link, and holds its links while it waits for the next. In a switch, whose ports are its links, a_i is
// the latest: a message waits in front of the switch, and holds nothing before it can go through. A message behind it
// for another port may go first.
//
// Differs: in a wormhole network of circuits [sivasubramaniam1995], a message takes each link when its head is there.
// Here it leaves its links to others at times when it could not hold them up to E, because an earlier message needs
// one later. Also, a later message that finds a link free for long enough may go before one whose head is not there
// yet. Mean contention on a mesh is the same within 6 percent. There is no deadlock, not even on a torus.
//
// Fluid and Packets are the same topologies with links that several messages share. They share bandwidth fairly, or
// take turns by packets. Later messages slow down earlier ones, so these networks have another interface:
// SharedLinks.
//
// Package calibrate/machine reads the machine's parameters and documents their keys.
package network

import "spoor/traces/unit"

// Message is a message from one node to another.
type Message struct {
	From, To int
	Bytes    unit.Bytes // at least 0; without headers
}

// Delivery is the times of a message.
type Delivery struct {
	Free    unit.Picos // when the sender's port is free for its next message in that direction
	Arrive  unit.Picos // when the last byte is at the receiver
	Latency unit.Picos // part of Arrive - at that an idle network would take; the rest is contention
}

// Horizon is the end of simulated time: 53 days. Messages that would arrive later arrive then, and compete for
// nothing. Messages that are sent later arrive at once, and are not counted. It leaves room for sums of two times.
const Horizon = unit.Picos(1) << 62

// A Network delivers messages between nodes 0, 1, ... It is not safe for concurrent use.
type Network interface {
	// Send sends a message at a time of at least 0, not before the last Settled. A message of a node to itself costs
	// nothing and is not counted.
	Send(at unit.Picos, m Message) Delivery
	// Settled promises that no later Send has an earlier time, so earlier reservations may be forgotten. A call with
	// a time before that of an earlier call has no effect.
	Settled(before unit.Picos)
	// TrackBlocking begins to record which message waits for which.
	TrackBlocking()
	// Blockers returns the messages for which the last sent message waited, if blocking is tracked: until its
	// sender's port was free, and until it arrived. Each is the root of the chain, which waited for no message.
	// Messages are counted from 1. The result is 0 if the message did not wait.
	Blockers() (left, came uint64)
	// Usage returns the traffic so far, and the use of its parts.
	Usage() Usage
}

// A Model builds networks of one kind.
type Model interface {
	// Name returns the name in machine files.
	Name() string
	// New returns an idle network, or an error if c is not valid for the model.
	New(c Config) (Network, error)
}
