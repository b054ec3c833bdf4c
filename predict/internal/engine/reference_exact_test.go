package engine

type refTicket struct{ ts, idx uint32 }
type refClass struct {
	q     []refTicket // binary refHeap by ts
	sched uint32      // ts of the live token, ^0 = none
}

func (c *refClass) push(e refTicket) {
	c.q = append(c.q, e)
	i := len(c.q) - 1
	for i > 0 {
		p := (i - 1) / 2
		if c.q[p].ts <= e.ts {
			break
		}
		c.q[i] = c.q[p]
		i = p
	}
	c.q[i] = e
}
func (c *refClass) pop() refTicket {
	r := c.q[0]
	n := len(c.q) - 1
	e := c.q[n]
	c.q = c.q[:n]
	if n > 0 {
		i := 0
		for {
			k := 2*i + 1
			if k >= n {
				break
			}
			if k+1 < n && c.q[k+1].ts < c.q[k].ts {
				k++
			}
			if c.q[k].ts >= e.ts {
				break
			}
			c.q[i] = c.q[k]
			i = k
		}
		c.q[i] = e
	}
	return r
}

const refToken = 1 << 31

// refExact is LogGOPSim of messages that do not wait for their receivers: events in order of time, those at a time in the order in which
// they were scheduled. What is nonblocking is scheduled together. What is blocked waits in a queue for each host and class, not among all events.
func refExact(t *refTrace, nch int, p refCost) (ends []uint64, pops uint64) {
	cnt := make([]int32, nch)
	st := make([]refHost, t.P)
	cl := make([]refClass, t.P*3) // 0 calc 1 send 2 msg
	for i := range cl {
		cl[i].sched = ^uint32(0)
	}
	evs := make([]refEvent, 0, 1<<14)
	var free []uint32
	var h refHeap
	h.a = make([]refEntry, 0, 1<<14)
	ts := uint32(0)
	alloc := func(e refEvent) uint32 {
		if n := len(free); n > 0 {
			i := free[n-1]
			free = free[:n-1]
			evs[i] = e
			return i
		}
		evs = append(evs, e)
		return uint32(len(evs) - 1)
	}
	// put directly into class queue (blocked until ready), scheduling a token if needed
	block := func(r uint32, c uint32, ts, idx uint32, ready uint64) {
		k := &cl[r*3+c]
		k.push(refTicket{ts, idx})
		if ts < k.sched {
			k.sched = ts
			h.push(refEntry{ready, ts, refToken | (r*3 + c)})
		}
	}
	issue := func(r uint32) {
		s := &st[r]
		ops := t.Ranks[r]
		pc := int(s.pc)
		if pc >= len(ops) {
			return
		}
		if ops[pc].Kind == refCalc {
			s.left = 1
			h.push(refEntry{s.nexto, ts, alloc(refEvent{host: r, size: ops[pc].Size, kind: refWorks})})
			ts++
			s.pc = int32(pc + 1)
			return
		}
		e := pc
		for ops[e].Kind != refWait {
			e++
		}
		s.left = int32(e - pc)
		tsend := max(s.nexto, s.nextgs)
		for i := pc; i < e; i++ {
			if ops[i].Kind == refSend {
				// sends at the head time all compete by ts: equivalent to being blocked until tsend
				block(r, 1, ts, alloc(refEvent{r, ops[i].Tag, ops[i].Size, ops[i].Peer, refSends}), tsend)
				ts++
			}
		}
		for i := pc; i < e; i++ {
			if ops[i].Kind == refRecv {
				h.push(refEntry{s.nexto, ts, alloc(refEvent{r, ops[i].Tag, ops[i].Size, 0, refReceives})})
				ts++
			}
		}
		s.pc = int32(e + 1)
	}
	for r := 0; r < t.P; r++ {
		issue(uint32(r))
	}
	for len(h.a) > 0 {
		top := h.a[0]
		pops++
		idx := top.idx
		fromTok := false
		var k *refClass
		if idx&refToken != 0 {
			k = &cl[idx&^refToken]
			if k.sched != top.ts {
				h.popRoot()
				continue
			}
			s := &st[(idx&^refToken)/3]
			var ready uint64
			switch (idx &^ refToken) % 3 {
			case 0:
				ready = s.nexto
			case 1:
				ready = max(s.nexto, s.nextgs)
			case 2:
				ready = max(s.nexto, s.nextgr)
			}
			if ready > top.t {
				top.t = ready
				h.siftdown(top)
				continue
			}
			idx = k.pop().idx
			fromTok = true
		}
		e := &evs[idx]
		r := e.host
		s := &st[r]
		switch e.kind {
		case refWorks:
			if s.nexto > top.t {
				h.popRoot()
				block(r, 0, top.ts, idx, s.nexto)
				continue
			}
			s.nexto = top.t + uint64(e.size)
			h.popRoot()
			free = append(free, idx)
			if fromTok {
				k.sched = ^uint32(0)
				if len(k.q) > 0 {
					k.sched = k.q[0].ts
					h.push(refEntry{s.nexto, k.sched, top.idx})
				}
			}
			s.left--
			if s.left == 0 {
				issue(r)
			}
		case refSends:
			s.nexto = top.t + p.o
			s.nextgs = top.t + p.g + uint64(e.size-1)*p.G
			e.kind = refComes
			e.host = e.dst
			nt := refEntry{top.t + p.o + p.L, ts, idx}
			ts++
			k.sched = ^uint32(0)
			h.siftdown(nt)
			if len(k.q) > 0 {
				k.sched = k.q[0].ts
				h.push(refEntry{max(s.nexto, s.nextgs), k.sched, top.idx})
			}
			s.left--
			if s.left == 0 {
				issue(r)
			}
		case refReceives:
			h.popRoot()
			c := cnt[e.ch]
			cnt[e.ch] = c - 1
			free = append(free, idx)
			if c > 0 {
				s.left--
				if s.left == 0 {
					issue(r)
				}
			}
		case refComes:
			if m := max(s.nexto, s.nextgr); m > top.t {
				h.popRoot()
				block(r, 2, top.ts, idx, m)
				continue
			}
			x := uint64(e.size-1) * p.G
			s.nexto = top.t + p.o + x
			s.nextgr = top.t + p.g + x
			c := cnt[e.ch]
			cnt[e.ch] = c + 1
			h.popRoot()
			free = append(free, idx)
			if fromTok {
				k.sched = ^uint32(0)
				if len(k.q) > 0 {
					k.sched = k.q[0].ts
					h.push(refEntry{max(s.nexto, s.nextgr), k.sched, top.idx})
				}
			}
			if c < 0 {
				s.left--
				if s.left == 0 {
					issue(r)
				}
			}
		}
	}
	for r := range st {
		if int(st[r].pc) != len(t.Ranks[r]) {
			panic("deadlock")
		}
		ends = append(ends, st[r].nexto)
	}
	return ends, pops
}
