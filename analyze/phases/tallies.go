package phases

import (
	"spoor/analyze/phases/internal/order"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// requests holds the requests of a processor in one window.
type requests struct {
	phase   int64
	first   unit.Instructions // a position in the window
	tallies map[traffic]uint64
	own     [len(transferNames)]uint64 // tallies within the node; times are in ticks
}

// startWindow ends the window of p if done is in another one.
func (b *softwareMemory) startWindow(p trace.Proc, done unit.Instructions) {
	if q := &b.procs[p]; b.window(done) != b.window(q.first) {
		b.flush(p)
		q.first = done
	}
}

// addWait adds the time for which p waited for other processors.
func (b *softwareMemory) addWait(p trace.Proc, u *order.Use, long unit.Instructions) {
	b.addTime(waitTransfer, p, u, long)
}

// addTime adds the time for which p waited.
func (b *softwareMemory) addTime(kind transfer, p trace.Proc, u *order.Use, long unit.Instructions) {
	if long > 0 {
		b.startWindow(p, u.Done)
		b.procs[p].own[kind] += uint64(long)
	}
}

// count counts a transfer that processor p causes.
func (b *softwareMemory) count(p trace.Proc, kind transfer, from, to trace.Proc) {
	b.procs[p].tallies[traffic{kind, int32(from), int32(to)}]++
}

// flush converts the requests of p in its window to rows, and resets them.
func (b *softwareMemory) flush(p trace.Proc) {
	q := &b.procs[p]
	add := func(t traffic, n uint64) {
		*b.rows = append(*b.rows, trafficRow{proc: int32(p), phase: q.phase, window: b.window(q.first), perNode: int64(b.perNode),
			placement: b.placement, network: b.network.kind, delay: b.delay, traffic: t, count: n})
	}
	for t, n := range q.tallies { // rows are sorted later
		add(t, n)
	}
	node := int32(int(p) / b.perNode)
	for kind, n := range q.own {
		unit := uint64(1)
		if t := transfer(kind); t == waitTransfer || t == queueTransfer || t == latencyTransfer {
			unit = b.ticks
		}
		if n >= unit {
			add(traffic{transfer(kind), node, node}, n/unit)
		}
		q.own[kind] = n % unit // belongs to the next window
	}
	clear(q.tallies)
}
