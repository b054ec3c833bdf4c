package lines

import (
	"slices"

	"spoor/traces/trace"
)

// Toucher uses lines in order, and keeps nothing of the slice.
type Toucher interface {
	Touch(lines []uint64) error
}

// Feed turns data references into the lines that they use: loads and stores, one that crosses lines
// uses each of them, in order of address. Lines are handed on many at a time: pieces of
// the interleaved order are short.
type Feed struct {
	shift   uint
	buffer  []uint64
	touched uint64 // or the compiler drops the loads of touch
}

// feedLines is how many lines a feed hands on at a time.
const feedLines = 16 * Batch

// NewFeed is a feed of lines of 2^shift bytes.
func NewFeed(shift uint) *Feed { return &Feed{shift: shift, buffer: make([]uint64, 0, feedLines)} }

// Add uses the lines of references. Some may be kept until Flush.
func (f *Feed) Add(refs *trace.Refs, to Toucher) error {
	for at, near := 0, 0; at < len(refs.Addr); {
		if at == near {
			near = min(at+feedLines, len(refs.Addr))
			f.touch(refs.Addr[at:near], refs.Size[at:near], refs.Op[at:near])
		}
		if err := f.makeRoom(to); err != nil {
			return err
		}
		n, more := f.gather(refs.Addr[at:near], refs.Size[at:near], refs.Op[at:near])
		at += n
		for line := refs.Addr[at-1]>>f.shift + 1; more > 0; more-- {
			if err := f.makeRoom(to); err != nil {
				return err
			}
			f.buffer = append(f.buffer, line)
			line++
		}
	}
	return nil
}

// AddUses uses the lines of the references before index end, from use on, named by their places, and returns the use after them. Lines
// are handed on when Add would do it, at the next reference of any kind: Toucher cannot tell the one from the other.
func (f *Feed) AddUses(u *Uses, use, end int, to Toucher) (next int, err error) {
	next = len(u.Refs)
	if next > use && int(u.Refs[next-1]) >= end {
		n, _ := slices.BinarySearch(u.Refs[use:], uint32(end))
		next = use + n
	}
	for use < next {
		if err := f.makeRoom(to); err != nil {
			return use, err
		}
		had := len(f.buffer)
		n := min(next-use, cap(f.buffer)-had)
		f.buffer = f.buffer[:had+n]
		kept := f.buffer[had:]
		for i, at := range u.Places[use:][:n] {
			kept[i] = uint64(at)
		}
		use += n
	}
	if next == 0 || int(u.Refs[next-1]) < end-1 {
		return next, f.makeRoom(to)
	}
	return next, nil
}

// makeRoom hands on what is kept if there is no room for more.
func (f *Feed) makeRoom(to Toucher) error {
	if len(f.buffer) < cap(f.buffer) {
		return nil
	}
	return f.Flush(to)
}

// touch loads a word of every line of the host's caches that holds references: loads that nothing
// waits for overlap, where those of gather, which tests what it loads, hardly do.
func (f *Feed) touch(addr []uint64, size []uint16, op []trace.Op) {
	touched := f.touched
	for i := 0; i < len(addr); i += 8 {
		touched += addr[i]
	}
	for i := 0; i < len(size); i += 32 {
		touched += uint64(size[i])
	}
	for i := 0; i < len(op); i += 64 {
		touched += uint64(op[i])
	}
	f.touched = touched
}

// gather keeps the first lines of references, of as many as there is room for, up to the first one that
// crosses lines, and returns how many references that are, and how many more lines the last one uses.
func (f *Feed) gather(addr []uint64, size []uint16, op []trace.Op) (refs int, more uint64) {
	room := f.buffer[len(f.buffer):cap(f.buffer)]
	addr = addr[:min(len(addr), len(room))]
	size, op = size[:len(addr)], op[:len(addr)]
	shift := f.shift & 63
	within := uint64(1)<<shift - 1
	n := 0
	for i, a := range addr {
		room[n] = a >> shift // stays if it is data: there is no branch that is hard to predict
		last := a + uint64(size[i]) - 1
		if op[i].Data() {
			n++
		}
		if a^last > within && op[i].Data() {
			f.buffer = f.buffer[:len(f.buffer)+n]
			return i + 1, last>>shift - a>>shift
		}
	}
	f.buffer = f.buffer[:len(f.buffer)+n]
	return len(addr), 0
}

// Flush hands on what is kept.
func (f *Feed) Flush(to Toucher) error {
	err := to.Touch(f.buffer)
	f.buffer = f.buffer[:0]
	return err
}
