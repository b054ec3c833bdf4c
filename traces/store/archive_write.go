package store

import (
	"math/bits"

	"spoor/traces/store/internal/guess"
	"spoor/traces/trace"
)

// archiver converts batches of references to the columns of the archive profile.
type archiver struct {
	dictionary
	hashes    map[uint64]int32 // the last block of each hash
	sameHash  []int32          // the block with the same hash before, or -1
	runs      []int32          // blocks in the order of time
	predictor guess.Blocks
	slot      []guess.Slot
	miss64    []uint64 // of each guess, the distance if it missed
}

// encode puts the columns of r into e.
func (a *archiver) encode(e *encoder, r *refsBatch, hasPC bool) {
	a.reset()
	a.cutAll(&r.Refs, hasPC)
	a.layOut()
	a.encodeRuns()
	a.guessAll(&r.Refs)
	a.splitMisses()
	a.encodeDeltas(hasPC)
	a.proc = append(a.proc[:0], int32(r.Proc))
	a.refs = append(a.refs[:0], uint32(r.Len()))
	a.put(e, hasPC)
}

// usualBlock is the number of references at which a block ends, unless that would separate
// a data reference from the ifetch of its instruction.
const usualBlock = 64

// cutAll cuts r into blocks and fills the dictionary.
func (a *archiver) cutAll(r *trace.Refs, hasPC bool) {
	if a.hashes == nil {
		a.hashes = map[uint64]int32{}
	}
	clear(a.hashes)
	a.sameHash, a.runs, a.addr, a.from = a.sameHash[:0], a.runs[:0], a.addr[:0], append(a.from[:0], 0)
	a.pcs = a.pcs[:0]
	if !hasPC {
		a.pcs = nil
	} else if a.pcs == nil {
		a.pcs = []uint64{}
	}
	var c cutter
	from := 0
	for i, op := range r.Op {
		st := guess.Static(r.Instr[i], r.Size[i], op)
		var cut bool
		switch {
		case op == trace.Ifetch:
			cut = c.cutByFetch(r.Addr[i], r.Size[i])
		case c.fetches: // this block has an ifetch, and ends at one
		case hasPC:
			cut = c.cutByPC(r.PC[i])
		default:
			cut = c.cutByContext(st, i-from)
		}
		if (cut || i-from >= c.limit(op)) && i > from {
			a.run(r, from, i, c.hash)
			from, c.hash, c.fetches = i, 0, op == trace.Ifetch
		}
		c.hash = guess.Mixed(c.hash, st)
		if op == trace.Ifetch {
			c.hash = guess.Mixed(c.hash, r.Addr[i])
		}
		if hasPC {
			c.hash = guess.Mixed(c.hash, r.PC[i])
		}
	}
	a.run(r, from, r.Len(), c.hash)
}

// cutter decides where blocks end. Any decision is correct; the better blocks repeat, the
// smaller is the file.
type cutter struct {
	end     uint64 // of the last ifetch
	pc      uint64 // of the last data reference
	fetches bool   // the block has ifetches
	hash    uint64 // of the block so far
	window  [3]uint64
}

// cutByFetch reports whether an ifetch is not the one after the last: a jump.
func (c *cutter) cutByFetch(addr uint64, size uint16) bool {
	jump := addr != c.end
	c.end, c.fetches = addr+uint64(size), true
	return jump
}

// limit is the length at which a block ends before a reference.
func (c *cutter) limit(op trace.Op) int {
	if op != trace.Ifetch && c.fetches {
		return maxBlockRefs
	}
	return usualBlock
}

// cutByPC reports whether the pc goes back: a loop.
func (c *cutter) cutByPC(pc uint64) bool {
	back := pc < c.pc
	c.pc = pc
	return back
}

// cutByContext cuts traces that have neither at references whose neighbourhood has a
// certain hash, so that blocks begin alike wherever the same references recur.
func (c *cutter) cutByContext(static uint64, length int) bool {
	const least, most = 8, 64
	h := guess.Mixed(guess.Mixed(guess.Mixed(static, c.window[0]), c.window[1]), c.window[2])
	c.window = [3]uint64{static, c.window[0], c.window[1]}
	return length >= least && h>>32%most < most/16
}

