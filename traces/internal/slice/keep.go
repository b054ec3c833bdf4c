package slice

import (
	"spoor/traces/internal/walk"
	"spoor/traces/trace"
)

// keeper decides for each event of one processor whether the part keeps it.
type keeper struct {
	s     *slicing
	p     trace.Proc
	i     int
	count tally
	left  quotas
	open  map[int32]bool // requests opened in the part
	held  map[int32]int  // locks acquired in the part
}

func (s *slicing) newKeeper(i int) *keeper {
	return &keeper{s: s, p: s.procs[i], i: i, count: newTally(), left: s.quotas.clone(), open: map[int32]bool{}, held: map[int32]int{}}
}

// event returns e as it is in the part, and its position in the whole trace. It returns false
// if the part omits e. Work that crosses an end of the window is cut there.
func (k *keeper) event(pos uint64, row int64, e *trace.Event) (uint64, trace.Event, bool) {
	w, kept := k.s.windows[k.i], *e
	in := w.hasEvent(pos, row)
	if e.Kind == trace.Compute && k.s.work && e.Work > 0 && row >= w.first && row < w.end {
		from, to := max(pos, w.from), min(pos+uint64(e.Work), w.to)
		in = from < to
		if in {
			kept.Work, pos = int64(to-from), from
		}
	}
	if !k.whole(e, in) || !in {
		return 0, kept, false
	}
	if kept.Kind == trace.WaitFlag && !k.await(&kept) {
		k.s.lost[lostFlags]++
		return 0, kept, false
	}
	k.renumber(&kept)
	return pos, kept, true
}

// whole counts e, and reports whether the part has everything that belongs to e.
func (k *keeper) whole(e *trace.Event, in bool) bool {
	ok, what := true, lostMessages
	switch e.Kind {
	case trace.Send, trace.Isend:
		ok = k.send(e, in)
	case trace.Recv, trace.Irecv:
		ok = k.receive(e, in)
	case trace.Wait, trace.Test:
		if e.Request >= 0 {
			ok, what = k.open[e.Request], lostWaits
		}
		if e.Kind == trace.Wait || e.Count > 0 {
			delete(k.open, e.Request)
		}
	case trace.Probe, trace.Iprobe:
		ok, what = k.s.inside(e.Peer), lostWaits
	case trace.Lock:
		if in {
			k.held[e.Peer]++
		}
	case trace.Unlock:
		if ok, what = k.held[e.Peer] > 0, lostUnlocks; ok {
			k.held[e.Peer]--
		}
	default:
		if m, is := collectiveOf(e); is {
			ok, what = k.s.collectives[m].has(next(k.count.collectives, m)), lostCollectives
			if ok && in && e.Request >= 0 {
				k.open[e.Request] = true
			}
		}
	}
	if in && !ok {
		k.s.lost[what]++
	}
	return ok
}

// send counts a send and reports whether its message is in the part.
func (k *keeper) send(e *trace.Event, in bool) bool {
	f := flow{k.p, trace.Proc(e.Peer), e.Tag, e.Group}
	ok := k.s.receives[f].has(next(k.count.sends, f))
	if k.s.wild[box{f.to, e.Group}] {
		ok = in && take(k.left.sends, f)
	}
	return k.message(e, in, ok && k.s.inside(e.Peer))
}

// receive counts a receive and reports whether its message is in the part.
func (k *keeper) receive(e *trace.Event, in bool) bool {
	f := flow{trace.Proc(e.Peer), k.p, e.Tag, e.Group}
	t, wild := takerOf(k.p, e)
	ok := false
	switch {
	case !k.s.inside(e.Peer):
	case wild:
		ok = in && !take(k.left.others, t)
	case k.s.wild[t.box]:
		ok = in && take(k.left.receives, f)
	default:
		ok = k.s.sends[f].has(next(k.count.receives, f))
	}
	return k.message(e, in, ok)
}

// message records the request of a message that is in the part.
func (k *keeper) message(e *trace.Event, in, ok bool) bool {
	if ok && in && e.Request >= 0 && (e.Kind == trace.Isend || e.Kind == trace.Irecv) {
		k.open[e.Request] = true
	}
	return ok
}

// next counts one more of key and returns its number.
func next[K comparable](count map[K]int64, key K) int64 {
	n := count[key]
	count[key] = n + 1
	return n
}

// inside reports whether p is in the part or means any processor.
func (s *slicing) inside(p int32) bool {
	_, ok := s.number[trace.Proc(p)]
	return ok || p == trace.None
}

// renumber replaces the numbers of processors and rows in e by the new ones.
func (k *keeper) renumber(e *trace.Event) {
	if walk.NamesProc(e.Kind) && e.Peer != trace.None {
		if n, ok := k.s.number[trace.Proc(e.Peer)]; ok {
			e.Peer = int32(n)
		} else {
			e.Peer = trace.None // the root of the collective is not in the part
		}
	}
	if e.Needs == nil || k.s.kept[k.i].rows == nil {
		return
	}
	needs := []int64{}
	for _, n := range e.Needs {
		if row, ok := k.s.kept[k.i].rows[n]; ok {
			needs = append(needs, row)
		}
	}
	e.Needs = needs
}
