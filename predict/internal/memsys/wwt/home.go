package wwt

import (
	"math/bits"

	"spoor/predict/internal/memsys/touch"
	"spoor/traces/unit"
)

// directory has an entry for each line of a home that was ever requested.
type directory struct {
	index   map[uint64]int32
	entries []entry
	words   int      // of the set of nodes of an entry
	nodes   []uint64 // that have a copy, as far as the home knows
	waiting map[uint64][]Message
}

// entry is what a home knows of a line.
type entry struct {
	owner    int32      // the node that may store to the line, or -1
	copies   int32      // nodes that have it
	busy     bool       // a request is in progress, and others wait
	supplied bool       // that request gets the line from a cache
	left     unit.Picos // when the last answer left, which no recall may overtake
}

func newDirectory(nodes int) directory {
	return directory{index: map[uint64]int32{}, words: (nodes + 63) / 64, waiting: map[uint64][]Message{}}
}

// of returns the number of a line's entry.
func (d *directory) of(line uint64) int32 {
	i, ok := d.index[line]
	if !ok {
		i = int32(len(d.entries))
		d.index[line] = i
		d.entries = append(d.entries, entry{owner: -1})
		for range d.words {
			d.nodes = append(d.nodes, 0)
		}
	}
	return i
}

// has reports whether a node has a copy.
func (d *directory) has(i, node int32) bool {
	return d.nodes[int(i)*d.words+int(node)/64]>>(node%64)&1 != 0
}

// add notes a copy.
func (d *directory) add(i, node int32) {
	if !d.has(i, node) {
		d.entries[i].copies++
		d.nodes[int(i)*d.words+int(node)/64] |= 1 << (node % 64)
	}
}

// remove notes that a node has no copy.
func (d *directory) remove(i, node int32) {
	if d.has(i, node) {
		d.entries[i].copies--
		d.nodes[int(i)*d.words+int(node)/64] &^= 1 << (node % 64)
	}
	if d.entries[i].owner == node {
		d.entries[i].owner = -1
	}
}

// Handle handles a message of the memory system. It reports whether the processor has the answer that it waits for.
func (n *Node) Handle(m *Message) (cost touch.Cost, answered bool) {
	switch m.Kind {
	case answer:
		return n.answered(m), true
	case recall:
		n.recalled(m)
	case request:
		if i := n.directory.of(m.Line); n.directory.entries[i].busy {
			n.directory.waiting[m.Line] = append(n.directory.waiting[m.Line], *m)
		} else {
			n.begin(m.At, m, i)
		}
	case replaced:
		n.directory.entries[n.directory.of(m.Line)].supplied = false
		n.directory.remove(n.directory.of(m.Line), m.From)
		hold := n.LookUp
		if m.Store {
			hold = n.Occupancy
		}
		n.serve(m.At, hold, hold)
	case complete:
		n.complete(m)
	case release:
		n.release(m)
	}
	return touch.Cost{}, false
}

// serve holds the memory as soon as it is free, and returns when it answers.
func (n *Node) serve(at, hold, latency unit.Picos) unit.Picos {
	start := max(at, n.memory)
	n.memory = start + hold
	n.Used.Busy += hold
	n.Used.End = max(n.Used.End, n.memory)
	return start + latency
}

// begin begins a request for a line.
func (n *Node) begin(at unit.Picos, m *Message, i int32) {
	d := &n.directory
	e := &d.entries[i]
	has := d.has(i, m.Proc)
	m.Upgrade = m.Upgrade && has
	others := e.copies
	if has {
		others--
	}
	switch {
	case e.owner >= 0:
		n.recallFrom(at, m, i)
	case m.Store && others > 0:
		n.invalidateAll(at, m, i)
	default:
		hold, latency := n.LookUp+n.Occupancy, n.LookUp+n.Latency
		if m.Upgrade {
			hold, latency = n.LookUp, n.LookUp
		}
		m.Idle += latency
		n.answer(n.serve(at, hold, latency), m, i)
	}
}

