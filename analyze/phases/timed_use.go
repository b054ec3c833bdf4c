package phases

import (
	"spoor/analyze/phases/internal/order"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// useTimed simulates a load or store of a line by p in the time of a [Node].
func (b *softwareMemory) useTimed(p trace.Proc, u *order.Use, now unit.Instructions) (long unit.Instructions, done bool, err error) {
	processor := &b.processors[p]
	if len(processor.inFlight) == 0 && b.timed.hitsFirst(p, u.Number, u.Store) {
		return 0, true, nil
	}
	if wait, waits := processor.due(now); waits {
		b.addCost(p, u, wait)
		return wait.total(), false, nil
	}
	of, err := b.access(p, u, now)
	if err != nil {
		return 0, false, err
	}
	wait := processor.begin(now, of)
	b.addCost(p, u, wait)
	return wait.total(), true, nil
}

// accessNode simulates a load or store of a line by p on one node with all processors, and returns its cost.
func (b *softwareMemory) accessNode(p trace.Proc, u *order.Use, now unit.Instructions) (cost, error) {
	b.startWindow(p, u.Done)
	b.timedNode.counts = &b.procs[p].own
	return b.timedNode.access(p, u.Number, u.Store, now), nil
}

// addCost adds the time for which p waits for caches and memory.
func (b *softwareMemory) addCost(p trace.Proc, u *order.Use, c cost) {
	if c != (cost{}) {
		b.startWindow(p, u.Done)
		b.procs[p].own[latencyTransfer] += uint64(c.latency)
		b.procs[p].own[queueTransfer] += uint64(c.queue)
	}
}

// drain makes p wait until its accesses have ended.
func (b *softwareMemory) drain(p trace.Proc, u *order.Use, now unit.Instructions) unit.Instructions {
	wait := b.processors[p].drain(now)
	b.addCost(p, u, wait)
	return wait.total()
}
