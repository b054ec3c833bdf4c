package engine

// The program of a plain run depends on messages by when its receives end, and by nothing else. Which receive a message ends does not depend on which
// of the two is first: of the messages that come in an order, and receives that are posted in an order, whoever is first on either side has the
// first that it selects on the other. And what leaves takes neither the port nor the time of what comes. So until it waits for a message that is not
// known, or looks for one, a program may go on beyond the time up to which its rank knows all messages. It may not send to its own rank: that is there
// at once, after what else comes then. And where it waits for several before it does anything else, nobody feels it before the last has come. Both let
// ranks act more seldom, and do more at once.

// farthest is how many operations a rank does at once beyond the time up to which it knows all messages: what it sends is kept until then.
const maxAhead = 256

// early is whether ranks may do so. Long messages are answered by who has posted its receive at that time, and leave through the port at the time of
// the answer. Beside something else, ranks act in its time.
func (e *engine) runsAhead() bool { return e.fast && e.EagerLimit < 0 && e.opt.CoSimulator == nil }

// freely is whether the program goes on whatever comes. It does not go on to work: what it sends after that would have to be kept for long.
func (r *rank) mayRunAhead() bool {
	e, s := r.e, &r.main
	if e.aheadLeft == 0 || s.t >= Horizon || r.failed {
		return false
	}
	switch s.phase {
	case collecting:
		if s.op.Kind == Collective {
			return false
		}
	case starting:
		if s.op.Kind > Wait || s.op.Peer == r.id && (s.op.Kind == Send || s.op.Kind == Isend) {
			return false
		}
	default:
		return false
	}
	e.aheadLeft--
	return true
}

// together is among how many waits that follow each other, each for something to end, the last is looked for.
const maxWaitScan = 32

// awaited is the pending operation that r, which waits, waits for last before it does anything but wait, as far as that is looked for.
func (r *rank) lastAwaited() int32 {
	on := r.main.pending
	if !r.e.runsAhead() {
		return on
	}
	next := r.ops[r.at:min(r.at+maxWaitScan, len(r.ops))]
	for i := range next {
		if next[i].kind != Wait || next[i].work != 0 {
			break
		}
		n := r.requests.find(next[i].request)
		if n <= 0 {
			break
		}
		if p := &r.e.pendingOps.items[n]; p.done == unfinished && p.from >= 0 {
			on = n
		}
	}
	return on
}

// settle takes up the messages of ranks that wait for another one, which does not come.
func (c *workers) drainBlocked() error {
	for _, e := range c.engines {
		for i := e.first; i < e.end; i++ {
			if r := &e.ranks[i]; r.tasks == nil && len(r.arrivals) > 0 {
				e.active, e.limit = r.id, Horizon
				r.run()
			}
		}
	}
	return nil
}
