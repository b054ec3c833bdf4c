package format

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"spoor/traces/trace"
)

// maxHeld is how many calls of all ranks may wait for what they lack.
const maxHeld = 1 << 17

// prvGlobalID is a collective with a root: the communicator and how many came before.
type prvGlobalID struct {
	comm  *prvComm
	round int
}

// prvGlobalState is what is known of a collective whose members do not all know the root.
type prvGlobalState struct {
	id         prvGlobalID
	root       int32 // -1 while it is unknown
	left, said int   // members
}

// commFor is the communicator of a collective.
func (r *prvRank) commFor(call *prvCall) *prvComm {
	if call.comm == nil {
		call.comm = r.p.commOf(prvCommID{r.app, 1})
	}
	return call.comm
}

// members is how many ranks take part.
func (p *prvParser) members(c *prvComm) int {
	if c.members == nil {
		return len(p.ranks)
	}
	return len(c.members)
}

// join counts a rank that has left a collective with a root. Only the root's own record
// says which it is.
func (r *prvRank) join(call *prvCall) {
	c := r.commFor(call)
	switch k := call.how; {
	case k.how == prvReduceScatter:
		return
	case k.kind != trace.Bcast && k.kind != trace.Reduce && k.kind != trace.Gather && k.kind != trace.Scatter:
		return
	}
	if r.round == nil {
		r.round = map[*prvComm]int{}
	}
	id := prvGlobalID{c, r.round[c]}
	r.round[c]++
	g := r.p.global[id]
	if g == nil {
		g = &prvGlobalState{id: id, root: trace.None}
		r.p.global[id] = g
	}
	g.left++
	if call.root && g.root == trace.None {
		g.root = int32(r.s.batch.Proc)
	}
	call.global = g
}

// known reports whether nothing more can be learned about a call.
func (r *prvRank) known(call *prvCall) bool {
	switch {
	case call.how.class == prvIrecv:
		return len(call.ops) > 0
	case call.global != nil:
		return call.global.root != trace.None || call.global.left >= r.p.members(call.global.id.comm)
	}
	return true
}

// emit says the calls that ended before now. Where too many wait, those that wait
// longest do without.
func (r *prvRank) emit(now int64) error {
	n := 0
	for ; n < len(r.queue); n++ {
		call := r.queue[n]
		if call.end >= now || !r.known(call) && now != prvOpen && r.p.held <= maxHeld {
			break
		}
		if call.how.class == prvIrecv && len(call.ops) == 0 {
			r.p.ungiven++
			r.irecvs = slices.DeleteFunc(r.irecvs, func(c *prvCall) bool { return c == call })
		}
		r.p.held--
		if err := r.say(call); err != nil {
			return err
		}
	}
	if n > 0 {
		r.queue = append(r.queue[:0], r.queue[n:]...)
	}
	return nil
}

// say gives the events of a call to the trace, and what was computed before it.
func (r *prvRank) say(call *prvCall) error {
	if err := r.computeUntil(call.begin, call.line); err != nil {
		return err
	}
	begin := max(call.begin, r.cursor)
	switch call.how.class {
	case prvWait, prvWaitall:
		r.waitForSends(call)
	case prvGlobal:
		if err := r.collective(call); err != nil {
			return err
		}
	case prvProbe:
		call.ops = append(call.ops, newPrvOp(trace.Probe, call.line))
	case prvIprobe:
		call.ops = append(call.ops, newPrvOp(trace.Iprobe, call.line))
	case prvSendrecv:
		r.waitForOwn(call)
	}
	if len(call.ops) == 0 && call.how.class != prvIrecv {
		r.p.without(call)
	}
	for i := range call.ops {
		if err := r.sayOp(&call.ops[i], begin); err != nil {
			return err
		}
	}
	r.cursor = max(r.cursor, call.end)
	return nil
}

func (r *prvRank) sayOp(op *prvOp, t int64) error {
	e := trace.NewEvent(op.kind)
	e.Peer, e.Tag, e.Group, e.Request, e.Bytes, e.Time = op.peer, op.tag, op.group, op.request, op.bytes, t
	e.Count = op.count
	if (op.kind == trace.Recv || op.kind == trace.Irecv) && !r.p.ours {
		e.Bytes = r.p.arrived(prvChannel{op.peer, int32(r.s.batch.Proc), op.tag}, op.bytes)
	}
	if _, err := r.s.say(&e, trace.Place{File: r.p.file, At: op.line}); err != nil {
		return err
	}
	return r.flushSome()
}

