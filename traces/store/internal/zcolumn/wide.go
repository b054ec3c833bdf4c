package zcolumn

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// wideFinder looks for repeated runs of elements of eight bytes, such as addresses. There
// are too many different elements for symbols. General encoders look at every byte; this
// one looks at every element. Of elements without a match, it codes only the low bytes.
type wideFinder struct {
	column []byte
	rows   []uint64              // its elements
	one    [1 << wideBits]uint32 // entries of runs of one element
	two    [1 << wideBits]uint32 // entries of runs of two elements: they identify repeated code, not data
	at     int                   // bytes of the column already in this block or an earlier one
	distances
}

const (
	wideWidth = 8
	wideBits  = 14
	indexBits = 20 // of elements in entries
	maxWide   = 1<<indexBits - 1
	wideTail  = 2 // elements at the end that begin no match
	sure      = 4 // length of a run that is taken without further search
)

// begin starts a column.
func (f *wideFinder) begin(column []byte) {
	f.column, f.rows = column, elements(column)
	clear(f.one[:])
	clear(f.two[:])
	f.distances = distances{}
}

// elements returns column as numbers. It shares memory with column if the machine is little
// endian and the memory is aligned.
func elements(column []byte) []uint64 {
	n := len(column) / wideWidth
	start := unsafe.Pointer(unsafe.SliceData(column))
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 && uintptr(start)%unsafe.Alignof(uint64(0)) == 0 {
		return unsafe.Slice((*uint64)(start), n)
	}
	rows := make([]uint64, n)
	for i := range rows {
		rows[i] = binary.LittleEndian.Uint64(column[i*wideWidth:])
	}
	return rows
}

// run is a run of elements that occurred before.
type run struct {
	at, length int
	gain       int // approximate bits that it saves
}

// Approximate costs in bits, measured on traces of gzip, gcc and python.
const (
	elementCost  = 20 // an element that is not in a match
	repeatCost   = 10 // a match at a recent distance
	distanceCost = 14 // a match at another distance, without the bits of the distance
)

// find fills b with elements from to to of the column.
func (f *wideFinder) find(b *block, from, to int) {
	next := from // first element not yet in b, except perhaps its low bytes
	f.at = from * wideWidth
	for i := from; i+wideTail <= to; {
		m := f.best(i, to)
		if m.gain <= 0 {
			i += 1 + (i-next)>>8
			continue
		}
		for i > next && m.at > 0 && f.rows[i-1] == f.rows[m.at-1] {
			i, m.at, m.length = i-1, m.at-1, m.length+1
		}
		f.add(b, next, i, to, m)
		next = i + m.length
		// A sample of the elements of a long run suffices to find it again.
		for j, step := i+1, 1+m.length/4; j < min(next, to-1); j += step {
			one, two := f.hashes(j)
			f.learn(j, one, two)
		}
		i = next
	}
	f.low(b, next, to)
	b.literals = append(b.literals, f.column[f.at:to*wideWidth]...)
}

// hashes returns the hashes of the runs of one and two elements from i on.
func (f *wideFinder) hashes(i int) (one, two uint64) {
	a := f.rows[i] * prime1
	return a, (a ^ bits.RotateLeft64(f.rows[i+1]*prime2, 29)) * prime3
}

// entry returns the entry of element i in a table, at index h>>(64-wideBits). It has the
// next bits of the hash, which exclude most other elements, and i + 1.
func entry(h uint64, i int) uint32 {
	return uint32(h>>(64-wideBits-32))&^(1<<indexBits-1) | uint32(i+1)
}

// seen returns the last element entered with hash h, or -1.
func seen(e uint32, h uint64) int {
	if (e^uint32(h>>(64-wideBits-32)))>>indexBits != 0 {
		return -1
	}
	return int(e&(1<<indexBits-1)) - 1
}

// learn enters element i.
func (f *wideFinder) learn(i int, one, two uint64) {
	f.one[one>>(64-wideBits)], f.two[two>>(64-wideBits)] = entry(one, i), entry(two, i)
}

