package memsys

import (
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// CCNUMA is a machine whose memory is distributed over nodes. A directory at the home of each line keeps the private
// caches coherent [sivasubramaniam1995, sec. 3 and 5]. In the paper, the directory is fully mapped and the protocol
// is berkeley.
//
// A miss sends a message to the home. The home looks into its directory (Directory.LookUp). If memory is current, the
// home reads the line (Memory.Latency, Memory.Occupancy) and sends it. Otherwise the home forwards the request to the
// owner's cache. The owner sends the line to the requester, and also to the home if it does not stay the owner. If
// other caches lose their copies, the home sends all invalidations at once, and the caches acknowledge to the
// requester. The requester goes on when it has the data, or the home's permission, and all acknowledgements:
// sequential consistency. Write-backs are posted: only requests for the written line wait for them. The memory and
// directory of a home do one thing at a time. Messages to processors of the requester's own node do not use the
// network.
//
// A request waits at the home for an earlier request for the same line, until that requester has everything. This
// applies if the earlier requester gets the line exclusively or if others lose it. A request also waits until memory
// has stored a write-back. Loads of shared lines delay other requests only for the time that the home itself needs.
//
// The paper does not state the receiver of acknowledgements, nor the handling of clean lines that are replaced.
// Acknowledgements go to the requester as in [lenoski1990], which needs one message less than over the home. Clean
// lines are evicted silently, so their home later sends a useless invalidation, unless there are Directory.Hints.
//
// Differs: transactions take effect in the order of the requests, not of their arrival at the home. Homes learn of
// the end of a transaction without a message. Caches answer at once.
type CCNUMA struct{}

var _ Target = CCNUMA{}

// Name returns "ccnuma".
func (CCNUMA) Name() string { return "ccnuma" }

// New returns a CC-NUMA machine with empty caches.
func (CCNUMA) New(c Config) (touch.System, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Protocol == (coherence.Protocol{}) {
		c.Protocol, _ = coherence.ProtocolNamed(machine.Berkeley)
	}
	n, err := newNodes(&c)
	if err != nil {
		return nil, err
	}
	s := newCoherent(&c)
	dir, err := newDirectory(&c, s)
	if err != nil {
		return nil, err
	}
	s.interconnect = &ccnumaInterconnect{nodes: n, caches: s, directory: dir, lookUp: c.Directory.LookUp, hints: c.Directory.Hints}
	return s, nil
}

// ccnumaInterconnect connects caches through the homes of lines.
type ccnumaInterconnect struct {
	*nodes
	caches       *coherent
	directory    lineDirectory
	lookUp       unit.Picos
	hints        bool
	toInvalidate []trace.Proc // processors that lose their copy in the present transaction
}

func (n *ccnumaInterconnect) fetch(now unit.Picos, t *transaction) touch.Cost {
	from := n.Of(t.proc)
	home := n.homes.Of(t.line, from)
	if from != home || t.supplier >= 0 && n.Of(trace.Proc(t.supplier)) != from {
		n.caches.private[t.proc].counts.RemoteFetches++
	}
	m := n.request(now, t, from, home)
	n.toInvalidate = n.directory.record(t, n.toInvalidate[:0])
	for _, q := range n.toInvalidate {
		if coherence.Valid(t.states[q]) { // the directory cannot track it
			n.caches.invalidate(q)
		}
	}
	var done moment
	var stored unit.Picos
	if t.supplier < 0 {
		m = n.serve(m, home, n.lookUp+n.Occupancy, n.lookUp)
		done = n.send(m.after(n.Latency), home, from, n.messages.Data)
	} else {
		m = n.serve(m, home, n.lookUp, n.lookUp)
		done, stored = n.forward(m, t, from, home)
	}
	done = n.invalidate(m, done, t, from, home)
	if t.states[t.proc] != coherence.Shared || len(n.toInvalidate) > 0 {
		stored = max(stored, done.at)
	}
	n.holdLine(t.line, stored)
	return done.cost(now)
}

// request returns when the home can serve t.
func (n *ccnumaInterconnect) request(now unit.Picos, t *transaction, from, home int) moment {
	m := n.send(n.begin(now), from, home, n.messages.Control).wait(n.busyLines.until[t.line])
	if lost, ok := n.directory.allocate(home, t.line); ok {
		m = n.recall(m, home, lost)
	}
	return m
}

// forward lets the supplier of t send its line. It also returns when memory has stored the line, or 0.
func (n *ccnumaInterconnect) forward(m moment, t *transaction, from, home int) (done moment, stored unit.Picos) {
	owner := n.Of(trace.Proc(t.supplier))
	m = n.send(m, home, owner, n.messages.Control)
	done = n.send(m, owner, from, n.messages.Data)
	if t.stale && !t.store && !coherence.Dirty(t.states[t.supplier]) {
		stored = n.writeBack(m, owner, home).at
	}
	return done, stored
}

// invalidate sends an invalidation, at m from home, to every cache that loses the line of t. The supplier needs none,
// because the request was forwarded to it. The result is when the last has acknowledged and done is over.
func (n *ccnumaInterconnect) invalidate(m, done moment, t *transaction, from, home int) moment {
	for _, q := range n.toInvalidate {
		if t.isUpgrade || int(q) != t.supplier {
			received := n.send(m, home, n.Of(q), n.messages.Control)
			done = done.join(n.send(received, n.Of(q), from, n.messages.Control))
		}
	}
	return done
}

func (n *ccnumaInterconnect) upgrade(now unit.Picos, t *transaction) touch.Cost {
	n.caches.private[t.proc].counts.Upgrades++
	from := n.Of(t.proc)
	home := n.homes.Of(t.line, from)
	m := n.serve(n.request(now, t, from, home), home, n.lookUp, n.lookUp)
	n.toInvalidate = n.directory.record(t, n.toInvalidate[:0])
	done := n.invalidate(m, n.send(m, home, from, n.messages.Control), t, from, home)
	n.holdLine(t.line, done.at)
	return done.cost(now)
}

// recall invalidates a line that its home can no longer track in all caches that may have it. The home goes on when
// all have acknowledged and modified data has been stored.
func (n *ccnumaInterconnect) recall(m moment, home int, line uint64) moment {
	m = n.serve(m.wait(n.busyLines.until[line]), home, n.lookUp, n.lookUp)
	done := m
	states := n.caches.lines.Lookup(line)
	for i, state := range states {
		if !isRecorded(state) {
			continue
		}
		q := trace.Proc(i)
		received := n.send(m, home, n.Of(q), n.messages.Control)
		if coherence.Dirty(state) {
			n.caches.private[q].counts.WriteBacks++
			done = done.join(n.writeBack(received, n.Of(q), home))
		} else {
			done = done.join(n.send(received, n.Of(q), home, n.messages.Control))
		}
		if coherence.Valid(state) {
			n.caches.removeLine(q, line, states, coherence.Invalidated)
		} else {
			states[q] = coherence.EvictedKnown
		}
	}
	return done
}

func (n *ccnumaInterconnect) evict(now unit.Picos, p trace.Proc, line uint64, state uint8) {
	if !coherence.Dirty(state) && !n.hints {
		return
	}
	from := n.Of(p)
	home := n.homes.Of(line, from)
	n.directory.forget(home, p, line)
	left := moment{at: now}
	if coherence.Dirty(state) {
		n.holdLine(line, n.writeBack(left, from, home).at)
	} else {
		n.serve(n.send(left, from, home, n.messages.Control), home, n.lookUp, n.lookUp)
	}
}