// flushSome keeps what is collected small when there are many ranks.
func (r *prvRank) flushSome() error {
	if len(r.s.batch.Rows) < r.p.rows {
		return nil
	}
	return r.s.flush()
}

// computeUntil says what was computed up to t: while the rank was running, or all the
// time if the trace has no states.
func (r *prvRank) computeUntil(t, line int64) error {
	place := trace.Place{File: r.p.file, At: line}
	if !r.states && t > r.cursor && t != prvOpen {
		if err := r.s.compute(t-r.cursor, r.cursor, place); err != nil {
			return err
		}
	}
	for len(r.run) > 0 {
		s := &r.run[0]
		if begin, end := max(s.begin, r.cursor), min(s.end, t); begin < end {
			if err := r.s.compute(end-begin, begin, place); err != nil {
				return err
			}
		}
		if s.end > t {
			break
		}
		r.run = r.run[1:]
	}
	if t != prvOpen {
		r.cursor = max(r.cursor, t)
	}
	return r.flushSome()
}

// waitForSends completes Isends whose message had come when the call ended: all of
// them if it is a Waitall, one if it completes nothing else.
func (r *prvRank) waitForSends(call *prvCall) {
	if call.how.class == prvWait && len(call.ops) > 0 {
		return
	}
	one := call.how.class == prvWait
	rest := r.sends[:0]
	for _, s := range r.sends {
		if s.received > call.end || s.serial > call.serial || one && len(call.ops) > 0 {
			rest = append(rest, s)
			continue
		}
		call.ops = append(call.ops, call.completion(s.request, call.line))
	}
	r.sends = rest
}

// waitForOwn completes what a Sendrecv sends, once it has received.
func (r *prvRank) waitForOwn(call *prvCall) {
	slices.SortStableFunc(call.ops, func(a, b prvOp) int { return int(b.kind) - int(a.kind) }) // the Isend first
	for _, op := range call.ops {
		if op.kind == trace.Isend {
			r.sends = slices.DeleteFunc(r.sends, func(s prvOpenSend) bool { return s.request == op.request })
			call.ops = append(call.ops, call.completion(op.request, call.line))
		}
	}
}

// collective makes the events of a collective.
func (r *prvRank) collective(call *prvCall) error {
	c := r.commFor(call)
	op := newPrvOp(call.how.kind, call.line)
	op.group, op.bytes = c.group, call.sent
	if g := call.global; g != nil {
		if op.peer = g.root; op.peer == trace.None {
			r.p.rootless++
		}
		if g.said++; g.said >= r.p.members(c) {
			delete(r.p.global, g.id)
		}
	}
	switch call.how.kind {
	case trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan:
		op.bytes = max(call.sent, call.received)
	case trace.Scatter:
		op.bytes = call.received
	}
	switch call.how.how {
	case prvPerMember:
		n := int64(r.p.members(c))
		if op.bytes > math.MaxInt64/n {
			return r.p.c.fail(trace.Place{File: r.p.file, At: call.line}, fmt.Sprintf("%d bytes to each of %d ranks exceed 64 bits", op.bytes, n))
		}
		op.bytes *= n
	case prvReduceScatter:
		r.p.scatters++
		op.peer = 0
		if len(c.members) > 0 {
			op.peer = c.members[0]
		}
		second := op
		second.kind, second.bytes = trace.Scatter, call.received
		call.ops = append(call.ops, op, second)
		return nil
	case prvExscan:
		r.p.exscans++
	case prvNonblocking:
		r.p.blocking++
	}
	call.ops = append(call.ops, op)
	return nil
}

// finish says what is left when the trace has ended.
func (p *prvParser) finish() error {
	for i := range p.ranks {
		r := &p.ranks[i]
		if r.open != nil {
			p.unclosed++
			r.close(r.last)
		}
	}
	for i := range p.ranks {
		r := &p.ranks[i]
		if err := r.drain(prvOpen); err != nil {
			return err
		}
		if err := r.end(); err != nil {
			return err
		}
	}
	return nil
}

