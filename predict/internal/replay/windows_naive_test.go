package replay

import (
	"slices"

	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/memsys/wwt"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// naiveTunnel is the plain definition of target wwt: one event after the other in the order of time, with sets as maps and
// invalidations that all nodes get. Windows, inboxes and workers do not exist.
type naiveTunnel struct {
	c        *wwt.Config
	clock    Clock
	barrier  unit.Picos
	homes    func(line uint64) int
	nodes    []*naiveTarget
	messages []naiveMessage
	lines    map[uint64]*naiveLine
	locks    map[int32][]int // the holder first
	signals  map[int32]int
	meeting  map[barrierID][]int
	used     touch.SharedUsage
	groups   func(group int32) int
}

// naiveTarget is a node.
type naiveTarget struct {
	id      int
	steps   []naiveStep
	at      int
	stall   unit.Picos
	waiting bool
	unborn  bool
	from    unit.Picos // of the wait
	sets    [][]naiveWay
	pages   [][]uint64
	was     map[uint64]string
	free    unit.Picos // of its memory
	busy    unit.Picos
	sent    int
	needs   map[int32]int // flag and number of signals
	joins   []int         // who waits for its end
	result  Processor
}

type naiveWay struct {
	line  uint64
	store bool
}

type naiveLine struct {
	owner          int
	copies         map[int]bool
	busy, supplied bool
	left           unit.Picos
	queue          []naiveMessage
}

type naiveMessage struct {
	at       unit.Picos
	from, to int
	seq      int
	do       func(at unit.Picos)
}

// send makes a node do something when a message arrives.
func (n *naiveTunnel) send(now unit.Picos, from, to int, size unit.Bytes, do func(at unit.Picos)) {
	t := n.nodes[from]
	m := naiveMessage{now, from, to, t.sent, do}
	t.sent++
	if from != to {
		m.at += n.c.Network
		n.used.Messages++
		n.used.MessageBytes += size
		n.used.End = max(n.used.End, m.at)
	}
	n.messages = append(n.messages, m)
}

// acts returns when a node's processor acts next.
func (n *naiveTunnel) acts(t *naiveTarget) unit.Picos {
	if t.waiting || t.unborn || t.at == len(t.steps) {
		return never
	}
	s := &t.steps[t.at]
	return n.clock.At(s.instr, s.touches) + t.stall
}

// step does the next thing of all nodes.
func (n *naiveTunnel) step() bool {
	best, when, message := -1, never, -1
	for i, m := range n.messages {
		if b := message; b < 0 || m.at < when || m.at == when && (m.from < n.messages[b].from || m.from == n.messages[b].from && m.seq < n.messages[b].seq) {
			message, when = i, m.at
		}
	}
	for i, t := range n.nodes {
		if at := n.acts(t); at < when {
			best, when, message = i, at, -1
		}
	}
	switch {
	case message >= 0:
		m := n.messages[message]
		n.messages = slices.Delete(n.messages, message, message+1)
		m.do(m.at)
	case best >= 0:
		n.act(n.nodes[best], when)
	default:
		return false
	}
	return true
}

// passed moves a node past its step. If that was the last, those who wait for its end hear of it.
func (n *naiveTunnel) passed(t *naiveTarget) {
	t.at++
	if t.at == len(t.steps) {
		for _, q := range t.joins {
			n.wake(n.end(t), t.id, q)
		}
		t.joins = nil
	}
}

func (n *naiveTunnel) end(t *naiveTarget) unit.Picos {
	return n.clock.At(uint64(t.result.Instr), t.touches()) + t.stall
}

func (t *naiveTarget) touches() uint64 {
	if len(t.steps) == 0 {
		return 0
	}
	return t.steps[len(t.steps)-1].touches
}

// wake ends the wait of q by a message.
func (n *naiveTunnel) wake(at unit.Picos, from, q int) {
	n.send(at, from, q, n.c.Control, func(at unit.Picos) {
		t := n.nodes[q]
		t.result.Sync += at - t.from
		t.stall += at - t.from
		t.waiting = false
		n.passed(t)
	})
}

func (n *naiveTunnel) act(t *naiveTarget, now unit.Picos) {
	s := &t.steps[t.at]
	if s.event == nil {
		n.access(t, now, s)
		return
	}
	n.perform(t, now, s.event)
}

func (n *naiveTunnel) perform(t *naiveTarget, now unit.Picos, e *trace.Event) {
	home := int(e.Peer) % len(n.nodes)
	tell := func(to int, do func(at unit.Picos)) { n.send(now, t.id, to, n.c.Control, do) }
	wait := func() { t.waiting, t.from = true, now }
	switch e.Kind {
	case trace.Barrier:
		wait()
		tell(home, func(at unit.Picos) {
			id := barrierID{e.Peer, e.Group}
			if n.meeting[id] = append(n.meeting[id], t.id); len(n.meeting[id]) == n.groups(e.Group) {
				for _, q := range n.meeting[id] {
					n.wake(at+n.barrier, home, q)
				}
				n.meeting[id] = nil
			}
		})
	case trace.Lock:
		wait()
		tell(home, func(at unit.Picos) {
			if n.locks[e.Peer] = append(n.locks[e.Peer], t.id); len(n.locks[e.Peer]) == 1 {
				n.wake(at, home, t.id)
			}
		})
	case trace.Unlock:
		tell(home, func(at unit.Picos) {
			if n.locks[e.Peer] = n.locks[e.Peer][1:]; len(n.locks[e.Peer]) > 0 {
				n.wake(at, home, n.locks[e.Peer][0])
			}
		})
		n.passed(t)
	case trace.Signal:
		tell(home, func(at unit.Picos) {
			n.signals[e.Peer]++
			for _, q := range n.order(e.Peer) {
				if need := n.nodes[q].needs; need[e.Peer] <= n.signals[e.Peer] {
					delete(need, e.Peer)
					n.wake(at, home, q)
				}
			}
		})
		n.passed(t)
	case trace.WaitFlag:
		wait()
		tell(home, func(at unit.Picos) {
			if int(e.Tag) <= n.signals[e.Peer] {
				n.wake(at, home, t.id)
			} else {
				t.needs[e.Peer] = int(e.Tag)
			}
		})
	case trace.Fork:
		child := n.nodes[e.Peer]
		tell(child.id, func(at unit.Picos) {
			child.unborn = false
			child.result.Sync, child.stall = at, at
			if len(child.steps) == 0 {
				child.at = -1
				n.passed(child)
			}
		})
		n.passed(t)
	case trace.Join:
		child := n.nodes[e.Peer]
		wait()
		tell(child.id, func(at unit.Picos) {
			if !child.unborn && child.at == len(child.steps) {
				n.wake(max(at, n.end(child)), child.id, t.id)
			} else {
				child.joins = append(child.joins, t.id)
			}
		})
	default:
		n.passed(t)
	}
}

// order returns those who wait for a flag.
func (n *naiveTunnel) order(flag int32) (all []int) {
	for _, t := range n.nodes {
		if _, ok := t.needs[flag]; ok {
			all = append(all, t.id)
		}
	}
	return all
}

// access looks up a line, or asks its home.
func (n *naiveTunnel) access(t *naiveTarget, now unit.Picos, s *naiveStep) {
	translate := n.translate(t, s.line)
	count := &t.result.Counts
	set := &t.sets[s.line%uint64(n.c.Sets)]
	w := slices.IndexFunc(*set, func(w naiveWay) bool { return w.line == s.line })
	if w >= 0 && (!s.store || (*set)[w].store) {
		way := (*set)[w]
		*set = slices.Insert(slices.Delete(*set, w, w+1), 0, way)
		if s.store {
			count.Stores++
		} else {
			count.Loads++
		}
		t.stall += translate
		t.result.Latency += translate
		n.passed(t)
		return
	}
	kind := &count.LoadMisses
	if s.store {
		kind = &count.StoreMisses
	}
	home := n.homes(s.line)
	switch {
	case w >= 0:
		count.Upgrades++
	case t.was[s.line] == "":
		kind.Cold++
	case t.was[s.line] == "invalidated":
		kind.Coherence++
	default:
		kind.Replacement++
	}
	if w < 0 && home != t.id {
		count.RemoteFetches++
	}
	t.waiting, t.from = true, now
	n.send(now+translate, t.id, home, n.c.Control, func(at unit.Picos) {
		n.asked(at, home, &naiveRequest{t, s.line, s.store, w >= 0, translate})
	})
}

func (n *naiveTunnel) translate(t *naiveTarget, line uint64) unit.Picos {
	if n.c.Entries == 0 {
		return 0
	}
	page := line >> n.c.PageShift
	sets := n.c.Entries / n.c.EntryWays
	set := &t.pages[page%uint64(sets)]
	if w := slices.Index(*set, page); w >= 0 {
		*set = slices.Insert(slices.Delete(*set, w, w+1), 0, page)
		return 0
	}
	*set = slices.Insert(*set, 0, page)
	if len(*set) > n.c.EntryWays {
		*set = (*set)[:n.c.EntryWays]
	}
	t.result.Counts.TLBMisses++
	return n.c.Translate
}

type naiveRequest struct {
	t       *naiveTarget
	line    uint64
	store   bool
	upgrade bool
	idle    unit.Picos
}

func (n *naiveTunnel) lineOf(line uint64) *naiveLine {
	if n.lines[line] == nil {
		n.lines[line] = &naiveLine{owner: -1, copies: map[int]bool{}}
	}
	return n.lines[line]
}

func (n *naiveTunnel) serve(home int, at, hold, latency unit.Picos) unit.Picos {
	h := n.nodes[home]
	start := max(at, h.free)
	h.free = start + hold
	h.busy += hold
	n.used.End = max(n.used.End, h.free)
	return start + latency
}

// asked begins a request, or makes it wait.
func (n *naiveTunnel) asked(at unit.Picos, home int, r *naiveRequest) {
	l := n.lineOf(r.line)
	if l.busy {
		l.queue = append(l.queue, naiveMessage{do: func(at unit.Picos) { n.asked(at, home, r) }})
		return
	}
	r.upgrade = r.upgrade && l.copies[r.t.id]
	others := 0
	for q := range l.copies {
		if q != r.t.id {
			others++
		}
	}
	far := func(q int) unit.Picos {
		if q == home {
			return 0
		}
		return 2 * n.c.Network
	}
	switch {
	case l.owner >= 0:
		left, back := max(n.serve(home, at, n.c.Trap, n.c.Trap), l.left), far(l.owner)
		n.recall(left, home, l.owner, r.line, r.store)
		if back > 0 {
			n.used.Messages++
			n.used.MessageBytes += n.c.Data
		}
		if r.store {
			delete(l.copies, l.owner)
		}
		l.owner, l.supplied, l.busy = -1, true, true
		r.idle += n.c.Trap + back
		n.send(left+back, home, home, 0, func(at unit.Picos) { n.complete(at, home, r) })
	case r.store && others > 0:
		left, back := max(n.serve(home, at, n.c.Trap, n.c.Trap), l.left), unit.Picos(0)
		for q := range n.nodes {
			if q != r.t.id {
				n.recall(left, home, q, r.line, true)
				delete(l.copies, q)
				if back = max(back, far(q)); q != home {
					n.used.Messages++
					n.used.MessageBytes += n.c.Control
				}
			}
		}
		l.busy = true
		r.idle += n.c.Trap + back
		n.send(left+back, home, home, 0, func(at unit.Picos) { n.complete(at, home, r) })
	case r.upgrade:
		r.idle += n.c.LookUp
		n.answer(n.serve(home, at, n.c.LookUp, n.c.LookUp), home, r, false)
	default:
		r.idle += n.c.LookUp + n.c.Latency
		n.answer(n.serve(home, at, n.c.LookUp+n.c.Occupancy, n.c.LookUp+n.c.Latency), home, r, false)
	}
}

// recall takes a line, or the permission to store to it, from a cache.
func (n *naiveTunnel) recall(at unit.Picos, home, q int, line uint64, all bool) {
	n.send(at, home, q, n.c.Control, func(unit.Picos) {
		t := n.nodes[q]
		set := &t.sets[line%uint64(n.c.Sets)]
		w := slices.IndexFunc(*set, func(w naiveWay) bool { return w.line == line })
		switch {
		case w < 0:
		case all:
			*set = slices.Delete(*set, w, w+1)
			t.was[line] = "invalidated"
			t.result.Counts.Invalidations++
		default:
			(*set)[w].store = false
		}
	})
}

func (n *naiveTunnel) complete(at unit.Picos, home int, r *naiveRequest) {
	l := n.lineOf(r.line)
	supplied := l.supplied
	switch {
	case supplied:
		n.serve(home, at, n.c.Occupancy, 0)
	case !r.upgrade:
		at = n.serve(home, at, n.c.Occupancy, n.c.Latency)
		r.idle += n.c.Latency
	}
	l.supplied = false
	n.answer(at, home, r, supplied)
}

func (n *naiveTunnel) answer(at unit.Picos, home int, r *naiveRequest, supplied bool) {
	l, t := n.lineOf(r.line), r.t
	size, network := n.c.Data, unit.Picos(0)
	if r.upgrade {
		size = n.c.Control
	}
	if home != t.id {
		network = n.c.Network
	}
	l.copies[t.id] = true
	if r.store {
		l.owner = t.id
	}
	l.left = max(l.left, at)
	n.send(at, home, t.id, size, func(at unit.Picos) { n.answered(at, r.line, r.store, supplied, r.idle+network, t) })
	if l.busy = l.busy || r.store; l.busy {
		n.send(at+network, home, home, 0, func(at unit.Picos) {
			l.busy = false
			for len(l.queue) > 0 && !l.busy {
				next := l.queue[0]
				l.queue = l.queue[1:]
				next.do(at)
			}
		})
	}
}

// answered puts the line into the cache, and makes the access.
func (n *naiveTunnel) answered(at unit.Picos, line uint64, store, supplied bool, idle unit.Picos, t *naiveTarget) {
	if supplied {
		t.result.Counts.CacheToCache++
	}
	set := &t.sets[line%uint64(n.c.Sets)]
	if w := slices.IndexFunc(*set, func(w naiveWay) bool { return w.line == line }); w >= 0 {
		*set = slices.Delete(*set, w, w+1)
	} else if len(*set) == n.c.Ways {
		n.evict(t, at, (*set)[n.c.Ways-1])
		*set = (*set)[:n.c.Ways-1]
	}
	*set = slices.Insert(*set, 0, naiveWay{line, store})
	t.result.Latency += idle
	t.result.Contention += at - t.from - idle
	t.stall += at - t.from
	t.waiting = false
	if store {
		t.result.Counts.Stores++
	} else {
		t.result.Counts.Loads++
	}
	t.was[line] = "had"
	n.passed(t)
}

func (n *naiveTunnel) evict(t *naiveTarget, at unit.Picos, old naiveWay) {
	home, size, hold := n.homes(old.line), n.c.Control, n.c.LookUp
	t.was[old.line] = "replaced"
	if old.store {
		t.result.Counts.WriteBacks++
		size, hold = n.c.Data, n.c.Occupancy
	}
	n.send(at, t.id, home, size, func(at unit.Picos) {
		l := n.lineOf(old.line)
		l.supplied = false
		delete(l.copies, t.id)
		if l.owner == t.id {
			l.owner = -1
		}
		n.serve(home, at, hold, hold)
	})
}
