package zcolumn

import (
	"encoding/binary"
	"math/bits"
)

// bitWriter fills bytes from their low bits.
type bitWriter struct {
	out  []byte
	acc  uint64
	used uint // bits in acc, fewer than 8 after move
}

// add appends the low n bits of v, whose higher bits are zero. Before move, no more
// than 56 bits are added.
func (w *bitWriter) add(v uint64, n uint) {
	w.acc |= v << (w.used & 63)
	w.used += n
}

// move brings whole bytes to out.
func (w *bitWriter) move() {
	w.out = binary.LittleEndian.AppendUint64(w.out, w.acc)
	whole := w.used / 8
	w.out = w.out[:len(w.out)-8+int(whole)]
	w.acc >>= whole * 8 & 63
	w.used &= 7
}

// makeRoom moves only if that is needed to add n more bits.
func (w *bitWriter) makeRoom(n uint) {
	if w.used+n > 56 {
		w.move()
	}
}

// flush pads the last byte with zeros.
func (w *bitWriter) flush() {
	w.used += 7
	w.move()
	w.acc, w.used = 0, 0
}

// table is a finite-state entropy coder for one of the three kinds of code
// [rfc8878, 4.1].
type table struct {
	log   uint
	count [maxCodes]uint32 // of each code in the block
	norm  [maxCodes]int    // share of each code in 1<<log states
	codes int              // all codes are below it
	rle   bool             // all codes are equal: there is one state
	next  [maxCodes]transition
	state [1 << maxLog]uint16
}

// transition is the encoding of a code.
type transition struct {
	bits uint32 // (state + bits) >> 16 is the number of bits of the state to write
	find int32  // find plus the rest of the state is the index of the next state
}

const (
	maxCodes = 64 // more than the number of different codes: match lengths have 53
	maxLog   = 9
)

// plan assigns states to codes. The total codes have been counted.
func (t *table) plan(total int, most uint) {
	t.codes = 0
	distinct := 0
	for c, n := range t.count {
		if n > 0 {
			t.codes = c + 1
			distinct++
		}
	}
	if t.rle = distinct == 1; t.rle {
		t.log, t.state[0], t.next[t.codes-1] = 0, 0, transition{}
		return
	}
	least := uint(max(5, bits.Len(uint(distinct-1))))
	t.log = min(max(uint(bits.Len(uint(total)))-2, least), most)
	t.normalize(t.count[:t.codes], total)
	t.build()
}

// normalize assigns states to codes in proportion to their counts. Every code that occurs
// gets at least one. The most frequent code gets the rounding error.
func (t *table) normalize(count []uint32, total int) {
	size := 1 << t.log
	left := size
	most := 0
	for c, n := range count {
		t.norm[c] = 0
		if n > 0 {
			t.norm[c] = max(1, (int(n)*size+total/2)/total)
			left -= t.norm[c]
		}
		if t.norm[c] > t.norm[most] {
			most = c
		}
	}
	for left < 0 {
		for c := range count {
			if t.norm[c] > t.norm[most] {
				most = c
			}
		}
		take := max(1, min(-left, t.norm[most]/4))
		t.norm[most] -= take
		left += take
	}
	t.norm[most] += left
}

// build makes the transitions [rfc8878, 4.1.1; the encoder's side is FSE's].
func (t *table) build() {
	size := 1 << t.log
	var spread [1 << maxLog]uint8
	pos, step := 0, size>>1+size>>3+3
	for c := range t.codes {
		for range t.norm[c] {
			spread[pos] = uint8(c)
			pos = (pos + step) & (size - 1)
		}
	}
	var next [maxCodes]int
	total := 0
	for c := range t.codes {
		next[c] = total
		t.transition(c, total)
		total += t.norm[c]
	}
	for i, c := range spread[:size] {
		t.state[next[c]] = uint16(size + i)
		next[c]++
	}
}

// transition sets the encoding of code c, whose states begin at first.
func (t *table) transition(c, first int) {
	n := t.norm[c]
	switch n {
	case 0:
	case 1:
		t.next[c] = transition{uint32(t.log<<16) - 1<<t.log, int32(first - 1)}
	default:
		out := t.log - uint(bits.Len(uint(n-1))-1)
		t.next[c] = transition{uint32(out<<16) - uint32(n)<<out, int32(first - n)}
	}
}

// start returns the state of the last code, which needs no bits.
func (t *table) start(c uint8) uint32 {
	x := t.next[c]
	out := (x.bits + 1<<15) >> 16
	v := out<<16 - x.bits
	return uint32(t.state[int32(v>>out)+x.find])
}

// put encodes c and returns the next state.
func (t *table) put(w *bitWriter, state uint32, c uint8) uint32 {
	x := t.next[c%maxCodes]
	out := (state + x.bits) >> 16 & 31
	w.add(uint64(state)&(1<<out-1), uint(out))
	return uint32(t.state[uint32(int32(state>>out)+x.find)%(1<<maxLog)])
}

// finish writes the last state, which the decoder begins with.
func (t *table) finish(w *bitWriter, state uint32) {
	w.add(uint64(state)&(1<<t.log-1), t.log)
}

// describe appends the description of the table [rfc8878, 4.1.1]. The argument code is the
// only code of an rle table.
func (t *table) describe(dst []byte, code uint8) []byte {
	if t.rle {
		return append(dst, code)
	}
	w := bitWriter{out: dst}
	w.add(uint64(t.log-5), 4)
	remaining := 1<<t.log + 1
	threshold, width := 1<<t.log, t.log+1
	zeros := false
	for c := 0; c < t.codes && remaining > 1; {
		if zeros {
			c = t.skipZeros(&w, c)
		}
		n := t.norm[c]
		c++
		spare := 2*threshold - 1 - remaining
		remaining -= n
		v := n + 1
		if v >= threshold {
			v += spare
		}
		if v < spare {
			w.add(uint64(v), width-1)
		} else {
			w.add(uint64(v), width)
		}
		w.move()
		zeros = n == 0
		for remaining < threshold {
			width--
			threshold >>= 1
		}
	}
	w.flush()
	return w.out
}

// skipZeros writes the number of codes from c on that do not occur, and returns the next
// code that does.
func (t *table) skipZeros(w *bitWriter, c int) int {
	n := 0
	for t.norm[c+n] == 0 {
		n++
	}
	for left := n; ; left -= 3 {
		w.add(uint64(min(left, 3)), 2)
		w.move()
		if left < 3 {
			return c + n
		}
	}
}
