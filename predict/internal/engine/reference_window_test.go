package engine

type refLocal struct {
	t    uint64
	ts   uint32
	a, b uint32 // a: op index or channel; b: size
	kind uint8
}
type refWindowed struct {
	nexto, nextgr, nextgs uint64
	q                     []refLocal
	sched                 uint64 // window scheduled, ^0 none
	pc, left              int32
	ts                    uint32
	pend                  bool
}

func refBefore(a, b *refLocal) bool { return a.t < b.t || (a.t == b.t && a.ts < b.ts) }
func (s *refWindowed) push(e refLocal) {
	s.q = append(s.q, e)
	q := s.q
	i := len(q) - 1
	for i > 0 {
		p := (i - 1) >> 1
		if !refBefore(&e, &q[p]) {
			break
		}
		q[i] = q[p]
		i = p
	}
	q[i] = e
}
func (s *refWindowed) fix(e refLocal) {
	q := s.q
	n := len(q)
	i := 0
	for {
		k := 2*i + 1
		if k >= n {
			break
		}
		if k+1 < n && refBefore(&q[k+1], &q[k]) {
			k++
		}
		if !refBefore(&q[k], &e) {
			break
		}
		q[i] = q[k]
		i = k
	}
	q[i] = e
}
func (s *refWindowed) pop() {
	n := len(s.q) - 1
	e := s.q[n]
	s.q = s.q[:n]
	if n > 0 {
		s.fix(e)
	}
}

// refWindows is the same in windows of o + L, in which hosts do not affect each other: each has a heap of its own. Of messages
// that come at a time, the order is that in which they were handed over.
func refWindows(t *refTrace, nch int, p refCost) (uint64, uint64) {
	cnt := make([]int32, nch)
	st := make([]refWindowed, t.P)
	W := p.o + p.L
	const NB = 4096
	ring := make([][]uint32, NB)
	live := 0
	schedule := func(r uint32, s *refWindowed, cur uint64) {
		if len(s.q) == 0 {
			return
		}
		w := s.q[0].t / W
		if w < s.sched {
			if s.sched == ^uint64(0) {
				live++
			}
			s.sched = w
			if w-cur >= NB {
				w = cur + NB - 1
				s.sched = w
			}
			ring[w%NB] = append(ring[w%NB], r)
		}
	}
	issue := func(r uint32, s *refWindowed) {
		ops := t.Ranks[r]
		pc := int(s.pc)
		if s.pend {
			s.pend = false
			s.left = 1
			s.push(refLocal{s.nexto, s.ts, 0, 0, refWorks})
			s.ts++
			return
		}
		if pc >= len(ops) {
			return
		}
		if ops[pc].Kind == refCalc {
			s.left = 1
			s.push(refLocal{s.nexto, s.ts, 0, ops[pc].Size, refWorks})
			s.ts++
			s.pc = int32(pc + 1)
			return
		}
		e := pc
		n := int32(0)
		ts := max(s.nexto, s.nextgs)
		// a receive costs nothing and only moves the channel counter: apply at once
		for ; ops[e].Kind != refWait; e++ {
			if ops[e].Kind == refSend {
				n++
				s.push(refLocal{ts, s.ts, uint32(e), ops[e].Size, refSends})
				s.ts++
			} else {
				c := cnt[ops[e].Tag]
				cnt[ops[e].Tag] = c - 1
				if c <= 0 {
					n++
				}
			}
		}
		s.left = n
		s.pend = e-pc > 2
		s.pc = int32(e + 1)
	}
	for r := 0; r < t.P; r++ {
		st[r].sched = ^uint64(0)
		issue(uint32(r), &st[r])
		schedule(uint32(r), &st[r], 0)
	}
	var pops uint64
	for cur := uint64(0); live > 0; cur++ {
		b := ring[cur%NB]
		if len(b) == 0 {
			continue
		}
		end := (cur + 1) * W
		for bi := 0; bi < len(b); bi++ {
			r := b[bi]
			s := &st[r]
			if s.sched != cur {
				continue
			}
			ops := t.Ranks[r]
			for len(s.q) > 0 && s.q[0].t < end {
				top := s.q[0]
				pops++
				done := false
				switch top.kind {
				case refWorks:
					if s.nexto > top.t {
						top.t = s.nexto
						s.fix(top)
						continue
					}
					s.nexto = top.t + uint64(top.b)
					s.pop()
					done = true
				case refSends:
					if m := max(s.nexto, s.nextgs); m > top.t {
						top.t = m
						s.fix(top)
						continue
					}
					s.nexto = top.t + p.o
					s.nextgs = top.t + p.g + uint64(top.b-1)*p.G
					s.pop()
					op := &ops[top.a]
					d := &st[op.Peer]
					d.push(refLocal{top.t + W, d.ts, op.Tag, top.b, refComes})
					d.ts++
					if op.Peer != r {
						schedule(op.Peer, d, cur)
					}
					done = true
				case refComes:
					if m := max(s.nexto, s.nextgr); m > top.t {
						top.t = m
						s.fix(top)
						continue
					}
					x := uint64(top.b-1) * p.G
					s.nexto = top.t + p.o + x
					s.nextgr = top.t + p.g + x
					s.pop()
					c := cnt[top.a]
					cnt[top.a] = c + 1
					done = c < 0
				}
				if done {
					s.left--
					for s.left == 0 {
						pc := s.pc
						pe := s.pend
						issue(r, s)
						if s.left != 0 || (s.pc == pc && s.pend == pe) {
							break
						}
					}
				}
			}
			s.sched = ^uint64(0)
			live--
			schedule(r, s, cur)
		}
		ring[cur%NB] = b[:0]
	}
	var mx uint64
	for r := range st {
		if int(st[r].pc) != len(t.Ranks[r]) {
			panic("deadlock")
		}
		mx = max(mx, st[r].nexto)
	}
	return mx, pops
}
