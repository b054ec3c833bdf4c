package lines

import (
	"slices"

	"spoor/traces/trace"
)

// Toucher uses lines in order. It must not keep the slice.
type Toucher interface {
	Touch(lines []uint64) error
}

// Feed converts references of some operations into the lines that they use. A reference that crosses lines uses
// each of them, in order of address. Feed passes on many lines at a time, because chunks of the interleaved order
// are short.
type Feed struct {
	shift   uint
	ops     trace.OpSet
	buffer  []uint64
	asLoads []trace.Op // of data, for other operations than loads and stores
	touched uint64     // or the compiler drops the loads of touch
}

// feedLines is the number of lines that a feed passes on at a time.
const feedLines = 16 * Batch

// firstLines is the room of a new feed. It grows to feedLines: of many processors, each may have few lines.
const firstLines = 64

// NewFeed returns a feed of lines of 2^shift bytes that references with the given operations use.
func NewFeed(shift uint, ops trace.OpSet) *Feed {
	return &Feed{shift: shift, ops: ops, buffer: make([]uint64, 0, firstLines)}
}

// Add uses the lines of references. It may delay some until Flush.
func (f *Feed) Add(refs *trace.Refs, to Toucher) error {
	var ops []trace.Op
	for at, near := 0, 0; at < len(refs.Addr); {
		if at == near {
			near = min(at+feedLines, len(refs.Addr))
			f.touch(refs.Addr[at:near], refs.Size[at:near], refs.Op[at:near])
			ops = f.data(refs.Op[at:near])
		}
		if err := f.makeRoom(to); err != nil {
			return err
		}
		n, more := f.gather(refs.Addr[at:near], refs.Size[at:near], ops[len(ops)-(near-at):])
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

// AddUses uses the lines of the references before index end, starting with use from, by their
// numbers. It returns the next use. It passes lines on when Add would: at the next reference of any
// kind. A Toucher sees no difference.
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

// makeRoom passes lines on if there is no room for more.
func (f *Feed) makeRoom(to Toucher) error {
	if len(f.buffer) < cap(f.buffer) {
		return nil
	}
	if cap(f.buffer) < feedLines {
		f.buffer = append(make([]uint64, 0, min(8*cap(f.buffer), feedLines)), f.buffer...)
		return nil
	}
	return f.Flush(to)
}

// touch loads a word of every line of the host's caches that contains references. These loads
// overlap because nothing waits for them. Those of gather hardly overlap, because it tests what it
// loads.
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

// data returns operations that are loads where the given ones use lines, and fetches where they do not. So gather can compare
// with constants: the processor's registers do not hold its variables and a set of operations.
func (f *Feed) data(ops []trace.Op) []trace.Op {
	if f.ops == trace.DataOps {
		return ops
	}
	f.asLoads = f.asLoads[:0]
	for _, op := range ops {
		as := trace.Ifetch
		if f.ops.Has(op) {
			as = trace.Load
		}
		f.asLoads = append(f.asLoads, as)
	}
	return f.asLoads
}

// gather stores the first lines of loads and stores, as many as fit, up to the first one that
// crosses lines. It returns the number of references, and how many more lines the last one uses.
func (f *Feed) gather(addr []uint64, size []uint16, op []trace.Op) (refs int, more uint64) {
	room := f.buffer[len(f.buffer):cap(f.buffer)]
	addr = addr[:min(len(addr), len(room))]
	size, op = size[:len(addr)], op[:len(addr)]
	shift := f.shift & 63
	within := uint64(1)<<shift - 1
	n := 0
	for i, a := range addr {
		room[n] = a >> shift // kept only for data; avoids a branch that is hard to predict
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

// Each calls do with each line that references of any operation touch, in order.
func (f *Feed) Each(refs *trace.Refs, do func(line uint64)) {
	for i, addr := range refs.Addr {
		last := (addr + uint64(refs.Size[i]) - 1) >> f.shift
		for line := addr >> f.shift; ; line++ {
			if do(line); line == last {
				break
			}
		}
	}
}

// Flush passes on all remaining lines.
func (f *Feed) Flush(to Toucher) error {
	err := to.Touch(f.buffer)
	f.buffer = f.buffer[:0]
	return err
}