// run adds the rows from to to of r as one block.
func (a *archiver) run(r *trace.Refs, from, to int, hash uint64) {
	first, ok := a.hashes[hash]
	if !ok {
		first = -1
	}
	for b := first; b >= 0; b = a.sameHash[b] {
		if a.isBlock(b, r, from, to) {
			a.blockRuns[b]++
			a.runs = append(a.runs, b)
			return
		}
	}
	b := int32(len(a.blockRefs))
	a.hashes[hash] = b
	a.sameHash = append(a.sameHash, first)
	a.runs = append(a.runs, b)
	a.blockRefs = append(a.blockRefs, uint8(to-from))
	a.blockRuns = append(a.blockRuns, 1)
	a.instr = append(a.instr, r.Instr[from:to]...)
	a.size = append(a.size, r.Size[from:to]...)
	a.op = append(a.op, r.Op[from:to]...)
	if a.pcs != nil {
		a.pcs = append(a.pcs, r.PC[from:to]...)
	}
	for i := from; i < to; i++ {
		var addr uint64
		if r.Op[i] == trace.Ifetch {
			addr = r.Addr[i]
		}
		a.addr = append(a.addr, addr)
	}
	a.from = append(a.from, int32(len(a.op)))
}

// isBlock reports whether rows from to to of r are block b.
func (a *archiver) isBlock(b int32, r *trace.Refs, from, to int) bool {
	at, n := int(a.from[b]), to-from
	if int(a.blockRefs[b]) != n {
		return false
	}
	for i := range n {
		x, y := at+i, from+i
		if a.op[x] != r.Op[y] || a.size[x] != r.Size[y] || a.instr[x] != r.Instr[y] ||
			(a.op[x] == trace.Ifetch && a.addr[x] != r.Addr[y]) || (a.pcs != nil && a.pcs[x] != r.PC[y]) {
			return false
		}
	}
	return true
}

// encodeRuns fills next and jump.
func (a *archiver) encodeRuns() {
	a.next = fillTo(a.next, len(a.runs), 0) // the entry of the last run is not read
	at := append([]int32(nil), a.nextAt...)
	a.predictor.Begin(len(a.blockRefs), len(a.runs))
	fresh := int32(1)
	for i, b := range a.runs[1:] {
		place := a.predictor.LastFourHash()
		var code uint8
		switch b + 1 {
		case a.predictor.After4[place]:
			code = nextAsAfterFour
		case a.predictor.After1[a.runs[i]]:
			code = nextAsAfterOne
		case fresh + 1:
			code = nextIsNew
		default:
			code = nextIsListed
			a.jump = append(a.jump, uint32(b))
		}
		if b == fresh {
			fresh++
		}
		a.next[at[a.runs[i]]] = code
		at[a.runs[i]]++
		a.predictor.Update(b, place)
	}
}

// guessAll fills guess and miss64.
func (a *archiver) guessAll(r *trace.Refs) {
	a.slot = resize(a.slot, a.slots)
	clear(a.slot)
	at := append([]int32(nil), a.guessAt...)
	a.guess = resize(a.guess, int(a.guessAt[a.slots]))
	a.miss64 = resize(a.miss64, len(a.guess))
	var recent guess.Recent
	from := 0
	for _, b := range a.runs {
		for _, d := range a.data[a.dataFrom[b]:a.dataFrom[b+1]] {
			addr, s := r.Addr[from+int(d.at)], &a.slot[d.slot]
			code := s.CodeOf(addr, &recent)
			if code == guess.Miss {
				v := zigzag(addr - s.Base(&recent))
				a.miss64[at[d.slot]] = v
				code += uint8(bits.Len64(v)+7) / 8
			} else {
				s.Code = code
			}
			a.guess[at[d.slot]] = code
			at[d.slot]++
			s.Update(addr, &recent)
		}
		from += int(a.blockRefs[b])
	}
}

// splitMisses fills the columns of misses.
func (a *archiver) splitMisses() {
	for i, code := range a.guess {
		if code <= guess.Miss {
			continue
		}
		v := a.miss64[i]
		for k := range code - guess.Miss {
			a.miss[k] = append(a.miss[k], uint8(v))
			v >>= 8
		}
	}
}

// encodeDeltas fills fetch and pc.
func (a *archiver) encodeDeltas(hasPC bool) {
	var end, before uint64
	for i, op := range a.op {
		if op == trace.Ifetch {
			a.fetch = append(a.fetch, int64(a.addr[i]-end))
			end = a.addr[i] + uint64(a.size[i])
		}
	}
	if hasPC {
		for _, pc := range a.pcs {
			a.pc = append(a.pc, int64(pc-before))
			before = pc
		}
	}
}
