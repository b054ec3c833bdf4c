package engine

// refPair assigns each send/recv a dense message id (k-th send on (src,dst,tag) = k-th recv).
// Ids are stored in Tag; returns number of messages.
func refPair(t *refTrace) int {
	n := 0
	next := make([]map[uint64][]uint32, t.P) // dst -> chan -> ids in send order
	for i := range next {
		next[i] = map[uint64][]uint32{}
	}
	for r, ops := range t.Ranks {
		for i := range ops {
			if ops[i].Kind == refSend {
				k := uint64(r)<<32 | uint64(ops[i].Tag)
				d := ops[i].Peer
				next[d][k] = append(next[d][k], uint32(n))
				ops[i].Tag = uint32(n)
				n++
			}
		}
	}
	for r, ops := range t.Ranks {
		for i := range ops {
			if ops[i].Kind == refRecv {
				k := uint64(ops[i].Peer)<<32 | uint64(ops[i].Tag)
				q := next[r][k]
				ops[i].Tag = q[0]
				next[r][k] = q[1:]
			}
		}
	}
	return n
}

type refRank struct {
	t, nic uint64
	pc     int32 // next op
	wp     int32 // wait scan position (index of first recv not completed), -1 if not waiting
	g0     int32 // group start
	waitOn uint32
}

// refMatched is LogGP in program order, without events: who receives what is known before, by refPair.
func refMatched(t *refTrace, n int, p refCost) uint64 {
	const unset = ^uint64(0)
	arr := make([]uint64, n)
	for i := range arr {
		arr[i] = unset
	}
	st := make([]refRank, t.P)
	work := make([]uint32, 0, t.P)
	for r := t.P - 1; r >= 0; r-- {
		st[r].wp = -1
		st[r].waitOn = ^uint32(0)
		work = append(work, uint32(r))
	}
	for len(work) > 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		s := &st[r]
		ops := t.Ranks[r]
		tm, nic := s.t, s.nic
		pc := int(s.pc)
		wp := int(s.wp)
	loop:
		for pc < len(ops) {
			op := &ops[pc]
			switch op.Kind {
			case refCalc:
				tm += uint64(op.Size)
				s.g0 = int32(pc + 1)
			case refSend:
				is := max(tm, nic)
				x := uint64(op.Size-1) * p.G
				tm = is + p.o
				nic = is + p.g + x
				m := op.Tag
				arr[m] = is + p.o + p.L + x
				d := &st[op.Peer]
				if d.waitOn == m {
					d.waitOn = ^uint32(0)
					work = append(work, op.Peer)
				}
			case refRecv:
			case refWait:
				if wp < 0 {
					wp = int(s.g0)
				}
				for ; wp < pc; wp++ {
					q := &ops[wp]
					if q.Kind == refRecv {
						a := arr[q.Tag]
						if a == unset {
							s.waitOn = q.Tag
							break loop
						}
						tm = max(tm, a) + p.o
					}
				}
				wp = -1
				s.g0 = int32(pc + 1)
			}
			pc++
		}
		s.t, s.nic, s.pc, s.wp = tm, nic, int32(pc), int32(wp)
	}
	var mx uint64
	for r := range st {
		if int(st[r].pc) != len(t.Ranks[r]) {
			panic("deadlock")
		}
		mx = max(mx, st[r].t)
	}
	return mx
}