// end completes a rank.
func (r *prvRank) end() error {
	if !r.states && r.drained > math.MinInt64 {
		r.p.silent++
	}
	if err := r.computeUntil(prvOpen, int64(r.p.line)); err != nil {
		return err
	}
	for _, s := range r.sends {
		r.p.lateWaits++
		op := newPrvOp(trace.Wait, int64(r.p.line))
		op.request = s.request
		if err := r.sayOp(&op, r.cursor); err != nil {
			return err
		}
	}
	return r.s.flush()
}

// prvChannel is what messages share that arrive in the order in which they were sent.
type prvChannel struct{ from, to, tag int32 }

// prvSizes are the messages of a channel that nobody has received.
type prvSizes struct{ bytes []int64 }

func (s *prvSizes) push(n int64) { s.bytes = append(s.bytes, n) }

func (p *prvParser) sizesOf(m *prvMessage) *prvSizes {
	c := prvChannel{m.from, m.to, m.tag}
	s := p.sizes[c]
	if s == nil {
		s = new(prvSizes)
		p.sizes[c] = s
	}
	return s
}

// arrived is the size of the next message of a channel. Records of messages of several
// communicators can overtake each other, which have no order without them.
func (p *prvParser) arrived(c prvChannel, own int64) int64 {
	s := p.sizes[c]
	if s == nil {
		return own
	}
	n := s.bytes[0]
	if s.bytes = s.bytes[1:]; len(s.bytes) == 0 {
		delete(p.sizes, c)
	}
	return n
}

// prvOddities counts what was tolerated, guessed and left out.
type prvOddities struct {
	early, skewed, threads, undeclared, unclosed, unopened, ungiven, bare, lateWaits, lateReceives int
	silent, rootless, exscans, scatters, blocking, unread                                          int

	nothing map[string]int // calls without events, by name
}

// without counts a call that became no event.
func (p *prvParser) without(call *prvCall) {
	name := p.calls.name(call.id)
	if name == "" {
		name = fmt.Sprintf("%d:%d", call.id.typ, call.id.value)
	}
	if len(p.nothing) < 100 || p.nothing[name] > 0 {
		p.nothing[name]++
	}
}

func (p *prvParser) notes() (all []string) {
	note := func(n int, noun, rest string) {
		if n > 0 {
			all = append(all, plural(n, noun)+" "+rest)
		}
	}
	note(p.early, "record", "out of the order of time, taken all the same, the events not before what had been read")
	note(p.skewed, "message", "received before being sent: the clocks of the nodes differ")
	note(p.threads, "record", "of other threads than the first of a task: states and events are left out, messages are the task's")
	note(p.undeclared, "communicator", "used by collectives and not declared")
	note(p.unclosed, "MPI call", "without an end, ended where the next begins")
	note(p.unopened, "end", "of an MPI call without a beginning, ignored")
	note(p.ungiven, "MPI_Irecv", "without a message of its own, left out")
	note(p.bare, "side", "of a message in no MPI call, taken for a send or recv at its logical time")
	note(p.lateWaits, "request", "that no call waits for, waited for where the message has come or at the end")
	note(p.lateReceives, "MPI_Irecv", "not found, taken to be directly before its wait")
	note(p.silent, "task", "without states, taken to compute whenever in no MPI call")
	note(p.rootless, "collective", "whose root is not recorded")
	note(p.scatters, "MPI_Reduce_scatter", "taken for a reduce and a scatter")
	note(p.exscans, "MPI_Exscan", "taken for a scan")
	note(p.blocking, "non-blocking collective", "taken for the blocking one")
	note(int(p.globals), "record", "of global communication (4:), ignored as Paraver does")
	if p.messages > 0 && !p.ours {
		all = append(all, "messages have no communicator: all are taken for the world's, in the order in which they were sent")
	}
	return all
}

func (p *prvParser) facts() (all []string) {
	if n := len(p.header.apps); n > 1 {
		all = append(all, fmt.Sprintf("%d applications: their tasks are numbered one after the other", n))
	}
	if len(p.nothing) > 0 {
		var calls []string
		for _, name := range slices.Sorted(maps.Keys(p.nothing)) {
			calls = append(calls, fmt.Sprintf("%s %d", name, p.nothing[name]))
		}
		all = append(all, "calls that are no events: "+strings.Join(calls, ", "))
	}
	if p.unread > 0 {
		all = append(all, plural(p.unread, "event")+" of other types than MPI's ignored")
	}
	if p.calls.named > 0 {
		all = append(all, plural(p.calls.named, "kind")+" of MPI calls named by the labels in the .pcf")
	}
	return all
}
