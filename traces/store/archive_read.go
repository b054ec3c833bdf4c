package store

import (
	"spoor/traces/store/internal/guess"
	"spoor/traces/trace"
)

// unarchiver converts the columns of the archive profile to references.
type unarchiver struct {
	dictionary
	predictor guess.Blocks
	slot      []guess.Slot
	misses    []uint64 // in the order of guess
	guesses   []int32  // next position of each slot in guess
	missFrom  []int32  // next position of each slot in misses
}

// decode reads a batch into r.
func (u *unarchiver) decode(d *decoder, r *trace.Refs, hasPC bool) {
	u.get(d, hasPC)
	if d.err == nil {
		u.checkBlocks(d, hasPC)
	}
	if d.err == nil {
		u.decodeDeltas(hasPC)
		u.layOut()
		u.checkRuns(d)
	}
	if d.err == nil {
		u.joinMisses(d)
	}
	if d.err == nil {
		r.Reset()
		r.Proc = trace.Proc(u.proc[0])
		u.expand(d, r, int(u.refs[0]), hasPC)
	}
}

// checkBlocks checks that the columns of the dictionary are consistent.
func (u *unarchiver) checkBlocks(d *decoder, hasPC bool) {
	if len(u.blockRefs) == 0 || len(u.blockRefs) != len(u.blockRuns) {
		d.fail("it has %d blocks that run and %d that have references", len(u.blockRuns), len(u.blockRefs))
		return
	}
	var static, all uint64
	for b, n := range u.blockRefs {
		if n == 0 || u.blockRuns[b] == 0 {
			d.fail("a block is empty or does not run")
			return
		}
		static += uint64(n)
		all += uint64(n) * uint64(u.blockRuns[b])
	}
	n, fetches := int(static), 0
	for _, op := range u.op {
		if op == trace.Ifetch {
			fetches++
		}
	}
	if len(u.op) != n || len(u.instr) != n || len(u.size) != n || (hasPC && len(u.pc) != n) || len(u.fetch) != fetches {
		d.fail("the references of its blocks have columns of unequal length")
	}
	if all != uint64(u.refs[0]) {
		d.fail("its blocks do not add up to its references")
	}
}

// decodeDeltas undoes the differences of fetch and pc.
func (u *unarchiver) decodeDeltas(hasPC bool) {
	u.addr = fillTo(u.addr, len(u.op), 0)
	var end, before uint64
	fetch := u.fetch
	for i, op := range u.op {
		if op == trace.Ifetch {
			u.addr[i] = end + uint64(fetch[0])
			end, fetch = u.addr[i]+uint64(u.size[i]), fetch[1:]
		}
	}
	if !hasPC {
		u.pcs = nil
	} else {
		u.pcs = resize(u.pcs, len(u.pc))
		for i, diff := range u.pc {
			before += uint64(diff)
			u.pcs[i] = before
		}
	}
}

// checkRuns checks the lengths of next and guess.
func (u *unarchiver) checkRuns(d *decoder) {
	if len(u.next) != int(u.nextAt[len(u.blockRefs)]) || len(u.guess) != int(u.guessAt[u.slots]) {
		d.fail("it has %d runs and %d guesses instead of %d and %d",
			len(u.next), len(u.guess), u.nextAt[len(u.blockRefs)], u.guessAt[u.slots])
	}
}

// joinMisses fills misses from the columns of their bytes.
func (u *unarchiver) joinMisses(d *decoder) {
	u.misses = u.misses[:0]
	u.missFrom = resize(u.missFrom, u.slots)
	planes := u.miss
	for s := range u.slots {
		u.missFrom[s] = int32(len(u.misses))
		for _, code := range u.guess[u.guessAt[s]:u.guessAt[s+1]] {
			if code < guess.Miss {
				continue
			}
			var v uint64
			for k := range int(code) - guess.Miss {
				if k >= missBytes || len(planes[k]) == 0 {
					d.fail("it has too few misses, or one of too many bytes")
					return
				}
				v |= uint64(planes[k][0]) << (8 * k)
				planes[k] = planes[k][1:]
			}
			u.misses = append(u.misses, v)
		}
	}
	for k := range planes {
		if len(planes[k]) > 0 {
			d.fail("it has too many misses")
		}
	}
}

// expand runs the blocks and fills r.
func (u *unarchiver) expand(d *decoder, r *trace.Refs, rows int, hasPC bool) {
	r.Instr, r.Addr = resize(r.Instr, rows), resize(r.Addr, rows)
	r.Size, r.Op = resize(r.Size, rows), resize(r.Op, rows)
	if hasPC {
		r.PC = resize(r.PC, rows)
	} else {
		r.PC = nil
	}
	u.slot = resize(u.slot, u.slots)
	clear(u.slot)
	u.guesses = append(u.guesses[:0], u.guessAt...)
	u.predictor.Begin(len(u.blockRefs), len(u.next))
	w := runCursor{next: append([]int32(nil), u.nextAt...), jump: u.jump, fresh: 1}
	var recent guess.Recent
	at := 0
	for b := int32(0); ; {
		from, to := u.from[b], u.from[b+1]
		copy(r.Instr[at:], u.instr[from:to])
		copy(r.Addr[at:], u.addr[from:to])
		copy(r.Size[at:], u.size[from:to])
		copy(r.Op[at:], u.op[from:to])
		if hasPC {
			copy(r.PC[at:], u.pcs[from:to])
		}
		u.fill(r.Addr[at:], b, &recent)
		if at += int(to - from); at == rows {
			break
		}
		if b = u.step(&w, b); b < 0 {
			d.fail("its blocks run in another order than its columns give")
			return
		}
	}
	if len(w.jump) > 0 {
		d.fail("it lists too many jumps")
	}
}

// fill sets the addresses of the data references of a run of block b.
func (u *unarchiver) fill(addrs []uint64, b int32, recent *guess.Recent) {
	for _, ref := range u.data[u.dataFrom[b]:u.dataFrom[b+1]] {
		s := &u.slot[ref.slot]
		code := u.guess[u.guesses[ref.slot]]
		u.guesses[ref.slot]++
		var addr uint64
		switch {
		case code == guess.ByStride:
			addr = s.Last + s.Stride
		case code < guess.Miss:
			i := (code - guess.ByRecent) % guess.Addrs
			addr = recent[i] + s.From[i]
		default:
			addr = s.Base(recent) + unzigzag(u.misses[u.missFrom[ref.slot]])
			u.missFrom[ref.slot]++
		}
		addrs[ref.at] = addr
		s.Update(addr, recent)
	}
}

// runCursor is the position in the runs of blocks.
type runCursor struct {
	next  []int32  // next position of each block in the column next
	jump  []uint32 // remaining jumps
	fresh int32    // the first block that has not run
}

// step returns the block that runs after b, or -1 in case of an error.
func (u *unarchiver) step(w *runCursor, b int32) int32 {
	at, place := w.next[b], u.predictor.LastFourHash()
	w.next[b]++
	to := int32(-1)
	switch u.next[at] {
	case nextAsAfterFour:
		to = u.predictor.After4[place] - 1
	case nextAsAfterOne:
		to = u.predictor.After1[b] - 1
	case nextIsNew:
		to = w.fresh
	case nextIsListed:
		if len(w.jump) > 0 && w.jump[0] < uint32(w.fresh) {
			to, w.jump = int32(w.jump[0]), w.jump[1:]
		}
	}
	if to < 0 || int(to) >= len(u.blockRefs) || w.next[to] >= u.nextAt[to+1] {
		return -1
	}
	if to == w.fresh {
		w.fresh++
	}
	u.predictor.Update(to, place)
	return to
}
