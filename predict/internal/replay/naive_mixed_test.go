package replay

import (
	"math"
	"slices"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/memsys"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// naiveMail is the messages of naive, by L, o, g and G: what happens next is looked for everywhere.
// Of what happens at one time, touches, locks and flags are first, then messages that come, then
// what processors do about messages.
type naiveMail struct {
	net      cost.Model
	barriers func(rank int32, op *program.Op) ([]program.Step, error) // the messages of a barrier, by rank
	ranks    []*naiveRank
	byte     float64         // in a node that says what messages cost: of the memory
	local    bool            // it does; net has its costs
	copied   [][2]unit.Picos // when copies have the memory
}

// naiveRank is a processor and its port.
type naiveRank struct {
	todo     []naivePart // what is left of the event that it has come to
	cpu      unit.Picos  // when it can go on with that
	out, in  unit.Picos  // when the next message can begin to be sent, and be taken up
	sent     int
	coming   []*naiveLetter // by the time of their first bytes
	here     []*naiveLetter // taken up, and not received
	posted   []*naiveReceive
	requests map[int32]*naiveReceive // nil of sends
	met      int32                   // barriers
	comes    [][2]unit.Picos         // in a node: when it can take no other letter
	latest   map[int32]unit.Picos    // in a node: of each sender
}

type naiveLetter struct {
	at        unit.Picos // its first byte, and when it has been taken up its last
	from      int32
	number    int // of those that it has sent
	tag       int32
	bytes     int64
	ofBarrier bool // of a barrier
}

// naiveReceive is a receive that waits for a letter, or has it.
type naiveReceive struct {
	from, tag int32
	ofBarrier bool
	letter    *naiveLetter
}

// naivePart is one of three: send a message, post a receive, await its letter.
type naivePart struct {
	send     *naiveLetter
	to       int32
	patient  bool // the send waits until the port is free
	post     *naiveReceive
	awaiting *naiveReceive
}

func runNaiveMixed(m *trace.Memory, cfg memsys.Config, net cost.Model, local bool, perByte float64, clock Clock) (*Result, error) {
	n := newNaive(m, cfg, 0, clock)
	n.mail = &naiveMail{net: net, local: local, byte: perByte, barriers: BarrierSteps(m.Head.Procs, "doubling")}
	for range n.procs {
		n.mail.ranks = append(n.mail.ranks, &naiveRank{requests: map[int32]*naiveReceive{}, latest: map[int32]unit.Picos{}})
	}
	for {
		memory := cost.Horizon + 1
		if ready := n.ready(); len(ready) > 0 {
			memory = n.time(ready[0])
		}
		to, comes := n.mail.comes()
		p, acts := n.mail.acts()
		switch first := min(memory, comes, acts); {
		case first > cost.Horizon:
			return n.finish(m)
		case memory == first:
			n.step()
		case comes == first:
			n.mail.takeUp(n.mail.ranks[to])
		default:
			n.act(p, acts)
		}
	}
}

// comes is where the first of all letters comes, and when.
func (n *naiveMail) comes() (to int, at unit.Picos) {
	at = cost.Horizon + 1
	for p, r := range n.ranks {
		if len(r.coming) > 0 && r.coming[0].at < at {
			to, at = p, r.coming[0].at
		}
	}
	return to, at
}

// acts is who does something about messages first, and when.
func (n *naiveMail) acts() (p int, at unit.Picos) {
	at = cost.Horizon + 1
	for i, r := range n.ranks {
		if len(r.todo) == 0 {
			continue
		}
		t, awaited := r.cpu, r.todo[0].awaiting
		if awaited != nil && awaited.letter == nil {
			continue
		}
		if awaited != nil {
			t = max(t, awaited.letter.at)
		}
		if t < at {
			p, at = i, t
		}
	}
	return p, at
}

// begin is what a processor has to do for an event.
func (n *naiveMail) begin(p int, now unit.Picos, e *trace.Event) {
	r := n.ranks[p]
	r.cpu = now
	receive := &naiveReceive{from: e.Peer, tag: e.Tag}
	switch e.Kind {
	case trace.Send:
		r.todo = []naivePart{{send: &naiveLetter{tag: e.Tag, bytes: e.Bytes}, to: e.Peer, patient: true}}
	case trace.Isend:
		r.todo = []naivePart{{send: &naiveLetter{tag: e.Tag, bytes: e.Bytes}, to: e.Peer}}
		r.requests[e.Request] = nil
	case trace.Recv:
		r.todo = []naivePart{{post: receive}, {awaiting: receive}}
	case trace.Irecv:
		r.todo = []naivePart{{post: receive}}
		r.requests[e.Request] = receive
	case trace.Wait:
		// Short messages have been handed over, so that their senders wait for nothing.
		r.todo = []naivePart{{awaiting: r.requests[e.Request]}}
	case trace.Barrier:
		r.todo = n.barrier(p)
	}
}

// barrier is what a processor has to do in its next one: round by round it posts its receives, sends, and waits for what comes.
func (n *naiveMail) barrier(p int) (all []naivePart) {
	r := n.ranks[p]
	r.met++
	steps, _ := n.barriers(int32(p), nil)
	for len(steps) > 0 {
		last := slices.IndexFunc(steps, func(s program.Step) bool { return s.Round != steps[0].Round })
		if last < 0 {
			last = len(steps)
		}
		var sends, waits []naivePart
		for _, s := range steps[:last] {
			if s.Sends() {
				sends = append(sends, naivePart{send: &naiveLetter{tag: r.met, ofBarrier: true, bytes: s.Bytes()}, to: s.Peer})
				continue
			}
			receive := &naiveReceive{from: s.Peer, tag: r.met, ofBarrier: true}
			all = append(all, naivePart{post: receive})
			waits = append(waits, naivePart{awaiting: receive})
		}
		all = slices.Concat(all, sends, waits)
		steps = steps[last:]
	}
	return all
}

// act does the first part of what p has to do, at a time, and lets it go on when that was the last.
func (n *naive) act(p int, now unit.Picos) {
	r := n.mail.ranks[p]
	part := naivePart{}
	if len(r.todo) > 0 {
		part, r.todo = r.todo[0], r.todo[1:]
	}
	switch {
	case part.send != nil:
		if part.patient && !n.mail.local {
			now = max(now, r.out)
		}
		r.cpu = now + n.mail.net.Send
		if n.mail.local {
			n.copy(int32(p), part, now)
		} else {
			n.mail.send(int32(p), part, now)
		}
	case part.post != nil:
		n.mail.ranks[p].post(part.post)
		r.cpu = now
	case part.awaiting != nil:
		r.cpu = now + n.mail.net.Receive
	}
	if len(r.todo) == 0 {
		q := n.procs[p]
		q.result.Messages += r.cpu - q.arrived
		q.waiting = false
		q.at++
		for n.wake(r.cpu) {
		}
	}
}

// send puts a letter on its way: its first byte leaves o after the port is free, and the port is free for the next one g
// and its bytes later.
func (n *naiveMail) send(p int32, part naivePart, now unit.Picos) {
	r, m := n.ranks[p], part.send
	begins := max(now, r.out)
	r.out = begins + n.net.Gap + n.carry(m.bytes)
	m.at = begins + n.net.Send + n.net.Latency
	n.post(p, part)
}

// post puts a letter among those that come.
func (n *naiveMail) post(p int32, part naivePart) {
	r, m, to := n.ranks[p], part.send, n.ranks[part.to]
	m.from, m.number = p, r.sent
	r.sent++
	to.coming = append(to.coming, m)
	slices.SortFunc(to.coming, func(a, b *naiveLetter) int {
		switch {
		case a.at != b.at:
			return int(a.at - b.at)
		case a.from != b.from:
			return int(a.from - b.from)
		}
		return a.number - b.number
	})
}

// copy copies a letter within the node: when its sender has copied those before and the bus, after all that it is known to do,
// has time. It is there G for each byte after its start, or when the bus is free again, and L later.
func (n *naive) copy(p int32, part naivePart, now unit.Picos) {
	r, m, to, net := n.mail.ranks[p], part.send, n.mail.ranks[part.to], &n.mail.net
	start := max(now+net.Send, r.out)
	r.out = start + net.Gap + n.mail.carry(m.bytes)
	m.at = start + n.mail.carry(m.bytes)
	if hold := unit.Picos(math.Round(float64(m.bytes) * n.mail.byte)); hold > 0 {
		from := firstFree(n.mail.copied, max(start, n.free), hold)
		n.mail.copied = append(n.mail.copied, [2]unit.Picos{from, from + hold})
		m.at = max(m.at, from+hold)
	}
	m.at += net.Latency
	if net.Gap > 0 {
		m.at = firstFree(to.comes, m.at, net.Gap)
		to.comes = append(to.comes, [2]unit.Picos{m.at, m.at + net.Gap})
	}
	m.at = max(m.at, to.latest[p], now+1)
	to.latest[p] = m.at
	n.mail.post(p, part)
}

// takeUp takes up the first letter that comes, g after the one before, and gives it to the first receive that is for it.
func (n *naiveMail) takeUp(r *naiveRank) {
	m := r.coming[0]
	r.coming = r.coming[1:]
	if !n.local {
		start := max(m.at, r.in)
		r.in = start + n.net.Gap
		m.at = start + n.carry(m.bytes)
	}
	for i, receive := range r.posted {
		if receive.wants(m) {
			receive.letter = m
			r.posted = slices.Delete(r.posted, i, i+1)
			return
		}
	}
	r.here = append(r.here, m)
}

// post posts a receive, which gets the first letter that is there for it.
func (r *naiveRank) post(receive *naiveReceive) {
	for i, m := range r.here {
		if receive.wants(m) {
			receive.letter = m
			r.here = slices.Delete(r.here, i, i+1)
			return
		}
	}
	r.posted = append(r.posted, receive)
}

func (w *naiveReceive) wants(m *naiveLetter) bool {
	return w.ofBarrier == m.ofBarrier && w.tag == m.tag && (w.from == trace.None || w.from == m.from)
}

// carry is how long after the first byte the last is there.
func (n *naiveMail) carry(bytes int64) unit.Picos {
	return unit.Picos(float64(max(0, bytes-1))*n.net.PerByte + 0.5)
}