// best returns the earlier run that matches the elements from i on best, and enters i.
func (f *wideFinder) best(i, to int) (m run) {
	one, two := f.hashes(i)
	at2, at1 := seen(f.two[two>>(64-wideBits)], two), seen(f.one[one>>(64-wideBits)], one)
	f.learn(i, one, two)
	v := f.rows[i]
	for _, r := range f.reps {
		r /= wideWidth
		if r == 0 || r > i || f.rows[i-r] != v {
			continue
		}
		n := f.extend(i-r, i, to)
		if gain := n*elementCost - repeatCost; gain > m.gain {
			if m = (run{i - r, n, gain}); n >= sure {
				return m
			}
		}
	}
	if at2 >= 0 && at2 < i && f.rows[at2] == v {
		m = f.better(m, at2, i, to)
	}
	if at1 >= 0 && at1 < i && at1 != at2 && f.rows[at1] == v {
		m = f.better(m, at1, i, to)
	}
	return m
}

// better returns m, or the run from at on if its gain is larger.
func (f *wideFinder) better(m run, at, i, to int) run {
	n := f.extend(at, i, to)
	if gain := n*elementCost - distanceCost - bits.Len(uint(i-at)); gain > m.gain {
		return run{at, n, gain}
	}
	return m
}

// extend returns the number of elements from i on that equal those from at on.
func (f *wideFinder) extend(at, i, to int) int {
	here := f.rows[i:to]
	there := f.rows[at:][:len(here)]
	for n, v := range here {
		if there[n] != v {
			return n
		}
	}
	return len(here)
}

// mostBefore is the most low bytes of the element after a run that join the run. The rest can still be a match.
const mostBefore = wideWidth - minMatch

// add adds the elements from next on to b, then the run m that begins at i. Both end before element to.
func (f *wideFinder) add(b *block, next, i, to int, m run) {
	f.low(b, next, i)
	at, distance := f.at, i-m.at
	end := max(i*wideWidth, at)
	if next < i {
		v := f.rows[i-1]
		if m.at > 0 { // the run also covers the high bytes of the previous element
			end = max(end-min(bits.LeadingZeros64(v^f.rows[m.at-1])/8, wideWidth-1), at)
		}
		if at == (i-1)*wideWidth {
			n := len(b.literals)
			b.literals = binary.LittleEndian.AppendUint64(b.literals, v)[:n+end-at]
		} else {
			b.literals = append(b.literals, f.column[at:end]...)
		}
	}
	f.at = (i + m.length) * wideWidth
	if behind := i + m.length; behind < to {
		f.at += min(bits.TrailingZeros64(f.rows[behind]^f.rows[behind-distance])/8, mostBefore)
	}
	f.match(b, end-at, distance*wideWidth, f.at-end)
}

// low adds those elements from next on whose high bytes are a match, without the last one
// before i. It adds their low bytes as literals.
func (f *wideFinder) low(b *block, next, i int) {
	for j := next; j < i-1; j++ { // the caller adds the last element
		same, distance := f.high(j)
		from := (j+1)*wideWidth - same
		if same == 0 || from <= f.at {
			continue
		}
		b.literals = append(b.literals, f.column[f.at:from]...)
		b.sequences = append(b.sequences, sequence{literals: uint32(from - f.at), match: uint32(same),
			offset: f.offset(distance*wideWidth, true)})
		f.at = from + same
	}
}

// high returns the number of high bytes, at most seven, that element i shares with an element
// at a recent distance or directly before, and the distance. It returns 0 if there are too few.
func (f *wideFinder) high(i int) (same, distance int) {
	const least, before = 6, 3
	v := f.rows[i]
	try := func(r int) {
		if n := bits.LeadingZeros64(v^f.rows[i-r]) / 8; n > same {
			same, distance = n, r
		}
	}
	for _, r := range f.reps {
		r /= wideWidth
		if r > 0 && r <= i {
			try(r)
		}
	}
	for r := 1; same < least && r <= min(before, i); r++ {
		try(r)
	}
	if same < least {
		return 0, 0
	}
	return min(same, wideWidth-1), distance
}
