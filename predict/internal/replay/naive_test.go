package replay

import (
	"fmt"
	"sort"

	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// naive is the definition of a replay on an SMP: one touch or event after the
// other, always the first of all processors in the order of (time, processor),
// with caches as lists and everything looked up by search.
type naive struct {
	cfg    memsys.Config
	clocks []Clock // by processor; the last is that of all others
	bar    unit.Picos
	procs  []*naiveProc
	copies []*naiveCopy // all valid copies, least recently used first
	lost   map[naivePlace]string
	coming map[naivePlace]unit.Picos // when prefetched lines arrive
	use    int
	free   unit.Picos // end of the bus's last transaction
	busy   unit.Picos
	nodes  *naiveNodes   // nil: an SMP
	owner  map[int32]int // of a lock that is held
	queue  map[int32][]int
	signal map[int32]int
	ends   []uint64   // instructions, by processor
	mail   *naiveMail // nil: nobody passes messages
}

type naivePlace struct {
	proc int
	line uint64
}

type naiveCopy struct {
	naivePlace
	dirty bool
	used  int
}

// naiveStep is one thing a processor does: a touch of a line, or an event.
type naiveStep struct {
	instr, touches uint64 // position, the step included
	line           uint64
	store          bool
	op             trace.Op // a prefetch or a flush, else 0
	event          *trace.Event
}

type naiveProc struct {
	steps   []naiveStep
	at      int
	waiting bool
	unborn  bool
	arrived unit.Picos
	result  Processor
}

// naiveSteps merges the two streams of a processor by the number of references.
func naiveSteps(m *trace.Memory, p int, line unit.Bytes) (steps []naiveStep, instr uint64) {
	var refInstr, eventInstr, touches uint64
	refs, e := m.RefsOf[p], 0
	events := m.EventsOf[p].Rows
	for i := 0; i <= refs.Len(); i++ {
		for ; e < len(events) && events[e].Refs == uint64(i); e++ {
			eventInstr += uint64(events[e].Instr)
			if events[e].Kind == trace.Compute {
				eventInstr += uint64(events[e].Work)
				refInstr += uint64(events[e].Work)
				continue
			}
			steps = append(steps, naiveStep{instr: eventInstr, touches: touches, event: &events[e]})
		}
		if i == refs.Len() {
			break
		}
		refInstr += uint64(refs.Instr[i])
		if refs.Op[i] == trace.Ifetch {
			continue
		}
		first := refs.Addr[i] / uint64(line)
		last := (refs.Addr[i] + uint64(refs.Size[i]) - 1) / uint64(line)
		for l := first; l <= last; l++ {
			if refs.Op[i] == trace.Prefetch || refs.Op[i] == trace.Flush {
				steps = append(steps, naiveStep{instr: refInstr, touches: touches, line: l, op: refs.Op[i]})
				continue
			}
			touches++
			steps = append(steps, naiveStep{instr: refInstr, touches: touches, line: l, store: refs.Op[i] == trace.Store})
		}
	}
	return steps, max(refInstr, eventInstr)
}

func runNaive(m *trace.Memory, cfg memsys.Config, barrier unit.Picos, clocks ...Clock) (*Result, error) {
	n := newNaive(m, cfg, barrier, clocks...)
	for n.step() {
	}
	return n.finish(m)
}

func newNaive(m *trace.Memory, cfg memsys.Config, barrier unit.Picos, clocks ...Clock) *naive {
	n := &naive{cfg: cfg, clocks: clocks, bar: barrier, lost: map[naivePlace]string{}, coming: map[naivePlace]unit.Picos{}, owner: map[int32]int{}, queue: map[int32][]int{}, signal: map[int32]int{}}
	if cfg.PerNode > 0 {
		n.nodes = newNaiveNodes(n)
	}
	for p := range m.Head.Procs {
		steps, instr := naiveSteps(m, p, cfg.Caches[0].Line)
		n.procs = append(n.procs, &naiveProc{steps: steps})
		n.ends = append(n.ends, instr)
	}
	for _, q := range n.procs {
		for _, s := range q.steps {
			if s.event != nil && s.event.Kind == trace.Fork {
				n.procs[s.event.Peer].waiting, n.procs[s.event.Peer].unborn = true, true
			}
		}
	}
	return n
}

// finish is the result, when nobody can go on.
func (n *naive) finish(m *trace.Memory) (*Result, error) {
	res := &Result{}
	lines := map[uint64]bool{}
	for p, q := range n.procs {
		if q.at < len(q.steps) {
			return nil, fmt.Errorf("deadlock")
		}
		for _, s := range q.steps {
			if s.event == nil && s.op != trace.Flush {
				lines[s.line] = true
			}
		}
		q.result.Ideal = n.ideal(p)
		q.result.Instr = unit.Instructions(n.ends[p])
		for _, op := range m.RefsOf[p].Op {
			if op == trace.Load || op == trace.Store {
				q.result.Refs++
			}
		}
		q.result.Events = uint64(m.EventsOf[p].Len())
		res.Time = max(res.Time, q.result.Total())
		res.Procs = append(res.Procs, q.result)
	}
	for p := range res.Procs {
		res.Procs[p].End = res.Time - res.Procs[p].Total()
	}
	res.Shared = touch.SharedUsage{Busy: n.busy, End: n.free, Lines: uint64(len(lines))}
	if n.mail != nil {
		for _, s := range n.mail.copied {
			res.Shared.Busy, res.Shared.End = res.Shared.Busy+s[1]-s[0], max(res.Shared.End, s[1])
		}
	}
	if n.nodes != nil {
		n.nodes.report(&res.Shared)
	}
	return res, nil
}

// ideal is the ideal time of all that p does.
func (n *naive) ideal(p int) unit.Picos {
	touches := uint64(0)
	if steps := n.procs[p].steps; len(steps) > 0 {
		touches = steps[len(steps)-1].touches
	}
	return n.clock(p).At(n.ends[p], touches)
}

func (n *naive) clock(p int) *Clock { return &n.clocks[min(p, len(n.clocks)-1)] }

// cacheOf is the cache of p.
func (n *naive) cacheOf(p int) memsys.Cache {
	if n.nodes != nil {
		return n.nodes.like(n.nodes.nodeOf(p)).Caches[0]
	}
	return n.cfg.Caches[0]
}

// end is when p has finished, if it has.
func (n *naive) end(p int) (unit.Picos, bool) {
	q := n.procs[p]
	return n.ideal(p) + q.result.Latency + q.result.Contention + q.result.Sync + q.result.Messages, q.at == len(q.steps) && !q.waiting
}

func (n *naive) time(p int) unit.Picos {
	q := n.procs[p]
	s := q.steps[q.at]
	return n.clock(p).At(s.instr, s.touches) + q.result.Latency + q.result.Contention + q.result.Sync + q.result.Messages
}

// ready is the processors that can go on, the first of them first.
func (n *naive) ready() (ready []int) {
	for p, q := range n.procs {
		if !q.waiting && q.at < len(q.steps) {
			ready = append(ready, p)
		}
	}
	sort.SliceStable(ready, func(i, j int) bool { return n.time(ready[i]) < n.time(ready[j]) })
	return ready
}

// step performs the first step of all processors that can go on.
func (n *naive) step() bool {
	ready := n.ready()
	if len(ready) == 0 {
		return false
	}
	p := ready[0]
	q := n.procs[p]
	s, now := q.steps[q.at], n.time(p)
	switch {
	case s.event != nil:
		n.perform(p, now, s.event)
	case s.op == trace.Flush:
		n.flush(p, now, s.line)
	case s.op == trace.Prefetch:
		n.prefetch(p, now, s.line)
	default:
		was := q.result.Times
		n.touch(p, now, s.line, s.store)
		place := naivePlace{p, s.line}
		wait := q.result.Latency + q.result.Contention - was.Latency - was.Contention
		q.result.Latency += max(0, n.coming[place]-now-wait)
		delete(n.coming, place)
	}
	for n.wake(now) {
	}
	return true
}

// wake lets go on who waits for flags and for the end of others, if anybody can.
func (n *naive) wake(now unit.Picos) (woken bool) {
	for p, q := range n.procs {
		if !q.waiting || q.unborn {
			continue
		}
		switch e := q.steps[q.at].event; e.Kind {
		case trace.WaitFlag:
			if n.signal[e.Peer] >= int(e.Tag) {
				n.letGo(p, now)
				woken = true
			}
		case trace.Join:
			if end, done := n.end(int(e.Peer)); done {
				n.letGo(p, max(q.arrived, end))
				woken = true
			}
		}
	}
	return woken
}

func (n *naive) letGo(p int, at unit.Picos) {
	q := n.procs[p]
	q.result.Sync += at - q.arrived
	q.waiting = false
	q.at++
}

func (n *naive) perform(p int, now unit.Picos, e *trace.Event) {
	q := n.procs[p]
	q.arrived = now
	if n.mail != nil && isMessage(e) {
		q.waiting = true
		n.mail.begin(p, now, e)
		return
	}
	switch e.Kind {
	case trace.Barrier:
		q.waiting = true
		there := 0
		for _, o := range n.procs {
			if o.waiting && !o.unborn && o.steps[o.at].event.Kind == trace.Barrier && o.steps[o.at].event.Peer == e.Peer {
				there++
			}
		}
		if there == len(n.procs) {
			for o := range n.procs {
				n.letGo(o, now+n.bar)
			}
		}
	case trace.Lock:
		if _, held := n.owner[e.Peer]; held {
			q.waiting = true
			n.queue[e.Peer] = append(n.queue[e.Peer], p)
			return
		}
		n.owner[e.Peer] = p
		q.at++
	case trace.Unlock:
		delete(n.owner, e.Peer)
		q.at++
		if waiting := n.queue[e.Peer]; len(waiting) > 0 {
			n.owner[e.Peer] = waiting[0]
			n.queue[e.Peer] = waiting[1:]
			n.letGo(waiting[0], now)
		}
	case trace.Signal:
		n.signal[e.Peer]++
		q.at++
	case trace.WaitFlag, trace.Join: // see wake
		q.waiting = true
	case trace.Fork:
		child := n.procs[e.Peer]
		child.result.Sync += now
		child.waiting, child.unborn = false, false
		q.at++
	default:
		q.at++
	}
}

func (n *naive) remove(c *naiveCopy, why string) {
	n.lost[c.naivePlace] = why
	for i := range n.copies {
		if n.copies[i] == c {
			n.copies = append(n.copies[:i:i], n.copies[i+1:]...)
			return
		}
	}
}

// touch is the protocol, step by step.
func (n *naive) touch(p int, now unit.Picos, line uint64, store bool) {
	q := n.procs[p]
	counts := &q.result.Counts
	q.at++
	n.use++
	if store {
		counts.Stores++
	} else {
		counts.Loads++
	}
	var mine *naiveCopy
	var others []*naiveCopy
	for _, c := range n.copies {
		switch {
		case c.line == line && c.proc == p:
			mine = c
		case c.line == line:
			others = append(others, c)
		}
	}
	if mine != nil {
		mine.used = n.use
	}
	if mine != nil && (!store || mine.dirty) {
		return
	}
	for _, c := range others {
		if c.dirty {
			counts.CacheToCache++
			c.dirty = false
		}
		if store {
			n.procs[c.proc].result.Counts.Invalidations++
			n.remove(c, "coherence")
		}
	}
	if n.nodes != nil {
		n.nodes.fetch(p, now, line, store, mine != nil)
	}
	if mine != nil {
		mine.dirty = true
		if len(n.procs) > 1 && n.nodes == nil {
			counts.Upgrades++
			n.transact(q, now, n.cfg.Memory.Invalidate, n.cfg.Memory.Invalidate)
		}
		return
	}
	misses := &counts.LoadMisses
	if store {
		misses = &counts.StoreMisses
	}
	switch n.lost[naivePlace{p, line}] {
	case "":
		misses.Cold++
	case "coherence":
		misses.Coherence++
	case "replacement":
		misses.Replacement++
	}
	if n.nodes == nil {
		n.transact(q, now, n.cfg.Memory.Latency, n.cfg.Memory.Occupancy)
	}
	n.makeRoom(p, line)
	n.copies = append(n.copies, &naiveCopy{naivePlace{p, line}, store, n.use})
}

// prefetch is a load that p does not wait for.
func (n *naive) prefetch(p int, now unit.Picos, line uint64) {
	q := n.procs[p]
	was := q.result
	n.touch(p, now, line, false)
	cost := q.result.Latency + q.result.Contention - was.Latency - was.Contention
	q.result.Times = was.Times
	counts := &q.result.Counts
	counts.Prefetches += counts.LoadMisses.Total() - was.Counts.LoadMisses.Total()
	counts.Loads, counts.LoadMisses, counts.CacheToCache = was.Counts.Loads, was.Counts.LoadMisses, was.Counts.CacheToCache
	counts.RemoteFetches, counts.FromExclusive = was.Counts.RemoteFetches, was.Counts.FromExclusive
	if cost > 0 {
		n.coming[naivePlace{p, line}] = now + cost
	}
}

// flush takes a line away from all caches.
func (n *naive) flush(p int, now unit.Picos, line uint64) {
	n.procs[p].at++
	for q := range n.procs {
		delete(n.coming, naivePlace{q, line})
		for _, c := range n.copies {
			if c.naivePlace != (naivePlace{q, line}) {
				continue
			}
			if c.dirty {
				n.procs[q].result.Counts.WriteBacks++
				n.free = max(n.free, now)
				n.writeBack(q, now)
			}
			n.remove(c, "replacement")
			break
		}
	}
}

// transact uses the bus from when it is free.
func (n *naive) transact(q *naiveProc, now, latency, occupancy unit.Picos) {
	start := n.between(max(now, n.free), occupancy)
	q.result.Contention += start - now
	q.result.Latency += latency
	n.free = start + occupancy
	n.busy += occupancy
}

// writeBack follows the miss of p on its bus, or a flush.
func (n *naive) writeBack(p int, now unit.Picos) {
	if n.nodes != nil {
		n.nodes.writeBack(p, now)
		return
	}
	n.free = n.between(n.free, n.cfg.Memory.Occupancy) + n.cfg.Memory.Occupancy
	n.busy += n.cfg.Memory.Occupancy
}

// between is when the bus has time between copies of messages, not before at.
func (n *naive) between(at, long unit.Picos) unit.Picos {
	if n.mail != nil {
		at = firstFree(n.mail.copied, at, max(1, long))
	}
	return at
}

// firstFree is the first time, not before at, from which none of some spans is for so long.
func firstFree(taken [][2]unit.Picos, at, long unit.Picos) unit.Picos {
	for i := 0; i < len(taken); i++ {
		if s := taken[i]; s[0] < at+long && at < s[1] {
			at, i = s[1], -1
		}
	}
	return at
}

// makeRoom pushes out the least recently used copy of a full set.
func (n *naive) makeRoom(p int, line uint64) {
	sets := uint64(n.cacheOf(p).Sets())
	var set []*naiveCopy
	for _, c := range n.copies {
		if c.proc == p && c.line%sets == line%sets {
			set = append(set, c)
		}
	}
	if len(set) < n.cacheOf(p).Ways {
		return
	}
	oldest := set[0]
	for _, c := range set {
		if c.used < oldest.used {
			oldest = c
		}
	}
	if oldest.dirty {
		n.procs[p].result.Counts.WriteBacks++
		n.writeBack(p, 0)
	}
	n.remove(oldest, "replacement")
}