// recallFrom gets the line from the cache that may store to it.
func (n *Node) recallFrom(at unit.Picos, m *Message, i int32) {
	e := &n.directory.entries[i]
	left := max(n.serve(at, n.Trap, n.Trap), e.left)
	back := unit.Picos(0)
	if e.owner != n.ID {
		back = 2 * n.Network
		n.countAnswers(1, n.Data)
	}
	n.send(left, n.Control, Message{Kind: recall, To: e.owner, Line: m.Line, Store: m.Store})
	if m.Store {
		n.directory.remove(i, e.owner)
	}
	e.owner, e.supplied = -1, true
	n.completeAt(left+back, m, i, n.Trap+back)
}

// invalidateAll makes all nodes but the requester invalidate their copies.
func (n *Node) invalidateAll(at unit.Picos, m *Message, i int32) {
	d := &n.directory
	left := max(n.serve(at, n.Trap, n.Trap), d.entries[i].left)
	others := uint64(n.Nodes - 1) // that must be told by messages
	if m.Proc != n.ID {
		others--
	}
	back, told := unit.Picos(0), uint64(0)
	if others > 0 {
		back = 2 * n.Network
	}
	for w := range d.words {
		for set := d.nodes[int(i)*d.words+w]; set != 0; set &= set - 1 {
			q := int32(w*64 + bits.TrailingZeros64(set))
			if q == m.Proc {
				continue
			}
			if q != n.ID {
				told++
			}
			n.send(left, n.Control, Message{Kind: recall, To: q, Line: m.Line, Store: true})
			d.remove(i, q)
		}
	}
	n.countAnswers(others-told, n.Control) // that are not simulated
	n.countAnswers(others, n.Control)
	n.completeAt(left+back, m, i, n.Trap+back)
}

// countAnswers counts messages that are not simulated.
func (n *Node) countAnswers(messages uint64, size unit.Bytes) {
	n.Used.Messages += messages
	n.Used.MessageBytes += unit.Bytes(messages) * size
}

// completeAt makes others wait for the line until the home has all answers.
func (n *Node) completeAt(at unit.Picos, m *Message, i int32, idle unit.Picos) {
	n.directory.entries[i].busy = true
	again := *m
	again.Kind, again.To, again.Idle = complete, n.ID, m.Idle+idle
	n.send(at, 0, again)
}

// complete answers a request for which the home has all answers.
func (n *Node) complete(m *Message) {
	i := n.directory.of(m.Line)
	e := &n.directory.entries[i]
	at := m.At
	switch {
	case e.supplied:
		n.serve(at, n.Occupancy, 0) // stored while it is sent on
		m.Supplied = true
	case !m.Upgrade:
		at = n.serve(at, n.Occupancy, n.Latency)
		m.Idle += n.Latency
	}
	e.supplied = false
	n.answer(at, m, i)
}

// answer sends the answer to a request. Others wait for the line until it has arrived, except after a load from memory.
func (n *Node) answer(at unit.Picos, m *Message, i int32) {
	e := &n.directory.entries[i]
	size, network := n.Data, unit.Picos(0)
	if m.Upgrade {
		size = n.Control
	}
	if m.Proc != n.ID {
		network = n.Network
	}
	n.directory.add(i, m.Proc)
	if m.Store {
		e.owner = m.Proc
	}
	e.left = max(e.left, at)
	n.send(at, size, Message{Kind: answer, To: m.Proc, Line: m.Line, Store: m.Store, Supplied: m.Supplied, Idle: m.Idle + network})
	if m.Store || e.busy {
		e.busy = true
		n.send(at+network, 0, Message{Kind: release, To: n.ID, Line: m.Line})
	}
}

// release begins the requests that wait for a line, until one makes others wait again.
func (n *Node) release(m *Message) {
	i := n.directory.of(m.Line)
	n.directory.entries[i].busy = false
	all := n.directory.waiting[m.Line]
	for len(all) > 0 && !n.directory.entries[i].busy {
		n.begin(m.At, &all[0], i)
		all = all[1:]
	}
	if len(all) == 0 {
		delete(n.directory.waiting, m.Line)
	} else {
		n.directory.waiting[m.Line] = all
	}
}

// Lines returns how many lines of the node were ever requested.
func (n *Node) Lines() uint64 { return uint64(len(n.directory.entries)) }
