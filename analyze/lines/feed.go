package lines

import "spoor/traces/trace"

// Toucher uses lines in order, and keeps nothing of the slice.
type Toucher interface {
	Touch(lines []uint64) error
}

// Feed turns data references into the lines that they use: loads and stores, one that crosses lines
// uses each of them, in order of address. Lines are handed on many at a time: pieces of
// the interleaved order are short.
type Feed struct {
	shift  uint
	buffer []uint64
}

// feedLines is how many lines a feed hands on at a time.
const feedLines = 16 * Batch

// NewFeed is a feed of lines of 2^shift bytes.
func NewFeed(shift uint) *Feed { return &Feed{shift, make([]uint64, 0, feedLines)} }

// Add uses the lines of references. Some may be kept until Flush.
func (f *Feed) Add(refs *trace.Refs, to Toucher) error {
	for at := 0; at < len(refs.Addr); {
		if len(f.buffer) == cap(f.buffer) {
			if err := f.Flush(to); err != nil {
				return err
			}
		}
		n, more := f.gather(refs.Addr[at:], refs.Size[at:], refs.Op[at:])
		at += n
		for line := refs.Addr[at-1]>>f.shift + 1; more > 0; more-- {
			if len(f.buffer) == cap(f.buffer) {
				if err := f.Flush(to); err != nil {
					return err
				}
			}
			f.buffer = append(f.buffer, line)
			line++
		}
	}
	return nil
}

// gather keeps the first lines of references, of as many as there is room for, up to the first one that
// crosses lines, and returns how many references that are, and how many more lines the last one uses.
func (f *Feed) gather(addr []uint64, size []uint16, op []trace.Op) (refs int, more uint64) {
	room := f.buffer[len(f.buffer):cap(f.buffer)]
	addr = addr[:min(len(addr), len(room))]
	size, op = size[:len(addr)], op[:len(addr)]
	shift := f.shift & 63
	n := 0
	for i, a := range addr {
		first, last := a>>shift, (a+uint64(size[i])-1)>>shift
		room[n] = first // stays if it is data: there is no branch that is hard to predict
		if op[i].Data() {
			n++
		}
		if first != last && op[i].Data() {
			f.buffer = f.buffer[:len(f.buffer)+n]
			return i + 1, last - first
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
