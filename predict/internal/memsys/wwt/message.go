package wwt

import "spoor/traces/unit"

// Kind is the kind of a message. Those from Arrive on are of the program, and package wwt only carries them.
type Kind uint8

// Kinds of messages.
const (
	request  Kind = iota // of a line, or of the permission to store to it
	answer               // to a request
	recall               // takes a line, or the permission to store to it, from a cache
	replaced             // a cache has replaced a line
	complete             // a home has all answers; it is a message of the home to itself
	release              // a home ends a request; the same

	Arrive // at a barrier
	Lock
	Unlock
	Signal // a flag
	Await  // signals of a flag
	Fork
	Join
	Resume // ends a wait
)

// Message is what a node sends to another one, or to itself.
type Message struct {
	At       unit.Picos // of its arrival
	Seq      uint64     // number of the message of its sender
	Idle     unit.Picos // time of the access so far on an idle machine
	Since    unit.Picos // when the sender did what the message says; of the program
	Line     uint64
	From, To int32
	Proc     int32 // whose request it is, or who ends a wait
	Object   int32 // barrier, lock or flag
	Group    int32 // of a barrier
	Kind     Kind
	Store    bool // request of a store; recall that leaves no copy; modified line that was replaced
	Upgrade  bool // the requester has the line
	Supplied bool // a cache supplied the line
}

// before is the order in which a node handles messages.
func (m *Message) before(o *Message) bool {
	switch {
	case m.At != o.At:
		return m.At < o.At
	case m.From != o.From:
		return m.From < o.From
	}
	return m.Seq < o.Seq
}

// send sends a message at a time.
func (n *Node) send(now unit.Picos, size unit.Bytes, m Message) {
	m.At, m.From, m.Seq = now, n.ID, n.sent
	n.sent++
	if m.To == n.ID {
		n.Inbox.Push(m)
		return
	}
	m.At += n.Network
	n.Used.Messages++
	n.Used.MessageBytes += size
	n.Used.End = max(n.Used.End, m.At)
	n.Out = append(n.Out, m)
}

// Send sends a message of the program at a time.
func (n *Node) Send(now unit.Picos, m Message) { n.send(now, n.Control, m) }

// Inbox holds messages as a binary heap.
type Inbox struct{ all []Message }

// First returns the first message, or nil.
func (b *Inbox) First() *Message {
	if len(b.all) == 0 {
		return nil
	}
	return &b.all[0]
}

// Push adds a message.
func (b *Inbox) Push(m Message) {
	b.all = append(b.all, m)
	i := len(b.all) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !m.before(&b.all[up]) {
			break
		}
		b.all[i] = b.all[up]
		i = up
	}
	b.all[i] = m
}

// Pop removes the first message.
func (b *Inbox) Pop() Message {
	first, last := b.all[0], len(b.all)-1
	m := b.all[last]
	b.all = b.all[:last]
	i := 0
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && b.all[down+1].before(&b.all[down]) {
			down++
		}
		if !b.all[down].before(&m) {
			break
		}
		b.all[i] = b.all[down]
		i = down
	}
	if last > 0 {
		b.all[i] = m
	}
	return first
}
