package replay

import (
	"fmt"

	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/memsys/wwt"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// windowNode is a node of windows: a processor with its memory, and with the barriers, locks and flags whose home it is.
type windowNode struct {
	run      *run // of its processor alone, as far as that depends on no other
	proc     *processor
	hardware *wwt.Node
	observer *nodeObserver // or nil
	worker   int
	joins    []wwt.Message // requests of processors that wait for the end of its own
	err      error
}

// newNode returns the node of a processor.
func (w *windows) newNode(p *processor, hardware *wwt.Node) *windowNode {
	own := *w.run
	n := &windowNode{run: &own, proc: p, hardware: hardware}
	own.sys, own.node = &nodeSystem{wwtSystem: w.run.sys.(wwtSystem), node: hardware, limit: &own.limit}, n
	own.barriers, own.locks, own.flags = map[barrierID][]*processor{}, map[int32]*lock{}, map[int32]*flag{}
	if w.observe != nil {
		n.observer = &nodeObserver{}
		own.opt.Observer = n.observer
	}
	return n
}

// nextAction returns a time before which the node does nothing.
func (n *windowNode) nextAction() unit.Picos {
	next := never
	if n.proc.state == running {
		next = n.proc.next
	}
	if m := n.hardware.Inbox.First(); m != nil {
		next = min(next, m.At)
	}
	return next
}

// runUntil does what comes before a time: messages in their order, and before what the processor does at the same time.
func (n *windowNode) runUntil(end unit.Picos) error {
	if end >= horizon {
		return fmt.Errorf("simulated time passes %v, more than can be simulated", horizon)
	}
	for {
		limit, first := end-1, n.hardware.Inbox.First()
		if first != nil {
			limit = min(limit, first.At-1)
		}
		if n.proc.state == running && n.proc.next <= limit {
			if err := n.advance(limit); err != nil {
				return err
			}
			continue
		}
		if first == nil || first.At >= end {
			return nil
		}
		m := n.hardware.Inbox.Pop()
		if err := n.handle(&m); err != nil {
			return err
		}
	}
}

// advance lets the processor act until a time.
func (n *windowNode) advance(limit unit.Picos) error {
	n.run.limit = limit
	if err := n.run.advance(n.proc); err != nil {
		return err
	}
	switch {
	case n.hardware.Waits():
		n.proc.state = atMemory
	case n.proc.state == finished:
		for i := range n.joins {
			n.answerJoin(&n.joins[i])
		}
		n.joins = nil
	}
	return nil
}

// handle handles a message.
func (n *windowNode) handle(m *wwt.Message) error {
	if m.Kind >= wwt.Arrive {
		return n.synchronized(m)
	}
	cost, answered := n.hardware.Handle(m)
	if !answered {
		return nil
	}
	p := n.proc
	p.stall += n.run.charge(p, p.next, cost)
	p.state, p.next = running, m.At
	return n.advance(m.At) // which makes the access before anything can take the line away
}

// nodeSystem is the memory system of a node for its run. An access that takes a message ends the run's turn, and so does its
// repetition: other messages of that time come before what the processor does next.
type nodeSystem struct {
	wwtSystem
	node  *wwt.Node
	limit *unit.Picos
}

// Access touches a line.
func (s *nodeSystem) Access(now unit.Picos, _ trace.Proc, line uint64, store bool) touch.Cost {
	cost := s.node.Access(now, line, store)
	if cost.Retry || s.node.Repeats() {
		*s.limit = -1
	}
	return cost
}
