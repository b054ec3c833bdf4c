package replay

import (
	"fmt"

	"spoor/analyze/marshal"
	"spoor/calibrate/machine"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// maxWork bounds the computation of one event.
const maxWork = unit.Picos(1) << 60

// rates are the costs of computation and buffers on a machine.
type rates struct {
	clock   Clock
	perFlop float64    // picoseconds
	gamma   unit.Picos // for each line of a buffer
	line    unit.Bytes
}

// ratesOf returns the rates of processor proc: those of its node, and the network's gamma.
func ratesOf(m *machine.Machine, proc int) (p rates, err error) {
	node := m.Node(m.NodeOf(proc))
	if p.clock, err = ClockOf(node); err != nil {
		return p, err
	}
	p.perFlop = float64(node.Processor.CPF.At(node.Processor.Clock)) * 1e12
	p.gamma, p.line, err = lineCost(m.Network, node)
	return p, err
}

// CostTracker computes the time of a processor's computation and buffers from its events in order.
type CostTracker struct {
	rates
	instr uint64                   // executed so far
	spent unit.Picos               // their time
	open  map[int32]marshal.Layout // buffers of irecvs, by request
}

// NewCostTracker returns the CostTracker of processor proc of m at its start.
func NewCostTracker(m *machine.Machine, proc int) (CostTracker, error) {
	p, err := ratesOf(m, proc)
	return p.newTracker(), err
}

func (p rates) newTracker() CostTracker {
	c := CostTracker{rates: p}
	if p.gamma > 0 {
		c.open = map[int32]marshal.Layout{}
	}
	return c
}

// InstructionCost returns the time of n more instructions.
func (c *CostTracker) InstructionCost(n uint64) (unit.Picos, error) {
	if most := c.clock.maxInstructions(horizon); n > most-min(c.instr, most) {
		return 0, errTooLong
	}
	c.instr += n
	at := c.clock.At(c.instr, 0)
	work := at - c.spent
	c.spent = at
	return work, nil
}

var errTooLong = fmt.Errorf("leads past %v, more than can be simulated", horizon)

// HasBufferCost reports whether buffers cost anything.
func (c *CostTracker) HasBufferCost() bool { return c.gamma > 0 }

// BufferCost returns the cost of the lines of an event's buffer: gamma MLT. The wait for an irecv pays for the
// irecv's buffer, for as many bytes as arrived.
func (c *CostTracker) BufferCost(e *trace.Event) (unit.Picos, error) {
	l := layout(e)
	switch e.Kind {
	case trace.Send, trace.Isend, trace.Recv:
		return c.lines(l, e.Bytes)
	case trace.Irecv:
		if e.Request >= 0 {
			c.open[e.Request] = l
		}
	case trace.Wait, trace.Test:
		l, is := c.open[e.Request]
		if !is || e.Kind == trace.Test && e.Count == 0 {
			return 0, nil
		}
		delete(c.open, e.Request)
		n := e.Bytes
		if e.Peer < 0 { // the number of bytes is not known
			n = l.Count * l.Block
		}
		return c.lines(l, n)
	}
	return 0, nil
}

// layout returns the layout of the buffer of e; one block if it is not known.
func layout(e *trace.Event) marshal.Layout {
	l := marshal.Layout{Addr: uint64(e.Addr), Count: e.Count, Block: e.Block, Stride: e.Stride}
	if l.Count == 0 || l.Block == 0 {
		l = marshal.Layout{Count: 1, Block: e.Bytes}
	}
	if l.Count == 1 {
		l.Stride = 0
	}
	return l
}

func (c *CostTracker) lines(l marshal.Layout, bytes int64) (unit.Picos, error) {
	if bytes <= 0 || l.Block <= 0 {
		return 0, nil
	}
	n, err := l.First(bytes).Lines(c.line)
	if err != nil {
		return 0, err
	}
	if n > uint64(maxWork)/uint64(c.gamma) {
		return 0, fmt.Errorf("its buffer touches %d lines of %v each, more than can be simulated", n, c.gamma)
	}
	return unit.Picos(n) * c.gamma, nil
}
