package engine

import (
	"fmt"
	"slices"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// naive simulates programs by the package comment: it looks through everything that could happen
// next anywhere, and does what is first. It knows no lookahead, no tables and no heaps, and takes
// a collective apart into receives, sends and waits.
type naive struct {
	cost.Model
	steps func(rank int32, op *program.Op) ([]program.Step, error)
	ranks []*naiveRank
	now   unit.Picos
	bad   string
	own   func(a, b int32) naiveLevel // costs of ranks of a node, if Local has levels
	ships []*naiveShip                // if Model.Shared
	pairs map[[2]int32]unit.Picos     // when the last message came between two ranks, of a node if Model.Shared
}

type naiveRank struct {
	id       int32
	cpu      unit.Picos
	out, in  unit.Picos
	sent     uint32
	coming   []*naiveMail
	here     []*naiveMail // without a receive
	posted   []*naiveReceive
	requests map[int32]*naiveEnd
	strands  []*naiveStrand
	needs    [][]int // of a graph
	done     []bool
	from     []unit.Picos
	graph    []program.Op
	account  outcome.Rank
	virtual  unit.Picos
	last     unit.Picos
	since    []unit.Picos // of a graph
	computes bool         // what the processor is busy with
}

type naiveMail struct {
	at, portWait, flight unit.Picos
	held                 unit.Picos // of late
	from, tag, group     int32
	seq                  uint32
	bytes                int64
	kind                 packetKind
	receive              *naiveReceive
	send                 *naiveEnd
	sendBytes            int64
}

// naiveEnd is the end of something.
type naiveEnd struct {
	known            bool
	at               unit.Picos
	portWait, flight unit.Picos
	receive          bool
	bytes            int64
	from             int32 // of a received message
	early            bool  // it came before its receive was posted
}

type naiveReceive struct {
	from, tag, group int32
	end              *naiveEnd
}

// naiveStrand is operations one after the other.
type naiveStrand struct {
	row    int
	ops    []naiveOp
	inner  []naiveOp // of the collective that is ops[0]
	t      unit.Picos
	worked bool
	on     *naiveEnd
	probes bool       // and has not seen
	seen   *naiveMail // that was probed
	main   bool
	ends   *naiveEnd // with it, of a nonblocking collective
	agenda naiveAgenda
}

// naiveAgenda is when LogGOPSim schedules: what waits for nothing is scheduled together.
type naiveAgenda struct {
	since, begun unit.Picos   // when that was, and when the first of it could begin
	began        []unit.Picos // its operations
}

// schedule is that what follows is scheduled, when the last operation of those before it has begun.
func (a *naiveAgenda) schedule(begin unit.Picos) {
	if len(a.began) > 0 {
		a.since = max(a.since, slices.Max(a.began))
	}
	a.begun = begin
}

type naiveOp struct {
	program.Op
	end *naiveEnd // of an irecv, isend or wait that a collective is made of
}

func newNaive(all [][]program.Op, graphs []*program.Graph, m cost.Model, steps func(int32, *program.Op) ([]program.Step, error)) *naive {
	n := &naive{Model: m, steps: steps, pairs: map[[2]int32]unit.Picos{}}
	for i, ops := range all {
		r := &naiveRank{id: int32(i), requests: map[int32]*naiveEnd{}}
		n.ranks = append(n.ranks, r)
		if graphs == nil || graphs[i] == nil {
			s := &naiveStrand{main: true, agenda: naiveAgenda{since: -1, began: []unit.Picos{0}}}
			for _, op := range ops {
				s.ops = append(s.ops, naiveOp{Op: op})
			}
			r.strands = append(r.strands, s)
			continue
		}
		g := graphs[i]
		r.graph, r.done, r.from, r.since = ops, make([]bool, len(ops)), make([]unit.Picos, len(ops)), make([]unit.Picos, len(ops))
		for j := range ops {
			var needs []int
			for _, need := range g.Rows[g.Starts[j]:g.Starts[j+1]] {
				needs = append(needs, int(need))
			}
			r.needs = append(r.needs, needs)
		}
		for j := range ops {
			if len(r.needs[j]) == 0 {
				r.strands = append(r.strands, &naiveStrand{row: j, ops: []naiveOp{{Op: ops[j]}}, agenda: naiveAgenda{since: -1, began: []unit.Picos{0}}})
			}
		}
	}
	return n
}

// run does what is first until nothing can be done.
func (n *naive) run() {
	for n.bad == "" {
		var first *naiveRank
		var does func(now unit.Picos)
		at := never
		for _, r := range n.ranks {
			if t, f := n.next(r); f != nil && t < at {
				first, does, at = r, f, t
			}
		}
		if n.Shared != nil && n.Shared.Next() < never && (first == nil || n.Shared.Next() <= at) {
			n.land()
			continue
		}
		if first == nil {
			return
		}
		n.now = at
		does(at)
	}
}

// next is what a rank does next.
func (n *naive) next(r *naiveRank) (unit.Picos, func(unit.Picos)) {
	at := never
	var does func(unit.Picos)
	var first *naiveMail
	for _, m := range r.coming {
		if first == nil || m.kind == ack && first.kind != ack ||
			(m.kind == ack) == (first.kind == ack) && (m.at < first.at || m.at == first.at && (m.from < first.from || m.from == first.from && m.seq < first.seq)) {
			first = m
		}
	}
	// A release needs nothing, so that it may be before or after the first of the others.
	var other *naiveMail
	for _, m := range r.coming {
		if m.kind != ack && (other == nil || m.at < other.at || m.at == other.at && (m.from < other.from || m.from == other.from && m.seq < other.seq)) {
			other = m
		}
	}
	for _, m := range []*naiveMail{first, other} {
		if m == nil {
			continue
		}
		t := m.at
		if n.LogGOPSim && m.kind != ack {
			t = max(t, r.cpu, r.in)
		}
		if t < at {
			at, does = t, func(now unit.Picos) { n.comes(r, m, now) }
		}
	}
	var best *naiveStrand
	var bestAt unit.Picos
	var bestFree bool
	order := func(s *naiveStrand, free bool) unit.Picos {
		if n.LogGOPSim && !free {
			return s.agenda.since
		}
		return s.t
	}
	for _, s := range r.strands {
		t, free, can := n.ready(r, s)
		if !can {
			continue
		}
		better := best == nil || t < bestAt
		if best != nil && t == bestAt {
			mine, its := order(s, free), order(best, free)
			earlier := mine < its || mine == its && s.row < best.row
			better = free && !bestFree || free == bestFree && earlier
		}
		if better {
			best, bestAt, bestFree = s, t, free
		}
	}
	first = other
	for _, m := range r.coming {
		if m.kind == ack && m.at == at {
			first = nil
		}
	}
	ownFirst := bestAt < at
	if n.LogGOPSim && bestAt == at && first != nil {
		sent := first.at - n.Latency - n.Send
		ownFirst = bestFree || best != nil && (sent > best.agenda.since || sent == best.agenda.since && first.from >= r.id)
	}
	if best != nil && ownFirst {
		at, does = bestAt, func(now unit.Picos) { n.act(r, best, now) }
	}
	return at, does
}

// op is what a strand does, of a collective the part.
func (s *naiveStrand) op() *naiveOp {
	if len(s.inner) > 0 {
		return &s.inner[0]
	}
	return &s.ops[0]
}

// ready is when a strand can go on, and whether it needs nothing for that.
func (n *naive) ready(r *naiveRank, s *naiveStrand) (at unit.Picos, free, can bool) {
	switch {
	case s.on != nil && !s.on.known, len(s.ops) == 0, s.probes:
		return 0, false, false
	case s.on != nil:
		return n.when(r, s, !n.LogGOPSim, false)
	case s.seen != nil:
		return n.when(r, s, false, false)
	}
	op := s.op()
	if op.Work > 0 && !s.worked {
		return n.when(r, s, true, false)
	}
	if op.Kind == program.Send || op.Kind == program.Isend {
		return n.when(r, s, true, n.LogGOPSim)
	}
	if n.LogGOPSim && len(s.inner) == 0 && (op.Kind == program.Recv || op.Kind == program.Irecv) {
		return s.t, false, true // it needs no processor, but has its turn among those that do
	}
	return n.when(r, s, false, false)
}

func (n *naive) when(r *naiveRank, s *naiveStrand, processor, port bool) (unit.Picos, bool, bool) {
	at := s.t
	if processor {
		at = max(at, r.cpu)
	}
	if port {
		at = max(at, r.out)
	}
	return at, !processor, true
}

// busy has the processor busy from a time on, after it was idle for want of a message.
func (n *naive) busy(r *naiveRank, from, long unit.Picos, part observe.Part, portWait, flight unit.Picos) {
	if idle := from - r.cpu; idle > 0 {
		contention := min(idle, portWait)
		latency := min(idle-contention, flight)
		r.account.Parts[observe.Contention] += contention
		r.account.Parts[observe.Latency] += latency
		r.account.Parts[observe.Waiting] += idle - contention - latency
		r.cpu = from
	}
	r.account.Parts[part] += long
	r.cpu += long
	if long > 0 {
		r.computes = part == observe.Computing
	}
}

// interrupts has a mail take the processor from what it does: at once from a computation, which ends later by that; from anything else when it is over.
// What the rank would do next, it does later.
func (n *naive) interrupts(r *naiveRank, m *naiveMail, now unit.Picos) {
	if !n.Interrupts || m.kind == rts || now >= r.cpu || m.from == r.id || n.near(m.from, r.id) {
		return
	}
	long := n.Interrupt
	switch {
	case n.UsesLinks():
	case n.Sizes != nil:
		long += n.rest(m.bytes)
	default:
		long += n.BytesTime(m.bytes)
	}
	computes, end := r.computes, r.cpu
	n.busy(r, end, long, observe.Overhead, 0, 0)
	r.computes = computes
	for _, s := range r.strands {
		if s.t >= end {
			s.t = max(s.t, r.cpu)
		}
	}
}

// act does the next thing of a strand.
func (n *naive) act(r *naiveRank, s *naiveStrand, now unit.Picos) {
	op := s.op()
	switch {
	case s.on != nil:
		e := s.on
		long := unit.Picos(0)
		if e.receive && !n.LogGOPSim {
			long = n.ownR(e.from, r.id, e.bytes)
			if op.end == nil { // the operation's own, not a part's of a collective
				long += op.Extra
			}
			if e.early {
				long += unit.Picos(float64(e.bytes)*n.CopyPerByte + 0.5)
			}
		}
		if long > 0 || max(now, e.at) > r.cpu {
			n.busy(r, max(now, e.at), long, observe.Overhead, e.portWait, e.flight)
			now = r.cpu
		}
		s.on = nil
		taken := e.at
		if e.receive && n.LogGOPSim {
			taken -= n.Receive + n.BytesTime(e.bytes)
		}
		s.agenda.began = append(s.agenda.began, taken)
		s.agenda.schedule(max(now, e.at))
		n.over(r, s, max(now, e.at))
		return
	case s.seen != nil:
		n.busy(r, now, 0, observe.Overhead, s.seen.portWait, s.seen.flight)
		s.seen = nil
		n.over(r, s, max(now, r.cpu))
		return
	case op.Work > 0 && !s.worked:
		n.busy(r, now, op.Work, observe.Computing, 0, 0)
		s.t, s.worked = r.cpu, true
		s.agenda.began = append(s.agenda.began, now)
		s.agenda.schedule(r.cpu)
		return
	}
	n.perform(r, s, op, now)
}

func (n *naive) perform(r *naiveRank, s *naiveStrand, op *naiveOp, now unit.Picos) {
	switch op.Kind {
	case program.Compute:
		n.over(r, s, now)
	case program.Send, program.Isend:
		if op.Kind == program.Send && !n.LogGOPSim && r.graph == nil && op.Peer != r.id {
			free := r.out - n.Send - op.Extra
			if n.Sizes != nil {
				free = r.out - op.Extra
			}
			if free > now {
				n.busy(r, free, 0, observe.Overhead, free-now, 0)
				now = free
			}
		}
		e := n.sends(r, op, now)
		if s.agenda.began = append(s.agenda.began, now); op.Kind == program.Send {
			s.agenda.schedule(r.cpu)
		}
		switch {
		case op.end != nil: // part of a collective: its wait is for e
			for i := range s.inner {
				if s.inner[i].Kind == program.Wait && s.inner[i].end == op.end {
					s.inner[i].end = e
				}
			}
		case op.Kind == program.Isend && op.Request >= 0:
			r.requests[op.Request] = e
		}
		if op.Kind == program.Send && !e.known {
			s.on, s.t = e, r.cpu
			return
		}
		n.over(r, s, r.cpu)
	case program.Recv, program.Irecv:
		s.agenda.began = append(s.agenda.began, s.agenda.begun)
		e := op.end
		if e == nil {
			e = &naiveEnd{}
		}
		e.receive = true
		p := &naiveReceive{op.Peer, op.Tag, op.Group, e}
		if i := slices.IndexFunc(r.here, p.selects); i >= 0 {
			m := r.here[i]
			r.here = slices.Delete(r.here, i, i+1)
			e.early = m.kind == eager
			n.meet(r, p, m, now)
		} else {
			r.posted = append(r.posted, p)
		}
		if op.Kind == program.Recv {
			s.on = e
			s.t = now
			if e.known {
				s.t = max(now, e.at)
			}
			return
		}
		if op.end == nil && op.Request >= 0 {
			r.requests[op.Request] = e
		}
		n.over(r, s, now)
	case program.Wait:
		s.agenda.schedule(now)
		e := op.end
		if e == nil {
			if op.Request < 0 {
				n.over(r, s, now)
				return
			}
			e = r.requests[op.Request]
			delete(r.requests, op.Request)
			if e == nil {
				if !op.IgnoreClosed {
					n.bad = "request"
				}
				n.over(r, s, now)
				return
			}
		}
		if e.known && !e.receive && e.at == -1 { // an eager send: nothing to wait for
			n.over(r, s, now)
			return
		}
		s.on, s.t = e, now
		if e.known {
			s.t = max(now, e.at)
		}
	case program.Probe:
		p := &naiveReceive{from: op.Peer, tag: op.Tag, group: op.Group}
		if i := slices.IndexFunc(r.here, p.selects); i >= 0 {
			s.seen, s.t = r.here[i], max(now, r.here[i].at)
			return
		}
		s.t, s.probes = now, true
	case program.Collective:
		steps, _ := n.steps(r.id, &op.Op)
		ops := apart(steps, &op.Op)
		if op.Request >= 0 {
			end := &naiveEnd{}
			r.requests[op.Request] = end
			c := &naiveStrand{row: s.row, ops: []naiveOp{{}}, inner: ops, worked: true, t: now, ends: end, agenda: s.agenda}
			c.agenda.began = slices.Clone(s.agenda.began)
			c.agenda.schedule(now)
			if len(ops) == 0 {
				*end = naiveEnd{known: true, at: now}
			} else {
				r.strands = append(r.strands, c)
			}
			n.over(r, s, now)
			return
		}
		s.agenda.schedule(now)
		if s.inner = ops; len(ops) == 0 {
			n.over(r, s, now)
			return
		}
		s.t, s.worked = now, true
	}
}

// apart is a collective as receives, sends and waits, round by round.
func apart(steps []program.Step, op *program.Op) (ops []naiveOp) {
	for len(steps) > 0 {
		k := 1
		for k < len(steps) && steps[k].Round == steps[0].Round {
			k++
		}
		var sendOps, waits, lasts []naiveOp
		for _, m := range steps[:k] {
			one := naiveOp{Op: program.Op{Peer: m.Peer, Bytes: m.Bytes(), Tag: op.Tag, Group: op.Group, Request: program.None, Kind: program.Irecv}, end: &naiveEnd{}}
			waiting := naiveOp{Op: program.Op{Kind: program.Wait}, end: one.end}
			if m.Sends() {
				one.Kind = program.Isend
				sendOps = append(sendOps, one)
				lasts = append(lasts, waiting)
			} else {
				ops = append(ops, one)
				waits = append(waits, waiting)
			}
		}
		ops = append(append(append(ops, sendOps...), waits...), lasts...)
		steps = steps[k:]
	}
	return ops
}

// over ends an operation of a strand, or a part of a collective.
func (n *naive) over(r *naiveRank, s *naiveStrand, t unit.Picos) {
	s.t = t
	if len(s.inner) > 0 {
		if s.inner = s.inner[1:]; len(s.inner) > 0 {
			return
		}
	}
	s.ops, s.worked = s.ops[1:], false
	if s.main {
		if s.row++; len(s.ops) > 0 {
			s.t = n.posts(r, &s.ops[0], t)
		}
		if len(s.ops) == 0 {
			n.busy(r, t, 0, observe.Overhead, 0, 0)
		}
		return
	}
	if len(s.ops) > 0 {
		return
	}
	r.strands = slices.DeleteFunc(r.strands, func(o *naiveStrand) bool { return o == s })
	if s.ends != nil {
		*s.ends = naiveEnd{known: true, at: t}
		n.wakes(r, s.ends)
		return
	}
	r.done[s.row] = true
	r.last = max(r.last, t)
	for j, needs := range r.needs {
		if !slices.Contains(needs, s.row) {
			continue
		}
		r.from[j] = max(r.from[j], t)
		r.since[j] = max(r.since[j], s.agenda.since)
		if len(s.agenda.began) > 0 {
			r.since[j] = max(r.since[j], slices.Max(s.agenda.began))
		}
		if !slices.ContainsFunc(needs, func(need int) bool { return !r.done[need] }) {
			r.strands = append(r.strands, &naiveStrand{row: j, ops: []naiveOp{{Op: r.graph[j]}}, t: n.posts(r, &naiveOp{Op: r.graph[j]}, r.from[j]), agenda: naiveAgenda{since: r.since[j], begun: r.from[j], began: []unit.Picos{r.since[j]}}})
		}
	}
	if !slices.Contains(r.done, false) {
		n.busy(r, r.last, 0, observe.Overhead, 0, 0)
	}
}

// wakes lets who waits for an end go on.
// posts is when an operation that could begin at a time does: LogGOPSim's receives when the processor has done with what it took up before.
func (n *naive) posts(r *naiveRank, op *naiveOp, t unit.Picos) unit.Picos {
	if n.LogGOPSim && op.Work == 0 && (op.Kind == program.Recv || op.Kind == program.Irecv) {
		return max(t, r.cpu)
	}
	return t
}

func (n *naive) wakes(r *naiveRank, e *naiveEnd) {
	for _, s := range r.strands {
		if s.on == e {
			s.t = max(s.t, e.at)
		}
	}
}

func (p *naiveReceive) selects(m *naiveMail) bool {
	return (p.from < 0 || p.from == m.from) && (p.tag < 0 || p.tag == m.tag) && p.group == m.group
}

// sends sends a message; an end at -1 is that of a send that is over.
func (n *naive) sends(r *naiveRank, op *naiveOp, now unit.Picos) *naiveEnd {
	n.busy(r, now, n.ownS(r.id, op.Peer, n.wired(r.id, op.Peer, op.Bytes))+op.Extra, observe.Overhead, 0, 0)
	e := &naiveEnd{known: true, at: -1}
	m := &naiveMail{from: r.id, tag: op.Tag, group: op.Group, bytes: op.Bytes, kind: eager}
	isLong := n.isLong(r.id, op.Peer, op.Bytes)
	if isLong {
		e = &naiveEnd{}
		m.send, m.sendBytes = e, op.Bytes
	}
	if n.LogGOPSim {
		r.out = now + n.Gap + n.BytesTime(op.Bytes)
		m.at, m.flight = r.cpu+n.Latency, n.Latency
		n.put(r, op.Peer, m)
		return e
	}
	onWire := op.Bytes
	if isLong {
		m.kind, onWire = rts, 0
	}
	n.leaves(r, op.Peer, m, r.cpu, onWire, nil)
	return e
}

func (n *naive) put(r *naiveRank, to int32, m *naiveMail) {
	r.sent++
	m.seq = r.sent
	if to != r.id {
		m.at = max(m.at, n.now+1)
	}
	n.ranks[to].coming = append(n.ranks[to].coming, m)
}

// hold lets m come no sooner than what its sender sent before to the same receiver.
func (n *naive) hold(r *naiveRank, to int32, m *naiveMail) {
	pair := [2]int32{r.id, to}
	m.held = max(0, n.pairs[pair]-m.at)
	m.at += m.held
	m.portWait += m.held
	n.pairs[pair] = m.at
}

// leaves is when the last byte has left.
func (n *naive) leaves(r *naiveRank, to int32, m *naiveMail, at unit.Picos, bytes int64, ends *naiveEnd) unit.Picos {
	if n.near(r.id, to) {
		left := n.copyLocally(r, to, m, at, bytes)
		n.hold(r, to, m)
		n.put(r, to, m)
		return left
	}
	if to != r.id && n.Net != nil {
		return n.overLinks(r, to, m, at, bytes, true)
	}
	if to != r.id && n.Shared != nil {
		n.ship(r, to, m, at, bytes, ends)
		return never
	}
	if to == r.id {
		m.at = at
		n.put(r, to, m)
		return at
	}
	if s := n.Sizes; s != nil {
		begun := at - n.oS(bytes)
		start := max(begun, r.out)
		r.out = start + n.gap(bytes)
		m.portWait += start - begun
		m.flight += max(0, s.Latency+n.gap(bytes)-n.oR(bytes)-n.oS(bytes))
		m.at = start + s.FirstByte()
		n.put(r, to, m)
		return start + n.oS(bytes) + n.rest(bytes)
	}
	start := max(at, r.out)
	r.out = start + n.Gap + n.BytesTime(bytes)
	m.portWait += start - at
	m.flight += n.Latency + n.BytesTime(bytes)
	m.at = start + n.Latency
	n.put(r, to, m)
	return start + n.BytesTime(bytes)
}

// comes takes up a mail.
func (n *naive) comes(r *naiveRank, m *naiveMail, now unit.Picos) {
	r.coming = slices.DeleteFunc(r.coming, func(o *naiveMail) bool { return o == m })
	switch {
	case m.kind == ack:
		*m.send = naiveEnd{known: true, at: m.at, portWait: m.portWait, flight: m.flight}
		n.wakes(r, m.send)
		return
	case m.kind == cts:
		d := &naiveMail{from: r.id, tag: m.tag, group: m.group, bytes: m.sendBytes, kind: data, receive: m.receive, portWait: m.portWait, flight: m.flight + n.ownR(r.id, m.from, 0) + n.ownS(r.id, m.from, m.sendBytes)}
		left := n.leaves(r, m.from, d, m.at+n.ownR(r.id, m.from, 0)+n.ownS(r.id, m.from, m.sendBytes), m.sendBytes, m.send)
		if left == never {
			return
		}
		*m.send = naiveEnd{known: true, at: left, portWait: d.portWait - d.held, flight: d.flight}
		n.wakes(r, m.send)
		return
	case n.LogGOPSim:
		m.portWait += now - m.at
		n.busy(r, now, n.Receive+n.BytesTime(m.bytes), observe.Overhead, m.portWait, m.flight)
		r.in = now + n.Gap + n.BytesTime(m.bytes)
		m.at = r.cpu
	case m.from != r.id && !n.UsesLinks():
		bytes := m.bytes
		if m.kind == rts {
			bytes = 0
		}
		start := max(m.at, r.in)
		r.in = start + n.Gap
		if n.Sizes != nil {
			r.in = start + n.gap(bytes)
		} else if n.ReceiverPort {
			r.in += n.BytesTime(bytes)
		} else {
			queued := max(m.at, r.virtual)
			r.virtual = queued + n.Gap + n.BytesTime(bytes)
			r.account.Overlap += queued - start
		}
		m.portWait += start - m.at
		if m.at = start + n.BytesTime(bytes); n.Sizes != nil {
			m.at = start + n.rest(bytes)
		}
	}
	if m.kind != rts {
		r.account.Messages++
		r.account.Bytes += m.bytes
		n.interrupts(r, m, now)
	}
	if m.kind == data {
		n.ends(r, m.receive.end, m)
		return
	}
	if i := slices.IndexFunc(r.posted, func(p *naiveReceive) bool { return p.selects(m) }); i >= 0 {
		p := r.posted[i]
		r.posted = slices.Delete(r.posted, i, i+1)
		n.meet(r, p, m, now)
		return
	}
	r.here = append(r.here, m)
	for _, s := range r.strands {
		if !s.probes {
			continue
		}
		if op := s.op(); (&naiveReceive{from: op.Peer, tag: op.Tag, group: op.Group}).selects(m) {
			s.t, s.seen, s.probes = max(s.t, m.at), m, false
		}
	}
}

func (n *naive) ends(r *naiveRank, e *naiveEnd, m *naiveMail) {
	e.known, e.at, e.portWait, e.flight, e.bytes, e.from = true, m.at, m.portWait, m.flight, m.bytes, m.from
	n.wakes(r, e)
}

// meet gives a mail to a receive.
func (n *naive) meet(r *naiveRank, p *naiveReceive, m *naiveMail, now unit.Picos) {
	if m.kind != rts {
		n.ends(r, p.end, m)
		if m.send != nil {
			n.put(r, m.from, &naiveMail{kind: ack, from: r.id, at: max(now, m.at-n.Receive-n.BytesTime(m.bytes)), portWait: m.portWait, flight: m.flight, send: m.send})
		}
		return
	}
	reads, sends := n.ownR(r.id, m.from, 0), n.ownS(r.id, m.from, 0)
	leave := max(m.at+reads, now) + sends
	a := &naiveMail{kind: cts, from: r.id, tag: m.tag, group: m.group, receive: p, send: m.send, sendBytes: m.sendBytes, portWait: m.portWait, flight: m.flight + reads + sends, at: leave}
	if n.near(r.id, m.from) {
		n.copyLocally(r, m.from, a, leave, 0)
		n.put(r, m.from, a)
		return
	}
	if m.from != r.id && n.Net != nil {
		n.overLinks(r, m.from, a, leave, 0, false)
		return
	}
	if m.from != r.id && n.Shared != nil {
		n.ship(r, m.from, a, leave, 0, nil)
		return
	}
	if m.from != r.id && n.Sizes != nil {
		a.at += n.Sizes.FirstByte() - n.oS(0) + n.rest(0)
		a.flight += max(0, n.Sizes.FirstByte()-n.oS(0)+n.rest(0))
	} else if m.from != r.id {
		a.at += n.Latency
		a.flight += n.Latency
	}
	n.put(r, m.from, a)
}

// outcome is what there is to compare.
func (n *naive) outcomeOf() (text string, ok bool) {
	var waiting []int32
	left := 0
	for _, r := range n.ranks {
		stuck := len(r.strands) > 0 && slices.ContainsFunc(r.strands, func(s *naiveStrand) bool { return len(s.ops) > 0 }) || slices.Contains(r.done, false)
		if stuck {
			waiting = append(waiting, r.id)
		}
		left += len(r.here) + len(r.posted)
	}
	switch {
	case n.bad != "":
		return n.bad, false
	case len(waiting) > 0:
		return fmt.Sprint("waiting: ", waiting), false
	case left > 0:
		return "left over", false
	}
	for _, r := range n.ranks {
		r.account.Time = r.cpu
		text += describe(r.account)
	}
	return text, true
}

func describe(r outcome.Rank) string {
	return fmt.Sprintf("%d %v %d %d %d\n", int64(r.Time), picos(r.Parts[:]), r.Messages, r.Bytes, int64(r.Overlap))
}
