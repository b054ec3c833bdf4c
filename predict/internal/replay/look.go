package replay

import (
	"fmt"

	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// A processor without a cache that waits for a flag, a lock or a barrier looks at its word again and again. If the word is
// in the memory of another node, each look is a network access: a load, or a test&set for a lock [sivasubramaniam1995,
// sec. 6.2]. A look begins when the one before it has returned. It takes the time of a touch and of the access. The
// processor goes on at the first look that begins when what it waits for has happened: that is the reference that the
// program makes after the event. Only the looks before it are simulated here. The first one begins at the event.
//
// A lock is taken by the processor whose look comes first after the release. Words of barriers are in the memory of
// processor 0's node (touch.BarrierWord). A look at a word in the own node's memory disturbs nobody and is not
// simulated: the processor goes on at once.
//
// Looks are simulated one by one. Each takes at least two latencies of the network, which bounds their number by the
// simulated time.

// looking is the wait of a processor that looks at a word.
type looking struct {
	active bool
	word   uint64     // its block
	store  bool       // a look is a test&set
	passed *processor // the last one at the barrier, when it is there
	since  unit.Picos // when it came
	from   unit.Picos // when the barrier lets go
}

// pass notes that by was the last at the barrier at time since. The barrier lets go from a time on.
func (l *looking) pass(by *processor, since, from unit.Picos) {
	l.passed, l.since, l.from = by, since, from
}

// stuckAfter is after how many looks of a processor the run checks that another one can still end its wait.
const stuckAfter = 1 << 10

// look makes p, which waits from now on, look at a word with the given address. It reports false if looks cost
// nothing, so that others wake p.
func (r *run) look(p *processor, addr uint64, store bool) bool {
	switch {
	case !r.opt.Looks:
		return false
	case addr == 0:
		r.unplacedWaits++
		return false
	}
	p.looking = looking{active: true, word: addr >> r.shift, store: store}
	if r.lookOnce(p) == (touch.Cost{}) {
		p.looking.active = false
	}
	return p.looking.active
}

// lookOnce makes p look, and adds the cost to its waits.
func (r *run) lookOnce(p *processor) touch.Cost {
	cost := r.sys.Access(p.next, p.id, p.looking.word, p.looking.store)
	rest := r.sys.Drain(p.next, p.id) // the processor needs the value
	cost.Latency, cost.Contention = cost.Latency+rest.Latency, cost.Contention+rest.Contention
	if cost == (touch.Cost{}) {
		return cost
	}
	r.looks++
	touchTime := p.clock.At(0, 1)
	r.charge(p, p.next, cost)
	p.waited.Sync += touchTime
	r.observeSync(p, touchTime)
	p.stall += cost.Total() + touchTime
	p.next += cost.Total() + touchTime
	return cost
}

// runLooking lets p, which is the first of the queue, look or go on.
func (r *run) runLooking(p *processor) error {
	if err := r.lookAgain(p); err != nil {
		return err
	}
	r.requeue(p)
	return nil
}

// lookAgain lets p, whose next look is due, go on if its wait has ended. Otherwise it looks.
func (r *run) lookAgain(p *processor) error {
	if by, since, over := r.waitIsOver(p); over {
		p.looking.active = false
		r.resumeLooking(p, by, since)
		return nil
	}
	r.lookOnce(p)
	p.lookedFor++
	if p.lookedFor%stuckAfter == 0 && r.onlyLooking() {
		return r.deadlock()
	}
	return nil
}

// waitIsOver reports whether what p looks for has happened, and what made it happen. If it is a lock, p takes it.
func (r *run) waitIsOver(p *processor) (by *processor, since unit.Picos, over bool) {
	e := &p.rows[p.event-1]
	switch p.state {
	case atFlag:
		f := r.flagOf(e.Peer)
		return f.by, f.since, f.signals >= int64(e.Tag)
	case atLock:
		l := r.locks[e.Peer]
		if l.holder != nil {
			return nil, 0, false
		}
		l.holder = p
		return l.by, l.since, true
	}
	return p.looking.passed, p.looking.since, p.looking.passed != nil && p.next >= p.looking.from
}

// resumeLooking lets p go on at p.next.
func (r *run) resumeLooking(p *processor, by *processor, since unit.Picos) {
	atBar := p.state == atBarrier
	p.state = running
	if r.opt.Observer != nil {
		r.observeCause(p, by, since)
		r.observeEnd(p, p.next)
	}
	if atBar {
		r.endPhase(p)
	}
}

// onlyLooking reports whether all processors that are not blocked look for what nobody will do.
func (r *run) onlyLooking() bool {
	for _, p := range r.procs {
		switch {
		case p.state == running || p.state == atMessage:
			return false
		case p.looking.active:
			e := &p.rows[p.event-1]
			if p.looking.passed != nil || p.state == atFlag && r.flagOf(e.Peer).signals >= int64(e.Tag) || p.state == atLock && r.locks[e.Peer].holder == nil {
				return false
			}
		}
	}
	return true
}

// lookWarning says that some waits cost no looks, or nil.
func (r *run) lookWarning() error {
	if r.unplacedWaits == 0 {
		return nil
	}
	return fmt.Errorf("%d waits for flags and locks have no address in the trace, so their looks cost nothing; a machine without caches would look over the network",
		r.unplacedWaits)
}

// wordOf returns the address of the word that e waits for, or 0.
func wordOf(e *trace.Event) uint64 { return uint64(e.Addr) }
