package phases

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// cost is how long an access takes: on an idle machine, and waiting for others. Times are in ticks.
type cost struct{ latency, queue unit.Instructions }

func (c cost) total() unit.Instructions { return c.latency + c.queue }

// part returns the cost of waiting for a part of c.
func (c cost) part(long unit.Instructions) cost {
	queue := unit.Instructions(float64(c.queue) * float64(long) / float64(max(1, c.total())))
	return cost{long - min(queue, long), min(queue, long)}
}

func (c cost) plus(d cost) cost { return cost{c.latency + d.latency, c.queue + d.queue} }

// timedProcessor goes on behind misses, as far as its [Node] says. Instructions go on for the window behind the oldest
// miss in flight. While the processor waits, the windows of the others keep their length.
type timedProcessor struct {
	most     int
	window   unit.Instructions
	inFlight []inFlight // oldest first
}

// inFlight is an access that has not ended.
type inFlight struct {
	done, windowEnd unit.Instructions
	cost            cost
}

func newTimedProcessors(n *Node, procs int) []timedProcessor {
	all := make([]timedProcessor, procs)
	for p := range all {
		all[p] = timedProcessor{most: n.Outstanding, window: inTicks(n.Window)}
	}
	return all
}

// due returns how long the processor waits at a time before its next access, and whether it waits.
func (c *timedProcessor) due(now unit.Instructions) (wait cost, waits bool) {
	for len(c.inFlight) > 0 {
		e := &c.inFlight[0]
		if now >= e.windowEnd && e.done > e.windowEnd {
			wait = e.cost.part(e.done - e.windowEnd)
			c.drop()
			c.shift(wait.total())
			return wait, true
		}
		if e.done > now {
			break
		}
		c.drop()
	}
	return cost{}, false
}

// begin begins an access at a time, and returns how long the processor waits.
func (c *timedProcessor) begin(now unit.Instructions, of cost) (wait cost) {
	if c.most == 0 || of == (cost{}) {
		return of
	}
	if len(c.inFlight) == c.most {
		first := 0
		for i := range c.inFlight {
			if c.inFlight[i].done < c.inFlight[first].done {
				first = i
			}
		}
		if e := &c.inFlight[first]; e.done > now {
			wait = e.cost.part(e.done - now)
		}
		c.inFlight = append(c.inFlight[:first], c.inFlight[first+1:]...)
		c.shift(wait.total())
		now += wait.total()
	}
	c.inFlight = append(c.inFlight, inFlight{now + of.total(), now + c.window, of})
	return wait
}

// drain returns how long the processor waits at a time until all accesses have ended.
func (c *timedProcessor) drain(now unit.Instructions) (wait cost) {
	for len(c.inFlight) > 0 {
		e := &c.inFlight[0]
		if from := wait.total() + min(now, e.windowEnd); e.done > from {
			wait = wait.plus(e.cost.part(e.done - from))
		}
		c.drop()
	}
	return wait
}

func (c *timedProcessor) shift(by unit.Instructions) {
	for i := range c.inFlight {
		c.inFlight[i].windowEnd += by
	}
}

func (c *timedProcessor) drop() { c.inFlight = c.inFlight[:copy(c.inFlight, c.inFlight[1:])] }

// ForkedProcs returns the processors that others fork.
func ForkedProcs(src trace.Source) (forked []trace.Proc, err error) {
	for p := range trace.Proc(src.Header().Procs) {
		for b, err := range src.Events(p) {
			if err != nil {
				return nil, err
			}
			for i := range b.Rows {
				if e := &b.Rows[i]; e.Kind == trace.Fork && e.Peer >= 0 && int(e.Peer) < src.Header().Procs && trace.Proc(e.Peer) != p {
					forked = append(forked, trace.Proc(e.Peer))
				}
			}
		}
	}
	return forked, nil
}
