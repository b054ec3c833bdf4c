package memsys

import "math/bits"

// lines remembers of every line ever touched where it is in each cache, so that
// a bus transaction need not search all caches, and a miss knows its reason. It
// is a hash table with linear probing; n bytes follow each slot.
type lines struct {
	procs int
	keys  []uint64 // line+1, 0 for a free slot
	where []uint8  // by slot and processor
	count int
	shift uint // 64 - log2(len(keys))
}

const firstLines = 1 << 6

func newLines(procs int) lines {
	return lines{procs: procs, keys: make([]uint64, firstLines), where: make([]uint8, firstLines*procs),
		shift: 64 - uint(bits.TrailingZeros(firstLines))}
}

// of is where line is in the cache of each processor; writing to it is how the
// table learns. It is valid until the next call.
func (l *lines) of(line uint64) []uint8 {
	i := l.slot(line)
	if l.keys[i] == 0 {
		if 2*(l.count+1) > len(l.keys) {
			l.grow()
			i = l.slot(line)
		}
		l.keys[i] = line + 1
		l.count++
	}
	return l.where[i*l.procs : (i+1)*l.procs]
}

// known is as of, but nil if the line was never touched.
func (l *lines) known(line uint64) []uint8 {
	i := l.slot(line)
	if l.keys[i] == 0 {
		return nil
	}
	return l.where[i*l.procs : (i+1)*l.procs]
}

// slot finds the slot of line, or the free one where it belongs. Lines are at
// least four bytes, so that line+1 never wraps to the mark of a free slot.
func (l *lines) slot(line uint64) int {
	i := int(line * 0x9E3779B97F4A7C15 >> l.shift) // 2^64 / golden ratio
	for l.keys[i] != 0 && l.keys[i] != line+1 {
		i = (i + 1) & (len(l.keys) - 1)
	}
	return i
}

func (l *lines) grow() {
	keys, where := l.keys, l.where
	l.keys, l.where = make([]uint64, 2*len(keys)), make([]uint8, 2*len(where))
	l.shift--
	for i, key := range keys {
		if key != 0 {
			to := l.slot(key - 1)
			l.keys[to] = key
			copy(l.where[to*l.procs:(to+1)*l.procs], where[i*l.procs:(i+1)*l.procs])
		}
	}
}
