package zcolumn

import "math/bits"

// bitWriter fills bytes from their low bits.
type bitWriter struct {
	out  []byte
	acc  uint64
	used uint
}

// add appends the low n bits of v, whose higher bits are zero; n is at most 32.
func (w *bitWriter) add(v uint64, n uint) {
	w.acc |= v << w.used
	w.used += n
	if w.used >= 32 {
		a := w.acc
		w.out = append(w.out, byte(a), byte(a>>8), byte(a>>16), byte(a>>24))
		w.acc >>= 32
		w.used -= 32
	}
}

// flush pads the last byte with zeros.
func (w *bitWriter) flush() {
	for w.used > 0 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
		w.used -= min(w.used, 8)
	}
}

// table is a finite-state entropy coder for one of the three kinds of code
// [rfc8878, 4.1].
type table struct {
	log    uint
	norm   [maxCodes]int // share of each code in 1<<log states
	codes  int           // codes are below it
	rle    bool          // all codes are the same
	state  []uint16
	toBits [maxCodes]uint32
	toFind [maxCodes]int32
	spread []uint8
}

// maxCodes bounds the number of different codes: match lengths have 53.
const maxCodes = 53

// plan counts codes and shares out states among them.
func (t *table) plan(codes []uint8, maxLog uint) {
	var count [maxCodes]int
	for _, c := range codes {
		count[c]++
	}
	t.codes = 0
	distinct := 0
	for c, n := range count {
		if n > 0 {
			t.codes = c + 1
			distinct++
		}
	}
	if t.rle = distinct == 1; t.rle {
		return
	}
	least := uint(max(5, bits.Len(uint(distinct-1))))
	t.log = min(max(uint(bits.Len(uint(len(codes))))-2, least), maxLog)
	t.normalize(count[:t.codes], len(codes))
	t.build()
}

// normalize gives every code that occurs at least one state, and the others in
// proportion; what rounding leaves goes to, or comes from, the greatest.
func (t *table) normalize(count []int, total int) {
	size := 1 << t.log
	left := size
	most := 0
	for c, n := range count {
		t.norm[c] = 0
		if n > 0 {
			t.norm[c] = max(1, (n*size+total/2)/total)
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
	t.spread = append(t.spread[:0], make([]uint8, size)...)
	t.state = append(t.state[:0], make([]uint16, size)...)
	pos, step := 0, size>>1+size>>3+3
	for c := range t.codes {
		for range t.norm[c] {
			t.spread[pos] = uint8(c)
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
	for i, c := range t.spread {
		t.state[next[c]] = uint16(size + i)
		next[c]++
	}
}

// transition says how code c, whose states begin at first, is encoded.
func (t *table) transition(c, first int) {
	n := t.norm[c]
	switch n {
	case 0:
	case 1:
		t.toBits[c] = uint32(t.log<<16) - 1<<t.log
		t.toFind[c] = int32(first - 1)
	default:
		out := t.log - uint(bits.Len(uint(n-1))-1)
		t.toBits[c] = uint32(out<<16) - uint32(n)<<out
		t.toFind[c] = int32(first - n)
	}
}

// start is the state of the last code, which costs no bits.
func (t *table) start(c uint8) uint32 {
	if t.rle {
		return 0
	}
	out := (t.toBits[c] + 1<<15) >> 16
	v := out<<16 - t.toBits[c]
	return uint32(t.state[int32(v>>out)+t.toFind[c]])
}

// put encodes c and returns the next state.
func (t *table) put(w *bitWriter, state uint32, c uint8) uint32 {
	if t.rle {
		return 0
	}
	out := (state + t.toBits[c]) >> 16
	w.add(uint64(state)&(1<<out-1), uint(out))
	return uint32(t.state[int32(state>>out)+t.toFind[c]])
}

// finish writes the last state, which the decoder begins with.
func (t *table) finish(w *bitWriter, state uint32) {
	if !t.rle {
		w.add(uint64(state)&(1<<t.log-1), t.log)
	}
}

// describe appends the description of the table [rfc8878, 4.1.1]; code is the
// one code of a table of one.
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
		zeros = n == 0
		for remaining < threshold {
			width--
			threshold >>= 1
		}
	}
	w.flush()
	return w.out
}

// skipZeros writes how many codes from c on do not occur, and returns the next
// one that does.
func (t *table) skipZeros(w *bitWriter, c int) int {
	n := 0
	for t.norm[c+n] == 0 {
		n++
	}
	for left := n; ; left -= 3 {
		w.add(uint64(min(left, 3)), 2)
		if left < 3 {
			return c + n
		}
	}
}
