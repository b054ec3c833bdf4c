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
	size, op := refs.Size[:len(refs.Addr)], refs.Op[:len(refs.Addr)]
	for i, addr := range refs.Addr {
		if !op[i].Data() {
			continue
		}
		first, last := addr>>f.shift, (addr+uint64(size[i])-1)>>f.shift
		for {
			if len(f.buffer) == cap(f.buffer) {
				if err := f.Flush(to); err != nil {
					return err
				}
			}
			f.buffer = append(f.buffer, first)
			if first == last {
				break
			}
			first++
		}
	}
	return nil
}

// Flush hands on what is kept.
func (f *Feed) Flush(to Toucher) error {
	err := to.Touch(f.buffer)
	f.buffer = f.buffer[:0]
	return err
}
