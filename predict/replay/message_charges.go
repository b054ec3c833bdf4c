package replay

import (
	"fmt"

	"spoor/analyze/marshal"
	"spoor/calibrate/machine"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// mostWork bounds what one event computes.
const maxWork = unit.Picos(1) << 60

// prices are what computation and buffers cost on a machine.
type rates struct {
	clock   Clock
	perFlop float64    // picoseconds
	gamma   unit.Picos // for each line of a buffer
	line    unit.Bytes
}

// pricesOf are those of processor proc: its node's, but for the network.
func ratesOf(m *machine.Machine, proc int) (p rates, err error) {
	node := m.Node(m.NodeOf(proc))
	if p.clock, err = ClockOf(node); err != nil {
		return p, err
	}
	p.perFlop = float64(node.Processor.CPF.At(node.Processor.Clock)) * 1e12
	p.gamma, p.line, err = lineCost(m.Network, node)
	return p, err
}

// Charges says how long the computation of a processor takes, and what its buffers cost, by its
// events in their order.
type CostTracker struct {
	rates
	instr uint64                   // executed so far
	spent unit.Picos               // what they take
	open  map[int32]marshal.Layout // buffers of irecvs
}

// NewCharges are those of processor proc of m, which has done nothing so far.
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

// Instructions is how long n more instructions take.
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

// ForBuffers is whether buffers cost anything.
func (c *CostTracker) HasBufferCost() bool { return c.gamma > 0 }

// Buffer is what the lines of an event's buffer cost: gamma MLT. That of an irecv is paid by who
// waits for it, for as much as came.
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
		if e.Peer < 0 { // how much came is not known
			n = l.Count * l.Block
		}
		return c.lines(l, n)
	}
	return 0, nil
}

// layout is where the buffer of e is; one block where that is not known.
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
