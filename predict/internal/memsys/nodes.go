package memsys

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// nodes is the memories of a machine with distributed memory, and the network between them.
type nodes struct {
	Memory
	messages machine.Messages
	numa.Layout
	homes     *numa.Homes
	net       network.Network // nil: there is one node
	memories  []server        // including their directories
	busyLines busyLines
	slack     unit.Picos // by which a transaction may be earlier than the previous one
	settled   unit.Picos // no later transaction is before this time
	end       unit.Picos // of the last message
}

// newNodes returns the nodes of c.
func newNodes(c *Config) (*nodes, error) {
	n := &nodes{Memory: c.Memory, messages: c.Messages, Layout: c.layout(), net: c.Net,
		busyLines: busyLines{until: map[uint64]unit.Picos{}}}
	count := c.nodes()
	switch {
	case !c.Placement.Page.IsPowerOfTwo():
		return nil, fmt.Errorf("the page size is %v; it must be a power of two", c.Placement.Page)
	case n.net == nil && count > 1:
		return nil, fmt.Errorf("the machine has %d nodes but no network", count)
	}
	n.slack = lowerLevelLatency(c.Caches)
	for _, o := range c.OtherNodes {
		n.slack = max(n.slack, lowerLevelLatency(o.Caches))
	}
	n.homes = numa.NewHomes(c.Homes, n.Layout, c.Placement, c.block())
	n.memories = make([]server, count)
	return n, nil
}

// lowerLevelLatency returns the time of a lookup in all caches except the first.
func lowerLevelLatency(caches []Cache) (sum unit.Picos) {
	for _, l := range caches[min(1, len(caches)):] {
		sum += l.Latency
	}
	return sum
}

// begin begins a transaction.
func (n *nodes) begin(now unit.Picos) moment {
	if settled := now - n.slack; settled > n.settled {
		n.settled = settled
		if n.net != nil {
			n.net.Settled(settled)
		}
	}
	return moment{at: now}
}

// send returns when a message that is sent at m has arrived. Within a node it costs nothing.
func (n *nodes) send(m moment, from, to int, b unit.Bytes) moment {
	if from == to {
		return m
	}
	d := n.net.Send(min(m.at, network.Horizon), network.Message{From: from, To: to, Bytes: b})
	n.end = max(n.end, d.Arrive)
	return moment{max(m.at, d.Arrive), m.idle + d.Latency}
}

// serve returns when the memory of a node has answered. It is held for hold and answers after latency.
func (n *nodes) serve(m moment, node int, hold, latency unit.Picos) moment {
	return m.wait(n.memories[node].reserve(m.at, hold, n.settled)).after(latency)
}

// copy holds the memory of a node, whatever it does in a transaction.
func (n *nodes) copy(at unit.Picos, node int, hold unit.Picos) (begin unit.Picos) {
	return n.memories[node].reserve(at, hold, n.settled)
}

// writeBack returns when a line that is sent at m has been stored.
func (n *nodes) writeBack(m moment, from, home int) moment {
	return n.serve(n.send(m, from, home, n.messages.Data), home, n.Occupancy, n.Occupancy)
}

// holdLine makes later requests for a line wait at its home.
func (n *nodes) holdLine(line uint64, until unit.Picos) {
	if until > max(n.settled, n.busyLines.until[line]) {
		n.busyLines.hold(line, until, n.settled)
	}
}

// usage returns the use of the memories and the network.
func (n *nodes) usage() touch.SharedUsage {
	s := touch.SharedUsage{End: n.end}
	for i := range n.memories {
		s.Busy, s.End = max(s.Busy, n.memories[i].Busy), max(s.End, n.memories[i].End)
	}
	if n.net != nil {
		u := n.net.Usage()
		s.NetworkBusy, s.Messages, s.MessageBytes = u.Busiest().Busy, u.Messages, u.Bytes
	}
	return s
}

// busyLines is the lines whose homes make requests wait, and until when.
type busyLines struct {
	until map[uint64]unit.Picos
	queue []lineTime // entries of until, oldest first
	first int        // of queue
}

type lineTime struct {
	line  uint64
	until unit.Picos
}

// hold makes requests for a line wait, and removes lines whose time ended by settled.
func (u *busyLines) hold(line uint64, until, settled unit.Picos) {
	for ; u.first < len(u.queue) && u.queue[u.first].until <= settled; u.first++ {
		if old := u.queue[u.first]; u.until[old.line] == old.until {
			delete(u.until, old.line)
		}
	}
	if u.first > len(u.queue)/2 {
		u.queue = u.queue[:copy(u.queue, u.queue[u.first:])]
		u.first = 0
	}
	u.queue = append(u.queue, lineTime{line, until})
	u.until[line] = until
}
